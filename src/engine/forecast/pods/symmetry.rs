//! Every order of competing pods, where equal pods, volumes and nodes are counted and not told apart: a StatefulSet on local disks
//! has a handful of states instead of millions.
//!
//! Two volumes are equal if they have the same size, fit the same claims and can be used on the same nodes. Two nodes are equal if
//! every pod is judged there in the same way, and if the volumes that can be used there alone are equal too. Exchanging equal
//! pods, volumes or nodes in an order of events gives another order that can happen as well. So what happens to one of them in one
//! order happens to each of them in some order, and states that differ by such an exchange only are one state.

use super::super::super::Rules;
use super::super::super::scheduling::{Attempt, Meanwhile, attempt, find_classes};
use super::explore::{MOST_STATES, open, steps};
use super::{End, Rivals, Tally};
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::model::{ClusterState, Node, Pod};
use crate::report::{Code, NodeReason};
use std::collections::{BTreeMap, BTreeSet};

/// What every order has in common.
pub(super) struct Summary {
    /// What each claim may end with.
    pub(super) ends: BTreeMap<ObjectKey, BTreeSet<End>>,
    /// How many claims end how, at least.
    pub(super) least: Tally,
}

/// Visits every state; `None` if there are too many. Pods that share a claim are not equal to each other in this sense,
/// and a volume that a claim names is equal to no other.
pub(super) fn summarize(state: &ClusterState, rules: Rules, group: &Rivals<'_>) -> Option<Summary> {
    if group.has_shared_claims || !group.named.is_empty() {
        return None;
    }
    let classes = find_classes(state, group.pods.iter().copied());
    let volumes = Volumes::find(state, rules, group, &classes);
    let mut ends: Vec<BTreeSet<(usize, End)>> = vec![BTreeSet::new(); classes.len()];
    let mut least: Option<Tally> = None;
    let start = (vec![0; classes.len()], BTreeSet::new());
    let mut visited = BTreeSet::from([(start.0.clone(), volumes.normal_form(&start.1))]);
    let mut to_visit: Vec<(Vec<usize>, BTreeSet<String>)> = vec![start];
    while let Some((served, gone)) = to_visit.pop() {
        let mut moved = false;
        let meanwhile = Meanwhile {
            gone: gone.clone(),
            ..Meanwhile::default()
        };
        for (index, class) in classes.iter().enumerate() {
            let pod = class[0];
            if served[index] == class.len() {
                continue;
            }
            for placement in open(state, pod, rules, &meanwhile) {
                for step in steps(pod, group, &placement)? {
                    moved = true;
                    let mut next = (served.clone(), gone.clone());
                    next.0[index] += 1;
                    for (claim, end) in step {
                        if let End::Takes(volume) = &end {
                            next.1.insert(volume.clone());
                        }
                        ends[index].insert((place_of(pod, &claim)?, end));
                    }
                    let normal_form = (next.0.clone(), volumes.normal_form(&next.1));
                    if visited.insert(normal_form) {
                        to_visit.push(next);
                    }
                    if visited.len() > MOST_STATES {
                        return None;
                    }
                }
            }
        }
        if !moved {
            let tally = tally(group, &classes, &served, gone.len());
            least = Some(least.map_or(tally, |least| least.least(tally)));
            for (index, class) in classes.iter().enumerate() {
                if served[index] < class.len() {
                    let claims = (0..class[0].volumes.len()).map(|place| (place, End::Nothing));
                    ends[index].extend(claims);
                }
            }
        }
    }
    Some(Summary {
        ends: spread(group, &classes, &ends, &volumes),
        least: least?,
    })
}

/// Which volume of the pod a claim is.
fn place_of(pod: &Pod, claim: &ObjectKey) -> Option<usize> {
    let mut volumes = pod.volumes.iter();
    volumes.position(|volume| volume.claim.claim_name() == claim.name)
}

