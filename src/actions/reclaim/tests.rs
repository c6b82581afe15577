//! What is planned for volumes in every state, with a directory of this machine behind it.

mod formats;

use super::super::asset_work::AssetWork;
use super::super::memory::{Failed, Failure};
use super::super::operation::{Action, Deletion, FillWith, Operation, Purpose, Wait};
use super::super::outcome::{Applied, Sent};
use super::super::plan::{Change, Deed};
use super::super::recheck::Recheck;
use super::failures::plan_failures;
use super::*;
use crate::commands::backend_answers::plan_with;
use crate::conventions::annotations::{
    BOUND_BY_CONTROLLER, KEEP, OWN_DELETION, PROVISIONED_BY, RECYCLER_POD, RECYCLING,
    VOLUME_PROTECTION,
};
use crate::model::{Claim, Node, Pod, PodPhase};
use crate::report::Danger;
use crate::storage::Backends;
use crate::storage::own_ground::{open_base, stamp};
use crate::testing::{claim, pod, state, state_with, volume};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

const OURS: &str = "example.com/scratch";

/// A base directory with its backend.
struct Yard {
    base: PathBuf,
    backends: Backends,
}

fn question(state: &ClusterState) -> ReclaimQuestion<'static> {
    ReclaimQuestion {
        volumes: state.volumes().iter().map(ChosenVolume::from).collect(),
        empty_selection: None,
        selection: Selection::default(),
        are_named: true,
        wish: Wish::CarryOut,
        recycler: None,
        host: None,
        rules: Rules::V1_36,
    }
}

impl Yard {
    fn new() -> Self {
        let (base, backends) = open_base("reclaim", OURS);
        Self { base, backends }
    }

    /// A volume of ours whose claim `gone` is gone, with a file in it.
    fn released(&self, policy: ReclaimPolicy) -> Volume {
        let directory = self.base.join("v");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("file"), "data").unwrap();
        let mut volume = volume("v")
            .in_phase(VolumePhase::Released)
            .with_policy(policy)
            .reserved_for("gone", Some("uid-gone"))
            .stored_on("hostPath", &directory.display().to_string())
            .annotated(PROVISIONED_BY, OURS);
        volume.resource_version = Some("7".to_owned());
        volume.finalizers = vec![VOLUME_PROTECTION.to_owned()];
        volume
    }

    fn plan(&self, state: &ClusterState) -> Plan {
        self.answer(state, &question(state), &Memory::default())
    }

    fn plan_wish(&self, state: &ClusterState, wish: Wish<'_>) -> Plan {
        let question = ReclaimQuestion {
            wish,
            ..question(state)
        };
        self.answer(state, &question, &Memory::default())
    }

    fn answer(
        &self,
        state: &ClusterState,
        question: &ReclaimQuestion<'_>,
        memory: &Memory,
    ) -> Plan {
        plan_with(&self.backends, |facts| {
            plan_reclaim(state, question, memory, facts)
        })
    }

    /// Planning touches nothing.
    fn is_untouched(&self) -> bool {
        fs::read_to_string(self.base.join("v/file")).is_ok_and(|text| text == "data")
    }
}

impl Drop for Yard {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.base);
    }
}

fn one(volume: Volume) -> ClusterState {
    state(vec![], vec![volume])
}

/// What is done to what, in short.
fn steps(plan: &Plan) -> Vec<String> {
    let short = |change: &Change| {
        let target = &change.target;
        let part = change.subresource().map_or("", |_| " status");
        format!(
            "{:?} {:?} {}{part}",
            change.action(),
            target.kind,
            target.name
        )
    };
    plan.changes.iter().map(short).collect()
}

fn codes(plan: &Plan) -> Vec<&str> {
    plan.skipped
        .iter()
        .map(|skipped| skipped.code().name())
        .collect()
}

fn dangers(plan: &Plan) -> Vec<Danger> {
    plan.changes.iter().map(|change| change.danger).collect()
}

const DELETED: [&str; 4] = [
    "Patch PersistentVolume v",
    "Delete PersistentVolume v",
    "DeleteAsset Asset v",
    "Patch PersistentVolume v",
];

#[test]
fn what_is_deleted_here_goes_behind_the_lock() {
    let yard = Yard::new();
    let plan = yard.plan(&one(yard.released(ReclaimPolicy::Delete)));
    assert_eq!(steps(&plan), DELETED);
    let [lock, delete, asset, unlock] = &plan.changes[..] else {
        panic!("{plan:?}");
    };
    let finalizers = &lock.body()["metadata"]["finalizers"];
    assert_eq!(*finalizers, json!([VOLUME_PROTECTION, OWN_DELETION]));
    assert_eq!(lock.body()["metadata"]["resourceVersion"], "7");
    assert_eq!(
        lock.provided()[0],
        ("/spec/claimRef/uid", json!("uid-gone"))
    );
    let policy = ("/spec/persistentVolumeReclaimPolicy", json!("Delete"));
    assert!(lock.provided().contains(&policy));
    assert_eq!(delete.after, Some(0));
    assert_eq!(delete.body()["preconditions"]["uid"], "uid-v");
    assert!(!delete.provided().is_empty(), "nobody else may have it");
    let Operation::Asset(step) = &asset.operation else {
        panic!("{asset:?}");
    };
    assert_eq!(step.source_of, Some(0));
    assert!(matches!(&step.work, AssetWork::Delete { volume, .. } if volume == "v"));
    assert_eq!(
        unlock.body()["metadata"]["finalizers"],
        json!([VOLUME_PROTECTION])
    );
    assert_eq!(unlock.patch().purpose, Purpose::RemoveLock);
    assert_eq!(
        dangers(&plan),
        [
            Danger::Harmless,
            Danger::LosesData,
            Danger::LosesData,
            Danger::Harmless
        ]
    );
    assert_eq!(plan.losses(), ["v (1Gi, of ns/gone)"]);
    assert!(yard.is_untouched());
}

