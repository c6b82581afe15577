//! Objects: what was deleted does not exist, what was created or changed exists and has the fields that the report shows.

use std::collections::BTreeSet;

use serde_json::Value;

use super::expected_object::{Existence, ExpectedObject};
use super::other_write::{OtherWrite, cover, may_create, may_delete};
use super::reading::{Reading, finalizers_of, is_terminating, uid_of, without_protection};
use super::report::{Key, Report, Row};

/// The lock of the program itself: an object that it holds is not deleted.
const OWN_LOCK: &str = "kubectl-pv.dev/asset";

/// Fields that a row cannot show: the server or the run fills them in when the request is sent.
const FILLED_IN: [&str; 7] = [
    "/metadata/resourceVersion",
    "/metadata/uid",
    "/metadata/annotations/kubectl-pv.dev~1recycler-pod",
    "/spec/claimRef/resourceVersion",
    "/status/inProgress/until",
    "/status/conditions/0/lastTransitionTime",
    "/status/conditions/1/lastTransitionTime",
];
/// The run adds its own name to the value that the row shows.
const SIGNED: &str = "/metadata/annotations/kubectl-pv.dev~1recycling";

pub(super) fn wrongs(report: &Report, after: &Reading, others: &[OtherWrite]) -> Vec<String> {
    let rows = report.rows.iter();
    let objects = rows.filter(|row| row.is_write() && row.key.kind != "Asset");
    let keys: BTreeSet<&Key> = objects.map(|row| &row.key).collect();
    let mut found = Vec::new();
    for key in keys {
        let expected = ExpectedObject::of(report, key);
        match expected.existence {
            Existence::Unknown => {
                let object = after.find(key).filter(|_| expected.last.is_some());
                let is_it = |object: &&Value| {
                    let uid = expected.last.and_then(|row| row.uid.as_deref());
                    uid.is_some() && uid == uid_of(object)
                };
                let object = object.filter(is_it);
                found.extend(
                    object
                        .into_iter()
                        .flat_map(|object| differing_fields(&expected, key, object, others)),
                );
            }
            Existence::Deleted(row) => found.extend(not_deleted(report, row, after, others)),
            Existence::Exists(row) => match after.find(key) {
                Some(object) => found.extend(differing_fields(&expected, key, object, others)),
                None if may_delete(others, &key.kind, &key.name) => {}
                None => found.push(format!("{}: {key} does not exist", row.name())),
            },
        }
    }
    for row in report
        .rows
        .iter()
        .filter(|row| row.action == "Wait" && row.is_made())
    {
        found.extend(not_awaited(row, after, others));
    }
    found
}

