//! What is planned for sets in every state, with a directory of this machine behind them.

mod formats;

use super::super::asset_work::AssetWork;
use super::super::operation::{Action, Purpose};
use super::super::plan::{Change, Deed};
use super::*;
use crate::commands::backend_answers::plan_with;
use crate::conventions::annotations::{KEEP, OWN_DELETION, PROVISIONED_BY, SET_ORDINAL, SET_UID};
use crate::conventions::object_kind::ObjectKind;
use crate::conventions::selector::Labels;
use crate::model::{InProgress, Node, Objects, ReclaimPolicy, Time, Volume, VolumePhase};
use crate::report::{CountsAs, Danger};
use crate::storage::own_ground::{open_base, stamp};
use crate::storage::{Backends, CreateRequest};
use crate::testing::{claim, state_with, volume, volume_set};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::LazyLock;

const OURS: &str = "example.com/scratch";

struct Yard {
    base: PathBuf,
    backends: Backends,
}

static HERE: LazyLock<Host> = LazyLock::new(|| Host::named("n1"));

fn question() -> SetQuestion<'static> {
    SetQuestion {
        sets: vec!["fast".to_owned()],
        node: None,
        host: Some(&HERE),
        is_live: true,
        run: Some("this-run"),
        deletes: true,
        most: None,
        created: vec![],
    }
}

impl Yard {
    fn new() -> Self {
        let (base, backends) = open_base("set", OURS);
        Self { base, backends }
    }

    fn plan(&self, state: &ClusterState) -> Plan {
        self.answer(state, &question())
    }

    fn answer(&self, state: &ClusterState, question: &SetQuestion<'_>) -> Plan {
        self.foresee(state, question).plan
    }

    fn foresee(&self, state: &ClusterState, question: &SetQuestion<'_>) -> Foreseen {
        plan_with(&self.backends, |facts| foresee(state, question, facts))
    }

    /// A member that our backend made.
    fn ours(&self, name: &str, size: &str) -> Volume {
        let place = self.base.join(name).display().to_string();
        member(name, size)
            .stored_on("hostPath", &place)
            .annotated(PROVISIONED_BY, OURS)
            .with_policy(ReclaimPolicy::Delete)
    }
}

impl Drop for Yard {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.base);
    }
}

fn member(name: &str, size: &str) -> Volume {
    let place = format!("filer:/by-hand/{name}");
    let volume = volume(name).labelled("pool", "fast").holds(size);
    volume.stored_on("nfs", &place)
}

/// A set whose members our backend makes.
fn backed(minimum: i64, maximum: i64) -> VolumeSet {
    let mut set = volume_set("fast", minimum, maximum);
    let template = set.template.as_mut().unwrap();
    template.volume = template
        .volume
        .clone()
        .annotated(PROVISIONED_BY, OURS)
        .with_policy(ReclaimPolicy::Delete);
    template.volume.source = crate::model::VolumeSource::default();
    let annotations = json!({ PROVISIONED_BY: OURS });
    template.written["metadata"]["annotations"] = annotations;
    let spec = template.written["spec"].as_object_mut().unwrap();
    spec.remove("nfs");
    spec.insert("persistentVolumeReclaimPolicy".to_owned(), json!("Delete"));
    set
}

fn cluster(set: VolumeSet, volumes: Vec<Volume>) -> ClusterState {
    let hostname = ("kubernetes.io/hostname".to_owned(), "host-1".to_owned());
    let node = Node {
        name: "n1".to_owned(),
        labels: Labels::from([hostname]),
        ..Node::default()
    };
    let objects = Objects {
        volumes,
        volume_sets: vec![set],
        nodes: vec![node],
        ..Objects::default()
    };
    ClusterState::new(objects, vec![], Some(Time(0)))
}

