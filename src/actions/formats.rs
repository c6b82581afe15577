//! What changes write outside the program, pinned: names, keys and words that exist in clusters. Every expected value is spelled by
//! hand. `tests/formats.rs` lists all such formats of the project.

use super::draft::Draft;
use super::event::{Happening, News, tell, tell_of_set, tell_of_volume};
use super::lease::{plan_lease, plan_release};
use super::operation::Wait;
use super::plan::Plan;
use super::recheck::{Period, Recheck};
use super::recycler_pod::{RecyclerImage, name_of, pod_for};
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::selector::{Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
use crate::engine::{OwnedAsset, PodPlace};
use crate::model::{ClusterState, Lease, Volume, VolumeSource};
use crate::testing::{claim, volume, volume_set};
use serde_json::json;

fn image() -> RecyclerImage {
    RecyclerImage {
        image: "busybox:1.36".to_owned(),
        namespace: "kube-system".to_owned(),
        node: None,
        seconds: 60,
    }
}

fn released() -> Volume {
    let mut volume = volume("v")
        .reserved_for("gone", Some("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"))
        .stored_on("hostPath", "/srv/v");
    volume.uid = Some("11111111-2222-4333-8444-555555555555".to_owned());
    volume
}

fn requirement(key: &str, operator: Operator, values: &[&str]) -> Requirement {
    Requirement {
        key: key.to_owned(),
        operator,
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    }
}

/// These are the names v0.1.0 gave: pods of an earlier release are found and continued.
#[test]
fn names_of_recycler_pods() {
    let first = NodeSelectorTerm {
        match_expressions: vec![
            requirement("zone", Operator::In, &["a", "b"]),
            requirement("disk", Operator::Exists, &[]),
        ],
        match_fields: vec![requirement("metadata.name", Operator::NotIn, &["node-9"])],
    };
    let second = NodeSelectorTerm {
        match_expressions: vec![requirement(
            "size",
            Operator::Other("Near".to_owned()),
            &["1"],
        )],
        match_fields: vec![],
    };
    let nodes = PodPlace::Nodes(NodeSelector {
        terms: vec![first, second],
    });
    for (place, name) in [
        (PodPlace::Anywhere, "pv-recycler-e1bfb3bbcd438762-88dbd253"),
        (
            PodPlace::Node("node-1".to_owned()),
            "pv-recycler-e1bfb3bbcd438762-b9b8ad5b",
        ),
        (nodes, "pv-recycler-e1bfb3bbcd438762-7c0225e0"),
    ] {
        assert_eq!(name_of(&released(), &place, &image()), name);
    }
}

#[test]
fn labels_annotations_and_gate_of_a_recycler_pod() {
    let pod = pod_for(&released(), &PodPlace::Anywhere, &image()).unwrap();
    let metadata = json!({
        "name": "pv-recycler-e1bfb3bbcd438762-88dbd253",
        "namespace": "kube-system",
        "labels": {
            "app.kubernetes.io/name": "kubectl-pv",
            "app.kubernetes.io/component": "recycler",
        },
        "annotations": {
            "kubectl-pv.dev/volume-uid": "11111111-2222-4333-8444-555555555555",
            "kubectl-pv.dev/claim-uid": "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
        },
        "ownerReferences": [{ "apiVersion": "v1", "kind": "PersistentVolume", "name": "v",
            "uid": "11111111-2222-4333-8444-555555555555" }],
    });
    assert_eq!(pod["metadata"], metadata);
    let gates = json!([{ "name": "kubectl-pv.dev/volume-locked" }]);
    assert_eq!(pod["spec"]["schedulingGates"], gates);
}

/// The plan of one event.
fn told(tell: impl FnOnce(&mut Draft)) -> Plan {
    let mut draft = Draft::new(&ClusterState::default(), "test");
    tell(&mut draft);
    draft.plan
}

fn of_claim(news: News, volume: &str, code: &str, message: &str) -> Plan {
    let what = Happening { news, volume, code };
    told(|draft| tell(draft, &claim("data"), what, message))
}

fn of_volume(news: News) -> Plan {
    let (volume_name, code) = ("", "");
    let what = Happening {
        news,
        volume: volume_name,
        code,
    };
    told(|draft| tell_of_volume(draft, &volume("v"), what, "a message"))
}

fn of_set(news: News, volume: &str, code: &str) -> Plan {
    let what = Happening { news, volume, code };
    told(|draft| tell_of_set(draft, &volume_set("fast", 1, 2), what, "a message"))
}

#[test]
fn names_and_reasons_of_events() {
    let succeeded = of_claim(News::Succeeded, "pvc-uid-data", "", "a message");
    let failed = of_claim(News::Failed, "", "NoFeasibleNode", "a message");
    let left = of_claim(News::CleanupFailed, "", "DeleteAsset", "a message");
    for (plan, name, reason) in [
        (succeeded, "data.2b8ecbc09b3fa72e", "ProvisioningSucceeded"),
        (failed, "data.875df9cd50808f81", "ProvisioningFailed"),
        (left, "data.8770525a796e3388", "ProvisioningCleanupFailed"),
        (
            of_volume(News::DeletionFailed),
            "v.affac0259ad52831",
            "VolumeFailedDelete",
        ),
        (
            of_volume(News::RecyclingFailed),
            "v.de78ed32b854c1af",
            "VolumeFailedRecycle",
        ),
        (
            of_set(News::MemberMade, "fast-0", ""),
            "fast.aba282dffa3dd041",
            "SuccessfulCreate",
        ),
        (
            of_set(News::MemberDeleted, "fast-0", ""),
            "fast.1e23807b9e5db526",
            "SuccessfulDelete",
        ),
        (
            of_set(News::MemberNotMade, "fast-0", "CreationFailed"),
            "fast.2443659421598f77",
            "FailedCreate",
        ),
        (
            of_set(News::MemberNotDeleted, "fast-0", "DeletionFailed"),
            "fast.adef2060b214479b",
            "FailedDelete",
        ),
        (
            of_set(News::SetInvalid, "", ""),
            "fast.62297c104d1c0334",
            "InvalidVolumeSet",
        ),
    ] {
        let event = &plan.changes[0];
        assert_eq!(event.target.name, name, "{reason}");
        assert_eq!(event.body()["metadata"]["name"], name, "{reason}");
        assert_eq!(event.body()["reason"], reason);
    }
}

#[test]
fn the_whole_event() {
    let plan = of_claim(News::Failed, "", "NoFeasibleNode", "no node is known");
    let event = json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": { "name": "data.875df9cd50808f81", "namespace": "ns" },
        "involvedObject": {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "ns", "name": "data",
            "uid": "uid-data", "resourceVersion": "1",
        },
        "type": "Warning",
        "reason": "ProvisioningFailed",
        "message": "no node is known",
        "source": { "component": "kubectl-pv" },
        "reportingComponent": "kubectl-pv",
        "count": 1,
    });
    assert_eq!(plan.changes[0].body(), event);
}

