//! What keeps a set from being reconciled at all: it is written in a way that cannot be kept.

use crate::model::{ClusterState, VolumeSet};

/// The first thing that is wrong with a set, as a sentence.
pub fn find_set_fault(_state: &ClusterState, set: &VolumeSet) -> Option<String> {
    if set.selector.is_empty() {
        return Some("spec.selector: it selects nothing in particular".to_owned());
    }
    None
}
