//! The Outcome that a run printed, its exit status, and its rows.

use std::path::PathBuf;

use serde_json::Value;

use crate::cluster::faults::subject::Ended;
use crate::support::Ran;

/// What one run printed.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// Null if the run printed none.
    pub(super) outcome: Value,
    /// None if it was killed.
    pub(super) status: Option<i32>,
    pub(super) stderr: String,
    pub(super) rows: Vec<Row>,
    /// The base directory of this run alone, where several runs have different ones.
    pub(super) base: Option<PathBuf>,
}

/// One change of an Outcome.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) index: usize,
    pub(super) action: String,
    pub(super) key: Key,
    pub(super) uid: Option<String>,
    pub(super) body: Value,
    pub(super) after: Option<usize>,
    pub(super) result: String,
    pub(super) error: Option<String>,
    /// The version that the change demands.
    pub(super) version: Option<String>,
}

/// Kind, namespace and name of an object; an asset has the kind `Asset`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) kind: String,
    pub(super) namespace: Option<String>,
    pub(super) name: String,
}

pub(super) const DONE: &str = "Done";
pub(super) const ALREADY_DONE: &str = "AlreadyDone";
pub(super) const FAILED: &str = "Failed";
pub(super) const NOT_REACHED: &str = "NotReached";

impl From<&Ended> for Report {
    fn from(ended: &Ended) -> Self {
        Self::new(&ended.stdout, &ended.stderr, ended.status)
    }
}

impl From<&Ran> for Report {
    fn from(ran: &Ran) -> Self {
        Self::new(&ran.stdout, &ran.stderr, Some(ran.status))
    }
}

impl Report {
    pub(super) fn new(stdout: &str, stderr: &str, status: Option<i32>) -> Self {
        let outcome = serde_json::from_str(stdout).unwrap_or_default();
        Self::of_outcome(outcome, stderr, status)
    }

    pub(super) fn of_outcome(outcome: Value, stderr: &str, status: Option<i32>) -> Self {
        let changes = outcome["changes"].as_array().cloned().unwrap_or_default();
        let rows = changes.iter().enumerate();
        Self {
            rows: rows.map(|(index, change)| Row::of(index, change)).collect(),
            outcome,
            status,
            stderr: stderr.to_owned(),
            base: None,
        }
    }

    /// The report of a run that used this base directory, while others used others.
    pub(crate) fn in_base(mut self, base: PathBuf) -> Self {
        self.base = Some(base);
        self
    }

    /// The entries of `skipped`: object, uid and code.
    pub(super) fn skipped(&self) -> Vec<(Key, Option<String>, String)> {
        let skipped = self.outcome["skipped"].as_array();
        let entries = skipped.into_iter().flatten();
        let entry = |entry: &Value| {
            let target = &entry["target"];
            (
                Key::of(target),
                text(&target["uid"]),
                text(&entry["code"]).unwrap_or_default(),
            )
        };
        entries.map(entry).collect()
    }

    /// The rows about one object that may have changed it.
    pub(super) fn rows_about<'a>(&'a self, key: &'a Key) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().filter(move |row| row.key == *key)
    }
}

impl Row {
    fn of(index: usize, change: &Value) -> Self {
        Self {
            index,
            action: text(&change["action"]).unwrap_or_default(),
            key: Key::of(&change["target"]),
            uid: text(&change["target"]["uid"]),
            body: change["body"].clone(),
            after: change["after"]
                .as_u64()
                .and_then(|after| usize::try_from(after).ok()),
            result: text(&change["result"]).unwrap_or_default(),
            error: text(&change["error"]),
            version: text(&change["preconditions"]["resourceVersion"]),
        }
    }

    /// How messages name it: `row 3 (Patch PersistentVolume pv-a, Done)`.
    pub(super) fn name(&self) -> String {
        let Self {
            index,
            action,
            result,
            ..
        } = self;
        format!("row {index} ({action} {}, {result})", self.key)
    }

    /// Whether the report states that it is so now.
    pub(super) fn is_made(&self) -> bool {
        [DONE, ALREADY_DONE].contains(&self.result.as_str())
    }

    /// Whether this run may have written it: it did, or the result is unknown.
    pub(super) fn may_be_made(&self) -> bool {
        self.is_made() || self.result == FAILED
    }

    /// Whether something of it is still to be done. An event that was not sent is no such thing.
    pub(super) fn is_open(&self) -> bool {
        self.action != "Event" && [FAILED, NOT_REACHED].contains(&self.result.as_str())
    }

    /// Whether it changes an object or an asset, and is not only a wait or an event.
    pub(super) fn is_write(&self) -> bool {
        !["Wait", "Event"].contains(&self.action.as_str())
    }
}

impl Key {
    fn of(target: &Value) -> Self {
        Self {
            kind: text(&target["kind"]).unwrap_or_default(),
            namespace: text(&target["namespace"]),
            name: text(&target["name"]).unwrap_or_default(),
        }
    }

    pub(super) fn of_object(object: &Value) -> Self {
        Self {
            kind: text(&object["kind"]).unwrap_or_default(),
            namespace: text(&object["metadata"]["namespace"]),
            name: text(&object["metadata"]["name"]).unwrap_or_default(),
        }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(formatter, "{} {namespace}/{}", self.kind, self.name),
            None => write!(formatter, "{} {}", self.kind, self.name),
        }
    }
}

pub(super) fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
