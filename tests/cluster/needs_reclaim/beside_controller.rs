//! `reclaim` beside the real controller, which deletes and recycles itself what it can, protects volumes, and marks phases.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::scene::Scene;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;

const LIMIT: Duration = Duration::from_secs(60);

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < LIMIT, "{what}");
        sleep(Duration::from_millis(100));
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_ours_is_gone_and_the_controllers_is_left_to_it() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::start(&cluster);
    let _controller = cluster.start_controller();
    let scene = Scene::create(&cluster, upstream.api(), "beside");
    scene.api.create(&scene.volume("v", "Delete"));
    let phase = |scene: &Scene<'_>, name: &str| {
        scene
            .find(name)
            .map(|volume| volume["status"]["phase"].clone())
    };
    wait_for("it is Released", || {
        phase(&scene, "v") == Some(json!("Released"))
    });
    let ran = scene.reclaim_one("v", &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    wait_for("the object is gone", || scene.find("v").is_none());
    assert!(!scene.directory("v").exists());
    scene.clear();
}

/// No scheduler runs: the controller's recycler pod waits for a node, and is stopped before we begin.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn its_recycler_and_ours_are_never_both_at_it() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::start(&cluster);
    let _controller = cluster.start_controller();
    let scene = Scene::create(&cluster, upstream.api(), "recycle");
    scene.api.create(&scene.volume("v", "Recycle"));
    let name = format!("recycler-for-{}-v", scene.place.name);
    let recyclers = || -> Vec<Value> {
        let mut pods = scene.api.list("v1", "Pod", None);
        pods.retain(|pod| pod["metadata"]["name"] == name.as_str());
        pods
    };
    wait_for("the controller begins", || !recyclers().is_empty());
    let ran = scene.reclaim_one("v", &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(scene.directory("v").exists() && !scene.has_data("v"));

    // The next owner's files stay.
    let claim = scene.place.claim("next", "1Gi");
    scene.api.create(&claim);
    wait_for("the next claim has it", || {
        let found = scene.api.find(&claim).unwrap_or_default();
        found["status"]["phase"] == "Bound"
    });
    fs::write(scene.directory("v").join("file"), "mine").expect("the next owner writes");
    sleep(Duration::from_secs(5));
    assert!(scene.has_data("v"));
    assert!(recyclers().is_empty(), "{:?}", recyclers());
    let volume = scene.find("v").expect("it stays");
    let policy = &volume["spec"]["persistentVolumeReclaimPolicy"];
    assert_eq!(*policy, "Recycle");
    scene.clear();
}
