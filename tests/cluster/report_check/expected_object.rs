//! What the rows of a report say about one object, in their order: whether it exists, and what its fields are.

use serde_json::{Map, Value, json};

use super::report::{Report, Row};
use crate::cluster::report_check::report::Key;

/// What must be true of an object.
#[derive(Clone, Debug)]
pub(super) struct ExpectedObject<'a> {
    pub(super) existence: Existence<'a>,
    /// The fields, merged from all bodies; null means absent.
    pub(super) fields: Value,
    /// Where a write may or may not have been made.
    pub(super) unknown: Vec<String>,
    /// The last row that says something about the fields.
    pub(super) last: Option<&'a Row>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Existence<'a> {
    /// No row states it, or the result of a row is unknown.
    Unknown,
    Exists(&'a Row),
    Deleted(&'a Row),
}

impl<'a> ExpectedObject<'a> {
    pub(super) fn of(report: &'a Report, key: &'a Key) -> Self {
        let mut expected = Self {
            existence: Existence::Unknown,
            fields: json!({}),
            unknown: Vec::new(),
            last: None,
        };
        for row in report.rows_about(key) {
            expected.add(row);
        }
        expected
    }

    fn add(&mut self, row: &'a Row) {
        match (row.action.as_str(), row.is_made()) {
            ("Create", true) => {
                self.existence = Existence::Exists(row);
                self.fields = without_nulls(&row.body);
                self.last = Some(row);
            }
            ("Patch", true) => {
                // The object may have disappeared with its last finalizer.
                if !matches!(self.existence, Existence::Deleted(_)) && !releases(row) {
                    self.existence = Existence::Exists(row);
                }
                merge(&mut self.fields, &row.body);
                self.last = Some(row);
            }
            ("Delete", true) => self.existence = Existence::Deleted(row),
            ("Create" | "Delete", false) if row.may_be_made() => {
                self.existence = Existence::Unknown;
            }
            ("Patch", false) if row.may_be_made() => {
                let fields = super::unexplained::leaves(&row.body).into_iter();
                self.unknown.extend(fields.map(|(field, _)| field));
            }
            _ => {}
        }
    }
}

/// Whether the row removes a finalizer: an object that is being deleted disappears then.
pub(super) fn releases(row: &Row) -> bool {
    row.action == "Patch" && row.body["metadata"]["finalizers"].is_array()
}

/// A JSON merge patch that keeps its nulls.
fn merge(into: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *into = patch.clone();
        return;
    };
    if !into.is_object() {
        *into = Value::Object(Map::new());
    }
    for (name, value) in patch {
        merge(&mut into[name], value);
    }
}

/// Fields that are known only when the object is created.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), without_nulls(value)))
            .collect(),
        other => other.clone(),
    }
}
