//! What passed the proxy, request by request: for assertions, and to be printed when a test fails.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::message::Request;
use super::script::Number;

/// How a request ended for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With the server's answer.
    Answered(u16),
    /// With one of ours.
    Injected(u16),
    /// Without any, and the server never saw the request.
    DroppedBefore,
    /// Without any, although the server gave this one.
    DroppedAfter(u16),
    /// The server could not be reached, or the client did not wait.
    Broken,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) number: Number,
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) end: End,
}

impl Entry {
    pub(crate) fn new(number: Number, request: &Request, end: End) -> Self {
        Self {
            number,
            method: request.method.clone(),
            target: request.target(),
            end,
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let writes = self.number.of_writes;
        let write = writes.map_or_else(String::new, |write| format!(" (write {write})"));
        let Self {
            method,
            target,
            end,
            ..
        } = self;
        write!(
            formatter,
            "{}{write}: {method} {target}: {end:?}",
            self.number.of_all
        )
    }
}

/// All entries so far.
#[derive(Default)]
pub(super) struct Log(Mutex<Vec<Entry>>);

impl Log {
    pub(super) fn add(&self, entry: Entry) {
        self.entries().push(entry);
    }

    /// In the order of their numbers, whatever order they ended in.
    pub(super) fn sorted(&self) -> Vec<Entry> {
        let mut entries = self.entries().clone();
        entries.sort_by_key(|entry| entry.number.of_all);
        entries
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
