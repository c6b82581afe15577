//! Where the scheduler can put a pod, as far as volumes decide (R100–R121), node by node.
//!
//! The order is upstream's: what ends the attempt before any node is looked at ([`claims`]), then node by node what
//! other plugins refuse ([`others`]), who may use a disk ([`sharing`]), how many a node takes ([`limits`]), what its
//! claims get ([`matching`], [`making`]), and the zones of bound volumes ([`zones`]). The scheduler stops at the first
//! refusal of a node; we collect them all, and [`sentence`] says what it would say.

mod attempt;
mod claims;
mod equal_pods;
mod everywhere;
mod limits;
mod making;
mod matching;
mod migration;
mod others;
mod rivals;
pub(crate) mod sentence;
mod sharing;
mod zones;

#[cfg(test)]
mod tests;

pub(crate) use attempt::{Attempt, Meanwhile, attempt};
pub(crate) use claims::PodClaims;
pub use claims::Refusal;
pub(crate) use equal_pods::find_classes;
pub(crate) use everywhere::say_once;
pub(crate) use making::topology_refusal;
pub(crate) use migration::driver_and_handle;

pub(crate) use rivals::{claims_of_others, is_waiting, may_compete, reach};

use super::phases::Phases;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Kind, Node, Pod, PodPhase};
use crate::report::NodeReason;
use matching::Matcher;
use std::collections::{BTreeMap, BTreeSet};

/// One node as it is left by the search: every way it may end, since chance decides among equal volumes.
#[derive(Debug, Clone)]
pub(crate) struct Placement<'a> {
    pub(crate) node: &'a Node,
    /// What other plugins say against the node.
    pub(crate) others: Vec<NodeReason>,
    /// Every way the claims may be served there.
    pub(crate) ways: Vec<Way>,
    /// Whether there are more ways than were followed.
    pub(crate) is_cut: bool,
}

/// One way the claims of a pod may be served on a node.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Way {
    /// Which volumes a claim may get, by the claim's name.
    pub(crate) bindings: BTreeMap<String, BTreeSet<String>>,
    /// The claims a volume is made for.
    pub(crate) provisions: Vec<String>,
    /// What volumes say against the node.
    pub(crate) reasons: Vec<NodeReason>,
}

impl Way {
    pub(crate) fn is_feasible(&self) -> bool {
        self.reasons.is_empty()
    }
}

impl Placement<'_> {
    /// Whether the volumes allow the node, by some way.
    pub(crate) fn is_feasible(&self) -> bool {
        self.ways.iter().any(Way::is_feasible)
    }

    /// Whether chance may spoil it: some way does not do.
    pub(crate) fn may_fail(&self) -> bool {
        self.ways.iter().any(|way| !way.is_feasible())
    }

    /// Whether nothing at all speaks against it.
    pub(crate) fn is_open(&self) -> bool {
        self.others.is_empty() && self.is_feasible()
    }

    /// Everything that may happen there: over the ways that do, or over all if none does.
    pub(crate) fn sum_up(&self) -> Way {
        let is_feasible = self.is_feasible();
        let counted = self.ways.iter();
        let counted = counted.filter(|way| way.is_feasible() || !is_feasible);
        let mut provisions = BTreeSet::new();
        let mut sum = Way {
            reasons: self.others.clone(),
            ..Way::default()
        };
        for way in counted {
            for (claim, volumes) in &way.bindings {
                let all = sum.bindings.entry(claim.clone()).or_default();
                all.extend(volumes.iter().cloned());
            }
            provisions.extend(way.provisions.iter().cloned());
            for reason in &way.reasons {
                if !sum.reasons.contains(reason) {
                    sum.reasons.push(reason.clone());
                }
            }
        }
        sum.provisions = provisions.into_iter().collect();
        sum
    }
}

/// All nodes, or the one that is asked about, for a pod whose claims passed the first look.
pub(crate) fn place<'a>(
    state: &'a ClusterState,
    pod: &Pod,
    claims: &PodClaims<'_>,
    phases: Phases,
    only: Option<&str>,
    gone: &BTreeSet<String>,
) -> Vec<Placement<'a>> {
    let matcher = Matcher::new(state, claims, phases, gone);
    let sharing = sharing::Sharing::find(state, pod, claims);
    let limits = limits::Limits::new(state, pod, claims);
    let nodes = state.objects().nodes.iter();
    nodes
        .filter(|node| only.is_none_or(|only| only == node.name))
        .map(|node| {
            let mut before = sharing.reasons(node);
            before.extend(limits.reasons(node));
            let after = zones::reasons(state, claims, node);
            let (mut ways, is_cut) = matcher.ways(node);
            for way in &mut ways {
                way.reasons.splice(0..0, before.iter().cloned());
                way.reasons.extend(after.iter().cloned());
            }
            Placement {
                node,
                others: others::reasons(pod, node),
                ways,
                is_cut,
            }
        })
        .collect()
}

/// The pods that other pods meet: they have a node that exists and are not over. The scheduler sees no others.
pub(crate) fn placed_pods<'a>(
    state: &'a ClusterState,
    than: &ObjectKey,
) -> impl Iterator<Item = &'a Pod> {
    let nodes_seen = state.saw(Kind::Nodes, None);
    state.objects().pods.iter().filter(move |other| {
        let node = other.node_name.as_deref();
        other.key != *than
            && node.is_some_and(|node| !nodes_seen || state.find_node(node).is_some())
            && !matches!(other.phase, PodPhase::Succeeded | PodPhase::Failed)
    })
}
