//! Scripts that take time: every request, one request, or all from one on, which get their answers late or never.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::message::{Request, Response};
use super::script::{Action, Counted, Delivery, Number, Script};

/// Every request takes so much longer.
pub(crate) struct RoundTrip(pub(crate) Duration);

impl Script for RoundTrip {
    fn before(&self, _: Number, _: &Request) -> Action {
        sleep(self.0);
        Action::Forward
    }
}

/// What is late after the first late answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lateness {
    Everything,
    Writes,
}

/// The server acts at once, and from one request on its answers come late.
pub(crate) struct LateAnswers {
    counted: Counted,
    first: usize,
    lateness: Lateness,
    by: Duration,
    has_begun: AtomicBool,
}

impl LateAnswers {
    /// From the `first` of the requests that are counted, from 1.
    pub(crate) fn new(counted: Counted, first: usize, lateness: Lateness, by: Duration) -> Self {
        Self {
            counted,
            first,
            lateness,
            by,
            has_begun: AtomicBool::new(false),
        }
    }
}

impl Script for LateAnswers {
    fn after(&self, number: Number, request: &Request, _: &Response) -> Delivery {
        let counted = self.counted.number(number);
        if counted.is_some_and(|number| number >= self.first) {
            self.has_begun.store(true, Ordering::SeqCst);
        }
        let is_meant = self.lateness == Lateness::Everything || request.is_write();
        if is_meant && self.has_begun.load(Ordering::SeqCst) {
            sleep(self.by);
        }
        Delivery::Deliver
    }
}

/// A server that accepts connections and requests, and from one request on does nothing with them.
pub(crate) struct Silence {
    counted: Counted,
    from: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    begun_at: Option<Instant>,
    is_over: bool,
}

impl Silence {
    /// From the `number`-th of the requests that are counted, from 1.
    pub(crate) fn new(counted: Counted, number: usize) -> Arc<Self> {
        Arc::new(Self {
            counted,
            from: number,
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Breaks the connections that wait. How long ago the first request came that got no answer.
    pub(crate) fn end(&self) -> Option<Duration> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_over = true;
        self.changed.notify_all();
        state.begun_at.map(|begun_at| begun_at.elapsed())
    }
}

impl Script for Silence {
    fn before(&self, number: Number, _: &Request) -> Action {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_from = self
            .counted
            .number(number)
            .is_some_and(|number| number >= self.from);
        if is_from {
            state.begun_at.get_or_insert_with(Instant::now);
        }
        if state.begun_at.is_none() {
            return Action::Forward;
        }
        while !state.is_over {
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        Action::Drop
    }
}
