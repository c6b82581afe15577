//! Judged volumes as assessments, nearest miss first.

use super::super::binding::Judged;
use super::super::phases::{self, Phases, Reservation};
use crate::conventions::quantity::Quantity;
use crate::model::{Claim, ClusterState, Volume, VolumePhase};
use crate::report::{Assessment, Result, VolumeReason};

/// All judged volumes: taken ones first; then rejected ones by the number of reasons, the reasons' order, and the distance
/// in size.
pub(super) fn assessments(judged: &[Judged<'_>], request: &Quantity) -> Vec<Assessment> {
    let mut order: Vec<&Judged<'_>> = judged.iter().collect();
    order.sort_by_cached_key(|judged| {
        let ranks: Vec<usize> = judged.reasons.iter().map(VolumeReason::rank).collect();
        let distance = judged.volume.capacity.units_above(request).unsigned_abs();
        (
            judged.result,
            ranks.len(),
            ranks,
            distance,
            judged.volume.name.as_str(),
        )
    });
    order
        .into_iter()
        .map(|judged| {
            build(
                judged.volume,
                judged.phase,
                judged.result,
                judged.reasons.clone(),
                judged.is_reserved,
            )
        })
        .collect()
}

/// The one volume that counts for a claim that is bound, lost, or names its volume.
pub(super) fn only(
    state: &ClusterState,
    volume: &Volume,
    result: Result,
    reasons: Vec<VolumeReason>,
) -> Assessment {
    build(
        volume,
        phases::view(state, volume, Phases::Settled).phase,
        result,
        reasons,
        false,
    )
}

fn build(
    volume: &Volume,
    phase: VolumePhase,
    result: Result,
    reasons: Vec<VolumeReason>,
    reserved: bool,
) -> Assessment {
    Assessment {
        name: volume.name.clone(),
        result,
        capacity: volume.capacity.to_string(),
        access_modes: volume.access_modes,
        class: volume.class().to_owned(),
        phase,
        reserved,
        reasons,
    }
}

/// Whose a volume is, as a reason against the claim.
pub(super) fn reservation_reason(
    state: &ClusterState,
    volume: &Volume,
    claim: &Claim,
) -> Option<VolumeReason> {
    match phases::reservation(state, &phases::view(state, volume, Phases::Stored), claim) {
        Reservation::Free | Reservation::Own => None,
        Reservation::Other(holder) => Some(VolumeReason::ReservedForOtherClaim(holder)),
        Reservation::Gone(holder) => Some(VolumeReason::ReservedForDeletedClaim(holder)),
    }
}