fn made(plan: &Plan) -> Vec<&str> {
    let makes = |change: &&Change| {
        change.action() == Action::Create && change.target.kind == ObjectKind::PersistentVolume
    };
    let changes = plan.changes.iter().filter(makes);
    changes.map(|change| change.target.name.as_str()).collect()
}

fn deleted(plan: &Plan) -> Vec<&str> {
    let deletes = |change: &&Change| change.action() == Action::Delete;
    let changes = plan.changes.iter().filter(deletes);
    changes.map(|change| change.target.name.as_str()).collect()
}

fn codes(plan: &Plan) -> Vec<&str> {
    plan.skipped.iter().map(|left| left.code().name()).collect()
}

#[test]
fn each_volume_is_made_behind_a_note_in_the_set() {
    let yard = Yard::new();
    let plan = yard.plan(&cluster(backed(2, 5), vec![]));
    let told: Vec<(Action, ObjectKind)> = plan
        .changes
        .iter()
        .map(|change| (change.action(), change.target.kind))
        .collect();
    let one = [
        (Action::Patch, ObjectKind::PersistentVolumeSet),
        (Action::CreateAsset, ObjectKind::Asset),
        (Action::Patch, ObjectKind::PersistentVolumeSet),
        (Action::Create, ObjectKind::PersistentVolume),
        (Action::Event, ObjectKind::Event),
    ];
    let end = [(Action::Patch, ObjectKind::PersistentVolumeSet)];
    assert_eq!(told, [&one[..], &one[..], &end[..]].concat());
    let notes: Vec<&Change> = plan
        .changes
        .iter()
        .filter(|change| change.target.kind == ObjectKind::PersistentVolumeSet)
        .collect();
    assert_eq!(
        notes[0].preconditions().resource_version.as_deref(),
        Some("1")
    );
    assert_eq!(notes[0].body()["status"]["inProgress"]["volume"], "fast-0");
    assert_eq!((notes[1].after, notes[2].after), (Some(0), Some(2)));
    let end = notes.last().unwrap();
    assert_eq!(end.body()["status"]["inProgress"], json!(null));
    let errands = vec![0, 1];
    assert_eq!(end.patch().purpose, Purpose::SumUp { errands });
    let object = &plan.changes[3].body();
    assert_eq!(object["metadata"]["annotations"][SET_ORDINAL], "0");
    assert_eq!(object["metadata"]["annotations"][SET_UID], "uid-fast");
    let path = yard.base.join("fast-0").display().to_string();
    assert_eq!(object["spec"]["hostPath"]["path"], path);
    assert_eq!(
        object["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"][0]["matchExpressions"][0]["values"]
            [0],
        "host-1"
    );
}

#[test]
fn a_template_without_a_backend_says_all_there_is() {
    let yard = Yard::new();
    let plan = yard.plan(&cluster(volume_set("fast", 1, 5), vec![]));
    assert_eq!(made(&plan), ["fast-0"]);
    let object = &plan.changes[1].body();
    assert_eq!(object["spec"]["nfs"]["path"], "/pools/fast/0");
    assert!(
        plan.changes
            .iter()
            .all(|change| change.asset_work().is_none())
    );
}

#[test]
fn the_lowest_free_number_is_taken() {
    let yard = Yard::new();
    let taken = vec![yard.ours("fast-0", "1Gi"), yard.ours("fast-2", "1Gi")];
    let plan = yard.plan(&cluster(backed(4, 9), taken.clone()));
    assert_eq!(made(&plan), ["fast-1", "fast-3"]);
    let plan = yard.plan(&cluster(volume_set("fast", 4, 9), taken));
    assert_eq!(made(&plan), ["fast-1", "fast-3"]);
}

