//! Other pods that may take the volumes one pod is to get (N12).

use super::super::Rules;
use super::super::checks::{Candidate, Question, search_failures};
use super::super::phases::{Phases, view};
use super::attempt::{Attempt, Meanwhile, attempt, bound_first};
use super::claims::PodClaims;
use super::equal_pods::find_classes;
use super::matching::Matcher;
use super::others;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Node, Pod};
use std::collections::{BTreeMap, BTreeSet};

/// The other claims that may get one of the volumes this claim is to get with its pod, if another waiting pod is placed
/// first. A claim of the same pod is among them if that other pod uses it too: it then gets a volume without this claim.
pub(crate) fn claims_of_others(
    state: &ClusterState,
    pod: &Pod,
    claim: &ObjectKey,
    volumes: &[String],
    rules: Rules,
) -> Vec<ObjectKey> {
    let pods = state.objects().pods.iter();
    let others = pods.filter(|other| is_waiting(other) && other.key != pod.key);
    let (sharing, others): (Vec<&Pod>, Vec<&Pod>) = others.partition(|other| uses(other, claim));
    let mut classes: Vec<Vec<&Pod>> = sharing.into_iter().map(|pod| vec![pod]).collect();
    classes.extend(find_classes(state, others));
    let sought = Sought {
        state,
        claim,
        volumes,
        rules,
    };
    let mut rivals: BTreeSet<ObjectKey> = BTreeSet::new();
    for class in classes {
        // All pods of a class have as many volumes as the first, in the same order.
        for place in sought.find_takers(class[0]) {
            rivals.extend(class.iter().map(|pod| claim_at(pod, place)));
        }
    }
    rivals.into_iter().collect()
}

/// Whether the default scheduler is to find a node for the pod, and claims with it.
pub(crate) fn is_waiting(pod: &Pod) -> bool {
    pod.node_name.is_none()
        && !pod.is_terminated()
        && !pod.volumes.is_empty()
        && pod.wishes.gates.is_empty()
        && pod.wishes.scheduler.is_none()
}

/// Whether one of the volumes fits another claim of a waiting pod, or another claim names it: only then can the claim have a
/// competitor, in whatever order.
pub(crate) fn may_compete(
    state: &ClusterState,
    claim: &ObjectKey,
    volumes: &[String],
    rules: Rules,
) -> bool {
    let sought = Sought {
        state,
        claim,
        volumes,
        rules,
    };
    let mut pods = state.objects().pods.iter();
    let mut named = volumes
        .iter()
        .flat_map(|volume| state.claims_naming(volume));
    named.any(|other| other.key != *claim)
        || pods.any(|pod| is_waiting(pod) && sought.may_be_taken_by(pod))
}

fn uses(pod: &Pod, claim: &ObjectKey) -> bool {
    let mut volumes = pod.volumes.iter();
    pod.key.namespace == claim.namespace && volumes.any(|it| it.claim.claim_name() == claim.name)
}

fn claim_at(pod: &Pod, place: usize) -> ObjectKey {
    ObjectKey::new(&*pod.key.namespace, pod.volumes[place].claim.claim_name())
}

/// The volumes that a claim is to get.
struct Sought<'a> {
    state: &'a ClusterState,
    claim: &'a ObjectKey,
    volumes: &'a [String],
    rules: Rules,
}

