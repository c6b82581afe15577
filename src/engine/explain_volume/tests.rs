//! Volumes explained as values: who takes them, why they are where they are, who holds them, what would help.

use super::*;
use crate::model::ClaimRef;
use crate::model::{
    Claim, Gap, GapReason, Node, Objects, ReclaimPolicy, Time, VolumeAttachment, VolumeSource,
};
use crate::report::Taker;
use crate::report::{Severity, TakerResult, UnknownReason};
use crate::testing::{claim, class, pod, state, state_with, volume};

fn explained(state: &ClusterState) -> VolumeExplanation {
    let volume = state.find_volume("v").expect("the volume of the test");
    explain_volume(state, volume, Rules::V1_36)
}

type Told = (String, TakerResult, Vec<&'static str>);

fn takers(claims: Vec<Claim>, volumes: Vec<Volume>) -> Vec<Told> {
    takers_in(&state(claims, volumes))
}

fn takers_in(state: &ClusterState) -> Vec<Told> {
    let told = |taker: &Taker| {
        let codes = taker.reasons.iter().map(|reason| reason.code().name());
        (taker.name.clone(), taker.result, codes.collect())
    };
    explained(state).claims.iter().map(told).collect()
}

fn codes(explanation: &VolumeExplanation) -> Vec<&'static str> {
    let causes = explanation.causes.iter();
    causes.map(|finding| finding.cause.code().name()).collect()
}

fn given_up(policy: ReclaimPolicy) -> Volume {
    volume("v")
        .with_policy(policy)
        .in_phase(VolumePhase::Released)
        .reserved_for("gone", Some("uid-gone"))
}

