//! Where a set takes place: the definition of sets, a namespace, a node that is this machine, and a base directory for what a
//! backend makes. Every name begins with that of the place.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{OwnNode, install_crd};

use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::place::Place;
use crate::cluster::report_check::{OtherWrite, Site};
use crate::support::{Ran, Run, TemporaryFile, kubectl_pv};

pub(super) const GROUP: &str = "kubectl-pv.dev/v1alpha1";
pub(super) const KIND: &str = "PersistentVolumeSet";
pub(super) const ORDINAL: &str = "kubectl-pv.dev/set-ordinal";
pub(super) const SET_UID: &str = "kubectl-pv.dev/set-uid";
const RECORDS: &str = ".kubectl-pv";
const LIMIT: Duration = Duration::from_secs(60);

/// Who makes the members of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// The backend, directories below the base directory.
    ByBackend,
    /// Nobody: the template says all there is to say.
    FromTemplate,
}

impl Made {
    pub(super) const EACH: [Self; 2] = [Self::ByBackend, Self::FromTemplate];
}

pub(super) struct Scene<'a> {
    pub(super) place: Place,
    pub(super) api: Api,
    pub(super) cluster: &'a ControlPlane,
    /// The base directory lies beside it.
    file: TemporaryFile,
    _node: OwnNode,
}

/// A test on a scene of its own.
pub(super) fn on_a_scene(what: &str, test: impl FnOnce(&Scene<'_>)) {
    on_a_plane(what, |scene, _| test(scene));
}

pub(super) fn on_a_plane(what: &str, test: impl FnOnce(&Scene<'_>, &Upstream)) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), what);
    let began = Instant::now();
    test(&scene, &upstream);
    println!("{what}: {:.1} s", began.elapsed().as_secs_f64());
    scene.clear();
}

pub(super) fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < LIMIT, "{what}");
        sleep(Duration::from_millis(50));
    }
}

impl<'a> Scene<'a> {
    fn create(cluster: &'a ControlPlane, api: Api, what: &str) -> Self {
        install_crd(cluster);
        let place = Place::create(api, what);
        let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("read the host name");
        let name = format!("{}-node", place.name);
        let labels = json!({ "kubernetes.io/hostname": host.trim().to_lowercase() });
        let node = json!({ "apiVersion": "v1", "kind": "Node",
            "metadata": { "name": name, "labels": labels } });
        let node = OwnNode::create(api, &node);
        let scene = Self {
            place,
            api,
            cluster,
            file: TemporaryFile::new("scene", ""),
            _node: node,
        };
        fs::create_dir(scene.base()).expect("make a base directory");
        scene
    }

    pub(super) fn base(&self) -> PathBuf {
        Path::new(self.file.path()).with_file_name("base")
    }

    /// A file of its own, for what the test wants to keep.
    pub(super) fn directory(&self, set: &Value, ordinal: u64) -> PathBuf {
        self.base().join(format!("{}-{ordinal}", name_of(set)))
    }

    pub(super) fn provisioner(&self) -> String {
        format!("{}.example.com/dirs", self.place.name)
    }

    pub(super) fn backend(&self) -> String {
        let (name, base) = (self.provisioner(), self.base());
        format!("{name}=hostpath:{}", base.display())
    }

