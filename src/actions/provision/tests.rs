//! What is planned for claims in every state, with a directory of this machine behind it.

mod formats;

use super::super::asset_work::AssetWork;
use super::super::memory::{Failed, Failure};
use super::super::operation::Action;
use super::super::plan::{Change, Warning};
use super::failures::plan_failures;
use super::*;
use crate::commands::backend_answers::plan_with;
use crate::conventions::annotations::{
    BETA_STORAGE_PROVISIONER, OWN_DELETION, PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER,
};
use crate::conventions::object_kind::ObjectKind;
use crate::conventions::selector::{Labels, Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
use crate::engine::refusal::Standing;
use crate::model::{Claim, Node, ReclaimPolicy, Volume, VolumePhase};
use crate::storage::own_ground::open_base;
use crate::storage::{Backends, Deleted, VolumeAsset};
use crate::testing::{claim, class, state_with, volume};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

const OURS: &str = "example.com/scratch";

/// A base directory with its backend.
struct Yard {
    base: PathBuf,
    backends: Backends,
}

impl Yard {
    fn new() -> Self {
        let (base, backends) = open_base("provision", OURS);
        Self { base, backends }
    }

    fn plan(&self, state: &ClusterState, memory: &Memory) -> Plan {
        self.plan_with(state, memory, true)
    }

    fn plan_with(&self, state: &ClusterState, memory: &Memory, waits: bool) -> Plan {
        let keys = state.claims().iter().map(|claim| claim.key.clone());
        let question = ProvisionQuestion {
            claims: keys.collect(),
            are_named: false,
            reach: None,
            node: None,
            host: Some(&Host::named("n1")),
            is_live: true,
            waits,
            rules: Rules::V1_36,
        };
        plan_with(&self.backends, |facts| {
            plan_provision(state, &question, memory, facts)
        })
    }

    /// Makes an asset for a claim of that uid, as an earlier run did.
    fn make_for(&self, uid: &str) {
        let mut claim = pending("c");
        claim.uid = Some(uid.to_owned());
        self.make(&self.plan(&cluster(vec![claim], vec![]), &Memory::default()));
    }

    /// Makes what the plan says of assets.
    fn make(&self, plan: &Plan) {
        for change in &plan.changes {
            if let Some(AssetWork::Create { request, .. }) = change.asset_work() {
                let creator = self
                    .backends
                    .find(OURS)
                    .unwrap()
                    .creator()
                    .unwrap()
                    .unwrap();
                creator.create(request).unwrap();
            }
        }
    }
}

impl Drop for Yard {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.base);
    }
}

fn cluster(claims: Vec<Claim>, volumes: Vec<Volume>) -> ClusterState {
    state_with(claims, volumes, |objects| {
        objects.classes.push(class("scratch", OURS));
        objects.classes.push(class("other", "example.com/other"));
        let hostname = ("kubernetes.io/hostname".to_owned(), "host-1".to_owned());
        objects.nodes.push(Node {
            name: "n1".to_owned(),
            labels: Labels::from([hostname]),
            ..Node::default()
        });
    })
}

fn pending(name: &str) -> Claim {
    claim(name).of_class(Some("scratch"))
}

/// A volume as this program makes it for a claim.
fn made_for(name: &str, uid: &str) -> Volume {
    volume(&format!("pvc-{uid}"))
        .of_class("scratch")
        .reserved_for(name, Some(uid))
        .annotated(PROVISIONED_BY, OURS)
        .with_policy(ReclaimPolicy::Delete)
        .in_phase(VolumePhase::Pending)
}

/// What is done to what, in short.
fn steps(plan: &Plan) -> Vec<String> {
    let short = |change: &Change| {
        let target = &change.target;
        let name = if target.kind == ObjectKind::Event {
            "…"
        } else {
            &target.name
        };
        let part = change.subresource().map_or("", |_| " status");
        format!("{:?} {:?} {name}{part}", change.action(), target.kind)
    };
    plan.changes.iter().map(short).collect()
}

fn codes(plan: &Plan) -> Vec<&str> {
    plan.skipped
        .iter()
        .map(|skipped| skipped.code().name())
        .collect()
}

