//! What a program has provisioned for a member only the program knows: no run may forget it, whatever comes between the asset and its
//! volume.

use std::sync::Arc;

use super::stage::{Stage, open};
use crate::cluster::faults::chance::refusal;
use crate::cluster::faults::kill_point::Moment;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Action, Before, Number, Pass};
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_reclaim::kept_late::kill;

/// A note, the asset, another note, the volume, an event: twice, and the status.
const WRITES: usize = 9;
/// The second note, after the asset of the first member.
const AFTER_ASSET: usize = 2;

fn create(upstream: &crate::cluster::faults::api::Upstream, least: u64) -> Arc<Stage> {
    let stage = Stage::create(upstream.api(), "program", Some(Kind::Exec), (least, 2));
    Arc::new(stage)
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_conflict_at_any_write_leaves_no_asset_behind() {
    let (_cluster, upstream) = open();
    for write in 1..=WRITES {
        let stage = create(&upstream, 2);
        let conflict = move |number: Number, _: &Request| match number.of_writes {
            Some(it) if it == write => Action::Answer(refusal(409, "Conflict")),
            _ => Action::Forward,
        };
        let proxy = Proxy::start(upstream.address, Before(conflict));
        let ran = stage.reconcile(proxy.kubeconfig()).ran();
        let what = format!("write {write}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.status, 0, "{what}");
        assert_eq!(stage.wrongs(), [""; 0], "{what}");
        assert_eq!(stage.unsettled(2, 2), [""; 0], "{what}");
        stage.clear();
    }
}

/// A run that was killed is not awaited any more: the next one takes its number up.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_asset_of_a_killed_run_is_taken_up_however_late() {
    let (_cluster, upstream) = open();
    let proxy = Proxy::start(upstream.address, Pass);
    let stage = create(&upstream, 1);
    let briefly = ["--yes", "-o", "json", "--timeout", "1s"];
    kill(&upstream, (Moment::Before, AFTER_ASSET), |kubeconfig| {
        stage.ask(kubeconfig, "reconcile", &briefly)
    });
    assert_eq!(stage.yard.assets(), [stage.member_name(0)]);
    stage.wait_until_note_expires();
    let ran = stage.reconcile(proxy.kubeconfig()).ran();
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(stage.wrongs(), [""; 0], "{}", ran.stdout);
    assert_eq!(stage.unsettled(1, 1), [""; 0], "{}", ran.stdout);
    stage.clear();
}

/// The set is resized while its asset is created, and needs no member any more.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn an_asset_that_is_not_needed_any_more_is_deleted() {
    let (_cluster, upstream) = open();
    let stage = create(&upstream, 1);
    let resized = Arc::clone(&stage);
    let resize = move |number: Number, _: &Request| {
        if number.of_writes == Some(AFTER_ASSET) {
            resized.resize(0, 2);
        }
        Action::Forward
    };
    let proxy = Proxy::start(upstream.address, Before(resize));
    let site = stage.site();
    let before = site.read();
    let ran = stage.reconcile(proxy.kubeconfig()).ran();
    let what = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.status, 0, "{what}");
    assert_eq!(stage.wrongs(), [""; 0], "{what}");
    assert_eq!(stage.unsettled(0, 0), [""; 0], "{what}");
    let spec = crate::cluster::report_check::OtherWrite::field(
        "PersistentVolumeSet",
        &stage.place.name,
        "/spec",
    );
    let untrue = site.false_report(&before, &ran, &[spec]);
    assert_eq!(untrue, [""; 0], "{what}");
    stage.clear();
}
