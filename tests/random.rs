//! Chance that can be repeated: a small generator of numbers (splitmix64) and the few ways the
//! generated clusters draw from it. The same seed gives the same clusters on every machine.

/// A stream of numbers that follows from its seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `end - 1`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("a length is small");
        usize::try_from(self.next() % end).expect("less than a length")
    }

    /// True in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several, all equally likely.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// One of several, each as likely as the number beside it.
    pub(crate) fn weighted<T: Copy>(&mut self, choices: &[(usize, T)]) -> T {
        let all = choices.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(all);
        for (weight, choice) in choices {
            if left < *weight {
                return *choice;
            }
            left -= weight;
        }
        unreachable!("the weights add up to their sum")
    }
}
