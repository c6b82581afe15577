//! What `provision` writes into claims, volumes and plans, pinned. Every expected value is spelled by hand.

use super::*;
use serde_json::json;

#[test]
fn what_is_written_for_a_claim() {
    let yard = Yard::new();
    let plan = yard.plan(&cluster(vec![pending("c")], vec![]), &Memory::default());
    let annotations = json!({
        "volume.kubernetes.io/storage-provisioner": "example.com/scratch",
        "volume.beta.kubernetes.io/storage-provisioner": "example.com/scratch",
    });
    assert_eq!(
        plan.changes[0].body()["metadata"]["annotations"],
        annotations
    );
    let asset = &plan.changes[1];
    assert_eq!(asset.target.name, "pvc-uid-c");
    let owner = json!({ "claim": { "namespace": "ns", "name": "c", "uid": "uid-c" } });
    assert_eq!(asset.body()["owner"], owner);
    let metadata = json!({
        "name": "pvc-uid-c",
        "annotations": {
            "pv.kubernetes.io/provisioned-by": "example.com/scratch",
            "kubectl-pv.dev/made-once": "yes",
        },
        "labels": { "kubernetes.io/hostname": "host-1" },
    });
    assert_eq!(plan.changes[2].body()["metadata"], metadata);
    let bound = json!({ "pv.kubernetes.io/bind-completed": "yes",
        "pv.kubernetes.io/bound-by-controller": "yes" });
    assert_eq!(plan.changes[4].body()["metadata"]["annotations"], bound);
}

/// A backend refuses the same thing when it plans and when it creates: that is one event.
#[test]
fn a_refusal_has_one_event_whenever_it_comes() {
    let yard = Yard::new();
    let refused = pending("c").modes(&["ReadWriteMany"]);
    let state = cluster(vec![refused], vec![]);
    let planned = yard.plan(&state, &Memory::default());
    let mut memory = Memory::default();
    memory.failures.push(Failure {
        claim: Some(crate::conventions::object_ref::ObjectKey::new("ns", "c")),
        set: None,
        volume: "pvc-uid-c".to_owned(),
        error: "refused in other words".to_owned(),
        what: Failed::Asset,
    });
    let failed = plan_failures(&state, &mut memory).unwrap();
    let name = "c.3da7b28b7a4eb1b0";
    assert_eq!(planned.changes[0].target.name, name);
    assert_eq!(failed.changes[0].target.name, name);
}
