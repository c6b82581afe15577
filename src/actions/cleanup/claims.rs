//! A claim that is lost, or that nobody uses, goes; what that means for the data of its volume is said.

use super::super::draft::Draft;
use super::super::plan::{Deed, Errand, Loss, Target};
use super::super::recheck::Recheck;
use super::{key_of, leave_unread};
use crate::engine::lifecycle::{find_removal, on_release};
use crate::model::{Claim, Kind, Volume};
use crate::report::{CleanupCategory, CleanupFinding, Code, Danger, FateResult};

pub(super) fn plan(draft: &mut Draft, row: &CleanupFinding) {
    let key = key_of(&row.object);
    let Some(claim) = draft.state.find_claim(&key).cloned() else {
        return;
    };
    if !draft.state.saw(Kind::Volumes, None) {
        return leave_unread(draft, row, "persistentvolumes");
    }
    let volume = volume_of(draft, &claim);
    let (fate, loses) = match &volume {
        Some(volume) => what_becomes_of(volume),
        None => ("no volume goes with it".to_owned(), false),
    };
    let lost = volume.as_ref().filter(|_| loses).map(|volume| Loss {
        size: volume.capacity.to_string(),
        of: Some(key.clone()),
    });
    if let Some(volume) = volume.as_ref().filter(|volume| volume.deleted.is_some()) {
        let target = Target::volume(&volume.name, volume.uid.as_ref());
        draft.warn(target, Code::BeingDeleted, fate.clone());
    }
    draft.begin(Errand {
        claim: Some(key.clone()),
        volume: volume.map(|volume| volume.name).unwrap_or_default(),
        what: format!("deleted: {}; {fate}", row.reason),
        deed: Deed::DeleteClaim(lost),
    });
    let recheck = match (row.category, &claim.volume_name) {
        (CleanupCategory::LostClaims, Some(name)) if draft.state.find_volume(name).is_none() => {
            Some(Recheck::NoVolume(name.clone()))
        }
        (CleanupCategory::LostClaims, _) => None,
        _ => Some(Recheck::NoPodUses {
            claim: key.clone(),
            node: None,
        }),
    };
    let target = Target::claim(&key, claim.uid.as_ref());
    if let Some(recheck) = recheck {
        draft.recheck(target, recheck);
    }
    let change = draft.delete((&claim).into(), vec![], row.reason.clone());
    change.danger = if loses {
        Danger::LosesData
    } else {
        Danger::Reversible
    };
}

/// The volume that is the claim's, and becomes nobody's.
fn volume_of(draft: &Draft, claim: &Claim) -> Option<Volume> {
    let volume = draft.state.find_volume(claim.volume_name.as_ref()?)?;
    let reference = volume.claim_ref.as_ref()?;
    reference.designates(claim).then(|| volume.clone())
}

/// What becomes of it, as a clause, and whether its data is lost.
fn what_becomes_of(volume: &Volume) -> (String, bool) {
    let name = &volume.name;
    let policy = &volume.reclaim_policy;
    if let Some(removal) = find_removal(volume) {
        let clause = removal.clause(&policy.to_string());
        let text = format!("its volume {name} is being deleted: {clause}");
        return (text, removal.may_lose_data());
    }
    let fate = on_release(volume);
    let by = fate.by_or("its maker");
    match fate.result() {
        FateResult::Retained => (
            format!("its volume {name} stays Released, data and all (policy {policy})"),
            false,
        ),
        FateResult::Deleted | FateResult::LeftToProvisioner => (
            format!("its volume {name} goes with it, data and all (policy {policy}, by {by})"),
            true,
        ),
        FateResult::Recycled => (
            format!("its volume {name} is emptied (policy {policy}, by {by})"),
            true,
        ),
        // A backend of ours may yet do what the controller cannot.
        FateResult::Failed => (
            format!(
                "its volume {name} is to be deleted (policy {policy}), which Kubernetes cannot do: {}",
                fate.clause()
            ),
            true,
        ),
    }
}