#[test]
fn a_number_that_was_given_is_not_given_again_where_nobody_can_look() {
    let yard = Yard::new();
    let mut set = volume_set("fast", 1, 9);
    set.status.next_ordinal = Some(3);
    assert_eq!(made(&yard.plan(&cluster(set, vec![]))), ["fast-3"]);
    let last = member("fast-6", "1Gi")
        .annotated(SET_ORDINAL, "6")
        .reserved_for("gone", Some("uid-gone"));
    let set = volume_set("fast", 1, 9);
    assert_eq!(made(&yard.plan(&cluster(set, vec![last]))), ["fast-7"]);
    // Directories are looked at.
    let mut set = backed(1, 9);
    set.status.next_ordinal = Some(3);
    assert_eq!(made(&yard.plan(&cluster(set, vec![]))), ["fast-0"]);
}

#[test]
fn what_an_earlier_tenant_left_is_not_handed_on() {
    let yard = Yard::new();
    let state = cluster(backed(1, 9), vec![]);
    let plan = yard.plan(&state);
    make(&yard, &plan);
    // As it was made, it is taken up again.
    assert_eq!(made(&yard.plan(&state)), ["fast-0"]);
    fs::write(yard.base.join("fast-0/secret"), "x").unwrap();
    let plan = yard.plan(&state);
    assert_eq!(made(&plan), ["fast-1"]);
    assert_eq!(codes(&plan), ["AssetTaken"]);
    // What has no record is nobody's to hand on, be it empty.
    fs::create_dir(yard.base.join("fast-1")).unwrap();
    assert_eq!(made(&yard.plan(&state)), ["fast-2"]);
    // A set of the same name that was made anew is another.
    let mut anew = backed(1, 9);
    anew.uid = Some("another".to_owned());
    fs::remove_file(yard.base.join("fast-0/secret")).unwrap();
    assert_eq!(made(&yard.plan(&cluster(anew, vec![]))), ["fast-2"]);
}

fn make(yard: &Yard, plan: &Plan) {
    let creator = yard
        .backends
        .find(OURS)
        .unwrap()
        .creator()
        .unwrap()
        .unwrap();
    for change in &plan.changes {
        if let Some(AssetWork::Create { request, .. }) = change.asset_work() {
            let request: &CreateRequest = request;
            creator.create(request).unwrap();
        }
    }
}

#[test]
fn an_asset_whose_volume_never_came_goes_if_nobody_needs_it() {
    let yard = Yard::new();
    make(&yard, &yard.plan(&cluster(backed(1, 9), vec![])));
    let enough = vec![yard.ours("fast-7", "1Gi")];
    let plan = yard.plan(&cluster(backed(1, 9), enough.clone()));
    let deeds: Vec<&Deed> = plan.errands.iter().map(|errand| &errand.deed).collect();
    assert!(matches!(deeds[0], Deed::TakeBackMember { .. }));
    // Not while whoever made it may still make its volume.
    let mut set = backed(1, 9);
    set.status.in_progress = Some(InProgress {
        action: "Create".to_owned(),
        volume: "fast-0".to_owned(),
        ordinal: Some(0),
        until: Some(Time(i64::MAX)),
        by: Some("another".to_owned()),
    });
    let plan = yard.plan(&cluster(set, enough));
    assert!(plan.errands.iter().all(|errand| errand.deed.is_aside()));
    assert_eq!(codes(&plan), ["InUse"]);
    let written = |change: &Change| change.body()["status"].get("inProgress").is_some();
    assert!(!plan.changes.iter().any(written));
}

#[test]
fn a_member_that_somebody_is_about_to_make_is_made_and_no_other() {
    let yard = Yard::new();
    let mut set = volume_set("fast", 1, 9);
    set.status.next_ordinal = Some(5);
    let begun = |until: i64| InProgress {
        action: "Create".to_owned(),
        volume: "fast-4".to_owned(),
        ordinal: Some(4),
        until: Some(Time(until)),
        by: None,
    };
    set.status.in_progress = Some(begun(i64::MAX));
    assert_eq!(made(&yard.plan(&cluster(set.clone(), vec![]))), ["fast-4"]);
    // What this run had begun it has given up, or it would not plan again.
    let mut own = set.clone();
    own.status.in_progress.as_mut().unwrap().by = Some("this-run".to_owned());
    assert_eq!(made(&yard.plan(&cluster(own, vec![]))), ["fast-5"]);
    // What became of one that is long over nobody knows.
    set.status.in_progress = Some(begun(-1));
    assert_eq!(made(&yard.plan(&cluster(set, vec![]))), ["fast-5"]);
}

