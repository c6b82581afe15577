//! Sizes of few values in many spellings, so that ties and near misses are frequent.

use crate::random::Random;

/// From small to large; the spellings of a row are equal.
const LADDER: &[&[&str]] = &[
    &["0.5Gi", "512Mi", "536870912"],
    &["1G", "1000M", "1e9", "1000000k"],
    &["1073741823.5", "1073741823500m"],
    &["1Gi", "1024Mi", "1073741824", "1048576Ki", "1.0Gi"],
    &["1500M", "1.5G", "1500e6"],
    &["1.5Gi", "1536Mi"],
    &["2e9", "2G", "2E9"],
    &["2Gi", "2048Mi", "+2Gi"],
];

/// Beyond what 64 bits hold, or at their edge (Q2, Q4).
const HUGE: &[&[&str]] = &[
    &["8Ei", "9223372036854775807", "9Ei"],
    &["9500P", "9.5E"],
    // Their whole units wrap around to about 0.3G and 1.3G. What wraps to less than nothing the
    // API server refuses.
    &["18446744074G"],
    &["18446744075G"],
    &["200E", "2e20", "200000P"],
    &["800E"],
];

/// A row of one of the two lists.
#[derive(Clone, Copy)]
pub(super) struct Size {
    huge: bool,
    row: usize,
}

impl Size {
    pub(super) fn any(random: &mut Random) -> Self {
        let huge = random.chance(3);
        // Requests are mostly in the middle, so that there is something on both sides.
        let row = if huge {
            random.below(HUGE.len())
        } else {
            1 + random.below(LADDER.len() - 2)
        };
        Self { huge, row }
    }

    /// Between 2^63 and whatever comes, for claims that name their volume.
    pub(super) fn huge(random: &mut Random) -> Self {
        let row = random.below(HUGE.len());
        Self { huge: true, row }
    }

    /// Often the same, otherwise larger where there is something larger.
    pub(super) fn same_or_larger(self, random: &mut Random) -> Self {
        let steps = random.weighted(&[(55, 0), (25, 1), (12, 2), (8, 3)]);
        let row = (self.row + steps).min(self.list().len() - 1);
        Self { row, ..self }
    }

    pub(super) fn smaller(self, random: &mut Random) -> Self {
        match self.row.checked_sub(1) {
            Some(row) => Self { row, ..self },
            None => Self {
                huge: false,
                row: random.below(LADDER.len()),
            },
        }
    }

    pub(super) fn spelling(self, random: &mut Random) -> &'static str {
        random.pick(self.list()[self.row])
    }

    fn list(self) -> &'static [&'static [&'static str]] {
        if self.huge { HUGE } else { LADDER }
    }
}
