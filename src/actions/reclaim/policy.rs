//! Another reclaim policy, before something risky or after it. A volume that nobody owns any more may be deleted the moment its
//! policy says so, and that is told.

use super::super::draft::Draft;
use super::super::operation::Patch;
use super::super::plan::{Deed, Errand};
use super::{ReclaimQuestion, leave};
use crate::conventions::annotations::{RECYCLER_POD, RECYCLING};
use crate::engine::ending::check_own_recyclers;
use crate::engine::own_marks::find_keep;
use crate::engine::phases::{Phases, view};
use crate::engine::refusal::{ReclaimEvidence, Refusal, Standing};
use crate::model::{ReclaimPolicy, Volume, VolumePhase};
use crate::report::{Danger, VolumeCause};
use serde_json::{Value, json};

pub(super) fn plan(
    draft: &mut Draft,
    volume: &Volume,
    policy: &ReclaimPolicy,
    question: &ReclaimQuestion<'_>,
) {
    let is_marked = volume.has_annotation(RECYCLING);
    if volume.reclaim_policy == *policy && !is_marked {
        if question.are_named {
            let policy = policy.clone();
            let refusal = Refusal::new(ReclaimEvidence::AlreadySet { policy });
            leave(draft, volume, refusal.standing(Standing::Fine));
        }
        return;
    }
    if let Err(left) = check_own_recyclers(&draft.state, volume) {
        return leave(draft, volume, left);
    }
    let deletes = *policy == ReclaimPolicy::Delete;
    let kept = find_keep(&draft.state, volume).filter(|_| deletes && !question.are_named);
    if let Some(on) = kept {
        return leave(draft, volume, Refusal::from(VolumeCause::OptOut { on }));
    }
    let phase = view(&draft.state, volume, Phases::Settled).phase;
    let is_released = matches!(phase, VolumePhase::Released | VolumePhase::Failed);
    let warning = format!(
        "it is {} already: whoever deletes such volumes deletes it at once, data and all",
        phase.name()
    );
    let goes = deletes && is_released;
    draft.begin(Errand {
        claim: None,
        volume: volume.name.clone(),
        what: format!("policy {} becomes {policy}", volume.reclaim_policy),
        deed: Deed::SetPolicy {
            warnings: goes.then_some(warning).into_iter().collect(),
        },
    });
    let mut body = json!({ "spec": { "persistentVolumeReclaimPolicy": policy.to_string() } });
    if is_marked {
        // What the policy was before we began to empty it does not count any more.
        body["metadata"]["annotations"] = json!({ RECYCLING: Value::Null });
        if volume.has_annotation(RECYCLER_POD) {
            body["metadata"]["annotations"][RECYCLER_POD] = Value::Null;
        }
    }
    let change = draft.patch(
        volume.into(),
        Patch::object(body),
        "it was asked for".to_owned(),
    );
    change.danger = if goes {
        Danger::LosesData
    } else {
        Danger::Reversible
    };
    let mut changed = volume.clone();
    changed.reclaim_policy = policy.clone();
    changed.annotations.remove(RECYCLING);
    changed.annotations.remove(RECYCLER_POD);
    draft.state.swap_volume(changed);
}