#[test]
fn volumes_that_would_lie_in_one_place_are_not_made() {
    let yard = Yard::new();
    let mut set = volume_set("fast", 2, 9);
    let template = set.template.as_mut().unwrap();
    template.volume.source.location = Some("filer:/pools/one".to_owned());
    template.written["spec"]["nfs"]["path"] = json!("/pools/one");
    let plan = yard.plan(&cluster(set, vec![]));
    assert_eq!(made(&plan), ["fast-0"]);
    assert_eq!(codes(&plan), ["SharedAsset"]);
    // A place that a volume made by hand has is passed over.
    let by_hand = member("x", "1Gi").stored_on("nfs", "filer:/pools/fast/0");
    let plan = yard.plan(&cluster(volume_set("fast", 2, 9), vec![by_hand]));
    assert_eq!(made(&plan), ["fast-1"]);
}

/// A volume above the places of all members would be passed over for ever. Servers are not compared: one has several names.
#[test]
fn below_the_directory_of_another_volume_nothing_is_created() {
    let yard = Yard::new();
    for above in ["filer:/pools", "other:/pools/fast", "filer:/"] {
        let other = volume("other").stored_on("nfs", above);
        let plan = yard.plan(&cluster(volume_set("fast", 2, 9), vec![other]));
        assert_eq!(made(&plan), [""; 0], "{above}");
        assert_eq!(codes(&plan), ["SharedAsset"], "{above}");
    }
}

#[test]
fn the_largest_unbound_member_of_ours_goes_and_nothing_else() {
    let yard = Yard::new();
    let bound = yard
        .ours("bound", "9Gi")
        .in_phase(VolumePhase::Bound)
        .reserved_for("b", Some("uid-b"));
    let volumes = vec![
        yard.ours("small", "1Gi"),
        yard.ours("b-large", "3Gi"),
        yard.ours("a-large", "3Gi"),
        member("by-hand", "8Gi"),
        yard.ours("kept", "7Gi").annotated(KEEP, ""),
        yard.ours("retained", "6Gi")
            .with_policy(ReclaimPolicy::Retain),
        yard.ours("reserved", "5Gi").reserved_for("later", None),
        bound,
    ];
    let plan = yard.plan(&cluster(backed(0, 7), volumes.clone()));
    assert_eq!(deleted(&plan), ["a-large"]);
    assert_eq!(codes(&plan), ["NoDeleter", "OptOut", "PolicyRetain"]);
    let plan = yard.plan(&cluster(backed(0, 6), volumes.clone()));
    assert_eq!(deleted(&plan), ["a-large", "b-large"]);
    let plan = yard.plan(&cluster(backed(0, 0), volumes.clone()));
    assert_eq!(deleted(&plan), ["a-large", "b-large", "small"]);
    assert_eq!(codes(&plan).last(), Some(&"AboveMaximum"));
    // Nothing goes without leave, and nothing at all where no backend is named.
    let question = SetQuestion {
        deletes: false,
        ..question()
    };
    let plan = yard.answer(&cluster(backed(0, 0), volumes.clone()), &question);
    assert_eq!((deleted(&plan).len(), codes(&plan)), (0, vec!["NotNamed"]));
    let plan = yard.plan(&cluster(volume_set("fast", 0, 0), volumes));
    assert!(deleted(&plan).is_empty());
}

