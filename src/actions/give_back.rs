//! Volumes that were taken for a claim which went elsewhere, or is gone: they are given back as the controller does
//! (R76b), so that nothing stays reserved for nobody.

use super::bind_writes::mark_volume;
use super::draft::Draft;
use super::operation::Patch;
use super::plan::{Deed, Errand};
use crate::conventions::annotations::{BOUND_BY_CONTROLLER, PROVISIONED_BY};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, Kind, ReclaimPolicy, Volume, VolumePhase};
use serde_json::json;

/// A volume that this run has taken for a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) volume: String,
    /// The claim's.
    pub(crate) uid: String,
    /// Whether the claim was told, so that somebody may have used the volume.
    pub(crate) claim_was_written: bool,
}

/// Gives back what is held for a claim that has another volume by now.
pub(super) fn what_others_left(draft: &mut Draft, claim: &ObjectKey, held: &[String]) {
    let Some(claim) = draft.state.find_claim(claim).cloned() else {
        return;
    };
    let Some(has) = &claim.volume_name else {
        return;
    };
    for name in held.iter().filter(|name| *name != has) {
        let volume = draft.state.find_volume(name).cloned();
        if let Some(volume) = volume.filter(|volume| is_for(volume, &claim)) {
            give_back(
                draft,
                &claim.key,
                volume,
                &format!("{} has {has}", claim.key),
            );
        }
    }
}

/// R76a: what a provisioner made for the claim is its to delete.
fn is_for(volume: &Volume, claim: &Claim) -> bool {
    let reference = volume.claim_ref.as_ref();
    let is_held = reference.is_some_and(|reference| {
        reference.uid.is_some() && reference.uid == claim.uid && reference.key() == claim.key
    });
    let is_deleted_by_others =
        volume.has_annotation(PROVISIONED_BY) && volume.reclaim_policy == ReclaimPolicy::Delete;
    is_held && !is_deleted_by_others
}

/// Gives back what is held for a claim of these that is gone, if it was never bound to it. What was, and was taken by this
/// run, is Released (R77).
pub(super) fn what_nobody_has(
    draft: &mut Draft,
    is_asked: impl Fn(&ObjectKey) -> bool,
    taken: &[Taken],
) {
    let is_gone = |volume: &&Volume| {
        let Some(reference) = &volume.claim_ref else {
            return false;
        };
        let Some(uid) = &reference.uid else {
            return false;
        };
        let key = reference.key();
        let claim = draft.state.find_claim(&key);
        is_asked(&key)
            && claim.is_none_or(|claim| claim.uid.as_ref() != Some(uid))
            && draft.state.saw(Kind::Claims, Some(&key.namespace))
            && volume.has_annotation(BOUND_BY_CONTROLLER)
    };
    let gone: Vec<Volume> = draft
        .state
        .volumes()
        .iter()
        .filter(is_gone)
        .cloned()
        .collect();
    for volume in gone {
        let Some(reference) = volume.claim_ref.clone() else {
            continue;
        };
        let own = taken.iter().find(|taken| {
            taken.volume == volume.name && Some(&taken.uid) == reference.uid.as_ref()
        });
        let was_told = own.map(|taken| taken.claim_was_written);
        let why = format!("the claim {} it was taken for is gone", reference.key());
        match (volume.phase, was_told) {
            (VolumePhase::Pending | VolumePhase::Available, Some(false) | None)
            | (VolumePhase::Bound, Some(false)) => {
                give_back(draft, &reference.key(), volume, &why);
            }
            (VolumePhase::Pending | VolumePhase::Available | VolumePhase::Bound, Some(true)) => {
                draft.begin(errand(
                    &reference.key(),
                    &volume,
                    "is released: its claim is gone",
                ));
                mark_volume(draft, volume, VolumePhase::Released, &why);
            }
            _ => {}
        }
    }
}

fn errand(claim: &ObjectKey, volume: &Volume, what: &str) -> Errand {
    Errand {
        claim: Some(claim.clone()),
        volume: volume.name.clone(),
        what: what.to_owned(),
        deed: Deed::GiveBack,
    }
}

/// Upstream: pv_controller.go, unbindVolume.
fn give_back(draft: &mut Draft, claim: &ObjectKey, mut volume: Volume, why: &str) {
    draft.begin(errand(claim, &volume, "is given back"));
    let by_controller = volume.has_annotation(BOUND_BY_CONTROLLER);
    let body = if by_controller {
        json!({
            "metadata": { "annotations": { BOUND_BY_CONTROLLER: null } },
            "spec": { "claimRef": null },
        })
    } else {
        json!({ "spec": { "claimRef": { "uid": null } } })
    };
    draft.patch((&volume).into(), Patch::object(body), why.to_owned());
    if by_controller {
        volume.annotations.remove(BOUND_BY_CONTROLLER);
        volume.claim_ref = None;
    } else if let Some(reference) = &mut volume.claim_ref {
        reference.uid = None;
    }
    draft.state.swap_volume(volume.clone());
    mark_volume(draft, volume, VolumePhase::Available, "it is free again");
}
