//! What the writing roles are tried on, each errand in a place of its own: a bind, a volume made here, one taken back, one
//! that others make, one whose creation got no answer, and one whose event exists.

use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::scene::{NODE, Scene};
use crate::cluster::faults::api::Api;
use crate::cluster::faults::place::Place;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{After, Delivery, Pass, Script};
use crate::cluster::faults::told_before::ToldBefore;
use crate::support::{Ran, kubectl_pv};

/// The provisioner that is a backend here.
pub(super) const OWN: &str = "example.com/scratch";
/// The one of the scene, which nobody plays.
const FOREIGN: &str = "roles.example.com";
/// For a bind that comes in a second, and for one that never comes.
const TIMEOUT: &str = "4s";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Errand {
    Bind,
    Make,
    TakeBack,
    Ask,
    LostAnswer,
    /// The event exists, with another message.
    ToldBefore,
}

/// A place with its class, and a directory for what is made there.
pub(super) struct Site<'a> {
    pub(super) place: Place,
    scene: &'a Scene,
    pub(super) directory: PathBuf,
    class: Value,
}

impl<'a> Site<'a> {
    pub(super) fn open(scene: &'a Scene, provisioner: &str) -> Self {
        let place = Place::create(scene.api(), "errand");
        let directory = std::env::temp_dir().join(format!(
            "kubectl-pv-roles-{}-{}",
            std::process::id(),
            place.name
        ));
        fs::create_dir_all(&directory).expect("make a directory for assets");
        let class = json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": place.name }, "provisioner": provisioner,
        });
        scene.api().create(&class);
        Self {
            place,
            scene,
            directory,
            class,
        }
    }

    /// Creates the claim `data`.
    pub(super) fn claim(&self) -> Value {
        self.scene.api().create(&self.place.claim("data", "1Gi"))
    }

    /// The names of the assets that are there.
    pub(super) fn assets(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.directory).expect("the directory of assets");
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| !name.starts_with('.')).collect()
    }

    /// `provision data` by a backend of ours, as somebody.
    pub(super) fn provision(&self, user: &str, script: impl Script + 'static) -> Ran {
        let backend = format!("{OWN}=hostpath:{}", self.directory.display());
        let more = ["--backend", &backend, "--node", NODE, "--timeout", TIMEOUT];
        let proxy = Proxy::start(self.scene.upstream.address, script);
        self.run("provision", user, &more, proxy.kubeconfig())
    }

    /// `provision data` by a provisioner of the cluster, as somebody.
    pub(super) fn ask(&self, user: &str, timeout: &str) -> Ran {
        let proxy = Proxy::start(self.scene.upstream.address, Pass);
        let more = ["--timeout", timeout];
        self.run("provision", user, &more, proxy.kubeconfig())
    }

    pub(super) fn bind(&self, user: &str) -> Ran {
        let proxy = Proxy::start(self.scene.upstream.address, Pass);
        self.run("bind", user, &[], proxy.kubeconfig())
    }

    fn run(&self, command: &str, user: &str, more: &[&str], kubeconfig: &str) -> Ran {
        let mut all = vec![command, "data", "-n", &self.place.name, "--as", user];
        all.extend(["--yes", "-o", "json", "--kubeconfig", kubeconfig]);
        all.extend(more);
        kubectl_pv(&all).ran()
    }

    /// The state in which a run ends that may make a volume and not finish its bind: a volume, its asset, and then another
    /// claim of the same name.
    pub(super) fn leave_behind(&self, user: &str) {
        let claim = self.claim();
        let ended = self.provision(user, Pass);
        assert_eq!(ended.status, 4, "{}{}", ended.stdout, ended.stderr);
        assert_eq!(self.assets().len(), 1, "{}", ended.stderr);
        self.scene.api().delete(&claim);
        self.claim();
    }
}

impl Drop for Site<'_> {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.place.clear();
            self.scene.api().delete(&self.class);
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}

impl Errand {
    /// Runs it as somebody, and gives what came of it in a form that two runs share. `unfinished` is somebody who may make a
    /// volume, and not mark it.
    pub(super) fn run(self, scene: &Scene, user: &str, unfinished: &str) -> Value {
        let provisioner = if self == Self::Ask { FOREIGN } else { OWN };
        let site = Site::open(scene, provisioner);
        let ran = match self {
            Self::Bind => {
                scene.api().create(&site.place.volume("one", "1Gi"));
                site.claim();
                site.bind(user)
            }
            Self::Make => {
                site.claim();
                site.provision(user, Pass)
            }
            Self::TakeBack => {
                site.leave_behind(unfinished);
                site.provision(user, Pass)
            }
            Self::Ask => {
                let claim = site.claim();
                let api = scene.api();
                thread::scope(|scope| {
                    scope.spawn(move || {
                        thread::sleep(Duration::from_secs(1));
                        api.patch_status(&claim, &json!({ "phase": "Bound" }));
                    });
                    site.ask(user, TIMEOUT)
                })
            }
            Self::LostAnswer => {
                site.claim();
                site.provision(user, lose_first_creation())
            }
            Self::ToldBefore => {
                site.claim();
                site.provision(user, ToldBefore(Api::new(scene.upstream.address)))
            }
        };
        summary(&ran)
    }
}

/// The first volume is created, and nobody hears of it.
fn lose_first_creation() -> impl Script {
    let is_lost = AtomicBool::new(false);
    After(move |_, request: &_, _: &_| {
        let request: &crate::cluster::faults::message::Request = request;
        let is_creation = request.method == "POST" && request.path.ends_with("/persistentvolumes");
        if is_creation && !is_lost.swap(true, Ordering::SeqCst) {
            Delivery::Drop
        } else {
            Delivery::Deliver
        }
    })
}

/// The status, and every change with its result.
pub(super) fn summary(ran: &Ran) -> Value {
    let outcome: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let changes = outcome["changes"].as_array().cloned().unwrap_or_default();
    let result = |change: &Value| {
        let part = |pointer: &str| change.pointer(pointer).cloned().unwrap_or_default();
        json!([
            part("/action"),
            part("/target/kind"),
            part("/subresource"),
            part("/result")
        ])
    };
    let changes: Vec<Value> = changes.iter().map(result).collect();
    json!({ "status": ran.status, "changes": changes })
}
