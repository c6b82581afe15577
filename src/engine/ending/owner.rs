//! Whose a volume still is: the claim of its claimRef, claims that name it, and who asked that it be kept.

use super::super::own_marks::{find_keep, is_locked};
use super::super::phases::{Found, Phases, find_by_uid, view};
use super::super::refusal::{Advice, ReclaimEvidence, Refusal};
use super::unseen::{Unseen, not_readable};
use crate::model::{Claim, ClusterState, Kind, Volume, VolumePhase};
use crate::report::VolumeCause;

/// The claim with the uid of the claimRef is there, wherever it went: whoever made the volume for it sees to it (R76).
pub(super) fn check_claim(
    state: &ClusterState,
    volume: &Volume,
    unseen: &mut Unseen<'_>,
) -> Result<(), Refusal> {
    let Some(reference) = &volume.claim_ref else {
        return Ok(());
    };
    let Some(uid) = &reference.uid else {
        return Ok(());
    };
    let key = reference.key();
    match find_by_uid(state, reference, uid) {
        Found::Claim(claim) => {
            let other = claim.volume_name.clone();
            let cause = VolumeCause::ClaimExists {
                claim: key.to_string(),
                elsewhere: other.filter(|name| *name != volume.name),
            };
            Err(Refusal::from(cause))
        }
        Found::Gone | Found::NotSeen => {
            unseen.need(Kind::Claims, Some(&reference.namespace));
            Ok(())
        }
    }
}

/// Nobody has it any more; says in which phase it settles.
pub(super) fn check_released(
    state: &ClusterState,
    volume: &Volume,
    unseen: &Unseen<'_>,
) -> Result<VolumePhase, Refusal> {
    let settled = view(state, volume, Phases::Settled);
    // The controller saw what we did not, and wrote it into the phase; a Bound one may be anything.
    let is_told = matches!(volume.phase, VolumePhase::Released | VolumePhase::Failed);
    let by_uid = volume.claim_ref.as_ref().is_some_and(|it| it.uid.is_some());
    if by_uid && !is_told {
        unseen.check()?;
        // Files without a single claim do not show that the claim of a Bound volume is gone.
        if volume.phase == VolumePhase::Bound && state.is_absent(Kind::Claims) {
            return Err(not_readable(&[Kind::Claims]));
        }
    }
    match settled.phase {
        phase @ (VolumePhase::Released | VolumePhase::Failed) => Ok(phase),
        // What is deleted here behind our lock was decided before; nobody can take it any more (R26.6).
        phase if is_locked(volume) && volume.claim_ref.is_none() => Ok(phase),
        phase => {
            let kept = settled.claim_ref.filter(|reference| !reference.is_empty());
            let reserved_for = kept.map(|reference| reference.key());
            Err(Refusal::new(ReclaimEvidence::NotReleased {
                phase,
                reserved_for,
            }))
        }
    }
}

pub(super) fn check_opt_out(state: &ClusterState, volume: &Volume) -> Result<(), Refusal> {
    let Some(on) = find_keep(state, volume) else {
        return Ok(());
    };
    let advice = Advice::NameVolume {
        volume: volume.name.clone(),
        is_begun: is_locked(volume),
    };
    let cause = VolumeCause::OptOut { on };
    Err(Refusal::from(cause).advise(advice))
}

/// A claim that names the volume without owning it may want its data back, and gets it with `--reuse`. Kubernetes would not
/// mind; somebody who has restored claims and volumes from a backup would.
pub(super) fn check_wanted(
    state: &ClusterState,
    volume: &Volume,
    unseen: &mut Unseen<'_>,
) -> Result<(), Refusal> {
    unseen.need(Kind::Claims, None);
    let Some(claim) = claims_naming(state, volume).next() else {
        return Ok(());
    };
    Err(Refusal::new(ReclaimEvidence::NamedByClaim {
        volume: volume.name.clone(),
        claim: claim.key.clone(),
    }))
}

fn claims_naming<'a>(state: &'a ClusterState, volume: &Volume) -> impl Iterator<Item = &'a Claim> {
    let claims = state.claims_naming(&volume.name);
    claims.filter(|claim| claim.exists())
}
