//! What the claims of a pod get on one node: the smaller one first, no volume twice, and no second thought (R110–R114).
//!
//! Which of several equal volumes is taken is left to chance, so the answer is every way it may go. Volumes that are alike
//! for all claims of the pod are counted, not told apart: a hundred equal disks are one choice.

use super::super::Rules;
use super::super::checks::{Candidate, Question, search_failures};
use super::super::phases::{Phases, view};
use super::Way;
use super::claims::{PodClaims, Standing, Use};
use super::making::{Making, try_making};
use super::migration::affinity_on;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::model::{ClusterState, Node, Volume};
use crate::report::{NodeReason, VolumeReason};
use std::collections::{BTreeMap, BTreeSet};

/// So many ways of serving the claims of a pod on one node are followed; if there are more, the placement says so.
const MOST_WAYS: usize = 4_096;

/// How many volumes are named as near misses on one node.
const NEAR_MISSES: usize = 3;

/// Searches volumes for the claims of one pod; what does not depend on the node is done once.
pub(super) struct Matcher<'a> {
    state: &'a ClusterState,
    /// The claims whose volumes are known: bound before the pod came.
    bound: Vec<&'a Use<'a>>,
    /// The claims that have a node already.
    promised: Vec<&'a Use<'a>>,
    /// The claims to be matched, by size, each with the volumes of its class.
    wanting: Vec<Wanting<'a>>,
}

/// A claim and the volumes of its class.
struct Wanting<'a> {
    usage: &'a Use<'a>,
    offers: Vec<Offer<'a>>,
}

/// A volume, judged for a claim by all that does not depend on the node.
struct Offer<'a> {
    volume: &'a Volume,
    is_reserved: bool,
    reasons: Vec<VolumeReason>,
}

/// Volumes on one node that are alike for every claim of the pod.
struct Alike<'a> {
    capacity: &'a Quantity,
    members: Vec<&'a str>,
    /// Per claim: whether it fits, and whether it is reserved for it.
    roles: Vec<Role>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    No,
    Fits,
    Reserved,
}

impl<'a> Matcher<'a> {
    /// `gone` are volumes that others have taken meanwhile.
    pub(super) fn new(
        state: &'a ClusterState,
        claims: &'a PodClaims<'a>,
        phases: Phases,
        gone: &BTreeSet<String>,
    ) -> Self {
        let (promised, mut wanting): (Vec<_>, Vec<_>) = claims
            .delayed()
            .partition(|usage| usage.claim.selected_node().is_some());
        wanting.sort_by_cached_key(|usage| usage.claim.request());
        let bound = claims
            .uses
            .iter()
            .filter(|usage| matches!(usage.standing, Standing::Bound(_)))
            .collect();
        Self {
            state,
            bound,
            promised,
            wanting: wanting
                .into_iter()
                .map(|usage| Wanting {
                    usage,
                    offers: offers(state, usage, phases, gone),
                })
                .collect(),
        }
    }

    /// Per claim that is to be matched, every volume that fits it and can be used on one of these nodes.
    pub(super) fn reach(&self, nodes: &[&Node]) -> BTreeMap<ObjectKey, BTreeSet<String>> {
        let mut reach: BTreeMap<ObjectKey, BTreeSet<String>> = BTreeMap::new();
        for wanting in &self.wanting {
            let fits = wanting.offers.iter().filter(|offer| {
                offer.reasons.is_empty() && nodes.iter().any(|node| can_be_used(offer.volume, node))
            });
            let volumes = fits.map(|offer| offer.volume.name.clone());
            reach
                .entry(wanting.usage.claim.key.clone())
                .or_default()
                .extend(volumes);
        }
        reach
    }

