//! What is still to be done when something went wrong for good: an asset whose volume could not be saved goes again, and the
//! claim's owner hears why.

use super::super::asset_work::MadeAsset;
use super::super::draft::Draft;
use super::super::event::{Happening, News, tell};
use super::super::memory::{Failed, Failure, Memory};
use super::super::plan::{Deed, Errand, Plan};
use super::super::shared_asset::source_of_asset;
use super::super::take_back::roll_back;
use super::COMMAND;
use crate::engine::find_sharer;
use crate::model::ClusterState;

/// Plans for the failures so far, and takes them off the list; `None` if there are none.
pub(crate) fn plan_failures(state: &ClusterState, memory: &mut Memory) -> Option<Plan> {
    let failures = std::mem::take(&mut memory.failures);
    if failures.is_empty() {
        return None;
    }
    let mut draft = Draft::new(state, COMMAND);
    for failure in failures {
        plan_one(&mut draft, failure);
    }
    Some(draft.plan)
}

fn plan_one(draft: &mut Draft, failure: Failure) {
    let Failure {
        claim: Some(key),
        volume,
        error,
        what,
        set: _,
    } = failure
    else {
        return;
    };
    let sharer = match &what {
        Failed::Volume(made) => sharer(draft, made),
        _ => None,
    };
    let (news, message, told) = match &what {
        Failed::Asset => (News::Failed, error.clone(), "is told why not".to_owned()),
        Failed::Volume(_) if sharer.is_some() => (
            News::Failed,
            format!(
                "Error creating volume {volume} for claim {key}: {error}. Its asset is left: {} stands for it",
                sharer.as_deref().unwrap_or_default()
            ),
            "is told that the asset is another volume's".to_owned(),
        ),
        Failed::Volume(_) => (
            News::Failed,
            format!("Error creating volume {volume} for claim {key}: {error}. Deleting its asset"),
            format!("is taken back: its volume could not be saved ({error})"),
        ),
        // Those are told on volumes, by whoever reclaims them.
        Failed::Deleting | Failed::Scrubbing | Failed::Member => return,
        Failed::TakingBack => (
            News::CleanupFailed,
            format!("Asset {volume}, made for claim {key}, could not be deleted: {error}"),
            "is told what is left".to_owned(),
        ),
    };
    // A backend that refuses an asset is one happening, whether it refuses the plan or the creation: the code is the plan's.
    let code = match &what {
        Failed::TakingBack => "DeleteAsset",
        Failed::Volume(_) => "CreateVolume",
        _ => "ProvisioningFailed",
    };
    draft.begin(Errand {
        claim: Some(key.clone()),
        volume,
        what: told,
        deed: if matches!(what, Failed::Volume(_)) && sharer.is_none() {
            Deed::TakeBack
        } else {
            Deed::Tell
        },
    });
    if let Some(claim) = draft.state.find_claim(&key).cloned() {
        let happening = Happening {
            news,
            volume: "",
            code,
        };
        tell(draft, &claim, happening, &message);
    }
    if let (Failed::Volume(made), None) = (&what, &sharer) {
        let why = "its volume could not be saved".to_owned();
        roll_back(draft, (**made).clone(), None, &why);
    }
}

/// The volume that stands for the asset by now, whoever made it.
fn sharer(draft: &Draft, made: &MadeAsset) -> Option<String> {
    if draft.state.find_volume(made.name()).is_some() {
        return Some(made.name().to_owned());
    }
    let source = source_of_asset(&made.asset.as_ref()?.source);
    find_sharer(&draft.state, &source, "").map(|volume| volume.name.clone())
}
