//! What changed without a row: every difference between the reading before and the reading after belongs to a row that was made,
//! or whose result is unknown, or to another actor.

use serde_json::Value;

use super::assets::{ASSET, directory_name, is_about_asset};
use super::expected_object::releases;
use super::other_write::{OtherWrite, cover, may_create, may_delete, may_empty};
use super::reading::{Reading, is_going, is_terminating, uid_of, without_protection};
use super::report::{Key, Report, Row};

/// The server writes these by itself.
const BY_SERVER: [&str; 6] = [
    "/metadata/resourceVersion",
    "/metadata/generation",
    "/metadata/managedFields",
    "/metadata/selfLink",
    "/status/lastPhaseTransitionTime",
    "/metadata/deletionGracePeriodSeconds",
];

pub(super) fn wrongs(
    before: &Reading,
    after: &Reading,
    reports: &[Report],
    others: &[OtherWrite],
) -> Vec<String> {
    let mut found = objects(before, after, reports, others);
    found.extend(assets(before, after, reports, others));
    found
}

/// The fields of a body: a JSON pointer and the value of each.
pub(super) fn leaves(value: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    collect(value, "", &mut found);
    found
}

fn collect(value: &Value, field: &str, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(value, &format!("{field}/{name}"), found);
            }
        }
        _ => found.push((field.to_owned(), value.clone())),
    }
}

fn rows_about<'a>(reports: &'a [Report], key: &'a Key) -> Vec<&'a Row> {
    let rows = reports.iter().flat_map(|report| report.rows_about(key));
    rows.filter(|row| row.may_be_made()).collect()
}

fn objects(
    before: &Reading,
    after: &Reading,
    reports: &[Report],
    others: &[OtherWrite],
) -> Vec<String> {
    let mut found = Vec::new();
    let created = after.objects.iter().filter(|(key, object)| {
        let was = before.find(key).and_then(uid_of);
        was.is_none_or(|uid| uid_of(object) != Some(uid))
    });
    for (key, _) in created.filter(|(key, object)| after.owns(key, object)) {
        let rows = rows_about(reports, key);
        let is_explained = rows.iter().any(|row| row.action == "Create");
        if !is_explained && !may_create(others, &key.kind, &key.name) {
            found.push(format!("{key} was created, and no row says so"));
        }
    }
    for (key, was) in &before.objects {
        if !before.owns(key, was) || may_delete(others, &key.kind, &key.name) {
            continue;
        }
        let rows = rows_about(reports, key);
        let found_again = after.find(key).filter(|is| uid_of(is) == uid_of(was));
        if let Some(is) = found_again {
            let is_deleted = is_terminating(is);
            let strip = |object: &Value| {
                if is_deleted {
                    without_protection(object)
                } else {
                    object.clone()
                }
            };
            let (was, is) = (strip(was), strip(is));
            found.extend(changed_fields(key, &was, &is, &rows, others));
            continue;
        }
        let ends = |row: &&Row| row.action == "Delete" || releases(row) && is_terminating(was);
        if !rows.iter().any(ends) && !is_going(was) {
            found.push(format!("{key} was deleted, and no row says so"));
        }
    }
    found
}

fn changed_fields(
    key: &Key,
    was: &Value,
    is: &Value,
    rows: &[&Row],
    others: &[OtherWrite],
) -> Vec<String> {
    let (was, is) = (leaves(was), leaves(is));
    let gone = was.iter().filter(|(field, _)| !has(&is, field));
    let different = is.iter().filter(|leaf| !was.contains(leaf));
    let mut fields: Vec<&str> = gone
        .chain(different)
        .map(|(field, _)| field.as_str())
        .collect();
    fields.retain(|field| !BY_SERVER.contains(field));
    // A map that is empty afterwards has no fields of its own.
    fields.retain(|field| !fields_within(&was, &is, field));
    let is_explained = |field: &str| {
        let is_deletion = field == "/metadata/deletionTimestamp";
        let mut rows = rows.iter();
        rows.any(|row| match row.action.as_str() {
            "Delete" => is_deletion,
            "Patch" => writes(row, field),
            _ => false,
        }) || cover(others, &key.kind, &key.name, field)
    };
    let unexplained = fields.into_iter().filter(|field| !is_explained(field));
    unexplained
        .map(|field| format!("{field} of {key} was changed, and no row says so"))
        .collect()
}

fn has(leaves: &[(String, Value)], field: &str) -> bool {
    leaves.iter().any(|(own, _)| own == field)
}

/// Whether the field is a map of which only the emptiness differs: its own fields are compared one by one.
fn fields_within(was: &[(String, Value)], is: &[(String, Value)], field: &str) -> bool {
    let within = format!("{field}/");
    let mut all = was.iter().chain(is);
    all.any(|(own, _)| own.starts_with(&within))
}

/// Whether the body of the row has the field, or removes what the field is part of.
fn writes(row: &Row, field: &str) -> bool {
    let fields = leaves(&row.body).into_iter();
    fields
        .map(|(own, _)| own)
        .any(|own| own == field || field.starts_with(&format!("{own}/")))
}

fn assets(
    before: &Reading,
    after: &Reading,
    reports: &[Report],
    others: &[OtherWrite],
) -> Vec<String> {
    let mut found = Vec::new();
    for (base, was) in &before.bases {
        let Some(is) = after.bases.get(base) else {
            continue;
        };
        let is_in_base = |report: &&Report| report.base.as_ref().is_none_or(|own| own == base);
        let rows: Vec<&Row> = reports
            .iter()
            .filter(is_in_base)
            .flat_map(|report| &report.rows)
            .filter(|row| is_about_asset(row) && row.may_be_made())
            .collect();
        let has_row = |name: &str, actions: &[&str]| {
            let mut rows = rows.iter();
            rows.any(|row| directory_name(row) == name && actions.contains(&row.action.as_str()))
        };
        let mut tell = |name: &str, what: &str| {
            let path = base.join(name);
            found.push(format!("{} {what}, and no row says so", path.display()));
        };
        let names = was.assets.keys().chain(is.assets.keys());
        let mut names: Vec<&String> = names.chain(&was.records).chain(&is.records).collect();
        names.sort();
        names.dedup();
        for name in names {
            let exists = |state: &super::reading::Directory| {
                state.assets.contains_key(name) || state.records.contains(name)
            };
            match (exists(was), exists(is)) {
                (false, true)
                    if !has_row(name, &["CreateAsset"]) && !may_create(others, ASSET, name) =>
                {
                    tell(name, "was created");
                }
                (true, false)
                    if !has_row(name, &["DeleteAsset"]) && !may_delete(others, ASSET, name) =>
                {
                    tell(name, "was deleted");
                }
                (true, true) => {
                    let (was, is) = (was.assets.get(name), is.assets.get(name));
                    let is_explained = has_row(name, &["ScrubAsset", "DeleteAsset", "CreateAsset"]);
                    if was != is && !is_explained && !may_empty(others, name) {
                        tell(name, "was changed");
                    }
                }
                _ => {}
            }
        }
    }
    found
}
