//! Why a volume is Released or Failed, why nobody can take it, and what will bite when its claim goes.

use super::super::lifecycle::{find_removal, recycling_waits_for};
use super::super::own_marks::find_keep;
use super::super::reach::{find_near_node, find_unmet_affinity};
use super::super::reclaimers::{left_to_cluster, will_fail};
use super::super::volume_users::find_users;
use super::case::Case;
use crate::model::{Kind, VolumePhase};
use crate::report::{
    ClaimRefState, DataFate, DeleterPresence, Holder, ReclaimFailure, TakerReason, TakerResult,
    VolumeCause, VolumeFinding, VolumeReason,
};

pub(super) fn find(case: &Case<'_>) -> Vec<VolumeFinding> {
    let mut causes: Vec<VolumeFinding> = not_readable(case).into_iter().collect();
    causes.extend(on_its_way_out(case));
    match case.phase {
        VolumePhase::Released | VolumePhase::Failed => causes.extend(given_up(case)),
        VolumePhase::Bound => causes.extend(held(case)),
        VolumePhase::Available | VolumePhase::Pending => causes.extend(free(case)),
    }
    causes.extend(out_of_reach(case));
    causes.sort_by_key(|finding| finding.severity);
    causes
}

fn on_its_way_out(case: &Case<'_>) -> Option<VolumeFinding> {
    case.volume.deleted?;
    if let (VolumePhase::Bound, Some(claim), Some(removal)) = (
        case.phase,
        case.claim_ref.claim(),
        find_removal(case.volume),
    ) {
        return Some(VolumeFinding::warning(VolumeCause::BeingDeleted {
            volume: case.volume.name.clone(),
            policy: case.volume.reclaim_policy.to_string(),
            claim,
            removal,
        }));
    }
    let holds = case.volume.finalizers.clone();
    Some(VolumeFinding::blocker(if holds.is_empty() {
        VolumeCause::Volume(VolumeReason::BeingDeleted { finalizers: vec![] })
    } else {
        VolumeCause::HeldByFinalizer { holds }
    }))
}

/// Its claim is gone or went elsewhere: what keeps it from being reclaimed, and whose it still is.
fn given_up(case: &Case<'_>) -> Vec<VolumeFinding> {
    let mut causes = why_it_is_still_there(case);
    if let (Some(false) | None, Some(reference)) =
        (case.claim_ref.claim_exists, &case.volume.claim_ref)
    {
        let holder = Holder {
            claim: Some(reference.key()),
            uid: reference.uid.clone(),
            asking_uid: None,
        };
        let kept = VolumeCause::Volume(VolumeReason::ReservedForDeletedClaim(holder));
        // Where its end is near, nobody waits for it.
        causes.push(match case.data_fate() {
            DataFate::Destroyed if case.phase == VolumePhase::Released => VolumeFinding::note(kept),
            _ => VolumeFinding::blocker(kept),
        });
    }
    if !case.attachments.is_empty() {
        causes.push(VolumeFinding::warning(attached(case)));
    }
    causes.extend(kept_from_reclaim(case, &causes));
    causes
}

/// What keeps `reclaim` from it, whatever the cluster does.
fn kept_from_reclaim(case: &Case<'_>, told: &[VolumeFinding]) -> Vec<VolumeFinding> {
    let is_use = |finding: &VolumeFinding| matches!(finding.cause, VolumeCause::InUse { .. });
    let mut causes = Vec::new();
    let elsewhere = case.claim_ref.bound_elsewhere.clone();
    if let (Some(claim), Some(_)) = (case.claim_ref.claim(), &elsewhere) {
        causes.push(VolumeFinding::note(VolumeCause::ClaimExists {
            claim,
            elsewhere,
        }));
    }
    let pods = find_users(case.state, case.volume);
    if !pods.is_empty() && !told.iter().any(is_use) {
        causes.push(VolumeFinding::warning(VolumeCause::InUse {
            pods,
            recycling: false,
        }));
    }
    let kept = find_keep(case.state, case.volume);
    causes.extend(kept.map(|on| VolumeFinding::note(VolumeCause::OptOut { on })));
    causes
}