#[test]
fn claims_are_told_by_what_they_get_and_every_check_they_fail() {
    use TakerResult::{CouldTake, Rejected, WouldTake};
    let claims = vec![
        claim("wants"),
        claim("prefers-small").requests("1Mi"),
        claim("far").requests("9Gi").of_class(Some("other")),
        claim("near").of_class(Some("other")),
        claim("elsewhere").naming("w"),
    ];
    let volumes = vec![
        volume("v"),
        volume("w").holds("1Mi").of_class("elsewhere"),
        volume("small").holds("1Mi"),
    ];
    let told = takers(claims, volumes);
    let expected: Vec<Told> = vec![
        ("wants".into(), WouldTake, vec![]),
        ("prefers-small".into(), CouldTake, vec!["LargerThanChosen"]),
        ("near".into(), Rejected, vec!["ClassMismatch"]),
        ("far".into(), Rejected, vec!["TooSmall", "ClassMismatch"]),
        ("elsewhere".into(), Rejected, vec!["NamesOtherVolume"]),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_draw_is_could_take() {
    let told = takers(vec![claim("c")], vec![volume("v"), volume("w")]);
    assert_eq!(told, [("c".into(), TakerResult::CouldTake, vec![])]);
}

#[test]
fn the_owner_is_not_among_the_claims() {
    let mut owner = claim("c").naming("v");
    owner
        .annotations
        .insert(annotations::BIND_COMPLETED.into(), "yes".into());
    let held = volume("v").reserved_for("c", Some("uid-c"));
    let told = takers(vec![owner.clone(), claim("d")], vec![held]);
    assert_eq!(
        told,
        [(
            "d".into(),
            TakerResult::Rejected,
            vec!["ReservedForOtherClaim"]
        )]
    );
    // One that was bound once takes its volume back unchecked, if nobody holds it.
    let told = takers(vec![owner.clone()], vec![volume("v").holds("1")]);
    assert_eq!(told, [("c".into(), TakerResult::WouldTake, vec![])]);
    let anothers = volume("v").reserved_for("c", Some("another"));
    let told = takers(vec![owner], vec![anothers]);
    assert_eq!(
        told,
        [("c".into(), TakerResult::Rejected, vec!["VolumeMisbound"])]
    );
}

#[test]
fn a_claim_that_names_the_volume_is_checked_as_such() {
    let unlike = volume("v").of_class("other").in_phase(VolumePhase::Failed);
    let selective = claim("c").naming("v").selecting("tier=gold");
    let told = takers(vec![selective.clone()], vec![unlike]);
    assert_eq!(told[0].2, ["ClassMismatch"]);
    let told = takers(vec![selective], vec![volume("v")]);
    assert_eq!(told, [("c".into(), TakerResult::WouldTake, vec![])]);
}

#[test]
fn the_scheduler_decides_for_claims_that_wait() {
    let waiting = |change: fn(Claim) -> Claim, pinned: bool| {
        let mut volume = volume("v");
        if pinned {
            volume.node_affinity = Some(crate::conventions::topology::NodeSelector::default());
        }
        let state = state_with(vec![change(claim("c"))], vec![volume], |objects| {
            objects.classes.push(class("any", "x.example").delayed());
        });
        takers_in(&state).remove(0)
    };
    let told = waiting(|claim| claim, false);
    assert_eq!(
        (told.1, &told.2[..]),
        (TakerResult::CouldTake, &["WaitsForScheduler"][..])
    );
    let told = waiting(
        |claim| claim.annotated(annotations::SELECTED_NODE, "n"),
        false,
    );
    assert_eq!(
        (told.1, &told.2[..]),
        (TakerResult::Rejected, &["SelectedNodeSet"][..])
    );
    let told = waiting(|claim| claim, true);
    assert_eq!(
        (told.1, &told.2[..]),
        (TakerResult::Rejected, &["NodeAffinityMismatch"][..])
    );
}

#[test]
fn a_claim_without_a_class_searches_by_the_default_when_it_finds_nothing() {
    let with_default = |volumes: Vec<Volume>| {
        let state = state_with(vec![claim("c").of_class(None)], volumes, |objects| {
            let default = class("any", "x.example").default_since(1);
            objects.classes.push(default);
        });
        takers_in(&state).remove(0)
    };
    assert_eq!(with_default(vec![volume("v")]).1, TakerResult::WouldTake);
    let class_less = vec![volume("v"), volume("w").of_class("")];
    assert_eq!(with_default(class_less).2, ["ClassMismatch"]);
}

#[test]
fn a_claim_the_api_server_refuses_takes_nothing() {
    let told = takers(
        vec![claim("c").not_there_yet().modes(&[])],
        vec![volume("v")],
    );
    assert_eq!(
        told,
        [("c".into(), TakerResult::Rejected, vec!["InvalidClaim"])]
    );
}

#[test]
fn only_so_many_claims_are_kept_and_the_best_of_them() {
    let many = (0..100).map(|number| claim(&format!("c{number:03}")).requests("9Gi"));
    let claims: Vec<Claim> = many.chain([claim("fits")]).collect();
    let state = state(claims, vec![volume("v")]);
    let volumes = [&state.volumes()[0]];
    let told = VolumeExplainer::new(&state, Rules::V1_36).explain(&volumes, 20);
    assert_eq!((told[0].claims.len(), told[0].claims_omitted), (20, 81));
    assert_eq!(told[0].claims[0].name, "fits");
    assert_eq!(told[0].claims[19].name, "c018");
}

#[test]
fn why_a_volume_is_still_there() {
    let of = |volume: Volume| codes(&explained(&state(vec![], vec![volume])));
    let kept = "ReservedForDeletedClaim";
    assert_eq!(of(given_up(ReclaimPolicy::Retain)), ["PolicyRetain", kept]);
    assert_eq!(of(given_up(ReclaimPolicy::Delete)), ["NoDeleter", kept]);
    let iscsi = given_up(ReclaimPolicy::Recycle).stored_on("iscsi", "x");
    assert_eq!(of(iscsi), ["NoRecycler", kept]);
    let made = given_up(ReclaimPolicy::Delete).annotated(annotations::PROVISIONED_BY, "x/made");
    assert_eq!(of(made), ["ForeignDeleter", kept]);
    let migrated = given_up(ReclaimPolicy::Recycle)
        .annotated(annotations::PROVISIONED_BY, "kubernetes.io/aws-ebs");
    assert_eq!(of(migrated), ["NoRecycler", kept]);
    let mut failed = given_up(ReclaimPolicy::Recycle).in_phase(VolumePhase::Failed);
    failed.message = Some("Recycle failed: no room".to_owned());
    assert_eq!(
        of(failed.clone()),
        ["ReclaimFailed", kept, "ForeignDeleter"]
    );
    failed.reclaim_policy = ReclaimPolicy::Retain;
    assert_eq!(of(failed), ["PolicyRetain", "ReclaimFailed", kept]);
}

#[test]
fn a_volume_that_cannot_be_reclaimed_is_as_good_as_failed() {
    let state = state(vec![], vec![given_up(ReclaimPolicy::Delete)]);
    let told = explained(&state);
    assert_eq!(told.volume.phase, VolumePhase::Released);
    assert_eq!(told.volume.effective_phase, VolumePhase::Failed);
    let says: Vec<(&str, &str)> = told
        .kubernetes_says
        .iter()
        .map(|says| (says.reason.as_str(), says.message.as_str()))
        .collect();
    assert_eq!(
        says,
        [(
            "VolumeFailedDelete",
            "error getting deleter volume plugin for volume \"v\": no deletable volume plugin matched"
        )]
    );
}

#[test]
fn a_deleter_that_is_not_there_weighs_more_than_one_that_is_silent() {
    let weight = |more: fn(&mut Objects)| {
        let mut made = given_up(ReclaimPolicy::Delete);
        made.source = VolumeSource {
            field: "csi".to_owned(),
            location: None,
            driver: Some("csi.example".to_owned()),
        };
        let told = explained(&state_with(vec![], vec![made], more));
        (told.causes[0].cause.code().name(), told.causes[0].severity)
    };
    assert_eq!(weight(|_| {}), ("ForeignDeleter", Severity::Blocker));
    let registered = |objects: &mut Objects| {
        let name = "csi.example".to_owned();
        objects.csi_drivers.push(crate::model::CsiDriver {
            name,
            ..Default::default()
        });
    };
    assert_eq!(weight(registered), ("ForeignDeleter", Severity::Note));
}

#[test]
fn recycling_waits_for_pods_and_says_so() {
    let state = state_with(vec![], vec![given_up(ReclaimPolicy::Recycle)], |objects| {
        objects.pods = vec![pod("p", "gone"), pod("q", "gone")];
    });
    let told = explained(&state);
    assert_eq!(codes(&told), ["InUse", "ReservedForDeletedClaim"]);
    assert_eq!(
        told.kubernetes_says[0].message,
        "Volume is used by pods: ns/p,ns/q"
    );
}

#[test]
fn a_reservation_for_a_claim_that_cannot_take_it_is_a_blocker() {
    let of = |volume: Volume| codes(&explained(&state(vec![claim("c")], vec![volume])));
    let small = volume("v").holds("1").reserved_for("c", None);
    assert_eq!(of(small), ["ReservedForOtherClaim", "TooSmall"]);
    let mut nobodys = volume("v");
    nobodys.claim_ref = Some(ClaimRef::default());
    assert_eq!(of(nobodys), ["ReservedForOtherClaim"]);
    let mut block = volume("v").reserved_for("c", Some("uid-c"));
    block.volume_mode = crate::conventions::volume_mode::VolumeMode::Block;
    let told = explained(&state(vec![claim("c")], vec![block]));
    assert_eq!(
        codes(&told),
        ["ReservedForOtherClaim", "VolumeModeMismatch"]
    );
    assert_eq!(
        told.kubernetes_says[0].message,
        "Cannot bind PersistentVolume to requested PersistentVolumeClaim \"c\" due to incompatible volumeMode."
    );
}

fn held_by(finalizer: &str, mut volume: Volume, more: impl FnOnce(&mut Objects)) -> String {
    volume.deleted = Some(Time(0));
    volume.finalizers = vec![finalizer.to_owned()];
    let owner = claim("c").naming("v");
    let told = explained(&state_with(vec![owner], vec![volume], more));
    let is_bound = told.volume.effective_phase == VolumePhase::Bound;
    let code = told.causes[0].cause.code().name();
    let expected = if is_bound {
        "BeingDeleted"
    } else {
        "HeldByFinalizer"
    };
    assert_eq!(code, expected);
    told.holders[0].waits_for.clone()
}

#[test]
fn finalizers_say_what_they_wait_for() {
    let bound = || volume("v").reserved_for("c", Some("uid-c"));
    assert_eq!(
        held_by(annotations::VOLUME_PROTECTION, bound(), |_| {}),
        "until it is no longer Bound, so until ns/c is gone"
    );
    let by_controller = |volume: Volume| {
        let made = volume
            .with_policy(ReclaimPolicy::Delete)
            .stored_on("hostPath", "/tmp/x");
        held_by(annotations::CONTROLLER_DELETION, made, |_| {})
    };
    assert!(by_controller(bound()).ends_with("when the claim is gone"));
    assert!(by_controller(given_up(ReclaimPolicy::Delete)).ends_with("which it is about to"));
    assert!(by_controller(volume("v")).ends_with("this one was never claimed"));
    let failed = given_up(ReclaimPolicy::Delete).in_phase(VolumePhase::Failed);
    assert!(by_controller(failed).ends_with("which it cannot"));
    let by_provisioner = |volume: Volume| {
        let made = volume
            .with_policy(ReclaimPolicy::Delete)
            .annotated(annotations::PROVISIONED_BY, "csi.example");
        held_by(annotations::PROVISIONER_DELETION, made, |_| {})
    };
    assert_eq!(
        by_provisioner(given_up(ReclaimPolicy::Delete)),
        "until csi.example has deleted its storage"
    );
    assert!(by_provisioner(volume("v")).ends_with("not for one that is Available"));
    assert!(
        held_by("example.com/theirs", volume("v"), |_| {})
            .starts_with("until whoever put it there")
    );
}

#[test]
fn an_attachment_to_a_node_that_is_gone_is_named_and_can_be_ended() {
    let attach = |objects: &mut Objects| {
        objects.nodes = vec![Node {
            name: "here".to_owned(),
            ..Node::default()
        }];
        objects.attachments = vec![VolumeAttachment {
            name: "csi-9f".to_owned(),
            uid: None,
            resource_version: None,
            attacher: "csi.example".to_owned(),
            node: "gone".to_owned(),
            volume: Some("v".to_owned()),
            is_attached: true,
            attach_error: None,
            detach_error: None,
            is_deleted: false,
        }];
    };
    assert_eq!(
        held_by("external-attacher/csi-example", volume("v"), attach),
        "until nothing attaches it, and VolumeAttachment csi-9f (node gone, which is gone) still does"
    );
    let told = explained(&state_with(
        vec![],
        vec![given_up(ReclaimPolicy::Retain)],
        attach,
    ));
    assert_eq!(
        told.suggestions[0].commands,
        ["kubectl delete volumeattachment csi-9f"]
    );
}

fn advice(claims: Vec<Claim>, volumes: Vec<Volume>) -> Vec<(String, Vec<String>)> {
    let told = explained(&state(claims, volumes)).suggestions;
    told.into_iter()
        .map(|suggestion| {
            let commands = suggestion.commands.iter();
            (
                suggestion.summary,
                commands.map(ToString::to_string).collect(),
            )
        })
        .collect()
}

#[test]
fn a_released_volume_is_kept_for_one_given_to_any_or_let_go() {
    let mut successor = claim("gone");
    successor.uid = Some("newer".to_owned());
    let told = advice(
        vec![successor.clone()],
        vec![given_up(ReclaimPolicy::Retain)],
    );
    assert!(
        told[0]
            .0
            .ends_with("without the uid (checked: it takes it)"),
        "{told:?}"
    );
    assert_eq!(told[0].1, ["kubectl pv reclaim v --reuse --for ns/gone"]);
    assert!(
        told[1].0.ends_with("(checked: ns/gone takes it)"),
        "{told:?}"
    );
    assert_eq!(told[2].1, ["kubectl delete pv v"]);
    // A reservation for a claim that cannot take it would help nobody.
    let told = advice(
        vec![successor.requests("9Gi")],
        vec![given_up(ReclaimPolicy::Retain)],
    );
    assert!(told[0].0.starts_with("Give it to any claim"), "{told:?}");
    let told = advice(vec![], vec![given_up(ReclaimPolicy::Retain)]);
    assert!(
        told[0].0.contains("the next claim of that name"),
        "{told:?}"
    );
}

/// Once no object stands for it, `cleanup` can delete the storage of a volume that kubectl pv provisioned.
#[test]
fn the_object_of_a_volume_of_kubectl_pv_is_not_to_be_deleted_by_hand() {
    let made = given_up(ReclaimPolicy::Retain).annotated(annotations::MADE_ONCE, "yes");
    let told = advice(vec![], vec![made]);
    assert_eq!(told.len(), 2, "{told:?}");
    let deletes = |(_, commands): &(String, Vec<String>)| {
        commands.iter().any(|line| line.contains("delete pv"))
    };
    assert!(!told.iter().any(deletes), "{told:?}");
}

#[test]
fn what_failed_once_is_retained_from_then_on() {
    let told = advice(vec![], vec![given_up(ReclaimPolicy::Delete)]);
    assert_eq!(
        told[1].1,
        [
            "kubectl pv reclaim v --set-policy Retain",
            "kubectl pv reclaim v --reuse",
        ]
    );
    assert_eq!(told[2].1.len(), 2);
}

#[test]
fn data_that_would_go_can_be_kept() {
    let retain = "kubectl pv reclaim v --set-policy Retain";
    let bound = |policy: ReclaimPolicy, field: &str| {
        let held = volume("v").with_policy(policy).stored_on(field, "/tmp/x");
        let held = held.reserved_for("c", Some("uid-c"));
        advice(vec![claim("c").naming("v")], vec![held])
    };
    assert_eq!(bound(ReclaimPolicy::Delete, "hostPath")[0].1, [retain]);
    assert_eq!(bound(ReclaimPolicy::Delete, "local")[0].1, [retain]);
    assert!(bound(ReclaimPolicy::Retain, "local").is_empty());
}

#[test]
fn claims_that_were_not_seen_are_neither_there_nor_gone() {
    let gap = Gap {
        kind: Kind::Claims,
        why: GapReason::Forbidden,
        seen_only_in: Some("own".to_owned()),
    };
    let held = given_up(ReclaimPolicy::Retain).in_phase(VolumePhase::Bound);
    let objects = Objects {
        volumes: vec![held],
        ..Objects::default()
    };
    let told = explained(&ClusterState::new(objects, vec![gap], None));
    assert_eq!(told.claim_ref.claim_exists, None);
    assert_eq!(told.volume.effective_phase, VolumePhase::Bound);
    assert!(codes(&told).contains(&"NotReadable"));
    assert_eq!(told.unknowns[0].why, UnknownReason::Forbidden);
}

#[test]
fn of_very_many_volumes_offers_are_tried_quickly() {
    let many = (0..=MOST_TRIED).map(|number| {
        let mut volume = given_up(ReclaimPolicy::Retain);
        volume.name = format!("v{number:03}");
        volume
    });
    let state = state(vec![claim("c")], many.collect());
    let volumes: Vec<&Volume> = state.volumes().iter().collect();
    let told = VolumeExplainer::new(&state, Rules::V1_36).explain(&volumes, 20);
    let summaries: Vec<&str> = told[0]
        .suggestions
        .iter()
        .map(|suggestion| suggestion.summary.as_str())
        .collect();
    assert!(
        summaries[1].ends_with("(it fits 1 unbound claim)"),
        "{summaries:?}"
    );
}
