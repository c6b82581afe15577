//! Refusals to provision a volume.

use super::super::refusal::{ProvisionEvidence, Refusal, RefusedNode, Several, Standing};
use super::super::unknowns::{describe, unread};
use crate::model::{Claim, ClusterState, Kind};
use crate::report::{ClaimCause, NodeReason, Unknown};

/// No volume is provisioned, as this is true of the claim. That volumes are matched by the name of a class that does not exist is of
/// no use to a user who wants one provisioned.
pub(super) fn unmade(cause: ClaimCause) -> Refusal {
    match cause {
        ClaimCause::ClassNotFound { class, similar } => {
            Refusal::new(ProvisionEvidence::ClassNotFound { class, similar })
        }
        cause => Refusal::new(cause),
    }
}

/// These lists decide it, and were not read.
pub(super) fn not_readable(state: &ClusterState, claim: &Claim, kinds: &[Kind]) -> Refusal {
    let what = kinds.to_vec();
    let cause = ClaimCause::NotReadable { what };
    Refusal {
        unknowns: unknowns(state, claim, kinds),
        ..Refusal::new(cause).standing(Standing::Unknown)
    }
}

/// What speaks against a node, all of it.
pub(super) fn refused_node(
    node: &str,
    reasons: impl IntoIterator<Item = NodeReason>,
) -> Option<Refusal> {
    let refused = RefusedNode {
        node: node.to_owned(),
        reasons: Several::of(reasons)?,
    };
    Some(Refusal::new(ProvisionEvidence::Node(refused)))
}

/// The entries for those of the kinds that were not seen.
pub(super) fn unknowns(state: &ClusterState, claim: &Claim, kinds: &[Kind]) -> Vec<Unknown> {
    let gap = |kind: &Kind| {
        let namespace = kind.is_namespaced().then_some(claim.key.namespace.as_str());
        state.find_gap(*kind, namespace)
    };
    let gaps = kinds.iter().filter_map(gap).map(describe);
    let single = kinds.iter().flat_map(|kind| unread(state, claim, *kind));
    gaps.chain(single).collect()
}

/// The first of these causes that prevents provisioning. That no existing volume fits does not: it is the reason to provision one.
pub(super) fn main_blocker<'c>(
    mut blockers: impl Iterator<Item = &'c ClaimCause>,
) -> Option<&'c ClaimCause> {
    let is_about_others = |cause: &ClaimCause| {
        matches!(
            cause,
            ClaimCause::NoVolumeFits { .. }
                | ClaimCause::NoVolumes
                | ClaimCause::LabelNotOffered { .. }
        )
    };
    blockers.find(|cause| !is_about_others(cause))
}
