//! The rules of matching: one small function each, and [`CHECKS`], the list in upstream's order.
//!
//! Upstream stops at the first failure; we run them all, so that people can mend everything at once.

use super::Rules;
use super::phases::{Reservation, SettledVolume, reservation};
use crate::conventions::access_mode::AccessModes;
use crate::conventions::annotations;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::LabelSelector;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::{Claim, ClusterState, Volume, VolumePhase};
use crate::report::VolumeReason;

/// What a claim asks of volumes. The class is the one that counts, which may not be the claim's own.
#[derive(Debug, Clone)]
pub(crate) struct Question<'a> {
    pub(crate) claim: &'a Claim,
    pub(crate) class: String,
    pub(crate) rules: Rules,
    /// Provisioning options can only be honoured by a volume that is made for the claim (seed 003).
    pub(crate) new_volume_only: bool,
    request: Quantity,
    modes: AccessModes,
    volume_mode: VolumeMode,
}

impl<'a> Question<'a> {
    pub(crate) fn new(claim: &'a Claim, class: impl Into<String>, rules: Rules) -> Self {
        Self {
            claim,
            class: class.into(),
            rules,
            new_volume_only: false,
            request: claim.request(),
            modes: claim.access_modes(),
            volume_mode: claim.volume_mode(),
        }
    }

    fn selector(&self) -> Option<&LabelSelector> {
        self.claim.selector.as_ref()
    }
}

/// A volume that is judged for one claim.
pub(crate) struct Candidate<'a> {
    pub(crate) volume: &'a Volume,
    pub(crate) phase: VolumePhase,
    pub(crate) reservation: Reservation,
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(state: &ClusterState, settled: &SettledVolume<'a>, claim: &Claim) -> Self {
        Self {
            volume: settled.volume,
            phase: settled.phase,
            reservation: reservation(state, settled, claim),
        }
    }

    pub(crate) fn is_reserved(&self) -> bool {
        self.reservation == Reservation::Own
    }
}

/// When a check applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Applies {
    /// To a volume that is reserved for the claim: upstream returns such a volume before it looks at the rest (R26.7).
    reserved: bool,
    /// To the volume a claim names (R43).
    named: bool,
    /// To a volume that is about to be made for the claim, of which seed 000 asks more than the controller.
    made: bool,
}

/// One rule of matching.
struct Check {
    applies: Applies,
    run: fn(&Question<'_>, &Candidate<'_>) -> Option<VolumeReason>,
}

const fn check(
    run: fn(&Question<'_>, &Candidate<'_>) -> Option<VolumeReason>,
    reserved: bool,
    named: bool,
    made: bool,
) -> Check {
    Check {
        applies: Applies {
            reserved,
            named,
            made,
        },
        run,
    }
}

/// Upstream: component-helpers/storage/volume/pv_helpers.go, FindMatchingVolume; access modes by the groups of
/// pkg/controller/volume/persistentvolume/index.go. For named volumes: pv_controller.go, checkVolumeSatisfyClaim.
const CHECKS: [Check; 11] = [
    //                       reserved named made
    check(check_reservation, false, false, true),
    check(check_size, true, true, true),
    check(check_volume_mode, true, true, true),
    check(check_attributes_class, true, true, true),
    check(check_deletion, true, true, true),
    check(check_alpha_annotation, false, false, false),
    check(check_phase, false, false, false),
    check(check_selector, false, false, true),
    check(check_class, false, true, true),
    check(check_access_modes, true, true, true),
    check(check_options, true, false, true),
];

/// Every check of the search that the candidate fails.
pub(crate) fn search_failures(
    question: &Question<'_>,
    candidate: &Candidate<'_>,
) -> Vec<VolumeReason> {
    let reserved = candidate.is_reserved();
    CHECKS
        .iter()
        .filter(|check| !reserved || check.applies.reserved)
        .filter_map(|check| (check.run)(question, candidate))
        .collect()
}

/// Every check for a named volume that the candidate fails.
pub(crate) fn named_failures(
    question: &Question<'_>,
    candidate: &Candidate<'_>,
) -> Vec<VolumeReason> {
    CHECKS
        .iter()
        .filter(|check| check.applies.named)
        .filter_map(|check| (check.run)(question, candidate))
        .filter(|reason| !is_forgiven_by_overflow(question, candidate, reason))
        .collect()
}

/// Every check for a volume that is about to be made that the candidate fails.
pub(crate) fn made_failures(
    question: &Question<'_>,
    candidate: &Candidate<'_>,
) -> Vec<VolumeReason> {
    CHECKS
        .iter()
        .filter(|check| check.applies.made)
        .filter_map(|check| (check.run)(question, candidate))
        .collect()
}

