//! Where one `set reconcile` takes place: a set of its own in the cluster, a yard on this machine, and a backend of any kind, or
//! none. And what no run, whole, broken or disturbed, may leave behind.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::install_crd;

use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::normal_form::normal_form;
use crate::cluster::faults::place::Place;
use crate::cluster::faults::subject::{Ended, Subject};
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_provision::yard::Yard;
use crate::cluster::report_check::Site;
use crate::support::{Run, kubectl_pv};

pub(super) const NODE: &str = "set-trial-node";
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/backends/directories");
const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
const ORDINAL: &str = "kubectl-pv.dev/set-ordinal";
pub(super) const OUR_LOCK: &str = "kubectl-pv.dev/asset";
/// How long a run may take; a killed run is expected as long.
pub(super) const TIMEOUT: Duration = Duration::from_secs(6);

/// Who makes the members: a backend of this kind, or the template alone.
pub(super) type Maker = Option<Kind>;

/// The cluster with the CRD of this program, and a node for as long as this lives.
pub(super) struct Ground {
    cluster: ControlPlane,
}

/// The scheduler would see the node, and other tests with it. Whatever else leads to the server may be gone by now.
impl Drop for Ground {
    fn drop(&mut self) {
        let _ = self
            .cluster
            .kubectl(&["delete", "node", NODE, "--ignore-not-found"]);
    }
}

impl Deref for Ground {
    type Target = ControlPlane;

    fn deref(&self) -> &ControlPlane {
        &self.cluster
    }
}

pub(super) fn open() -> (Ground, Upstream) {
    let cluster = ControlPlane::connect();
    install_crd(&cluster);
    let upstream = Upstream::of(&cluster);
    let labels = json!({ "kubernetes.io/hostname": "set-trial-host" });
    let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": NODE, "labels": labels } });
    if upstream.api().find(&node).is_none() {
        upstream.api().create(&node);
    }
    (Ground { cluster }, upstream)
}

pub(super) struct Stage {
    pub(super) place: Place,
    pub(super) yard: Yard,
    pub(super) maker: Maker,
    pub(super) api: Api,
}

impl Stage {
    /// A place without its set.
    pub(super) fn bare(api: Api, what: &str, maker: Maker) -> Self {
        Self {
            place: Place::create(api, what),
            yard: Yard::new(),
            maker,
            api,
        }
    }

    /// A place with its set.
    pub(super) fn create(api: Api, what: &str, maker: Maker, (least, most): (u64, u64)) -> Self {
        let stage = Self::bare(api, what, maker);
        api.create(&stage.set(least, most));
        stage
    }