#[test]
fn what_is_ours_is_made_from_the_claim_to_the_bind() {
    let yard = Yard::new();
    let plan = yard.plan(&cluster(vec![pending("c")], vec![]), &Memory::default());
    assert_eq!(
        steps(&plan),
        [
            "Patch PersistentVolumeClaim c",
            "CreateAsset Asset pvc-uid-c",
            "Create PersistentVolume pvc-uid-c",
            "Patch PersistentVolume pvc-uid-c status",
            "Patch PersistentVolumeClaim c",
            "Patch PersistentVolumeClaim c status",
            "Event Event …",
        ]
    );
    let volume = &plan.changes[2].body();
    assert_eq!(volume["spec"]["claimRef"]["uid"], "uid-c");
    assert_eq!(volume["spec"]["persistentVolumeReclaimPolicy"], "Delete");
    let tied = "/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/values/0";
    assert_eq!(volume.pointer(tied).unwrap(), "host-1");
    assert_eq!(plan.changes[4].after, Some(0), "builds on the first patch");
    assert!(
        fs::read_dir(&yard.base).unwrap().next().is_none(),
        "planning touches nothing"
    );
}

#[test]
fn the_object_says_what_the_engine_was_shown() {
    let yard = Yard::new();
    let plan = yard.plan(&cluster(vec![pending("c")], vec![]), &Memory::default());
    let text = plan.changes[2].body().to_string();
    let read = crate::load::read_text(&text, "ns").unwrap().state;
    let read = &read.volumes()[0];
    assert_eq!(read.capacity.to_string(), "1Gi");
    assert_eq!(read.class(), "scratch");
    assert_eq!(read.provisioned_by(), Some(OURS));
    assert_eq!(
        read.claim_ref.as_ref().unwrap().uid.as_deref(),
        Some("uid-c")
    );
    assert_eq!(read.source.field, "hostPath");
}

#[test]
fn the_deleter_needs_nothing_but_the_volume_to_remove_its_asset() {
    let yard = Yard::new();
    let plan = yard.plan(&cluster(vec![pending("c")], vec![]), &Memory::default());
    yard.make(&plan);
    fs::write(yard.base.join("pvc-uid-c/file"), "data").unwrap();
    let spec = &plan.changes[2].body()["spec"];
    let volume = VolumeAsset {
        volume: "pvc-uid-c".to_owned(),
        source: serde_json::json!({ "hostPath": spec["hostPath"] }),
    };
    let backend = yard.backends.find(OURS).unwrap();
    let deleter = backend.deleter().unwrap().unwrap();
    assert_eq!(deleter.delete(&volume).unwrap(), Deleted::Removed);
    assert!(!yard.base.join("pvc-uid-c").exists());
    assert_eq!(deleter.delete(&volume).unwrap(), Deleted::AlreadyGone);
}

#[test]
fn what_cannot_be_made_is_told_on_the_claim_and_nothing_else_is_done() {
    let yard = Yard::new();
    let wrong = [
        (pending("c").selecting("tier=gold"), "SelectorMismatch"),
        (pending("c").modes(&["ReadWriteMany"]), "ProvisioningFailed"),
    ];
    for (claim, code) in wrong {
        let plan = yard.plan(&cluster(vec![claim], vec![]), &Memory::default());
        assert_eq!(codes(&plan), [code]);
        assert_eq!(steps(&plan), ["Event Event …"]);
        assert_eq!(plan.changes[0].body()["reason"], "ProvisioningFailed");
    }
}

#[test]
fn an_unknown_parameter_is_refused_and_a_secret_one_is_not_shown() {
    let yard = Yard::new();
    let mut state = cluster(vec![pending("c")], vec![]);
    let mut wrong = class("scratch", OURS);
    wrong.parameters = BTreeMap::from([("password".to_owned(), "hunter2".to_owned())]);
    state.swap_class(wrong);
    let plan = yard.plan(&state, &Memory::default());
    assert_eq!(codes(&plan), ["ProvisioningFailed"]);
    assert!(plan.skipped[0].message.to_string().contains("password"));
    let all = serde_json::to_string(&plan).unwrap();
    assert!(!all.contains("hunter2"), "{all}");
}

