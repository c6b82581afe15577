//! `cleanup --yes` is killed before and after every write, and run again: the end is the same, on disk as in the cluster.

use std::process::Command;

use serde_json::{Value, json};

use super::scene::Scene;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::kill_matrix::{self, Scenario};
use crate::cluster::faults::normal_form::normal_form;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Counted;
use crate::cluster::report_check::Site;

struct Cleanup<'a> {
    cluster: &'a ControlPlane,
    api: Api,
}

impl<'a> Scenario for Cleanup<'a> {
    type Place = Scene<'a>;

    fn set_up(&self) -> Scene<'a> {
        let scene = Scene::create(self.cluster, self.api, "swept");
        scene.put(&scene.volume("v", "Delete"), "Released");
        scene.put(&scene.volume("kept", "Retain"), "Released");
        scene.lost_claim("lost");
        scene.bound_claim("unused", "Delete");
        scene
    }

    fn program(&self, scene: &Scene<'a>, proxy: &Proxy) -> Command {
        let categories = "released,lost-claims,unused-claims";
        scene
            .command(&["--yes", "--include-likely", "--category", categories])
            .env("KUBECONFIG", proxy.kubeconfig())
            .command()
    }

    fn end_state(&self, scene: &Scene<'a>) -> Value {
        let base = scene.base().display().to_string();
        let replaced = [
            (scene.place.name.as_str(), "place"),
            (base.as_str(), "base"),
        ];
        let data = ["v", "kept", "unused"].map(|name| scene.has_data(name));
        json!({
            "objects": normal_form(&scene.place.storage(), &replaced),
            "data": data,
        })
    }

    fn site(&self, scene: &Scene<'a>) -> Option<Site> {
        Some(scene.site())
    }

    fn clear(&self, scene: Scene<'a>) {
        scene.clear();
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_next_run_goes_on() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scenario = Cleanup {
        cluster: &cluster,
        api: upstream.api(),
    };
    let report = kill_matrix::run(upstream.address, &scenario, Counted::Writes);
    println!("cleanup: {report}");
    report.assert_clean();
}
