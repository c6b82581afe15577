//! Our lock was written, and then somebody else got the volume, or wants it kept: the lock goes again, so that it is as it was,
//! and so does every pod of ours.

use super::super::delete_behind_lock::without_lock;
use super::super::draft::Draft;
use super::super::operation::Patch;
use super::super::plan::{Deed, Errand};
use super::by_pod::clear_all_away;
use super::recycling::policy_before;
use crate::conventions::annotations::{OWN_DELETION, RECYCLER_POD, RECYCLING};
use crate::engine::ending::find_own_recyclers;
use crate::engine::refusal::Refusal;
use crate::model::{ReclaimPolicy, Volume};
use crate::report::Code;
use serde_json::{Value, json};

/// Plans to take our locks off a volume that is left alone, as far as they serve nothing any more.
pub(super) fn plan_for(draft: &mut Draft, volume: &Volume, refusal: &Refusal) {
    match refusal.code() {
        Code::ClaimExists | Code::NotReleased | Code::OptOut => {
            plan(draft, volume, &refusal.message());
        }
        // What was begun to be emptied stays so, for the next run; what was to be deleted is whole, and nobody may need to delete it.
        Code::PolicyRetain
        | Code::InUse
        | Code::Attached
        | Code::HeldByFinalizer
        | Code::SharedAsset => {
            take_off(draft, volume, lock_off(volume), &refusal.message());
        }
        _ => {}
    }
}

/// Plans to take our locks off a volume that somebody else has.
pub(super) fn plan(draft: &mut Draft, volume: &Volume, why: &str) {
    let mut body = lock_off(volume);
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
    if volume.deleted.is_none() && !find_own_recyclers(&draft.state, volume).is_empty() {
        begin(draft, volume, why);
        clear_all_away(draft, volume);
    }
    take_off(draft, volume, body, why);
}

fn lock_off(volume: &Volume) -> Value {
    let is_locked = volume.finalizers.iter().any(|name| name == OWN_DELETION);
    if is_locked {
        json!({ "metadata": { "finalizers": without_lock(volume) } })
    } else {
        json!({})
    }
}

/// One that is being deleted stays locked until its asset is gone.
fn take_off(draft: &mut Draft, volume: &Volume, body: Value, why: &str) {
    if volume.deleted.is_none() && !body["metadata"].is_null() {
        begin(draft, volume, why);
        draft.patch(volume.into(), Patch::object(body), why.to_owned());
    }
}

fn begin(draft: &mut Draft, volume: &Volume, why: &str) {
    draft.begin(Errand {
        claim: None,
        volume: volume.name.clone(),
        what: format!("unlocked: {why}"),
        deed: Deed::GiveBack,
    });
}
