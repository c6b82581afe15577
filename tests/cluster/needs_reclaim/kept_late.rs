//! A run is killed behind its lock, and only then the volume is to be kept, by the annotation or by policy Retain. The object
//! cannot be called back. Where its asset is gone, the next run finishes it; where the asset exists, its data stays and the next
//! run says so. `reclaim` and `cleanup` do the same.

use std::sync::Arc;

use serde_json::{Value, json};

use super::trial::{OUR_LOCK, Trial};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::kill_point::{KillPoint, Moment};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Counted, Pass};
use crate::cluster::faults::subject::Subject;
use crate::cluster::needs_provision::scene::Kind;
use crate::support::{Ran, Run};

/// Wants a volume kept.
pub(in crate::cluster) fn keep(api: Api, volume: &Value, code: &str) {
    let change = match code {
        "OptOut" => json!({ "metadata": { "annotations": { "kubectl-pv.dev/keep": "" } } }),
        _ => json!({ "spec": { "persistentVolumeReclaimPolicy": "Retain" } }),
    };
    api.patch(volume, &change);
}

/// Kills a run at one of its writes.
pub(in crate::cluster) fn kill(
    upstream: &Upstream,
    point: (Moment, usize),
    run: impl Fn(&str) -> Run,
) {
    let point = KillPoint::new(point.0, Counted::Writes, point.1);
    let proxy = Proxy::start(upstream.address, Arc::clone(&point));
    let subject = Subject::start(run(proxy.kubeconfig()).command());
    point.aim(&subject);
    subject.wait();
    assert!(point.was_reached(), "{}", proxy.show());
}

/// The codes of what was skipped.
pub(in crate::cluster) fn skipped(ran: &Ran) -> Vec<String> {
    let outcome: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let skipped = outcome["skipped"].as_array().into_iter().flatten();
    let code = |left: &Value| left["code"].as_str().map(str::to_owned);
    skipped.filter_map(code).collect()
}

/// The lock, the deletion, then the asset, then the lock again.
const AFTER_DELETION: (Moment, usize) = (Moment::After, 2);
const BEFORE_UNLOCK: (Moment, usize) = (Moment::Before, 3);

fn disturb(command: &str, point: (Moment, usize), code: &str) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let trial = Trial::create(upstream.api(), "kept", Kind::HostPath);
    trial.released("v", "Delete");
    let no_finalizers = json!({ "metadata": { "finalizers": null } });
    trial
        .api
        .patch(&trial.volume("v", "Delete"), &no_finalizers);
    let class = trial.place.name.clone();
    let mut arguments = vec!["--class", &class, "-o", "json"];
    if command == "reclaim" {
        arguments.push("--all-released");
    }
    kill(&upstream, point, |kubeconfig| {
        trial.run(kubeconfig, command, &arguments)
    });
    let is_gone = !trial.asset("v").exists();
    assert_eq!(is_gone, point == BEFORE_UNLOCK);
    keep(trial.api, &trial.volume("v", "Delete"), code);
    let site = trial.site();
    let before = site.read();
    let ran = trial.run(proxy.kubeconfig(), command, &arguments).ran();
    let what = format!("{command} {point:?} {code}: {}{}", ran.stdout, ran.stderr);
    let untrue = site.false_report(&before, &ran, &[]);
    assert_eq!(untrue, [""; 0], "{what}");
    assert_eq!(ran.status, 0, "{what}");
    if is_gone {
        assert_eq!(trial.find("v"), None, "{what}");
        assert_eq!(trial.yard.records(), [""; 0], "{what}");
    } else {
        let volume = trial.find("v").expect("it is locked");
        assert_eq!(
            volume["metadata"]["finalizers"],
            json!([OUR_LOCK]),
            "{what}"
        );
        assert!(trial.has_data("v"), "{what}");
        assert_eq!(skipped(&ran), [code], "{what}");
        assert!(ran.stdout.contains("it is being deleted"), "{what}");
        trial.api.patch(&volume, &no_finalizers);
    }
    trial.clear();
}

fn disturb_always(command: &str) {
    for point in [BEFORE_UNLOCK, AFTER_DELETION] {
        for code in ["OptOut", "PolicyRetain"] {
            disturb(command, point, code);
        }
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn behind_the_lock_of_reclaim() {
    disturb_always("reclaim");
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn behind_the_lock_of_cleanup() {
    disturb_always("cleanup");
}
