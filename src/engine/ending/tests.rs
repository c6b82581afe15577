//! Endings as values: every reason to leave a volume alone, in its order, and what is done with the others.

use super::*;
use crate::conventions::annotations::OWN_DELETION;
use crate::conventions::annotations::{KEEP, MADE_ONCE, PROVISIONED_BY};
use crate::conventions::object_ref::{ObjectKey, OwnerRef};
use crate::conventions::selector::{Labels, Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
use crate::engine::Rules;
use crate::engine::refusal::Standing;
use crate::model::{
    Claim, CsiDriver, Gap, GapReason, Node, Objects, Pod, PodPhase, Time, VolumeAttachment,
};
use crate::testing::{claim, pod, state, state_with, volume};

const OURS: &str = "example.com/dirs";

/// A volume of ours whose claim `gone` is gone.
fn released() -> Volume {
    volume("v")
        .in_phase(VolumePhase::Released)
        .with_policy(ReclaimPolicy::Delete)
        .reserved_for("gone", Some("uid-gone"))
        .stored_on("hostPath", "/srv/v")
        .annotated(PROVISIONED_BY, OURS)
}

/// The same, made by hand.
fn by_hand(policy: ReclaimPolicy, field: &str, location: &str) -> Volume {
    let mut volume = released().with_policy(policy).stored_on(field, location);
    volume.annotations.clear();
    volume
}

fn backend() -> OwnBackend {
    OwnBackend {
        provisioner: OURS.to_owned(),
        can_delete: true,
        can_recycle: true,
        source: OwnSource::MadeHere,
    }
}

fn named(volume: &Volume) -> EndingQuestion<'_> {
    EndingQuestion {
        volume,
        is_named: true,
        own: None,
        has_recycler_image: false,
        recycler_namespace: None,
        recycler_node: None,
        host: None,
        is_asset_gone: false,
    }
}

fn ending_with(
    state: &ClusterState,
    change: impl for<'a> FnOnce(EndingQuestion<'a>) -> EndingQuestion<'a>,
) -> Ending {
    let volume = state.find_volume("v").expect("the volume of the test");
    decide_ending(state, &change(named(volume)))
}

/// What is done with the volume if it is ours.
fn ours(state: &ClusterState) -> Ending {
    let own = backend();
    let volume = state.find_volume("v").expect("the volume of the test");
    let question = EndingQuestion {
        own: Some(&own),
        ..named(volume)
    };
    decide_ending(state, &question)
}

fn left(ending: Ending) -> Refusal {
    match ending {
        Ending::Left(left) => left,
        other => panic!("it is not left alone: {other:?}"),
    }
}

fn code_of(state: &ClusterState) -> &'static str {
    left(ours(state)).code().name()
}

fn one(volume: Volume) -> ClusterState {
    state(vec![], vec![volume])
}

fn with_pods(claims: Vec<Claim>, volume: Volume, pods: Vec<Pod>) -> ClusterState {
    state_with(claims, vec![volume], |objects| objects.pods = pods)
}

fn with_gaps(volume: Volume, kinds: &[Kind]) -> ClusterState {
    let gap = |kind: &Kind| Gap {
        kind: *kind,
        why: GapReason::Forbidden,
        seen_only_in: None,
    };
    let objects = Objects {
        volumes: vec![volume],
        ..Objects::default()
    };
    ClusterState::new(objects, kinds.iter().map(gap).collect(), None)
}

fn on_node(mut pod: Pod) -> Pod {
    pod.node_name = Some("n".to_owned());
    pod
}

fn attachment(node: &str) -> VolumeAttachment {
    VolumeAttachment {
        uid: None,
        resource_version: None,
        name: "csi-9f".to_owned(),
        attacher: "x.example".to_owned(),
        node: node.to_owned(),
        volume: Some("v".to_owned()),
        is_attached: true,
        attach_error: None,
        detach_error: None,
        is_deleted: false,
    }
}

fn node(name: &str) -> Node {
    Node {
        name: name.to_owned(),
        labels: Labels::from([("kubernetes.io/hostname".to_owned(), name.to_owned())]),
        ..Node::default()
    }
}

fn only_on(host: &str) -> NodeSelector {
    let is_it = Requirement {
        key: "kubernetes.io/hostname".to_owned(),
        operator: Operator::In,
        values: vec![host.to_owned()],
    };
    NodeSelector {
        terms: vec![NodeSelectorTerm {
            match_expressions: vec![is_it],
            match_fields: vec![],
        }],
    }
}

#[test]
fn what_our_backend_made_is_deleted_here() {
    let Ending::Delete(deletion) = ours(&one(released())) else {
        panic!("it is ours");
    };
    assert_eq!(
        *deletion,
        OwnDeletion {
            provisioner: OURS.to_owned(),
            is_begun: false,
            is_marked_bound: false,
            unknowns: vec![],
        }
    );
    // Failed is tried again, and so is what lies in our place and nobody says who made.
    assert!(matches!(
        ours(&one(released().in_phase(VolumePhase::Failed))),
        Ending::Delete(_)
    ));
    let found = by_hand(ReclaimPolicy::Delete, "hostPath", "/srv/v");
    assert!(matches!(ours(&one(found)), Ending::Delete(_)));
    // Without a controller it may still say Bound.
    let Ending::Delete(deletion) = ours(&one(released().in_phase(VolumePhase::Bound))) else {
        panic!("its claim is gone");
    };
    assert!(deletion.is_marked_bound);
}

