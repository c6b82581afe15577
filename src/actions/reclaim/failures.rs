//! What went wrong with an asset is told on its volume, as the controller does. The volume stays locked, and the next run goes on.

use super::super::draft::Draft;
use super::super::event::{Happening, News, tell_of_volume};
use super::super::memory::{Failed, Memory};
use super::super::plan::{Deed, Errand, Plan};
use super::COMMAND;
use crate::model::ClusterState;

/// Plans for the failures so far, and takes them off the list; `None` if there are none.
pub(crate) fn plan_failures(state: &ClusterState, memory: &mut Memory) -> Option<Plan> {
    let failures = std::mem::take(&mut memory.failures);
    if failures.is_empty() {
        return None;
    }
    let mut draft = Draft::new(state, COMMAND);
    for failure in failures {
        let (news, message) = match failure.what {
            Failed::Deleting => (News::DeletionFailed, failure.error),
            Failed::Scrubbing => (
                News::RecyclingFailed,
                format!("Recycle failed: {}", failure.error),
            ),
            _ => continue,
        };
        if let Some(volume) = draft.state.find_volume(&failure.volume).cloned() {
            draft.begin(Errand {
                claim: None,
                volume: failure.volume,
                what: "is told what went wrong".to_owned(),
                deed: Deed::Tell,
            });
            let what = Happening {
                news,
                volume: "",
                code: "",
            };
            tell_of_volume(&mut draft, &volume, what, &message);
        }
    }
    Some(draft.plan)
}
