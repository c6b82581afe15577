//! Every state of a bind, and what is planned from it.

use super::*;
use crate::actions::plan::Skipped;
use crate::conventions::annotations::{
    BIND_COMPLETED, BOUND_BY_CONTROLLER, PRE_RESIZE_CAPACITY, PROVISIONED_BY,
};
use crate::engine::generate::{Random, cluster_of, rules};
use crate::model::Volume;
use crate::model::{ClaimPhase, ReclaimPolicy, VolumePhase};
use crate::testing::{claim, class, rounds, state, state_with, volume};
use serde_json::{Value, json};

fn question(state: &ClusterState) -> BindQuestion {
    BindQuestion {
        claims: state
            .claims()
            .iter()
            .map(|claim| claim.key.clone())
            .collect(),
        are_named: true,
        volume: None,
        force: false,
        rules: Rules::V1_36,
        taken: vec![],
    }
}

fn plan(state: &ClusterState) -> Plan {
    plan_bind(state, &question(state))
}

fn by_hand(state: &ClusterState, wanted: &str, force: bool) -> Plan {
    let question = BindQuestion {
        volume: Some(wanted.to_owned()),
        force,
        ..question(state)
    };
    plan_bind(state, &question)
}

/// Which writes, in short: `pv/a`, `pv/a status`.
fn writes(plan: &Plan) -> Vec<String> {
    let short = |change: &super::super::plan::Change| {
        let part = change
            .subresource()
            .map_or(String::new(), |part| format!(" {part}"));
        format!("{}{part}", change.target.spelled())
    };
    plan.changes.iter().map(short).collect()
}

fn codes(plan: &Plan) -> Vec<(&str, Standing)> {
    let skipped = plan.skipped.iter();
    skipped
        .map(|skipped| (skipped.code().name(), skipped.standing()))
        .collect()
}

fn spec(plan: &Plan, index: usize) -> &Value {
    &plan.changes[index].patch().body["spec"]
}

#[test]
fn a_fresh_bind_is_four_writes_in_the_controller_s_order() {
    let state = state(
        vec![claim("c")],
        vec![
            volume("v")
                .holds("2Gi")
                .offers(&["ReadWriteMany", "ReadWriteOnce"]),
        ],
    );
    let plan = plan(&state);
    assert_eq!(
        writes(&plan),
        ["pv/v", "pv/v status", "pvc/ns/c", "pvc/ns/c status"]
    );
    assert_eq!(
        plan.changes[0].body(),
        json!({
            "metadata": {
                "uid": "uid-v", "resourceVersion": "1",
                "annotations": { BOUND_BY_CONTROLLER: "yes" },
            },
            "spec": { "claimRef": {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "ns",
                "name": "c", "uid": "uid-c", "resourceVersion": "1",
            } },
        })
    );
    assert_eq!(
        plan.changes[1].body(),
        json!({ "metadata": { "uid": "uid-v", "resourceVersion": null }, "status": { "phase": "Bound" } })
    );
    assert_eq!(
        plan.changes[2].body(),
        json!({
            "metadata": {
                "uid": "uid-c", "resourceVersion": "1",
                "annotations": { BOUND_BY_CONTROLLER: "yes", BIND_COMPLETED: "yes" },
            },
            "spec": { "volumeName": "v" },
        })
    );
    assert_eq!(
        plan.changes[3].body()["status"],
        json!({
            "phase": "Bound", "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
            "capacity": { "storage": "2Gi" },
        })
    );
    let afters: Vec<Option<usize>> = plan.changes.iter().map(|change| change.after).collect();
    assert_eq!(afters, [None, Some(0), None, Some(2)]);
    assert_eq!(plan.changes[1].preconditions().resource_version, None);
}

#[test]
fn a_reservation_is_completed_and_not_marked_as_the_controller_s() {
    let reserved = volume("v")
        .in_phase(VolumePhase::Pending)
        .reserved_for("c", None);
    let plan = plan(&state(vec![claim("c")], vec![reserved]));
    assert_eq!(plan.changes[0].body()["metadata"].get("annotations"), None);
    assert_eq!(spec(&plan, 0)["claimRef"]["uid"], "uid-c");
    assert_eq!(plan.changes.len(), 4);
}

