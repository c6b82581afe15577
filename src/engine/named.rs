//! Claims that name their volume (`spec.volumeName`), before the bind is complete (R40–R45).

use super::checks::{Candidate, Question, named_failures, overflows_to_too_small};
use super::phases::{Phases, Reservation, view};
use crate::conventions::annotations;
use crate::model::{ClusterState, Volume};
use crate::report::{Holder, Says, VolumeReason};

/// What comes of naming a volume.
#[derive(Debug, Clone)]
pub(crate) enum Named<'a> {
    /// There is no such volume; Kubernetes waits without a word (R40).
    Missing,
    /// It binds (R41 after the checks, R42 without any).
    Binds(&'a Volume),
    /// It does not satisfy the claim (R43).
    Mismatch {
        volume: &'a Volume,
        reasons: Vec<VolumeReason>,
    },
    /// It is another claim's (R44).
    Taken {
        volume: &'a Volume,
        holder: Box<Holder>,
        holder_is_gone: bool,
    },
}

/// Judges the volume the claim names. Phase, selector, delay and node affinity play no part (R41, R45).
pub(crate) fn judge<'a>(
    state: &'a ClusterState,
    question: &Question<'_>,
    name: &str,
    phases: Phases,
) -> Named<'a> {
    let Some(volume) = state.find_volume(name) else {
        return Named::Missing;
    };
    let candidate = Candidate::new(state, &view(state, volume, phases), question.claim);
    match candidate.reservation.clone() {
        Reservation::Own => Named::Binds(volume),
        Reservation::Other(holder) => Named::Taken {
            volume,
            holder: Box::new(holder),
            holder_is_gone: false,
        },
        Reservation::Gone(holder) => Named::Taken {
            volume,
            holder: Box::new(holder),
            holder_is_gone: true,
        },
        Reservation::Free => {
            let mut reasons = named_failures(question, &candidate);
            reasons.splice(0..0, overflows_to_too_small(question, volume));
            if reasons.is_empty() {
                Named::Binds(volume)
            } else {
                Named::Mismatch { volume, reasons }
            }
        }
    }
}

/// The first failure in the order of the named check, in upstream's words (R43).
pub(crate) fn mismatch_text(volume: &str, reasons: &[VolumeReason]) -> Option<String> {
    let text = |reason: &VolumeReason| -> Option<(u8, String)> {
        Some(match reason {
            VolumeReason::BeingDeleted { .. } => {
                (0, format!("the volume is marked for deletion \"{volume}\""))
            }
            VolumeReason::TooSmall { .. } => (1, "requested PV is too small".to_owned()),
            VolumeReason::ClassMismatch { .. } => (2, "storageClassName does not match".to_owned()),
            VolumeReason::AttributesClassMismatch { .. } => {
                (3, "volumeAttributesClassName does not match".to_owned())
            }
            VolumeReason::VolumeModeMismatch { .. } => (4, "incompatible volumeMode".to_owned()),
            VolumeReason::AccessModesMissing { .. } => (5, "incompatible accessMode".to_owned()),
            _ => return None,
        })
    };
    reasons
        .iter()
        .filter_map(text)
        .min_by_key(|(order, _)| *order)
        .map(|(_, text)| text)
}

/// What Kubernetes says about it.
pub(crate) fn says(question: &Question<'_>, named: &Named<'_>) -> Vec<Says> {
    match named {
        Named::Missing | Named::Binds(_) => vec![],
        Named::Mismatch {
            volume, reasons, ..
        } => {
            let why = mismatch_text(&volume.name, reasons).unwrap_or_default();
            let message = format!("Cannot bind to requested volume \"{}\": {why}", volume.name);
            vec![Says::new("Warning", "VolumeMismatch", message)]
        }
        // A claim the controller itself pointed at this volume makes the sync fail instead, without an event.
        Named::Taken { .. }
            if question
                .claim
                .has_annotation(annotations::BOUND_BY_CONTROLLER) =>
        {
            vec![]
        }
        Named::Taken { volume, .. } => {
            let message = format!(
                "volume \"{}\" already bound to a different claim.",
                volume.name
            );
            vec![Says::new("Warning", "FailedBinding", message)]
        }
    }
}