#[test]
fn what_holds_data_is_not_deleted() {
    let yard = Yard::new();
    let volumes = vec![yard.ours("full", "2Gi"), yard.ours("empty", "1Gi")];
    fs::create_dir_all(yard.base.join("full")).unwrap();
    fs::write(yard.base.join("full/file"), "x").unwrap();
    let plan = yard.plan(&cluster(backed(0, 1), volumes));
    assert_eq!(deleted(&plan), ["empty"]);
    assert_eq!(codes(&plan), ["HoldsData"]);
    assert!(plan.losses().is_empty());
    let dangers = plan.changes.iter().map(|change| change.danger);
    assert_eq!(dangers.max(), Some(Danger::Reversible));
}

/// The volume may stay after all, if somebody writes it in between; its asset then stays with it.
#[test]
fn the_asset_of_a_member_that_is_to_go_is_no_leftover() {
    let yard = Yard::new();
    let set = backed(1, 1);
    make(&yard, &yard.plan(&cluster(set, vec![])));
    let of = |name: &str| yard.ours(name, "1Gi");
    let plan = yard.plan(&cluster(backed(0, 0), vec![of("fast-0")]));
    assert_eq!(deleted(&plan), ["fast-0"]);
    let works = plan.changes.iter().filter_map(|change| change.asset_work());
    let works: Vec<_> = works.collect();
    assert!(
        matches!(works[..], [AssetWork::DeleteEmpty { .. }]),
        "{works:?}"
    );
    // Nor is one that another volume stands for.
    let moved = of("other").stored_on("hostPath", &yard.base.join("fast-0").display().to_string());
    let plan = yard.plan(&cluster(backed(0, 1), vec![moved]));
    assert!(
        plan.changes
            .iter()
            .all(|change| change.asset_work().is_none())
    );
}

/// A request that is sent twice must not miss what was asked for in between.
#[test]
fn what_counts_as_written_by_an_earlier_attempt_has_not_changed_since() {
    let yard = Yard::new();
    let volumes = vec![yard.ours("a", "2Gi"), yard.ours("b", "1Gi")];
    let plan = yard.plan(&cluster(backed(0, 1), volumes));
    let note = &plan.changes[0];
    assert_eq!(note.provided()[0].0, "/metadata/generation");
    let provided: Vec<&str> = plan.changes[1].provided().iter().map(|it| it.0).collect();
    assert_eq!(
        provided,
        [
            "/spec/claimRef",
            "/spec/persistentVolumeReclaimPolicy",
            "/metadata/annotations/kubectl-pv.dev~1keep",
            "/metadata/labels",
        ]
    );
    assert_eq!(plan.changes[1].provided()[0].1, json!(null));
    assert_eq!(plan.changes[1].provided()[3].1, json!({ "pool": "fast" }));
}

#[test]
fn our_lock_goes_from_what_stays() {
    let yard = Yard::new();
    let mut kept = yard.ours("kept", "1Gi").annotated(KEEP, "");
    kept.finalizers = vec!["other".to_owned(), OWN_DELETION.to_owned()];
    let plan = yard.plan(&cluster(backed(0, 1), vec![kept.clone()]));
    let change = &plan.changes[0];
    assert_eq!(
        (change.action(), change.target.name.as_str()),
        (Action::Patch, "kept")
    );
    assert_eq!(change.body()["metadata"]["finalizers"], json!(["other"]));
    assert!(deleted(&plan).is_empty());
    // What is being deleted stays locked while its asset exists, and what was released is for `reclaim`.
    fs::create_dir(yard.base.join("kept")).unwrap();
    let mut released = kept.clone();
    released.phase = VolumePhase::Released;
    for other in [kept.deleted(), released] {
        let plan = yard.plan(&cluster(backed(0, 1), vec![other]));
        let is_volume = |change: &Change| change.target.kind == ObjectKind::PersistentVolume;
        assert!(!plan.changes.iter().any(is_volume));
    }
}

