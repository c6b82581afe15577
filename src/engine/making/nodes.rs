//! The node a volume is made for: the one that was named, the one chosen before, this host, or one that the scheduler could
//! take. Once `selected-node` is written nobody looks at existing volumes any more (R110), so that is done here.

use super::super::consumers::Consumers;
use super::super::explain::imagined_pod;
use super::super::provisioning::{Maker, missing_selected_node};
use super::super::scheduling::{Attempt, Placement, attempt, say_once, topology_refusal};
use super::class::Resolved;
use super::settled::fits;
use super::unmade::{Unmade, forget_node, unknowns};
use super::{MakingQuestion, delegated};
use crate::conventions::object_ref::similar_names;
use crate::conventions::selector::Labels;
use crate::model::{BindingMode, ClusterState, Kind, Node, Pod};
use crate::report::{ClaimCause, NodeReason, Unknown, did_you_mean, join_and};
use std::collections::BTreeSet;

/// The label that tells hosts apart.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// A node that a volume is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenNode {
    /// Its name.
    pub name: String,
    /// Its label `kubernetes.io/hostname`, which need not be its name; a node without it cannot be told apart by volumes.
    pub hostname: Option<String>,
    /// All its labels.
    pub labels: Labels,
    /// Why this one, a clause.
    pub why: String,
}

impl ChosenNode {
    fn new(node: &Node, why: impl Into<String>) -> Self {
        Self {
            name: node.name.clone(),
            hostname: node.labels.get(HOSTNAME).cloned(),
            labels: node.labels.clone(),
            why: why.into(),
        }
    }
}

/// What came of looking for a node.
#[derive(Default)]
pub(super) struct Found {
    pub(super) node: Option<ChosenNode>,
    pub(super) warnings: Vec<String>,
    pub(super) unknowns: Vec<Unknown>,
}

impl Found {
    pub(super) fn without(warning: Option<String>) -> Self {
        Self {
            warnings: warning.into_iter().collect(),
            ..Self::default()
        }
    }
}

/// Looks at the node that was chosen for the claim before: it must be there, and the one that is named now.
pub(super) fn check_selected(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
) -> Result<(), Unmade> {
    let claim = question.claim;
    if let Some(node) = missing_selected_node(state, claim) {
        let node = node.to_owned();
        let cause = ClaimCause::SelectedNodeMissing { node };
        return Err(Unmade::from(&cause).hint(forget_node(claim)));
    }
    match (claim.selected_node(), question.node) {
        (Some(selected), Some(wanted)) if selected != wanted => {
            let message = format!("it is pinned to node {selected}, not to {wanted}");
            Err(Unmade::refused("SelectedNodeElsewhere", message).hint(forget_node(claim)))
        }
        _ => Ok(()),
    }
}

/// The node of a volume that this program makes. Backends that reach every node do without.
pub(super) fn for_own(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    resolved: &Resolved<'_>,
) -> Result<Found, Unmade> {
    let claim = question.claim;
    let is_delayed = resolved.class.binding_mode == BindingMode::WaitForFirstConsumer;
    // A claim with options gets a new volume whatever fits.
    if is_delayed && claim.options.is_none() && claim.selected_node().is_none() {
        let waiting = first_waiting(state, question).filter(|_| question.node.is_none());
        let pod = waiting.cloned();
        let pod = pod.unwrap_or_else(|| imagined_pod(&claim.key));
        let judged = judge(state, question, &pod, question.node);
        let can_go = |one: &&Placement<'_>| waiting.is_none() || one.is_open();
        refuse_if_one_fits(question, judged.iter().filter(can_go))?;
    }
    let nodes_seen = state.saw(Kind::Nodes, None);
    let chosen = match (question.node, claim.selected_node()) {
        (Some(name), _) => Some(ChosenNode::new(
            named_node(state, question, name)?,
            "it is the one that was named",
        )),
        (None, Some(selected)) => state
            .find_node(selected)
            .map(|node| ChosenNode::new(node, "it was chosen for the claim before")),
        (None, None) => {
            find_host(state, question.host).map(|node| ChosenNode::new(node, "it is this host"))
        }
    };
    let node = chosen.as_ref().and_then(|node| state.find_node(&node.name));
    let refusal = node.and_then(|node| topology_refusal(&claim.key.name, resolved.class, node));
    if let Some((reason, node)) = refusal.zip(node) {
        let refused = Unmade::of_node(&node.name, &[reason]);
        // That somebody named the wrong node here is nothing to tell on the claim.
        let told = |unmade: Unmade| match question.node {
            Some(_) => unmade,
            None => unmade.told_on_claim().hint("name another node with --node"),
        };
        return refused.map_or_else(|| Ok(Found::default()), |unmade| Err(told(unmade)));
    }
    Ok(Found {
        unknowns: match chosen {
            None if !nodes_seen => unknowns(state, claim, &[Kind::Nodes]),
            _ => vec![],
        },
        node: chosen,
        warnings: vec![],
    })
}

