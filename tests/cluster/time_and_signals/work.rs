//! One writing command with many objects to work on: how they are set up, and what is still to be done.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Pass, Script};
use crate::cluster::faults::subject::{Ended, Subject};
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_reclaim::trial::{OUR_LOCK, Trial};
use crate::cluster::needs_set::install_crd;
use crate::cluster::report_check::{OtherWrite, Reading};
use crate::support::{Run, kubectl_pv};

const LIMIT: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subcommand {
    Provision,
    Reclaim,
    Cleanup,
    SetReconcile,
}

impl Subcommand {
    pub(super) const ALL: [Self; 4] = [
        Self::Provision,
        Self::Reclaim,
        Self::Cleanup,
        Self::SetReconcile,
    ];

    fn backend_kind(self) -> Kind {
        match self {
            // A directory of this machine would need a node.
            Self::Provision | Self::SetReconcile => Kind::Nfs,
            Self::Reclaim | Self::Cleanup => Kind::HostPath,
        }
    }
}

/// The cluster that the tests of one process share.
pub(super) struct Ground {
    pub(super) cluster: ControlPlane,
    upstream: Upstream,
}

impl Ground {
    pub(super) fn open() -> Self {
        let cluster = ControlPlane::connect();
        install_crd(&cluster);
        let upstream = Upstream::of(&cluster);
        Self { cluster, upstream }
    }

    pub(super) fn api(&self) -> Api {
        self.upstream.api()
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.upstream.address
    }

    pub(super) fn kubeconfig(&self) -> String {
        let path = self.cluster.kubeconfig("admin");
        path.to_str().expect("a path in plain text").to_owned()
    }
}

/// Objects for one command, and the state before it runs.
pub(super) struct Work<'a> {
    pub(super) subcommand: Subcommand,
    pub(super) trial: Trial,
    pub(super) count: usize,
    ground: &'a Ground,
}

/// A run through a proxy.
pub(super) struct Passed {
    pub(super) ended: Ended,
    pub(super) proxy: Proxy,
    before: Reading,
}

impl<'a> Work<'a> {
    /// Creates `count` objects that the command works on.
    pub(super) fn create(ground: &'a Ground, subcommand: Subcommand, count: usize) -> Self {
        let kind = subcommand.backend_kind();
        let work = Self {
            subcommand,
            trial: Trial::create(ground.api(), "time", kind),
            count,
            ground,
        };
        work.fill();
        work
    }

    /// One volume to reclaim, of a backend that is a program.
    pub(super) fn create_with_program(ground: &'a Ground) -> Self {
        let work = Self {
            subcommand: Subcommand::Reclaim,
            trial: Trial::create(ground.api(), "time", Kind::Exec),
            count: 1,
            ground,
        };
        work.fill();
        work
    }

    fn fill(&self) {
        let count = self.count;
        match self.subcommand {
            Subcommand::Provision => {
                self.api().create(&self.class());
                for number in 0..count {
                    self.api().create(&self.claim(number));
                }
            }
            Subcommand::Reclaim => self.release(0..count),
            Subcommand::Cleanup => {
                self.release(0..count / 2);
                for number in count / 2..count {
                    self.lose(number);
                }
            }
            Subcommand::SetReconcile => drop(self.api().create(&self.set())),
        }
    }

    fn api(&self) -> Api {
        self.ground.api()
    }

    pub(super) fn place(&self) -> &str {
        &self.trial.place.name
    }