#[test]
fn what_nobody_can_look_into_is_not_deleted() {
    let yard = Yard::new();
    fs::write(yard.base.join("file"), "no directory").unwrap();
    let plan = yard.plan(&cluster(backed(0, 0), vec![yard.ours("file", "1Gi")]));
    assert!(deleted(&plan).is_empty());
    assert_eq!(codes(&plan), ["HoldsData", "AboveMaximum"]);
}

#[test]
fn what_is_going_makes_room_and_is_finished() {
    let yard = Yard::new();
    let mut going = yard.ours("going", "5Gi").deleted();
    going.finalizers = vec![OWN_DELETION.to_owned()];
    let volumes = vec![yard.ours("a", "1Gi"), yard.ours("b", "1Gi"), going];
    let plan = yard.plan(&cluster(backed(0, 2), volumes));
    assert!(deleted(&plan).is_empty());
    let assets: Vec<&str> = plan
        .changes
        .iter()
        .filter(|change| change.action() == Action::DeleteAsset)
        .map(|change| change.target.name.as_str())
        .collect();
    assert_eq!(assets, ["going"]);
    // It counts until it is gone: nothing is made in its place yet.
    let mut foreign = yard.ours("going", "5Gi").deleted();
    foreign.finalizers = vec!["example.com/other".to_owned()];
    let plan = yard.plan(&cluster(backed(1, 1), vec![foreign]));
    assert!(made(&plan).is_empty());
}

/// Neither the annotation nor the policy can keep an asset that does not exist any more; one that exists stays.
#[test]
fn a_deletion_that_was_begun_ends_unless_an_asset_is_to_be_kept() {
    let yard = Yard::new();
    stamp(&yard.base);
    let mut going = yard.ours("going", "5Gi").deleted();
    going.finalizers = vec![OWN_DELETION.to_owned()];
    let mut unlabelled = going.clone().annotated(SET_UID, "uid-fast");
    unlabelled.labels.clear();
    let cases = [
        (going.clone().annotated(KEEP, ""), "OptOut"),
        (going.with_policy(ReclaimPolicy::Retain), "PolicyRetain"),
        (unlabelled, "OptOut"),
    ];
    let mut set = backed(0, 2);
    set.uid = Some("uid-fast".to_owned());
    for (volume, code) in cases {
        let state = cluster(set.clone(), vec![volume]);
        let plan = yard.plan(&state);
        let unlock = plan
            .changes
            .iter()
            .rfind(|it| it.target.kind == ObjectKind::PersistentVolume);
        let unlock = unlock.expect("it is finished");
        assert_eq!(unlock.body()["metadata"]["finalizers"], json!([]), "{code}");
        assert_eq!(codes(&plan), [""; 0]);
        fs::create_dir(yard.base.join("going")).unwrap();
        let plan = yard.plan(&state);
        assert!(
            !plan
                .changes
                .iter()
                .any(|it| it.target.kind == ObjectKind::PersistentVolume)
        );
        assert_eq!(codes(&plan), [code]);
        let message = plan.skipped[0].message.to_string();
        assert!(message.contains("it is being deleted"), "{message}");
        fs::remove_dir(yard.base.join("going")).unwrap();
    }
}

#[test]
fn a_claim_that_names_a_member_keeps_it() {
    let yard = Yard::new();
    let state = state_with(
        vec![claim("c").naming("large")],
        vec![yard.ours("large", "2Gi"), yard.ours("small", "1Gi")],
        |objects| objects.volume_sets.push(backed(0, 1)),
    );
    let plan = yard.plan(&state);
    assert_eq!(deleted(&plan), ["small"]);
    assert_eq!(codes(&plan), ["InUse"]);
}

#[test]
fn a_set_that_is_as_it_is_to_be_is_left_alone() {
    let yard = Yard::new();
    let first = yard.foresee(&cluster(backed(2, 5), vec![]), &question());
    assert!(!first.plan.changes.is_empty());
    let again = yard.foresee(&first.state, &question());
    assert_eq!(again.plan.changes, []);
}