    /// The set, as it is created. It is called as the place, and its members after it.
    pub(super) fn set(&self, least: u64, most: u64) -> Value {
        let name = &self.place.name;
        let labels = json!({ "pool": name });
        let mut metadata = json!({ "labels": labels });
        let mut spec = json!({
            "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"],
            "storageClassName": name, "persistentVolumeReclaimPolicy": "Delete",
        });
        match self.maker {
            Some(kind) => metadata["annotations"] = json!({ PROVISIONED_BY: kind.provisioner() }),
            None => {
                spec["nfs"] = json!({ "server": "filer", "path": format!("/{name}/{{ordinal}}") });
            }
        }
        json!({
            "apiVersion": "kubectl-pv.dev/v1alpha1", "kind": "PersistentVolumeSet",
            "metadata": { "name": name },
            "spec": {
                "minimumReplicas": least, "maximumReplicas": most, "selector": labels,
                "template": { "metadata": metadata, "spec": spec },
            },
        })
    }

    /// The set as it is now; null if it is gone.
    pub(super) fn found_set(&self) -> Value {
        self.api.find(&self.set(0, 0)).unwrap_or_default()
    }

    /// Asks for another number of members.
    pub(super) fn resize(&self, least: u64, most: u64) {
        let change = json!({ "spec": { "minimumReplicas": least, "maximumReplicas": most } });
        self.api.patch(&self.set(0, 0), &change);
    }

    /// Every volume of the place, members or not.
    pub(super) fn volumes(&self) -> Vec<Value> {
        let mut storage = self.place.storage();
        storage.retain(|object| object["kind"] == "PersistentVolume");
        storage
    }

    /// Those that the set selects.
    pub(super) fn members(&self) -> Vec<Value> {
        let mut volumes = self.volumes();
        volumes.retain(|volume| volume["metadata"]["labels"]["pool"] == self.place.name);
        volumes
    }

    pub(super) fn member_name(&self, ordinal: usize) -> String {
        format!("{}-{ordinal}", self.place.name)
    }

    /// The directory behind a member.
    pub(super) fn asset(&self, ordinal: usize) -> PathBuf {
        self.yard.base().join(self.member_name(ordinal))
    }

    fn backend(&self) -> Option<String> {
        let base = self.yard.base();
        let base = base.display();
        let kind = self.maker?;
        let target = match kind {
            Kind::HostPath => format!("hostpath:{base}"),
            Kind::Nfs => format!("nfs:filer.example.com:{}@{base}", self.yard.export()),
            Kind::Exec => format!("exec:{EXAMPLE}"),
        };
        Some(format!("{}={target}", kind.provisioner()))
    }

    /// `kubectl pv set …` of this set, with the backend and, where it matters, the node.
    pub(super) fn ask(&self, kubeconfig: &str, verb: &str, arguments: &[&str]) -> Run {
        let backend = self.backend();
        let mut all = vec!["set", verb, &self.place.name];
        all.extend(arguments);
        if let Some(backend) = &backend {
            all.extend(["--backend", backend]);
        }
        if self.maker == Some(Kind::HostPath) {
            all.extend(["--node", NODE]);
        }
        let base = self.yard.base();
        kubectl_pv(&all)
            .env("KUBECONFIG", kubeconfig)
            .env("KUBECTL_PV_POOL", base.to_str().expect("a plain path"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
    }

    /// `set reconcile` in earnest, for a program to read.
    pub(super) fn reconcile(&self, kubeconfig: &str) -> Run {
        let timeout = format!("{}s", TIMEOUT.as_secs());
        let arguments = ["--yes", "-o", "json", "--timeout", &timeout];
        self.ask(kubeconfig, "reconcile", &arguments)
    }

    /// Lets the set have its members, undisturbed, and makes it possible that they go: there is no controller that would take the
    /// cluster's own finalizer off.
    pub(super) fn fill(&self, kubeconfig: &str) {
        let ended = Subject::start(self.reconcile(kubeconfig).command()).wait();
        assert_eq!(ended.status, Some(0), "{ended:?}");
        for member in self.members() {
            let change = json!({ "metadata": { "finalizers": null } });
            self.api.patch(&member, &change);
        }
    }

    /// Runs a printed command as a person who pastes it, with our program as `kubectl pv`; it prints its Outcome.
    pub(super) fn paste(&self, command: &str, kubeconfig: &str) -> Ended {
        let mut shell = Command::new("bash");
        shell
            .arg("-c")
            .arg(format!(
                "kubectl() {{ shift; \"$PROGRAM\" \"$@\" -o json --yes; }}\n{command}"
            ))
            .env("PROGRAM", Path::new(env!("CARGO_BIN_EXE_kubectl-pv")))
            .env("KUBECONFIG", kubeconfig)
            .env("KUBECTL_PV_POOL", self.yard.base());
        Subject::start(shell).wait()
    }

    /// Where reports of runs here are checked.
    pub(super) fn site(&self) -> Site {
        self.place.site(&[self.yard.base()])
    }

    /// Waits until a run that was killed is not expected any more: its note in the set says until when.
    pub(super) fn wait_until_note_expires(&self) {
        let set = self.found_set();
        let Some(until) = set["status"]["inProgress"]["until"].as_str() else {
            return;
        };
        let until: Timestamp = until.parse().expect("a time");
        let left = until.as_second() - now().as_second() + 1;
        thread::sleep(Duration::from_secs(u64::try_from(left).unwrap_or(0)));
    }

    /// The set, its members and assets, comparable with those of another stage.
    pub(super) fn normal_form(&self) -> Value {
        let mut all = self.place.storage();
        let mut set = self.found_set();
        set["status"]["observedGeneration"].take();
        all.push(set);
        all.push(json!({
            "kind": "Yard", "metadata": { "name": "base" }, "files": self.yard.inside(),
        }));
        let root = self.yard.root().display().to_string();
        normal_form(&all, &[(&self.place.name, "place"), (&root, "yard")])
    }

    /// All that is wrong whatever happened, a sentence each.
    pub(super) fn wrongs(&self) -> Vec<String> {
        let volumes = self.volumes();
        let (going, staying): (Vec<&Value>, Vec<&Value>) =
            volumes.iter().partition(|volume| is_going(volume));
        let is_made = |volume: &&&Value| volume["metadata"]["annotations"][ORDINAL].is_string();
        let made: Vec<&Value> = volumes.iter().filter(|volume| is_made(&volume)).collect();
        let mut found = Vec::new();
        let numbers: Vec<&str> = made
            .iter()
            .filter_map(|volume| volume["metadata"]["annotations"][ORDINAL].as_str())
            .collect();
        let distinct: BTreeSet<&&str> = numbers.iter().collect();
        if distinct.len() != numbers.len() {
            found.push(format!("a number was given twice: {numbers:?}"));
        }
        for volume in going {
            if !is_locked(volume) {
                found.push(format!("left Terminating: {}", volume["metadata"]["name"]));
            }
        }
        if self.maker.is_some() {
            found.extend(self.leaks(&staying));
        }
        let outside = self.yard.outside();
        if outside.len() != 1 || !outside.values().any(|what| what.ends_with(": untouched")) {
            found.push(format!("the neighbour was touched: {outside:?}"));
        }
        found
    }

    /// Assets, records and volumes that do not belong together.
    fn leaks(&self, staying: &[&Value]) -> Vec<String> {
        let all = self.volumes();
        let of_base = staying
            .iter()
            .filter(|volume| volume["metadata"]["annotations"][PROVISIONED_BY].is_string());
        let volumes: BTreeSet<String> = of_base.map(|volume| asset_of(volume)).collect();
        let known: BTreeSet<String> = all.iter().map(asset_of).collect();
        let assets: BTreeSet<String> = self.yard.assets().into_iter().collect();
        let records: BTreeSet<String> = self.yard.records().into_iter().collect();
        let mut found = Vec::new();
        let mut missing = |of: &BTreeSet<String>, among: &BTreeSet<String>, what: &str| {
            found.extend(of.difference(among).map(|name| format!("{name}: {what}")));
        };
        missing(&assets, &known, "an asset without a volume");
        missing(&volumes, &assets, "a volume without an asset");
        missing(&assets, &records, "an asset without a record");
        missing(&records, &assets, "a record of no asset");
        found
    }

    /// Is the set as it asks, and does it say so?
    pub(super) fn unsettled(&self, total: usize, unbound: usize) -> Vec<String> {
        let (set, members) = (self.found_set(), self.members());
        let status = &set["status"];
        let mut found = Vec::new();
        if members.len() != total {
            found.push(format!("{} members, not {total}", members.len()));
        }
        if !status["inProgress"].is_null() {
            found.push(format!("still in progress: {}", status["inProgress"]));
        }
        if status["totalReplicas"] != total || status["unboundReplicas"] != unbound {
            found.push(format!("not {total} and {unbound}: {status}"));
        }
        if status["observedGeneration"] != set["metadata"]["generation"] {
            found.push(format!("of another generation: {status}"));
        }
        let locked = members.iter().filter(|member| is_locked(member));
        found.extend(locked.map(|member| format!("our lock is left: {}", member["metadata"])));
        found
    }

    /// Somebody makes a file in the directory behind a member.
    pub(super) fn write_into(&self, ordinal: usize) -> Result<String, String> {
        let written = fs::write(self.asset(ordinal).join("mine"), "mine");
        written
            .map(|()| "written".to_owned())
            .map_err(|error| error.to_string())
    }

    pub(super) fn clear(&self) {
        self.place.clear();
        self.api.delete(&self.set(0, 0));
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the test waits for the clock that the program reads"
)]
fn now() -> Timestamp {
    Timestamp::now()
}

pub(super) fn is_going(volume: &Value) -> bool {
    volume["metadata"]["deletionTimestamp"].is_string()
}

pub(super) fn is_locked(volume: &Value) -> bool {
    let finalizers = volume["metadata"]["finalizers"].as_array();
    finalizers.is_some_and(|held| held.contains(&json!(OUR_LOCK)))
}

/// The last part of the path a volume points to.
fn asset_of(volume: &Value) -> String {
    let spec = &volume["spec"];
    let path = spec["hostPath"]["path"]
        .as_str()
        .or(spec["nfs"]["path"].as_str());
    let name = path.and_then(|path| path.rsplit('/').next());
    name.unwrap_or("<no path>").to_owned()
}