    fn class(&self) -> Value {
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": self.class_name() },
            "provisioner": self.trial.kind.provisioner(),
        })
    }

    /// The class that is called like the place does not provision.
    fn class_name(&self) -> String {
        format!("{}-class", self.place())
    }

    pub(super) fn claim(&self, number: usize) -> Value {
        let mut claim = self.trial.place.claim(&format!("c-{number:03}"), "1Gi");
        claim["spec"]["storageClassName"] = json!(self.class_name());
        claim
    }

    fn release(&self, numbers: std::ops::Range<usize>) {
        for number in numbers {
            self.trial.released(&format!("v-{number:03}"), "Delete");
        }
    }

    /// A claim whose volume does not exist any more.
    fn lose(&self, number: usize) {
        let mut claim = self.claim(number);
        claim["metadata"]["annotations"] = json!({ "pv.kubernetes.io/bind-completed": "yes" });
        claim["spec"]["volumeName"] = json!(format!("{}-vanished", self.place()));
        self.api().create(&claim);
        self.api().patch_status(&claim, &json!({ "phase": "Lost" }));
    }

    fn set(&self) -> Value {
        let (name, labels) = (self.place(), json!({ "pool": self.place() }));
        let by = json!({ "pv.kubernetes.io/provisioned-by": self.trial.kind.provisioner() });
        json!({
            "apiVersion": "kubectl-pv.dev/v1alpha1", "kind": "PersistentVolumeSet",
            "metadata": { "name": name },
            "spec": {
                "minimumReplicas": self.count, "maximumReplicas": self.count, "selector": labels,
                "template": {
                    "metadata": { "labels": labels, "annotations": by },
                    "spec": {
                        "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"],
                        "storageClassName": name, "persistentVolumeReclaimPolicy": "Delete",
                    },
                },
            },
        })
    }

    /// The command without `--yes` and without a format.
    pub(super) fn words(&self) -> Vec<String> {
        let place = self.place();
        let words = match self.subcommand {
            Subcommand::Provision => vec!["provision", "-n", place],
            Subcommand::Reclaim => vec!["reclaim", "--all-released", "-n", place],
            Subcommand::Cleanup => {
                let categories = "released,lost-claims";
                vec!["cleanup", "--category", categories, "-n", place]
            }
            Subcommand::SetReconcile => vec!["set", "reconcile", place],
        };
        let backend = self.trial.backend();
        let words = words.into_iter().chain(["--backend", &backend]);
        words.map(str::to_owned).collect()
    }

    pub(super) fn command(&self, kubeconfig: &str, flags: &[&str]) -> Run {
        let words = self.words();
        let words = words.iter().map(String::as_str);
        let all = words.chain(["--yes", "-o", "json"]);
        let all: Vec<&str> = all.chain(flags.iter().copied()).collect();
        let pool = self.trial.yard.base();
        kubectl_pv(&all)
            .env("KUBECONFIG", kubeconfig)
            .env("KUBECTL_PV_POOL", pool.to_str().expect("a plain path"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
    }

    /// Runs it through a proxy. `begin` gets the process as soon as it runs.
    pub(super) fn run(
        &self,
        script: impl Script + 'static,
        flags: &[&str],
        begin: impl FnOnce(&Arc<Subject>),
    ) -> Passed {
        let before = self.trial.site().read();
        let proxy = Proxy::start(self.ground.address(), script);
        let subject = Subject::start(self.command(proxy.kubeconfig(), flags).command());
        begin(&subject);
        Passed {
            ended: subject.wait(),
            proxy,
            before,
        }
    }

    /// Runs it undisturbed to its end.
    pub(super) fn run_undisturbed(&self) -> Passed {
        let passed = self.run(Pass, &[], |_| {});
        let (ended, log) = (&passed.ended, passed.proxy.show());
        assert_eq!(ended.status, Some(0), "{ended:?}\n{log}");
        assert_eq!(self.open(), [""; 0], "{ended:?}\n{log}");
        passed
    }

    /// What the report says that is not true.
    pub(super) fn false_report(&self, passed: &Passed, others: &[OtherWrite]) -> Vec<String> {
        let mut all = OtherWrite::of_controller();
        all.extend(others.iter().cloned());
        let site = self.trial.site();
        site.false_report(&passed.before, &passed.ended, &all)
    }

    /// Runs the printed command as a person who pastes it; what is wrong with that.
    pub(super) fn finish(&self, ended: &Ended) -> Vec<String> {
        let outcome: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
        let Some(command) = outcome["finishWith"].as_str() else {
            return vec!["no finishWith".to_owned()];
        };
        self.wait_until_released();
        let site = self.trial.site();
        let before = site.read();
        let finished = self.trial.paste(command, &self.ground.kubeconfig());
        let mut found = site.false_report(&before, &finished, &OtherWrite::of_controller());
        if finished.status != Some(0) {
            found.push(format!("{command} ends with {finished:?}"));
        }
        let open = self.open().into_iter();
        found.extend(open.map(|open| format!("after {command}: {open}")));
        found
    }

    /// What is still to be done.
    pub(super) fn open(&self) -> Vec<String> {
        let objects = self.trial.place.storage();
        let assets = self.trial.yard.assets();
        let name = |object: &Value| format!("{} {}", object["kind"], object["metadata"]["name"]);
        match self.subcommand {
            Subcommand::Reclaim | Subcommand::Cleanup => {
                objects.iter().map(name).chain(assets).collect()
            }
            Subcommand::Provision | Subcommand::SetReconcile => {
                let is_unbound = |object: &&Value| {
                    object["kind"] == "PersistentVolumeClaim"
                        && object["status"]["phase"] != "Bound"
                };
                let mut open: Vec<String> = objects.iter().filter(is_unbound).map(name).collect();
                let volumes = objects.iter();
                let volumes = volumes.filter(|object| object["kind"] == "PersistentVolume");
                for (what, found) in [("volumes", volumes.count()), ("assets", assets.len())] {
                    if found != self.count {
                        open.push(format!("{found} {what}, not {}", self.count));
                    }
                }
                open
            }
        }
    }

    /// Whether a volume carries our lock.
    pub(super) fn has_lock(&self) -> bool {
        self.trial.volumes().iter().any(is_locked)
    }

    /// Waits until the protection controllers have removed their finalizers of deleted objects.
    pub(super) fn wait_until_released(&self) {
        let is_held = |object: &Value| {
            object["metadata"]["deletionTimestamp"].is_string() && !is_locked(object)
        };
        let began = Instant::now();
        while self.trial.place.storage().iter().any(is_held) {
            assert!(began.elapsed() < LIMIT, "objects are still held");
            sleep(Duration::from_millis(50));
        }
    }

    /// A run with this timeout may have ended without an answer: others wait for it as long as its note in the set says.
    pub(super) fn wait_until_note_expires(&self, timeout: Duration) {
        if self.subcommand == Subcommand::SetReconcile {
            sleep(3 * timeout + Duration::from_secs(2));
        }
    }

    pub(super) fn clear(self) {
        match self.subcommand {
            Subcommand::Provision => self.api().delete(&self.class()),
            Subcommand::SetReconcile => self.api().delete(&self.set()),
            Subcommand::Reclaim | Subcommand::Cleanup => {}
        }
        self.trial.clear();
    }
}

fn is_locked(object: &Value) -> bool {
    let finalizers = object["metadata"]["finalizers"].as_array();
    finalizers.is_some_and(|names| names.contains(&json!(OUR_LOCK)))
}

impl Passed {
    /// How many writes reached the proxy.
    pub(super) fn writes(&self) -> usize {
        let log = self.proxy.log();
        let writes = log.iter().filter(|entry| entry.number.of_writes.is_some());
        writes.count()
    }

    pub(super) fn outcome(&self) -> Value {
        serde_json::from_str(&self.ended.stdout).unwrap_or_default()
    }
}