#[test]
fn a_bind_that_was_begun_is_finished_from_wherever_it_stands() {
    let held = || volume("v").reserved_for("c", Some("uid-c"));
    let bound = || held().in_phase(VolumePhase::Bound);
    let pointing = || claim("c").naming("v").annotated(BIND_COMPLETED, "yes");
    let rest = |claim: Claim, volume: Volume| writes(&plan(&state(vec![claim], vec![volume])));
    assert_eq!(
        rest(claim("c"), held()),
        ["pv/v status", "pvc/ns/c", "pvc/ns/c status"]
    );
    assert_eq!(rest(claim("c"), bound()), ["pvc/ns/c", "pvc/ns/c status"]);
    assert_eq!(
        rest(claim("c").naming("v"), bound()),
        ["pvc/ns/c", "pvc/ns/c status"]
    );
    // Completed, and yet not Bound: unfinished.
    assert_eq!(rest(pointing(), bound()), ["pvc/ns/c status"]);
    // R62: the volume has lost its claimRef.
    assert_eq!(
        rest(pointing(), volume("v")),
        ["pv/v", "pv/v status", "pvc/ns/c status"]
    );
    let mut lost = pointing();
    lost.phase = ClaimPhase::Lost;
    assert_eq!(rest(lost, bound()), ["pvc/ns/c status"]);
}

fn bound_pair() -> (Claim, Volume) {
    let mut claim = claim("c").naming("v").annotated(BIND_COMPLETED, "yes");
    claim.phase = ClaimPhase::Bound;
    claim.capacity = Some(volume("v").capacity);
    claim.status_access_mode_names = vec!["ReadWriteOnce".to_owned()];
    let volume = volume("v")
        .in_phase(VolumePhase::Bound)
        .reserved_for("c", Some("uid-c"));
    (claim, volume)
}

#[test]
fn what_is_bound_is_left_alone_and_told_only_to_who_asked() {
    let (claim, volume) = bound_pair();
    let state = state(vec![claim], vec![volume]);
    assert_eq!(codes(&plan(&state)), [("AlreadyBound", Standing::Fine)]);
    let all = BindQuestion {
        are_named: false,
        ..question(&state)
    };
    let plan = plan_bind(&state, &all);
    assert!(plan.changes.is_empty() && plan.skipped.is_empty());
    assert_eq!(
        codes(&by_hand(&state, "w", false)),
        [("AlreadyBound", Standing::Refused)]
    );
}

#[test]
fn of_equals_the_first_by_name_is_taken_and_the_others_are_named() {
    let plan = plan(&state(
        vec![claim("c")],
        vec![volume("b"), volume("a"), volume("d")],
    ));
    assert_eq!(plan.errands[0].volume, "a");
    assert!(
        plan.changes[0].why.starts_with("a, b and d are equal"),
        "{}",
        plan.changes[0].why
    );
}

#[test]
fn no_volume_is_planned_twice() {
    let plan = plan(&state(
        vec![claim("a"), claim("b"), claim("c")],
        vec![volume("v"), volume("w")],
    ));
    let taken: Vec<&str> = plan
        .errands
        .iter()
        .map(|errand| errand.volume.as_str())
        .collect();
    assert_eq!(taken, ["v", "w"]);
    assert_eq!(plan.skipped.len(), 1);
    assert_eq!(plan.skipped[0].standing(), Standing::Refused);
}

#[test]
fn a_class_that_became_the_default_is_written_first() {
    let classless = claim("c").of_class(None);
    let state = state_with(vec![classless], vec![volume("v")], |objects| {
        objects.classes.push(class("any", "x").default_since(1));
    });
    let plan = plan(&state);
    assert_eq!(
        writes(&plan),
        [
            "pvc/ns/c",
            "pv/v",
            "pv/v status",
            "pvc/ns/c",
            "pvc/ns/c status"
        ]
    );
    assert_eq!(spec(&plan, 0), &json!({ "storageClassName": "any" }));
    let fill = plan.changes[1].patch().fills[0];
    assert_eq!(
        (fill.place, fill.change),
        ("/spec/claimRef/resourceVersion", 0)
    );
    assert_eq!(plan.changes[3].after, Some(0));
}

