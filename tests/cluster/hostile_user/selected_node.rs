//! A `selected-node` of another machine: nothing is created here, and the claim of another namespace is served as before.

use serde_json::{Value, json};

use super::scene::{OURS, Scene, on_a_scene};
use crate::support::{Ran, kubectl_pv};

const NODES: [&str; 2] = ["hostile-here", "hostile-elsewhere"];

fn node(name: &str) -> Value {
    let labels = json!({ "kubernetes.io/hostname": name });
    json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name, "labels": labels } })
}

/// `provision` of a namespace by a hostpath backend on the first node.
fn provision(scene: &Scene, namespace: &str, more: &[&str]) -> Ran {
    let backend = format!("{OURS}=hostpath:{}", scene.base().display());
    let kubeconfig = scene.cluster.kubeconfig("admin");
    let mut words = vec![
        "provision",
        "-n",
        namespace,
        "--backend",
        &backend,
        "-o",
        "json",
    ];
    words.extend(more);
    kubectl_pv(&words)
        .env("KUBECONFIG", kubeconfig.to_str().expect("a plain path"))
        .env("KUBECTL_PV_NODE_NAME", NODES[0])
        .ran()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_selected_node_of_another_machine_creates_nothing_here() {
    on_a_scene("selected", |scene| {
        let nodes = NODES.map(node);
        for node in &nodes {
            scene.api.create(node);
        }
        let before = provision(scene, &scene.place.name, &["--dry-run"]);
        let mut claim = scene.hostile_claim("pinned");
        claim["spec"]["storageClassName"] = json!(scene.place.name);
        claim["metadata"]["annotations"] =
            json!({ "volume.kubernetes.io/selected-node": NODES[1] });
        scene.create_as_attacker(&claim);
        let after = provision(scene, &scene.place.name, &["--dry-run"]);
        assert_eq!(before.stdout, after.stdout);
        let ran = provision(scene, &scene.attacker.place.name, &["--yes"]);
        let outcome: Value = serde_json::from_str(&ran.stdout).expect("an outcome");
        assert_eq!(outcome["changes"], json!([]), "{outcome:#}");
        assert_eq!(outcome["skipped"][0]["code"], "NodeAffinityMismatch");
        let uid = scene.api.find(&claim).expect("the claim")["metadata"]["uid"].clone();
        let directory = format!("pvc-{}", uid.as_str().expect("a uid"));
        assert!(!scene.base().join(directory).exists());
        for node in &nodes {
            scene.api.delete(node);
        }
    });
}
