//! Every order of competing pods, with every pod and volume told apart.

use super::super::super::Rules;
use super::super::super::scheduling::{Attempt, Meanwhile, Placement, attempt};
use super::{End, Ends, Rivals, Tally};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Pod};
use std::collections::BTreeSet;

/// So many states are visited before a group counts as too large.
pub(super) const MOST_STATES: usize = 2_000;

/// The nodes that take a pod now.
pub(super) fn open<'a>(
    state: &'a ClusterState,
    pod: &Pod,
    rules: Rules,
    meanwhile: &Meanwhile,
) -> Vec<Placement<'a>> {
    match attempt(state, pod, rules, None, meanwhile) {
        Attempt::Judged { placements, .. } => {
            placements.into_iter().filter(Placement::is_open).collect()
        }
        Attempt::Refused(_) => vec![],
    }
}

/// Every end that some order of the pods reaches, and of the claims that name their volume; `None` if there are too many states, or if a claim that several pods use is
/// provisioned: on which nodes its volume can be used is not known.
pub(super) fn explore(
    state: &ClusterState,
    rules: Rules,
    group: &Rivals<'_>,
) -> Option<BTreeSet<Ends>> {
    let named = || {
        let named = group.named.iter();
        named.flat_map(|(volume, claims)| claims.iter().map(move |claim| (claim, volume)))
    };
    let mut visited = BTreeSet::from([Ends::new()]);
    let mut to_visit = vec![Ends::new()];
    let mut ends = BTreeSet::new();
    while let Some(so_far) = to_visit.pop() {
        let meanwhile = meanwhile(&so_far);
        let mut moved = false;
        for (claim, volume) in named().filter(|(_, volume)| !meanwhile.gone.contains(*volume)) {
            moved = true;
            let mut next = so_far.clone();
            next.insert(claim.clone(), End::Takes(volume.clone()));
            if visited.insert(next.clone()) {
                to_visit.push(next);
            }
        }
        for pod in &group.pods {
            // A pod whose claims are all served changes nothing any more, whether it was placed or not.
            let mut open_claims = group.reach.keys().filter(|claim| uses(pod, claim));
            let is_served = open_claims.all(|claim| so_far.contains_key(claim));
            let waits = |claim: &ObjectKey| uses(pod, claim) && !so_far.contains_key(claim);
            if is_served || named().any(|(claim, _)| waits(claim)) {
                continue;
            }
            if group.has_shared_claims && uses_provisioned(pod, &so_far) {
                return None;
            }
            for placement in open(state, pod, rules, &meanwhile) {
                for step in steps(pod, group, &placement)? {
                    moved = true;
                    let mut next = so_far.clone();
                    next.extend(step);
                    if visited.insert(next.clone()) {
                        to_visit.push(next);
                    }
                    if visited.len() > MOST_STATES {
                        return None;
                    }
                }
            }
        }
        if !moved {
            let mut end = so_far;
            for claim in group.reach.keys().chain(named().map(|(claim, _)| claim)) {
                end.entry(claim.clone()).or_insert(End::Nothing);
            }
            ends.insert(end);
        }
    }
    Some(ends)
}

fn meanwhile(so_far: &Ends) -> Meanwhile {
    let taken = so_far.iter().filter_map(|(claim, end)| match end {
        End::Takes(volume) => Some((claim.clone(), volume.clone())),
        End::Made | End::Nothing => None,
    });
    let bound: std::collections::BTreeMap<ObjectKey, String> = taken.collect();
    Meanwhile {
        gone: bound.values().cloned().collect(),
        bound,
    }
}

fn uses(pod: &Pod, claim: &ObjectKey) -> bool {
    let mut volumes = pod.volumes.iter();
    pod.key.namespace == claim.namespace && volumes.any(|it| it.claim.claim_name() == claim.name)
}

fn uses_provisioned(pod: &Pod, so_far: &Ends) -> bool {
    let mut volumes = pod.volumes.iter();
    volumes.any(|volume| {
        let claim = ObjectKey::new(&*pod.key.namespace, volume.claim.claim_name());
        so_far.get(&claim) == Some(&End::Made)
    })
}

/// What the claims of a pod may get on one node, all together; nothing if there are too many ways.
pub(super) fn steps(
    pod: &Pod,
    group: &Rivals<'_>,
    placement: &Placement<'_>,
) -> Option<BTreeSet<Ends>> {
    let mut steps = BTreeSet::new();
    if placement.is_cut {
        return None;
    }
    for way in placement.ways.iter().filter(|way| way.is_feasible()) {
        let mut partial: Vec<Ends> = vec![Ends::new()];
        for (name, volumes) in &way.bindings {
            let claim = ObjectKey::new(&*pod.key.namespace, &**name);
            if !group.reach.contains_key(&claim) {
                continue;
            }
            let mut longer = Vec::new();
            for ends in &partial {
                for volume in volumes {
                    let end = End::Takes(volume.clone());
                    if !ends.values().any(|other| *other == end) {
                        let mut ends = ends.clone();
                        ends.insert(claim.clone(), end);
                        longer.push(ends);
                    }
                }
            }
            if longer.len() > MOST_STATES {
                return None;
            }
            partial = longer;
        }
        for mut ends in partial {
            for name in &way.provisions {
                ends.insert(ObjectKey::new(&*pod.key.namespace, &**name), End::Made);
            }
            steps.insert(ends);
        }
    }
    Some(steps)
}

/// How many of these claims end how, at least.
pub(super) fn least(all: &BTreeSet<Ends>, is_counted: impl Fn(&ObjectKey) -> bool) -> Tally {
    let tallies = all.iter().map(|ends| {
        let mut tally = Tally::default();
        for (_, end) in ends.iter().filter(|(claim, _)| is_counted(claim)) {
            match end {
                End::Takes(_) => tally.bound += 1,
                End::Made => tally.provisioned += 1,
                End::Nothing => tally.without += 1,
            }
        }
        tally
    });
    tallies.reduce(Tally::least).unwrap_or_default()
}