fn claim_at(pod: &Pod, place: usize) -> ObjectKey {
    ObjectKey::new(&*pod.key.namespace, pod.volumes[place].claim.claim_name())
}

/// How many claims end how where so many pods of each class were placed and so many volumes were taken.
fn tally(group: &Rivals<'_>, classes: &[Vec<&Pod>], served: &[usize], bound: usize) -> Tally {
    let claims = |pod: &Pod| {
        let keys = (0..pod.volumes.len()).map(|place| claim_at(pod, place));
        let open: BTreeSet<ObjectKey> = keys.filter(|key| group.reach.contains_key(key)).collect();
        open.len()
    };
    let of_served = classes.iter().zip(served);
    let served: usize = of_served
        .map(|(class, served)| claims(class[0]) * served)
        .sum();
    Tally {
        bound,
        provisioned: served - bound,
        without: group.reach.len() - served,
    }
}

/// What happened to one pod and one volume of a class can happen to each.
fn spread(
    group: &Rivals<'_>,
    classes: &[Vec<&Pod>],
    ends: &[BTreeSet<(usize, End)>],
    volumes: &Volumes,
) -> BTreeMap<ObjectKey, BTreeSet<End>> {
    let mut all: BTreeMap<ObjectKey, BTreeSet<End>> = BTreeMap::new();
    for (class, ends) in classes.iter().zip(ends) {
        for (place, end) in ends {
            let equal: Vec<End> = match end {
                End::Takes(volume) => volumes.equal_to(volume).map(End::Takes).collect(),
                other => vec![other.clone()],
            };
            for pod in class {
                let claim = claim_at(pod, *place);
                if group.reach.contains_key(&claim) {
                    all.entry(claim).or_default().extend(equal.iter().cloned());
                }
            }
        }
    }
    all
}

/// The volumes that the group reaches, with those that are equal.
struct Volumes {
    /// Each by name: its kind, and the node if it can be used on one alone.
    kinds: BTreeMap<String, (usize, Option<usize>)>,
    /// The kind of each node.
    nodes: Vec<usize>,
}

/// What tells a volume from others, nodes aside: its size, and which claims of which classes it fits.
type Facts<'a> = (&'a Quantity, Vec<(usize, usize)>);

/// How the pods are judged on a node when all volumes of the group are taken: per class what other plugins report, and per way what
/// stands against it and what is provisioned.
type Judged = Vec<(Vec<Code>, Vec<JudgedWay>)>;
type JudgedWay = (Vec<Code>, Vec<String>, BTreeMap<String, BTreeSet<String>>);

impl Volumes {
    fn find(state: &ClusterState, rules: Rules, group: &Rivals<'_>, classes: &[Vec<&Pod>]) -> Self {
        let nodes: Vec<&Node> = state.objects().nodes.iter().collect();
        let names: BTreeSet<&String> = group.reach.values().flatten().collect();
        let found: Vec<(&String, Facts<'_>, Vec<usize>)> = names
            .into_iter()
            .filter_map(|name| {
                let volume = state.find_volume(name)?;
                let affinity = volume.node_affinity.as_ref();
                let is_usable =
                    |node: &Node| affinity.is_none_or(|affinity| affinity.matches(&node.labels));
                let usable = (0..nodes.len()).filter(|index| is_usable(nodes[*index]));
                let facts = (&volume.capacity, fitting(group, classes, name));
                Some((name, facts, usable.collect()))
            })
            .collect();
        let judged = judge(state, rules, group, classes, nodes.len());
        let is_single = |usable: &[usize]| usable.len() == 1;
        // A kind of node: how pods are judged there, the volumes of several nodes that can be used there, and the facts of those
        // that can be used there alone.
        let node_facts = (0..nodes.len()).map(|index| {
            let here = found
                .iter()
                .filter(|(_, _, usable)| usable.contains(&index));
            let (alone, shared): (Vec<_>, Vec<_>) =
                here.partition(|(_, _, usable)| is_single(usable));
            let mut alone: Vec<&Facts<'_>> = alone.into_iter().map(|(_, facts, _)| facts).collect();
            alone.sort();
            let shared: Vec<&String> = shared.into_iter().map(|(name, _, _)| *name).collect();
            (judged[index].clone(), shared, alone)
        });
        let node_kinds = number(&node_facts.collect::<Vec<_>>());
        let volume_facts = found.iter().map(|(_, facts, usable)| {
            let place = match &usable[..] {
                [only] => vec![node_kinds[*only]],
                several => several.to_vec(),
            };
            (facts, is_single(usable), place)
        });
        let volume_kinds = number(&volume_facts.collect::<Vec<_>>());
        let kinds = found
            .iter()
            .zip(volume_kinds)
            .map(|((name, _, usable), kind)| {
                let node = usable.first().filter(|_| is_single(usable)).copied();
                ((*name).clone(), (kind, node))
            });
        Self {
            kinds: kinds.collect(),
            nodes: node_kinds,
        }
    }

    fn equal_to(&self, volume: &str) -> impl Iterator<Item = String> + '_ {
        let kind = self.kinds.get(volume).map(|(kind, _)| *kind);
        let equal = self
            .kinds
            .iter()
            .filter(move |(_, (other, _))| Some(*other) == kind);
        equal.map(|(name, _)| name.clone())
    }