#[test]
fn a_volume_marked_bound_is_released_first() {
    let yard = Yard::new();
    let bound = yard
        .released(ReclaimPolicy::Delete)
        .in_phase(VolumePhase::Bound);
    let other = claim("other");
    let plan = yard.plan(&state(vec![other], vec![bound]));
    assert_eq!(steps(&plan)[0], "Patch PersistentVolume v status");
    assert_eq!(steps(&plan)[1..], DELETED);
    assert_eq!(plan.changes[0].body()["status"]["phase"], "Released");
}

#[test]
fn a_deletion_that_was_begun_is_gone_on_with() {
    let yard = Yard::new();
    let mut locked = yard.released(ReclaimPolicy::Delete).deleted();
    locked.finalizers = vec![OWN_DELETION.to_owned()];
    let plan = yard.plan(&one(locked));
    assert_eq!(steps(&plan), [DELETED[0], DELETED[2], DELETED[3]]);
}

/// Neither the annotation nor the policy can keep an asset that does not exist any more; one that exists stays.
#[test]
fn a_deletion_that_was_begun_ends_unless_an_asset_is_to_be_kept() {
    let yard = Yard::new();
    stamp(&yard.base);
    let here = Host::named("n1");
    for (policy, code) in [
        (ReclaimPolicy::Delete, "OptOut"),
        (ReclaimPolicy::Retain, "PolicyRetain"),
    ] {
        let mut locked = yard.released(policy).deleted();
        locked.finalizers = vec![OWN_DELETION.to_owned()];
        if code == "OptOut" {
            locked = locked.annotated(KEEP, "");
        }
        let state = one(locked);
        let question = ReclaimQuestion {
            are_named: false,
            host: Some(&here),
            ..question(&state)
        };
        let plan = yard.answer(&state, &question, &Memory::default());
        assert_eq!((steps(&plan), codes(&plan)), (vec![], vec![code]));
        let message = plan.skipped[0].message.to_string();
        assert!(message.contains("it is being deleted"), "{message}");
        fs::remove_dir_all(yard.base.join("v")).unwrap();
        let plan = yard.answer(&state, &question, &Memory::default());
        assert_eq!(steps(&plan), [DELETED[0], DELETED[2], DELETED[3]]);
        assert_eq!(codes(&plan), [""; 0]);
        assert!(!dangers(&plan).contains(&Danger::LosesData));
    }
}

#[test]
fn a_failed_volume_is_deleted_too() {
    let yard = Yard::new();
    let failed = yard
        .released(ReclaimPolicy::Delete)
        .in_phase(VolumePhase::Failed);
    assert_eq!(steps(&yard.plan(&one(failed))), DELETED);
}

const RECYCLED: [&str; 7] = [
    "Patch PersistentVolume v",
    "Wait Pod recycler-for-v",
    "Wait PersistentVolume v",
    "ScrubAsset Asset v",
    "Wait Pod recycler-for-v",
    "Patch PersistentVolume v",
    "Patch PersistentVolume v status",
];

#[test]
fn what_is_emptied_here_is_locked_first_and_unbound_in_one_write() {
    let yard = Yard::new();
    let volume = yard
        .released(ReclaimPolicy::Recycle)
        .annotated(BOUND_BY_CONTROLLER, "yes");
    let plan = yard.plan(&one(volume));
    assert_eq!(steps(&plan), RECYCLED);
    let lock = &plan.changes[0].body();
    assert_eq!(lock["spec"]["persistentVolumeReclaimPolicy"], "Retain");
    assert_eq!(lock["metadata"]["annotations"][RECYCLING], "Recycle/7");
    let seen = &plan.changes[2];
    assert_eq!(seen.operation, Operation::Recheck(Recheck::LockIsLast));
    assert_eq!(seen.after, Some(0));
    let scrub = &plan.changes[3];
    assert_eq!(scrub.danger, Danger::LosesData);
    assert_eq!(scrub.operation.bases(), [0]);
    let unbind = &plan.changes[5];
    assert_eq!(unbind.after, Some(0));
    let spec = json!({ "claimRef": null, "persistentVolumeReclaimPolicy": "Recycle" });
    assert_eq!(unbind.body()["spec"], spec);
    let annotations = json!({ RECYCLING: null, BOUND_BY_CONTROLLER: null });
    assert_eq!(unbind.body()["metadata"]["annotations"], annotations);
    assert_eq!(plan.changes[6].body()["status"]["phase"], "Available");
    assert!(yard.is_untouched());
}

