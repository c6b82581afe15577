//! Every order tried: all states of a group that some order of steps and some choice of Kubernetes reaches.

use super::seen::Seen;
use super::steps::Move;
use super::table::{State, Table};
use std::collections::BTreeSet;

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
    let mut seen = Seen::new(table.start().len());
    seen.add(table.start());
    let mut state = State::new();
    while let Some(next) = seen.get(ends.states) {
        state.clear();
        state.extend_from_slice(next);
        ends.states += 1;
        let takes = &mut ends.takes;
        let goes_on = table.steps(&mut state, |step, next| {
            if let Move::Take(side, volume) = step {
                takes[side][volume] = true;
            }
            seen.add(next);
        });
        if seen.len() > most {
            return None;
        }
        if !goes_on {
            ends.rests.insert(table.rest(&state).to_vec());
        }
    }
    Some(ends)
}
