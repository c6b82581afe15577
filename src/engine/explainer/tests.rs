//! Explanations as values: the verdict, the causes in their order, the suggestions that were tried.

use super::*;
use crate::conventions::annotations;
use crate::model::ReclaimPolicy::{self, Delete, Retain};
use crate::model::{CsiDriver, Event, Node, Time, Volume};
use crate::report::{ClaimCause, ClassSource, Danger, Verdict};
use crate::testing::{claim, class, event, pod, state, state_with, volume};

fn told(state: &ClusterState, name: &str) -> (Verdict, Vec<&'static str>, Explanation) {
    let claim = state
        .claims()
        .iter()
        .find(|claim| claim.key.name == name)
        .expect("the claim of the test");
    let explanation = explain_claim(state, claim, Rules::V1_36);
    (
        explanation.verdict,
        explanation
            .causes
            .iter()
            .map(|cause| cause.cause.code().name())
            .collect(),
        explanation,
    )
}

#[test]
fn volumes_of_the_class_come_before_why_none_is_made() {
    let with = state(vec![claim("c")], vec![volume("v").holds("1Mi")]);
    assert_eq!(told(&with, "c").1, ["NoVolumeFits", "ClassNotFound"]);
    let without = state(vec![claim("c")], vec![volume("v").of_class("other")]);
    assert_eq!(told(&without, "c").1, ["ClassNotFound", "NoVolumeFits"]);
    assert_eq!(
        told(&state(vec![claim("c")], vec![]), "c").1,
        ["ClassNotFound", "NoVolumes"]
    );
}

#[test]
fn a_late_default_class_is_assigned_and_searched_by() {
    let state = state_with(
        vec![claim("c").of_class(None)],
        vec![volume("v").of_class("standard")],
        |objects| {
            objects
                .classes
                .push(class("standard", "x.example").default_since(1));
        },
    );
    let (verdict, _, explanation) = told(&state, "c");
    assert_eq!(
        (verdict, explanation.claim.class.source),
        (Verdict::WillBind, ClassSource::RetroactiveDefault)
    );
    assert_eq!(explanation.outcomes, ["v"]);
}

#[test]
fn a_class_less_volume_is_found_before_the_default_applies() {
    let state = state_with(
        vec![claim("c").of_class(None)],
        vec![volume("v").of_class(""), volume("w").of_class("standard")],
        |objects| {
            objects
                .classes
                .push(class("standard", "x.example").default_since(1));
        },
    );
    assert_eq!(told(&state, "c").2.outcomes, ["v"]);
}

#[test]
fn competitors_are_named() {
    let state = state(
        vec![
            claim("c"),
            claim("rival"),
            claim("stranger").of_class(Some("other")),
        ],
        vec![volume("v")],
    );
    let (verdict, codes, explanation) = told(&state, "c");
    assert_eq!((verdict, codes), (Verdict::WillBind, vec!["Contended"]));
    assert!(
        explanation.causes[0]
            .cause
            .message()
            .starts_with("ns/rival may take v first")
    );
}

#[test]
fn a_reservation_that_does_not_help_is_said() {
    let reserved = volume("mine").holds("1Mi").reserved_for("c", None);
    let (verdict, codes, _) = told(&state(vec![claim("c")], vec![volume("v"), reserved]), "c");
    assert_eq!(
        (verdict, codes),
        (Verdict::WillBind, vec!["ReservationIgnored"])
    );
}

fn with_driver(claims: Vec<Claim>, more: impl FnOnce(&mut crate::model::Objects)) -> ClusterState {
    state_with(claims, vec![], |objects| {
        objects.classes.push(class("any", "csi.example"));
        objects.csi_drivers.push(CsiDriver {
            name: "csi.example".to_owned(),
            ..Default::default()
        });
        more(objects);
    })
}

#[test]
fn a_registered_driver_will_be_asked() {
    let (verdict, codes, explanation) = told(&with_driver(vec![claim("c")], |_| {}), "c");
    assert_eq!((verdict, codes.len()), (Verdict::WillProvision, 0));
    assert_eq!(
        explanation
            .provisioning
            .and_then(|made| made.volume_name)
            .as_deref(),
        Some("pvc-uid-c")
    );
}

#[test]
fn a_volume_made_too_small_blocks_for_ever() {
    let state = state_with(vec![claim("c")], vec![], |objects| {
        objects.classes.push(class("any", "csi.example"));
        let unfit = volume("pvc-uid-c")
            .holds("1Mi")
            .reserved_for("c", Some("uid-c"));
        objects
            .volumes
            .push(unfit.annotated(annotations::PROVISIONED_BY, "csi.example"));
    });
    let (verdict, codes, _) = told(&state, "c");
    assert_eq!(
        (verdict, codes[0]),
        (Verdict::Blocked, "ProvisionedVolumeUnfit")
    );
}

