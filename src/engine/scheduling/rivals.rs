//! Other pods that may take the volumes one pod is to get (N12).

use super::super::Rules;
use super::super::phases::Phases;
use super::attempt::{Attempt, attempt};
use super::claims::PodClaims;
use super::matching::Matcher;
use super::others;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Node, Pod};
use std::collections::{BTreeMap, BTreeSet};

/// A look at this many other pods is enough to say that there is a race.
const MOST_LOOKED_AT: usize = 50;

/// The claims of other waiting pods that may get one of these volumes, were those pods placed first.
pub(crate) fn claims_of_others(
    state: &ClusterState,
    pod: &Pod,
    volumes: &[String],
    rules: Rules,
) -> Vec<ObjectKey> {
    let mut rivals: BTreeSet<ObjectKey> = BTreeSet::new();
    let own: BTreeSet<&str> = pod
        .volumes
        .iter()
        .map(|volume| volume.claim.claim_name())
        .collect();
    let waiting = |other: &&Pod| {
        other.key != pod.key
            && other.node_name.is_none()
            && !other.is_terminated()
            && !other.volumes.is_empty()
            && other.wishes.gates.is_empty()
    };
    let others = state.objects().pods.iter().filter(waiting);
    for other in others.take(MOST_LOOKED_AT) {
        let Attempt::Judged { placements, .. } =
            attempt(state, other, rules, None, &BTreeSet::new())
        else {
            continue;
        };
        for placement in placements.iter().filter(|placement| placement.is_open()) {
            for (claim, taken) in placement.assessment().bindings {
                let key = ObjectKey::new(&*other.key.namespace, claim);
                let is_own = key.namespace == pod.key.namespace && own.contains(key.name.as_str());
                if !is_own && taken.iter().any(|volume| volumes.contains(volume)) {
                    rivals.insert(key);
                }
            }
        }
    }
    rivals.into_iter().collect()
}

/// Per claim that waits for a node, every volume it could ever get: those that fit it and can be used on some node that
/// nothing else keeps the pod from.
pub(crate) fn reach(
    state: &ClusterState,
    pod: &Pod,
    rules: Rules,
) -> BTreeMap<ObjectKey, BTreeSet<String>> {
    let Ok(claims) = PodClaims::find(state, pod, rules, Phases::Settled) else {
        return BTreeMap::new();
    };
    let nothing_gone = BTreeSet::new();
    let matcher = Matcher::new(state, &claims, Phases::Settled, &nothing_gone);
    let nodes: Vec<&Node> = state
        .objects()
        .nodes
        .iter()
        .filter(|node| others::reasons(pod, node).is_empty())
        .collect();
    matcher.reach(&nodes)
}