#[test]
fn the_reasons_come_in_the_order_of_the_contract() {
    // Everything holds at once; one after the other is taken away.
    let mut volume = released()
        .with_policy(ReclaimPolicy::Retain)
        .annotated(KEEP, "");
    let owner = claim("gone").naming("v");
    let everything = |claims: Vec<Claim>, volume: &Volume, pods: Vec<Pod>, attached: bool| {
        state_with(claims, vec![volume.clone()], |objects| {
            objects.pods = pods;
            objects.attachments = attached.then(|| attachment("n")).into_iter().collect();
        })
    };
    let code = |state: &ClusterState| {
        let own = backend();
        let volume = state.find_volume("v").expect("the volume of the test");
        let question = EndingQuestion {
            is_named: false,
            own: Some(&own),
            ..named(volume)
        };
        match decide_ending(state, &question) {
            Ending::Left(left) => left.code().name(),
            _ => "",
        }
    };
    let pods = || vec![pod("p", "gone")];
    assert_eq!(
        code(&everything(vec![owner], &volume, pods(), true)),
        "ClaimExists"
    );
    let reserved = volume.clone().reserved_for("gone", None);
    assert_eq!(
        code(&everything(vec![], &reserved, pods(), true)),
        "NotReleased"
    );
    assert_eq!(code(&everything(vec![], &volume, pods(), true)), "OptOut");
    volume.annotations.remove(KEEP);
    assert_eq!(code(&everything(vec![], &volume, pods(), true)), "InUse");
    assert_eq!(
        code(&everything(vec![], &volume, vec![], true)),
        "PolicyRetain"
    );
    volume.reclaim_policy = ReclaimPolicy::Delete;
    assert_eq!(code(&everything(vec![], &volume, vec![], true)), "Attached");
    assert_eq!(code(&everything(vec![], &volume, vec![], false)), "");
}

#[test]
fn a_claim_of_that_uid_keeps_its_volume_wherever_it_went() {
    let elsewhere = state(vec![claim("gone").naming("w")], vec![released()]);
    let told = left(ours(&elsewhere));
    assert_eq!(told.code().name(), "ClaimExists");
    assert!(told.message().contains("has w"), "{}", told.message());
    let waits = state(vec![claim("gone")], vec![released()]);
    assert_eq!(code_of(&waits), "ClaimExists");
    // One of the same name and another uid is another claim.
    let mut successor = claim("gone");
    successor.uid = Some("younger".to_owned());
    assert!(matches!(
        ours(&state(vec![successor], vec![released()])),
        Ending::Delete(_)
    ));
}

#[test]
fn only_what_was_released_is_reclaimed() {
    for volume in [
        volume("v"),
        volume("v").in_phase(VolumePhase::Failed),
        released().reserved_for("gone", None),
        volume("v").in_phase(VolumePhase::Pending),
    ] {
        assert_eq!(code_of(&one(volume)), "NotReleased");
    }
}

#[test]
fn the_opt_out_protects_what_was_not_named() {
    let code = |state: &ClusterState, is_named: bool| {
        let own = backend();
        let volume = state.find_volume("v").expect("the volume of the test");
        let question = EndingQuestion {
            is_named,
            own: Some(&own),
            ..named(volume)
        };
        match decide_ending(state, &question) {
            Ending::Left(left) => left.code().name(),
            _ => "",
        }
    };
    let kept = one(released().annotated(KEEP, "no"));
    assert_eq!((code(&kept, false), code(&kept, true)), ("OptOut", ""));
    let mut successor = claim("gone").annotated(KEEP, "");
    successor.uid = Some("younger".to_owned());
    let kept = state(vec![successor], vec![released()]);
    assert_eq!((code(&kept, false), code(&kept, true)), ("OptOut", ""));
}

#[test]
fn pods_that_name_the_claim_use_it_or_may() {
    let code = |pod: Pod| match ours(&with_pods(vec![], released(), vec![pod])) {
        Ending::Left(left) => left.code().name(),
        _ => "",
    };
    // Deleting asks nobody, not even those without a node (R81c).
    assert_eq!(code(pod("p", "gone")), "InUse");
    assert_eq!(code(on_node(pod("p", "gone"))), "InUse");
    for phase in [PodPhase::Succeeded, PodPhase::Failed] {
        let over = Pod {
            phase,
            ..on_node(pod("p", "gone"))
        };
        assert_eq!(code(over), "");
    }
    // Nothing runs in it any more, but what it mounted may still be mounted.
    let going = Pod {
        is_deleted: true,
        ..pod("p", "gone")
    };
    assert_eq!(code(going.clone()), "");
    assert_eq!(code(on_node(going)), "InUse");
    assert_eq!(code(pod("p", "other")), "");
    let told = left(ours(&with_pods(
        vec![],
        released(),
        vec![pod("q", "gone"), pod("p", "gone")],
    )));
    assert!(
        told.message().contains("ns/p and ns/q"),
        "{}",
        told.message()
    );
}