    /// Every way the claims may be served on the node, and whether there are more.
    pub(super) fn ways(&self, node: &Node) -> (Vec<Way>, bool) {
        let (bound, problems) = self.look_at_bound(node);
        let start = Way {
            bindings: bound,
            provisions: vec![],
            reasons: problems,
        };
        if let Some(reason) = self.promised_elsewhere(node) {
            let mut way = start;
            way.reasons.push(reason);
            return (vec![way], false);
        }
        let groups = self.alike(node);
        let mut ways: Vec<Way> = Vec::new();
        let (choices, is_cut) = self.choices(node, &groups);
        for choice in choices {
            let way = self.way_of(&start, node, &groups, &choice);
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        (ways, is_cut)
    }

    /// Bound claims: their volumes must be there, and usable on the node (R104).
    fn look_at_bound(&self, node: &Node) -> (BTreeMap<String, BTreeSet<String>>, Vec<NodeReason>) {
        let mut bindings: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut reasons = Vec::new();
        for usage in &self.bound {
            let Standing::Bound(name) = &usage.standing else {
                continue;
            };
            let claim = usage.claim.key.name.clone();
            bindings
                .entry(claim.clone())
                .or_default()
                .insert(name.clone());
            let Some(volume) = self.state.find_volume(name) else {
                reasons.push(NodeReason::BoundVolumeMissing {
                    claim,
                    volume: name.clone(),
                });
                continue;
            };
            if let Some(affinity) = affinity_on(self.state, volume, node)
                && !affinity.matches(&node.labels)
            {
                reasons.push(NodeReason::BoundVolumeElsewhere {
                    claim,
                    volume: name.clone(),
                    requires: affinity.to_string(),
                    node_has: own_values(&affinity, node),
                });
            }
        }
        (bindings, reasons)
    }

    /// A claim that was promised to another node ends the search at once (R110).
    fn promised_elsewhere(&self, node: &Node) -> Option<NodeReason> {
        self.promised.iter().find_map(|usage| {
            let promised = usage.claim.selected_node()?;
            (promised != node.name).then(|| NodeReason::SelectedNodeElsewhere {
                claim: usage.claim.key.name.clone(),
                node: promised.to_owned(),
            })
        })
    }

    /// The volumes that can be used on the node, put together where no claim can tell them apart.
    fn alike(&self, node: &Node) -> Vec<Alike<'a>> {
        let mut roles: BTreeMap<&'a str, (&'a Volume, Vec<Role>)> = BTreeMap::new();
        for (index, wanting) in self.wanting.iter().enumerate() {
            for offer in &wanting.offers {
                if offer.reasons.is_empty() && can_be_used(offer.volume, node) {
                    let entry = roles
                        .entry(&offer.volume.name)
                        .or_insert_with(|| (offer.volume, vec![Role::No; self.wanting.len()]));
                    entry.1[index] = if offer.is_reserved {
                        Role::Reserved
                    } else {
                        Role::Fits
                    };
                }
            }
        }
        let mut groups: BTreeMap<(&'a Quantity, Vec<Role>), Vec<&'a str>> = BTreeMap::new();
        for (name, (volume, roles)) in roles {
            groups
                .entry((&volume.capacity, roles))
                .or_default()
                .push(name);
        }
        groups
            .into_iter()
            .map(|((capacity, roles), members)| Alike {
                capacity,
                members,
                roles,
            })
            .collect()
    }

