//! Claims that name their volume (`spec.volumeName`), before the bind is complete (R40–R45).

use super::checks::{Candidate, Question, named_failures, overflows_to_too_small};
use super::phases::{Phases, Reservation, view};
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
            let reasons = free_failures(question, &candidate);
            if reasons.is_empty() {
                Named::Binds(volume)
            } else {
                Named::Mismatch { volume, reasons }
            }
        }
    }
}

/// What keeps a volume that nobody holds from satisfying the claim that names it (R43).
pub(crate) fn free_failures(
    question: &Question<'_>,
    candidate: &Candidate<'_>,
) -> Vec<VolumeReason> {
    let mut reasons = named_failures(question, candidate);
    reasons.splice(0..0, overflows_to_too_small(question, candidate.volume));
    reasons
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

/// What Kubernetes says about it. It says so also where the controller itself pointed the claim at the volume (seen
/// live), although the sync then fails.
pub(crate) fn says(named: &Named<'_>) -> Vec<Says> {
    match named {
        Named::Missing | Named::Binds(_) => vec![],
        Named::Mismatch {
            volume, reasons, ..
        } => {
            let why = mismatch_text(&volume.name, reasons).unwrap_or_default();
            let message = format!("Cannot bind to requested volume \"{}\": {why}", volume.name);
            vec![Says::new("Warning", "VolumeMismatch", message)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::annotations;
    use crate::engine::Rules;
    use crate::model::Claim;
    use crate::testing::{claim, state, volume};

    fn said(claim: Claim, volume: Volume) -> Option<String> {
        let state = state(vec![claim], vec![volume]);
        let claim = &state.claims()[0];
        let question = Question::new(claim, claim.class.resolved(), Rules::V1_36);
        let named = judge(&state, &question, "v", Phases::Settled);
        says(&named).first().map(|says| says.message.clone())
    }

    #[test]
    fn the_first_failure_is_told_in_upstream_s_order() {
        let wrong = volume("v")
            .holds("1Mi")
            .of_class("slow")
            .offers(&["ReadOnlyMany"]);
        let told = |volume: Volume| said(claim("c").naming("v"), volume).unwrap_or_default();
        assert_eq!(
            told(wrong.clone().deleted()),
            "Cannot bind to requested volume \"v\": the volume is marked for deletion \"v\""
        );
        assert_eq!(
            told(wrong.clone()),
            "Cannot bind to requested volume \"v\": requested PV is too small"
        );
        assert!(told(wrong.clone().holds("1Gi")).ends_with("storageClassName does not match"));
        assert!(told(wrong.holds("1Gi").of_class("any")).ends_with("incompatible accessMode"));
    }

    #[test]
    fn selector_and_phase_play_no_part() {
        let lenient = said(
            claim("c").naming("v").selecting("tier=gold"),
            volume("v").in_phase(crate::model::VolumePhase::Failed),
        );
        assert_eq!(lenient, None);
    }

    #[test]
    fn a_volume_that_designates_the_claim_is_bound_unchecked() {
        assert_eq!(
            said(
                claim("c").naming("v"),
                volume("v").holds("1Mi").deleted().reserved_for("c", None)
            ),
            None
        );
    }

    #[test]
    fn sizes_are_compared_as_64_bit_values() {
        // 200E overflows to zero and looks too small, although it is larger than anything.
        assert!(said(claim("c").naming("v"), volume("v").holds("200E")).is_some());
        assert_eq!(
            said(claim("c").naming("v").requests("200E"), volume("v")),
            None
        );
    }

    #[test]
    fn a_claim_the_controller_pointed_there_is_told_all_the_same() {
        let held = volume("v").reserved_for("other", Some("uid-gone"));
        let pointed = claim("c")
            .naming("v")
            .annotated(annotations::BOUND_BY_CONTROLLER, "yes");
        assert_eq!(
            said(pointed, held).as_deref(),
            Some("volume \"v\" already bound to a different claim.")
        );
    }
}