#[test]
fn pods_of_a_claim_made_anew_are_not_users_unless_they_are_older() {
    let mut successor = claim("gone");
    successor.uid = Some("younger".to_owned());
    successor.created = Some(Time(100));
    let code = |successor: &Claim, pod: Pod| match ours(&with_pods(
        vec![successor.clone()],
        released(),
        vec![pod],
    )) {
        Ending::Left(left) => left.code().name(),
        _ => "",
    };
    let born = |at: i64| Pod {
        created: Some(Time(at)),
        ..pod("p", "gone")
    };
    assert_eq!(code(&successor, on_node(born(99))), "InUse");
    assert_eq!(code(&successor, on_node(born(100))), "");
    assert_eq!(code(&successor, born(99)), "");
    assert_eq!(code(&successor, on_node(pod("p", "gone"))), "InUse");
    // One that names this very volume wants it back.
    let wants = successor.naming("v");
    assert_eq!(code(&wants, born(101)), "InUse");
}

#[test]
fn a_claim_that_names_the_volume_may_want_its_data() {
    let told = left(ours(&state(
        vec![claim("restored").naming("v")],
        vec![released()],
    )));
    assert_eq!(told.code().name(), "InUse");
    let hint = told.hint().expect("what to do").to_string();
    assert!(hint.contains("--reuse --for ns/restored"), "{hint}");
    // What others do with it is theirs.
    let foreign = state(
        vec![claim("restored").naming("v")],
        vec![released().with_policy(ReclaimPolicy::Retain)],
    );
    assert_eq!(code_of(&foreign), "PolicyRetain");
}

#[test]
fn the_recycler_of_the_controller_is_a_user_once_it_has_a_node() {
    let mut recycler = pod("recycler-for-v", "x");
    recycler.key = ObjectKey::new("default", "recycler-for-v");
    recycler.volumes.clear();
    let volume = by_hand(ReclaimPolicy::Recycle, "hostPath", "/srv/v");
    recycler.mounts = vec![volume.source.clone()];
    let with = |pod: Pod| with_pods(vec![], volume.clone(), vec![pod]);
    assert_eq!(code_of(&with(on_node(recycler.clone()))), "InUse");
    let Ending::Recycle(recycling) = ours(&with(recycler.clone())) else {
        panic!("no recycler is found");
    };
    assert_eq!(recycling.idle_recyclers, [recycler.key.clone()]);
    // Anyone can call a pod by that name: in another namespace, or with another directory, it is not the controller's.
    let mut elsewhere = on_node(recycler.clone());
    elsewhere.key.namespace = "evil".to_owned();
    let mut other = on_node(recycler.clone());
    other.mounts.clear();
    for pod in [elsewhere.clone(), other] {
        let Ending::Recycle(recycling) = ours(&with(pod)) else {
            panic!("no recycler is found");
        };
        assert_eq!(recycling.idle_recyclers, []);
    }
    let told = left(ending_with(&with(elsewhere), |question| EndingQuestion {
        recycler_namespace: Some("evil"),
        ..question
    }));
    assert_eq!(told.code().name(), "InUse");
    // Whatever else has that name is somebody's pod.
    let somebodys = Pod {
        owner: Some(OwnerRef::new("Job", "x")),
        ..on_node(recycler)
    };
    assert!(matches!(ours(&with(somebodys)), Ending::Recycle(_)));
}

#[test]
fn retain_says_what_an_administrator_can_do() {
    let told = left(ours(&one(released().with_policy(ReclaimPolicy::Retain))));
    assert_eq!(
        (told.code().name(), told.standing),
        ("PolicyRetain", Standing::Refused)
    );
    let hint = told.hint().expect("what to do").to_string();
    for command in [
        "kubectl pv reclaim v --reuse",
        "kubectl pv reclaim v --set-policy Delete",
    ] {
        assert!(hint.contains(command), "{hint}");
    }
}

#[test]
fn attachments_are_named_with_their_nodes() {
    let attached = |node_exists: bool| {
        let state = state_with(vec![], vec![released()], |objects| {
            objects.attachments = vec![attachment("n")];
            objects.nodes.extend(node_exists.then(|| node("n")));
        });
        left(ours(&state))
    };
    let told = attached(true);
    assert_eq!(told.code().name(), "Attached");
    assert_eq!(told.message(), "attached by csi-9f (node n)");
    let told = attached(false);
    assert_eq!(told.message(), "attached by csi-9f (node n, which is gone)");
    assert!(
        told.hint()
            .is_some_and(|hint| hint.to_string().contains("delete the VolumeAttachment"))
    );
}

