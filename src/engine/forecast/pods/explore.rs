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

/// Every end that some order of the pods reaches; `None` if there are too many states, or if a claim that several pods use is
/// provisioned: on which nodes its volume can be used is not known.
pub(super) fn explore(
    state: &ClusterState,
    rules: Rules,
    group: &Rivals<'_>,
) -> Option<BTreeSet<Ends>> {
    let start: (BTreeSet<usize>, Ends) = (BTreeSet::new(), Ends::new());
    let mut visited = BTreeSet::from([start.clone()]);
    let mut to_visit = vec![start];
    let mut ends = BTreeSet::new();
    while let Some((served, so_far)) = to_visit.pop() {
        let meanwhile = meanwhile(&so_far);
        let mut moved = false;
        for (index, pod) in group.pods.iter().enumerate() {
            if served.contains(&index) {
                continue;
            }
            if group.has_shared_claims && uses_provisioned(pod, &so_far) {
                return None;
            }
            for placement in open(state, pod, rules, &meanwhile) {
                for step in steps(pod, group, &placement)? {
                    moved = true;
                    let mut next = (served.clone(), so_far.clone());
                    next.0.insert(index);
                    next.1.extend(step);
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
            for claim in group.reach.keys() {
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