/// Two runs never hold the same lock, and the one that finds the other's leaves the volume to it.
#[test]
fn a_lock_says_which_version_it_is_of_and_another_ones_is_respected() {
    let yard = Yard::new();
    let locked = |mark: &str| {
        let volume = yard.released(ReclaimPolicy::Retain);
        one(volume.annotated(RECYCLING, mark))
    };
    let plan_locked = |chosen: &ClusterState, found: &str| {
        yard.answer(&locked(found), &question(chosen), &memory_of_run())
    };
    let free = one(yard.released(ReclaimPolicy::Recycle));
    for gone_on_with in [
        // Left by a run that ended too early, and ours, whether we heard that it was written or not.
        plan_locked(&locked("Recycle/6"), "Recycle/6"),
        plan_locked(&free, "Recycle/6/ours"),
        plan_locked(&locked("Recycle/5/theirs"), "Recycle/6/ours"),
    ] {
        assert_eq!(steps(&gone_on_with), RECYCLED);
        let lock = &gone_on_with.changes[0].body();
        assert_eq!(lock["metadata"]["annotations"][RECYCLING], "Recycle/7");
        let unbind = &gone_on_with.changes[5].body();
        assert_eq!(unbind["spec"]["persistentVolumeReclaimPolicy"], "Recycle");
    }
    for anothers in [
        plan_locked(&free, "Recycle/6/theirs"),
        plan_locked(&locked("Recycle/5/theirs"), "Recycle/6/others"),
    ] {
        assert!(anothers.changes.is_empty());
        assert_eq!(codes(&anothers), ["InUse"]);
    }
}

#[test]
fn a_reservation_by_hand_is_kept_when_it_is_emptied() {
    let yard = Yard::new();
    let mut volume = yard.released(ReclaimPolicy::Recycle);
    volume.annotations.remove(PROVISIONED_BY);
    let plan = yard.plan(&one(volume));
    let reference = &plan.changes[5].body()["spec"]["claimRef"];
    assert_eq!(*reference, json!({ "uid": null, "resourceVersion": null }));
}

/// Its claim is deleted: with the name of that claim in its claimRef no other claim could bind it.
#[test]
fn a_volume_that_a_backend_provisioned_loses_its_whole_claim_ref_when_it_is_emptied() {
    let yard = Yard::new();
    let plan = yard.plan(&one(yard.released(ReclaimPolicy::Recycle)));
    let unbind = &plan.changes[5].body();
    assert_eq!(unbind["spec"]["claimRef"], Value::Null);
    assert!(unbind["spec"].get("claimRef").is_some());
    let annotations = json!({ RECYCLING: null });
    assert_eq!(unbind["metadata"]["annotations"], annotations);
}

#[test]
fn emptying_that_was_begun_is_gone_on_with() {
    let yard = Yard::new();
    let begun = yard
        .released(ReclaimPolicy::Retain)
        .annotated(RECYCLING, "Recycle");
    let plan = yard.plan(&one(begun));
    assert_eq!(steps(&plan), RECYCLED);
    let policy = &plan.changes[5].body()["spec"]["persistentVolumeReclaimPolicy"];
    assert_eq!(*policy, "Recycle");
}

/// The controller's recycler.
fn recycler(volume: &Volume, node: Option<&str>) -> Pod {
    let mut pod = pod("recycler-for-v", "x");
    pod.key.namespace = "default".to_owned();
    pod.volumes.clear();
    pod.mounts = vec![volume.source.clone()];
    pod.uid = Some("uid-pod".to_owned());
    pod.node_name = node.map(str::to_owned);
    pod
}

#[test]
fn the_controllers_recycler_is_stopped_before_it_begins_and_never_afterwards() {
    let yard = Yard::new();
    let plan_beside = |node: Option<&str>| {
        let volume = yard.released(ReclaimPolicy::Recycle);
        let pod = recycler(&volume, node);
        yard.plan(&state_with(vec![], vec![volume], |it| it.pods.push(pod)))
    };
    let idle = plan_beside(None);
    assert_eq!(steps(&idle)[1], "Delete Pod recycler-for-v");
    let guard = &idle.changes[1].body()["preconditions"]["uid"];
    assert_eq!(*guard, "uid-pod");
    assert_eq!(steps(&idle)[2..], RECYCLED[1..]);
    let at_work = plan_beside(Some("n"));
    assert!(at_work.changes.is_empty());
    assert_eq!(codes(&at_work), ["InUse"]);
}