#[test]
fn who_deletes_what_is_not_ours() {
    use Standing::{Fine, Refused};
    let told = |volume: Volume| {
        let told = left(ending_with(&one(volume), |question| question));
        (told.code().name(), told.standing)
    };
    let delete = |field: &str, location: &str| by_hand(ReclaimPolicy::Delete, field, location);
    let made_by = |name: &str| delete("csi", "h").annotated(PROVISIONED_BY, name);
    assert_eq!(told(delete("hostPath", "/tmp/v")), ("ForeignDeleter", Fine));
    assert_eq!(told(delete("hostPath", "/srv/v")), ("NoDeleter", Refused));
    assert_eq!(told(delete("nfs", "s:/v")), ("NoDeleter", Refused));
    // A name with a slash cannot be seen from outside; one that could be and is not will not do it.
    assert_eq!(told(made_by("example.com/x")), ("ForeignDeleter", Fine));
    assert_eq!(told(made_by("x.example")), ("ForeignDeleter", Refused));
    // Provisioners look at Released volumes only.
    assert_eq!(
        told(made_by("example.com/x").in_phase(VolumePhase::Failed)),
        ("ForeignDeleter", Refused)
    );
    let recycle = |field: &str| by_hand(ReclaimPolicy::Recycle, field, "x");
    assert_eq!(told(recycle("nfs")), ("ForeignDeleter", Fine));
    assert_eq!(told(recycle("iscsi")), ("NoRecycler", Refused));
    let migrated = recycle("csi").annotated(PROVISIONED_BY, "kubernetes.io/aws-ebs");
    assert_eq!(told(migrated), ("NoRecycler", Refused));
    let other = by_hand(ReclaimPolicy::Other("Shred".to_owned()), "nfs", "x");
    assert_eq!(told(other), ("ReclaimFailed", Refused));
    let message = |volume| left(ending_with(&one(volume), |question| question)).message();
    assert!(message(delete("hostPath", "/tmp/v")).contains("the controller"));
    assert!(message(made_by("x.example")).contains("x.example"));
}

#[test]
fn a_backend_does_what_it_can() {
    let told = |volume: Volume, change: fn(&mut OwnBackend)| {
        let mut own = backend();
        change(&mut own);
        let state = one(volume);
        let question = EndingQuestion {
            own: Some(&own),
            ..named(&state.volumes()[0])
        };
        match decide_ending(&state, &question) {
            Ending::Left(left) => left.code().name(),
            Ending::Delete(_) => "delete",
            Ending::Recycle(_) => "recycle",
        }
    };
    let cannot = |own: &mut OwnBackend| (own.can_delete, own.can_recycle) = (false, false);
    let no_asset = |own: &mut OwnBackend| own.source = OwnSource::NoAsset;
    assert_eq!(told(released(), cannot), "NoDeleter");
    assert_eq!(told(released(), no_asset), "NoDeleter");
    // What it did not make, the controller deletes where it can.
    let in_tmp = by_hand(ReclaimPolicy::Delete, "hostPath", "/tmp/v/deep");
    assert_eq!(told(in_tmp, no_asset), "ForeignDeleter");
    let recycled = released().with_policy(ReclaimPolicy::Recycle);
    assert_eq!(told(recycled.clone(), |_| {}), "recycle");
    assert_eq!(told(recycled.clone(), no_asset), "ForeignDeleter");
    let elsewhere = recycled.stored_on("csi", "h");
    assert_eq!(told(elsewhere.clone(), cannot), "NoRecycler");
    assert_eq!(told(elsewhere, |_| {}), "recycle");
}

#[test]
fn a_name_that_somebody_else_answers_to_is_not_ours() {
    let mut own = backend();
    own.provisioner = "x.example".to_owned();
    let volume = released().annotated(PROVISIONED_BY, "x.example");
    let there = state_with(vec![], vec![volume.clone()], |objects| {
        objects.csi_drivers.push(CsiDriver {
            name: "x.example".to_owned(),
            ..CsiDriver::default()
        });
    });
    let decided = |state: &ClusterState| {
        let question = EndingQuestion {
            own: Some(&own),
            ..named(&state.volumes()[0])
        };
        decide_ending(state, &question)
    };
    let told = left(decided(&there));
    assert_eq!(
        (told.code().name(), told.standing),
        ("ForeignDeleter", Standing::Refused)
    );
    assert!(matches!(decided(&one(volume.clone())), Ending::Delete(_)));
    let told = left(decided(&with_gaps(volume, &[Kind::CsiDrivers])));
    assert_eq!(told.code().name(), "NotReadable");
}

#[test]
fn a_directory_of_another_node_is_not_touched_here() {
    let on = |name: &str| {
        let mut volume = released();
        volume.node_affinity = Some(only_on(name));
        volume
    };
    let decide = |volume: Volume, host: &str, source: OwnSource| {
        let state = state_with(vec![], vec![volume], |objects| {
            objects.nodes = vec![node("a"), node("b")];
        });
        let own = OwnBackend {
            source,
            ..backend()
        };
        let question = EndingQuestion {
            own: Some(&own),
            host: Some(&Host::named(host)),
            ..named(&state.volumes()[0])
        };
        decide_ending(&state, &question)
    };
    assert!(matches!(
        decide(on("a"), "a", OwnSource::Asset),
        Ending::Delete(_)
    ));
    // What the base directory has a record of is here, whatever this machine is called; any other directory of that path is not.
    for host in ["a", "desk"] {
        assert!(matches!(
            decide(on("b"), host, OwnSource::MadeHere),
            Ending::Delete(_)
        ));
        let elsewhere = left(decide(on("b"), host, OwnSource::Asset));
        assert_eq!(elsewhere.code().name(), "NodeAffinityMismatch");
    }
    // What was begun is finished, whatever is left of the asset and its record.
    let mut begun = on("b").deleted();
    begun.finalizers = vec![OWN_DELETION.to_owned()];
    assert!(matches!(
        decide(begun, "desk", OwnSource::Asset),
        Ending::Delete(_)
    ));
}

