//! Faults by chance: a share of all requests is answered with an error, loses its connection before or
//! after the server has acted, or is delayed. The seed decides which; every kind is counted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::message::{Request, Response};
use super::script::{Action, Delivery, Number, Script};
use crate::random::Random;

/// What can happen to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// Of writes only: no API server answers a read so.
    Conflict,
    TooManyRequests,
    InternalError,
    Unavailable,
    DropBefore,
    DropAfter,
    Delay,
}

impl Fault {
    pub(crate) const ALL: [Self; 7] = [
        Self::Conflict,
        Self::TooManyRequests,
        Self::InternalError,
        Self::Unavailable,
        Self::DropBefore,
        Self::DropAfter,
        Self::Delay,
    ];

    fn can_befall(self, request: &Request) -> bool {
        self != Self::Conflict || request.is_write()
    }
}

pub(crate) struct Chance {
    percent: AtomicUsize,
    delay: Duration,
    state: Mutex<State>,
}

struct State {
    random: Random,
    to_drop: BTreeSet<usize>,
    counts: BTreeMap<Fault, usize>,
}

impl Chance {
    /// Faults in so many of a hundred requests.
    pub(crate) fn new(percent: usize, seed: u64) -> Self {
        Self {
            percent: AtomicUsize::new(percent),
            delay: Duration::from_millis(100),
            state: Mutex::new(State {
                random: Random::new(seed),
                to_drop: BTreeSet::new(),
                counts: BTreeMap::new(),
            }),
        }
    }

    /// From now on every request passes.
    pub(crate) fn stop(&self) {
        self.percent.store(0, Ordering::SeqCst);
    }

    /// How often each fault has happened so far.
    pub(crate) fn counts(&self) -> BTreeMap<Fault, usize> {
        self.state().counts.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, number: Number, request: &Request) -> Option<Fault> {
        let mut state = self.state();
        if !state.random.chance(self.percent.load(Ordering::SeqCst)) {
            return None;
        }
        let possible: Vec<Fault> = Fault::ALL
            .into_iter()
            .filter(|fault| fault.can_befall(request))
            .collect();
        // Those that have not happened yet come first, so that a short run meets all of them.
        let is_new = |fault: &Fault| !state.counts.contains_key(fault);
        let fresh: Vec<Fault> = possible.iter().copied().filter(is_new).collect();
        let choices = if fresh.is_empty() { possible } else { fresh };
        let fault = state.random.pick(&choices);
        if fault == Fault::DropAfter {
            state.to_drop.insert(number.of_all);
        }
        *state.counts.entry(fault).or_default() += 1;
        Some(fault)
    }
}

impl Script for Chance {
    fn before(&self, number: Number, request: &Request) -> Action {
        let Some(fault) = self.draw(number, request) else {
            return Action::Forward;
        };
        match fault {
            Fault::Conflict => Action::Answer(refusal(409, "Conflict")),
            Fault::TooManyRequests => Action::Answer(refusal(429, "TooManyRequests")),
            Fault::InternalError => Action::Answer(refusal(500, "InternalError")),
            Fault::Unavailable => Action::Answer(refusal(503, "ServiceUnavailable")),
            Fault::DropBefore => Action::Drop,
            Fault::DropAfter => Action::Forward,
            Fault::Delay => {
                thread::sleep(self.delay);
                Action::Forward
            }
        }
    }

    fn after(&self, number: Number, _request: &Request, _answer: &Response) -> Delivery {
        if self.state().to_drop.remove(&number.of_all) {
            Delivery::Drop
        } else {
            Delivery::Deliver
        }
    }
}

/// An error as an API server words it.
pub(crate) fn refusal(code: u16, reason: &str) -> Response {
    let mut status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": format!("{reason}, by the proxy of a test"), "reason": reason, "code": code,
    });
    if code == 429 {
        status["details"] = json!({ "retryAfterSeconds": 1 });
    }
    let mut answer = Response::json(code, &status);
    if code == 429 {
        answer.headers.set("Retry-After", "1");
    }
    answer
}
