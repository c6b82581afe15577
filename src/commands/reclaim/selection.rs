//! Which volumes `reclaim` is about: those that were named, or those that the flags select.

use super::Args;
use crate::actions::reclaim::{ChosenVolume, Wish};
use crate::commands::explain::not_found_among;
use crate::commands::readable::check_listed;
use crate::conventions::annotations::{OWN_DELETION, RECYCLING};
use crate::engine::Selection;
use crate::engine::phases::{Phases, view};
use crate::error::CommandError;
use crate::model::{ClusterState, Kind, Volume, VolumePhase};

/// The volumes that are meant, as they are now.
pub(super) fn choose(
    args: &Args,
    selection: &Selection<'_>,
    names: &[String],
    state: &ClusterState,
) -> Result<Vec<ChosenVolume>, CommandError> {
    check_listed(state, Kind::Volumes, None)?;
    if names.is_empty() {
        let volumes = state.volumes().iter();
        let chosen = volumes.filter(|it| selection.takes(it) && is_meant(args, state, it));
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

/// Whether the volume is released, where only such volumes are meant.
fn is_meant(args: &Args, state: &ClusterState, volume: &Volume) -> bool {
    // A lock that an interrupted run left on a volume that was released or bound since is removed.
    let is_locked = args.wish() == Wish::CarryOut && volume.has_annotation(RECYCLING);
    !args.all_released || is_locked || is_released(state, volume)
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
