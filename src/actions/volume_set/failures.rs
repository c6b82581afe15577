//! What is still to be done when something went wrong for good: an asset whose volume could not be saved goes again, the set is told
//! why, and its note of what is being done is taken back.

use super::super::draft::Draft;
use super::super::event::{Happening, News, tell_of_set};
use super::super::memory::{Failed, Failure, Memory};
use super::super::operation::{Part, Patch};
use super::super::plan::{Deed, Errand, Plan};
use super::super::take_back::roll_back;
use super::COMMAND;
use super::recording::{condition, told};
use crate::model::{ClusterState, VolumeSet};
use serde_json::{Value, json};

/// Plans for the failures so far, and takes them off the list; `None` if there are none.
pub(crate) fn plan_failures(state: &ClusterState, memory: &mut Memory) -> Option<Plan> {
    let failures = std::mem::take(&mut memory.failures);
    if failures.is_empty() {
        return None;
    }
    let mut draft = Draft::new(state, COMMAND);
    for failure in failures {
        let set = failure.set.as_deref();
        if let Some(set) = set
            .and_then(|name| draft.state.find_volume_set(name))
            .cloned()
        {
            plan_one(&mut draft, &set, failure);
        }
    }
    Some(draft.plan)
}

fn plan_one(draft: &mut Draft, set: &VolumeSet, failure: Failure) {
    let Failure {
        volume,
        error,
        what,
        ..
    } = failure;
    let (news, reason, message) = match &what {
        Failed::Deleting | Failed::TakingBack => (
            News::MemberNotDeleted,
            "DeletionFailed",
            format!("Volume {volume} could not be deleted: {error}"),
        ),
        _ => (
            News::MemberNotMade,
            "CreationFailed",
            format!("Volume {volume} could not be made: {error}"),
        ),
    };
    draft.begin(Errand {
        claim: None,
        volume: volume.clone(),
        what: "its set is told what went wrong".to_owned(),
        deed: Deed::Record {
            set: set.name.clone(),
        },
    });
    let happening = Happening {
        news,
        volume: &volume,
        code: reason,
    };
    tell_of_set(draft, set, happening, &message);
    let is_ours = |name: &str| {
        set.status
            .in_progress
            .as_ref()
            .is_some_and(|it| it.volume == name)
    };
    let is_unmade = draft.state.find_volume(&volume).is_none();
    if let (Failed::Volume(made), true) = (&what, is_unmade) {
        let why = "its volume could not be saved";
        roll_back(draft, (**made).clone(), None, why);
    }
    let mut status = json!({});
    if is_ours(&volume) {
        status["inProgress"] = Value::Null;
    }
    // Nothing was ever made under that number.
    let ordinal = set.status.in_progress.as_ref().and_then(|it| it.ordinal);
    let was_last = ordinal.map(|ordinal| ordinal + 1) == set.status.next_ordinal;
    if matches!(what, Failed::Member) && is_unmade && is_ours(&volume) && was_last {
        status["nextOrdinal"] = json!(ordinal);
    }
    let failed = condition("Ready", false, reason, &message);
    let others = set.status.conditions.iter();
    let others = others.filter(|condition| condition.kind != "Ready");
    let conditions = std::iter::once(&failed).chain(others);
    status["conditions"] = conditions.map(|condition| told(set, condition)).collect();
    let body = json!({ "status": status });
    let why = "what went wrong".to_owned();
    draft.patch(set.into(), Patch::provided(Part::Status, body, vec![]), why);
}