impl Sought<'_> {
    /// Which volumes of the pod are claims that may take one of them, if the pod is placed now.
    fn find_takers(&self, other: &Pod) -> BTreeSet<usize> {
        let mut takers = BTreeSet::new();
        if !self.may_be_taken_by(other) {
            return takers;
        }
        let attempted = attempt(self.state, other, self.rules, None, &Meanwhile::default());
        let Attempt::Judged { placements, .. } = attempted else {
            return takers;
        };
        let is_own =
            |name: &str| other.key.namespace == self.claim.namespace && name == self.claim.name;
        for placement in placements.iter().filter(|placement| placement.is_open()) {
            let bindings = placement.sum_up().bindings;
            // A pod that uses this claim too binds it, and takes nothing from it unless the claim gets another volume.
            let mut own = bindings.iter().filter(|(name, _)| is_own(name));
            let is_served = own.next().is_some_and(|(_, taken)| {
                let mut taken = taken.iter();
                taken.all(|volume| self.volumes.contains(volume))
            });
            if is_served {
                continue;
            }
            let overlaps = |name: &str| {
                let taken = bindings.get(name).filter(|_| !is_own(name));
                taken.is_some_and(|taken| taken.iter().any(|it| self.volumes.contains(it)))
            };
            let claims = other.volumes.iter().map(|volume| volume.claim.claim_name());
            let taking = claims.enumerate().filter(|(_, name)| overlaps(name));
            takers.extend(taking.map(|(place, _)| place));
        }
        takers
    }

    /// Whether one of the volumes fits another claim of the pod, on whichever node.
    fn may_be_taken_by(&self, other: &Pod) -> bool {
        let Ok(claims) = PodClaims::find(self.state, other, self.rules, Phases::Settled) else {
            return false;
        };
        let uses = claims.uses.iter();
        let mut others = uses.filter(|usage| usage.claim.key != *self.claim);
        others.any(|usage| {
            let question = Question::new(&usage.claim, &*usage.class, self.rules);
            let mut volumes = self.volumes.iter();
            volumes.any(|name| {
                self.state.find_volume(name).is_some_and(|volume| {
                    let seen = view(self.state, volume, Phases::Settled);
                    let candidate = Candidate::new(self.state, &seen, &usage.claim);
                    candidate.is_reserved() || search_failures(&question, &candidate).is_empty()
                })
            })
        })
    }
}

/// Per claim that waits for a node, every volume it could ever get: those that fit it and can be used on some node that
/// nothing else keeps the pod from. A claim with a reserved volume is bound by the controller and does not wait.
pub(crate) fn reach(
    state: &ClusterState,
    pod: &Pod,
    rules: Rules,
) -> BTreeMap<ObjectKey, BTreeSet<String>> {
    let Ok(claims) = PodClaims::find(state, pod, rules, Phases::Settled) else {
        return BTreeMap::new();
    };
    let by_controller = bound_first(state, &claims, rules);
    let nothing_gone = BTreeSet::new();
    let matcher = Matcher::new(state, &claims, Phases::Settled, &nothing_gone);
    let nodes: Vec<&Node> = state
        .objects()
        .nodes
        .iter()
        .filter(|node| others::reasons(pod, node).is_empty())
        .collect();
    let mut reach = matcher.reach(&nodes);
    for (claim, _) in by_controller {
        reach.remove(&claim);
    }
    reach
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ClaimUse, PodVolume};
    use crate::testing::{claim, class, pod, state_with, volume};

    fn pod_with(name: &str, claims: &[&str]) -> Pod {
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
            claim("unrelated").requests("9Gi"),
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
        let pods = vec![
            pod_with("both", &["small", "large"]),
            pod_with("alone", &["large"]),
        ];
        assert_eq!(rivals_of_small(pods), ["large"]);
    }

    #[test]
    fn a_rival_is_found_behind_many_pods_that_want_other_volumes() {
        let unrelated = (0..60).map(|index| pod_with(&format!("a-{index}"), &["unrelated"]));
        let mut pods: Vec<Pod> = unrelated.collect();
        pods.extend([
            pod_with("alone", &["large"]),
            pod_with("both", &["small", "large"]),
        ]);
        assert_eq!(rivals_of_small(pods), ["large"]);
    }

    #[test]
    fn a_pod_with_the_same_claims_is_no_rival() {
        let pods = vec![
            pod_with("both", &["small", "large"]),
            pod_with("twin", &["small", "large"]),
        ];
        assert!(rivals_of_small(pods).is_empty());
    }
}
