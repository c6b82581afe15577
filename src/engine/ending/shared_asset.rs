//! Other volumes on an asset: nothing is deleted or emptied while one of them lies where it lies, above it or below it.

use crate::model::{ClusterState, Volume, VolumeSource};

/// A volume, besides the one of this name, that stands for the asset of this source as well.
pub fn find_sharer<'a>(
    state: &'a ClusterState,
    source: &VolumeSource,
    own: &str,
) -> Option<&'a Volume> {
    state.find_sharer(source, own)
}
