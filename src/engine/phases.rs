//! What phase a volume settles in, and whose it is then (R31, R72–R77).
//!
//! The stored phase lags behind: a new volume is Pending for a moment, a volume whose claim vanished is still Bound.
//! The engine answers for the settled cluster, so it asks here and not the status.

use crate::conventions::annotations;
use crate::model::{Claim, ClaimRef, ClusterState, Kind, ReclaimPolicy, Volume, VolumePhase};
use crate::report::Holder;
use std::borrow::Cow;

/// Which phases to believe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phases {
    /// Those in the status: what one sync of the controller sees.
    Stored,
    /// Those the volumes will have once the controller has looked at them.
    Settled,
}

/// A volume as it settles.
#[derive(Debug, Clone)]
pub struct SettledVolume<'a> {
    /// The volume.
    pub volume: &'a Volume,
    /// Its phase.
    pub phase: VolumePhase,
    /// Its claimRef; the controller may take one back (R76).
    pub claim_ref: Option<Cow<'a, ClaimRef>>,
}

/// Whose a volume is, seen from one claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reservation {
    /// Nobody's.
    Free,
    /// This claim's: by name, or by name and uid.
    Own,
    /// Another claim's, or an empty claimRef, which is nobody's and still not free.
    Other(Holder),
    /// That of a claim that is gone.
    Gone(Holder),
}

/// The volume as it is, or as it settles.
pub fn view<'a>(state: &ClusterState, volume: &'a Volume, phases: Phases) -> SettledVolume<'a> {
    match phases {
        Phases::Stored => as_stored(volume, volume.phase),
        Phases::Settled => settle(state, volume),
    }
}

fn as_stored(volume: &Volume, phase: VolumePhase) -> SettledVolume<'_> {
    SettledVolume {
        volume,
        phase,
        claim_ref: volume.claim_ref.as_ref().map(Cow::Borrowed),
    }
}

/// Upstream: pv_controller.go, syncVolume.
fn settle<'a>(state: &ClusterState, volume: &'a Volume) -> SettledVolume<'a> {
    let Some(reference) = &volume.claim_ref else {
        return as_stored(volume, VolumePhase::Available);
    };
    let Some(uid) = &reference.uid else {
        return as_stored(volume, VolumePhase::Available);
    };
    match find_by_uid(state, reference, uid) {
        Found::Claim(claim) => settle_with_claim(volume, reference, claim),
        Found::Gone => as_stored(volume, released(volume.phase)),
        Found::NotSeen => as_stored(volume, volume.phase),
    }
}

fn settle_with_claim<'a>(
    volume: &'a Volume,
    reference: &ClaimRef,
    claim: &Claim,
) -> SettledVolume<'a> {
    match &claim.volume_name {
        // R74: the claim is about to be synced; the phase stays as it is.
        None => as_stored(volume, volume.phase),
        Some(name) if *name == volume.name => as_stored(volume, VolumePhase::Bound),
        Some(_)
            // Only whether the annotation is there counts, not what it says.
            if volume.has_annotation(annotations::PROVISIONED_BY)
                && volume.reclaim_policy == ReclaimPolicy::Delete =>
        {
            as_stored(volume, released(volume.phase))
        }
        // R76b: the claim went elsewhere, and the volume is given back.
        Some(_) => {
            let claim_ref = if volume.has_annotation(annotations::BOUND_BY_CONTROLLER) {
                None
            } else {
                Some(Cow::Owned(ClaimRef {
                    uid: None,
                    ..reference.clone()
                }))
            };
            SettledVolume {
                volume,
                phase: VolumePhase::Available,
                claim_ref,
            }
        }
    }
}

fn released(stored: VolumePhase) -> VolumePhase {
    if stored == VolumePhase::Failed {
        stored
    } else {
        VolumePhase::Released
    }
}

/// What became of the claim a claimRef names by uid.
pub(crate) enum Found<'a> {
    Claim(&'a Claim),
    Gone,
    NotSeen,
}

/// Looks for the claim a claimRef names by uid.
pub(crate) fn find_by_uid<'a>(
    state: &'a ClusterState,
    reference: &ClaimRef,
    uid: &str,
) -> Found<'a> {
    match state.find_claim(&reference.key()) {
        Some(claim) if claim.uid.as_deref() == Some(uid) => Found::Claim(claim),
        _ if state.saw(Kind::Claims, Some(&reference.namespace)) => Found::Gone,
        _ => Found::NotSeen,
    }
}