#[test]
fn finalizers_of_others_hold_it() {
    let held = |finalizers: &[&str]| {
        let mut volume = released();
        volume.finalizers = finalizers.iter().map(|name| (*name).to_owned()).collect();
        volume
    };
    let protected = held(&["kubernetes.io/pv-protection"]);
    assert!(matches!(ours(&one(protected.clone())), Ending::Delete(_)));
    let told = left(ours(&one(held(&["backup.example/running"]))));
    assert_eq!(told.code().name(), "HeldByFinalizer");
    assert!(told.message().contains("backup.example/running"));
    let attacher = left(ours(&one(held(&["external-attacher/x-example"]))));
    assert!(
        attacher
            .message()
            .contains("external-attacher of x-example")
    );
    // The controller would never let go of what it did not delete itself (R81d).
    let controllers = one(held(&["kubernetes.io/pv-controller"]));
    assert_eq!(code_of(&controllers), "HeldByFinalizer");
    // Somebody else deleted it: no lock can be added any more.
    assert_eq!(code_of(&one(protected.deleted())), "HeldByFinalizer");
    assert_eq!(code_of(&one(released().deleted())), "BeingDeleted");
    // Our own lock is gone on with, whoever else holds it, and whether or not it was ever claimed.
    let mut ours_already = held(&["backup.example/running", OWN_DELETION]).deleted();
    let begun = |volume: Volume| match ours(&one(volume)) {
        Ending::Delete(deletion) => deletion.is_begun,
        other => panic!("it is gone on with: {other:?}"),
    };
    assert!(begun(ours_already.clone()));
    ours_already.claim_ref = None;
    assert!(begun(ours_already));
}

#[test]
fn an_asset_of_two_volumes_stays() {
    let shared = |path: &str| {
        let other = volume("other").stored_on("hostPath", path);
        state(vec![], vec![released(), other])
    };
    let told = left(ours(&shared("/srv")));
    assert_eq!(told.code().name(), "SharedAsset");
    assert!(
        told.message().contains("volume other"),
        "{}",
        told.message()
    );
    assert_eq!(code_of(&shared("/srv/v/below")), "SharedAsset");
    assert!(matches!(ours(&shared("/srv/w")), Ending::Delete(_)));
}

#[test]
fn recycling_is_done_here_or_by_a_pod() {
    let dir = || by_hand(ReclaimPolicy::Recycle, "hostPath", "/srv/v");
    let Ending::Recycle(recycling) = ours(&one(dir())) else {
        panic!("it is ours");
    };
    let here = Recycler::Here {
        provisioner: OURS.to_owned(),
    };
    assert_eq!((recycling.by, recycling.is_begun), (here, false));
    let by_pod = |volume: Volume, nodes: &[&str]| {
        let state = state_with(vec![], vec![volume], |objects| {
            objects.nodes = nodes.iter().map(|name| node(name)).collect();
        });
        ending_with(&state, |question| EndingQuestion {
            has_recycler_image: true,
            ..question
        })
    };
    let export = by_hand(ReclaimPolicy::Recycle, "nfs", "s:/v");
    let on_a = PodPlace::Node("a".to_owned());
    for (ending, place) in [
        (by_pod(export, &["a", "b"]), PodPlace::Anywhere),
        (by_pod(dir(), &["a"]), on_a),
    ] {
        assert!(matches!(ending, Ending::Recycle(it) if it.by == (Recycler::Pod { place })));
    }
    // A directory on who knows which node.
    assert_eq!(left(by_pod(dir(), &["a", "b"])).code().name(), "NoRecycler");
    let disk = by_hand(ReclaimPolicy::Recycle, "iscsi", "x");
    assert_eq!(left(by_pod(disk, &["a"])).code().name(), "NoRecycler");
    assert_eq!(code_of(&one(dir().deleted())), "BeingDeleted");
    let shared = state(
        vec![],
        vec![dir(), volume("other").stored_on("local", "/srv/v")],
    );
    assert_eq!(code_of(&shared), "SharedAsset");
}

