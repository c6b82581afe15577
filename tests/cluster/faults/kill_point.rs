//! The script that kills the process under test at one request: before the server sees it, or after
//! the server has answered and before the process learns of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::message::{Request, Response};
use super::script::{Action, Counted, Delivery, Number, Script};
use super::subject::Subject;

/// On which side of the server's deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    Before,
    After,
}

pub(crate) struct KillPoint {
    moment: Moment,
    counted: Counted,
    number: usize,
    target: Mutex<Option<Arc<Subject>>>,
    aimed: Condvar,
    reached: AtomicBool,
}

impl KillPoint {
    /// At the `number`-th of the requests that are counted, from 1.
    pub(crate) fn new(moment: Moment, counted: Counted, number: usize) -> Arc<Self> {
        Arc::new(Self {
            moment,
            counted,
            number,
            target: Mutex::new(None),
            aimed: Condvar::new(),
            reached: AtomicBool::new(false),
        })
    }

    /// Whom to kill. Requests wait until that is known: it starts after the proxy.
    pub(crate) fn aim(&self, subject: &Arc<Subject>) {
        *self.target.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(subject));
        self.aimed.notify_all();
    }

    /// Has it killed? Whoever is about to has the target until that is noted, since its end is seen before.
    pub(crate) fn was_reached(&self) -> bool {
        let _target = self.target.lock().unwrap_or_else(PoisonError::into_inner);
        self.reached.load(Ordering::SeqCst)
    }

    fn is_here(&self, moment: Moment, number: Number) -> bool {
        self.moment == moment && self.counted.number(number) == Some(self.number)
    }

    fn kill(&self) {
        let mut target = self.target.lock().unwrap_or_else(PoisonError::into_inner);
        while target.is_none() {
            let woken = self.aimed.wait(target);
            target = woken.unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(subject) = &*target {
            subject.kill();
        }
        self.reached.store(true, Ordering::SeqCst);
    }
}

impl Script for KillPoint {
    fn before(&self, number: Number, _request: &Request) -> Action {
        // What a dead process had under way elsewhere does not count: so a point is one point.
        if self.was_reached() {
            return Action::Drop;
        }
        if !self.is_here(Moment::Before, number) {
            return Action::Forward;
        }
        self.kill();
        Action::Drop
    }

    fn after(&self, number: Number, _request: &Request, _answer: &Response) -> Delivery {
        if !self.is_here(Moment::After, number) {
            return Delivery::Deliver;
        }
        self.kill();
        Delivery::Drop
    }
}
