//! What the control plane says on a volume in its state, word for word (R74, R78–R80), and what its provisioner said last.

use super::super::foreign_messages::event_reason_of_failed;
use super::super::lifecycle::recycling_waits_for;
use super::super::phases::{Found, find_by_uid};
use super::super::reclaimers::last_failure;
use super::case::Case;
use crate::model::{ClusterState, Event, Volume, VolumePhase};
use crate::report::{FateResult, Says};

pub(super) fn find(case: &Case<'_>) -> Vec<Says> {
    let volume = case.volume;
    if let Some(complaint) = volume_mode_complaint(case.state, volume) {
        return vec![complaint];
    }
    if volume.phase == VolumePhase::Failed && case.phase == VolumePhase::Failed {
        return as_it_failed(volume, case.fate.says());
    }
    match (case.phase, case.fate.result()) {
        (VolumePhase::Failed, FateResult::Failed) => case.fate.says(),
        (VolumePhase::Released, FateResult::Recycled) => {
            let pods = recycling_waits_for(case.state, volume);
            let message = format!("Volume is used by pods: {}", pods.join(","));
            let waits =
                (!pods.is_empty()).then(|| Says::new("Normal", "VolumeFailedRecycle", message));
            waits.into_iter().collect()
        }
        (VolumePhase::Released, FateResult::LeftToProvisioner) => {
            let failure = last_failure(case.state, volume);
            let told = |event: &Event| Says::new(&event.kind, &event.reason, event.message.clone());
            failure.map(told).into_iter().collect()
        }
        _ => vec![],
    }
}

/// The event that came with the phase: its message is kept in the status, and tells which of the three it was.
fn as_it_failed(volume: &Volume, predicted: Vec<Says>) -> Vec<Says> {
    let Some(message) = &volume.message else {
        return predicted;
    };
    let reason = event_reason_of_failed(message);
    vec![Says::new("Warning", reason, message.clone())]
}

/// A volume that was written for a claim of another volume mode (R74).
pub(super) fn volume_mode_complaint(state: &ClusterState, volume: &Volume) -> Option<Says> {
    let reference = volume.claim_ref.as_ref()?;
    let uid = reference.uid.as_deref()?;
    let Found::Claim(claim) = find_by_uid(state, reference, uid) else {
        return None;
    };
    let differs = claim.volume_name.is_none() && claim.volume_mode() != volume.volume_mode;
    let message = format!(
        "Cannot bind PersistentVolume to requested PersistentVolumeClaim \"{}\" due to incompatible volumeMode.",
        claim.key.name
    );
    differs.then(|| Says::new("Warning", "VolumeMismatch", message))
}