/// Where a pod would empty the volume, or the code of why none does. Of two nodes `a` and `b` each is in its own zone.
fn pod_place(volume: Volume, on: Option<&str>) -> Result<PodPlace, &'static str> {
    let state = state_with(vec![], vec![volume], |objects| {
        objects.nodes = ["a", "b"].map(node).to_vec();
        for node in &mut objects.nodes {
            node.labels.insert("zone".to_owned(), node.name.clone());
        }
    });
    let volume = state.find_volume("v").expect("the volume of the test");
    let question = EndingQuestion {
        has_recycler_image: true,
        recycler_node: on,
        ..named(volume)
    };
    match decide_ending(&state, &question) {
        Ending::Recycle(recycling) => match recycling.by {
            Recycler::Pod { place } => Ok(place),
            by @ Recycler::Here { .. } => panic!("{by:?}"),
        },
        other => Err(left(other).code().name()),
    }
}

fn in_zone(mut volume: Volume, zones: &[&str]) -> Volume {
    let requirement = Requirement {
        key: "zone".to_owned(),
        operator: Operator::In,
        values: zones.iter().map(|&zone| zone.to_owned()).collect(),
    };
    volume.node_affinity = Some(NodeSelector {
        terms: vec![NodeSelectorTerm {
            match_expressions: vec![requirement],
            match_fields: vec![],
        }],
    });
    volume
}

#[test]
fn a_pod_empties_a_directory_only_where_it_certainly_is() {
    let dir = || by_hand(ReclaimPolicy::Recycle, "hostPath", "/srv/v");
    let share = || by_hand(ReclaimPolicy::Recycle, "nfs", "s:/v");
    let node = |name: &str| Ok(PodPlace::Node(name.to_owned()));
    assert_eq!(pod_place(dir(), None), Err("NoRecycler"));
    assert_eq!(pod_place(dir(), Some("b")), node("b"));
    assert_eq!(pod_place(dir(), Some("c")), Err("NoRecycler"));
    assert_eq!(pod_place(in_zone(dir(), &["b"]), None), node("b"));
    // Several nodes of one zone have a directory of that path each.
    let both = || in_zone(dir(), &["a", "b"]);
    assert_eq!(pod_place(both(), None), Err("NoRecycler"));
    assert_eq!(pod_place(both(), Some("a")), node("a"));
    let elsewhere = || in_zone(dir(), &["gone"]);
    assert_eq!(pod_place(elsewhere(), None), Err("NoRecycler"));
    let mismatch = Err("NodeAffinityMismatch");
    assert_eq!(pod_place(elsewhere(), Some("a")), mismatch);
    let zoned = in_zone(share(), &["a"]);
    let zone = zoned.node_affinity.clone().expect("just set");
    assert_eq!(pod_place(zoned, None), Ok(PodPlace::Nodes(zone)));
    assert_eq!(pod_place(share(), Some("a")), node("a"));
    for root in ["/", "//", "/./", "/srv/..", ""] {
        let all = dir().stored_on("hostPath", root);
        assert_eq!(pod_place(all, Some("a")), Err("NoRecycler"), "{root}");
    }
}

#[test]
fn nodes_that_were_not_seen_are_not_guessed() {
    let dir = by_hand(ReclaimPolicy::Recycle, "hostPath", "/srv/v");
    let state = with_gaps(dir, &[Kind::Nodes]);
    let told = left(ending_with(&state, |question| EndingQuestion {
        has_recycler_image: true,
        ..question
    }));
    assert_eq!(told.code().name(), "NotReadable");
    let ending = ending_with(&state, |question| EndingQuestion {
        has_recycler_image: true,
        recycler_node: Some("a"),
        ..question
    });
    assert!(matches!(ending, Ending::Recycle(_)));
}

/// A pod of ours for the volume of the test.
fn own_recycler(volume: &Volume, phase: PodPhase) -> Pod {
    let mut pod = pod(&format!("{}0", own_recycler_prefix(volume)), "x");
    pod.volumes.clear();
    pod.phase = phase;
    pod
}

#[test]
fn nothing_else_is_done_while_a_pod_of_ours_empties_it() {
    let dir = by_hand(ReclaimPolicy::Retain, "hostPath", "/srv/v").annotated(RECYCLING, "Recycle");
    for volume in [dir, released()] {
        let beside = |phase| {
            let pod = own_recycler(&volume, phase);
            with_pods(vec![], volume.clone(), vec![pod])
        };
        for phase in [PodPhase::Pending, PodPhase::Running] {
            assert_eq!(code_of(&beside(phase)), "InUse");
        }
        let over = ours(&beside(PodPhase::Failed));
        assert!(!matches!(over, Ending::Left(_)), "{over:?}");
    }
}

#[test]
fn a_recycling_that_was_begun_is_finished() {
    let begun =
        by_hand(ReclaimPolicy::Retain, "hostPath", "/srv/v").annotated(RECYCLING, "Recycle");
    let state = one(begun);
    let Ending::Recycle(recycling) = ours(&state) else {
        panic!("policy Retain is our lock here");
    };
    assert!(recycling.is_begun);
    let told = left(ending_with(&state, |question| question));
    assert_eq!(told.code().name(), "NoRecycler");
    assert!(told.message().contains("begun"), "{}", told.message());
}