#[test]
fn a_volume_made_once_is_no_sign_that_more_will_be_made() {
    let yard = Yard::new();
    let plan = yard.plan(&cluster(vec![pending("c")], vec![]), &Memory::default());
    let made = crate::load::read_text(&plan.changes[2].body().to_string(), "ns").unwrap();
    assert!(!made.state.has_volume_made_by(OURS));
    let theirs = cluster(vec![], vec![made_for("c", "old")]);
    assert!(theirs.has_volume_made_by(OURS));
}

/// The skipped codes, and the texts of the warnings with their codes.
fn for_node(claim: Claim, host: &str, node: Option<&str>) -> (Vec<&'static str>, Vec<Warning>) {
    let yard = Yard::new();
    let state = cluster(vec![claim], vec![]).changed(&[], |objects| {
        let mut other = objects.nodes[0].clone();
        other.name = "n2".to_owned();
        other
            .labels
            .insert("kubernetes.io/hostname".to_owned(), "host-2".to_owned());
        objects.nodes.push(other);
    });
    let host = Host::named(host);
    let question = ProvisionQuestion {
        claims: vec![state.claims()[0].key.clone()],
        are_named: true,
        reach: None,
        node,
        host: Some(&host),
        is_live: true,
        waits: true,
        rules: Rules::V1_36,
    };
    let plan = plan_with(&yard.backends, |facts| {
        plan_provision(&state, &question, &Memory::default(), facts)
    });
    let codes: Vec<&str> = plan.skipped.iter().map(|left| left.code().name()).collect();
    // A refusal because of the machine is not reported on the claim.
    assert!(codes != ["NodeAffinityMismatch"] || plan.changes.is_empty());
    (codes, plan.warnings)
}

#[test]
fn a_directory_is_created_only_on_the_node_that_it_is_for() {
    let free = || pending("c");
    let selected = || pending("c").annotated(SELECTED_NODE, "n2");
    let refused = || (vec!["NodeAffinityMismatch"], vec![]);
    // This machine is a Node, and the node chosen is another one.
    assert_eq!(for_node(free(), "n1", Some("n2")), refused());
    assert_eq!(for_node(selected(), "n1", None), refused());
    assert_eq!(for_node(selected(), "n1", Some("n2")), refused());
    // It is the node chosen.
    for (claim, node) in [
        (free(), Some("n2")),
        (selected(), None),
        (selected(), Some("n2")),
    ] {
        assert_eq!(for_node(claim, "n2", node), (vec![], vec![]));
    }
    // It is not a Node.
    assert_eq!(for_node(selected(), "desk", None), refused());
    assert_eq!(for_node(free(), "desk", None).0, ["NoFeasibleNode"]);
    for claim in [free(), selected()] {
        let (codes, warnings) = for_node(claim, "desk", Some("n2"));
        assert!(codes.is_empty(), "{codes:?}");
        let [warning] = &warnings[..] else {
            panic!("{warnings:?}");
        };
        assert_eq!(
            (warning.code.name(), &*warning.target.as_ref().unwrap().name),
            ("NotThisNode", "c")
        );
        for named in ["desk", "n2", "/kubectl-pv-"] {
            assert!(warning.message.contains(named), "{}", warning.message);
        }
    }
}

#[test]
fn others_are_asked_all_at_once_and_then_waited_for() {
    let yard = Yard::new();
    let other = |name: &str| claim(name).of_class(Some("other"));
    let plan = yard.plan(
        &cluster(vec![other("a"), other("b")], vec![]),
        &Memory::default(),
    );
    assert_eq!(
        steps(&plan),
        [
            "Patch PersistentVolumeClaim a",
            "Patch PersistentVolumeClaim b",
            "Wait PersistentVolumeClaim a",
            "Wait PersistentVolumeClaim b",
        ]
    );
    let errands: Vec<usize> = plan.changes.iter().map(|change| change.errand).collect();
    assert_eq!(errands, [0, 1, 0, 1]);
    let annotations = &plan.changes[0].body()["metadata"]["annotations"];
    assert_eq!(annotations[STORAGE_PROVISIONER], "example.com/other");
}