#[test]
fn only_the_last_word_of_a_provisioner_counts() {
    let event = |reason: &str, seconds: i64| Event {
        reason: reason.to_owned(),
        message: "out of space".to_owned(),
        component: "csi.example_pod-0_1".to_owned(),
        last_seen: Some(Time(seconds)),
        ..event("PersistentVolumeClaim", "ns", "c", "uid-c")
    };
    let state = with_driver(vec![claim("c")], |objects| {
        objects.events = vec![event("ProvisioningFailed", 2), event("Provisioning", 1)];
    });
    assert_eq!(told(&state, "c").1[0], "ProvisioningFailed");
    let state = with_driver(vec![claim("c")], |objects| {
        objects.events = vec![event("ProvisioningFailed", 1), event("Provisioning", 2)];
    });
    assert_eq!(told(&state, "c").0, Verdict::WillProvision);
    // This program speaks in the place of those it serves.
    let ours = Event {
        component: annotations::OWN_COMPONENT.to_owned(),
        ..event("ProvisioningFailed", 2)
    };
    let state = with_driver(vec![claim("c")], |objects| objects.events = vec![ours]);
    let (verdict, codes, _) = told(&state, "c");
    assert_eq!(
        (verdict, codes[0]),
        (Verdict::Blocked, "ProvisioningFailed")
    );
}

#[test]
fn a_node_that_is_gone_keeps_a_claim_pending_and_is_forgotten_by_command() {
    let pinned = claim("c").annotated(annotations::SELECTED_NODE, "gone");
    let state = state_with(vec![pinned], vec![], |objects| {
        objects.classes.push(class("any", "csi.example").delayed());
        objects.csi_drivers.push(CsiDriver {
            name: "csi.example".to_owned(),
            ..Default::default()
        });
        objects.nodes.push(Node {
            name: "here".to_owned(),
            labels: std::collections::BTreeMap::new(),
            ..Default::default()
        });
    });
    let (verdict, codes, explanation) = told(&state, "c");
    assert_eq!(
        (verdict, codes[0]),
        (Verdict::Blocked, "SelectedNodeMissing")
    );
    assert_eq!(
        explanation.suggestions[0].commands,
        ["kubectl annotate pvc c -n ns volume.kubernetes.io/selected-node-"]
    );
}

#[test]
fn pods_decide_what_waiting_means() {
    let of = |change: fn(&mut crate::model::Pod)| {
        let mut pod = pod("p", "c");
        change(&mut pod);
        let state = state_with(vec![claim("c")], vec![], |objects| {
            objects.classes.push(class("any", "csi.example").delayed());
            objects.pods.push(pod);
        });
        let (verdict, codes, _) = told(&state, "c");
        (verdict, codes[0])
    };
    assert_eq!(of(|_| {}), (Verdict::Waiting, "ConsumerUnscheduled"));
    assert_eq!(
        of(|pod| pod.node_name = Some("n".to_owned())),
        (Verdict::Blocked, "ConsumerBypassesScheduler")
    );
    assert_eq!(
        of(|pod| pod.phase = crate::model::PodPhase::Succeeded),
        (Verdict::Waiting, "NoConsumer")
    );
    assert_eq!(
        of(|pod| pod.key.namespace = "elsewhere".to_owned()),
        (Verdict::Waiting, "NoConsumer")
    );
}