/// A volume of this policy that no backend here serves, on the only node there is.
fn elsewhere(policy: ReclaimPolicy, pods: Vec<Pod>) -> ClusterState {
    let mut volume = volume("v")
        .in_phase(VolumePhase::Released)
        .with_policy(policy)
        .reserved_for("gone", Some("uid-gone"))
        .stored_on("hostPath", "/elsewhere/v");
    volume.resource_version = Some("7".to_owned());
    if volume.reclaim_policy == ReclaimPolicy::Retain {
        volume = volume
            .annotated(RECYCLING, "Recycle")
            .annotated(RECYCLER_POD, "uid-pod");
    }
    let node = Node {
        name: "n1".to_owned(),
        ..Node::default()
    };
    state_with(vec![], vec![volume], |objects| {
        objects.nodes.push(node);
        objects.pods = pods;
    })
}

fn image() -> RecyclerImage {
    RecyclerImage {
        image: "busybox".to_owned(),
        namespace: "kube-system".to_owned(),
        node: None,
        seconds: 60,
    }
}

fn plan_by_pod(state: &ClusterState, image: &RecyclerImage) -> Plan {
    let yard = Yard::new();
    let question = ReclaimQuestion {
        recycler: Some(image),
        ..question(state)
    };
    yard.answer(state, &question, &Memory::default())
}

/// The steps, with the pod of ours as POD.
fn pod_steps(plan: &Plan) -> Vec<String> {
    let steps = steps(plan).into_iter();
    steps
        .map(|step| match step.find("pv-recycler-") {
            Some(start) => format!("{}POD", &step[..start]),
            None => step,
        })
        .collect()
}

const BY_POD: [&str; 10] = [
    "Create Pod POD",
    "Patch PersistentVolume v",
    "Wait Pod recycler-for-v",
    "Wait PersistentVolume v",
    "Patch Pod POD",
    "Wait Pod POD",
    "Wait Pod recycler-for-v",
    "Delete Pod POD",
    "Patch PersistentVolume v",
    "Patch PersistentVolume v status",
];

#[test]
fn a_pod_is_let_go_only_by_the_lock_that_names_it() {
    let plan = plan_by_pod(&elsewhere(ReclaimPolicy::Recycle, vec![]), &image());
    assert_eq!(pod_steps(&plan), BY_POD);
    let [made, lock, _, _, gate, wait, _, deletion, unlock, _] = &plan.changes[..] else {
        panic!("{plan:?}");
    };
    assert_eq!(made.target.namespace.as_deref(), Some("kube-system"));
    assert!(made.body()["spec"]["schedulingGates"].is_array());
    assert_eq!(lock.body()["metadata"]["resourceVersion"], "7");
    assert_eq!(
        lock.body()["spec"]["persistentVolumeReclaimPolicy"],
        "Retain"
    );
    for change in [lock, gate] {
        let mut fills = change.patch().fills.iter();
        let uid = fills.find(|fill| fill.with == FillWith::Uid).unwrap();
        assert_eq!(uid.change, 0);
        assert!(change.body().pointer(uid.place).is_some(), "{uid:?}");
    }
    for (change, operation) in [
        (wait, Operation::Wait(Wait::PodHasEnded)),
        (deletion, Operation::Delete(Deletion::OwnPod)),
    ] {
        assert_eq!((&change.operation, change.after), (&operation, Some(0)));
    }
    // What is deleted is what the lock's answer says.
    let opened = Purpose::OpenGate {
        pod: made.body(),
        locked: Some(1),
    };
    assert_eq!(gate.patch().purpose, opened);
    assert_eq!(gate.danger, Danger::LosesData);
    let losing = |change: &&Change| change.danger == Danger::LosesData;
    assert_eq!(plan.changes.iter().filter(losing).count(), 1);
    let annotations = &unlock.body()["metadata"]["annotations"];
    assert_eq!(*annotations, json!({ RECYCLING: null, RECYCLER_POD: null }));
    assert_eq!(
        unlock.body()["spec"]["persistentVolumeReclaimPolicy"],
        "Recycle"
    );
    assert_eq!(unlock.after, Some(1));
    assert_eq!(plan.losses(), ["v (1Gi, of ns/gone)"]);
}

/// A pod of ours under the name the plan gives, or another.
fn own_pod(uid: &str, phase: PodPhase, is_meant: bool) -> Pod {
    let plan = plan_by_pod(&elsewhere(ReclaimPolicy::Recycle, vec![]), &image());
    let mut name = plan.changes[0].target.name.clone();
    if !is_meant {
        name.replace_range(name.len() - 8.., "00000000");
    }
    let mut pod = pod(&name, "x");
    pod.key.namespace = "kube-system".to_owned();
    pod.volumes.clear();
    pod.uid = Some(uid.to_owned());
    pod.phase = phase;
    if phase != PodPhase::Pending {
        pod.node_name = Some("n1".to_owned());
    }
    pod
}