#[test]
fn an_event_is_named_by_what_happened_and_not_by_its_words() {
    let name = |plan: Plan| plan.changes[0].target.name.clone();
    let one = name(of_claim(News::Failed, "", "NoFeasibleNode", "no node"));
    let reworded = of_claim(News::Failed, "", "NoFeasibleNode", "there is no node");
    assert_eq!(one, name(reworded));
    // v0.1.0 hashed the message: at most one more event, once.
    assert_ne!(one, "data.130582904b382c3c");
    let others = [
        name(of_claim(News::Failed, "", "CreateVolume", "no node")),
        name(of_claim(News::Failed, "pvc-x", "NoFeasibleNode", "no node")),
        name(of_claim(
            News::CleanupFailed,
            "",
            "NoFeasibleNode",
            "no node",
        )),
    ];
    for other in &others {
        assert_ne!(one, *other);
    }
    // A set creates a member of the same name again: each time is an event.
    let mut later = volume_set("fast", 1, 2);
    later.resource_version = Some("2".to_owned());
    let what = Happening {
        news: News::MemberMade,
        volume: "fast-0",
        code: "",
    };
    let again = told(|draft| tell_of_set(draft, &later, what, "a message"));
    assert_ne!(name(again), name(of_set(News::MemberMade, "fast-0", "")));
}

#[test]
fn the_lease() {
    let created = plan_lease(None, "ops", "host_7_1700000000000");
    let body = json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": { "name": "kubectl-pv-set-reconcile", "namespace": "ops" },
        "spec": {
            "holderIdentity": "host_7_1700000000000", "leaseDurationSeconds": 15, "leaseTransitions": 0,
            "renewTime": null, "acquireTime": null,
        },
    });
    assert_eq!(created.changes[0].body(), body);
    let lease = Lease {
        uid: Some("u".to_owned()),
        resource_version: Some("7".to_owned()),
        holder: Some("host_7_1700000000000".to_owned()),
        seconds: Some(15),
        transitions: 3,
    };
    let released = plan_release(&lease, "ops");
    let change = &released.changes[0];
    assert_eq!(change.target.name, "kubectl-pv-set-reconcile");
    let body = json!({
        "metadata": { "uid": "u", "resourceVersion": "7" },
        "spec": { "holderIdentity": "", "renewTime": null },
    });
    assert_eq!(change.body(), body);
}

#[test]
fn words_in_the_bodies_of_plans() {
    let bound = Wait::ClaimIsBound {
        provisioner: "example.com/a".to_owned(),
    };
    for (wait, body) in [
        (
            bound,
            json!({ "until": { "status": { "phase": "Bound" } }, "provisioner": "example.com/a" }),
        ),
        (
            Wait::PodHasEnded,
            json!({ "until": "it has ended", "uid": "u" }),
        ),
        (
            Wait::PodIsGone,
            json!({ "until": "it is gone", "uid": "u" }),
        ),
    ] {
        assert_eq!(wait.spelled(Some("u")), body);
    }
    let claim = ObjectKey::new("ns", "data");
    let node = Some("n1".to_owned());
    let source = VolumeSource {
        field: "hostPath".to_owned(),
        location: Some("/srv/v".to_owned()),
        driver: None,
    };
    for (recheck, body) in [
        (
            Recheck::NoPodUses {
                claim: claim.clone(),
                node: None,
            },
            json!({ "noPodUses": "ns/data" }),
        ),
        (
            Recheck::NoPodUses {
                claim: claim.clone(),
                node,
            },
            json!({ "noPodUses": "ns/data", "node": "n1" }),
        ),
        (
            Recheck::NoRecycler {
                namespaces: vec!["default".to_owned()],
                source: "hostPath /srv/v".to_owned(),
                period: Period::ForAWhile,
                why: "",
            },
            json!({ "until": "there is no such pod that has not finished",
                "namespaces": ["default"], "mounts": "hostPath /srv/v", "forAWhile": true }),
        ),
        (
            Recheck::NoVolume("v".to_owned()),
            json!({ "noVolume": "v" }),
        ),
        (
            Recheck::NothingHas(OwnedAsset {
                source,
                name: "v".to_owned(),
                node: None,
                is_empty: true,
                claim,
                uid: "u".to_owned(),
            }),
            json!({ "noVolumeAt": "hostPath /srv/v", "noClaim": "ns/data", "uid": "u" }),
        ),
    ] {
        assert_eq!(recheck.spelled(), body);
    }
}
