//! The script that sends signals to the process under test at one request, before the server receives it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::message::Request;
use super::script::{Action, Counted, Number, Script};
use super::subject::Subject;

pub(crate) struct SignalPoint {
    signals: &'static [&'static str],
    counted: Counted,
    number: usize,
    target: Mutex<Option<Arc<Subject>>>,
    aimed: Condvar,
    reached: AtomicBool,
}

impl SignalPoint {
    /// At the `number`-th of the requests that are counted, from 1. The names of signals are without SIG.
    pub(crate) fn new(
        signals: &'static [&'static str],
        counted: Counted,
        number: usize,
    ) -> Arc<Self> {
        Arc::new(Self {
            signals,
            counted,
            number,
            target: Mutex::new(None),
            aimed: Condvar::new(),
            reached: AtomicBool::new(false),
        })
    }

    /// The process that gets them. Requests wait until it is known: it starts after the proxy.
    pub(crate) fn aim(&self, subject: &Arc<Subject>) {
        *self.target.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(subject));
        self.aimed.notify_all();
    }

    /// Whether all of them were sent while the process ran.
    pub(crate) fn was_reached(&self) -> bool {
        self.reached.load(Ordering::SeqCst)
    }
}

impl Script for SignalPoint {
    fn before(&self, number: Number, _request: &Request) -> Action {
        if self.counted.number(number) != Some(self.number) {
            return Action::Forward;
        }
        let mut target = self.target.lock().unwrap_or_else(PoisonError::into_inner);
        while target.is_none() {
            let woken = self.aimed.wait(target);
            target = woken.unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(subject) = &*target {
            let are_sent = self.signals.iter().all(|signal| subject.signal(signal));
            self.reached.store(are_sent, Ordering::SeqCst);
        }
        Action::Forward
    }
}
