//! `set reconcile` is killed behind its lock, and only then the member is to be kept: by the annotation, by policy Retain, or by
//! taking it out of the set. Where its asset is gone, the next run finishes it; where the asset exists, it stays, and the next run
//! says so.

use serde_json::json;

use super::stage::{OUR_LOCK, Stage, open};
use crate::cluster::faults::kill_point::Moment;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_reclaim::kept_late::{keep, kill, skipped};

/// The note, the lock, the deletion, then the asset, then the lock again.
const AFTER_DELETION: (Moment, usize) = (Moment::After, 3);
const BEFORE_UNLOCK: (Moment, usize) = (Moment::Before, 4);

const UNLABELLED: &str = "taken out of the set";

fn disturb(point: (Moment, usize), deed: &str) {
    let (_cluster, upstream) = open();
    let proxy = Proxy::start(upstream.address, Pass);
    let stage = Stage::create(upstream.api(), "kept", Some(Kind::HostPath), (3, 3));
    stage.fill(proxy.kubeconfig());
    stage.resize(2, 2);
    kill(&upstream, point, |kubeconfig| stage.reconcile(kubeconfig));
    let mut members = stage.members();
    members.retain(|member| member["metadata"]["name"] == stage.member_name(0));
    let is_gone = !stage.asset(0).exists();
    assert_eq!(is_gone, point == BEFORE_UNLOCK);
    if deed == UNLABELLED {
        let change = json!({ "metadata": { "labels": { "pool": null } } });
        stage.api.patch(&members[0], &change);
    } else {
        keep(stage.api, &members[0], deed);
    }
    let site = stage.site();
    let before = site.read();
    let ran = stage.reconcile(proxy.kubeconfig()).ran();
    let what = format!("{point:?} {deed}: {}{}", ran.stdout, ran.stderr);
    assert_eq!(site.false_report(&before, &ran, &[]), [""; 0], "{what}");
    assert_eq!(ran.status, 0, "{what}");
    let victim = stage.api.find(&members[0]);
    if is_gone {
        assert_eq!(victim, None, "{what}");
        assert_eq!(stage.unsettled(2, 2), [""; 0], "{what}");
    } else {
        let victim = victim.expect("it is locked");
        assert_eq!(
            victim["metadata"]["finalizers"],
            json!([OUR_LOCK]),
            "{what}"
        );
        assert!(stage.asset(0).exists(), "{what}");
        let code = if deed == UNLABELLED { "OptOut" } else { deed };
        assert_eq!(skipped(&ran), [code], "{what}");
        assert!(ran.stdout.contains("it is being deleted"), "{what}");
    }
    assert_eq!(stage.wrongs(), [""; 0], "{what}");
    let no_finalizers = json!({ "metadata": { "finalizers": null } });
    let _ = stage.api.try_patch(&members[0], &no_finalizers);
    stage.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_member_whose_asset_is_gone_is_finished() {
    for deed in ["OptOut", "PolicyRetain", UNLABELLED] {
        disturb(BEFORE_UNLOCK, deed);
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_member_whose_asset_exists_is_kept() {
    for deed in ["OptOut", "PolicyRetain", UNLABELLED] {
        disturb(AFTER_DELETION, deed);
    }
}
