//! Whether a directory that is created on this machine can serve a node: only if this machine is that node. Asked by
//! `provision` and `set reconcile` for backends whose assets are on one node.

use super::backend_facts::KnownBackend;
use crate::engine::find_host;
use crate::model::{ClusterState, Host};

/// How the node of a new volume was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChosenBy {
    /// `--node`.
    Flag,
    /// The scheduler, or the Node that is this machine.
    Cluster,
}

/// The code of the warning.
pub(super) const NOT_THIS_NODE: &str = "NotThisNode";

/// The text of the warning, if this machine is not a Node and `--node` names one; an error if this machine is another node, or
/// not a Node and the cluster chose.
pub(super) fn check_this_node(
    state: &ClusterState,
    host: &Host,
    backend: &KnownBackend,
    (node, chosen_by): (&str, ChosenBy),
) -> Result<Option<String>, (&'static str, String)> {
    let here = find_host(state, Some(host));
    let host = host.spelled();
    let this = match (here, chosen_by) {
        (Some(here), _) if here.name == node => return Ok(None),
        (Some(here), _) => format!("this machine is node {}", here.name),
        (None, ChosenBy::Cluster) => format!("this machine ({host}) is not a Node of the cluster"),
        (None, ChosenBy::Flag) => {
            let base = backend.directory();
            return Ok(Some(format!(
                "this machine ({host}) is not a Node of the cluster: directories are created in {base} here, and the volumes are for node {node}"
            )));
        }
    };
    let message =
        format!("the volume is for node {node}, and {this}; run the command on node {node}");
    Err(("NodeAffinityMismatch", message))
}