#[test]
fn without_a_backend_nothing_is_made_and_the_set_says_why() {
    let yard = Yard::new();
    let none = Backends::default();
    let state = cluster(backed(1, 5), vec![]);
    let plan = plan_with(&none, |facts| plan_sets(&state, &question(), facts));
    assert_eq!(
        (made(&plan).len(), codes(&plan)),
        (0, vec!["NoProvisioner"])
    );
    let changes = plan.changes.iter();
    let mut conditions = changes.map(|change| change.body()["status"]["conditions"][0].clone());
    let ready = conditions.find(|condition| !condition.is_null()).unwrap();
    let is_told = |change: &Change| change.body()["reason"] == "FailedCreate";
    assert!(plan.changes.iter().any(is_told));
    assert_eq!(
        (&ready["status"], &ready["reason"]),
        (&json!("False"), &json!("NoProvisioner"))
    );
    // Nobody says which node this is.
    let question = SetQuestion {
        host: None,
        ..question()
    };
    let plan = yard.answer(&cluster(backed(1, 5), vec![]), &question);
    assert_eq!(codes(&plan), ["NoFeasibleNode"]);
}

/// A member in one of the states that volumes can be in.
#[derive(Debug, Clone)]
struct Random {
    state: u8,
    size: u8,
    is_ours: bool,
}

fn random() -> impl Strategy<Value = (Vec<Random>, i64, i64, bool)> {
    let one = (0_u8..8, 1_u8..5, any::<bool>()).prop_map(|(state, size, is_ours)| Random {
        state,
        size,
        is_ours,
    });
    let members = proptest::collection::vec(one, 0..12);
    (members, 0_i64..8, 0_i64..8, any::<bool>())
}

fn of_random(yard: &Yard, index: usize, random: &Random) -> Volume {
    let size = format!("{}Gi", random.size);
    let name = format!("m-{index:02}");
    let volume = if random.is_ours {
        yard.ours(&name, &size)
    } else {
        member(&name, &size)
    };
    let uid = format!("uid-{name}");
    match random.state {
        0 => volume.in_phase(VolumePhase::Pending),
        1 => volume
            .in_phase(VolumePhase::Bound)
            .reserved_for("c", Some(&uid)),
        2 => volume
            .in_phase(VolumePhase::Released)
            .reserved_for("c", Some(&uid)),
        3 => volume.reserved_for("later", None),
        4 => volume.deleted(),
        5 => volume.annotated(KEEP, ""),
        _ => volume,
    }
}

