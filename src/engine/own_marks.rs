//! The marks of kubectl pv on a volume: the annotation that keeps it, and the lock of a deletion that was begun.

use crate::conventions::annotations::{KEEP, OWN_DELETION};
use crate::model::{ClusterState, Volume};
use crate::report::KeepMark;

/// What carries the annotation that keeps the volume: the volume, or the claim that its claimRef names.
pub(crate) fn find_keep(state: &ClusterState, volume: &Volume) -> Option<KeepMark> {
    if volume.has_annotation(KEEP) {
        return Some(KeepMark::Volume);
    }
    let claim = state.find_claim(&volume.claim_ref.as_ref()?.key())?;
    let is_kept = claim.annotations.contains_key(KEEP);
    is_kept.then(|| KeepMark::Claim(claim.key.clone()))
}

/// Whether our lock for deleting is written, so that a rerun goes on where one stopped.
pub(crate) fn is_locked(volume: &Volume) -> bool {
    volume.deleted.is_some() && volume.finalizers.iter().any(|name| name == OWN_DELETION)
}
