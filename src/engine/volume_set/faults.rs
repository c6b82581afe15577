//! What keeps a set from being reconciled at all: it is written in a way that cannot be kept, or another set counts the same
//! volumes.

use super::problems::{volume_set_overlap, volume_set_problems};
use crate::model::{ClusterState, VolumeSet};

/// The first thing that is wrong with a set, as a clause.
pub fn find_set_fault(state: &ClusterState, set: &VolumeSet) -> Option<String> {
    let problem = volume_set_problems(set).into_iter().next();
    let problem = problem.map(|error| match error.field {
        Some(field) => format!("{field}: {}", error.kind),
        None => error.kind.to_string(),
    });
    problem.or_else(|| {
        let overlap = volume_set_overlap(state, set)?;
        Some(format!("{}: {}", overlap.field, overlap.message))
    })
}
