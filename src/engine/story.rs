//! The story of a bound claim: how it came to its volume, who uses it, what becomes of the data.

use super::consumers::{Consumers, find_owner};
use super::lifecycle::{find_removal, on_release};
use crate::conventions::annotations;
use crate::model::{Claim, ClusterState, Volume};
use crate::report::{Consumer, DataFate, Fate, FateResult, Reclaimer, Removal, Story};

/// Tells the story of a claim and the volume it holds.
pub(crate) fn tell(state: &ClusterState, claim: &Claim, volume: &Volume) -> Story {
    let (how, how_text) = how_bound(claim, volume);
    let fate = on_release(volume);
    let removal = find_removal(volume);
    let used_by = Consumers::find(state, &claim.key).map(|consumers| {
        let alive = consumers.scheduled.iter().chain(&consumers.unscheduled);
        alive
            .map(|pod| Consumer {
                pod: pod.key.name.clone(),
                node: pod.node_name.clone(),
            })
            .collect()
    });
    let is_idle = used_by.as_ref().is_some_and(Vec::is_empty);
    let kept_for = is_idle.then(|| find_owner(state, &claim.key)).flatten();
    let holds = claim
        .capacity
        .as_ref()
        .unwrap_or(&volume.capacity)
        .to_string();
    Story {
        how,
        how_text,
        holds: Some(holds),
        used_by,
        kept_for,
        on_deletion: match removal {
            Some(Removal::DataStays) => FateResult::Retained,
            _ => fate.result(),
        },
        on_deletion_text: when_deleted(state, volume, &fate, removal.as_ref()),
        data: match &removal {
            Some(removal) => removal.data(),
            None if volume.is_unwatched() && fate.result() == FateResult::LeftToProvisioner => {
                DataFate::Kept
            }
            None => fate.data(),
        },
    }
}

fn when_deleted(
    state: &ClusterState,
    volume: &Volume,
    fate: &Fate,
    removal: Option<&Removal>,
) -> String {
    let policy = &volume.reclaim_policy;
    if let Some(removal) = removal {
        return removal.clause(&policy.to_string());
    }
    let why = fate.clause();
    match fate {
        Fate::Retained => format!("the data stays: {why}"),
        Fate::DirectoryRemoved => format!("the data is destroyed by the controller: {why}"),
        Fate::Recycled => {
            format!("the data is destroyed and the volume offered again: {why}")
        }
        Fate::Failed(_) => format!("the volume ends Failed, its data untouched: {why}"),
        Fate::LeftToMigratedDriver { .. }
        | Fate::LeftToProvisioner { .. }
        | Fate::LeftToCsiDriver { .. } => {
            let by = fate.by();
            let by = by.as_ref().map_or("nobody", Reclaimer::subject);
            if volume.is_unwatched() {
                return format!(
                    "the data stays until {by} is told to delete it: nobody watches what kubectl pv has made (policy {policy})"
                );
            }
            let outcome = match fate.data() {
                DataFate::Destroyed => "destroys the data",
                DataFate::Kept | DataFate::Unknown => "keeps it",
            };
            let class = class_says(state, volume);
            format!("{by} decides, and with policy {policy} {outcome}{class}")
        }
    }
}

/// A class's own policy is copied when a volume is made, and never looked at again.
pub(super) fn class_says(state: &ClusterState, volume: &Volume) -> String {
    let class = state.find_class(volume.class());
    match class.filter(|class| class.reclaim_policy != volume.reclaim_policy.to_string()) {
        Some(class) => format!(
            " (class {} says {}, which counts only for volumes it makes from now on)",
            class.name, class.reclaim_policy
        ),
        None => String::new(),
    }
}

/// Annotations tell who wrote which side of the bind (R50, R51).
fn how_bound(claim: &Claim, volume: &Volume) -> (&'static str, String) {
    let name = &volume.name;
    // A volume that was handed on keeps the name of its maker, but not the uid of this claim in its own name (A52).
    let is_named_for_it = claim
        .uid
        .as_ref()
        .is_some_and(|uid| name.contains(uid.as_str()));
    if let Some(provisioner) = volume.provisioned_by().filter(|_| is_named_for_it) {
        return (
            "MadeForIt",
            format!("{name} was made for it by {provisioner}"),
        );
    }
    if !claim.has_annotation(annotations::BOUND_BY_CONTROLLER) {
        return ("Named", format!("it names {name} itself (spec.volumeName)"));
    }
    if !volume.has_annotation(annotations::BOUND_BY_CONTROLLER) {
        return (
            "ReservedForIt",
            format!("{name} was reserved for it (claimRef)"),
        );
    }
    let how = format!("the controller, or kubectl pv bind, matched it with {name}");
    ("Matched", how)
}
