//! `provision` where the cluster has a provisioner of its own: the real controller's host-path one. What
//! triggers it is written, and the command follows until the claim is bound.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::scene::{NODE, TrialNode};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::consistency::contradictions;
use crate::cluster::faults::place::Place;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::support::{Ran, kubectl_pv};

const HOST_PATH: &str = "kubernetes.io/host-path";
const LIMIT: Duration = Duration::from_secs(30);
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// A place with a class of this provisioner and this binding mode, and a claim called `data`.
fn set_up(api: Api, provisioner: &str, mode: &str) -> Place {
    let place = Place::create(api, "delegated");
    api.create(&json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": { "name": place.name }, "provisioner": provisioner,
        "volumeBindingMode": mode,
    }));
    api.create(&place.claim("data", "1Gi"));
    place
}

fn provision(place: &Place, proxy: &Proxy, arguments: &[&str]) -> Ran {
    let mut all = vec![
        "provision",
        "data",
        "-n",
        &place.name,
        "--yes",
        "-o",
        "json",
    ];
    all.extend(arguments);
    kubectl_pv(&all).env("KUBECONFIG", proxy.kubeconfig()).ran()
}

fn claim(api: Api, place: &Place) -> Value {
    api.find(&place.claim("data", "1Gi")).expect("the claim")
}

/// Takes the claims away while the controller is there, so that it removes what it made.
fn clear(api: Api, place: &Place) {
    for object in place.storage() {
        if object["kind"] == "PersistentVolumeClaim" {
            api.delete(&object);
        }
    }
    let started = Instant::now();
    while !place.storage().is_empty() && started.elapsed() < LIMIT {
        sleep(Duration::from_millis(100));
    }
    place.clear();
    clear_class(api, place);
}

fn clear_class(api: Api, place: &Place) {
    let class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": { "name": place.name },
    });
    api.delete(&class);
}

fn assert_served(api: Api, place: &Place, ran: &Ran, proxy: &Proxy) {
    assert_eq!(
        ran.status,
        0,
        "{}{}{}",
        ran.stdout,
        ran.stderr,
        proxy.show()
    );
    let found = claim(api, place);
    assert_eq!(found["status"]["phase"], "Bound", "{found}");
    let uid = found["metadata"]["uid"].as_str().unwrap();
    assert_eq!(found["spec"]["volumeName"], format!("pvc-{uid}"));
    let storage = place.storage();
    let volume = storage
        .iter()
        .find(|object| object["kind"] == "PersistentVolume");
    let volume = volume.expect("a volume");
    let by = &volume["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"];
    assert_eq!(by, HOST_PATH);
    assert_eq!(contradictions(&storage), [""; 0]);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_controllers_own_provisioner() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let _node = TrialNode::create(api);
    let proxy = Proxy::start(upstream.address, Pass);
    let _controller = cluster.start_controller();

    let place = set_up(api, HOST_PATH, "Immediate");
    assert_served(api, &place, &provision(&place, &proxy, &[]), &proxy);
    let again = provision(&place, &proxy, &[]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    clear(api, &place);

    for arguments in [&["--node", NODE][..], &[]] {
        let place = set_up(api, HOST_PATH, "WaitForFirstConsumer");
        let ran = provision(&place, &proxy, arguments);
        assert_served(api, &place, &ran, &proxy);
        let found = claim(api, &place);
        assert_eq!(found["metadata"]["annotations"][SELECTED_NODE], NODE);
        clear(api, &place);
    }
    // Whoever made these removed them: nothing of ours is in there.
    let left = fs::read_dir("/tmp/hostpath_pv").map_or(0, Iterator::count);
    println!("{left} directories in /tmp/hostpath_pv");
}

/// A node nobody has.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn an_unknown_node_is_refused_before_any_write() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let proxy = Proxy::start(upstream.address, Pass);
    let place = set_up(api, HOST_PATH, "WaitForFirstConsumer");
    let before = claim(api, &place);
    let ran = provision(&place, &proxy, &["--node", "nowhere"]);
    assert!([1, 3].contains(&ran.status), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("nowhere"), "{}", ran.stderr);
    assert_eq!(claim(api, &place), before);
    place.clear();
    clear_class(api, &place);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_class_without_a_provisioner_is_refused_before_any_write() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let _node = TrialNode::create(api);
    let proxy = Proxy::start(upstream.address, Pass);
    for mode in ["Immediate", "WaitForFirstConsumer"] {
        let place = set_up(api, "kubernetes.io/no-provisioner", mode);
        let before = claim(api, &place);
        let ran = provision(&place, &proxy, &["--node", NODE]);
        assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(claim(api, &place), before);
        place.clear();
        clear_class(api, &place);
    }
    let log = proxy.log();
    let writes = log.iter().filter(|entry| entry.number.of_writes.is_some());
    assert_eq!(writes.count(), 0, "{}", proxy.show());
}

/// The cluster's provisioner never sees the options: what it would make is not what was asked for.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn options_are_not_left_to_somebody_who_ignores_them() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let proxy = Proxy::start(upstream.address, Pass);
    let place = Place::create(api, "ignores");
    let allowed = r#"[{"key": "zone"}]"#;
    api.create(&json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": { "name": place.name, "annotations": {
            "volume.alpha.kubernetes.io/allowed-provisioning-options": allowed,
        } },
        "provisioner": HOST_PATH,
    }));
    api.create(&json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "namespace": place.name, "name": "wishes" }, "data": { "zone": "a" },
    }));
    let mut wishful = place.claim("data", "1Gi");
    wishful["metadata"]["annotations"] =
        json!({ "volume.alpha.kubernetes.io/provisioning-options": "wishes" });
    let before = api.create(&wishful);
    let ran = provision(&place, &proxy, &[]);
    assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
    let outcome: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        outcome["skipped"][0]["code"], "OptionsIgnoredByCluster",
        "{outcome}"
    );
    let after = claim(api, &place);
    assert_eq!(
        after["metadata"]["resourceVersion"],
        before["metadata"]["resourceVersion"]
    );
    place.clear();
    clear_class(api, &place);
}

/// Nobody serves it: the command ends in time, says so, and how to go on.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_provisioner_nobody_serves_ends_in_time() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let proxy = Proxy::start(upstream.address, Pass);
    let name = "absent.example.com/nobody";
    let place = set_up(api, name, "Immediate");
    let started = Instant::now();
    let ran = provision(&place, &proxy, &["--timeout", "3s"]);
    assert!(started.elapsed() < LIMIT, "{:?}", started.elapsed());
    assert_eq!(ran.status, 4, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("no volume"), "{}", ran.stderr);
    let outcome: Value = serde_json::from_str(&ran.stdout).unwrap();
    let finishing = outcome["finishWith"].as_str().unwrap_or_default();
    assert!(
        finishing.contains("provision") && finishing.contains("data"),
        "{outcome}"
    );
    assert!(ran.stderr.contains(finishing), "{}", ran.stderr);
    let found = claim(api, &place);
    assert_eq!(found["status"]["phase"], "Pending");
    let annotations = &found["metadata"]["annotations"];
    assert_eq!(
        annotations["volume.kubernetes.io/storage-provisioner"],
        name
    );
    assert_eq!(place.storage().len(), 1, "nothing was made");
    place.clear();
    clear_class(api, &place);
}
