//! The roles of `reclaim` and `cleanup`: enough for their commands, and no rule is superfluous: each is taken away in turn, and
//! the command must answer or end otherwise.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::scene::Scene;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Action, After, Delivery, Number, Pass, Script};
use crate::cluster::faults::told_before::ToldBefore;
use crate::cluster::roles::account::{Accounts, Rule, VIEW, install, rules_of};
use crate::support::Ran;

const RECLAIM: &str = "kubectl-pv-reclaim";
const CLEANUP: &str = "kubectl-pv-cleanup";
const CLEANUP_VIEW: &str = "kubectl-pv-cleanup-view";
const RECYCLE: &str = "kubectl-pv-recycle";
const CATEGORIES: &str =
    "released,failed,lost-claims,unused-claims,unreachable,leftover-attachments";

/// What there is to be done, so that between them every rule is needed.
#[derive(Clone, Copy, Debug)]
enum Errand {
    /// A volume, a claim and an attachment go.
    Delete,
    /// A volume is emptied, and a recycler of the controller waits.
    Recycle,
    /// The directory of a volume is replaced by a file when it is locked, and that is told.
    Fail,
    /// Nobody hears that the lock was written.
    LostAnswer,
    /// The same as `Fail`, and the event exists with another message.
    ToldBefore,
}

const ERRANDS: [Errand; 5] = [
    Errand::Delete,
    Errand::Recycle,
    Errand::Fail,
    Errand::LostAnswer,
    Errand::ToldBefore,
];

struct Trial<'a> {
    cluster: &'a ControlPlane,
    upstream: &'a Upstream,
}

impl Trial<'_> {
    /// Runs an errand as somebody: the status, and every change with its result.
    fn run(&self, role: &str, errand: Errand, user: &str) -> Value {
        let scene = Scene::create(self.cluster, self.upstream.api(), "role");
        Self::prepare(&scene, errand);
        let script: Box<dyn Fn(&Request) -> Delivery + Send + Sync> = match errand {
            Errand::LostAnswer => Box::new(lose_lock),
            _ => Box::new(|_| Delivery::Deliver),
        };
        let script = After(move |_, request: &_, _: &_| script(request));
        let ran = match errand {
            Errand::ToldBefore => {
                let told = ToldBefore(self.upstream.api());
                self.run_as(&scene, role, user, Replacing::new(&scene, told))
            }
            Errand::Fail => self.run_as(&scene, role, user, Replacing::new(&scene, Pass)),
            _ => self.run_as(&scene, role, user, script),
        };
        let done = summary(&ran);
        scene.clear();
        done
    }

    fn prepare(scene: &Scene<'_>, errand: Errand) {
        let place = &scene.place.name;
        match errand {
            Errand::Delete => {
                scene.put(&scene.volume("v", "Delete"), "Released");
                scene.put(&scene.volume("kept", "Retain"), "Released");
                scene.lost_claim("lost");
                scene.add(&json!({ "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
                    "metadata": { "name": place }, "spec": { "attacher": "x.example.com", "nodeName": "long-gone",
                        "source": { "persistentVolumeName": format!("{place}-kept") } } }));
            }
            Errand::Recycle => {
                scene.put(&scene.volume("v", "Recycle"), "Released");
                let volume = scene.volume("v", "Recycle");
                let source = volume["spec"]["hostPath"].clone();
                scene.add(&json!({ "apiVersion": "v1", "kind": "Pod",
                    "metadata": { "namespace": "default", "name": format!("recycler-for-{place}-v") },
                    "spec": { "containers": [{ "name": "c", "image": "c" }],
                        "volumes": [{ "name": "vol", "hostPath": source }] } }));
            }
            Errand::Fail | Errand::ToldBefore | Errand::LostAnswer => {
                scene.put(&scene.volume("v", "Delete"), "Released");
            }
        }
    }

    fn run_as(
        &self,
        scene: &Scene<'_>,
        role: &str,
        user: &str,
        script: impl Script + 'static,
    ) -> Ran {
        let proxy = Proxy::start(self.upstream.address, script);
        let run = if role == RECLAIM {
            let backend = scene.backend();
            let class = scene.place.name.clone();
            let all = [
                "reclaim",
                "--all-released",
                "--class",
                &class,
                "--backend",
                &backend,
            ];
            let more = ["-o", "json", "--yes", "--timeout", "3s", "--as", user];
            crate::support::kubectl_pv(&[&all[..], &more].concat())
        } else {
            scene.command(&[
                "--yes",
                "--category",
                CATEGORIES,
                "--timeout",
                "3s",
                "--as",
                user,
            ])
        };
        run.env("KUBECONFIG", proxy.kubeconfig()).ran()
    }
}

/// Replaces the directory of the volume by a file just before our lock is written: after the last check of it.
struct Replacing<S> {
    directory: PathBuf,
    inner: S,
}

impl<S> Replacing<S> {
    fn new(scene: &Scene<'_>, inner: S) -> Self {
        let directory = scene.base().join("v");
        Self { directory, inner }
    }
}

impl<S: Script> Script for Replacing<S> {
    fn before(&self, number: Number, request: &Request) -> Action {
        if is_lock(request) && self.directory.is_dir() {
            fs::remove_dir_all(&self.directory).expect("delete the directory");
            fs::write(&self.directory, "not a directory").expect("put a file there");
        }
        self.inner.before(number, request)
    }
}

