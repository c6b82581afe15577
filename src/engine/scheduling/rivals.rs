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

/// The other claims that may get one of the volumes this claim is to get with its pod, if another waiting pod is placed
/// first. A claim of the same pod is among them if that other pod uses it too: it then gets a volume without this claim.
pub(crate) fn claims_of_others(
    state: &ClusterState,
    pod: &Pod,
    claim: &ObjectKey,
    volumes: &[String],
    rules: Rules,
) -> Vec<ObjectKey> {
    let mut rivals: BTreeSet<ObjectKey> = BTreeSet::new();
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
            let mut bindings: BTreeMap<ObjectKey, Vec<String>> = placement
                .assessment()
                .bindings
                .into_iter()
                .map(|(name, taken)| (ObjectKey::new(&*other.key.namespace, name), taken))
                .collect();
            // A pod that uses this claim too binds it, and takes nothing from it unless the claim gets another volume.
            let is_served = bindings.remove(claim).is_some_and(|taken| {
                let mut taken = taken.iter();
                taken.all(|volume| volumes.contains(volume))
            });
            if is_served {
                continue;
            }
            let overlaps = |taken: &[String]| taken.iter().any(|volume| volumes.contains(volume));
            let others = bindings.into_iter().filter(|(_, taken)| overlaps(taken));
            rivals.extend(others.map(|(key, _)| key));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ClaimUse, PodVolume};
    use crate::testing::{claim, class, pod, state_with, volume};

    fn uses(name: &str, claims: &[&str]) -> Pod {
        let volumes = claims.iter().map(|claim| PodVolume {
            name: (*claim).to_owned(),
            claim: ClaimUse::Named((*claim).to_owned()),
        });
        Pod {
            volumes: volumes.collect(),
            ..pod(name, "")
        }
    }

    /// The rivals of the claim `small` of the pod `both`, for the volume `v3`.
    fn rivals_of_small(pods: Vec<Pod>) -> Vec<String> {
        let claims = vec![
            claim("small").requests("1Gi"),
            claim("large").requests("2Gi"),
        ];
        let volumes = vec![volume("v3").holds("3Gi"), volume("v5").holds("5Gi")];
        let state = state_with(claims, volumes, |objects| {
            let provisioner = "kubernetes.io/no-provisioner";
            objects.classes.push(class("any", provisioner).delayed());
            let name = "n".to_owned();
            objects.nodes = vec![Node {
                name,
                ..Node::default()
            }];
            objects.pods = pods;
        });
        let mut pods = state.objects().pods.iter();
        let both = pods.find(|pod| pod.key.name == "both").expect("the pod");
        let small = ObjectKey::new(&*both.key.namespace, "small");
        let volumes = ["v3".to_owned()];
        let rivals = claims_of_others(&state, both, &small, &volumes, Rules::V1_36);
        rivals.into_iter().map(|rival| rival.name).collect()
    }

    #[test]
    fn a_claim_of_the_same_pod_is_a_rival_where_another_pod_uses_it_alone() {
        // Placed first, `alone` binds `large` to v3, and `small` gets v5: seen on a real scheduler.
        let pods = vec![uses("both", &["small", "large"]), uses("alone", &["large"])];
        assert_eq!(rivals_of_small(pods), ["large"]);
    }

    #[test]
    fn a_pod_with_the_same_claims_is_no_rival() {
        let pods = vec![
            uses("both", &["small", "large"]),
            uses("twin", &["small", "large"]),
        ];
        assert!(rivals_of_small(pods).is_empty());
    }
}
