//! `provision` by a backend and the real controller: the controller has nothing to change afterwards,
//! and beside a running one the end is the same.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::judge::{not_served, wrongs};
use super::scene::{Kind, Scene, TrialNode};
use crate::cluster::control_plane::{ControlPlane, QUIET, runtime};
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::difference::differences;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::objects::settle;
use crate::cluster::report_check::OtherWrite;

const LIMIT: Duration = Duration::from_secs(60);

fn provision(scene: &Scene, proxy: &Proxy) {
    let site = scene.site();
    let before = site.read();
    let ran = scene.provision(proxy.kubeconfig(), &["data"]).ran();
    let kind = scene.kind;
    let untrue = site.false_report(&before, &ran, &OtherWrite::of_controller());
    assert_eq!(untrue, [""; 0], "{kind:?}: {}{}", ran.stdout, ran.stderr);
    assert_eq!(
        ran.status,
        0,
        "{kind:?}: {}{}{}",
        ran.stdout,
        ran.stderr,
        proxy.show()
    );
}

/// Everything, versions and writers included.
fn all_of(scenes: &[Scene]) -> Value {
    scenes
        .iter()
        .flat_map(|scene| scene.place.storage())
        .collect()
}

fn assert_right(scenes: &[Scene]) {
    for scene in scenes {
        let mut wrong = wrongs(scene);
        wrong.extend(not_served(scene));
        assert_eq!(wrong, [""; 0], "{:?}", scene.kind);
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn started_afterwards_it_changes_nothing() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let proxy = Proxy::start(upstream.address, Pass);
    let scenes = Kind::ALL.map(|kind| Scene::create(upstream.api(), "before", kind));
    for scene in &scenes {
        provision(scene, &proxy);
    }
    let before = all_of(&scenes);
    let _controller = cluster.start_controller();
    runtime().block_on(async { settle(&cluster.client().await, QUIET, LIMIT).await });
    assert_eq!(differences(&before, &all_of(&scenes)), [""; 0]);
    assert_right(&scenes);
    for scene in scenes {
        scene.clear();
    }
}

/// The controller has asked for the provisioner by then, in an event that names it: that is no sign that
/// somebody else serves that name.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn beside_a_running_one_the_end_is_the_same() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let proxy = Proxy::start(upstream.address, Pass);
    let _controller = cluster.start_controller();
    let scenes = Kind::ALL.map(|kind| Scene::create(upstream.api(), "beside", kind));
    let was_asked = |scene: &Scene| {
        let asks = |event: &Value| event["reason"] == "ExternalProvisioning";
        scene.events().iter().any(asks)
    };
    let started = Instant::now();
    while !scenes.iter().all(was_asked) {
        assert!(started.elapsed() < LIMIT, "the controller never asks");
        sleep(Duration::from_millis(100));
    }
    for scene in &scenes {
        provision(scene, &proxy);
    }
    runtime().block_on(async { settle(&cluster.client().await, QUIET, LIMIT).await });
    assert_right(&scenes);
    for scene in scenes {
        scene.clear();
    }
}

/// A delayed class: by `selected-node`, by `--node`, and without either.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_class_that_waits_is_served_for_a_node() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let proxy = Proxy::start(upstream.address, Pass);
    let _controller = cluster.start_controller();
    for selected in [None, Some(super::scene::NODE)] {
        let scene = Scene::bare(upstream.api(), "waits", Kind::HostPath);
        let mut class = scene.class();
        class["volumeBindingMode"] = json!("WaitForFirstConsumer");
        scene.api.create(&class);
        let mut claim = scene.claim();
        if let Some(node) = selected {
            claim["metadata"]["annotations"] =
                json!({ "volume.kubernetes.io/selected-node": node });
        }
        scene.api.create(&claim);
        provision(&scene, &proxy);
        runtime().block_on(async { settle(&cluster.client().await, QUIET, LIMIT).await });
        let scenes = [scene];
        assert_right(&scenes);
        for scene in scenes {
            scene.clear();
        }
    }
}