/// The Node that is this host, by its name or its host name.
fn find_host<'a>(state: &'a ClusterState, host: Option<&str>) -> Option<&'a Node> {
    // Kubelets write their host names in lower case.
    let host = host?.to_lowercase();
    let nodes = &state.objects().nodes;
    let is_labelled = |node: &&Node| node.labels.get(HOSTNAME) == Some(&host);
    let by_name = nodes.iter().find(|node| node.name == host);
    by_name.or_else(|| nodes.iter().find(is_labelled))
}

fn named_node<'a>(
    state: &'a ClusterState,
    question: &MakingQuestion<'_>,
    name: &str,
) -> Result<&'a Node, Unmade> {
    if let Some(node) = state.find_node(name) {
        return Ok(node);
    }
    if !state.saw(Kind::Nodes, None) {
        return Err(Unmade::not_readable(state, question.claim, &[Kind::Nodes]));
    }
    let known = state.objects().nodes.iter().map(|node| node.name.as_str());
    let unmade = Unmade::refused("SelectedNodeMissing", format!("there is no node {name}"));
    Err(Unmade {
        hint: did_you_mean(&similar_names(name, known)),
        ..unmade
    })
}

/// The node to write as `selected-node` for a claim that waits for a pod; nothing if it has one.
pub(super) fn for_delegated(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    maker: &Maker,
) -> Result<Found, Unmade> {
    let claim = question.claim;
    if claim.selected_node().is_some() {
        return Ok(Found::default());
    }
    if !state.saw(Kind::Nodes, None) {
        return Err(Unmade::not_readable(state, claim, &[Kind::Nodes]));
    }
    if let Some(name) = question.node {
        let node = named_node(state, question, name)?;
        let chosen = ChosenNode::new(node, "it is the one that was named");
        return for_this(state, question, maker, chosen);
    }
    let consumers = Consumers::find_waiting(state, &claim.key);
    if consumers.is_none() && !state.is_from_files() {
        let unmade = Unmade::not_readable(state, claim, &[Kind::Pods]);
        return Err(unmade.hint("which pod waits for it was not seen: name a node with --node"));
    }
    let consumers = consumers.unwrap_or_default();
    let on_node = |pod: &&Pod| Some((pod.key.name.clone(), pod.node_name.clone()?));
    if let Some((pod, node)) = consumers.scheduled.iter().find_map(on_node)
        && consumers.unscheduled.is_empty()
    {
        // Its pod went past the scheduler, and nobody will choose a node for the claim (R118).
        let node = named_node(state, question, &node)?;
        let chosen = ChosenNode::new(node, format!("pod {pod} is on it"));
        return for_this(state, question, maker, chosen);
    }
    find_feasible(state, question, maker)
}

/// A node that is given: it must do for the claim. What keeps pods off it is only said.
fn for_this(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    maker: &Maker,
    chosen: ChosenNode,
) -> Result<Found, Unmade> {
    let alone = imagined_pod(&question.claim.key);
    let judged = judge(state, question, &alone, Some(&chosen.name));
    let reasons: Vec<NodeReason> = judged
        .iter()
        .flat_map(|one| about_volumes(state, one))
        .collect();
    if let Some(refused) = Unmade::of_node(&chosen.name, &reasons) {
        return Err(refused);
    }
    if let Some(refused) = unregistered(state, maker, &chosen.name) {
        return Err(Unmade::refused("NoFeasibleNode", refused));
    }
    refuse_if_one_fits(question, judged.iter())?;
    let waiting = first_waiting(state, question);
    let who = waiting.map_or_else(
        || "a pod that tolerates nothing".to_owned(),
        |pod| format!("pod {}", pod.key.name),
    );
    let pod = waiting.unwrap_or(&alone);
    let against: BTreeSet<String> = judge(state, question, pod, Some(&chosen.name))
        .iter()
        .flat_map(|one| [&*one.others, &*about_volumes(state, one)].concat())
        .map(|reason| reason.message())
        .collect();
    let against: Vec<String> = against.into_iter().collect();
    let cannot = (!against.is_empty()).then(|| {
        format!(
            "{who} cannot run on node {}: {}",
            chosen.name,
            join_and(&against)
        )
    });
    Ok(Found {
        warnings: cannot.into_iter().chain(room_unknown(state)).collect(),
        node: Some(chosen),
        unknowns: vec![],
    })
}

