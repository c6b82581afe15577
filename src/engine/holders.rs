//! The finalizers of a volume: who put each there, and what it waits for before the volume can go (R122, R123).

use super::attachments;
use super::lifecycle::{on_release, phase_in_the_end};
use super::reclaimers::find_deleter;
use crate::conventions::annotations;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClaimRef, ClusterState, ReclaimPolicy, Volume, VolumePhase};
use crate::report::{AttachmentSummary, Fate, FinalizerHold, join_and};

/// A volume, and what its finalizers wait for.
struct Case<'a> {
    state: &'a ClusterState,
    volume: &'a Volume,
    /// The phase that it settles in.
    phase: VolumePhase,
    fate: Fate,
    attachments: Vec<AttachmentSummary>,
}

/// Every finalizer, in the order in which the volume has them.
pub(crate) fn find_holders(state: &ClusterState, volume: &Volume) -> Vec<FinalizerHold> {
    let case = Case {
        state,
        volume,
        phase: phase_in_the_end(state, volume),
        fate: on_release(volume),
        attachments: attachments::of_volume(state, volume),
    };
    let finalizers = volume.finalizers.iter();
    finalizers
        .map(|finalizer| explain(&case, finalizer))
        .collect()
}

fn explain(case: &Case<'_>, finalizer: &str) -> FinalizerHold {
    let (by, waits_for) = match finalizer {
        annotations::VOLUME_PROTECTION => (
            Some("kube-controller-manager".to_owned()),
            until_unbound(case),
        ),
        annotations::CONTROLLER_DELETION => (
            Some("kube-controller-manager".to_owned()),
            until_controller_deleted_it(case),
        ),
        annotations::PROVISIONER_DELETION => {
            let by = find_deleter(case.volume).map(str::to_owned);
            let waits_for = until_provisioner_deleted_it(case, by.as_deref());
            (Some(by.unwrap_or_else(|| "its external provisioner".to_owned())), waits_for)
        }
        annotations::OWN_DELETION => (
            Some("kubectl pv".to_owned()),
            "until its storage is deleted; the command that began it finishes it when it is run again".to_owned(),
        ),
        other => match other.strip_prefix(annotations::ATTACHER_PREFIX) {
            Some(driver) => (
                Some(format!("the external-attacher of {driver}")),
                until_detached(case),
            ),
            None => (
                None,
                "until whoever put it there takes it away; Kubernetes itself never does".to_owned(),
            ),
        },
    };
    FinalizerHold {
        finalizer: finalizer.to_owned(),
        by,
        waits_for,
    }
}

/// The claim that its claimRef names.
fn claim_of(volume: &Volume) -> Option<ObjectKey> {
    let reference = volume.claim_ref.as_ref();
    reference.filter(|it| !it.is_empty()).map(ClaimRef::key)
}

fn until_unbound(case: &Case<'_>) -> String {
    match (case.phase, claim_of(case.volume)) {
        (VolumePhase::Bound, Some(claim)) => {
            format!("until it is no longer Bound, so until {claim} is gone")
        }
        _ => "until it is no longer Bound, and it is not Bound".to_owned(),
    }
}

/// The controller deletes the storage of released volumes only: one that is deleted by hand before that, or that it cannot
/// delete, keeps the finalizer for ever (R81d).
fn until_controller_deleted_it(case: &Case<'_>) -> String {
    let until = "until the controller has deleted its storage";
    if case.volume.reclaim_policy != ReclaimPolicy::Delete {
        return "until the controller looks at it again: it matters with policy Delete only"
            .to_owned();
    }
    match (case.phase, &case.fate) {
        (VolumePhase::Bound, _) => format!("{until}, which it does when the claim is gone"),
        (VolumePhase::Released, Fate::DirectoryRemoved) => format!("{until}, which it is about to"),
        (VolumePhase::Released | VolumePhase::Failed, _) => format!("{until}, which it cannot"),
        _ => {
            format!("{until}, which it does for released volumes only: this one was never claimed")
        }
    }
}

/// External provisioners act when the phase is Released and the policy Delete, and let go when the policy is another.
fn until_provisioner_deleted_it(case: &Case<'_>, by: Option<&str>) -> String {
    let by = by.unwrap_or("its provisioner");
    if case.volume.reclaim_policy != ReclaimPolicy::Delete {
        return format!("until {by} looks at it again: it matters with policy Delete only");
    }
    let until = format!("until {by} has deleted its storage");
    match case.phase {
        VolumePhase::Bound => format!("{until}, which it does when the claim is gone"),
        VolumePhase::Released => until,
        _ => format!(
            "{until}, which it does for Released volumes only, not for one that is {}",
            case.phase
        ),
    }
}

fn until_detached(case: &Case<'_>) -> String {
    if case.attachments.is_empty() {
        return if case.state.saw(crate::model::Kind::Attachments, None) {
            "until nothing attaches it, and nothing does".to_owned()
        } else {
            "until no VolumeAttachment names it; which there are could not be seen".to_owned()
        };
    }
    let spelled: Vec<String> = case
        .attachments
        .iter()
        .map(|attachment| {
            let error = attachment.error.as_ref();
            let error = error.map(|error| format!(" ({error})")).unwrap_or_default();
            format!("{}{error}", attachment.spelled())
        })
        .collect();
    let (noun, verb) = if spelled.len() == 1 {
        ("VolumeAttachment", "does")
    } else {
        ("VolumeAttachments", "do")
    };
    let spelled = join_and(&spelled);
    format!("until nothing attaches it, and {noun} {spelled} still {verb}")
}