/// For a named volume sizes are compared as 64-bit values, whose overflow may forgive or accuse (Q4).
fn is_forgiven_by_overflow(
    question: &Question<'_>,
    candidate: &Candidate<'_>,
    reason: &VolumeReason,
) -> bool {
    matches!(reason, VolumeReason::TooSmall { .. })
        && candidate.volume.capacity.value() >= question.request.value()
}

/// The accusing half of Q4: large enough, but not as 64-bit values.
pub(crate) fn overflows_to_too_small(
    question: &Question<'_>,
    volume: &Volume,
) -> Option<VolumeReason> {
    let exact = volume.capacity >= question.request;
    (exact && volume.capacity.value() < question.request.value())
        .then(|| too_small(question, volume))
}

fn too_small(question: &Question<'_>, volume: &Volume) -> VolumeReason {
    VolumeReason::TooSmall {
        requested: question.request.clone(),
        offered: volume.capacity.clone(),
    }
}

fn check_reservation(_: &Question<'_>, candidate: &Candidate<'_>) -> Option<VolumeReason> {
    match &candidate.reservation {
        Reservation::Free | Reservation::Own => None,
        Reservation::Other(holder) => Some(VolumeReason::ReservedForOtherClaim(holder.clone())),
        Reservation::Gone(holder) => Some(VolumeReason::ReservedForDeletedClaim(holder.clone())),
    }
}

fn check_size(question: &Question<'_>, candidate: &Candidate<'_>) -> Option<VolumeReason> {
    (candidate.volume.capacity < question.request).then(|| too_small(question, candidate.volume))
}

fn check_volume_mode(question: &Question<'_>, candidate: &Candidate<'_>) -> Option<VolumeReason> {
    let (requested, offered) = (question.volume_mode, candidate.volume.volume_mode);
    (requested != offered).then_some(VolumeReason::VolumeModeMismatch { requested, offered })
}

fn check_attributes_class(
    question: &Question<'_>,
    candidate: &Candidate<'_>,
) -> Option<VolumeReason> {
    let (requested, offered) = (
        question.claim.attributes_class(),
        candidate.volume.attributes_class(),
    );
    (requested != offered).then(|| VolumeReason::AttributesClassMismatch {
        requested: requested.to_owned(),
        offered: offered.to_owned(),
    })
}

fn check_deletion(_: &Question<'_>, candidate: &Candidate<'_>) -> Option<VolumeReason> {
    let finalizers = || candidate.volume.finalizers.clone();
    candidate
        .volume
        .deleted
        .map(|_| VolumeReason::BeingDeleted {
            finalizers: finalizers(),
        })
}

fn check_alpha_annotation(
    question: &Question<'_>,
    candidate: &Candidate<'_>,
) -> Option<VolumeReason> {
    let annotated = candidate.volume.has_annotation(annotations::ALPHA_CLASS);
    (question.rules.alpha_annotation_excludes() && annotated)
        .then_some(VolumeReason::AlphaClassAnnotation)
}

/// A volume that somebody holds is not free either way; its phase would say the same thing twice.
fn check_phase(_: &Question<'_>, candidate: &Candidate<'_>) -> Option<VolumeReason> {
    let free = candidate.reservation == Reservation::Free;
    (free && candidate.phase != VolumePhase::Available).then_some(VolumeReason::NotAvailable {
        phase: candidate.phase,
    })
}

fn check_selector(question: &Question<'_>, candidate: &Candidate<'_>) -> Option<VolumeReason> {
    let selector = question.selector()?;
    let unmet = selector.describe_unmet(&candidate.volume.labels);
    if unmet.texts.is_empty() {
        return None;
    }
    let own = |key: &String| {
        candidate
            .volume
            .labels
            .get(key)
            .map(|value| format!("{key}={value}"))
    };
    Some(VolumeReason::SelectorMismatch {
        labels: unmet.keys.iter().filter_map(own).collect(),
        unmet: unmet.texts,
    })
}

fn check_class(question: &Question<'_>, candidate: &Candidate<'_>) -> Option<VolumeReason> {
    let offered = candidate.volume.class();
    (question.class != offered).then(|| VolumeReason::ClassMismatch {
        requested: question.class.clone(),
        offered: offered.to_owned(),
    })
}

fn check_access_modes(question: &Question<'_>, candidate: &Candidate<'_>) -> Option<VolumeReason> {
    let offered = candidate.volume.access_modes;
    let missing = offered.missing(question.modes);
    (!missing.is_empty()).then_some(VolumeReason::AccessModesMissing { missing, offered })
}

fn check_options(question: &Question<'_>, candidate: &Candidate<'_>) -> Option<VolumeReason> {
    let reference = candidate.volume.claim_ref.as_ref();
    let made_for_it =
        candidate.is_reserved() && reference.is_some_and(|reference| reference.uid.is_some());
    (question.new_volume_only && !made_for_it).then_some(VolumeReason::OptionsNeedNewVolume)
}