#[test]
fn a_size_from_before_a_resize_is_shown_instead() {
    let shown = |annotation: &str| {
        let growing = volume("v")
            .holds("5Gi")
            .annotated(PRE_RESIZE_CAPACITY, annotation);
        let plan = plan(&state(vec![claim("c")], vec![growing]));
        plan.changes[3].body()["status"]["capacity"]["storage"].clone()
    };
    assert_eq!(shown("2Gi"), "2Gi");
    assert_eq!(shown("no quantity"), "5Gi");
}

#[test]
fn attributes_and_messages_follow() {
    let mut failed = volume("v").in_phase(VolumePhase::Failed);
    failed.message = Some("it broke".to_owned());
    failed.attributes_class = Some("gold".to_owned());
    let mut claim = claim("c");
    claim.attributes_class = Some("gold".to_owned());
    let plan = plan(&state(vec![claim], vec![failed]));
    assert_eq!(
        plan.changes[1].body()["status"],
        json!({ "phase": "Bound", "message": null })
    );
    assert_eq!(
        plan.changes[3].body()["status"]["currentVolumeAttributesClassName"],
        "gold"
    );
}

#[test]
fn a_volume_taken_for_a_claim_that_went_elsewhere_is_given_back() {
    let (claim, bound) = bound_pair();
    let left = volume("left").reserved_for("c", Some("uid-c"));
    let by_us = left.clone().annotated(BOUND_BY_CONTROLLER, "yes");
    let made = left
        .clone()
        .annotated(PROVISIONED_BY, "x")
        .with_policy(ReclaimPolicy::Delete);
    let patched = |left: Volume| plan(&state(vec![claim.clone()], vec![bound.clone(), left]));
    let given = patched(by_us.in_phase(VolumePhase::Pending));
    assert_eq!(writes(&given), ["pv/left", "pv/left status"]);
    assert_eq!(spec(&given, 0), &json!({ "claimRef": null }));
    assert_eq!(
        given.changes[0].body()["metadata"]["annotations"],
        json!({ BOUND_BY_CONTROLLER: null })
    );
    assert_eq!(
        spec(&patched(left), 0),
        &json!({ "claimRef": { "uid": null } })
    );
    assert!(patched(made).changes.is_empty());
}

#[test]
fn a_volume_taken_for_a_claim_that_is_gone_is_free_for_its_successor() {
    let mut successor = claim("c");
    successor.uid = Some("another".to_owned());
    let left = volume("v")
        .reserved_for("c", Some("uid-c"))
        .annotated(BOUND_BY_CONTROLLER, "yes");
    let plan = |phase, taken| {
        let state = state(vec![successor.clone()], vec![left.clone().in_phase(phase)]);
        let question = BindQuestion {
            taken,
            ..question(&state)
        };
        plan_bind(&state, &question)
    };
    let taken = |claim_was_written| {
        vec![Taken {
            volume: "v".to_owned(),
            uid: "uid-c".to_owned(),
            claim_was_written,
        }]
    };
    let again = writes(&plan(VolumePhase::Available, vec![]));
    assert_eq!(
        again,
        ["pv/v", "pv/v", "pv/v status", "pvc/ns/c", "pvc/ns/c status"]
    );
    // Whoever is Bound may hold data, unless we know better.
    assert!(plan(VolumePhase::Bound, vec![]).changes.is_empty());
    assert_eq!(plan(VolumePhase::Bound, taken(false)).changes.len(), 6);
    let released = plan(VolumePhase::Bound, taken(true));
    assert_eq!(released.changes[0].body()["status"]["phase"], "Released");
}

#[test]
fn a_volume_by_hand_is_checked_and_force_lifts_what_kubernetes_ignores() {
    let labelled = state(vec![claim("c").selecting("a=b")], vec![volume("v")]);
    assert_eq!(
        codes(&by_hand(&labelled, "v", false)),
        [("SelectorMismatch", Standing::Refused)]
    );
    assert_eq!(by_hand(&labelled, "v", true).changes.len(), 4);
    for unfit in [
        volume("v").holds("1Mi"),
        volume("v").offers(&["ReadWriteMany"]),
        volume("v").of_class("other"),
        volume("v").deleted(),
        volume("v").reserved_for("other", None),
    ] {
        let state = state(vec![claim("c")], vec![unfit]);
        let plan = by_hand(&state, "v", true);
        assert!(plan.changes.is_empty());
        assert_eq!(plan.skipped[0].standing(), Standing::Refused);
    }
    let larger = state(
        vec![claim("c")],
        vec![volume("small"), volume("v").holds("9Gi")],
    );
    assert_eq!(by_hand(&larger, "v", false).errands[0].volume, "v");
}