fn is_lock(request: &Request) -> bool {
    let body = String::from_utf8_lossy(&request.body);
    request.method == "PATCH" && body.contains("kubectl-pv.dev/asset")
}

/// The answers to our lock are lost.
fn lose_lock(request: &Request) -> Delivery {
    if is_lock(request) {
        Delivery::Drop
    } else {
        Delivery::Deliver
    }
}

fn summary(ran: &Ran) -> Value {
    let outcome: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let changes = outcome["changes"].as_array().cloned().unwrap_or_default();
    let result = |change: &Value| {
        json!([
            change["action"],
            change["target"]["kind"],
            change["subresource"],
            change["result"]
        ])
    };
    let changes: Vec<Value> = changes.iter().map(result).collect();
    json!({ "status": ran.status, "changes": changes })
}

fn without(rules: &[Rule], number: usize) -> Vec<Rule> {
    let others = rules
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != number);
    others.map(|(_, rule)| rule.clone()).collect()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn every_rule_for_acting_is_missed() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    install(&cluster);
    let mut problems = Vec::new();
    for (role, view) in [(RECLAIM, VIEW), (CLEANUP, CLEANUP_VIEW)] {
        let view = rules_of(&cluster, view);
        let rules = [rules_of(&cluster, role), rules_of(&cluster, RECYCLE)].concat();
        let account = |name: String, own: Vec<Rule>| (name, [view.clone(), own].concat());
        let mut accounts = vec![account(format!("{role}-all"), rules.clone())];
        for number in 0..rules.len() {
            accounts.push(account(format!("{role}-{number}"), without(&rules, number)));
        }
        let _accounts = Accounts::create(&cluster, upstream.api(), &accounts);
        let trial = Trial {
            cluster: &cluster,
            upstream: &upstream,
        };
        let all = format!("{role}-all");
        let done = ERRANDS.map(|errand| trial.run(role, errand, &all));
        let statuses: Vec<&Value> = done.iter().map(|done| &done["status"]).collect();
        assert_eq!(statuses, [0, 0, 4, 0, 4], "{role}: {done:#?}");
        for (number, rule) in rules.iter().enumerate() {
            let user = format!("{role}-{number}");
            let mut errands = ERRANDS.iter().zip(&done);
            let is_missed = errands.any(|(errand, done)| trial.run(role, *errand, &user) != *done);
            if !is_missed {
                problems.push(format!(
                    "{role}: nobody misses {} {}",
                    rule.verb, rule.resource
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn every_rule_for_the_report_is_missed_and_it_changes_nothing() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    install(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), "report");
    // Two that others are to delete: of one of them an event reports that it failed.
    for (name, driver) in [
        ("silent", "silent.example.com"),
        ("heard", "heard.example.com"),
    ] {
        let mut foreign = scene.volume(name, "Delete");
        let by = "pv.kubernetes.io/provisioned-by";
        foreign["metadata"]["annotations"][by] = json!(driver);
        foreign["spec"]["csi"] = json!({ "driver": driver, "volumeHandle": "h" });
        foreign["spec"]["hostPath"].take();
        scene.put(&foreign, "Released");
    }
    let heard = scene.api.find(&scene.place.volume("heard", "1Gi"));
    let uid = heard.expect("the volume exists")["metadata"]["uid"].clone();
    scene.add(&json!({ "apiVersion": "v1", "kind": "Event",
        "metadata": { "namespace": "default", "name": scene.place.name },
        "involvedObject": { "apiVersion": "v1", "kind": "PersistentVolume",
            "name": format!("{}-heard", scene.place.name), "uid": uid },
        "type": "Warning", "reason": "VolumeFailedDelete", "message": "busy",
        "source": { "component": "heard.example.com_controller-0_1234" } }));
    let rules = rules_of(&cluster, CLEANUP_VIEW);
    assert!(rules.iter().any(Rule::reads_cluster_uid), "{rules:?}");
    let mut accounts = vec![("cleanup-viewer-all".to_owned(), rules.clone())];
    for number in 0..rules.len() {
        accounts.push((format!("cleanup-viewer-{number}"), without(&rules, number)));
    }
    let _accounts = Accounts::create(&cluster, upstream.api(), &accounts);
    let trial = Trial {
        cluster: &cluster,
        upstream: &upstream,
    };
    let ask = |user: &str| {
        let proxy = Proxy::start(upstream.address, Pass);
        let ran = scene
            .command(&["-A", "--dry-run", "--as", user])
            .env("KUBECONFIG", proxy.kubeconfig())
            .ran();
        (ran.stdout.replace(user, "user"), ran.status)
    };
    let with_all = ask("cleanup-viewer-all");
    assert!(!with_all.0.contains("forbidden"), "{}", with_all.0);
    let mut problems = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        if ask(&format!("cleanup-viewer-{number}")) == with_all {
            problems.push(format!("nobody misses {} {}", rule.verb, rule.resource));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    scene.put(&scene.volume("ours", "Delete"), "Released");
    let refused = trial.run_as(&scene, CLEANUP, "cleanup-viewer-all", Pass);
    assert_eq!(refused.status, 4, "{}", refused.stderr);
    assert!(scene.has_data("ours") && !scene.is_going(&scene.place.volume("ours", "1Gi")));
    assert!(
        refused.stderr.contains("--clusterrole=kubectl-pv-cleanup "),
        "{}",
        refused.stderr
    );
    scene.clear();
}
