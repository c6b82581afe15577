//! States that were met, each once: short lists of counts, side by side in one long list, found by their hash.

/// All states met, in the order they were met.
#[derive(Debug)]
pub(super) struct Seen {
    width: usize,
    counts: Vec<u16>,
    /// Places of states by hash, plus one; 0 is free. Never more than half full.
    table: Vec<u32>,
}

impl Seen {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            counts: vec![],
            table: vec![0; 64],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.counts.len() / self.width.max(1)
    }

    /// The state met at this place, if there is one.
    pub(super) fn get(&self, place: usize) -> Option<&[u16]> {
        self.counts
            .get(place * self.width..(place + 1) * self.width)
    }

    /// Adds a state, unless it was met before.
    pub(super) fn add(&mut self, state: &[u16]) {
        let free = match self.find(state) {
            Ok(()) => return,
            Err(free) => free,
        };
        self.counts.extend_from_slice(state);
        self.table[free] = u32::try_from(self.len()).unwrap_or(u32::MAX);
        if self.len() * 2 > self.table.len() {
            self.grow();
        }
    }

    /// Whether the state was met, or else where it belongs.
    fn find(&self, state: &[u16]) -> Result<(), usize> {
        let mut at = self.begin(state);
        loop {
            match self.table[at] {
                0 => return Err(at),
                place if self.get(place as usize - 1) == Some(state) => return Ok(()),
                _ => at = (at + 1) & (self.table.len() - 1),
            }
        }
    }

    fn begin(&self, state: &[u16]) -> usize {
        let mut hash: u64 = 0;
        for count in state {
            hash = (hash.rotate_left(5) ^ u64::from(*count)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        usize::try_from(hash >> 33).unwrap_or(0) & (self.table.len() - 1)
    }

    fn grow(&mut self) {
        self.table = vec![0; self.table.len() * 4];
        for place in 0..self.len() {
            let state = self.counts[place * self.width..(place + 1) * self.width].to_vec();
            if let Err(free) = self.find(&state) {
                self.table[free] = u32::try_from(place + 1).unwrap_or(u32::MAX);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_kept_once_and_in_order() {
        let mut seen = Seen::new(2);
        for round in 0..2 {
            for number in 0..1000_u16 {
                seen.add(&[number / 7, number % 7]);
            }
            assert_eq!(seen.len(), 1000, "round {round}");
        }
        assert_eq!(seen.get(15), Some(&[2, 1][..]));
        assert_eq!(seen.get(1000), None);
    }
}