fn why_it_is_still_there(case: &Case<'_>) -> Vec<VolumeFinding> {
    let volume = case.volume;
    let before = (volume.phase == VolumePhase::Failed).then(|| {
        let message = volume.message.clone();
        let why = message.map_or(ReclaimFailure::NotReported, ReclaimFailure::Reported);
        VolumeFinding::blocker(VolumeCause::ReclaimFailed { why })
    });
    let main = left_to_cluster(case.state, volume);
    match main {
        VolumeCause::PolicyRetain => {
            let mut causes = vec![VolumeFinding::blocker(main)];
            causes.extend(before);
            causes
        }
        VolumeCause::ForeignDeleter { .. } => {
            before.into_iter().chain([weigh_deleter(main)]).collect()
        }
        VolumeCause::LeftToController { .. } => {
            let pods = recycling_waits_for(case.state, volume);
            let next = if pods.is_empty() {
                VolumeFinding::note(main)
            } else {
                VolumeFinding::blocker(VolumeCause::InUse {
                    pods,
                    recycling: true,
                })
            };
            before.into_iter().chain([next]).collect()
        }
        // Why it failed is in it.
        _ => vec![VolumeFinding::blocker(main)],
    }
}

fn weigh_deleter(deleter: VolumeCause) -> VolumeFinding {
    let weighs = match &deleter {
        VolumeCause::ForeignDeleter {
            presence: DeleterPresence::NotSeen,
            ..
        } => VolumeFinding::blocker,
        VolumeCause::ForeignDeleter { said: Some(_), .. } => VolumeFinding::warning,
        _ => VolumeFinding::note,
    };
    weighs(deleter)
}

/// It has an owner.
fn held(case: &Case<'_>) -> Vec<VolumeFinding> {
    let mut causes: Vec<VolumeFinding> = will_fail(case.volume)
        .filter(|_| case.fate.fails())
        .map(VolumeFinding::warning)
        .into_iter()
        .collect();
    if let Some(claim) = case.claim_ref.claim() {
        causes.push(VolumeFinding::note(VolumeCause::ClaimExists {
            claim,
            elsewhere: None,
        }));
    }
    let pods = case.used_by.iter().flatten();
    let pods: Vec<String> = pods.map(|consumer| consumer.pod.clone()).collect();
    if !pods.is_empty() {
        causes.push(VolumeFinding::note(VolumeCause::InUse {
            pods,
            recycling: false,
        }));
    }
    if case
        .attachments
        .iter()
        .any(|attachment| attachment.node_exists == Some(false))
    {
        causes.push(VolumeFinding::warning(attached(case)));
    }
    causes
}

fn attached(case: &Case<'_>) -> VolumeCause {
    VolumeCause::Attached {
        attachments: case.attachments.clone(),
    }
}

/// Nobody has it yet; it may be kept for somebody.
fn free(case: &Case<'_>) -> Vec<VolumeFinding> {
    let mut causes = kept_for_somebody(case);
    causes.extend(
        will_fail(case.volume)
            .filter(|_| case.fate.fails())
            .map(VolumeFinding::warning),
    );
    causes
}

fn kept_for_somebody(case: &Case<'_>) -> Vec<VolumeFinding> {
    let reference = case.settled.claim_ref.as_deref();
    let Some(reference) = reference else {
        return vec![];
    };
    let holder = Holder {
        claim: (!reference.is_empty()).then(|| reference.key()),
        uid: reference.uid.clone(),
        asking_uid: None,
    };
    let kept = VolumeCause::Volume(VolumeReason::ReservedForOtherClaim(holder));
    if case.claim_ref.state == ClaimRefState::Empty {
        return vec![VolumeFinding::blocker(kept)];
    }
    let own = case
        .takers
        .iter()
        .find(|taker| taker.key() == reference.key());
    match own {
        Some(taker) if taker.result == TakerResult::Rejected => {
            let reasons = taker.reasons.iter().filter_map(|reason| match reason {
                TakerReason::Volume(reason) => Some(VolumeCause::Volume(reason.clone())),
                _ => None,
            });
            [kept]
                .into_iter()
                .chain(reasons)
                .map(VolumeFinding::blocker)
                .collect()
        }
        _ => vec![VolumeFinding::note(kept)],
    }
}

fn out_of_reach(case: &Case<'_>) -> Option<VolumeFinding> {
    let wanted = find_unmet_affinity(case.state, case.volume)?;
    let near = find_near_node(case.state, case.volume);
    let stranded = VolumeCause::NodeAffinityMismatch { wanted, near };
    Some(match case.phase {
        VolumePhase::Available | VolumePhase::Pending => VolumeFinding::blocker(stranded),
        _ => VolumeFinding::warning(stranded),
    })
}

/// Whether its claim is there decides nearly everything.
fn not_readable(case: &Case<'_>) -> Option<VolumeFinding> {
    let by_uid = case.claim_ref.state == ClaimRefState::Uid;
    (by_uid && case.claim_ref.claim_exists.is_none()).then(|| {
        let what = vec![Kind::Claims];
        VolumeFinding::warning(VolumeCause::NotReadable { what })
    })
}