/// What a row waited for and what is not so.
fn not_awaited(row: &Row, after: &Reading, others: &[OtherWrite]) -> Vec<String> {
    let (until, key) = (&row.body["until"], &row.key);
    let Some(object) = after.find(key).filter(|_| until.is_object()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    compare(until, object, "", &mut found);
    found.retain(|(field, ..)| !cover(others, &key.kind, &key.name, field));
    let told = found.into_iter();
    told.map(|(field, said, is)| format!("{}: {field} of {key} is {is}, not {said}", row.name()))
        .collect()
}

/// Why an object that the report calls deleted is not.
fn not_deleted(
    report: &Report,
    row: &Row,
    after: &Reading,
    others: &[OtherWrite],
) -> Option<String> {
    let key = &row.key;
    let object = match &row.uid {
        Some(uid) => after.find_uid(&key.kind, uid)?,
        None => after.find(key)?,
    };
    if row.uid.is_none() && may_create(others, &key.kind, &key.name) {
        return None;
    }
    if !is_terminating(object) {
        return Some(format!("{}: {key} is not being deleted", row.name()));
    }
    let held_by = finalizers_of(object);
    if held_by.iter().any(|name| name == OWN_LOCK) {
        return Some(format!(
            "{}: {key} is still held by the lock {OWN_LOCK}",
            row.name()
        ));
    }
    let is_named = |finalizer: &String| {
        let rows = report.rows_about(key);
        let named = rows.map(|row| format!("{} {:?}", row.body, row.error));
        named.into_iter().any(|named| named.contains(finalizer))
            || is_held_by(report, key, finalizer)
    };
    let unnamed = held_by.iter().find(|finalizer| !is_named(finalizer))?;
    if cover(others, &key.kind, &key.name, "/metadata/finalizers") {
        return None;
    }
    Some(format!(
        "{}: {key} is still held by finalizer {unnamed}, which the report does not name",
        row.name()
    ))
}

/// Whether the report names the finalizer as what still keeps the object.
fn is_held_by(report: &Report, key: &Key, finalizer: &str) -> bool {
    let changes = report.outcome["changes"].as_array().into_iter().flatten();
    let mut of_it = changes.filter(|change| change["target"]["name"] == key.name.as_str());
    of_it.any(|change| {
        let mut names = change["heldBy"].as_array().into_iter().flatten();
        names.any(|name| name == finalizer)
    })
}

/// Fields that are not as the rows say.
fn differing_fields(
    expected: &ExpectedObject<'_>,
    key: &Key,
    object: &Value,
    others: &[OtherWrite],
) -> Vec<String> {
    let mut found = Vec::new();
    if is_terminating(object) {
        let (fields, object) = (
            without_protection(&expected.fields),
            without_protection(object),
        );
        compare(&fields, &object, "", &mut found);
    } else {
        compare(&expected.fields, object, "", &mut found);
    }
    let is_excused = |field: &String| {
        let unknown = expected.unknown.iter();
        cover(others, &key.kind, &key.name, field)
            || unknown
                .into_iter()
                .any(|unknown| field == unknown || field.starts_with(&format!("{unknown}/")))
    };
    // The uid of an object that another actor replaced differs, and with it everything else.
    let replaced = expected.last.and_then(|row| row.uid.as_deref());
    if replaced.is_some_and(|uid| uid_of(object) != Some(uid)) {
        let is_excused = may_create(others, &key.kind, &key.name);
        let name = expected.last.map(Row::name).unwrap_or_default();
        let told = format!("{name}: {key} has another uid than the report states");
        return (!is_excused).then_some(told).into_iter().collect();
    }
    let name = expected.last.map(Row::name).unwrap_or_default();
    found
        .into_iter()
        .filter(|(field, ..)| !is_excused(field))
        .map(|(field, said, is)| {
            format!("{name}: {field} of {key} is {is}, and the report says {said}")
        })
        .collect()
}

/// Collects the fields that differ: where, what the report says, and what is.
fn compare(expected: &Value, actual: &Value, field: &str, found: &mut Vec<(String, Value, Value)>) {
    match (expected, actual) {
        (Value::Object(fields), _) => {
            for (name, value) in fields {
                let inner = format!("{field}/{}", name.replace('~', "~0").replace('/', "~1"));
                compare(value, &actual[name], &inner, found);
            }
        }
        (Value::Array(said), Value::Array(is)) if said.len() == is.len() => {
            for (index, (said, is)) in said.iter().zip(is).enumerate() {
                compare(said, is, &format!("{field}/{index}"), found);
            }
        }
        _ if FILLED_IN.contains(&field) => {}
        _ if field == SIGNED && is_signed(expected, actual) => {}
        // An absent list and an empty one are the same.
        (Value::Array(said), Value::Null) if said.is_empty() => {}
        _ if expected == actual => {}
        _ => found.push((field.to_owned(), expected.clone(), actual.clone())),
    }
}

fn is_signed(expected: &Value, actual: &Value) -> bool {
    let (said, is) = (expected.as_str(), actual.as_str());
    said.zip(is)
        .is_some_and(|(said, is)| is.starts_with(&format!("{said}/")))
}