#[test]
fn a_claim_that_waits_for_the_volume_to_be_emptied_does_not_keep_it_from_that() {
    let mut successor = claim("gone");
    successor.uid = Some("younger".to_owned());
    let dir = by_hand(ReclaimPolicy::Recycle, "hostPath", "/srv/v");
    let state = with_pods(vec![successor], dir, vec![pod("p", "gone")]);
    assert!(matches!(ours(&state), Ending::Recycle(_)));
}

#[test]
fn what_was_not_seen_is_never_nobody() {
    for kind in [Kind::Claims, Kind::Pods, Kind::Attachments, Kind::Volumes] {
        let told = left(ours(&with_gaps(released(), &[kind])));
        assert_eq!(
            (told.code().name(), told.standing),
            ("NotReadable", Standing::Unknown),
            "{kind:?}"
        );
        assert!(
            told.message().contains(kind.resource()),
            "{}",
            told.message()
        );
        assert_eq!(told.unknowns.len(), 1, "{kind:?}");
        assert!(told.unknowns[0].is_of(kind));
    }
    // What holds for certain is said all the same, with what is not known.
    let retained = released().with_policy(ReclaimPolicy::Retain);
    let told = left(ours(&with_gaps(retained, &[Kind::Claims, Kind::Pods])));
    assert_eq!(
        (told.code().name(), told.unknowns.len()),
        ("PolicyRetain", 2)
    );
    // Whether the claim of a Bound volume is there decides everything.
    let bound = released().in_phase(VolumePhase::Bound);
    let told = left(ours(&with_gaps(bound.clone(), &[Kind::Claims])));
    assert_eq!(told.code().name(), "NotReadable");
    let silent = one(bound).with_absent(vec![Kind::Claims]);
    assert_eq!(code_of(&silent), "NotReadable");
    let silent = one(released()).with_absent(vec![Kind::Claims]);
    assert!(matches!(ours(&silent), Ending::Delete(it) if it.unknowns.len() == 1));
}

fn reuse_in(state: &ClusterState, for_claim: Option<&str>, own: Option<&OwnBackend>) -> Reuse {
    let key = for_claim.map(|name| ObjectKey::new("ns", name));
    let question = ReuseQuestion {
        volume: state.find_volume("v").expect("the volume of the test"),
        is_named: true,
        own,
        for_claim: key.as_ref(),
        rules: Rules::V1_36,
    };
    decide_reuse(state, &question)
}

fn kept() -> Volume {
    by_hand(ReclaimPolicy::Retain, "nfs", "s:/v")
}

fn reuse_code(state: &ClusterState, for_claim: Option<&str>) -> &'static str {
    match reuse_in(state, for_claim, None) {
        Reuse::Left(left) => left.code().name(),
        _ => "",
    }
}

#[test]
fn a_volume_is_given_back_with_its_data() {
    let Reuse::Free(given) = reuse_in(&one(kept()), None, None) else {
        panic!("nobody has it");
    };
    let next = "its data stays, and whichever claim takes it next gets what ns/gone left in it";
    assert_eq!((given.means.as_str(), &given.warnings[..]), (next, &[][..]));
    let failed = by_hand(ReclaimPolicy::Delete, "nfs", "s:/v").in_phase(VolumePhase::Failed);
    let Reuse::Free(given) = reuse_in(&one(failed), None, None) else {
        panic!("nobody deletes it");
    };
    assert!(given.warnings[0].contains("Failed again"));
    let attached = state_with(vec![], vec![kept()], |objects| {
        objects.attachments = vec![attachment("n")];
    });
    let Reuse::Free(given) = reuse_in(&attached, None, None) else {
        panic!("being attached hurts nobody");
    };
    assert!(given.warnings[0].contains("csi-9f (node n"));
}

#[test]
fn a_volume_is_kept_for_a_claim_that_can_take_it() {
    let told =
        |claims: Vec<Claim>, name: &str| reuse_in(&state(claims, vec![kept()]), Some(name), None);
    let Reuse::KeepFor { claim: key, given } = told(vec![claim("new")], "new") else {
        panic!("it fits");
    };
    assert_eq!(key, ObjectKey::new("ns", "new"));
    assert!(
        given.means.contains("ns/new, and nobody else"),
        "{}",
        given.means
    );
    assert!(given.warnings.is_empty(), "{:?}", given.warnings);
    let Reuse::KeepFor { given, .. } = told(vec![], "gone") else {
        panic!("it may come");
    };
    assert!(
        given.means.contains("the one before left"),
        "{}",
        given.means
    );
    assert!(given.warnings[0].contains("is not there"));
    let large = vec![claim("new").requests("9Gi")];
    assert_eq!(
        reuse_code(&state(large, vec![kept()]), Some("new")),
        "TooSmall"
    );
    let elsewhere = claim("new")
        .naming("w")
        .annotated(crate::conventions::annotations::BIND_COMPLETED, "yes");
    let other = volume("w").reserved_for("new", Some("uid-new"));
    let state = state(vec![elsewhere], vec![kept(), other]);
    assert_eq!(reuse_code(&state, Some("new")), "AlreadyBound");
}

