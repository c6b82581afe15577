//! Which volumes `reclaim` is about: those that were named, or those that the flags select.

use super::Args;
use crate::actions::reclaim::{ChosenVolume, Wish};
use crate::commands::explain::not_found_among;
use crate::conventions::annotations::{OWN_DELETION, RECYCLING};
use crate::engine::phases::{Phases, view};
use crate::error::CommandError;
use crate::model::{Claim, ClusterState, Kind, Volume, VolumePhase};

/// The volumes that are meant, as they are now.
pub(super) fn choose(
    args: &Args,
    (names, namespace): (&[String], Option<&str>),
    state: &ClusterState,
) -> Result<Vec<ChosenVolume>, CommandError> {
    if !state.saw(Kind::Volumes, None) {
        return Err(CommandError::unanswered(
            "you may not list persistentvolumes",
        ));
    }
    if names.is_empty() {
        let volumes = state.volumes().iter();
        let chosen = volumes.filter(|volume| is_chosen(args, namespace, state, volume));
        let mut chosen: Vec<ChosenVolume> = chosen.map(ChosenVolume::from).collect();
        chosen.sort_by(|one, other| one.name.cmp(&other.name));
        return Ok(chosen);
    }
    let find = |name: &String| {
        let found = state.find_volume(name).map(ChosenVolume::from);
        found.ok_or_else(|| {
            let all = state.volumes().iter().map(|volume| volume.name.as_str());
            not_found_among("volume", name, "", all)
        })
    };
    names.iter().map(find).collect()
}

fn is_chosen(args: &Args, namespace: Option<&str>, state: &ClusterState, volume: &Volume) -> bool {
    let is_of_class = args
        .class
        .as_ref()
        .is_none_or(|class| class == volume.class());
    // A lock that an interrupted run left on a volume that was released or bound since is removed.
    let is_locked = args.wish() == Wish::CarryOut && volume.has_annotation(RECYCLING);
    let is_meant = !args.all_released || is_locked || is_released(state, volume);
    is_within(namespace, volume) && is_labelled(args, volume) && is_of_class && is_meant
}

/// A volume belongs to the namespace of its claimRef; without one it is in no namespace.
fn is_within(namespace: Option<&str>, volume: &Volume) -> bool {
    namespace.is_none_or(|namespace| volume.claim_namespace() == Some(namespace))
}

fn is_labelled(args: &Args, volume: &Volume) -> bool {
    let selector = args.selector.as_ref();
    selector.is_none_or(|selector| selector.matches(&volume.labels))
}

/// Why the selection cannot be what was meant: nothing has that class, or those labels. A protective command that did nothing
/// must not look like success.
pub(super) fn find_empty_selection(
    args: &Args,
    names: &[String],
    namespace: Option<&str>,
    state: &ClusterState,
) -> Option<String> {
    if !names.is_empty() {
        return None;
    }
    let volumes = || {
        let all = state.volumes().iter();
        all.filter(|volume| is_within(namespace, volume))
    };
    let wherein = namespace.map_or(String::new(), |name| format!(" of namespace {name}"));
    if let Some(class) = &args.class {
        let is_here = |claim: &&Claim| namespace.is_none_or(|name| claim.key.namespace == name);
        let mut claims = state.claims().iter().filter(is_here);
        let is_used = volumes().any(|volume| volume.class() == class)
            || claims.any(|claim| claim.class.resolved() == class)
            || state.find_class(class).is_some();
        if !is_used {
            return Some(format!(
                "no volume and no claim{wherein} has class {class}, and no such class exists"
            ));
        }
    }
    if args.selector.is_some() && !volumes().any(|volume| is_labelled(args, volume)) {
        return Some(format!("no volume{wherein} has these labels"));
    }
    None
}

/// Its claim is gone, or kubectl pv has begun to delete it.
fn is_released(state: &ClusterState, volume: &Volume) -> bool {
    let is_locked =
        volume.deleted.is_some() && volume.finalizers.iter().any(|name| name == OWN_DELETION);
    let phase = view(state, volume, Phases::Settled).phase;
    let is_half_free = matches!(volume.phase, VolumePhase::Released | VolumePhase::Failed)
        && phase == VolumePhase::Available;
    is_locked || is_half_free || matches!(phase, VolumePhase::Released | VolumePhase::Failed)
}