#[test]
fn a_claim_that_waits_for_a_pod_waits_unless_it_is_forced() {
    let state = state_with(vec![claim("c")], vec![volume("v")], |objects| {
        objects.classes.push(class("any", "x").delayed());
    });
    assert_eq!(codes(&plan(&state)), [("NoConsumer", Standing::Waits)]);
    assert_eq!(
        codes(&by_hand(&state, "v", false)),
        [("WaitsForScheduler", Standing::Waits)]
    );
    assert_eq!(by_hand(&state, "v", true).changes.len(), 4);
}

#[test]
fn force_is_offered_only_where_it_is_enough() {
    let selects = claim("c").selecting("a=b");
    let hopeless = state(vec![selects.clone()], vec![volume("v").holds("1Mi")]);
    let plan = by_hand(&hopeless, "v", false);
    assert_eq!(plan.skipped.len(), 2, "{:?}", plan.skipped);
    let offers = |left: &Skipped| left.message.to_string().contains("--force");
    assert!(!plan.skipped.iter().any(offers), "{:?}", plan.skipped);
    let enough = state(vec![selects], vec![volume("v")]);
    let plan = by_hand(&enough, "v", false);
    assert!(plan.skipped.iter().all(offers), "{:?}", plan.skipped);
}

/// Whether anybody makes volumes of the class cannot be seen; that none is there to bind is certain.
#[test]
fn a_provisioner_that_cannot_be_seen_leaves_nothing_unknown() {
    let waits = state_with(vec![claim("c").of_class(Some("far"))], vec![], |objects| {
        objects.classes.push(class("far", "example.com/far"));
    });
    let plan = plan(&waits);
    assert_eq!(
        codes(&plan),
        [("ProvisionerNotRegistered", Standing::Refused)]
    );
}

#[test]
fn a_claim_that_names_another_volume_cannot_have_this_one() {
    let state = state(vec![claim("c").naming("w")], vec![volume("v"), volume("w")]);
    assert_eq!(
        codes(&by_hand(&state, "v", false)),
        [("NamedVolumeMismatch", Standing::Refused)]
    );
    assert_eq!(by_hand(&state, "w", false).changes.len(), 4);
}

#[test]
fn sorted_volumes_give_the_same_plan_as_a_look_at_all_of_them() {
    let (mut binds, mut draws, mut returns) = (0, 0, 0);
    for seed in 0..1_500 {
        // A sample ends as soon as it has met everything.
        if seed >= rounds(1_500, 300) && binds > 0 && draws > 0 && returns > 0 {
            break;
        }
        let random = &mut Random::new(seed);
        let rules = rules(random);
        // A draw of more than are named takes many volumes.
        let most = if seed % 5 == 0 { 200 } else { 20 };
        let (claims, volumes) = (1 + random.below(14), random.below(most));
        let state = cluster_of(random, claims, volumes);
        let mut question = BindQuestion {
            rules,
            ..question(&state)
        };
        // In any order, since each sees what those before it took.
        let turn = random.below(claims);
        let turn = usize::try_from(turn).expect("small") % state.claims().len();
        question.claims.rotate_left(turn);
        let plan = plan_bind(&state, &question);
        let slow = plan_among(&state, &question, |_| None);
        assert_eq!(plan, slow, "seed {seed}");
        binds += plan.errands.len();
        let long = |change: &&super::super::plan::Change| change.why.contains(" more are equal");
        draws += plan.changes.iter().filter(long).count();
        let given = |errand: &&Errand| errand.what == "is given back";
        returns += plan.errands.iter().filter(given).count();
    }
    assert!(
        binds > 0 && draws > 0 && returns > 0,
        "{binds} {draws} {returns}"
    );
}
