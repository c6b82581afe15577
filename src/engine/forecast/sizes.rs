//! Capacities as ranks: equal ones, however they are written, have one rank, and larger ones a higher one.

use super::index::{VolumeId, id};
use crate::conventions::quantity::Quantity;
use crate::model::Volume;

pub(super) struct Sizes<'a> {
    /// The rank of each volume's capacity.
    ranks: Vec<u32>,
    /// One capacity of each rank.
    capacities: Vec<&'a Quantity>,
    /// The same in billionths, unless one of them is too large for that.
    nanos: Option<Vec<i128>>,
}

impl<'a> Sizes<'a> {
    pub(super) fn new(volumes: &'a [Volume]) -> Self {
        let mut sizes = Self {
            ranks: vec![0; volumes.len()],
            capacities: vec![],
            nanos: None,
        };
        for volume in sorted(volumes) {
            let capacity = &volumes[volume as usize].capacity;
            if sizes.capacities.last() != Some(&capacity) {
                sizes.capacities.push(capacity);
            }
            sizes.ranks[volume as usize] = id(sizes.capacities.len() - 1);
        }
        let nanos = sizes.capacities.iter().map(|capacity| capacity.nanos());
        sizes.nanos = nanos.collect();
        sizes
    }

    pub(super) fn rank_of(&self, volume: VolumeId) -> u32 {
        self.ranks[volume as usize]
    }

    /// The rank of the smallest capacity that serves a request.
    pub(super) fn rank(&self, request: &Quantity) -> u32 {
        let smaller = match (&self.nanos, request.nanos()) {
            (Some(nanos), Some(request)) => nanos.partition_point(|nanos| *nanos < request),
            _ => self
                .capacities
                .partition_point(|capacity| *capacity < request),
        };
        id(smaller)
    }

    /// All volumes by size, those of equal size by name.
    pub(super) fn order(&self) -> Vec<VolumeId> {
        // Places are counted out: ranks are small numbers.
        let mut firsts = vec![0_u32; self.capacities.len() + 1];
        for rank in &self.ranks {
            firsts[*rank as usize + 1] += 1;
        }
        for rank in 1..firsts.len() {
            firsts[rank] += firsts[rank - 1];
        }
        let mut order = vec![0; self.ranks.len()];
        for (rank, volume) in self.ranks.iter().zip(0..) {
            let place = &mut firsts[*rank as usize];
            order[*place as usize] = volume;
            *place += 1;
        }
        order
    }
}

/// All volumes by size.
fn sorted(volumes: &[Volume]) -> Vec<VolumeId> {
    let nanos: Option<Vec<(i128, VolumeId)>> = volumes
        .iter()
        .zip(0..)
        .map(|(volume, id)| Some((volume.capacity.nanos()?, id)))
        .collect();
    if let Some(mut nanos) = nanos {
        nanos.sort_unstable();
        return nanos.into_iter().map(|(_, id)| id).collect();
    }
    let mut order: Vec<VolumeId> = (0..id(volumes.len())).collect();
    order.sort_by_key(|id| &volumes[*id as usize].capacity);
    order
}
