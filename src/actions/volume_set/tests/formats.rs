//! What `set reconcile` writes into sets and their members, pinned. Every expected value is spelled by hand.

use super::super::recording::{CREATE, DELETE, TAKE_BACK};
use super::*;
use crate::report::Code;

#[test]
fn the_status_around_a_new_member() {
    let yard = Yard::new();
    let plan = yard.plan(&cluster(volume_set("fast", 1, 5), vec![]));
    let [note, member, _event, end] = &plan.changes[..] else {
        panic!("{plan:?}");
    };
    let noted = json!({
        "metadata": { "uid": "uid-fast", "resourceVersion": "1" },
        "status": {
            "nextOrdinal": 1,
            "inProgress": { "action": "Create", "volume": "fast-0", "ordinal": 0, "until": null,
                "by": "this-run" },
        },
    });
    assert_eq!((note.subresource(), &note.body()), (Some("status"), &noted));
    let metadata = json!({
        "name": "fast-0",
        "labels": { "pool": "fast" },
        "annotations": {
            "kubectl-pv.dev/set-uid": "uid-fast",
            "kubectl-pv.dev/set-ordinal": "0",
        },
    });
    assert_eq!(member.body()["metadata"], metadata);
    let ended = json!({
        "metadata": { "uid": "uid-fast", "resourceVersion": null },
        "status": {
            "totalReplicas": 1, "unboundReplicas": 1, "boundReplicas": 0,
            "observedGeneration": 1,
            "inProgress": null,
            "conditions": [
                { "type": "Ready", "status": "True", "reason": "MinimumReached",
                    "message": "1 unbound, at least 1 wanted; 1 in all, at most 5 wanted",
                    "observedGeneration": 1, "lastTransitionTime": null },
                { "type": "Valid", "status": "True", "reason": "Valid",
                    "message": "It can be reconciled as it is written.",
                    "observedGeneration": 1, "lastTransitionTime": null },
            ],
        },
    });
    assert_eq!((end.subresource(), &end.body()), (Some("status"), &ended));
}

#[test]
fn a_member_of_a_backend() {
    let yard = Yard::new();
    let plan = yard.plan(&cluster(backed(1, 5), vec![]));
    let asset = &plan.changes[1];
    assert_eq!(asset.target.name, "fast-0");
    let owner = json!({ "set": { "name": "fast", "uid": "uid-fast", "ordinal": 0 } });
    assert_eq!(asset.body()["owner"], owner);
    let annotations = json!({
        "pv.kubernetes.io/provisioned-by": "example.com/scratch",
        "kubectl-pv.dev/made-once": "yes",
        "kubectl-pv.dev/set-uid": "uid-fast",
        "kubectl-pv.dev/set-ordinal": "0",
    });
    assert_eq!(
        plan.changes[3].body()["metadata"]["annotations"],
        annotations
    );
}

#[test]
fn the_status_before_a_member_is_deleted() {
    let yard = Yard::new();
    let plan = yard.plan(&cluster(backed(0, 0), vec![yard.ours("old", "1Gi")]));
    let noted = json!({ "inProgress": {
        "action": "Delete", "volume": "old", "ordinal": null, "until": null, "by": "this-run" } });
    assert_eq!(plan.changes[0].body()["status"], noted);
}

#[test]
fn the_condition_of_a_set_that_cannot_be_reconciled() {
    let yard = Yard::new();
    let mut set = volume_set("fast", 1, 5);
    set.selector.insert("pool".to_owned(), "other".to_owned());
    let plan = yard.plan(&cluster(set, vec![]));
    let conditions = &plan.changes[0].body()["status"]["conditions"];
    let told: Vec<[&str; 3]> = conditions
        .as_array()
        .unwrap()
        .iter()
        .map(|it| ["type", "status", "reason"].map(|part| it[part].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ["Ready", "False", "InvalidVolumeSet"],
            ["Valid", "False", "InvalidVolumeSet"]
        ]
    );
}

#[test]
fn words_in_the_status() {
    assert_eq!(CREATE, "Create");
    assert_eq!(DELETE, "Delete");
    assert_eq!(TAKE_BACK, "TakeBack");
    assert_eq!(Code::MaximumReached.name(), "MaximumReached");
}