/// A node the scheduler could take for the pod that waits, or for one that asks for nothing: the first by name.
fn find_feasible(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    maker: &Maker,
) -> Result<Found, Unmade> {
    let waiting = first_waiting(state, question);
    let pod = waiting
        .cloned()
        .unwrap_or_else(|| imagined_pod(&question.claim.key));
    let judged = judge(state, question, &pod, None);
    let can_go = |one: &&Placement<'_>| waiting.is_none() || one.is_open();
    refuse_if_one_fits(question, judged.iter().filter(can_go))?;
    let does = |one: &&Placement<'_>| {
        about_volumes(state, one).is_empty() && unregistered(state, maker, &one.node.name).is_none()
    };
    let is_open = |one: &&Placement<'_>| one.others.is_empty();
    let open = judged.iter().filter(does).find(is_open);
    // Taints keep off pods that do not tolerate them; the one that is to come may.
    let uncordoned = |one: &&Placement<'_>| waiting.is_none() && !one.node.is_cordoned;
    let tainted = judged.iter().filter(does).find(uncordoned);
    let Some(chosen) = open.or(tainted) else {
        return Err(nowhere(state, waiting, &judged, maker));
    };
    let of_whom = waiting.map_or_else(
        || "on which a volume can be made".to_owned(),
        |pod| format!("that pod {} can go to", pod.key.name),
    );
    let why = format!("it is the first node by name {of_whom}");
    let taints = open.is_none().then(|| {
        format!(
            "node {} keeps off pods that do not tolerate its taints",
            chosen.node.name
        )
    });
    let pods_unseen =
        waiting.is_none() && !state.saw(Kind::Pods, Some(&question.claim.key.namespace));
    let unseen = pods_unseen.then(|| "which pods wait for it was not seen".to_owned());
    Ok(Found {
        node: Some(ChosenNode::new(chosen.node, why)),
        warnings: taints
            .into_iter()
            .chain(unseen)
            .chain(room_unknown(state))
            .collect(),
        unknowns: vec![],
    })
}

fn nowhere(
    state: &ClusterState,
    waiting: Option<&Pod>,
    judged: &[Placement<'_>],
    maker: &Maker,
) -> Unmade {
    if judged.is_empty() {
        return Unmade::refused("NoFeasibleNode", "there is no node");
    }
    let said = say_once(state, judged);
    let (because, advice) = said.map_or((None, None), |said| (Some(said.because), said.advice));
    if because.is_some() || waiting.is_some() {
        return Unmade::from(&ClaimCause::NoFeasibleNode {
            pod: waiting.map(|pod| pod.key.name.clone()),
            because,
            advice,
        });
    }
    let why = |one: &Placement<'_>| {
        let mut why: Vec<String> = about_volumes(state, one)
            .iter()
            .map(NodeReason::message)
            .collect();
        why.extend(unregistered(state, maker, &one.node.name));
        why.extend(one.others.iter().map(NodeReason::message));
        format!("{}: {}", one.node.name, join_and(&why))
    };
    let each: Vec<String> = judged.iter().take(5).map(why).collect();
    let message = format!("no node will do: {}", each.join("; "));
    Unmade::refused("NoFeasibleNode", message)
}

/// The pod that waits for the claim; of several the first that some node takes.
fn first_waiting<'a>(state: &'a ClusterState, question: &MakingQuestion<'_>) -> Option<&'a Pod> {
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
fn judge<'a>(
    state: &'a ClusterState,
    question: &MakingQuestion<'_>,
    pod: &Pod,
    only: Option<&str>,
) -> Vec<Placement<'a>> {
    let none = BTreeSet::new();
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
fn about_volumes(state: &ClusterState, placement: &Placement<'_>) -> Vec<NodeReason> {
    let is_about_room = |reason: &NodeReason| {
        matches!(
            reason,
            NodeReason::CapacityNotPublished { .. } | NodeReason::CapacityInsufficient { .. }
        )
    };
    let room_seen = state.saw(Kind::Capacities, None);
    let counts =
        |reason: &NodeReason| reason.is_about_volumes() && (room_seen || !is_about_room(reason));
    let reasons = placement.assessment().reasons.into_iter();
    reasons.filter(counts).collect()
}

fn room_unknown(state: &ClusterState) -> Option<String> {
    let mut drivers = state.objects().csi_drivers.iter();
    let asked = drivers.any(|driver| driver.checks_capacity);
    (asked && !state.saw(Kind::Capacities, None))
        .then(|| "whether there is room was not seen (csistoragecapacities)".to_owned())
}

/// That the driver, which registers on nodes, is not on this one.
fn unregistered(state: &ClusterState, maker: &Maker, node: &str) -> Option<String> {
    let driver = delegated::registered_driver(state, maker)?;
    let is_there = state
        .find_csi_node(node)
        .is_some_and(|node| node.drivers.iter().any(|known| known == driver));
    (!is_there).then(|| format!("driver {driver} is not registered on node {node}"))
}

/// An existing volume that the scheduler would take on one of the nodes. As long as no node is written it comes first (R112).
fn refuse_if_one_fits<'a>(
    question: &MakingQuestion<'_>,
    judged: impl Iterator<Item = &'a Placement<'a>>,
) -> Result<(), Unmade> {
    let claim = question.claim;
    let volumes: BTreeSet<String> = judged
        .filter(|one| one.is_feasible())
        .filter_map(|one| one.assessment().bindings.remove(&claim.key.name))
        .flatten()
        .collect();
    let volumes: Vec<String> = volumes.into_iter().collect();
    if volumes.is_empty() {
        Ok(())
    } else {
        Err(fits(claim, &volumes, true))
    }
}
