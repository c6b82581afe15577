//! What would help: for each near miss the smallest change that makes it bind, tried on the engine before it is told.

mod claim_remedies;
mod deletion;
mod volume_remedies;

use super::Rules;
use super::contention::Wishes;
use super::explain::assess_uncontended;
use crate::model::{Claim, Class, ClusterState, Volume};
use crate::report::{Danger, Explanation, Suggestion, Verdict};

/// As many suggestions as somebody reads at night.
const MOST: usize = 3;

/// A change that may help, not tried yet.
#[derive(Debug, Clone)]
pub(crate) struct Remedy {
    pub(crate) summary: String,
    pub(crate) commands: Vec<String>,
    pub(crate) danger: Danger,
    pub(crate) change: Change,
    /// How many things it changes: the smallest change is told first.
    pub(crate) size: usize,
    /// The volume the claim is to get by it, if it is about one.
    pub(crate) volume: Option<String>,
}

/// The changed object.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Volume(Box<Volume>),
    Claim(Box<Claim>),
    Class(Box<Class>),
    Both(Box<Volume>, Box<Claim>),
}

/// Changes that may help, the most promising first.
pub(crate) fn propose(
    state: &ClusterState,
    claim: &Claim,
    explanation: &Explanation,
    rules: Rules,
    wishes: &Wishes<'_>,
) -> Vec<Remedy> {
    match explanation.verdict {
        Verdict::Bound | Verdict::Unknown => vec![],
        Verdict::WillProvision => claim_remedies::without_the_default(claim, explanation, rules),
        Verdict::WillBind => claim_remedies::choose_by_hand(claim, explanation),
        Verdict::Waiting | Verdict::Blocked | Verdict::Lost | Verdict::Rejected => {
            let mut remedies = volume_remedies::propose(state, claim, explanation, wishes);
            remedies.extend(claim_remedies::propose(state, claim, explanation, rules));
            remedies.sort_by_key(|remedy| remedy.size);
            remedies
        }
    }
}

/// What lets a claim go whose deletion waits, and what saves its data before it does. There is nothing to try about these.
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

/// Tries each remedy and keeps those after which the claim really gets a volume.
pub(crate) fn keep_what_works(
    scratch: &mut ClusterState,
    claim: &Claim,
    rules: Rules,
    remedies: Vec<Remedy>,
) -> Vec<Suggestion> {
    let mut kept: Vec<Suggestion> = Vec::new();
    for remedy in remedies {
        if kept.len() == MOST {
            break;
        }
        if works(scratch, claim, rules, &remedy) {
            let suggestion = Suggestion {
                summary: remedy.summary,
                commands: remedy.commands,
                danger: remedy.danger,
            };
            if !kept.contains(&suggestion) {
                kept.push(suggestion);
            }
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
    let after = assess_uncontended(scratch, changed, rules);
    swap(scratch, before);
    match (&remedy.volume, after.verdict) {
        (Some(volume), Verdict::WillBind | Verdict::Bound) => after.outcomes == [volume.clone()],
        (None, Verdict::WillBind | Verdict::WillProvision | Verdict::Waiting) => true,
        _ => false,
    }
}

fn swap(scratch: &mut ClusterState, change: Change) -> Option<Change> {
    Some(match change {
        Change::Volume(volume) => Change::Volume(Box::new(scratch.swap_volume(*volume)?)),
        Change::Claim(claim) => Change::Claim(Box::new(scratch.swap_claim(*claim)?)),
        Change::Class(class) => Change::Class(Box::new(scratch.swap_class(*class)?)),
        Change::Both(volume, claim) => {
            // Nothing is changed by halves.
            scratch.find_claim(&claim.key)?;
            let volume = scratch.swap_volume(*volume)?;
            Change::Both(Box::new(volume), Box::new(scratch.swap_claim(*claim)?))
        }
    })
}