fn counted(state: &ClusterState) -> BTreeMap<String, CountsAs> {
    let set = state.find_volume_set("fast").unwrap();
    let members = find_members(state, set);
    let members = members.iter();
    members
        .map(|member| (member.volume.name.clone(), member.counts_as))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn from_any_state_it_comes_to_rest_and_harms_nobody((members, minimum, more, is_backed) in random()) {
        let yard = Yard::new();
        let maximum = minimum + more;
        let set = if is_backed { backed(minimum, maximum) } else { volume_set("fast", minimum, maximum) };
        let volumes = members.iter().enumerate();
        let volumes: Vec<Volume> = volumes.map(|(index, random)| of_random(&yard, index, random)).collect();
        let before = cluster(set.clone(), volumes);
        let levels = Levels::of(&find_members(&before, &set));
        let foreseen = yard.foresee(&before, &question());
        let (sizes, counts) = (before.clone(), counted(&before));

        // Never more than needed, and never above the maximum.
        prop_assert_eq!(made(&foreseen.plan).len() as u64, levels.missing(&set));
        let after = Levels::of(&find_members(&foreseen.state, &set));
        prop_assert!(after.total <= levels.total.max(maximum.unsigned_abs()));
        prop_assert!(made(&foreseen.plan).is_empty() || after.unbound <= minimum.unsigned_abs());

        // Only what is unbound and ours, no more than the surplus, and nothing larger of that kind stays.
        let gone = deleted(&foreseen.plan);
        prop_assert!(gone.len() as u64 <= levels.surplus(&set));
        let may_go = |name: &str| {
            let volume = sizes.find_volume(name).unwrap();
            counts[name] == CountsAs::Unbound && is_backed && !volume.has_annotation(KEEP)
                && volume.provisioned_by() == Some(OURS)
        };
        let size = |name: &str| sizes.find_volume(name).unwrap().capacity.clone();
        for name in &gone {
            prop_assert!(may_go(name), "{} was deleted", name);
        }
        for name in counts.keys().filter(|name| may_go(name) && !gone.contains(&name.as_str())) {
            prop_assert!(gone.iter().all(|gone| size(gone) >= size(name)));
            prop_assert_eq!(gone.len() as u64, levels.surplus(&set));
        }

        // The next look finds nothing to do.
        let again = yard.foresee(&foreseen.state, &question());
        prop_assert_eq!(&again.plan.changes, &vec![]);

        // One step at a time leads to the same end.
        let one = SetQuestion { most: Some(1), ..question() };
        let mut stepped = before;
        for _ in 0..40 {
            let next = yard.foresee(&stepped, &one);
            if next.plan.changes.is_empty() {
                break;
            }
            let steps = next.plan.errands.iter().filter(|errand| !errand.deed.is_aside());
            prop_assert!(steps.count() <= 1);
            stepped = next.state;
        }
        prop_assert_eq!(counted(&stepped), counted(&foreseen.state));
    }
}

#[test]
fn members_are_created_only_on_the_node_that_they_are_for() {
    let yard = Yard::new();
    let state = cluster(backed(2, 2), vec![]).changed(&[], |objects| {
        let mut other = objects.nodes[0].clone();
        other.name = "n2".to_owned();
        objects.nodes.push(other);
    });
    let on = |host: &'static str, node: &'static str| {
        let host = Host::named(host);
        let question = SetQuestion {
            node: Some(node),
            host: Some(&host),
            ..question()
        };
        yard.answer(&state, &question)
    };
    let elsewhere = on("n1", "n2");
    assert_eq!(codes(&elsewhere), ["NodeAffinityMismatch"]);
    assert!(made(&elsewhere).is_empty());
    let here = on("n2", "n2");
    assert_eq!((made(&here).len(), here.warnings.len()), (2, 0));
    let desk = on("desk", "n2");
    assert_eq!(made(&desk).len(), 2);
    let [warning] = &desk.warnings[..] else {
        panic!("{:?}", desk.warnings);
    };
    assert_eq!(
        (warning.code.name(), &*warning.target.as_ref().unwrap().name),
        ("NotThisNode", "fast")
    );
}

#[test]
fn a_member_whose_directory_was_replaced_by_a_link_stays() {
    let yard = Yard::new();
    stamp(&yard.base);
    fs::create_dir(yard.base.join("elsewhere")).unwrap();
    symlink(yard.base.join("elsewhere"), yard.base.join("fast-0")).unwrap();
    fs::create_dir(yard.base.join("fast-1")).unwrap();
    let members = vec![yard.ours("fast-0", "2Gi"), yard.ours("fast-1", "1Gi")];
    let plan = yard.plan(&cluster(backed(0, 1), members));
    assert_eq!(codes(&plan), ["AssetIsLink"]);
    assert_eq!(deleted(&plan), ["fast-1"]);
    // Before the note in the set, and before the lock.
    let checked = plan.changes.iter().filter(|change| change.check.is_some());
    let checked: Vec<&str> = checked.map(|change| change.target.name.as_str()).collect();
    assert_eq!(checked, ["fast", "fast-1"]);
}
