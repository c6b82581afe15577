//! Pods that wait for a node compete for volumes, too: whichever the scheduler takes first gets its choice (N12).
//!
//! Pods that cannot get in each other's way are as `explain` says. Of the others every order is tried, at every node and
//! by every choice left to chance; where that is too much, all they could ever reach is told, and that it may be less.

use super::super::Rules;
use super::super::scheduling::{Attempt, Placement, attempt, reach};
use super::Ask;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Pod};
use crate::report::{ClaimForecast, Contention, Forecast, Group, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// So many worlds are visited before a group counts as too large.
const MOST_WORLDS: usize = 2_000;
/// So many assignments are listed.
const MOST_LISTED: usize = 1_000;

/// What a claim ends with: a volume that is there, one that is made, or none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Takes(String),
    Made,
    Nothing,
}

type Ends = BTreeMap<ObjectKey, End>;

/// Pods that may get in each other's way, and what their claims could ever get.
struct Rivals<'a> {
    pods: Vec<&'a Pod>,
    reach: BTreeMap<ObjectKey, BTreeSet<String>>,
}

/// Lets the waiting pods compete, and corrects what is told of their claims.
pub(super) fn compete(state: &ClusterState, rules: Rules, ask: &Ask, forecast: &mut Forecast) {
    let groups = groups(state, rules);
    if groups.is_empty() {
        return;
    }
    let taken_otherwise: BTreeSet<String> = forecast
        .claims
        .iter()
        .filter(|claim| claim.verdict == Verdict::WillBind)
        .flat_map(|claim| claim.outcomes.iter().cloned())
        .collect();
    let of_pods: BTreeSet<ObjectKey> = groups
        .iter()
        .flat_map(|group| group.reach.keys().cloned())
        .collect();
    let by_controller: BTreeSet<String> = forecast
        .claims
        .iter()
        .filter(|claim| !of_pods.contains(&key_of(claim)))
        .flat_map(|claim| claim.outcomes.iter().cloned())
        .filter(|volume| taken_otherwise.contains(volume))
        .collect();
    for group in &groups {
        let meets_controller = group
            .reach
            .values()
            .flatten()
            .any(|volume| by_controller.contains(volume));
        if group.pods.len() < 2 && !meets_controller {
            continue;
        }
        let explored = if meets_controller || shares_claims(group) {
            None
        } else {
            explore(state, rules, group)
        };
        tell(forecast, group, explored.as_ref(), ask);
    }
    forecast.contention.sort_by(|a, b| a.volume.cmp(&b.volume));
    forecast.groups.sort_by(|a, b| a.claims.cmp(&b.claims));
}

fn key_of(claim: &ClaimForecast) -> ObjectKey {
    ObjectKey::new(&*claim.namespace, &*claim.name)
}

/// The pods that wait and could be placed, put together where they reach for the same volume.
fn groups(state: &ClusterState, rules: Rules) -> Vec<Rivals<'_>> {
    let waits = |pod: &&Pod| {
        pod.node_name.is_none()
            && !pod.is_terminated()
            && !pod.volumes.is_empty()
            && pod.wishes.gates.is_empty()
            && pod.wishes.scheduler.is_none()
    };
    let mut groups: Vec<Rivals<'_>> = Vec::new();
    for pod in state.objects().pods.iter().filter(waits) {
        let reach = reach(state, pod, rules);
        if reach.values().all(BTreeSet::is_empty)
            || open(state, pod, rules, &BTreeSet::new()).is_empty()
        {
            continue;
        }
        let meets = |group: &Rivals<'_>| {
            let mut volumes = group.reach.values().flatten();
            volumes.any(|volume| reach.values().any(|own| own.contains(volume)))
                || reach.keys().any(|claim| group.reach.contains_key(claim))
        };
        let mut joined = Rivals {
            pods: vec![pod],
            reach: reach.clone(),
        };
        for group in groups.extract_if(.., |group| meets(group)) {
            joined.pods.extend(group.pods);
            joined.reach.extend(group.reach);
        }
        groups.push(joined);
    }
    groups
}

/// The nodes that take a pod when these volumes are gone.
fn open<'a>(
    state: &'a ClusterState,
    pod: &Pod,
    rules: Rules,
    gone: &BTreeSet<String>,
) -> Vec<Placement<'a>> {
    match attempt(state, pod, rules, None, gone) {
        Attempt::Judged { placements, .. } => {
            placements.into_iter().filter(Placement::is_open).collect()
        }
        Attempt::Refused(_) => vec![],
    }
}

/// A claim that several pods use is bound for all of them with the first; that is not followed.
fn shares_claims(group: &Rivals<'_>) -> bool {
    let mut seen = BTreeSet::new();
    group.pods.iter().any(|pod| {
        let claims: BTreeSet<(&str, &str)> = pod
            .volumes
            .iter()
            .map(|volume| (pod.key.namespace.as_str(), volume.claim.claim_name()))
            .collect();
        claims.into_iter().any(|claim| !seen.insert(claim))
    })
}