#[test]
fn a_pod_that_is_named_is_waited_for_and_every_other_one_goes_first() {
    let begun = |pods| plan_by_pod(&elsewhere(ReclaimPolicy::Retain, pods), &image());
    // At work, whatever its image was.
    for is_meant in [true, false] {
        let plan = begun(vec![own_pod("uid-pod", PodPhase::Running, is_meant)]);
        let mut expected = BY_POD.to_vec();
        expected.remove(4);
        expected.remove(0);
        assert_eq!(pod_steps(&plan), expected);
        assert_eq!(plan.changes[3].body()["uid"], "uid-pod");
        let named = &plan.changes[0].body()["metadata"]["annotations"][RECYCLER_POD];
        assert_eq!(*named, "uid-pod");
    }
    // Still behind its gate.
    let mut gated = own_pod("uid-pod", PodPhase::Pending, true);
    gated.wishes.gates = vec!["g".to_owned()];
    assert_eq!(pod_steps(&begun(vec![gated.clone()])), BY_POD[1..]);
    // Made by somebody who did not come to the lock: as good as new.
    gated.uid = Some("uid-other".to_owned());
    assert_eq!(pod_steps(&begun(vec![gated])), BY_POD);
    // Finished: how it ended a later run does not trust.
    for phase in [PodPhase::Failed, PodPhase::Succeeded] {
        let plan = begun(vec![own_pod("uid-pod", phase, true)]);
        assert_eq!(pod_steps(&plan)[0], "Delete Pod POD");
        assert_eq!(plan.changes[0].body()["preconditions"]["uid"], "uid-pod");
        assert_eq!(pod_steps(&plan)[1..], BY_POD);
    }
    // Not the one that is named, or one that cannot begin: gone before another one begins.
    for pod in [
        own_pod("uid-other", PodPhase::Running, true),
        own_pod("uid-pod", PodPhase::Pending, false),
    ] {
        let plan = begun(vec![pod]);
        assert_eq!(pod_steps(&plan)[..2], ["Delete Pod POD", "Wait Pod POD"]);
        assert_eq!(plan.changes[1].body()["until"], "it is gone");
        assert_eq!(pod_steps(&plan)[2..], BY_POD);
    }
}

#[test]
fn what_is_somebodys_meanwhile_keeps_no_pod_of_ours() {
    let state = elsewhere(
        ReclaimPolicy::Retain,
        vec![own_pod("uid-pod", PodPhase::Running, true)],
    );
    let mut owner = claim("gone").naming("v");
    owner.uid = Some("uid-gone".to_owned());
    let state = state.changed(&[], |objects| objects.claims.push(owner));
    let plan = plan_by_pod(&state, &image());
    assert_eq!(codes(&plan), ["ClaimExists"]);
    let unlocked = ["Delete Pod POD", "Wait Pod POD", "Patch PersistentVolume v"];
    assert_eq!(pod_steps(&plan), unlocked);
    let annotations = &plan.changes[2].body()["metadata"]["annotations"];
    assert_eq!(*annotations, json!({ RECYCLING: null, RECYCLER_POD: null }));
}

#[test]
fn a_backend_of_this_machine_goes_before_a_pod() {
    let yard = Yard::new();
    let state = one(yard.released(ReclaimPolicy::Recycle));
    let image = image();
    let question = ReclaimQuestion {
        recycler: Some(&image),
        ..question(&state)
    };
    let plan = yard.answer(&state, &question, &Memory::default());
    assert_eq!(steps(&plan), RECYCLED);
}

#[test]
fn what_went_wrong_with_a_pod_is_told_on_the_volume() {
    let plan = plan_by_pod(&elsewhere(ReclaimPolicy::Recycle, vec![]), &image());
    for (failed, is_told) in [(0, true), (1, false), (2, false), (4, true)] {
        let mut sent = vec![Sent::Done; failed];
        sent.push(Sent::Failed("no".to_owned()));
        sent.resize(plan.changes.len(), Sent::NotReached);
        let mut memory = Memory::default();
        let applied = Applied {
            assets: vec![None; sent.len()],
            sent,
            wrote: true,
            cut: None,
        };
        memory.note(&plan, &applied);
        assert_eq!(memory.failures.len() == 1, is_told, "{failed}");
    }
}

#[test]
fn what_is_not_ours_or_somebodys_is_left_alone() {
    let yard = Yard::new();
    let released = || yard.released(ReclaimPolicy::Delete);
    let mut owner = claim("gone").naming("v");
    owner.uid = Some("uid-gone".to_owned());
    let user = |_: &str| {
        state_with(vec![], vec![released()], |it| {
            it.pods.push(pod("user", "gone"));
        })
    };
    let mut foreign = released();
    foreign
        .annotations
        .insert(PROVISIONED_BY.to_owned(), "other.example".to_owned());
    let below = yard.base.join("v/deeper").display().to_string();
    let sharer = volume("w").stored_on("hostPath", &below);
    let cases: Vec<(ClusterState, &str)> = vec![
        (state(vec![owner], vec![released()]), "ClaimExists"),
        (one(volume("v")), "NotReleased"),
        (user("gone"), "InUse"),
        (one(yard.released(ReclaimPolicy::Retain)), "PolicyRetain"),
        (one(foreign), "ForeignDeleter"),
        (state(vec![], vec![released(), sharer]), "SharedAsset"),
    ];
    for (state, code) in cases {
        let plan = yard.plan(&state);
        assert!(plan.changes.is_empty(), "{code}: {plan:?}");
        assert_eq!(codes(&plan)[0], code);
    }
    assert!(yard.is_untouched());
}