/// Whose the volume is, seen from `claim` (R26.2).
pub(crate) fn reservation(
    state: &ClusterState,
    settled: &SettledVolume<'_>,
    claim: &Claim,
) -> Reservation {
    let Some(reference) = &settled.claim_ref else {
        return Reservation::Free;
    };
    if reference.designates(claim) {
        return Reservation::Own;
    }
    let same_name = reference.key() == claim.key;
    let holder = Holder {
        claim: (!reference.is_empty()).then(|| reference.key()),
        uid: reference.uid.clone(),
        asking_uid: if same_name { claim.uid.clone() } else { None },
    };
    let Some(uid) = &reference.uid else {
        return Reservation::Other(holder);
    };
    // A claim of the same name and another uid is this one's predecessor.
    if same_name {
        return Reservation::Gone(holder);
    }
    match find_by_uid(state, reference, uid) {
        Found::Gone => Reservation::Gone(holder),
        // The claim could not be seen; the controller could, and said what it found in the phase.
        Found::NotSeen if matches!(settled.phase, VolumePhase::Released | VolumePhase::Failed) => {
            Reservation::Gone(holder)
        }
        Found::Claim(_) | Found::NotSeen => Reservation::Other(holder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{claim, state, volume};

    fn settled(claims: Vec<Claim>, volume: Volume) -> (VolumePhase, Option<ClaimRef>) {
        let state = state(claims, vec![volume]);
        let view = view(&state, &state.volumes()[0], Phases::Settled);
        (view.phase, view.claim_ref.map(Cow::into_owned))
    }

    #[test]
    fn a_free_or_reserved_volume_settles_as_available_whatever_its_phase() {
        for phase in [
            VolumePhase::Pending,
            VolumePhase::Released,
            VolumePhase::Failed,
            VolumePhase::Bound,
        ] {
            assert_eq!(
                settled(vec![], volume("v").in_phase(phase)).0,
                VolumePhase::Available
            );
            let reserved = volume("v").in_phase(phase).reserved_for("c", None);
            assert_eq!(settled(vec![], reserved).0, VolumePhase::Available);
        }
    }

    #[test]
    fn a_volume_whose_claim_is_gone_is_released_unless_it_failed() {
        let held = |phase| volume("v").in_phase(phase).reserved_for("c", Some("uid-c"));
        assert_eq!(
            settled(vec![], held(VolumePhase::Bound)).0,
            VolumePhase::Released
        );
        assert_eq!(
            settled(vec![], held(VolumePhase::Failed)).0,
            VolumePhase::Failed
        );
        let mut successor = claim("c");
        successor.uid = Some("another".to_owned());
        assert_eq!(
            settled(vec![successor], held(VolumePhase::Bound)).0,
            VolumePhase::Released
        );
    }

    #[test]
    fn a_volume_whose_claim_went_elsewhere_is_given_back() {
        let elsewhere = claim("c").naming("other");
        let by_controller = volume("v")
            .reserved_for("c", Some("uid-c"))
            .annotated(annotations::BOUND_BY_CONTROLLER, "yes");
        assert_eq!(
            settled(vec![elsewhere.clone()], by_controller),
            (VolumePhase::Available, None)
        );
        let by_hand = volume("v").reserved_for("c", Some("uid-c"));
        let (phase, reference) = settled(vec![elsewhere.clone()], by_hand);
        assert_eq!(
            (phase, reference.and_then(|reference| reference.uid)),
            (VolumePhase::Available, None)
        );
        let made = volume("v")
            .reserved_for("c", Some("uid-c"))
            .annotated(annotations::PROVISIONED_BY, "x")
            .with_policy(ReclaimPolicy::Delete);
        assert_eq!(settled(vec![elsewhere], made).0, VolumePhase::Released);
    }

    #[test]
    fn claims_that_were_not_seen_are_not_gone() {
        let gap = crate::model::Gap {
            kind: Kind::Claims,
            why: crate::model::GapReason::Forbidden,
            seen_only_in: Some("own".to_owned()),
        };
        let objects = crate::model::Objects {
            volumes: vec![
                volume("v")
                    .in_phase(VolumePhase::Bound)
                    .reserved_for("c", Some("uid-c")),
            ],
            ..Default::default()
        };
        let state = ClusterState::new(objects, vec![gap], None);
        let view = view(&state, &state.volumes()[0], Phases::Settled);
        assert_eq!(view.phase, VolumePhase::Bound);
        assert!(matches!(
            reservation(&state, &view, &claim("mine")),
            Reservation::Other(_)
        ));
    }
}