#[test]
fn suggestions_are_tried_before_they_are_told() {
    // A second claim's uid stands in the way: making the class fit would not help, so it is not suggested.
    let taken = volume("taken")
        .of_class("other")
        .reserved_for("rival", Some("uid-rival"));
    let none = state(
        vec![claim("c"), claim("rival").naming("taken")],
        vec![taken],
    );
    assert!(told(&none, "c").2.suggestions.is_empty());

    let near = state(
        vec![claim("c").selecting("zone notin (a)")],
        vec![volume("v").labelled("zone", "a")],
    );
    let suggestions = told(&near, "c").2.suggestions;
    assert_eq!(
        suggestions[1].commands,
        [r#"kubectl patch pv v --type merge -p '{"metadata":{"labels":{"zone":null}}}'"#]
    );
}

#[test]
fn a_claim_that_does_not_exist_yet_is_admitted_first() {
    let state = state(
        vec![claim("c").not_there_yet().modes(&[])],
        vec![volume("v")],
    );
    let (verdict, codes, explanation) = told(&state, "c");
    assert_eq!((verdict, codes), (Verdict::Rejected, vec!["InvalidClaim"]));
    assert_eq!(
        explanation.refusal.as_deref(),
        Some(
            "PersistentVolumeClaim \"c\" is invalid: spec.accessModes: Required value: at least 1 access mode is required"
        )
    );
}

#[test]
fn a_limit_range_that_came_later_blocks_every_bind_but_that_of_a_claim_on_its_way_out() {
    let small = |name: &str, deleted: bool| {
        let mut claim = claim(name);
        claim.deleted = deleted.then_some(Time(0));
        let state = state_with(vec![claim], vec![volume("v")], |objects| {
            let max = [(
                "storage".to_owned(),
                crate::conventions::quantity::Quantity::from_bytes(1024),
            )]
            .into();
            let item = crate::model::LimitRangeItem {
                max,
                ..Default::default()
            };
            let key = crate::conventions::object_ref::ObjectKey::new("ns", "bounds");
            objects.limit_ranges.push(crate::model::LimitRange {
                key,
                claim_items: vec![item],
            });
        });
        told(&state, name).0
    };
    assert_eq!(small("c", false), Verdict::Blocked);
    assert_eq!(small("c", true), Verdict::WillBind);
}

#[test]
fn the_nearest_miss_is_one_that_can_be_had() {
    let nearest = |volumes: Vec<Volume>| {
        let state = state(vec![claim("c").requests("2Gi")], volumes);
        let (_, _, explanation) = told(&state, "c");
        let mut causes = explanation.causes.into_iter();
        causes.find_map(|cause| match cause.cause {
            ClaimCause::NoVolumeFits { nearest, .. } => nearest.map(|(name, _)| name),
            _ => None,
        })
    };
    let held = || {
        volume("held")
            .holds("2Gi")
            .reserved_for("other", Some("u"))
            .in_phase(crate::model::VolumePhase::Bound)
    };
    let by_name = || volume("by-name").holds("2Gi").reserved_for("other", None);
    let near = nearest(vec![by_name(), volume("small").holds("1Gi")]);
    assert_eq!(near.as_deref(), Some("small"));
    assert_eq!(nearest(vec![by_name()]).as_deref(), Some("by-name"));
    assert_eq!(
        nearest(vec![held(), volume("far").holds("1Gi").of_class("other")]).as_deref(),
        Some("held")
    );
    let far = nearest(vec![volume("far").holds("1Gi").of_class("other")]);
    assert_eq!(far, None);
}

#[test]
fn a_default_class_that_keeps_a_claim_from_a_volume_is_said_and_mended() {
    let state = state_with(
        vec![claim("c").of_class(None).not_there_yet()],
        vec![volume("v").of_class("")],
        |objects| {
            objects
                .classes
                .push(class("standard", "x.example").default_since(1));
            objects.csi_drivers.push(CsiDriver {
                name: "x.example".to_owned(),
                checks_capacity: false,
            });
        },
    );
    let (verdict, causes, explanation) = told(&state, "c");
    assert_eq!(
        (verdict, &causes[..]),
        (Verdict::WillProvision, &["DefaultClassApplied"][..])
    );
    assert!(
        explanation.suggestions[0]
            .summary
            .contains("storageClassName: \"\""),
        "{:?}",
        explanation.suggestions
    );
}

#[test]
fn a_claim_whose_deletion_waits_for_finished_pods_is_let_go_and_its_data_can_be_saved() {
    let summaries = |running: bool, policy: ReclaimPolicy| {
        let mut going = claim("c")
            .naming("v")
            .annotated(annotations::BIND_COMPLETED, "yes");
        going.phase = crate::model::ClaimPhase::Bound;
        going.deleted = Some(Time(1));
        let mut volume = volume("v")
            .reserved_for("c", Some("uid-c"))
            .annotated(annotations::PROVISIONED_BY, "x.example")
            .with_policy(policy);
        volume.source.field = "csi".to_owned();
        let on_node = |name: &str, phase| crate::model::Pod {
            phase,
            node_name: Some("n".to_owned()),
            ..pod(name, "c")
        };
        let mut pods = vec![on_node("over", crate::model::PodPhase::Succeeded)];
        pods.extend(running.then(|| on_node("alive", crate::model::PodPhase::Running)));
        let state = state_with(vec![going], vec![volume], |objects| objects.pods = pods);
        let suggestions = told(&state, "c").2.suggestions;
        suggestions
            .iter()
            .map(|it| (it.commands[0].to_string(), it.danger))
            .collect::<Vec<_>>()
    };
    let delete = "kubectl delete pod -n ns over".to_owned();
    let kept = summaries(false, Retain);
    assert_eq!(kept, [(delete.clone(), Danger::Reversible)]);
    let lost = summaries(false, Delete);
    assert_eq!(lost[0], (delete, Danger::LosesData));
    assert_eq!(lost[1].0, "kubectl pv reclaim v --set-policy Retain");
    // A pod that runs is somebody's work.
    assert_eq!(summaries(true, Delete), []);
}