#[test]
fn nothing_is_given_back_that_somebody_is_at() {
    let code = |volume: Volume| reuse_code(&one(volume), None);
    let owner = state(vec![claim("gone").naming("v")], vec![kept()]);
    assert_eq!(reuse_code(&owner, None), "ClaimExists");
    assert_eq!(code(volume("v")), "NotReleased");
    let used = with_pods(vec![], kept(), vec![pod("p", "gone")]);
    assert_eq!(reuse_code(&used, None), "InUse");
    assert_eq!(code(kept().deleted()), "BeingDeleted");
    assert_eq!(code(kept().annotated(RECYCLING, "Recycle")), "InUse");
    for volume in [
        by_hand(ReclaimPolicy::Delete, "hostPath", "/tmp/v"),
        by_hand(ReclaimPolicy::Recycle, "nfs", "s:/v"),
        released(),
    ] {
        let Reuse::Left(left) = reuse_in(&one(volume), None, None) else {
            panic!("it is about to go");
        };
        assert_eq!(left.code().name(), "ForeignDeleter");
        assert!(
            left.hint()
                .is_some_and(|hint| hint.to_string().contains("--set-policy Retain"))
        );
    }
    // Ours act when they are told to, and provisioners leave Failed volumes alone.
    let own = backend();
    let given = reuse_in(&one(released()), None, Some(&own));
    assert!(matches!(given, Reuse::Free(_)), "{given:?}");
    assert_eq!(code(released().in_phase(VolumePhase::Failed)), "");
    let blind = with_gaps(kept(), &[Kind::Pods]);
    assert_eq!(reuse_code(&blind, None), "NotReadable");
}

/// What `explain` says of a volume and why `reclaim` leaves it are one thing.
#[test]
fn explaining_a_volume_names_what_reclaiming_it_would() {
    let policies = [
        ReclaimPolicy::Retain,
        ReclaimPolicy::Delete,
        ReclaimPolicy::Recycle,
        ReclaimPolicy::Other("Shred".to_owned()),
    ];
    let sources = [
        ("hostPath", "/tmp/v"),
        ("hostPath", "/srv/v"),
        ("nfs", "s:/v"),
        ("csi", "h"),
    ];
    let makers = [
        None,
        Some("x.example"),
        Some("example.com/x"),
        Some("kubernetes.io/host-path"),
        Some("kubernetes.io/aws-ebs"),
    ];
    let mut seen = std::collections::BTreeSet::new();
    for policy in &policies {
        for (field, location) in sources {
            for maker in makers {
                let mut volume = by_hand(policy.clone(), field, location);
                if let Some(maker) = maker {
                    volume = volume.annotated(PROVISIONED_BY, maker);
                }
                for state in around(&volume) {
                    seen.insert(agreed(&state));
                }
            }
        }
    }
    let all = [
        "Attached",
        "ClaimExists",
        "ForeignDeleter",
        "InUse",
        "NoDeleter",
        "NoRecycler",
        "OptOut",
        "PolicyRetain",
        "ReclaimFailed",
    ];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
}

/// The volume Released and Failed, alone, and with everything that keeps it.
fn around(volume: &Volume) -> Vec<ClusterState> {
    let mut owner = claim("gone").naming("w");
    owner.phase = crate::model::ClaimPhase::Bound;
    let other = crate::testing::volume("w").reserved_for("gone", Some("uid-gone"));
    let attached = state_with(vec![], vec![volume.clone()], |objects| {
        objects.attachments = vec![attachment("n")];
    });
    let mut states = vec![
        one(volume.clone()),
        one(volume.clone().in_phase(VolumePhase::Failed)),
        one(volume.clone().annotated(KEEP, "")),
        with_pods(vec![], volume.clone(), vec![pod("p", "gone")]),
        attached,
    ];
    // Otherwise the controller gives it back (R76b).
    if volume.has_annotation(PROVISIONED_BY) && volume.reclaim_policy == ReclaimPolicy::Delete {
        states.push(state(vec![owner], vec![volume.clone(), other]));
    }
    states
}

fn agreed(state: &ClusterState) -> &'static str {
    let volume = state.find_volume("v").expect("the volume of the test");
    let question = EndingQuestion {
        is_named: false,
        ..named(volume)
    };
    let left = left(decide_ending(state, &question));
    let explained = crate::engine::explain_volume(state, volume, Rules::V1_36);
    let told = explained.causes.iter();
    let codes: Vec<&str> = told.map(|finding| finding.cause.code().name()).collect();
    assert!(
        codes.contains(&left.code().name()),
        "{} is not in {codes:?}",
        left.code().name()
    );
    left.code().name()
}

/// What one run has made nobody deletes by himself, so that nobody is to be waited for.
#[test]
fn what_kubectl_pv_has_made_is_left_to_nobody() {
    let made = released().annotated(MADE_ONCE, "yes");
    let state = one(made);
    let told = left(decide_ending(&state, &named(&state.volumes()[0])));
    assert_eq!(
        (told.code().name(), told.standing),
        ("NoDeleter", Standing::Refused)
    );
    assert!(
        told.hint()
            .is_some_and(|hint| hint.to_string().contains("--backend"))
    );
    assert!(may_be_reused(&state, &state.volumes()[0]));
}
