//! What needs no making: claims that hold a volume, name one, have one that fits, or are on their way out.

use super::super::choice::{Choice, choose_volume};
use super::super::claims::{ClaimDecision, decide_uncontended, missing_kinds, selector_errors};
use super::super::phases::Phases;
use super::super::sync::{Step, decide};
use super::super::{admission, claim_changes};
use super::unmade::{Unmade, main_blocker};
use super::{Making, MakingQuestion};
use crate::conventions::command_line::CommandLine;
use crate::conventions::object_command::command;
use crate::model::{Claim, ClusterState};
use crate::report::{ClaimCause, Verdict, join_or};

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
        let unseen = || Unmade::not_readable(state, claim, &missing).into();
        return Some(proven.unwrap_or_else(unseen));
    }
    if claim.volume_name.is_some() || claim.is_bind_completed() {
        return Some(named(state, question));
    }
    if let Some(terminating) = claim_changes::terminating(state, claim) {
        return Some(Unmade::from(&terminating.cause).into());
    }
    let errors = selector_errors(claim);
    if !errors.is_empty() {
        return Some(Unmade::from(&ClaimCause::InvalidClaim { errors }).into());
    }
    if let Some(refused) = Unmade::of_all(&admission::update_refusals(state, claim)) {
        return Some(refused.into());
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
        Verdict::Lost => main_blocker(decision.blockers()).map(|cause| Unmade::from(cause).into()),
        _ => None,
    }
}

/// A claim that was only described has no uid to name a volume by.
fn not_there(state: &ClusterState, question: &MakingQuestion<'_>) -> Unmade {
    let decision = decide_uncontended(state, question.claim, question.rules);
    if decision.verdict == Verdict::Rejected
        && let Some(cause) = main_blocker(decision.blockers())
    {
        return Unmade::from(cause);
    }
    let message = format!("{} does not exist yet", question.claim.key);
    Unmade::refused("NotReadable", message).hint("create it first")
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
                let message = format!(
                    "it names volume {}, which will do, and a claim that names a volume gets no other",
                    join_or(&volumes)
                );
                Unmade::refused("VolumeFits", message)
                    .hint(bind_command(claim, None).to_string())
                    .into()
            }
        },
        _ => {
            let decision = decide_uncontended(state, claim, rules);
            let unmade = main_blocker(decision.blockers()).map(Unmade::from);
            let otherwise = || Unmade::refused("NamedVolumeMismatch", "it names a volume");
            unmade.unwrap_or_else(otherwise).into()
        }
    }
}

/// An existing volume is taken instead. One that only the scheduler takes is bound by hand with `--force`.
pub(super) fn fits(claim: &Claim, volumes: &[String], waits: bool) -> Unmade {
    let (one, verb) = match volumes {
        [_] => ("volume", "fits"),
        _ => ("volumes", "fit"),
    };
    let who = if waits {
        "the scheduler takes an existing volume before it has one made"
    } else {
        "Kubernetes binds an existing volume before it has one made"
    };
    let message = format!("{one} {} {verb}, and {who}", join_or(volumes));
    let by_hand = volumes.first().filter(|_| waits).map(String::as_str);
    Unmade::refused("VolumeFits", message).hint(bind_command(claim, by_hand).to_string())
}

fn bind_command(claim: &Claim, by_hand: Option<&str>) -> CommandLine {
    let (name, namespace) = (&*claim.key.name, &*claim.key.namespace);
    let mut words = vec!["kubectl", "pv", "bind", name, "-n", namespace];
    if let Some(volume) = by_hand {
        words.extend(["--volume", volume, "--force"]);
    }
    command(&words)
}

/// Whether the volume carries the claim's uid.
fn is_for_it(state: &ClusterState, volume: &str, claim: &Claim) -> bool {
    let reference = state
        .find_volume(volume)
        .and_then(|volume| volume.claim_ref.as_ref());
    reference.is_some_and(|reference| reference.uid.is_some() && reference.designates(claim))
}
