//! One list of volumes that searches go along, in the order in which they prefer them.

use super::index::{BucketId, VolumeId, id};

/// Volumes in the order in which a search prefers them, the smallest first.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) bucket: BucketId,
    pub(super) volumes: Vec<VolumeId>,
    /// The place of each volume in its bucket.
    pub(super) places: Vec<u32>,
    /// The rank of each volume's capacity.
    pub(super) sizes: Vec<u32>,
    /// The places of volumes that are not there from the beginning.
    pub(super) loose: Vec<u32>,
    /// Whether equal sizes are a draw (R28); in 1.4 the order settles it.
    pub(super) has_draws: bool,
}

impl Chain {
    /// Where the volumes that are large enough begin.
    pub(super) fn start(&self, rank: u32) -> u32 {
        id(self.sizes.partition_point(|size| *size < rank))
    }

    pub(super) fn len(&self) -> u32 {
        id(self.volumes.len())
    }

    /// A stretch of the chain as places of its bucket.
    pub(super) fn span(&self, from: u32, to: u32) -> (u32, u32) {
        let place = |at: u32| self.places[at as usize];
        if from < to {
            (place(from), place(to - 1) + 1)
        } else {
            (0, 0)
        }
    }

    /// Where the volume at a place of the bucket stands in the chain, if it does.
    pub(super) fn find(&self, place: u32) -> Option<u32> {
        self.places.binary_search(&place).ok().map(id)
    }

    /// Whether all volumes of a stretch are there from the beginning.
    pub(super) fn is_firm(&self, from: u32, to: u32) -> bool {
        let first = self.loose.partition_point(|place| *place < from);
        self.loose.get(first).is_none_or(|place| *place >= to)
    }

    /// Whether equal sizes are a draw.
    pub(super) fn has_draws(&self) -> bool {
        self.has_draws
    }

    /// Where the draw that this place belongs to ends.
    pub(super) fn draw_end(&self, place: u32) -> u32 {
        if !self.has_draws {
            return place + 1;
        }
        let size = self.sizes[place as usize];
        let after = &self.sizes[place as usize..];
        // Most draws are short; a binary search over the whole rest would look far away first.
        let mut step = 1;
        while step < after.len() && after[step] == size {
            step *= 2;
        }
        let end = after[..step.min(after.len())].partition_point(|other| *other == size);
        place + id(end)
    }

    /// How many volumes from `from` on are there from the beginning.
    pub(super) fn firm_from(&self, from: u32) -> u32 {
        let loose = self.loose.len() - self.loose.partition_point(|place| *place < from);
        self.len() - from.min(self.len()) - id(loose)
    }

    /// Where the `count`-th volume (from 0) that is there from the beginning stands, counted from `from`.
    pub(super) fn firm_place(&self, from: u32, count: u32) -> Option<u32> {
        let mut place = from.checked_add(count)?;
        // Each loose volume before the place pushes it one further.
        let first = self.loose.partition_point(|loose| *loose < from);
        for loose in &self.loose[first..] {
            if *loose > place {
                break;
            }
            place = place.checked_add(1)?;
        }
        (place < self.len()).then_some(place)
    }
}
