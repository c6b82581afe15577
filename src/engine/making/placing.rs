//! The nodes as the scheduler sees them for a claim: where a volume could be made, and where one that exists would be taken.
//! Once `selected-node` is written nobody looks at existing volumes any more (R110), so that is done here.

use super::super::binding::{Search, Timing};
use super::super::checks::Question;
use super::super::claims::imagined_pod;
use super::super::consumers::Consumers;
use super::super::phases::Phases;
use super::super::provisioning::Maker;
use super::super::refusal::Refusal;
use super::super::scheduling::{Attempt, Meanwhile, Placement, attempt};
use super::MakingQuestion;
use super::class::Resolved;
use super::settled::fits;
use crate::model::{BindingMode, ClusterState, CsiNode, Kind, Pod};
use crate::report::{NodeReason, Result as Judgement};
use std::collections::BTreeSet;

/// The pod that waits for the claim; of several the first that some node takes.
pub(super) fn first_waiting<'a>(
    state: &'a ClusterState,
    question: &MakingQuestion<'_>,
) -> Option<&'a Pod> {
    let waiting = Consumers::find_waiting(state, &question.claim.key)?.unscheduled;
    let is_open = |pod: &&Pod| {
        judge(state, question, pod, None)
            .iter()
            .any(Placement::is_open)
    };
    let open = waiting.iter().copied().find(is_open);
    open.or(waiting.first().copied())
}

/// The nodes, or one of them, as the scheduler sees them for a pod. Where another claim of the pod stops it, this one alone.
pub(super) fn judge<'a>(
    state: &'a ClusterState,
    question: &MakingQuestion<'_>,
    pod: &Pod,
    only: Option<&str>,
) -> Vec<Placement<'a>> {
    let none = Meanwhile::default();
    let ask = |pod: &Pod| match attempt(state, pod, question.rules, only, &none) {
        Attempt::Judged { placements, .. } => Some(placements),
        Attempt::Refused(_) => None,
    };
    let this_alone = || {
        let mut pod = pod.clone();
        pod.volumes
            .retain(|volume| volume.claim.claim_name() == question.claim.key.name);
        ask(&pod)
    };
    ask(pod).or_else(this_alone).unwrap_or_default()
}

/// What volumes say against a node. Room that is published and was not read says nothing.
pub(super) fn about_volumes(state: &ClusterState, placement: &Placement<'_>) -> Vec<NodeReason> {
    let is_about_room = |reason: &NodeReason| {
        matches!(
            reason,
            NodeReason::CapacityNotPublished { .. } | NodeReason::CapacityInsufficient { .. }
        )
    };
    let room_seen = state.saw(Kind::Capacities, None);
    let counts =
        |reason: &NodeReason| reason.is_about_volumes() && (room_seen || !is_about_room(reason));
    let reasons = placement.sum_up().reasons.into_iter();
    reasons.filter(counts).collect()
}

/// That nobody can say whether there is room, where it is asked.
pub(super) fn room_unknown(state: &ClusterState) -> Option<String> {
    let mut drivers = state.objects().csi_drivers.iter();
    let asked = drivers.any(|driver| driver.checks_capacity);
    (asked && !state.saw(Kind::Capacities, None))
        .then(|| "whether there is room was not seen (csistoragecapacities)".to_owned())
}

/// The driver, which registers on nodes, if it is not on this one.
pub(super) fn unregistered(state: &ClusterState, maker: &Maker, node: &str) -> Option<String> {
    let driver = registered_driver(state, maker)?;
    let is_there = state
        .find_csi_node(node)
        .is_some_and(|node| node.drivers.iter().any(|known| known == driver));
    (!is_there).then(|| driver.to_owned())
}

/// An existing volume that the scheduler would take on one of the nodes. As long as no node is written it comes first (R112).
pub(super) fn refuse_if_one_fits<'a>(
    question: &MakingQuestion<'_>,
    judged: impl Iterator<Item = &'a Placement<'a>>,
) -> Result<(), Refusal> {
    let claim = question.claim;
    let volumes: BTreeSet<String> = judged
        .filter(|one| one.is_feasible())
        .filter_map(|one| one.sum_up().bindings.remove(&claim.key.name))
        .flatten()
        .collect();
    let volumes: Vec<String> = volumes.into_iter().collect();
    if volumes.is_empty() {
        Ok(())
    } else {
        Err(fits(claim, &volumes, true))
    }
}

/// Whether an existing volume serves a claim that waits for a pod and has no node yet: on the node that was named, on one that
/// the pod can go to, or on any.
pub(super) fn refuse_what_fits(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    resolved: &Resolved<'_>,
) -> Result<(), Refusal> {
    let claim = question.claim;
    let is_delayed = resolved.class.binding_mode == BindingMode::WaitForFirstConsumer;
    // A claim with options gets a new volume whatever fits.
    if !is_delayed || claim.options.is_some() || claim.selected_node().is_some() {
        return Ok(());
    }
    if !state.saw(Kind::Nodes, None) {
        return refuse_what_fits_everywhere(state, question, resolved);
    }
    let waiting = first_waiting(state, question).filter(|_| question.node.is_none());
    let pod = waiting.cloned();
    let pod = pod.unwrap_or_else(|| imagined_pod(&claim.key));
    let judged = judge(state, question, &pod, question.node);
    let can_go = |one: &&Placement<'_>| waiting.is_none() || one.is_open();
    refuse_if_one_fits(question, judged.iter().filter(can_go))
}

/// The same where no node was seen: only of volumes that every node can use it is certain.
fn refuse_what_fits_everywhere(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    resolved: &Resolved<'_>,
) -> Result<(), Refusal> {
    let asked = Question::new(&resolved.claim, &*resolved.class.name, question.rules);
    let search = Search::run(state, &asked, Phases::Settled, Timing::WithPod);
    let fitting = search
        .judged
        .iter()
        .filter(|judged| judged.result == Judgement::Fits && judged.volume.node_affinity.is_none());
    let volumes: Vec<String> = fitting.map(|judged| judged.volume.name.clone()).collect();
    if volumes.is_empty() {
        Ok(())
    } else {
        Err(fits(question.claim, &volumes, true))
    }
}

/// The driver that has to be on a node, as far as it is one that registers on nodes (CSI).
fn registered_driver<'a>(state: &ClusterState, maker: &'a Maker) -> Option<&'a str> {
    let Maker::External { name, .. } = maker else {
        return None;
    };
    let registers = |node: &CsiNode| node.drivers.iter().any(|driver| driver == name);
    let is_known =
        state.saw(Kind::CsiNodes, None) && state.objects().csi_nodes.iter().any(registers);
    is_known.then_some(name.as_str())
}
