//! What one sync of the controller decides for a claim: the decision tree of R19 and R20.
//!
//! `explain` asks it with settled phases, the conformance tests with stored ones.

use super::Rules;
use super::binding::{Search, Timing};
use super::checks::Question;
use super::classes::{find_default, is_delayed, lacks_class};
use super::consumers::Consumers;
use super::named::{self, Named};
use super::phases::{Phases, view};
use super::provisioning::{self, Maker};
use crate::model::{Claim, ClaimPhase, Class, ClusterState, Kind, Volume};
use crate::report::Says;

/// What the controller does next, and what it says.
#[derive(Debug, Clone)]
pub struct Decision<'a> {
    /// What it does.
    pub step: Step<'a>,
    /// The events it emits on the claim.
    pub says: Vec<Says>,
    /// What the search found, if one was made.
    pub(crate) search: Option<Search<'a>>,
}

/// What the controller does next for a claim.
#[derive(Debug, Clone)]
pub enum Step<'a> {
    /// Bind one of these volumes; several mean that nobody determines which.
    Bind(Vec<String>),
    /// Repair or confirm the bind to the volume the claim holds (R62, R63).
    Rebind(&'a Volume),
    /// Mark the claim Lost: it forgot its volume (R60), or the volume is gone (R61).
    LoseMissing(Option<String>),
    /// Mark the claim Lost: the volume is another claim's (R64).
    LoseMisbound(&'a Volume),
    /// Write the default class into the claim, and look again (R15).
    AssignClass(String),
    /// Wait for a pod and a node (R20.4).
    WaitForPod,
    /// Turn to a provisioner.
    Provision(&'a Class, ProvisionStep),
    /// The class does not exist (R91).
    ClassMissing,
    /// Nothing matched and there is no class to make a volume by (R20.6).
    NoClass,
    /// The named volume is not there (R40).
    NamedMissing(String),
    /// The named volume does not satisfy the claim (R43).
    NamedMismatch(NamedJudgement<'a>),
    /// The named volume is another claim's (R44).
    NamedTaken(NamedJudgement<'a>),
}

/// The provisioner the controller turns to; opaque outside the engine.
#[derive(Debug, Clone)]
pub struct ProvisionStep(pub(crate) Maker);

/// The judgement on a named volume; opaque outside the engine.
#[derive(Debug, Clone)]
pub struct NamedJudgement<'a>(pub(crate) Named<'a>);

impl<'a> Decision<'a> {
    pub(crate) fn quiet(step: Step<'a>) -> Self {
        Self {
            step,
            says: vec![],
            search: None,
        }
    }

    fn saying(step: Step<'a>, kind: &'static str, reason: &'static str, message: &str) -> Self {
        Self {
            step,
            says: vec![Says::new(kind, reason, message)],
            search: None,
        }
    }
}

/// Decides one sync of the claim, with the class the claim itself has.
///
/// Upstream: pv_controller.go, syncClaim.
pub fn decide<'a>(
    state: &'a ClusterState,
    claim: &Claim,
    rules: Rules,
    phases: Phases,
) -> Decision<'a> {
    decide_question(
        state,
        &Question::new(claim, claim.class.resolved(), rules),
        phases,
    )
}

/// The phase a claim settles in; where its volume could not be seen, the one it has.
pub(crate) fn settled_phase(state: &ClusterState, claim: &Claim, rules: Rules) -> ClaimPhase {
    if !claim.is_bind_completed() {
        return ClaimPhase::Pending;
    }
    if !state.saw(Kind::Volumes, None) {
        return claim.phase;
    }
    match decide(state, claim, rules, Phases::Settled).step {
        Step::LoseMissing(_) | Step::LoseMisbound(_) => ClaimPhase::Lost,
        _ => ClaimPhase::Bound,
    }
}

pub(crate) fn decide_question<'a>(
    state: &'a ClusterState,
    question: &Question<'_>,
    phases: Phases,
) -> Decision<'a> {
    let claim = question.claim;
    if claim.is_bind_completed() {
        return decide_bound(state, claim, phases);
    }
    let mut decision = match &claim.volume_name {
        Some(name) => decide_named(state, question, name, phases),
        None => decide_unbound(state, question, phases),
    };
    decision.says.extend(volume_mode_complaints(state, claim));
    decision
}