#[test]
fn the_opt_out_protects_what_was_not_named() {
    let yard = Yard::new();
    let state = one(yard.released(ReclaimPolicy::Delete).annotated(KEEP, ""));
    assert_eq!(steps(&yard.plan(&state)), DELETED);
    let found = ReclaimQuestion {
        are_named: false,
        ..question(&state)
    };
    let plan = yard.answer(&state, &found, &Memory::default());
    assert_eq!(codes(&plan), ["OptOut"]);
}

#[test]
fn a_volume_is_offered_again_with_its_data() {
    let yard = Yard::new();
    let volume = yard
        .released(ReclaimPolicy::Retain)
        .annotated(BOUND_BY_CONTROLLER, "yes");
    let state = one(volume);
    let plan = yard.plan_wish(&state, Wish::Reuse { for_claim: None });
    assert_eq!(
        steps(&plan),
        [
            "Patch PersistentVolume v",
            "Patch PersistentVolume v status"
        ]
    );
    let body = &plan.changes[0].body();
    assert_eq!(body["spec"]["claimRef"], Value::Null);
    let annotations = json!({ BOUND_BY_CONTROLLER: null });
    assert_eq!(body["metadata"]["annotations"], annotations);
    assert!(plan.losses().is_empty());

    let key = ObjectKey::new("prod", "data");
    let wish = Wish::Reuse {
        for_claim: Some(&key),
    };
    let plan = yard.plan_wish(&state, wish);
    let reference = &plan.changes[1].body()["spec"]["claimRef"];
    assert_eq!(reference["name"], "data");
    assert_eq!(reference["uid"], Value::Null);
    let [errand] = &plan.errands[..] else {
        panic!("{plan:?}")
    };
    assert!(errand.what.contains("kept for prod/data"), "{errand:?}");
}

#[test]
fn a_policy_is_changed_on_whatever_volume_and_forgets_what_was_begun() {
    let yard = Yard::new();
    let set = |volume: Volume, policy: ReclaimPolicy| {
        yard.plan_wish(&one(volume), Wish::SetPolicy(policy))
    };
    let begun = yard
        .released(ReclaimPolicy::Retain)
        .annotated(RECYCLING, "Recycle");
    let plan = set(begun, ReclaimPolicy::Retain);
    assert_eq!(steps(&plan), ["Patch PersistentVolume v"]);
    let annotations = &plan.changes[0].body()["metadata"]["annotations"];
    assert_eq!(*annotations, json!({ RECYCLING: null }));

    let plan = set(volume("v"), ReclaimPolicy::Delete);
    assert_eq!(dangers(&plan), [Danger::Reversible]);
    let plan = set(yard.released(ReclaimPolicy::Retain), ReclaimPolicy::Delete);
    assert_eq!(dangers(&plan), [Danger::LosesData], "somebody may be quick");
    assert_eq!(plan.errands[0].deed.warnings().len(), 1);
    let plan = set(volume("v"), ReclaimPolicy::Retain);
    assert!(plan.changes.is_empty());
    assert_eq!(plan.skipped[0].standing(), Standing::Fine);
}

/// The plan that follows when the volume is another by then.
fn plan_after(yard: &Yard, before: &ClusterState, after: &ClusterState) -> Plan {
    yard.answer(after, &question(before), &memory_of_run())
}

/// What a run knows that has done nothing yet: its locks end with `/ours`.
fn memory_of_run() -> Memory {
    Memory {
        run: Some("ours".to_owned()),
        ..Memory::default()
    }
}

fn taker() -> Claim {
    let mut taker = claim("new").naming("v");
    taker.uid = Some("uid-new".to_owned());
    taker
}

#[test]
fn what_somebody_took_meanwhile_is_unlocked_and_left() {
    let yard = Yard::new();
    let before = one(yard.released(ReclaimPolicy::Delete));
    let mut locked = yard
        .released(ReclaimPolicy::Delete)
        .reserved_for("new", Some("uid-new"))
        .in_phase(VolumePhase::Bound);
    locked.finalizers.push(OWN_DELETION.to_owned());
    let after = state(vec![taker()], vec![locked.clone()]);
    let plan = plan_after(&yard, &before, &after);
    assert_eq!(steps(&plan), ["Patch PersistentVolume v"]);
    let body = &plan.changes[0].body()["metadata"]["finalizers"];
    assert_eq!(*body, json!([VOLUME_PROTECTION]));
    assert_eq!(codes(&plan), ["NotReleased"]);

    // Released again, but by somebody nobody was asked about.
    let after = one(locked.in_phase(VolumePhase::Released));
    let plan = plan_after(&yard, &before, &after);
    assert!(plan.losses().is_empty(), "{plan:?}");
    assert_eq!(codes(&plan), ["NotReleased"]);
}

