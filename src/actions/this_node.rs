//! Whether a directory that is created on this machine can serve a node: only if this machine is that node. Asked by
//! `provision` and `set reconcile` for backends whose assets are on one node.

use super::backend_facts::KnownBackend;
use crate::engine::find_host;
use crate::engine::refusal::{Machine, ProvisionEvidence, Refusal};
use crate::model::{ClusterState, Host};

/// How the node of a new volume was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChosenBy {
    /// `--node`.
    Flag,
    /// The scheduler, or the Node that is this machine.
    Cluster,
}

/// The text of the warning, if this machine is not a Node and `--node` names one; an error if this machine is another node, or
/// not a Node and the cluster chose.
pub(super) fn check_this_node(
    state: &ClusterState,
    host: &Host,
    backend: &KnownBackend,
    (node, chosen_by): (&str, ChosenBy),
) -> Result<Option<String>, Refusal> {
    let here = find_host(state, Some(host));
    let host = host.spelled();
    let here = match (here, chosen_by) {
        (Some(here), _) if here.name == node => return Ok(None),
        (Some(here), _) => Machine::Node(here.name.clone()),
        (None, ChosenBy::Cluster) => Machine::NotANode(host.to_owned()),
        (None, ChosenBy::Flag) => {
            let base = backend.directory();
            return Ok(Some(format!(
                "this machine ({host}) is not a Node of the cluster: directories are created in {base} here, and the volumes are for node {node}"
            )));
        }
    };
    let node = node.to_owned();
    Err(ProvisionEvidence::OtherMachine { node, here }.into())
}
