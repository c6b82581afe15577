//! The scheduler's own sentence about a pod it cannot place, word for word.

use super::claims::Refusal;
use super::{Placement, Way, placed_pods};
use crate::model::{ClusterState, Pod};
use crate::report::{NodeReason, Refuser, Says};
use std::collections::{BTreeMap, BTreeSet};

/// Where chance decides what is said, so many sentences are told at most.
const MOST_SENTENCES: usize = 8;

/// The event of a pod that is refused before any node is looked at.
pub(crate) fn refused(nodes: usize, refusal: &Refusal) -> Says {
    if nodes == 0 {
        return no_nodes();
    }
    failed(format!(
        "0/{nodes} nodes are available: {}. not found",
        refusal.text()
    ))
}

fn no_nodes() -> Says {
    failed("no nodes available to schedule pods".to_owned())
}

fn failed(message: String) -> Says {
    Says::new("Warning", "FailedScheduling", message)
}

/// The events of a pod that no node takes; several if chance decides among them.
pub(crate) fn unplaced(state: &ClusterState, pod: &Pod, placements: &[Placement<'_>]) -> Vec<Says> {
    if placements.is_empty() {
        return vec![no_nodes()];
    }
    let mut tallies: BTreeSet<Tally> = BTreeSet::from([Tally::default()]);
    for placement in placements {
        let mut next = BTreeSet::new();
        for refusal in refusals(placement) {
            let has_victims = refusal.is_preemptible && has_lower_priority(state, pod, placement);
            for tally in &tallies {
                let mut tally = tally.clone();
                tally.add(&refusal, has_victims);
                next.insert(tally);
            }
        }
        while next.len() > MOST_SENTENCES {
            next.pop_last();
        }
        tallies = next;
    }
    let total = placements.len();
    tallies
        .into_iter()
        .map(|tally| failed(tally.sentence(total, pod)))
        .collect()
}

/// What one node says: the texts of the first part of the scheduler that refuses it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct NodeRefusal {
    texts: Vec<&'static str>,
    /// Whether driving out other pods might help.
    is_preemptible: bool,
}

fn refusals(placement: &Placement<'_>) -> BTreeSet<NodeRefusal> {
    let infeasible = placement
        .ways
        .iter()
        .filter(|way| !way.is_feasible() || !placement.others.is_empty());
    infeasible.map(|way| refusal_of(placement, way)).collect()
}

fn refusal_of(placement: &Placement<'_>, way: &Way) -> NodeRefusal {
    let all: Vec<&NodeReason> = placement.others.iter().chain(&way.reasons).collect();
    let Some(first) = all.iter().map(|reason| reason.refuser()).min() else {
        return NodeRefusal {
            texts: vec![],
            is_preemptible: false,
        };
    };
    let by_first = all.into_iter().filter(|reason| reason.refuser() == first);
    let texts = match first {
        Refuser::Binding => binding_texts(by_first),
        _ => by_first.take(1).map(NodeReason::scheduler_text).collect(),
    };
    NodeRefusal {
        texts,
        is_preemptible: matches!(first, Refuser::Restrictions | Refuser::Limits),
    }
}

/// Of the bound claims only the first problem is told, and of those to be served likewise (R104, R114); both together
/// in a fixed order, which the sorting of the sentence undoes.
fn binding_texts<'a>(reasons: impl Iterator<Item = &'a NodeReason>) -> Vec<&'static str> {
    let is_bound = |reason: &&NodeReason| {
        matches!(
            reason,
            NodeReason::BoundVolumeElsewhere { .. } | NodeReason::BoundVolumeMissing { .. }
        )
    };
    let (bound, others): (Vec<_>, Vec<_>) = reasons.partition(is_bound);
    bound
        .first()
        .into_iter()
        .chain(others.first())
        .map(|reason| reason.scheduler_text())
        .collect()
}

fn has_lower_priority(state: &ClusterState, pod: &Pod, placement: &Placement<'_>) -> bool {
    placed_pods(state, &pod.key).any(|other| {
        other.node_name.as_deref() == Some(placement.node.name.as_str())
            && other.wishes.priority < pod.wishes.priority
    })
}

/// How many nodes say what, and what would come of driving out other pods.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Tally {
    texts: BTreeMap<&'static str, usize>,
    preemption: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn add(&mut self, refusal: &NodeRefusal, has_victims: bool) {
        for text in &refusal.texts {
            *self.texts.entry(text).or_default() += 1;
        }
        // Whether it would fit without the lesser pods is not followed: the same refusal is the likely answer.
        let preemption = match (refusal.is_preemptible, has_victims) {
            (false, _) => "Preemption is not helpful for scheduling",
            (true, false) => "No preemption victims found for incoming pod",
            (true, true) => refusal.texts.first().copied().unwrap_or_default(),
        };
        *self.preemption.entry(preemption).or_default() += 1;
    }

    fn sentence(&self, nodes: usize, pod: &Pod) -> String {
        let preemption = if pod.wishes.never_preempts {
            "not eligible due to preemptionPolicy=Never.".to_owned()
        } else {
            format!(
                "0/{nodes} nodes are available: {}.",
                counted(&self.preemption)
            )
        };
        format!(
            "0/{nodes} nodes are available: {}. no new claims to deallocate, preemption: {preemption}",
            counted(&self.texts)
        )
    }
}

/// `2 of this, 3 of that`, sorted as text, the numbers included.
fn counted(texts: &BTreeMap<&'static str, usize>) -> String {
    let mut entries: Vec<String> = texts
        .iter()
        .map(|(text, count)| format!("{count} {text}"))
        .collect();
    entries.sort();
    entries.join(", ")
}
