//! A gate before every write: all who have decided what to write wait there until it opens, and then
//! write at once, each with a view of the cluster that the others are about to change.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::message::Request;
use super::script::{Action, Number, Script};

#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: usize,
    is_open: bool,
}

impl Gate {
    /// Waits until so many writes have come to the gate, or for as long as `limit`. How many have.
    pub(crate) fn wait_for(&self, expected: usize, limit: Duration) -> usize {
        let started = Instant::now();
        let mut state = self.state();
        while state.waiting < expected && started.elapsed() < limit {
            let left = limit.saturating_sub(started.elapsed());
            let woken = self.changed.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting
    }

    /// For good.
    pub(crate) fn open(&self) {
        self.state().is_open = true;
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Script for Gate {
    fn before(&self, number: Number, _request: &Request) -> Action {
        if number.of_writes.is_some() {
            let mut state = self.state();
            state.waiting += 1;
            self.changed.notify_all();
            while !state.is_open {
                let woken = self.changed.wait(state);
                state = woken.unwrap_or_else(PoisonError::into_inner);
            }
        }
        Action::Forward
    }
}