#[test]
fn what_was_taken_while_it_was_emptied_gets_its_policy_back() {
    let yard = Yard::new();
    let before = one(yard.released(ReclaimPolicy::Recycle));
    let taken = yard
        .released(ReclaimPolicy::Retain)
        .annotated(RECYCLING, "Recycle")
        .reserved_for("new", Some("uid-new"))
        .in_phase(VolumePhase::Bound);
    let plan = plan_after(&yard, &before, &state(vec![taker()], vec![taken]));
    assert_eq!(steps(&plan), ["Patch PersistentVolume v"]);
    let body = &plan.changes[0].body();
    assert_eq!(body["spec"]["persistentVolumeReclaimPolicy"], "Recycle");
    let annotations = json!({ RECYCLING: null });
    assert_eq!(body["metadata"]["annotations"], annotations);
}

#[test]
fn what_was_to_be_kept_or_emptied_is_not_deleted_because_its_policy_was_changed_meanwhile() {
    let yard = Yard::new();
    let policy = |policy: ReclaimPolicy| one(yard.released(policy));
    let deleted = policy(ReclaimPolicy::Delete);
    for before in [ReclaimPolicy::Retain, ReclaimPolicy::Recycle] {
        let plan = plan_after(&yard, &policy(before), &deleted);
        assert!(plan.changes.is_empty());
        assert_eq!(codes(&plan), ["PolicyChanged"]);
    }
    // Our own lock is no other policy.
    let locked = yard.released(ReclaimPolicy::Retain);
    let locked = one(locked.annotated(RECYCLING, "Recycle/7/ours"));
    let plan = plan_after(&yard, &policy(ReclaimPolicy::Recycle), &locked);
    assert_eq!(steps(&plan), RECYCLED);
}

#[test]
fn another_volume_of_that_name_is_not_touched() {
    let yard = Yard::new();
    let before = one(yard.released(ReclaimPolicy::Delete));
    let mut another = yard.released(ReclaimPolicy::Delete);
    another.uid = Some("uid-another".to_owned());
    let plan = plan_after(&yard, &before, &one(another));
    assert!(plan.changes.is_empty());
    assert_eq!(codes(&plan), ["NotReleased"]);
}

/// The controller binds a waiting claim before this run has written the phase.
#[test]
fn a_volume_that_a_claim_binds_as_soon_as_it_is_emptied_is_finished() {
    let yard = Yard::new();
    let before = one(yard.released(ReclaimPolicy::Recycle));
    let plan = yard.plan(&before);
    let mut sent = vec![Sent::Done; plan.changes.len()];
    *sent.last_mut().unwrap() = Sent::Conflict("changed".to_owned());
    let applied = Applied {
        assets: vec![None; sent.len()],
        sent,
        wrote: true,
        cut: None,
    };
    let bound = yard
        .released(ReclaimPolicy::Recycle)
        .reserved_for("new", Some("uid-new"))
        .in_phase(VolumePhase::Bound);
    let after = state(vec![taker()], vec![bound]);
    let mut memory = memory_of_run();
    let again = yard.answer(&after, &question(&before), &memory);
    assert_eq!(codes(&again), ["NotReleased"], "not by this run");
    memory.note(&plan, &applied);
    let again = yard.answer(&after, &question(&before), &memory);
    assert!(again.changes.is_empty());
    assert_eq!(codes(&again), [""; 0]);
}

/// A volume that was kept for one claim and has another by now is not reported as done.
#[test]
fn a_volume_that_another_claim_binds_than_the_one_it_was_kept_for_is_not_finished() {
    let yard = Yard::new();
    let before = one(yard.released(ReclaimPolicy::Retain));
    let bound = yard
        .released(ReclaimPolicy::Retain)
        .reserved_for("new", Some("uid-new"))
        .in_phase(VolumePhase::Bound);
    let after = state(vec![taker()], vec![bound]);
    let mut memory = memory_of_run();
    memory.freed.insert("v".to_owned());
    for (name, expected) in [("new", vec![]), ("other", vec!["NotReleased"])] {
        let key = ObjectKey {
            namespace: taker().key.namespace,
            name: name.to_owned(),
        };
        let wish = Wish::Reuse {
            for_claim: Some(&key),
        };
        let asked = ReclaimQuestion {
            wish,
            ..question(&before)
        };
        assert_eq!(
            codes(&yard.answer(&after, &asked, &memory)),
            expected,
            "{name}"
        );
    }
}

