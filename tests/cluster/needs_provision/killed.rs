//! `provision` is killed before and after every request, and run again: one volume, one asset with its
//! record, nothing left over. Between the asset and the volume lies one of these points.

use std::process::Command;

use serde_json::{Value, json};

use super::judge::{not_served, wrongs};
use super::scene::{Kind, Scene, TrialNode};
use super::workers::for_all;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::kill_matrix::{self, Report, Scenario};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Counted, Pass};
use crate::cluster::report_check::Site;

struct Provision {
    api: Api,
    kind: Kind,
    /// Claims beside `data`.
    others: &'static [&'static str],
    /// What is asked for.
    names: &'static [&'static str],
}

impl Scenario for Provision {
    type Place = Scene;

    fn set_up(&self) -> Scene {
        let scene = Scene::create(self.api, "killed", self.kind);
        for name in self.others {
            self.api.create(&scene.place.claim(name, "2Gi"));
        }
        scene
    }

    fn program(&self, scene: &Scene, proxy: &Proxy) -> Command {
        scene.provision(proxy.kubeconfig(), self.names).command()
    }

    fn end_state(&self, scene: &Scene) -> Value {
        let mut wrong = wrongs(scene);
        wrong.extend(not_served(scene));
        json!({ "all": scene.normal_form(), "wrong": wrong })
    }

    fn site(&self, scene: &Scene) -> Option<Site> {
        Some(scene.site())
    }

    fn clear(&self, scene: Scene) {
        scene.clear();
    }
}

fn kill_everywhere(upstream: &Upstream, kind: Kind) -> Report {
    let scenario = Provision {
        api: upstream.api(),
        kind,
        others: &[],
        names: &["data"],
    };
    // What the undisturbed run leaves is what all others are held against: it has to be right itself.
    let scene = scenario.set_up();
    let proxy = Proxy::start(upstream.address, Pass);
    let ran = scene.provision(proxy.kubeconfig(), &["data"]).ran();
    assert_eq!(
        ran.status,
        0,
        "{}{}{}",
        ran.stdout,
        ran.stderr,
        proxy.show()
    );
    let mut wrong = wrongs(&scene);
    wrong.extend(not_served(&scene));
    assert_eq!(wrong, [""; 0], "{}", proxy.show());
    assert_eq!((scene.made().len(), scene.yard.assets().len()), (1, 1));
    scene.clear();
    kill_matrix::run(upstream.address, &scenario, Counted::All)
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn whatever_the_backend() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let reports = for_all(&Kind::ALL, |&kind| (kind, kill_everywhere(&upstream, kind)));
    for (kind, report) in &reports {
        println!("{kind:?}: {report}");
    }
    for (kind, report) in &reports {
        report.assert_clean();
        assert!(
            report.existing >= 12,
            "{kind:?}: a bind alone is four writes"
        );
    }
}

/// Several at once: what one of them is killed at must not concern the others.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn everything_in_a_namespace() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scenario = Provision {
        api: upstream.api(),
        kind: Kind::Nfs,
        others: &["logs"],
        names: &[],
    };
    let report = kill_matrix::run(upstream.address, &scenario, Counted::Writes);
    println!("two claims: {report}");
    report.assert_clean();
    assert!(report.existing >= 20, "two volumes are ten writes");
}
