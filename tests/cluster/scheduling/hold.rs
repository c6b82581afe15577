//! A script for the proxy of `faults/` that holds one write of a volume back, so that others come first:
//! a busy machine does the same, by chance.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::cluster::faults::message::Request;
use crate::cluster::faults::script::{Action, Number, Script};

/// Holds the first write of one volume back until it is released.
pub(super) struct Hold {
    volume: String,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    NotWritten,
    Held,
    Released,
}

impl Hold {
    pub(super) fn of(volume: &str) -> Arc<Self> {
        Arc::new(Self {
            volume: volume.to_owned(),
            state: Mutex::new(State::NotWritten),
            changed: Condvar::new(),
        })
    }

    pub(super) fn volume(&self) -> &str {
        &self.volume
    }

    /// Whether the write has come and waits.
    pub(super) fn has_write(&self) -> bool {
        *self.state() == State::Held
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn release(&self) {
        *self.state() = State::Released;
        self.changed.notify_all();
    }
}

impl Script for Hold {
    fn before(&self, _number: Number, request: &Request) -> Action {
        let path = format!("/api/v1/persistentvolumes/{}", self.volume);
        let mut state = self.state();
        if request.method == "PUT" && request.path == path && *state == State::NotWritten {
            *state = State::Held;
            while *state == State::Held {
                let woken = self.changed.wait(state);
                state = woken.unwrap_or_else(PoisonError::into_inner);
            }
        }
        Action::Forward
    }
}
