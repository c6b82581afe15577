//! Deletes what an earlier test left on this control plane, so that every test begins with the same empty one: no volume, no
//! claim, no node. Called once, when a test connects. Namespaces and the definition of PersistentVolumeSet stay: they hold no
//! object then, and tests give their namespaces names of their own.

use serde_json::{Value, json};

use super::control_plane::ControlPlane;
use super::faults::api::Api;

/// Users before what they use.
const KINDS: [(&str, &str); 17] = [
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("batch/v1", "CronJob"),
    ("v1", "Pod"),
    ("kubectl-pv.dev/v1alpha1", "PersistentVolumeSet"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "PersistentVolume"),
    ("v1", "ResourceQuota"),
    ("v1", "LimitRange"),
    ("v1", "Node"),
    ("coordination.k8s.io/v1", "Lease"),
    ("storage.k8s.io/v1", "CSIDriver"),
    ("storage.k8s.io/v1", "CSINode"),
    ("storage.k8s.io/v1", "CSIStorageCapacity"),
    ("storage.k8s.io/v1", "StorageClass"),
    ("storage.k8s.io/v1", "VolumeAttachment"),
    ("storage.k8s.io/v1", "VolumeAttributesClass"),
];

pub(super) fn delete_leftovers(api: Api) {
    for object in leftovers(api) {
        println!("an earlier test left {} {}", object["kind"], name(&object));
        api.delete(&object);
    }
}

fn leftovers(api: Api) -> Vec<Value> {
    let of_kind = |(api_version, kind)| api.list_if_served(api_version, kind);
    let found = KINDS.into_iter().flat_map(of_kind);
    // The API server's own lease, which it writes again and again.
    let is_ours = |object: &Value| object["metadata"]["namespace"] != "kube-system";
    found.filter(is_ours).collect()
}

fn name(object: &Value) -> Value {
    let metadata = &object["metadata"];
    json!([metadata["namespace"], metadata["name"]])
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_next_test_finds_an_empty_plane() {
    let plane = ControlPlane::connect();
    plane.apply(include_str!("leftovers.yaml"));
    let api = plane.api();
    assert_eq!(leftovers(api).len(), 4);
    delete_leftovers(api);
    assert_eq!(leftovers(api), Vec::<Value>::new());
}
