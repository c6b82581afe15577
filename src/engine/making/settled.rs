//! What needs no making: claims that hold a volume, name one, have one that fits, or are on their way out.

use super::super::choice::{Choice, choose_volume};
use super::super::claims::{ClaimDecision, decide_uncontended, missing_kinds, selector_errors};
use super::super::phases::Phases;
use super::super::refusal::{ProvisionEvidence, Refusal, Several};
use super::super::sync::{Step, decide};
use super::super::{admission, claim_changes};
use super::unmade::{main_blocker, not_readable, unmade};
use super::{Making, MakingQuestion};
use crate::model::{Claim, ClusterState};
use crate::report::{ClaimCause, Verdict};

/// The answer, if no volume is to be made; nothing if one may be.
pub(super) fn look(state: &ClusterState, question: &MakingQuestion<'_>) -> Option<Making> {
    let (claim, rules) = (question.claim, question.rules);
    if !claim.exists() {
        return Some(not_there(state, question).into());
    }
    let missing = missing_kinds(state, claim, rules);
    if !missing.is_empty() {
        let proven = claim
            .is_bind_completed()
            .then(|| decide_uncontended(state, claim, rules))
            .and_then(|decision| proven(claim, &decision));
        let unseen = || not_readable(state, claim, &missing).into();
        return Some(proven.unwrap_or_else(unseen));
    }
    if claim.volume_name.is_some() || claim.is_bind_completed() {
        return Some(named(state, question));
    }
    if let Some(terminating) = claim_changes::terminating(state, claim) {
        return Some(unmade(terminating.cause).into());
    }
    let errors = selector_errors(claim);
    if !errors.is_empty() {
        return Some(unmade(ClaimCause::InvalidClaim { errors }).into());
    }
    if let Some(refusals) = Several::of(admission::update_refusals(state, claim)) {
        return Some(Refusal::new(refusals).into());
    }
    match choose_volume(state, claim, rules) {
        Choice::Bind { volume, .. } if is_for_it(state, &volume, claim) => {
            Some(Making::Made { volume })
        }
        Choice::Bind { equals, .. } => Some(fits(claim, &equals, false).into()),
        // The scheduler has a node for the pod that waits; somebody who names another one means it.
        Choice::Not(decision)
            if decision.verdict == Verdict::WillBind && question.node.is_none() =>
        {
            Some(fits(claim, &decision.outcomes, true).into())
        }
        Choice::Not(_) => None,
    }
}

/// What the status of a claim proves where volumes were not seen: whoever wrote it saw them.
fn proven(claim: &Claim, decision: &ClaimDecision<'_>) -> Option<Making> {
    match decision.verdict {
        Verdict::Bound => claim
            .volume_name
            .clone()
            .map(|volume| Making::Bound { volume }),
        Verdict::Lost => {
            main_blocker(decision.blockers()).map(|cause| unmade(cause.clone()).into())
        }
        _ => None,
    }
}

/// A claim that was only described has no uid to name a volume by.
fn not_there(state: &ClusterState, question: &MakingQuestion<'_>) -> Refusal {
    let decision = decide_uncontended(state, question.claim, question.rules);
    if decision.verdict == Verdict::Rejected
        && let Some(cause) = main_blocker(decision.blockers())
    {
        return unmade(cause.clone());
    }
    let claim = question.claim.key.clone();
    Refusal::new(ProvisionEvidence::ClaimNotCreated { claim })
}

/// A claim that has a volume, or says which, never gets another one made (seed 000, step 2).
fn named(state: &ClusterState, question: &MakingQuestion<'_>) -> Making {
    let (claim, rules) = (question.claim, question.rules);
    match decide(state, claim, rules, Phases::Settled).step {
        Step::Rebind(volume) => Making::Bound {
            volume: volume.name.clone(),
        },
        Step::Bind(volumes) => match volumes.first() {
            Some(volume) if is_for_it(state, volume, claim) => Making::Made {
                volume: volume.clone(),
            },
            _ => {
                let claim = claim.key.clone();
                Refusal::new(ProvisionEvidence::NamedVolumeFits { claim, volumes }).into()
            }
        },
        _ => {
            let decision = decide_uncontended(state, claim, rules);
            let refusal = main_blocker(decision.blockers()).map(|cause| unmade(cause.clone()));
            let otherwise = || Refusal::new(ProvisionEvidence::NamesVolume);
            refusal.unwrap_or_else(otherwise).into()
        }
    }
}

/// An existing volume is taken instead.
pub(super) fn fits(claim: &Claim, volumes: &[String], by_scheduler: bool) -> Refusal {
    Refusal::new(ProvisionEvidence::VolumesFit {
        claim: claim.key.clone(),
        volumes: volumes.to_vec(),
        by_scheduler,
    })
}

/// Whether the volume carries the claim's uid.
fn is_for_it(state: &ClusterState, volume: &str, claim: &Claim) -> bool {
    let reference = state
        .find_volume(volume)
        .and_then(|volume| volume.claim_ref.as_ref());
    reference.is_some_and(|reference| reference.uid.is_some() && reference.designates(claim))
}
