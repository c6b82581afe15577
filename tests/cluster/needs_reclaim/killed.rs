//! `reclaim` is killed before and after every request, and run again: the end is the same, on disk as in the cluster.

use std::process::Command;

use serde_json::{Value, json};

use super::scene::Scene;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::kill_matrix::{self, Scenario};
use crate::cluster::faults::normal_form::normal_form;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Counted;

struct Reclaim<'a> {
    cluster: &'a ControlPlane,
    api: Api,
    policy: &'static str,
    arguments: &'static [&'static str],
}

impl<'a> Scenario for Reclaim<'a> {
    type Place = Scene<'a>;

    fn set_up(&self) -> Scene<'a> {
        let scene = Scene::create(self.cluster, self.api, "killed");
        scene.released("v", self.policy);
        scene
    }

    fn program(&self, scene: &Scene<'a>, proxy: &Proxy) -> Command {
        let class = scene.place.name.clone();
        let mut all = vec!["--all-released", "--class", &class];
        all.extend(self.arguments);
        scene
            .command(&all)
            .env("KUBECONFIG", proxy.kubeconfig())
            .command()
    }

    fn end_state(&self, scene: &Scene<'a>) -> Value {
        let base = scene.base().display().to_string();
        let replaced = [
            (scene.place.name.as_str(), "place"),
            (base.as_str(), "base"),
        ];
        json!({
            "objects": normal_form(&scene.place.storage(), &replaced),
            "directory": scene.directory("v").exists(),
            "data": scene.has_data("v"),
        })
    }

    fn clear(&self, scene: Scene<'a>) {
        scene.clear();
    }
}

fn kill_everywhere(policy: &'static str, arguments: &'static [&'static str], counted: Counted) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::start(&cluster);
    let scenario = Reclaim {
        cluster: &cluster,
        api: upstream.api(),
        policy,
        arguments,
    };
    let report = kill_matrix::run(upstream.address, &scenario, counted);
    println!("{policy} {arguments:?}: {report}");
    report.assert_clean();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn while_it_deletes() {
    kill_everywhere("Delete", &[], Counted::All);
}

/// Each run makes sure for a second that the controller is not at it: only the writes, then.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn while_it_empties() {
    kill_everywhere("Recycle", &[], Counted::Writes);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn while_it_gives_back() {
    kill_everywhere("Retain", &["--reuse"], Counted::All);
}
