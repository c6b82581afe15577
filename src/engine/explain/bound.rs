//! Claims that were bound before, told: the story of those that are, the fate of those that lost their volume (R60–R65).

use super::super::explain_volume::{find_near_node, find_unmet_affinity};
use super::super::story;
use super::draft::Draft;
use super::volumes;
use crate::model::{ClaimPhase, ClusterState, Kind, Volume};
use crate::report::{Cause, ClaimCause, Explanation, Holder, Path, Result, Verdict, VolumeReason};

/// The claim holds its volume, or will again.
pub(super) fn tell_kept(mut draft: Draft<'_>, volume: &Volume) -> Explanation {
    draft.outcomes = vec![volume.name.clone()];
    draft.assessments = vec![volumes::only(draft.state, volume, Result::Chosen, vec![])];
    let reference = volume.claim_ref.as_ref();
    let is_held = reference.is_some_and(|reference| reference.uid == draft.claim.uid);
    let is_consistent = draft.claim.phase == ClaimPhase::Bound && is_held;
    if !is_consistent {
        return draft.finish(Verdict::WillBind, Path::NamedVolume);
    }
    draft.causes = story::surprises(draft.state, draft.claim);
    draft.causes.extend(out_of_reach(draft.state, volume));
    draft.story = Some(story::tell(draft.state, draft.claim, volume));
    draft.note_gap(Kind::Pods);
    draft.finish(Verdict::Bound, Path::None)
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
pub(super) fn tell_misbound(mut draft: Draft<'_>, volume: &Volume) -> Explanation {
    let reference = volume.claim_ref.clone().unwrap_or_default();
    // A claimRef by name alone is not enough for a claim that was bound by uid (R64).
    let by_name = Holder {
        claim: Some(reference.key()),
        uid: None,
        asking_uid: draft.claim.uid.clone(),
    };
    let reason = volumes::reservation_reason(draft.state, volume, draft.claim)
        .unwrap_or(VolumeReason::ReservedForOtherClaim(by_name));
    draft.assessments = vec![volumes::only(
        draft.state,
        volume,
        Result::Rejected,
        vec![reason],
    )];
    let holder = if reference.is_empty() {
        "nobody in particular".to_owned()
    } else {
        reference.key().to_string()
    };
    let own_uid = draft
        .claim
        .uid
        .clone()
        .filter(|_| reference.key() == draft.claim.key);
    draft.block(ClaimCause::VolumeMisbound {
        volume: volume.name.clone(),
        holder,
        uid: reference.uid,
        own_uid,
        storage: Some(volume.source.spelled()),
    });
    draft.finish(Verdict::Lost, Path::None)
}
