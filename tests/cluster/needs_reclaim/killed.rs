//! `reclaim` is killed before and after every request, and run again: the end is the same, on disk as in the cluster. Between two
//! requests of a deletion or an emptying lies the work on the asset.

use std::process::Command;

use serde_json::{Value, json};

use super::trial::Trial;
use super::wish::{Wish, leftovers};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::kill_matrix::{self, Report, Scenario};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Counted, Pass};
use crate::cluster::faults::subject::{Ended, Subject};
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_provision::workers::for_all;
use crate::cluster::report_check::Site;

struct Reclaim {
    api: Api,
    kind: Kind,
    wish: Wish,
    volumes: &'static [&'static str],
}

impl Reclaim {
    fn wrong(&self, trial: &Trial) -> Vec<String> {
        let mut wrong = leftovers(trial);
        for name in self.volumes {
            wrong.extend(self.wish.unmet(trial, name));
        }
        wrong
    }
}

impl Scenario for Reclaim {
    type Place = Trial;

    fn set_up(&self) -> Trial {
        let trial = Trial::create(self.api, "killed", self.kind);
        for name in self.volumes {
            trial.released(name, self.wish.policy());
        }
        trial
    }

    fn program(&self, trial: &Trial, proxy: &Proxy) -> Command {
        let arguments = self.wish.arguments(trial);
        trial.reclaim(proxy.kubeconfig(), &arguments).command()
    }

    fn end_state(&self, trial: &Trial) -> Value {
        json!({ "all": trial.normal_form(), "wrong": self.wrong(trial) })
    }

    /// What was named and is done already is told as such, and the end state shows that it is so.
    fn is_finished(&self, ended: &Ended) -> bool {
        let is_done_already = self.wish == Wish::KeepFor && ended.stdout.contains("NotReleased");
        ended.status == Some(0) || is_done_already
    }

    fn site(&self, trial: &Trial) -> Option<Site> {
        Some(trial.site())
    }

    fn clear(&self, trial: Trial) {
        trial.clear();
    }
}

/// What the undisturbed run leaves is what all others are held against: it has to be right itself.
fn kill_everywhere(upstream: &Upstream, scenario: &Reclaim, counted: Counted) -> Report {
    let trial = scenario.set_up();
    let proxy = Proxy::start(upstream.address, Pass);
    let ended = Subject::start(scenario.program(&trial, &proxy)).wait();
    assert_eq!(ended.status, Some(0), "{ended:?}\n{}", proxy.show());
    assert_eq!(scenario.wrong(&trial), [""; 0], "{}", proxy.show());
    trial.clear();
    kill_matrix::run(upstream.address, scenario, counted)
}

fn all_of(cases: &[(Kind, Wish, &'static [&'static str], Counted, usize)]) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let reports = for_all(cases, |&(kind, wish, volumes, counted, least)| {
        let scenario = Reclaim {
            api: upstream.api(),
            kind,
            wish,
            volumes,
        };
        let what = format!("{wish:?} of {} by {kind:?}", volumes.len());
        let report = kill_everywhere(&upstream, &scenario, counted);
        (what, least, report)
    });
    for (what, _, report) in &reports {
        println!("{what}: {report}");
    }
    for (what, least, report) in &reports {
        report.assert_clean();
        assert!(report.existing >= *least, "{what}: {report}");
    }
}

/// Lock, deletion and unlocking are three writes.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn while_it_deletes() {
    all_of(&[
        (Kind::HostPath, Wish::Delete, &["v"], Counted::All, 20),
        (Kind::Nfs, Wish::Delete, &["v"], Counted::Writes, 6),
        (Kind::Exec, Wish::Delete, &["v"], Counted::Writes, 6),
        (
            Kind::HostPath,
            Wish::Delete,
            &["a", "b", "c"],
            Counted::Writes,
            18,
        ),
    ]);
}

/// Each run makes sure for a second that the controller is not at it: only the writes, then.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn while_it_empties() {
    all_of(&[
        (Kind::HostPath, Wish::Recycle, &["v"], Counted::Writes, 6),
        (Kind::Nfs, Wish::Recycle, &["v"], Counted::Writes, 6),
        (Kind::Exec, Wish::Recycle, &["v"], Counted::Writes, 6),
        (Kind::Nfs, Wish::Recycle, &["a", "b"], Counted::Writes, 12),
    ]);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn while_it_gives_back_or_flips() {
    all_of(&[
        (Kind::HostPath, Wish::Reuse, &["v"], Counted::All, 20),
        (Kind::Nfs, Wish::Reuse, &["a", "b"], Counted::Writes, 8),
        (Kind::HostPath, Wish::KeepFor, &["v"], Counted::Writes, 4),
        (
            Kind::HostPath,
            Wish::Retain,
            &["a", "b"],
            Counted::Writes,
            4,
        ),
    ]);
}
