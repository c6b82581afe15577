//! A Lease that a namespace user holds for 68 years: it is taken over after 60 seconds at most.

use std::time::{Duration, Instant};

use serde_json::json;

use super::scene::{Scene, on_a_scene};
use crate::cluster::faults::subject::Subject;

const LEASE: &str = "kubectl-pv-set-reconcile";

fn lease(namespace: &str) -> serde_json::Value {
    json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": { "namespace": namespace, "name": LEASE },
        "spec": { "holderIdentity": "attacker", "leaseDurationSeconds": i32::MAX,
            "renewTime": "2099-01-01T00:00:00.000000Z" } })
}

fn members(scene: &Scene) -> usize {
    let name = format!("{}-pool", scene.place.name);
    let mut volumes = scene.api.list("v1", "PersistentVolume", None);
    volumes.retain(|volume| volume["spec"]["storageClassName"] == name.as_str());
    volumes.len()
}

/// Watches the set of the scene until it has a member; answers how long that took.
fn time_to_work(scene: &Scene, more: &[&str]) -> Duration {
    let (backend, pool) = (scene.backend(), format!("{}-pool", scene.place.name));
    let mut words = vec!["set", "reconcile", &pool, "--watch", "--backend", &backend];
    words.extend(more);
    let started = Instant::now();
    let watcher = Subject::start(scene.cluster.kubectl_pv("admin", &words).command());
    while members(scene) == 0 {
        assert!(
            started.elapsed() < Duration::from_secs(90),
            "it never works"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    watcher.kill();
    started.elapsed()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_lease_of_68_years_is_taken_over() {
    on_a_scene("lease", |scene| {
        let namespace = &scene.attacker.place.name;
        scene.create_as_attacker(&lease(namespace));
        let took = time_to_work(scene, &["--lease-namespace", namespace]);
        assert!(
            took >= Duration::from_secs(15),
            "another holder is waited for: {took:?}"
        );
    });
}

/// Without `--lease-namespace` a Lease in `default` is not read.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_lease_in_default_blocks_nothing() {
    on_a_scene("lease", |scene| {
        super::scene::grant(&scene.cluster, scene.api, "default");
        scene.create_as_attacker(&lease("default"));
        let took = time_to_work(scene, &[]);
        scene.api.delete(&lease("default"));
        super::scene::revoke(scene.api, "default");
        assert!(took < Duration::from_secs(12), "{took:?}");
    });
}
