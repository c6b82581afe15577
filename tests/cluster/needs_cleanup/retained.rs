//! Data that policy Retain promised to keep stays, also after its PersistentVolume object is gone: the record remembers.

use serde_json::json;

use super::provisioned::{Provisioned, run};
use super::scene::Scene;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;

const EVERYTHING: &str =
    "released,failed,lost-claims,unreachable,leftover-attachments,leaked-assets";

fn sweep(scene: &Scene<'_>, made: &Provisioned) {
    for words in [
        &["cleanup", "--yes"][..],
        &["cleanup", "--yes", "--category", EVERYTHING],
        &[
            "cleanup",
            "--yes",
            "--category",
            EVERYTHING,
            "--include-likely",
        ],
    ] {
        let ran = run(scene, words);
        assert!(
            [0, 1].contains(&ran.status),
            "{words:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
        assert!(made.has_data(), "{words:?}: {}", ran.stdout);
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn after_its_object_was_deleted() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), "retain");
    let made = Provisioned::create(&scene, "Retain");
    made.delete(&scene);
    sweep(&scene, &made);
    // Named, with its own name, it is deleted.
    let named = [
        "cleanup",
        "--category",
        "leaked-assets",
        "--asset",
        made.name(),
    ];
    let shown = run(&scene, &[&named[..], &["--dry-run", "-o", "json"]].concat());
    assert!(
        shown.stdout.contains("LosesData"),
        "{}{}",
        shown.stdout,
        shown.stderr
    );
    assert!(made.has_data());
    let ran = run(&scene, &[&named[..], &["--yes"]].concat());
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(!made.asset.exists());
    scene.clear();
}

/// The policy was changed after the volume was provisioned: the next run that writes has noted it.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn after_its_policy_was_changed() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), "changed");
    let made = Provisioned::create(&scene, "Delete");
    let retain = json!({ "spec": { "persistentVolumeReclaimPolicy": "Retain" } });
    scene.api.patch(&made.volume, &retain);
    let other = scene.volume("other", "Delete");
    scene.put(&other, "Released");
    let ran = run(&scene, &["cleanup", "--yes"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    std::fs::remove_file(made.asset.join("file")).expect("empty it");
    made.delete(&scene);
    let words = [
        "cleanup",
        "--yes",
        "--category",
        "leaked-assets",
        "-o",
        "json",
    ];
    let ran = run(&scene, &words);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("PolicyRetain"), "{}", ran.stdout);
    assert!(made.asset.is_dir(), "{}", ran.stdout);
    scene.clear();
}

/// Its node is away for a minute, and then the run is on that node.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn after_its_node_was_away() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), "away");
    let made = Provisioned::create(&scene, "Retain");
    scene.api.delete(&made.claim);
    let released = json!({ "phase": "Released" });
    scene.api.patch_status(&made.volume, &released);
    let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": scene.node() } });
    scene.api.delete(&node);
    sweep(&scene, &made);
    assert!(
        scene.api.find(&made.volume).is_some(),
        "Retain keeps the object too"
    );
    scene.api.create(
        &json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": scene.node(),
        "labels": { "kubernetes.io/hostname": scene.node() } } }),
    );
    sweep(&scene, &made);
    made.delete(&scene);
    scene.clear();
}
