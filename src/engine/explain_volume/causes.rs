//! Why a volume is Released or Failed, why nobody can take it, and what will bite when its claim goes.

use super::super::lifecycle::{FateResult, recycling_waits_for};
use super::super::provisioning::is_by;
use super::Case;
use super::reach::{find_near_node, find_unmet_affinity};
use super::says::last_failure;
use crate::conventions::class_name::{HOST_PATH, IN_TREE_PREFIX, NFS};
use crate::model::{ClusterState, Kind, ReclaimPolicy, Volume, VolumePhase};
use crate::report::{
    ClaimRefState, DataFate, DeleterPresence, Holder, TakerReason, TakerResult, VolumeCause,
    VolumeFinding, VolumeReason,
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
    causes
}

fn why_it_is_still_there(case: &Case<'_>) -> Vec<VolumeFinding> {
    let volume = case.volume;
    let before = (volume.phase == VolumePhase::Failed).then(|| {
        let message = volume.message.clone();
        let message = message.unwrap_or_else(|| "it does not say why".to_owned());
        VolumeFinding::blocker(VolumeCause::ReclaimFailed { message })
    });
    match case.fate.result {
        FateResult::Retained => {
            let mut causes = vec![VolumeFinding::blocker(VolumeCause::PolicyRetain)];
            causes.extend(before);
            causes
        }
        FateResult::Failed => will_fail(volume)
            .map(VolumeFinding::blocker)
            .into_iter()
            .collect(),
        FateResult::LeftToProvisioner if volume.reclaim_policy == ReclaimPolicy::Delete => {
            before.into_iter().chain([foreign_deleter(case)]).collect()
        }
        FateResult::LeftToProvisioner => {
            let why = "policy Recycle, but CSI drivers only delete: nobody empties it";
            let why = why.to_owned();
            vec![VolumeFinding::blocker(VolumeCause::NoRecycler { why })]
        }
        FateResult::Recycled => {
            let pods = recycling_waits_for(case.state, volume);
            let waits = (!pods.is_empty()).then_some(VolumeCause::InUse {
                pods,
                recycling: true,
            });
            let waits = waits.map(VolumeFinding::blocker);
            before.into_iter().chain(waits).collect()
        }
        FateResult::Deleted => before.into_iter().collect(),
    }
}

fn foreign_deleter(case: &Case<'_>) -> VolumeFinding {
    let by = case
        .deleter()
        .unwrap_or_else(|| "its CSI driver".to_owned());
    let presence = presence_of(case.state, &by);
    let said = last_failure(case.state, case.volume).map(|event| event.message.clone());
    let weighs = match (presence, &said) {
        (DeleterPresence::NotSeen, _) => VolumeFinding::blocker,
        (_, Some(_)) => VolumeFinding::warning,
        _ => VolumeFinding::note,
    };
    weighs(VolumeCause::ForeignDeleter { by, presence, said })
}

/// Whether a provisioner is there now. Volumes it made prove only that it once was.
fn presence_of(state: &ClusterState, name: &str) -> DeleterPresence {
    let objects = state.objects();
    let seen = objects.csi_drivers.iter().any(|driver| driver.name == name)
        || objects
            .csi_nodes
            .iter()
            .any(|node| node.drivers.iter().any(|driver| driver == name))
        || objects.events.iter().any(|event| is_by(event, name));
    let could_be_seen =
        state.saw(Kind::CsiDrivers, None) && state.saw(Kind::CsiNodes, None) && !name.contains('/');
    match (seen, could_be_seen) {
        (true, _) => DeleterPresence::Seen,
        (false, true) => DeleterPresence::NotSeen,
        (false, false) => DeleterPresence::Unknown,
    }
}

/// It has an owner.
fn held(case: &Case<'_>) -> Vec<VolumeFinding> {
    let mut causes: Vec<VolumeFinding> = will_fail(case.volume)
        .filter(|_| case.fate.result == FateResult::Failed)
        .map(VolumeFinding::warning)
        .into_iter()
        .collect();
    if let Some(claim) = case.claim_ref.claim() {
        causes.push(VolumeFinding::note(VolumeCause::ClaimExists { claim }));
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
        attachments: case
            .attachments
            .iter()
            .map(crate::report::AttachmentSummary::spelled)
            .collect(),
    }
}

/// Nobody has it yet; it may be kept for somebody.
fn free(case: &Case<'_>) -> Vec<VolumeFinding> {
    let mut causes = kept_for_somebody(case);
    causes.extend(
        will_fail(case.volume)
            .filter(|_| case.fate.result == FateResult::Failed)
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
        let what = vec![Kind::Claims.resource().to_owned()];
        VolumeFinding::warning(VolumeCause::NotReadable { what })
    })
}

/// Why reclaiming it fails, in words people use (upstream's are in the event).
pub(super) fn will_fail(volume: &Volume) -> Option<VolumeCause> {
    let field = volume.source.field.as_str();
    Some(match &volume.reclaim_policy {
        ReclaimPolicy::Retain => return None,
        ReclaimPolicy::Other(name) => VolumeCause::ReclaimFailed {
            message: format!("policy {name} is none that Kubernetes knows"),
        },
        ReclaimPolicy::Recycle => VolumeCause::NoRecycler {
            why: format!(
                "policy Recycle, but the controller empties hostPath and nfs volumes only, not {field}"
            ),
        },
        ReclaimPolicy::Delete => VolumeCause::NoDeleter {
            why: format!("policy Delete, but {}", nobody_deletes(volume, field)),
        },
    })
}

fn nobody_deletes(volume: &Volume, field: &str) -> String {
    let path = volume.source.location.as_deref().unwrap_or("nowhere");
    match (volume.provisioned_by(), field) {
        (Some(HOST_PATH) | None, "hostPath") => {
            format!("the controller deletes hostPath volumes in a /tmp/ only, not {path}")
        }
        (Some(HOST_PATH), _) => {
            format!("{HOST_PATH} is to delete it, which deletes no {field} volumes")
        }
        (Some(name), _) if name.starts_with(IN_TREE_PREFIX) && name != NFS => {
            format!("{name} is to delete it, which nothing implements")
        }
        _ => format!("no provisioner made it and the controller deletes no {field} volumes"),
    }
}
