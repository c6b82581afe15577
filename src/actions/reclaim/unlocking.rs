//! Our lock was written, and then somebody else got the volume: the lock goes again, so that it is theirs as it was,
//! and so does every pod of ours.

use super::super::delete_behind_lock::without_lock;
use super::super::draft::Draft;
use super::super::plan::{Deed, Errand};
use super::by_pod::clear_all_away;
use super::recycling::policy_before;
use crate::conventions::annotations::{OWN_DELETION, RECYCLER_POD, RECYCLING};
use crate::engine::ending::find_own_recyclers;
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
        if volume.has_annotation(RECYCLER_POD) {
            body["metadata"]["annotations"][RECYCLER_POD] = Value::Null;
        }
        if volume.reclaim_policy == ReclaimPolicy::Retain {
            let before = policy_before(volume);
            body["spec"] = json!({ "persistentVolumeReclaimPolicy": before });
        }
    }
    let is_locked = !body["metadata"].is_null();
    if !is_locked && find_own_recyclers(&draft.state, volume).is_empty() {
        return;
    }
    draft.begin(Errand {
        claim: None,
        volume: volume.name.clone(),
        what: format!("unlocked: {why}"),
        deed: Deed::GiveBack,
    });
    clear_all_away(draft, volume);
    if is_locked {
        draft.patch(volume.into(), None, body, why.to_owned());
    }
}