/// Upstream: pv_controller.go, syncBoundClaim.
pub(crate) fn decide_bound<'a>(
    state: &'a ClusterState,
    claim: &Claim,
    phases: Phases,
) -> Decision<'a> {
    let Some(name) = &claim.volume_name else {
        let message =
            "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!";
        return Decision::saying(Step::LoseMissing(None), "Warning", "ClaimLost", message);
    };
    let Some(volume) = state.find_volume(name) else {
        let message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
        return Decision::saying(
            Step::LoseMissing(Some(name.clone())),
            "Warning",
            "ClaimLost",
            message,
        );
    };
    match view(state, volume, phases).claim_ref {
        // Names are not compared, and an absent uid on both sides is not equality (R63, R64).
        Some(reference) if reference.uid.is_none() || reference.uid != claim.uid => {
            let message = "Two claims are bound to the same volume, this one is bound incorrectly";
            Decision::saying(
                Step::LoseMisbound(volume),
                "Warning",
                "ClaimMisbound",
                message,
            )
        }
        _ => Decision::quiet(Step::Rebind(volume)),
    }
}

pub(crate) fn decide_named<'a>(
    state: &'a ClusterState,
    question: &Question<'_>,
    name: &str,
    phases: Phases,
) -> Decision<'a> {
    let named = named::judge(state, question, name, phases);
    let says = named::says(&named);
    let step = match named {
        Named::Missing => Step::NamedMissing(name.to_owned()),
        Named::Binds(volume) => Step::Bind(vec![volume.name.clone()]),
        Named::Mismatch { .. } => Step::NamedMismatch(NamedJudgement(named)),
        Named::Taken { .. } => Step::NamedTaken(NamedJudgement(named)),
    };
    Decision {
        step,
        says,
        search: None,
    }
}

fn decide_unbound<'a>(
    state: &'a ClusterState,
    question: &Question<'_>,
    phases: Phases,
) -> Decision<'a> {
    let timing = Timing::of(state, &question.class);
    conclude(
        state,
        question,
        Search::run(state, question, phases, timing),
    )
}

/// What follows from a search, whoever made it.
///
/// Upstream: pv_controller.go, syncUnboundClaim.
pub(crate) fn conclude<'a>(
    state: &'a ClusterState,
    question: &Question<'_>,
    search: Search<'a>,
) -> Decision<'a> {
    let claim = question.claim;
    let class = question.class.as_str();
    let delayed = is_delayed(state, class);
    let outcomes = search.outcomes();
    let (step, says) = if !outcomes.is_empty() {
        (Step::Bind(outcomes), vec![])
    } else if let Some(default) = default_to_assign(state, question) {
        (Step::AssignClass(default.name.clone()), vec![])
    } else if delayed && claim.selected_node().is_none() {
        let consumers = Consumers::find_waiting(state, &claim.key).unwrap_or_default();
        (Step::WaitForPod, vec![consumers.waiting_event()])
    } else if class.is_empty() {
        let message = "no persistent volumes available for this claim and no storage class is set";
        (
            Step::NoClass,
            vec![Says::new("Normal", "FailedBinding", message)],
        )
    } else if let Some(class) = state.find_class(class) {
        let maker = Maker::of(class);
        let mut says = provisioning::says(state, claim, class, &maker);
        if delayed && provisioning::forgets_its_node(state, claim, class, &maker) {
            says.push(
                Consumers::find_waiting(state, &claim.key)
                    .unwrap_or_default()
                    .waiting_event(),
            );
        }
        (Step::Provision(class, ProvisionStep(maker)), says)
    } else {
        (
            Step::ClassMissing,
            vec![provisioning::says_class_missing(class)],
        )
    };
    Decision {
        step,
        says,
        search: Some(search),
    }
}

/// R15: only a claim that says nothing of its class, and has none by now.
fn default_to_assign<'a>(state: &'a ClusterState, question: &Question<'_>) -> Option<&'a Class> {
    (lacks_class(question.claim, question.rules) && question.class.is_empty())
        .then(|| find_default(state))?
}

/// The volume sync's complaint on a claim whose reserved volume has another volume mode (R74).
pub(crate) fn volume_mode_complaints(state: &ClusterState, claim: &Claim) -> Vec<Says> {
    if claim.uid.is_none() || claim.volume_name.is_some() {
        return vec![];
    }
    let differs = |volume: &&Volume| {
        let by_uid = volume
            .claim_ref
            .as_ref()
            .is_some_and(|reference| reference.uid.is_some() && reference.designates(claim));
        by_uid && volume.volume_mode != claim.volume_mode()
    };
    let complaint = |volume: &Volume| {
        let message = format!(
            "Cannot bind PersistentVolume \"{}\" to requested PersistentVolumeClaim due to incompatible volumeMode.",
            volume.name
        );
        Says::new("Warning", "VolumeMismatch", message)
    };
    state
        .volumes()
        .iter()
        .filter(differs)
        .map(complaint)
        .collect()
}
