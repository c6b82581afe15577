//! Every order tried: all states of a group that some order of steps and some choice of Kubernetes reaches.

use super::table::{Move, State, Table};
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// What may become of a group.
#[derive(Debug)]
pub(super) struct Ends {
    /// Of each side, which kinds of volumes its claims may take.
    pub(super) takes: Vec<Vec<bool>>,
    /// The claims that remain, for every way it may end.
    pub(super) rests: BTreeSet<State>,
    /// How many states there are.
    pub(super) states: usize,
}

/// Tries every order, or gives up after so many states.
pub(super) fn explore(table: &Table, most: usize) -> Option<Ends> {
    let mut ends = Ends {
        takes: vec![vec![false; table.volumes.len()]; table.sides.len()],
        rests: BTreeSet::new(),
        states: 0,
    };
    let mut seen: HashSet<State, BuildHasherDefault<Mixer>> = HashSet::default();
    let mut open = vec![table.start()];
    seen.insert(table.start());
    while let Some(state) = open.pop() {
        let takes = &mut ends.takes;
        let goes_on = table.steps(&state, |step, next| {
            if let Move::Take(side, volume) = step {
                takes[side][volume] = true;
            }
            if !seen.contains(&next) {
                seen.insert(next.clone());
                open.push(next);
            }
        });
        if seen.len() > most {
            return None;
        }
        if !goes_on {
            ends.rests.insert(table.rest(&state));
        }
    }
    ends.states = seen.len();
    Some(ends)
}

/// A quick hash for short lists of counts, which nobody outside chooses.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let mixed = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            self.0 = mixed.rotate_left(23);
        }
    }
}
