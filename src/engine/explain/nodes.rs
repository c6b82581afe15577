//! A node as the scheduler leaves it, as a report.

use super::super::Rules;
use super::super::phases::Phases;
use super::super::scheduling::{Placement, PodClaims, Refusal, place};
use crate::model::{ClusterState, Pod};
use crate::report::NodeAssessment;
use std::collections::BTreeSet;

/// The node as reported.
pub(crate) fn assess_node(placement: &Placement<'_>) -> NodeAssessment {
    let sum = placement.sum_up();
    let feasible = placement.is_feasible();
    let bindings = sum.bindings.into_iter();
    NodeAssessment {
        name: placement.node.name.clone(),
        feasible,
        may_fail: feasible && placement.may_fail(),
        bindings: bindings
            .map(|(claim, volumes)| (claim, volumes.into_iter().collect()))
            .collect(),
        provisions: sum.provisions,
        reasons: sum.reasons,
    }
}

/// One attempt at one node with the state exactly as it is stored, before the controller has looked at anything: what the
/// tests of the scheduler's own plugins ask. `excluded` are volumes that are not to be taken.
pub fn look_at_node(
    state: &ClusterState,
    pod: &Pod,
    node: &str,
    excluded: &BTreeSet<String>,
) -> Result<NodeAssessment, Refusal> {
    let claims = PodClaims::find(state, pod, Rules::V1_36, Phases::Stored)?;
    let immediate: Vec<String> = claims
        .immediate()
        .map(|usage| usage.claim.key.name.clone())
        .collect();
    if !immediate.is_empty() {
        return Err(Refusal::UnboundImmediateClaims(immediate));
    }
    let placements = place(state, pod, &claims, Phases::Stored, Some(node), excluded);
    let assessments: Vec<NodeAssessment> = placements.iter().map(assess_node).collect();
    assessments
        .into_iter()
        .next()
        .ok_or_else(|| Refusal::UnboundImmediateClaims(vec![]))
}
