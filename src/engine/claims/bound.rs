//! Claims that were bound before: those that hold their volume, and those that lost it (R60–R65).

use super::super::claim_changes::find_changes;
use super::super::reach::{find_near_node, find_unmet_affinity};
use super::situation::{Answer, Situation, only, reservation_reason};
use crate::model::{ClaimPhase, ClusterState, Kind, Volume};
use crate::report::{Cause, ClaimCause, Holder, Path, Result, Verdict, VolumeHolder, VolumeReason};

/// The claim holds its volume; nothing if that has to be repaired first.
pub(super) fn keep<'a>(situation: &Situation<'_, 'a>, volume: &'a Volume) -> Option<Answer<'a>> {
    let (state, claim) = (situation.state, situation.claim);
    let reference = volume.claim_ref.as_ref();
    let is_held = reference.is_some_and(|reference| reference.uid == claim.uid);
    if claim.phase != ClaimPhase::Bound || !is_held {
        return None;
    }
    let mut causes = find_changes(state, claim);
    causes.extend(out_of_reach(state, volume));
    Some(Answer {
        outcomes: vec![volume.name.clone()],
        volumes: Some(only(state, volume, Result::Chosen, vec![])),
        unknowns: situation.gap(Kind::Pods).into_iter().collect(),
        holds: Some(volume),
        ..Answer::new(Verdict::Bound, Path::None, causes)
    })
}

/// The claim will hold its volume again.
pub(super) fn will_keep<'a>(situation: &Situation<'_, 'a>, volume: &'a Volume) -> Answer<'a> {
    Answer {
        outcomes: vec![volume.name.clone()],
        volumes: Some(only(situation.state, volume, Result::Chosen, vec![])),
        ..Answer::new(Verdict::WillBind, Path::NamedVolume, vec![])
    }
}

/// A bound claim looks fine although no node can use its volume.
fn out_of_reach(state: &ClusterState, volume: &Volume) -> Option<Cause> {
    let cause = ClaimCause::NodeAffinityMismatch {
        volume: volume.name.clone(),
        wanted: find_unmet_affinity(state, volume)?,
        near: find_near_node(state, volume),
    };
    Some(Cause::warning(cause))
}

/// The volume is another claim's.
pub(super) fn misbound<'a>(situation: &Situation<'_, 'a>, volume: &'a Volume) -> Answer<'a> {
    let (state, claim) = (situation.state, situation.claim);
    let reference = volume.claim_ref.clone().unwrap_or_default();
    // A claimRef by name alone is not enough for a claim that was bound by uid (R64).
    let by_name = Holder {
        claim: Some(reference.key()),
        uid: None,
        asking_uid: claim.uid.clone(),
    };
    let reason = reservation_reason(state, volume, claim)
        .unwrap_or(VolumeReason::ReservedForOtherClaim(by_name));
    let holder = if reference.is_empty() {
        VolumeHolder::NoClaim
    } else {
        VolumeHolder::Claim(reference.key())
    };
    let own_uid = claim.uid.clone();
    let cause = ClaimCause::VolumeMisbound {
        volume: volume.name.clone(),
        holder,
        own_uid: own_uid.filter(|_| reference.key() == claim.key),
        uid: reference.uid,
        storage: Some(volume.source.spelled()),
    };
    Answer {
        volumes: Some(only(state, volume, Result::Rejected, vec![reason])),
        ..Answer::new(Verdict::Lost, Path::None, vec![Cause::blocker(cause)])
    }
}
