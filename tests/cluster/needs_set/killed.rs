//! `set reconcile` is killed before and after every write, and run again: the same end as if nobody had disturbed it. Between the
//! note in the set and the volume lies the work on the asset.

use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};

use super::stage::{Maker, Stage, open};
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::kill_matrix::{self, Scenario};
use crate::cluster::faults::kill_point::{KillPoint, Moment};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Counted, Pass};
use crate::cluster::faults::subject::Subject;
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_provision::workers::for_all;
use crate::cluster::needs_reclaim::kept_late::skipped;
use crate::cluster::report_check::Site;
use crate::support::Ran;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    /// From none to two.
    Make,
    /// From four to two.
    Delete,
}

struct Reconcile<'a> {
    api: Api,
    maker: Maker,
    wish: Wish,
    /// Past any proxy that disturbs.
    undisturbed: &'a Proxy,
}

impl Scenario for Reconcile<'_> {
    type Place = Stage;

    fn set_up(&self) -> Stage {
        let most = if self.wish == Wish::Make { 2 } else { 4 };
        let stage = Stage::create(self.api, "killed", self.maker, (most, most));
        if self.wish == Wish::Delete {
            stage.fill(self.undisturbed.kubeconfig());
            stage.resize(2, 2);
        }
        stage
    }

    fn program(&self, stage: &Stage, proxy: &Proxy) -> Command {
        stage.reconcile(proxy.kubeconfig()).command()
    }

    fn end_state(&self, stage: &Stage) -> Value {
        let mut wrong = stage.wrongs();
        wrong.extend(stage.unsettled(2, 2));
        json!({ "all": stage.normal_form(), "wrong": wrong })
    }

    fn site(&self, stage: &Stage) -> Option<Site> {
        Some(stage.site())
    }

    fn clear(&self, stage: Stage) {
        stage.clear();
    }
}

fn all_of(cases: &[(Maker, Wish, usize)]) {
    let (_cluster, upstream) = open();
    let undisturbed = Proxy::start(upstream.address, Pass);
    let reports = for_all(cases, |&(maker, wish, least)| {
        let scenario = Reconcile {
            api: upstream.api(),
            maker,
            wish,
            undisturbed: &undisturbed,
        };
        // What the undisturbed run leaves is what all others are held against: it has to be right itself.
        let stage = scenario.set_up();
        let ended = Subject::start(scenario.program(&stage, &undisturbed)).wait();
        assert_eq!(ended.status, Some(0), "{ended:?}");
        assert_eq!(scenario.end_state(&stage)["wrong"], json!([]), "{ended:?}");
        stage.clear();
        let report = kill_matrix::run(upstream.address, &scenario, Counted::Writes);
        (format!("{wish:?} by {maker:?}"), least, report)
    });
    for (what, _, report) in &reports {
        println!("{what}: {report}");
    }
    for (what, least, report) in &reports {
        report.assert_clean();
        assert!(report.existing >= *least, "{what}: {report}");
    }
}

/// A note, a volume and an event each, and the status.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn while_it_makes_two() {
    all_of(&[
        (Some(Kind::HostPath), Wish::Make, 14),
        (Some(Kind::Exec), Wish::Make, 14),
        (None, Wish::Make, 14),
    ]);
}

/// A note, a lock, a deletion, the unlocking and an event each, and the status.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn while_it_deletes_two() {
    all_of(&[
        (Some(Kind::HostPath), Wish::Delete, 18),
        (Some(Kind::Exec), Wish::Delete, 18),
    ]);
}

/// A run whose report is true.
fn reconcile(stage: &Stage, proxy: &Proxy) -> Ran {
    let site = stage.site();
    let before = site.read();
    let ran = stage.reconcile(proxy.kubeconfig()).ran();
    let untrue = site.false_report(&before, &ran, &[]);
    assert_eq!(untrue, [""; 0], "{}{}", ran.stdout, ran.stderr);
    ran
}

/// Kills a run when the asset is made and its volume is not, and then the set needs none any more.
fn unneeded(upstream: &Upstream) -> Stage {
    let stage = Stage::create(upstream.api(), "unneeded", Some(Kind::HostPath), (1, 2));
    let point = KillPoint::new(Moment::Before, Counted::Writes, 2);
    let proxy = Proxy::start(upstream.address, Arc::clone(&point));
    let briefly = ["--yes", "-o", "json", "--timeout", "3s"];
    let run = stage.ask(proxy.kubeconfig(), "reconcile", &briefly);
    let subject = Subject::start(run.command());
    point.aim(&subject);
    subject.wait();
    assert!(point.was_reached(), "{}", proxy.show());
    assert_eq!(stage.yard.assets(), [stage.member_name(0)]);
    stage.resize(0, 2);
    stage
}

/// Nobody knows that it was killed: its asset is its own for as long as it may be alive, and goes afterwards.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn an_asset_that_nobody_needs_goes_once_its_maker_is_not_awaited_any_more() {
    let (_cluster, upstream) = open();
    let proxy = Proxy::start(upstream.address, Pass);
    let stage = unneeded(&upstream);
    let early = reconcile(&stage, &proxy);
    assert_eq!(early.status, 0, "{}", early.stderr);
    assert_eq!(stage.yard.assets(), [stage.member_name(0)], "too early");
    // It states what it waits for.
    assert_eq!(skipped(&early), ["InUse"], "{}", early.stdout);
    assert!(
        early.stdout.contains("run the command again"),
        "{}",
        early.stdout
    );
    let begun = &stage.found_set()["status"]["inProgress"];
    assert_eq!(begun["volume"], stage.member_name(0), "{begun}");
    stage.wait_until_note_expires();
    let late = reconcile(&stage, &proxy);
    assert_eq!(late.status, 0, "{}{}", late.stdout, late.stderr);
    assert_eq!(stage.wrongs(), [""; 0], "{}", late.stdout);
    assert_eq!(stage.unsettled(0, 0), [""; 0], "{}", late.stdout);
    assert!(stage.yard.assets().is_empty() && stage.yard.records().is_empty());
    stage.clear();
}

/// What somebody has written into it meanwhile nobody takes back.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn an_asset_that_nobody_needs_and_somebody_has_written_into_stays() {
    let (_cluster, upstream) = open();
    let proxy = Proxy::start(upstream.address, Pass);
    let stage = unneeded(&upstream);
    stage.write_into(0).expect("the asset is there");
    stage.wait_until_note_expires();
    let late = reconcile(&stage, &proxy);
    assert!([0, 1].contains(&late.status), "{}", late.stderr);
    assert!(stage.asset(0).join("mine").exists(), "{}", late.stdout);
    // Nor is it handed to the next tenant.
    stage.resize(1, 2);
    let next = reconcile(&stage, &proxy);
    assert_eq!(next.status, 0, "{}{}", next.stdout, next.stderr);
    let members = stage.members();
    assert_eq!(members.len(), 1);
    assert_eq!(members[0]["metadata"]["name"], stage.member_name(1));
    assert!(stage.asset(0).join("mine").exists(), "{}", next.stdout);
    stage.clear();
}