#[test]
fn what_this_run_has_finished_is_not_looked_at_again() {
    let yard = Yard::new();
    let before = one(yard.released(ReclaimPolicy::Delete));
    let question = question(&before);
    let plan = yard.plan(&before);
    let after = |sent: Vec<Sent>, state: &ClusterState| {
        let mut memory = Memory::default();
        let applied = Applied {
            assets: vec![None; sent.len()],
            sent,
            wrote: true,
            cut: None,
        };
        memory.note(&plan, &applied);
        yard.answer(state, &question, &memory)
    };
    let nothing = state(vec![], vec![]);
    let all = vec![Sent::Done; 4];
    assert!(after(all, &nothing).skipped.is_empty());
    // The asset is gone, and somebody else took the lock off.
    let conflict = Sent::Conflict("changed".to_owned());
    let mut almost = vec![Sent::Done; 4];
    almost[3] = conflict.clone();
    assert!(after(almost.clone(), &nothing).skipped.is_empty());
    // Or only wrote, whatever: there is nothing left that the lock would keep.
    let mut kept = yard.released(ReclaimPolicy::Retain).deleted();
    kept.finalizers = vec!["other".to_owned(), OWN_DELETION.to_owned()];
    let plan_again = after(almost, &one(kept));
    assert_eq!(steps(&plan_again), ["Patch PersistentVolume v"]);
    assert_eq!(
        plan_again.changes[0].body()["metadata"]["finalizers"],
        json!(["other"])
    );
    // Somebody else deleted it before its asset was gone.
    let lost = vec![Sent::Done, conflict, Sent::NotReached, Sent::NotReached];
    assert_eq!(codes(&after(lost, &nothing)), ["NotReadable"]);
}

/// Nothing of it was touched, so that nobody has to wait for us.
#[test]
fn a_lock_that_serves_nothing_any_more_is_taken_off() {
    let yard = Yard::new();
    let locked = |policy: ReclaimPolicy| {
        let mut volume = yard.released(policy);
        volume.finalizers = vec!["other".to_owned(), OWN_DELETION.to_owned()];
        volume
    };
    let used = state_with(vec![], vec![locked(ReclaimPolicy::Delete)], |it| {
        it.pods.push(pod("user", "gone"));
    });
    for (state, code) in [
        (one(locked(ReclaimPolicy::Retain)), "PolicyRetain"),
        (one(locked(ReclaimPolicy::Delete)), "HeldByFinalizer"),
        (used, "InUse"),
    ] {
        let plan = yard.plan(&state);
        assert_eq!(codes(&plan), [code]);
        assert_eq!(steps(&plan), ["Patch PersistentVolume v"]);
        let finalizers = &plan.changes[0].body()["metadata"]["finalizers"];
        assert_eq!(*finalizers, json!(["other"]));
    }
    // Emptying that was begun is gone on with when the pod is gone.
    let begun = yard
        .released(ReclaimPolicy::Retain)
        .annotated(RECYCLING, "Recycle");
    let used = state_with(vec![], vec![begun], |it| it.pods.push(pod("user", "gone")));
    assert!(yard.plan(&used).changes.is_empty());
    // It was to be deleted, and is to be emptied by now.
    let mut volume = locked(ReclaimPolicy::Recycle);
    volume.finalizers.remove(0);
    let plan = yard.plan(&one(volume));
    assert_eq!(steps(&plan), RECYCLED);
    let finalizers = &plan.changes[0].body()["metadata"]["finalizers"];
    assert_eq!(*finalizers, json!([]));
}

#[test]
fn what_went_wrong_is_told_on_the_volume() {
    let yard = Yard::new();
    let state = one(yard.released(ReclaimPolicy::Delete));
    for (what, reason) in [
        (Failed::Deleting, "VolumeFailedDelete"),
        (Failed::Scrubbing, "VolumeFailedRecycle"),
    ] {
        let mut memory = Memory::default();
        memory.failures.push(Failure {
            set: None,
            claim: None,
            volume: "v".to_owned(),
            error: "no space".to_owned(),
            what,
        });
        let plan = plan_failures(&state, &mut memory).unwrap();
        let [event] = &plan.changes[..] else {
            panic!("{plan:?}");
        };
        assert_eq!(event.action(), Action::Event);
        assert_eq!(event.target.namespace.as_deref(), Some("default"));
        assert_eq!(event.body()["reason"], reason);
        assert_eq!(event.body()["involvedObject"]["kind"], "PersistentVolume");
        assert_eq!(event.body()["involvedObject"]["uid"], "uid-v");
        assert_eq!(plan.errands[0].deed, Deed::Tell);
    }
}

#[test]
fn a_volume_without_a_maker_belongs_to_where_it_lies() {
    let yard = Yard::new();
    let mut by_hand = yard.released(ReclaimPolicy::Delete);
    by_hand.annotations.clear();
    assert_eq!(steps(&yard.plan(&one(by_hand.clone()))), DELETED);
    let deeper = yard.base.join("v/deeper").display().to_string();
    let plan = yard.plan(&one(by_hand.stored_on("hostPath", &deeper)));
    assert!(plan.changes.is_empty(), "no asset: {plan:?}");
}

#[test]
fn a_run_that_ended_before_the_status_was_written_is_finished() {
    let yard = Yard::new();
    let mut freed = yard.released(ReclaimPolicy::Recycle);
    freed.claim_ref = None;
    let plan = yard.plan(&one(freed));
    assert_eq!(steps(&plan), ["Patch PersistentVolume v status"]);
    assert_eq!(plan.changes[0].body()["status"]["phase"], "Available");
    assert!(plan.skipped.is_empty() && plan.losses().is_empty());
}
