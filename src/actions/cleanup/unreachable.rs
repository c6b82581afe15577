//! A volume that is pinned to nodes that do not exist: its object is deleted and nothing else. No backend is asked, and the data
//! stays on its disk. A later run lists the asset under `leaked-assets` if it has a record.
//!
//! Volumes that a claim, a reservation, a pod, an attachment or a finalizer holds are skipped.

use super::super::draft::Draft;
use super::super::plan::{Deed, Errand};
use super::{leave, leave_unread};
use crate::conventions::annotations::VOLUME_PROTECTION;
use crate::engine::phases::{Phases, view};
use crate::engine::refusal::CleanupEvidence;
use crate::engine::volume_users::find_users;
use crate::model::{ClusterState, Kind, ReclaimPolicy, Volume, VolumePhase};
use crate::report::{CleanupFinding, Danger};

/// Finalizers of components that delete the storage behind a volume.
const DELETERS: [&str; 2] = [
    "external-provisioner.volume.kubernetes.io/finalizer",
    "kubernetes.io/pv-controller",
];

pub(super) fn plan(draft: &mut Draft, row: &CleanupFinding) {
    let found = draft.state.find_volume(&row.object.name);
    let Some(volume) = found.cloned() else {
        return;
    };
    // Carrying out its policy sees to all of it.
    let mut errands = draft.plan.errands.iter();
    if errands.any(|errand| errand.claim.is_none() && errand.volume == volume.name) {
        return;
    }
    let mut finalizers = volume.finalizers.iter();
    if let Some(deleter) = finalizers.find(|name| DELETERS.contains(&name.as_str())) {
        let finalizer = deleter.clone();
        return leave(draft, row, CleanupEvidence::OtherDeleter { finalizer });
    }
    if let Some(holder) = find_holder(&draft.state, &volume) {
        return leave(draft, row, holder);
    }
    if volume.reclaim_policy != ReclaimPolicy::Delete {
        let policy = volume.reclaim_policy;
        return leave(draft, row, CleanupEvidence::NotDeleted { policy });
    }
    if let Some(reference) = volume.claim_ref.as_ref().filter(|it| !it.is_empty()) {
        for kind in [Kind::Claims, Kind::Pods] {
            if !draft.state.saw(kind, Some(&reference.namespace)) {
                return leave_unread(draft, row, kind.resource());
            }
        }
    }
    if !draft.state.saw(Kind::Attachments, None) {
        return leave_unread(draft, row, Kind::Attachments.resource());
    }
    draft.begin(Errand {
        claim: None,
        volume: volume.name.clone(),
        what: format!(
            "only the object is deleted: {}; its data stays on its disk",
            row.reason
        ),
        deed: Deed::DeleteObject,
    });
    let change = draft.delete((&volume).into(), vec![], row.reason.clone());
    change.danger = Danger::Reversible;
}

/// Who may still want it.
fn find_holder(state: &ClusterState, volume: &Volume) -> Option<CleanupEvidence> {
    let settled = view(state, volume, Phases::Settled);
    if let Some(reference) = settled.claim_ref.filter(|it| !it.is_empty()) {
        let key = reference.key();
        if state
            .find_claim(&key)
            .is_some_and(|it| reference.designates(it))
        {
            return Some(CleanupEvidence::HeldByClaim { claim: key });
        }
        if !matches!(settled.phase, VolumePhase::Released | VolumePhase::Failed) {
            return Some(CleanupEvidence::Reserved { claim: key });
        }
    }
    let pods = find_users(state, volume);
    if !pods.is_empty() {
        return Some(CleanupEvidence::NamedByPods { pods });
    }
    let mut attachments = state.objects().attachments.iter();
    let attached = attachments.find(|it| it.volume.as_ref() == Some(&volume.name));
    if let Some(attachment) = attached {
        return Some(CleanupEvidence::Attached {
            node: attachment.node.clone(),
            attachment: attachment.name.clone(),
        });
    }
    let mut finalizers = volume.finalizers.iter();
    let foreign = finalizers.find(|name| *name != VOLUME_PROTECTION)?;
    let finalizer = foreign.clone();
    Some(CleanupEvidence::HeldByFinalizer { finalizer })
}