    /// Every sequence of choices: per claim the group a volume is taken from, or none; and whether there are more.
    fn choices(&self, node: &Node, groups: &[Alike<'_>]) -> (Vec<Vec<Option<usize>>>, bool) {
        let mut is_cut = false;
        let mut open: Vec<Vec<Option<usize>>> = vec![vec![]];
        for (index, wanting) in self.wanting.iter().enumerate() {
            let is_held_elsewhere = wanting.offers.iter().any(|offer| {
                offer.is_reserved && offer.reasons.is_empty() && !can_be_used(offer.volume, node)
            });
            let mut next = Vec::new();
            for so_far in open {
                for option in options(groups, &so_far, index, is_held_elsewhere) {
                    let mut longer = so_far.clone();
                    longer.push(option);
                    next.push(longer);
                }
            }
            is_cut |= next.len() > MOST_WAYS;
            next.truncate(MOST_WAYS);
            open = next;
        }
        (open, is_cut)
    }

    /// What a sequence of choices comes to: unmatched claims ask for a new volume, those with a node before them.
    fn way_of(
        &self,
        start: &Way,
        node: &Node,
        groups: &[Alike<'_>],
        choice: &[Option<usize>],
    ) -> Way {
        let mut way = start.clone();
        let mut to_make: Vec<(&Use<'_>, Option<&Wanting<'_>>)> =
            self.promised.iter().map(|usage| (*usage, None)).collect();
        for (wanting, taken) in self.wanting.iter().zip(choice) {
            match taken {
                Some(group) => {
                    let members = groups[*group].members.iter().map(|name| (*name).to_owned());
                    let claim = wanting.usage.claim.key.name.clone();
                    way.bindings.entry(claim).or_default().extend(members);
                }
                None => to_make.push((wanting.usage, Some(wanting))),
            }
        }
        for (usage, wanting) in to_make {
            match try_making(self.state, usage, node) {
                Making::Made => way.provisions.push(usage.claim.key.name.clone()),
                Making::Not(reason) => way.reasons.push(reason),
                Making::Never => {
                    let (near, held) = wanting
                        .map(|wanting| self.near_misses(wanting, node, groups, choice))
                        .unwrap_or_default();
                    way.reasons.push(NodeReason::NoVolumeOnNode {
                        claim: usage.claim.key.name.clone(),
                        class: usage.class.clone(),
                        near,
                        held,
                        elsewhere: wanting.map_or(0, |wanting| fits_elsewhere(wanting, node)),
                    });
                }
            }
        }
        if !way.reasons.is_empty() {
            way.provisions.clear();
        }
        way
    }

    /// The volumes of the class that can be used on the node, and why the claim does not get them; nearest first.
    fn near_misses(
        &self,
        wanting: &Wanting<'_>,
        node: &Node,
        groups: &[Alike<'_>],
        choice: &[Option<usize>],
    ) -> (Vec<(String, Vec<VolumeReason>)>, usize) {
        let taker = |volume: &Volume| -> Option<ObjectKey> {
            let holds = |(_, taken): &(&Wanting<'_>, &Option<usize>)| {
                taken.is_some_and(|group| groups[group].members.contains(&volume.name.as_str()))
            };
            let mut pairs = self.wanting.iter().zip(choice);
            pairs
                .find(holds)
                .map(|(wanting, _)| wanting.usage.claim.key.clone())
        };
        let mut near: Vec<(&Volume, Vec<VolumeReason>)> = wanting
            .offers
            .iter()
            .filter(|offer| can_be_used(offer.volume, node))
            .filter_map(|offer| {
                let mut reasons = offer.reasons.clone();
                if reasons.is_empty() {
                    let claim = taker(offer.volume)?;
                    reasons.push(VolumeReason::TakenByOtherClaim { claim });
                }
                Some((offer.volume, reasons))
            })
            .collect();
        let is_held = |(_, reasons): &(&Volume, Vec<VolumeReason>)| {
            reasons
                .iter()
                .any(|reason| matches!(reason, VolumeReason::ReservedForOtherClaim(_)))
        };
        let all = near.len();
        near.retain(|offer| !is_held(offer));
        let held = all - near.len();
        near.sort_by_cached_key(|(volume, reasons)| {
            let ranks: Vec<usize> = reasons.iter().map(VolumeReason::rank).collect();
            (reasons.len(), ranks, volume.name.clone())
        });
        near.truncate(NEAR_MISSES);
        let near = near
            .into_iter()
            .map(|(volume, reasons)| (volume.name.clone(), reasons))
            .collect();
        (near, held)
    }
}

/// What a claim may take, given what the ones before it took. Upstream: pv_helpers.go, FindMatchingVolume, with a node.
fn options(
    groups: &[Alike<'_>],
    so_far: &[Option<usize>],
    claim: usize,
    is_held_elsewhere: bool,
) -> Vec<Option<usize>> {
    let left = |group: usize| {
        let taken = so_far.iter().filter(|taken| **taken == Some(group)).count();
        groups[group].members.len() > taken
    };
    let with = |role: Role| {
        (0..groups.len()).filter(move |group| groups[*group].roles[claim] == role && left(*group))
    };
    // A reserved volume is taken at once; one that cannot be used here ends the search (N4).
    let mut options: Vec<Option<usize>> = with(Role::Reserved).map(Some).collect();
    if is_held_elsewhere {
        options.push(None);
    }
    if !options.is_empty() {
        return options;
    }
    let smallest = with(Role::Fits).map(|group| groups[group].capacity).min();
    let options: Vec<Option<usize>> = with(Role::Fits)
        .filter(|group| Some(groups[*group].capacity) == smallest)
        .map(Some)
        .collect();
    if options.is_empty() {
        vec![None]
    } else {
        options
    }
}

fn offers<'a>(
    state: &'a ClusterState,
    usage: &Use<'_>,
    phases: Phases,
    gone: &BTreeSet<String>,
) -> Vec<Offer<'a>> {
    let question = Question::new(&usage.claim, &*usage.class, Rules::V1_36);
    let of_class = state
        .volumes()
        .iter()
        .filter(|volume| volume.class() == usage.class && !gone.contains(&volume.name));
    of_class
        .map(|volume| {
            let candidate = Candidate::new(state, &view(state, volume, phases), &usage.claim);
            let is_reserved = candidate.is_reserved();
            let mut reasons = search_failures(&question, &candidate);
            // The scheduler does not ask a reserved volume for its access modes (R112).
            reasons.retain(|reason| {
                !(is_reserved && matches!(reason, VolumeReason::AccessModesMissing { .. }))
            });
            Offer {
                volume,
                is_reserved,
                reasons,
            }
        })
        .collect()
}

fn can_be_used(volume: &Volume, node: &Node) -> bool {
    volume
        .node_affinity
        .as_ref()
        .is_none_or(|affinity| affinity.matches(&node.labels))
}

fn fits_elsewhere(wanting: &Wanting<'_>, node: &Node) -> usize {
    let fits = |offer: &&Offer<'_>| offer.reasons.is_empty() && !can_be_used(offer.volume, node);
    wanting.offers.iter().filter(fits).count()
}

/// What the node has under the keys an affinity looks at.
fn own_values(
    affinity: &crate::conventions::topology::NodeSelector,
    node: &Node,
) -> Option<String> {
    let keys: BTreeSet<&str> = affinity
        .terms
        .iter()
        .flat_map(|term| &term.match_expressions)
        .map(|requirement| requirement.key.as_str())
        .collect();
    let values: Vec<String> = keys
        .into_iter()
        .map(|key| match node.labels.get(key) {
            Some(value) => format!("{key}={value}"),
            None => format!("no label {key}"),
        })
        .collect();
    (!values.is_empty()).then(|| values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::super::unknowns::cut_ways;
    use super::super::Placement;
    use super::*;
    use crate::model::{ClaimUse, Pod, PodVolume};
    use crate::testing::{assert_order, claim, class, pod, state_with, volume};

    /// Each claim of a pod has a volume of its own and one that fits all, so that the ways double with every claim.
    fn is_cut(claims: usize) -> bool {
        let names: Vec<String> = (0..claims).map(|index| format!("c{index}")).collect();
        let uses = names.iter().map(|name| PodVolume {
            name: name.clone(),
            claim: ClaimUse::Named(name.clone()),
        });
        let pod = Pod {
            volumes: uses.collect(),
            ..pod("pod", "")
        };
        let own = names.iter().map(|name| volume(name).labelled("for", name));
        let shared = names
            .iter()
            .map(|name| volume(&format!("all-{name}")).labelled("for", "all"));
        let volumes = own.chain(shared).collect();
        let claims = names
            .iter()
            .map(|name| claim(name).selecting(&format!("for in ({name},all)")));
        let state = state_with(claims.collect(), volumes, |objects| {
            let provisioner = "kubernetes.io/no-provisioner";
            objects.classes = vec![class("any", provisioner).delayed()];
        });
        let found = PodClaims::find(&state, &pod, Rules::V1_36, Phases::Settled);
        let found = found.expect("claims that wait for a node");
        let nothing_gone = BTreeSet::new();
        let matcher = Matcher::new(&state, &found, Phases::Settled, &nothing_gone);
        let node = Node::default();
        let (choices, is_cut) = matcher.choices(&node, &matcher.alike(&node));
        assert_eq!(choices.len(), MOST_WAYS.min(1 << names.len()));
        let placement = Placement {
            node: &node,
            others: vec![],
            ways: vec![],
            is_cut,
        };
        cut_ways(&[placement]).is_some()
    }

    #[test]
    fn ways_that_are_not_followed_are_an_unknown() {
        assert!(!is_cut(3));
        assert!(is_cut(13));
    }

    #[test]
    fn a_reservation_weighs_most() {
        assert_order!(Role: No, Fits, Reserved);
    }
}