#[test]
fn who_does_not_wait_is_told_that_others_were_asked_before() {
    let yard = Yard::new();
    let asked = claim("b")
        .of_class(Some("other"))
        .annotated(STORAGE_PROVISIONER, "example.com/other")
        .annotated(BETA_STORAGE_PROVISIONER, "example.com/other");
    let fresh = claim("a").of_class(Some("other"));
    let state = cluster(vec![asked, fresh], vec![]);
    let plan = yard.plan_with(&state, &Memory::default(), false);
    assert_eq!(steps(&plan), ["Patch PersistentVolumeClaim a"]);
    assert_eq!(plan.errands.len(), 1);
    let left = plan.skipped.iter();
    let left: Vec<_> = left
        .map(|left| (&*left.target.name, left.standing()))
        .collect();
    assert_eq!(left, [("b", Standing::Fine)]);
}

#[test]
fn an_interrupted_run_is_gone_on_with() {
    let yard = Yard::new();
    let half = cluster(vec![pending("c")], vec![made_for("c", "uid-c")]);
    let plan = yard.plan(&half, &Memory::default());
    assert_eq!(
        steps(&plan),
        [
            "Patch PersistentVolume pvc-uid-c status",
            "Patch PersistentVolumeClaim c",
            "Patch PersistentVolumeClaim c status",
        ]
    );
}

const TAKEN_BACK: [&str; 4] = [
    "Patch PersistentVolume pvc-old",
    "Delete PersistentVolume pvc-old",
    "DeleteAsset Asset pvc-old",
    "Patch PersistentVolume pvc-old",
];

#[test]
fn what_was_made_for_a_claim_that_is_gone_is_taken_back_behind_the_lock() {
    let yard = Yard::new();
    yard.make_for("old");
    let recreated = cluster(vec![pending("c")], vec![made_for("c", "old")]);
    let plan = yard.plan(&recreated, &Memory::default());
    assert_eq!(steps(&plan)[..4], TAKEN_BACK);
    let lock = &plan.changes[0].body()["metadata"]["finalizers"];
    assert_eq!(lock[0], OWN_DELETION);
    assert_eq!(plan.changes[1].after, Some(0));
    assert!(steps(&plan).contains(&"Create PersistentVolume pvc-uid-c".to_owned()));
}

#[test]
fn what_was_made_for_a_claim_that_has_another_volume_is_taken_back() {
    let yard = Yard::new();
    yard.make_for("old");
    let mut elsewhere = pending("c").naming("mine");
    elsewhere.uid = Some("old".to_owned());
    let mine = volume("mine")
        .of_class("scratch")
        .reserved_for("c", Some("old"));
    let state = cluster(vec![elsewhere], vec![mine, made_for("c", "old")]);
    let plan = yard.plan(&state, &Memory::default());
    assert_eq!(steps(&plan)[..4], TAKEN_BACK);
}

#[test]
fn what_may_have_been_used_is_left() {
    for phase in [VolumePhase::Pending, VolumePhase::Released] {
        let yard = Yard::new();
        let state = || {
            cluster(
                vec![pending("c")],
                vec![made_for("c", "old").in_phase(phase)],
            )
        };
        let is_taken = |plan: &Plan| steps(plan).contains(&TAKEN_BACK[2].to_owned());
        // Nobody made such an asset on this machine.
        assert!(!is_taken(&yard.plan(&state(), &Memory::default())));
        // Somebody did, for that claim, and it is empty; then it is not.
        yard.make_for("old");
        assert!(is_taken(&yard.plan(&state(), &Memory::default())));
        fs::write(yard.base.join("pvc-old/file"), "data").unwrap();
        assert!(!is_taken(&yard.plan(&state(), &Memory::default())));
    }
}

