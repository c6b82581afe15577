//! The scheduler's next attempt at a pod, in the settled cluster: first the controller binds what it can, then the nodes are
//! judged.

use super::super::Rules;
use super::super::checks::Question;
use super::super::phases::Phases;
use super::super::sync::{Step, decide_question};
use super::claims::{PodClaims, Refusal, Standing};
use super::{Placement, place};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, ClusterState, Pod, Volume};
use std::collections::{BTreeMap, BTreeSet};

/// Claims that are about to be bound may go to several volumes; so many combinations are followed.
const MOST_COMBINATIONS: usize = 64;

/// What comes of the scheduler's next attempt at a pod, in the settled cluster.
pub(crate) enum Attempt<'a> {
    /// No node is looked at.
    Refused(Refusal),
    /// Every node, judged.
    Judged {
        placements: Vec<Placement<'a>>,
        /// Claims that the controller binds before, with the volumes they may get.
        bound_first: Vec<(ObjectKey, Vec<String>)>,
    },
}

/// What pods that were placed before have changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Meanwhile {
    /// Volumes that are taken.
    pub(crate) gone: BTreeSet<String>,
    /// Claims that were bound with another pod that uses them too.
    pub(crate) bound: BTreeMap<ObjectKey, String>,
}

/// What comes of an attempt at the pod, at all nodes or the one asked about.
pub(crate) fn attempt<'a>(
    state: &'a ClusterState,
    pod: &Pod,
    rules: Rules,
    only: Option<&str>,
    meanwhile: &Meanwhile,
) -> Attempt<'a> {
    let mut claims = match PodClaims::find(state, pod, rules, Phases::Settled) {
        Ok(claims) => claims,
        Err(refusal) => return Attempt::Refused(refusal),
    };
    for (claim, volume) in &meanwhile.bound {
        claims.assume(claim, volume);
    }
    let bound_first = bound_first(state, &claims, rules);
    let mut merged: Vec<Placement<'a>> = Vec::new();
    for combination in combinations(&bound_first) {
        let mut claims = claims.clone();
        for (claim, volume) in combination {
            claims.assume(claim, volume);
        }
        if let Some(refusal) = claims.refusal(state) {
            return Attempt::Refused(refusal);
        }
        let placements = place(state, pod, &claims, Phases::Settled, only, &meanwhile.gone);
        if merged.is_empty() {
            merged = placements;
            continue;
        }
        for (known, new) in merged.iter_mut().zip(placements) {
            for way in new.ways {
                if !known.ways.contains(&way) {
                    known.ways.push(way);
                }
            }
        }
    }
    Attempt::Judged {
        placements: merged,
        bound_first,
    }
}

/// Of a claim that waits for a node the controller takes only volumes that are reserved for it (R26.8); where there are none,
/// all volumes need not be judged to know that.
fn has_reservation(state: &ClusterState, claim: &Claim) -> bool {
    let is_for_it = |volume: &Volume| {
        let reference = volume.claim_ref.as_ref();
        reference.is_some_and(|reference| reference.designates(claim))
    };
    state.volumes().iter().any(is_for_it)
}

/// The claims that the controller binds before the scheduler gets so far, with the volumes they may get.
fn bound_first(
    state: &ClusterState,
    claims: &PodClaims<'_>,
    rules: Rules,
) -> Vec<(ObjectKey, Vec<String>)> {
    let mut found: BTreeMap<ObjectKey, Vec<String>> = BTreeMap::new();
    for usage in claims
        .uses
        .iter()
        .filter(|usage| !matches!(usage.standing, Standing::Bound(_)))
        .filter(|usage| usage.standing != Standing::Delayed || has_reservation(state, &usage.claim))
    {
        let question = Question::new(&usage.claim, &*usage.class, rules);
        if let Step::Bind(volumes) = decide_question(state, &question, Phases::Settled).step {
            found.insert(usage.claim.key.clone(), volumes);
        }
    }
    found.into_iter().collect()
}

fn combinations(choices: &[(ObjectKey, Vec<String>)]) -> Vec<Vec<(&ObjectKey, &str)>> {
    let mut all: Vec<Vec<(&ObjectKey, &str)>> = vec![vec![]];
    for (claim, volumes) in choices {
        let mut longer = Vec::new();
        for so_far in &all {
            for volume in volumes {
                let mut next = so_far.clone();
                next.push((claim, volume.as_str()));
                longer.push(next);
            }
        }
        longer.truncate(MOST_COMBINATIONS);
        all = longer;
    }
    all
}
