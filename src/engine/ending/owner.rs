//! Whose a volume still is: the claim of its claimRef, claims that name it, and who asked that it be kept.

use super::super::own_marks::{find_keep, is_locked};
use super::super::phases::{Found, Phases, find_by_uid, view};
use super::super::reclaim_commands::{carry_out, reuse_for};
use super::GOING;
use super::left::LeftAlone;
use super::unseen::{Unseen, not_readable};
use crate::conventions::command_line::Sentence;
use crate::model::{Claim, ClusterState, Kind, Volume, VolumePhase};
use crate::report::VolumeCause;

/// The claim with the uid of the claimRef is there, wherever it went: whoever made the volume for it sees to it (R76).
pub(super) fn check_claim(
    state: &ClusterState,
    volume: &Volume,
    unseen: &mut Unseen<'_>,
) -> Result<(), Box<LeftAlone>> {
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
            Err(LeftAlone::from(&cause).into())
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
) -> Result<VolumePhase, Box<LeftAlone>> {
    let settled = view(state, volume, Phases::Settled);
    // The controller saw what we did not, and wrote it into the phase; a Bound one may be anything.
    let is_told = matches!(volume.phase, VolumePhase::Released | VolumePhase::Failed);
    let by_uid = volume.claim_ref.as_ref().is_some_and(|it| it.uid.is_some());
    if by_uid && !is_told {
        unseen.check()?;
        // Files without a single claim do not show that the claim of a Bound volume is gone.
        if volume.phase == VolumePhase::Bound && state.is_absent(Kind::Claims) {
            return Err(not_readable(&[Kind::Claims]).into());
        }
    }
    match settled.phase {
        phase @ (VolumePhase::Released | VolumePhase::Failed) => Ok(phase),
        // What is deleted here behind our lock was decided before; nobody can take it any more (R26.6).
        phase if is_locked(volume) && volume.claim_ref.is_none() => Ok(phase),
        phase => {
            let kept = settled.claim_ref.filter(|reference| !reference.is_empty());
            let kept = kept.map(|it| format!(", kept for {}", it.key()));
            let message = format!("it is {phase}{}", kept.unwrap_or_default());
            Err(LeftAlone::refused("NotReleased", message).into())
        }
    }
}

pub(super) fn check_opt_out(state: &ClusterState, volume: &Volume) -> Result<(), Box<LeftAlone>> {
    let Some(on) = find_keep(state, volume) else {
        return Ok(());
    };
    let cause = VolumeCause::OptOut { on };
    let named = carry_out(&volume.name);
    let going = if is_locked(volume) {
        format!("{GOING}; ")
    } else {
        String::new()
    };
    let hint = Sentence::from(format!(
        "{going}named on the command line it is not protected: "
    ));
    let left = LeftAlone::from(&cause);
    Err(left.hint(hint.command(named)).into())
}

/// A claim that names the volume without owning it may want its data back, and gets it with `--reuse`. Kubernetes would not
/// mind; somebody who has restored claims and volumes from a backup would.
pub(super) fn check_wanted(
    state: &ClusterState,
    volume: &Volume,
    unseen: &mut Unseen<'_>,
) -> Result<(), Box<LeftAlone>> {
    unseen.need(Kind::Claims, None);
    let Some(claim) = claims_naming(state, volume).next() else {
        return Ok(());
    };
    let key = &claim.key;
    let message = format!("claim {key} names it (spec.volumeName) and may want its data back");
    let give = reuse_for(&volume.name, key);
    let hint = Sentence::from("give it to that claim: ")
        .command(give)
        .text("; or delete the claim");
    let left = LeftAlone::refused("InUse", message);
    Err(left.hint(hint).into())
}

fn claims_naming<'a>(state: &'a ClusterState, volume: &Volume) -> impl Iterator<Item = &'a Claim> {
    let claims = state.claims_naming(&volume.name);
    claims.filter(|claim| claim.exists())
}
