//! Whose volumes are before anything happens.

use super::super::phases::{Phases, view};
use super::index::{ClaimId, id};
use crate::conventions::annotations;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClaimRef, ClusterState, ReclaimPolicy, Volume};

/// Whose a volume is before anything happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nobody's.
    Free,
    /// Kept for a claim, by name or by uid.
    Reserved {
        claim: ClaimId,
        /// Whether it becomes nobody's when that claim is bound to another volume (R76b).
        returns: bool,
    },
    /// Nobody's to take.
    Closed,
}

impl Standing {
    /// Whose a volume is once the controller has looked at it.
    pub(super) fn of(state: &ClusterState, volume: &Volume) -> Self {
        if volume.claim_ref.is_none() {
            return Standing::Free;
        }
        let settled = view(state, volume, Phases::Settled);
        let Some(reference) = settled.claim_ref else {
            return Standing::Free;
        };
        let Some(claim) = find_claim(state, &reference) else {
            return Standing::Closed;
        };
        let holder = &state.claims()[claim as usize];
        // A claim that has its volume takes no other, and what it has is settled.
        if !reference.designates(holder)
            || holder.volume_name.is_some()
            || holder.is_bind_completed()
        {
            return Standing::Closed;
        }
        let is_made = volume.provisioned_by().is_some();
        let is_released = is_made && volume.reclaim_policy == ReclaimPolicy::Delete;
        let is_ours = volume.has_annotation(annotations::BOUND_BY_CONTROLLER);
        Standing::Reserved {
            claim,
            returns: reference.uid.is_some() && is_ours && !is_released,
        }
    }
}

fn find_claim(state: &ClusterState, reference: &ClaimRef) -> Option<ClaimId> {
    let wanted = (reference.namespace.as_str(), reference.name.as_str());
    let spelled = |key: &'_ ObjectKey| (key.namespace.as_str(), key.name.as_str()).cmp(&wanted);
    let found = state.claims().binary_search_by(|claim| spelled(&claim.key));
    found.ok().map(id)
}
