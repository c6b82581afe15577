//! Our lock was written, and then somebody else got the volume: the lock goes again, so that it is theirs as it was.

use super::super::delete_behind_lock::without_lock;
use super::super::draft::Draft;
use super::super::plan::{Deed, Errand};
use super::recycling::policy_before;
use crate::conventions::annotations::{OWN_DELETION, RECYCLING};
use crate::model::{ReclaimPolicy, Volume};
use serde_json::{Value, json};

/// Plans to take our locks off a volume that is not being deleted; one that is stays locked until its asset is gone.
pub(super) fn plan(draft: &mut Draft, volume: &Volume, why: &str) {
    if volume.deleted.is_some() {
        return;
    }
    let mut body = json!({});
    if volume.finalizers.iter().any(|name| name == OWN_DELETION) {
        body["metadata"]["finalizers"] = json!(without_lock(volume));
    }
    if volume.has_annotation(RECYCLING) {
        body["metadata"]["annotations"] = json!({ RECYCLING: Value::Null });
        if volume.reclaim_policy == ReclaimPolicy::Retain {
            let before = policy_before(volume);
            body["spec"] = json!({ "persistentVolumeReclaimPolicy": before });
        }
    }
    if body["metadata"].is_null() {
        return;
    }
    draft.begin(Errand {
        claim: None,
        volume: volume.name.clone(),
        what: format!("unlocked: {why}"),
        deed: Deed::GiveBack,
    });
    draft.patch(volume.into(), None, body, why.to_owned());
}