/// Every end that some order of the pods reaches, or nothing if there are too many ways.
fn explore(state: &ClusterState, rules: Rules, group: &Rivals<'_>) -> Option<BTreeSet<Ends>> {
    let start: (BTreeSet<usize>, Ends) = (BTreeSet::new(), Ends::new());
    let mut visited = BTreeSet::from([start.clone()]);
    let mut to_visit = vec![start];
    let mut ends = BTreeSet::new();
    while let Some((served, so_far)) = to_visit.pop() {
        let gone: BTreeSet<String> = so_far
            .values()
            .filter_map(|end| match end {
                End::Takes(volume) => Some(volume.clone()),
                End::Made | End::Nothing => None,
            })
            .collect();
        let mut moved = false;
        for (index, pod) in group.pods.iter().enumerate() {
            if served.contains(&index) {
                continue;
            }
            for ways in open(state, pod, rules, &gone)
                .iter()
                .map(|placement| steps(pod, group, placement))
            {
                for step in ways? {
                    moved = true;
                    let mut next = (served.clone(), so_far.clone());
                    next.0.insert(index);
                    next.1.extend(step);
                    if visited.insert(next.clone()) {
                        to_visit.push(next);
                    }
                    if visited.len() > MOST_WORLDS {
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

/// What the claims of a pod may get on one node, all together; nothing if there are too many ways.
fn steps(pod: &Pod, group: &Rivals<'_>, placement: &Placement<'_>) -> Option<BTreeSet<Ends>> {
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
            if longer.len() > MOST_WORLDS {
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

/// Corrects what is told of the claims of a group, and adds the group.
fn tell(forecast: &mut Forecast, group: &Rivals<'_>, explored: Option<&BTreeSet<Ends>>, ask: &Ask) {
    let is_shown = |claim: &ObjectKey| {
        ask.namespace
            .as_ref()
            .is_none_or(|own| *own == claim.namespace)
    };
    if !group.reach.keys().any(is_shown) {
        return;
    }
    let mut takers: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (claim, volumes) in &group.reach {
        let ends = ends_of(claim, volumes, explored);
        for end in &ends {
            if let End::Takes(volume) = end
                && let Some(volume) = volumes.get(volume)
            {
                takers.entry(volume).or_default().insert(claim.to_string());
            }
        }
        let told = forecast
            .claims
            .iter_mut()
            .find(|told| key_of(told) == *claim);
        if let Some(told) = told {
            let counted = told.verdict == Verdict::WillBind;
            correct(told, &ends, explored.is_some());
            if counted && (told.may_stay_unbound || told.may_be_provisioned) {
                forecast.settled.bound = forecast.settled.bound.saturating_sub(1);
                forecast.settled.undecided += 1;
            }
        }
    }
    let contended = takers.iter().filter(|(_, claims)| claims.len() > 1);
    for (volume, claims) in contended {
        forecast.contention.push(Contention {
            volume: (*volume).to_owned(),
            claims: claims.iter().cloned().collect(),
            claims_omitted: 0,
        });
        for told in &mut forecast.claims {
            let own = key_of(told).to_string();
            if claims.contains(&own) {
                let others = claims.iter().filter(|claim| **claim != own);
                told.competitors.extend(others.cloned());
                told.competitors.sort();
                told.competitors.dedup();
            }
        }
    }
    let listed = explored.filter(|ends| ends.len() <= MOST_LISTED);
    forecast.groups.push(Group {
        claims: group.reach.keys().map(ToString::to_string).collect(),
        volumes: takers.keys().map(|volume| (*volume).to_owned()).collect(),
        volumes_omitted: 0,
        exact: explored.is_some(),
        assignments: listed
            .map(|ends| ends.iter().map(assignment).collect())
            .unwrap_or_default(),
        assignments_omitted: explored
            .filter(|ends| ends.len() > MOST_LISTED)
            .map(|ends| u64::try_from(ends.len()).unwrap_or(u64::MAX)),
        assignments_unlisted: listed.is_none(),
    });
}

fn assignment(ends: &Ends) -> BTreeMap<String, Option<String>> {
    let volume = |end: &End| match end {
        End::Takes(volume) => Some(volume.clone()),
        End::Made | End::Nothing => None,
    };
    ends.iter()
        .map(|(claim, end)| (claim.to_string(), volume(end)))
        .collect()
}

/// What a claim may end with: what was explored, or all it could ever reach.
fn ends_of(
    claim: &ObjectKey,
    reach: &BTreeSet<String>,
    explored: Option<&BTreeSet<Ends>>,
) -> BTreeSet<End> {
    match explored {
        Some(all) => all
            .iter()
            .filter_map(|ends| ends.get(claim).cloned())
            .collect(),
        None => reach
            .iter()
            .cloned()
            .map(End::Takes)
            .chain([End::Nothing, End::Made])
            .collect(),
    }
}

fn correct(told: &mut ClaimForecast, ends: &BTreeSet<End>, exact: bool) {
    let could_be_made = told.verdict == Verdict::WillProvision || told.may_be_provisioned;
    told.outcomes = ends
        .iter()
        .filter_map(|end| match end {
            End::Takes(volume) => Some(volume.clone()),
            End::Made | End::Nothing => None,
        })
        .collect();
    told.exact = exact;
    told.may_stay_unbound = ends.contains(&End::Nothing);
    told.may_be_provisioned =
        !told.outcomes.is_empty() && ends.contains(&End::Made) && (exact || could_be_made);
    if !told.outcomes.is_empty() {
        told.verdict = Verdict::WillBind;
    }
}

#[cfg(test)]
mod tests {
    use super::super::forecast;
    use super::*;
    use crate::conventions::selector::{Operator, Requirement};
    use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
    use crate::model::{Node, Volume};
    use crate::testing::{assert_order, claim, class, pod, state_with, volume};

    /// Ends are listed in this order, volumes by name first.
    #[test]
    fn the_order_of_ends() {
        assert_order!(End: Takes(String::new()), Made, Nothing);
        assert!(End::Takes("a".to_owned()) < End::Takes("b".to_owned()));
    }

    fn node(name: &str) -> Node {
        Node {
            name: name.to_owned(),
            labels: [("host".to_owned(), name.to_owned())].into(),
            ..Node::default()
        }
    }

    fn on(node: &str, volume: Volume) -> Volume {
        let requirement = Requirement {
            key: "host".to_owned(),
            operator: Operator::In,
            values: vec![node.to_owned()],
        };
        let term = NodeSelectorTerm {
            match_expressions: vec![requirement],
            match_fields: vec![],
        };
        Volume {
            node_affinity: Some(NodeSelector { terms: vec![term] }),
            ..volume
        }
    }

    fn settle(pods: &[&str], volumes: Vec<Volume>, provisioner: &str) -> Forecast {
        let claims = pods.iter().map(|name| claim(name)).collect();
        let state = state_with(claims, volumes, |objects| {
            objects.classes.push(class("any", provisioner).delayed());
            objects.nodes = vec![node("n1"), node("n2")];
            objects.pods = pods.iter().map(|name| pod(name, name)).collect();
        });
        forecast(&state, Rules::V1_36)
    }

    const STATIC: &str = "kubernetes.io/no-provisioner";

    #[test]
    fn three_pods_and_two_volumes() {
        let volumes = vec![on("n1", volume("v1")), on("n2", volume("v2"))];
        let told = settle(&["a", "b", "c"], volumes, STATIC);
        for claim in &told.claims {
            assert_eq!(claim.outcomes, ["v1", "v2"]);
            assert!(claim.may_stay_unbound && claim.exact);
            assert_eq!(claim.competitors.len(), 2);
        }
        assert_eq!(told.groups[0].assignments.len(), 6);
        assert_eq!((told.settled.bound, told.settled.undecided), (0, 3));
        assert_eq!(told.contention.len(), 2);
    }

    #[test]
    fn pods_that_reach_for_other_volumes_do_not_compete() {
        let small = volume("small").holds("1Gi").labelled("for", "a");
        let mut state_claims = vec![claim("a").selecting("for=a"), claim("b").requests("2Gi")];
        let state = state_with(
            std::mem::take(&mut state_claims),
            vec![small, volume("large").holds("3Gi")],
            |objects| {
                objects.classes.push(class("any", STATIC).delayed());
                objects.nodes = vec![node("n1")];
                objects.pods = vec![pod("a", "a"), pod("b", "b")];
            },
        );
        let told = forecast(&state, Rules::V1_36);
        assert!(told.groups.is_empty() && told.contention.is_empty());
        assert_eq!(told.claims[0].outcomes, ["small"]);
        assert_eq!(told.claims[1].outcomes, ["large"]);
        assert!(told.claims.iter().all(|claim| !claim.may_stay_unbound));
    }

    #[test]
    fn a_loser_gets_the_next_best_or_one_that_is_made() {
        let volumes = vec![volume("v1"), volume("v2").holds("2Gi")];
        let told = settle(&["a", "b"], volumes, STATIC);
        assert_eq!(told.claims[0].outcomes, ["v1", "v2"]);
        assert!(!told.claims[0].may_stay_unbound);
        let made = settle(&["a", "b"], vec![volume("v1")], "kubernetes.io/host-path");
        assert!(
            made.claims
                .iter()
                .all(|claim| claim.may_be_provisioned && !claim.may_stay_unbound)
        );
    }
}