    /// A set of this place, not yet created: volumes of 1Gi of a class that is called like it.
    pub(super) fn draft(&self, name: &str, (minimum, maximum): (u64, u64), made: Made) -> Value {
        let name = format!("{}-{name}", self.place.name);
        let mut template = json!({
            "metadata": { "labels": { "pool": name } },
            "spec": {
                "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"],
                "persistentVolumeReclaimPolicy": "Delete", "storageClassName": name,
            },
        });
        match made {
            Made::ByBackend => {
                template["metadata"]["annotations"] =
                    json!({ "pv.kubernetes.io/provisioned-by": self.provisioner() });
            }
            Made::FromTemplate => {
                template["spec"]["persistentVolumeReclaimPolicy"] = json!("Retain");
                template["spec"]["nfs"] =
                    json!({ "server": "filer", "path": "/pools/{set}/{ordinal}" });
            }
        }
        json!({
            "apiVersion": GROUP, "kind": KIND, "metadata": { "name": name },
            "spec": { "minimumReplicas": minimum, "maximumReplicas": maximum,
                "selector": { "pool": name }, "template": template },
        })
    }

    pub(super) fn set(&self, name: &str, levels: (u64, u64), made: Made) -> Value {
        let set = self.draft(name, levels, made);
        self.api.create(&set);
        set
    }

    /// Changes how many are wanted.
    pub(super) fn resize(&self, set: &Value, (minimum, maximum): (u64, u64)) {
        self.api.patch(
            set,
            &json!({ "spec": { "minimumReplicas": minimum, "maximumReplicas": maximum } }),
        );
    }

    /// Changes the size of members to come.
    pub(super) fn retemplate(&self, set: &Value, size: &str) {
        let spec = json!({ "capacity": { "storage": size } });
        self.api
            .patch(set, &json!({ "spec": { "template": { "spec": spec } } }));
    }

    /// A member that somebody made by hand, not yet created.
    pub(super) fn hand_made(&self, set: &Value, name: &str, size: &str) -> Value {
        let mut volume = self.place.volume(name, size);
        volume["metadata"]["labels"] = json!({ "pool": name_of(set) });
        volume["spec"]["storageClassName"] = json!(name_of(set));
        volume["spec"]["hostPath"]["path"] = json!(format!("/nowhere/{}/{name}", self.place.name));
        volume
    }

    /// A claim that any unbound member of the set serves, not yet created.
    pub(super) fn claim(&self, set: &Value, name: &str, size: &str) -> Value {
        let mut claim = self.place.claim(name, size);
        claim["spec"]["storageClassName"] = json!(name_of(set));
        claim
    }

    pub(super) fn kubeconfig(&self) -> String {
        let path = self.cluster.kubeconfig("admin");
        path.to_str().expect("a path in plain text").to_owned()
    }

    /// `kubectl pv WORDS --backend …`; which cluster is meant the environment says.
    pub(super) fn run(&self, words: &[&str]) -> Run {
        let backend = self.backend();
        let mut all = words.to_vec();
        all.extend(["--backend", &backend]);
        kubectl_pv(&all).env("KUBECONFIG", &self.kubeconfig())
    }

    /// Where reports of runs here are checked.
    pub(super) fn site(&self) -> Site {
        self.place.site(&[self.base()])
    }

    /// `kubectl pv set reconcile SET … -o json`.
    pub(super) fn reconcile(&self, set: &Value, flags: &[&str]) -> Ran {
        let mut words = vec!["set", "reconcile", name_of(set), "-o", "json"];
        words.extend(flags);
        self.run(&words).ran()
    }

    /// With `--yes`, and it must succeed and report the truth; the outcome.
    pub(super) fn reconciled(&self, set: &Value) -> Value {
        let site = self.site();
        let before = site.read();
        let ran = self.reconcile(set, &["--yes"]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        let untrue = site.false_report(&before, &ran, &OtherWrite::of_controller());
        assert_eq!(untrue, [""; 0], "{}", ran.stdout);
        serde_json::from_str(&ran.stdout).expect("an outcome")
    }

    /// What `set status` says of a set.
    pub(super) fn status(&self, set: &Value) -> Value {
        let words = ["set", "status", name_of(set), "-o", "json"];
        let mut report = self.run(&words).json();
        assert_eq!(report["kind"], "VolumeSetReport");
        report["sets"][0].take()
    }

    /// The set as it is now.
    pub(super) fn found(&self, set: &Value) -> Value {
        self.api.find(set).expect("the set is there")
    }

    /// The volumes of the set, by name.
    pub(super) fn members(&self, set: &Value) -> Vec<Value> {
        let mut volumes = self.api.list("v1", "PersistentVolume", None);
        volumes.retain(|volume| volume["metadata"]["labels"]["pool"] == name_of(set));
        volumes.sort_by_key(|volume| name_of(volume).to_owned());
        volumes
    }

    /// What they are called within the set or the place.
    pub(super) fn names(&self, set: &Value) -> Vec<String> {
        let short = |volume: &Value| {
            let name = name_of(volume);
            let of_set = name.strip_prefix(&format!("{}-", name_of(set)));
            let of_place = name.strip_prefix(&format!("{}-", self.place.name));
            of_set.or(of_place).unwrap_or(name).to_owned()
        };
        self.members(set).iter().map(short).collect()
    }

    /// How many members are in a phase.
    pub(super) fn count(&self, set: &Value, phase: &str) -> usize {
        let members = self.members(set);
        let in_phase = members.iter().filter(|it| it["status"]["phase"] == phase);
        in_phase.count()
    }

    pub(super) fn is_in(&self, object: &Value, phase: &str) -> bool {
        let found = self.api.find(object).unwrap_or_default();
        found["status"]["phase"] == phase
    }

    /// A claim, bound by the real controller; the name of its volume.
    pub(super) fn bound_claim(&self, set: &Value, name: &str, size: &str) -> String {
        let claim = self.claim(set, name, size);
        self.api.create(&claim);
        wait_for("the claim is bound", || self.is_in(&claim, "Bound"));
        let found = self.api.find(&claim).unwrap_or_default();
        let volume = found["spec"]["volumeName"].as_str().unwrap_or_default();
        let (volume, object) = (volume.to_owned(), volume_called(volume));
        // The claim is marked last, but another process may see the volume's mark later.
        wait_for("its volume is", || self.is_in(&object, "Bound"));
        volume
    }

    /// Deletes a claim as users do, and waits until its volume is Released.
    pub(super) fn release(&self, claim: &str, volume: &str) {
        let namespace = self.place.name.as_str();
        let deleted = self
            .cluster
            .kubectl(&["delete", "pvc", claim, "-n", namespace]);
        assert!(deleted.status.success(), "delete {claim}");
        let volume = volume_called(volume);
        wait_for("its volume is Released", || {
            self.is_in(&volume, "Released") || self.is_in(&volume, "Failed")
        });
    }

    /// The directories of assets, by name.
    pub(super) fn assets(&self) -> BTreeSet<String> {
        let mut names = files_of(&self.base());
        names.remove(RECORDS);
        names
    }

    /// The names of the assets that are recorded.
    pub(super) fn records(&self) -> BTreeSet<String> {
        let mut files = files_of(&self.base().join(RECORDS));
        files.remove("cluster");
        let files = files.into_iter();
        let plain = |name: String| name.strip_suffix(".json").unwrap_or(&name).to_owned();
        files.map(plain).collect()
    }

    /// What is wrong with the base directory: assets, records and the volumes that a backend made must be the same.
    pub(super) fn leaks(&self, set: &Value) -> Vec<String> {
        let start = format!("{}-", name_of(set));
        let of_set = |names: BTreeSet<String>| -> BTreeSet<String> {
            let names = names.into_iter();
            names.filter(|name| name.starts_with(&start)).collect()
        };
        let (assets, records) = (of_set(self.assets()), of_set(self.records()));
        let members = self.members(set);
        let by = "pv.kubernetes.io/provisioned-by";
        let made = members
            .iter()
            .filter(|it| it["metadata"]["annotations"][by].is_string());
        let volumes = of_set(made.map(|it| name_of(it).to_owned()).collect());
        let mut wrong = Vec::new();
        if assets != volumes {
            wrong.push(format!("assets {assets:?}, volumes {volumes:?}"));
        }
        if records != volumes {
            wrong.push(format!("records {records:?}, volumes {volumes:?}"));
        }
        wrong
    }

    /// Every number stands once.
    pub(super) fn duplicates(&self, set: &Value) -> Vec<String> {
        let uid = self.found(set)["metadata"]["uid"].clone();
        let mut seen = BTreeMap::new();
        for member in self.members(set) {
            let annotations = &member["metadata"]["annotations"];
            if let (Some(ordinal), true) =
                (annotations[ORDINAL].as_str(), annotations[SET_UID] == uid)
            {
                let names: &mut Vec<String> = seen.entry(ordinal.to_owned()).or_default();
                names.push(name_of(&member).to_owned());
            }
        }
        let twice = seen.into_iter().filter(|(_, names)| names.len() > 1);
        twice
            .map(|(ordinal, names)| format!("number {ordinal}: {names:?}"))
            .collect()
    }

    /// The events about the set of one reason.
    pub(super) fn events(&self, set: &Value, reason: &str) -> Vec<Value> {
        let uid = self.found(set)["metadata"]["uid"].clone();
        let mut events = self.api.list("v1", "Event", None);
        events.retain(|it| it["involvedObject"]["uid"] == uid && it["reason"] == reason);
        events
    }

    /// How often something was told of the set.
    pub(super) fn told(&self, set: &Value, reason: &str) -> usize {
        self.events(set, reason).len()
    }

    /// The versions of the set, its volumes, and all that was told of it: the same as long as nobody writes.
    pub(super) fn versions(&self, set: &Value) -> BTreeMap<String, String> {
        let found = self.found(set);
        let mut objects = self.members(set);
        let events = self.api.list("v1", "Event", None).into_iter();
        objects.extend(events.filter(|it| it["involvedObject"]["uid"] == found["metadata"]["uid"]));
        objects.push(found);
        let part = |object: &Value, field: &str| object["metadata"][field].to_string();
        let version = |object: &Value| (part(object, "uid"), part(object, "resourceVersion"));
        objects.iter().map(version).collect()
    }

    /// What is wrong with the status of a set: it must say what is there, and that nobody is at work.
    pub(super) fn misstated(&self, set: &Value) -> Vec<String> {
        let found = self.found(set);
        let members = self.members(set);
        let is_unbound = |it: &&Value| it["spec"]["claimRef"].is_null() && !is_going(it);
        let is_bound = |it: &&Value| it["status"]["phase"] == "Bound" && !is_going(it);
        let mut wrong = Vec::new();
        for (field, count) in [
            ("totalReplicas", members.len()),
            ("unboundReplicas", members.iter().filter(is_unbound).count()),
            ("boundReplicas", members.iter().filter(is_bound).count()),
        ] {
            if found["status"][field] != json!(count) {
                let written = &found["status"][field];
                wrong.push(format!("{field} is {written}, and there are {count}"));
            }
        }
        if !found["status"]["inProgress"].is_null() {
            wrong.push(format!("inProgress: {}", found["status"]["inProgress"]));
        }
        if found["status"]["observedGeneration"] != found["metadata"]["generation"] {
            wrong.push("observedGeneration is old".to_owned());
        }
        wrong
    }

    /// `STATUS REASON` of a condition.
    pub(super) fn condition(&self, set: &Value, kind: &str) -> String {
        let found = self.found(set);
        let conditions = found["status"]["conditions"].as_array();
        let mut conditions = conditions.into_iter().flatten();
        let condition = conditions.find(|condition| condition["type"] == kind);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        condition.map_or_else(String::new, |it| {
            format!("{} {}", text(&it["status"]), text(&it["reason"]))
        })
    }

    fn clear(self) {
        for set in self.api.list(GROUP, KIND, None) {
            if name_of(&set).starts_with(&format!("{}-", self.place.name)) {
                self.api.delete(&set);
            }
        }
        self.place.clear();
    }
}

pub(super) fn name_of(object: &Value) -> &str {
    object["metadata"]["name"].as_str().expect("a name")
}

pub(super) fn is_going(object: &Value) -> bool {
    object["metadata"]["deletionTimestamp"].is_string()
}

pub(super) fn volume_called(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": name } })
}

/// `name CODE` of what was left alone, as a plan or an outcome says.
pub(super) fn skipped(outcome: &Value) -> Vec<String> {
    let left = outcome["skipped"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    left.map(|it| format!("{} {}", text(&it["target"]["name"]), text(&it["code"])))
        .collect()
}

fn files_of(folder: &Path) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return BTreeSet::new();
    };
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries.flatten().map(name).collect()
}
