//! The node a volume is made for: the one that was named, the one chosen before, or the Node that is this host.

use super::super::provisioning::missing_selected_node;
use super::super::refusal::{Advice, ProvisionEvidence, Refusal};
use super::super::scheduling::topology_refusal;
use super::MakingQuestion;
use super::class::Resolved;
use super::placing::refuse_what_fits;
use super::unmade::{not_readable, refused_node, unknowns, unmade};
use crate::conventions::object_ref::similar_names;
use crate::conventions::selector::Labels;
use crate::model::{ClusterState, Host, Kind, Node};
use crate::report::{ClaimCause, Unknown};

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
    pub(super) fn new(node: &Node, why: impl Into<String>) -> Self {
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
) -> Result<(), Refusal> {
    let claim = question.claim;
    if let Some(node) = missing_selected_node(state, claim) {
        let node = node.to_owned();
        let cause = ClaimCause::SelectedNodeMissing { node };
        return Err(unmade(cause).advise(Advice::ForgetNode(claim.key.clone())));
    }
    match (claim.selected_node(), question.node) {
        (Some(selected), Some(wanted)) if selected != wanted => {
            let evidence = ProvisionEvidence::PinnedElsewhere {
                selected: selected.to_owned(),
                wanted: wanted.to_owned(),
            };
            Err(Refusal::new(evidence).advise(Advice::ForgetNode(claim.key.clone())))
        }
        _ => Ok(()),
    }
}

/// The node of a volume that this program makes. Backends that reach every node do without.
pub(super) fn for_own(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    resolved: &Resolved<'_>,
) -> Result<Found, Refusal> {
    let claim = question.claim;
    refuse_what_fits(state, question, resolved)?;
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
        let refused = refused_node(&node.name, [reason]);
        // That somebody named the wrong node here is nothing to tell on the claim.
        let told = |refusal: Refusal| match question.node {
            Some(_) => refusal,
            None => refusal.told_on_claim().advise(Advice::NameOtherNode),
        };
        return refused.map_or_else(|| Ok(Found::default()), |refusal| Err(told(refusal)));
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

/// The Node that is this host: the one that the pod was told, else by its name, its host name or its machine id.
pub fn find_host<'a>(state: &'a ClusterState, host: Option<&Host>) -> Option<&'a Node> {
    let host = host?;
    if let Some(name) = &host.node_name {
        return state.find_node(name);
    }
    // Kubelets write their host names in lower case.
    let name = host.name.to_lowercase();
    let nodes = &state.objects().nodes;
    let is_labelled = |node: &&Node| node.labels.get(HOSTNAME) == Some(&name);
    let by_name = nodes.iter().find(|node| node.name == name);
    by_name
        .or_else(|| nodes.iter().find(is_labelled))
        .or_else(|| find_by_machine_id(nodes, host.machine_id.as_deref()?))
}

/// Machines that were cloned from one image may have the same id: then it says nothing.
fn find_by_machine_id<'a>(nodes: &'a [Node], id: &str) -> Option<&'a Node> {
    let mut found = nodes.iter().filter(|node| node.machine_id == id);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The node of a name that somebody gave.
pub(super) fn named_node<'a>(
    state: &'a ClusterState,
    question: &MakingQuestion<'_>,
    name: &str,
) -> Result<&'a Node, Refusal> {
    if let Some(node) = state.find_node(name) {
        return Ok(node);
    }
    if !state.saw(Kind::Nodes, None) {
        return Err(not_readable(state, question.claim, &[Kind::Nodes]));
    }
    let known = state.objects().nodes.iter().map(|node| node.name.as_str());
    let similar = similar_names(name, known).into_iter().map(str::to_owned);
    Err(Refusal::new(ProvisionEvidence::NodeNotFound {
        node: name.to_owned(),
        similar: similar.collect(),
    }))
}
