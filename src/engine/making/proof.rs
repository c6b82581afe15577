//! The proof that a volume which is about to be made is for its claim: the seed asks for more than the controller checks.

use super::super::checks::{Candidate, Question, made_failures, overflows_to_too_small};
use super::super::classes::{find_default, lacks_class};
use super::super::phases::{Phases, view};
use super::Rules;
use crate::model::{Claim, ClusterState, Volume};
use crate::report::VolumeReason;

/// Everything that speaks against a volume that is about to be made for a claim; nothing means it is proven.
///
/// Besides what the controller asks of a volume that is reserved (size, mode, access modes, attributes class), the labels must
/// match the selector and the class must be the claim's (seed 000), and the node chosen for the claim must reach it.
pub fn proves(
    state: &ClusterState,
    claim: &Claim,
    planned: &Volume,
    rules: Rules,
) -> Vec<VolumeReason> {
    let default = find_default(state).filter(|_| lacks_class(claim, rules));
    let class = default.map_or_else(|| claim.class.resolved(), |class| &class.name);
    let question = Question::new(claim, class, rules);
    // Its phase is of no consequence: it is not there yet.
    let candidate = Candidate::new(state, &view(state, planned, Phases::Stored), claim);
    let mut reasons = made_failures(&question, &candidate);
    reasons.splice(0..0, overflows_to_too_small(&question, planned));
    let node = claim.selected_node().and_then(|name| state.find_node(name));
    if let (Some(node), Some(affinity)) = (node, &planned.node_affinity)
        && !affinity.matches(&node.labels)
    {
        let node = node.name.clone();
        reasons.push(VolumeReason::NodeAffinityMismatch { node });
    }
    reasons
}