#[test]
fn what_was_locked_is_gone_on_with_whatever_is_left() {
    let yard = Yard::new();
    let mut locked = made_for("c", "old")
        .in_phase(VolumePhase::Released)
        .deleted();
    locked.finalizers = vec![OWN_DELETION.to_owned()];
    let plan = yard.plan(
        &cluster(vec![pending("c")], vec![locked]),
        &Memory::default(),
    );
    assert_eq!(
        steps(&plan)[..3],
        [TAKEN_BACK[0], TAKEN_BACK[2], TAKEN_BACK[3]]
    );
}

#[test]
fn an_asset_without_a_volume_is_taken_back_when_its_claim_is_gone() {
    let yard = Yard::new();
    yard.make_for("old");
    let plan = yard.plan(&cluster(vec![pending("c")], vec![]), &Memory::default());
    assert_eq!(steps(&plan)[0], "DeleteAsset Asset pvc-old");
    // Its own is kept and made use of.
    yard.make(&plan);
    let plan = yard.plan(&cluster(vec![pending("c")], vec![]), &Memory::default());
    let asset = |action: Action| {
        let of = plan
            .changes
            .iter()
            .filter(|change| change.action() == action);
        of.map(|change| change.target.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(asset(Action::CreateAsset), ["pvc-uid-c"]);
    assert_eq!(asset(Action::DeleteAsset), ["pvc-old"]);
}

#[test]
fn an_asset_whose_volume_could_not_be_saved_goes_and_the_claim_hears_why() {
    let yard = Yard::new();
    let state = cluster(vec![pending("c")], vec![]);
    let plan = yard.plan(&state, &Memory::default());
    let mut memory = Memory::default();
    let Some(AssetWork::Create { request, .. }) = plan.changes[1].asset_work() else {
        panic!("no asset");
    };
    memory.failures.push(Failure {
        set: None,
        claim: Some(state.claims()[0].key.clone()),
        volume: "pvc-uid-c".to_owned(),
        error: "forbidden".to_owned(),
        what: Failed::Volume(Box::new(super::super::asset_work::MadeAsset {
            provisioner: OURS.to_owned(),
            request: (**request).clone(),
            asset: None,
        })),
    });
    let plan = plan_failures(&state, &mut memory).unwrap();
    assert_eq!(
        steps(&plan),
        ["Event Event …", "DeleteAsset Asset pvc-uid-c"]
    );
    assert!(
        plan.changes[0].body()["message"]
            .as_str()
            .unwrap()
            .contains("forbidden")
    );
    assert!(plan_failures(&state, &mut memory).is_none());
}

/// A volume of a claim that is gone, being deleted behind our lock.
fn locked(yard: &Yard, node: &str) -> Volume {
    let mut volume = made_for("c", "old").deleted();
    let path = yard.base.join("pvc-old").display().to_string();
    volume = volume.stored_on("hostPath", &path);
    volume.finalizers = vec![OWN_DELETION.to_owned()];
    let requirement = Requirement {
        key: "kubernetes.io/hostname".to_owned(),
        operator: Operator::In,
        values: vec![node.to_owned()],
    };
    let term = NodeSelectorTerm {
        match_expressions: vec![requirement],
        match_fields: vec![],
    };
    volume.node_affinity = Some(NodeSelector { terms: vec![term] });
    volume
}

#[test]
fn a_deletion_is_finished_only_where_its_asset_was() {
    let yard = Yard::new();
    // Something else was provisioned, so that the base directory is stamped.
    yard.make_for("other");
    let plan = |node: &str| {
        let state = cluster(vec![pending("d")], vec![locked(&yard, node)]);
        let plan = yard.plan(&state, &Memory::default());
        let of_it = plan.changes.iter();
        let of_it = of_it.filter(|change| change.target.name == "pvc-old");
        (codes(&plan).contains(&"AssetMissing"), of_it.count())
    };
    // On another node, without a record here: it is not.
    assert_eq!(plan("host-2"), (true, 0));
    // On this one an earlier run has deleted asset and record.
    assert!(!plan("host-1").0);
    assert!(plan("host-1").1 > 0);
    // The record shows that it was here.
    yard.make_for("old");
    fs::remove_dir(yard.base.join("pvc-old")).unwrap();
    assert!(!plan("host-2").0);
    assert!(plan("host-2").1 > 0);
}