    /// The same for any two sets that an exchange of equal volumes and nodes turns into each other: how many volumes of each kind
    /// that several nodes reach are taken, and for each node its kind and how many of its own are taken, sorted.
    fn normal_form(&self, gone: &BTreeSet<String>) -> NormalForm {
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        let mut own: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
        for (kind, node) in gone.iter().filter_map(|name| self.kinds.get(name)) {
            let counts = match node {
                Some(node) => own.entry(*node).or_default(),
                None => &mut shared,
            };
            *counts.entry(*kind).or_default() += 1;
        }
        let mut own: Vec<_> = own
            .into_iter()
            .map(|(node, counts)| (self.nodes[node], counts))
            .collect();
        own.sort();
        (shared, own)
    }
}

type NormalForm = (BTreeMap<usize, usize>, Vec<(usize, BTreeMap<usize, usize>)>);

/// Which claims of which classes a volume fits.
fn fitting(group: &Rivals<'_>, classes: &[Vec<&Pod>], volume: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (index, class) in classes.iter().enumerate() {
        for place in 0..class[0].volumes.len() {
            let reach = group.reach.get(&claim_at(class[0], place));
            if reach.is_some_and(|reach| reach.contains(volume)) {
                found.push((index, place));
            }
        }
    }
    found
}

fn judge(
    state: &ClusterState,
    rules: Rules,
    group: &Rivals<'_>,
    classes: &[Vec<&Pod>],
    nodes: usize,
) -> Vec<Judged> {
    let meanwhile = Meanwhile {
        gone: group.reach.values().flatten().cloned().collect(),
        ..Meanwhile::default()
    };
    let mut judged: Vec<Judged> = vec![vec![]; nodes];
    for class in classes {
        let Attempt::Judged { placements, .. } = attempt(state, class[0], rules, None, &meanwhile)
        else {
            continue;
        };
        for (of_node, placement) in judged.iter_mut().zip(placements) {
            let ways = placement.ways.iter().map(|way| {
                let reasons = way.reasons.iter().map(NodeReason::code).collect();
                (reasons, way.provisions.clone(), way.bindings.clone())
            });
            let others = placement.others.iter().map(NodeReason::code).collect();
            of_node.push((others, ways.collect()));
        }
    }
    judged
}

/// Equal values get equal numbers.
fn number<T: Ord>(values: &[T]) -> Vec<usize> {
    let mut sorted: Vec<&T> = values.iter().collect();
    sorted.sort();
    sorted.dedup();
    let place = |value: &T| sorted.binary_search(&value).unwrap_or_default();
    values.iter().map(place).collect()
}
