//! Pools of volumes (seed 002): who is a member of a set, what each counts as, and how far the set is from what it asks for.
//!
//! The seed makes volumes while `total <= maximum`, which ends one above the maximum; here it is `total < maximum`.

mod faults;
pub(crate) mod problems;
pub mod serving;

pub use faults::find_set_fault;

use super::phases::{Phases, view};
use crate::model::{ClusterState, Kind, Volume, VolumePhase, VolumeSet};
use crate::report::CountsAs;
use std::cmp::Ordering;

/// A volume that a set selects, whoever made it.
#[derive(Debug, Clone)]
pub struct Member<'a> {
    /// The volume.
    pub volume: &'a Volume,
    /// The phase it settles in.
    pub phase: VolumePhase,
    /// What it counts as.
    pub counts_as: CountsAs,
}

/// How many members there are of each sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Levels {
    /// All of them, whatever their phase.
    pub total: u64,
    /// There to be claimed.
    pub unbound: u64,
    /// Bound to a claim.
    pub bound: u64,
    /// Whose deletion was asked for. They count until they are gone, and nobody is deleted in their stead.
    pub going: u64,
}

/// The members of a set, by name.
pub fn find_members<'a>(state: &'a ClusterState, set: &VolumeSet) -> Vec<Member<'a>> {
    let members = state.volumes().iter().filter(|volume| set.selects(volume));
    members.map(|volume| judge(state, volume)).collect()
}

fn judge<'a>(state: &ClusterState, volume: &'a Volume) -> Member<'a> {
    // Files without a single claim do not show that the claim of a Bound volume is gone.
    let phases = match &volume.claim_ref {
        Some(_) if state.is_absent(Kind::Claims) => Phases::Stored,
        _ => Phases::Settled,
    };
    let phase = view(state, volume, phases).phase;
    // What has a claim's uid and is not marked yet may still go back.
    let is_bound = phase == VolumePhase::Bound && volume.phase == VolumePhase::Bound;
    let counts_as = match (&volume.deleted, &volume.claim_ref) {
        (None, None) => CountsAs::Unbound,
        (None, Some(_)) if is_bound => CountsAs::Bound,
        _ => CountsAs::Other,
    };
    Member {
        volume,
        phase,
        counts_as,
    }
}

impl Levels {
    /// Counts members.
    pub fn of(members: &[Member<'_>]) -> Self {
        let count = |is: &dyn Fn(&Member<'_>) -> bool| {
            members.iter().filter(|member| is(member)).count() as u64
        };
        Self {
            total: members.len() as u64,
            unbound: count(&|member| member.counts_as == CountsAs::Unbound),
            bound: count(&|member| member.counts_as == CountsAs::Bound),
            going: count(&|member| member.volume.deleted.is_some()),
        }
    }

    /// How many volumes are to be made: as many as are missing and as there is room for.
    pub fn missing(&self, set: &VolumeSet) -> u64 {
        let wanted = at_least_none(set.minimum).saturating_sub(self.unbound);
        let room = at_least_none(set.maximum).saturating_sub(self.total);
        wanted.min(room)
    }

    /// How many volumes are too many. What is going already makes room.
    pub fn surplus(&self, set: &VolumeSet) -> u64 {
        let staying = self.total.saturating_sub(self.going);
        staying.saturating_sub(at_least_none(set.maximum))
    }

    /// How many more unbound volumes the set asks for than there are, whether or not there is room.
    pub fn short_of(&self, set: &VolumeSet) -> u64 {
        at_least_none(set.minimum).saturating_sub(self.unbound)
    }
}

/// A count; what is below zero is refused before anybody asks.
fn at_least_none(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

/// The members that may be deleted, in the order in which they are: the largest first, equals by name.
pub fn largest_first<'a>(members: &[Member<'a>]) -> Vec<&'a Volume> {
    let unbound = members
        .iter()
        .filter(|member| member.counts_as == CountsAs::Unbound);
    let mut volumes: Vec<&Volume> = unbound.map(|member| member.volume).collect();
    volumes.sort_by(|one, other| by_size(one, other));
    volumes
}

fn by_size(one: &Volume, other: &Volume) -> Ordering {
    let sizes = other.capacity.cmp(&one.capacity);
    sizes.then_with(|| one.name.cmp(&other.name))
}

#[cfg(test)]
mod tests;
