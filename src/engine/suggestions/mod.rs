//! What would help a claim, in the order of the contract: return its previous volume, correct the claim, name who must act,
//! offer another volume. Each change is tried on the engine before it is printed. A filter over remedies: what a remedy
//! changes is in the other files, what Kubernetes then does is decided by the engine.

mod claim_remedies;
mod conditions;
mod correction;
mod deletion;
mod next_step;
#[cfg(test)]
mod tests;
mod volume_remedies;

use self::conditions::{Conditions, has_data_source, has_feasible_node, is_reachable};
use super::Rules;
use super::claims::{ClaimDecision, decide_uncontended};
use super::contention::Wishes;
use crate::conventions::command_line::CommandLine;
use crate::model::{Claim, Class, ClusterState, Volume};
use crate::report::{Danger, Explanation, Suggestion, Verdict};

/// The most suggestions that are printed.
const MOST: usize = 3;

/// A change that may help, not tried yet.
#[derive(Debug, Clone)]
pub(crate) struct Remedy {
    pub(crate) kind: RemedyKind,
    pub(crate) summary: String,
    pub(crate) commands: Vec<CommandLine>,
    pub(crate) danger: Danger,
    pub(crate) change: Change,
    /// How many things it changes: of one kind the smallest change is printed first.
    pub(crate) size: usize,
    /// The volume that the claim is to get by it, if it is about one.
    pub(crate) volume: Option<String>,
}

/// What a remedy does for the claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RemedyKind {
    /// The claim's previous volume is returned to it.
    ReturnVolume,
    /// The claim or its template is corrected.
    CorrectClaim,
    /// An administrator changes the cluster.
    ChangeCluster,
    /// The claim gets a volume that was not meant for it.
    OfferVolume,
}

impl RemedyKind {
    /// Its place in the order of the contract.
    fn rank(self) -> u8 {
        match self {
            Self::ReturnVolume => 1,
            Self::CorrectClaim => 2,
            Self::ChangeCluster => 3,
            Self::OfferVolume => 4,
        }
    }
}

/// The changed object.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Volume(Box<Volume>),
    Claim(Box<Claim>),
    Class(Box<Class>),
    Both(Box<Volume>, Box<Claim>),
}

/// Changes that may help, in the order in which they are printed.
pub(crate) fn propose(
    state: &ClusterState,
    claim: &Claim,
    explanation: &Explanation,
    rules: Rules,
    wishes: &Wishes<'_>,
) -> Vec<Remedy> {
    let conditions = Conditions {
        state,
        claim,
        class: &explanation.claim.class.name,
        wishes,
    };
    let mut remedies = match explanation.verdict {
        Verdict::Bound | Verdict::Unknown => vec![],
        Verdict::WillProvision => {
            claim_remedies::without_the_default(&conditions, explanation, rules)
        }
        Verdict::WillBind => claim_remedies::choose_by_hand(&conditions, explanation),
        Verdict::Waiting | Verdict::Blocked | Verdict::Lost | Verdict::Rejected => {
            let mut remedies = volume_remedies::propose(&conditions, explanation);
            remedies.extend(claim_remedies::propose(&conditions, explanation, rules));
            remedies
        }
    };
    if explanation.verdict == Verdict::Waiting {
        // It will get what it asked for.
        remedies.retain(|remedy| remedy.kind != RemedyKind::OfferVolume);
    }
    remedies.sort_by_key(|remedy| (remedy.kind.rank(), remedy.size));
    remedies
}

/// What lets the deletion of a claim continue, and what keeps its data before that. Nothing is tried here.
pub(crate) fn for_deletion(
    state: &ClusterState,
    claim: &Claim,
    explanation: &Explanation,
) -> Vec<Suggestion> {
    match explanation.verdict {
        Verdict::Bound => deletion::propose(state, claim, explanation),
        _ => vec![],
    }
}

/// Tries each remedy and keeps those after which the claim gets a volume. Another volume is never offered first.
pub(crate) fn keep_what_works(
    scratch: &mut ClusterState,
    claim: &Claim,
    explanation: &Explanation,
    rules: Rules,
    remedies: Vec<Remedy>,
) -> Vec<Suggestion> {
    let mut kept: Vec<Suggestion> = Vec::new();
    for remedy in remedies {
        if kept.len() >= MOST {
            break;
        }
        if !works(scratch, claim, rules, &remedy) {
            continue;
        }
        if kept.is_empty() && remedy.kind == RemedyKind::OfferVolume {
            kept.push(next_step::propose(claim, explanation));
        }
        let suggestion = Suggestion {
            summary: remedy.summary,
            commands: remedy.commands,
            danger: remedy.danger,
        };
        if !kept.contains(&suggestion) {
            kept.push(suggestion);
        }
    }
    kept
}

fn works(scratch: &mut ClusterState, claim: &Claim, rules: Rules, remedy: &Remedy) -> bool {
    let Some(before) = swap(scratch, remedy.change.clone()) else {
        return false;
    };
    let changed = match &remedy.change {
        Change::Claim(changed) | Change::Both(_, changed) => changed.as_ref(),
        Change::Volume(_) | Change::Class(_) => claim,
    };
    let after = decide_uncontended(scratch, changed, rules);
    let gets_volume = match (&remedy.volume, after.verdict) {
        (Some(volume), Verdict::WillBind | Verdict::Bound) => after.outcomes == [volume.clone()],
        (None, Verdict::WillBind | Verdict::WillProvision | Verdict::Waiting) => true,
        _ => false,
    };
    let works = gets_volume && is_safe(scratch, changed, rules, remedy, &after);
    swap(scratch, before);
    works
}

/// Whether pods can use what the claim gets, and the data is what the claim asks for.
fn is_safe(
    changed_state: &ClusterState,
    claim: &Claim,
    rules: Rules,
    remedy: &Remedy,
    after: &ClaimDecision<'_>,
) -> bool {
    let mut volumes = after
        .outcomes
        .iter()
        .filter_map(|name| changed_state.find_volume(name));
    if !volumes.all(|volume| is_reachable(changed_state, volume)) {
        return false;
    }
    match remedy.kind {
        RemedyKind::ReturnVolume => true,
        _ if has_data_source(claim) => after.verdict != Verdict::WillBind,
        RemedyKind::OfferVolume => remedy
            .volume
            .as_ref()
            .is_none_or(|volume| has_feasible_node(changed_state, claim, volume, rules)),
        RemedyKind::CorrectClaim | RemedyKind::ChangeCluster => true,
    }
}

fn swap(scratch: &mut ClusterState, change: Change) -> Option<Change> {
    Some(match change {
        Change::Volume(volume) => Change::Volume(Box::new(scratch.swap_volume(*volume)?)),
        Change::Claim(claim) => Change::Claim(Box::new(scratch.swap_claim(*claim)?)),
        Change::Class(class) => Change::Class(Box::new(scratch.swap_class(*class)?)),
        Change::Both(volume, claim) => {
            // Both or neither.
            scratch.find_claim(&claim.key)?;
            let volume = scratch.swap_volume(*volume)?;
            Change::Both(Box::new(volume), Box::new(scratch.swap_claim(*claim)?))
        }
    })
}
