//! Assets: a directory that was created exists and has a record, one that was deleted has neither, one that was scrubbed is empty.

use std::collections::BTreeMap;

use super::other_write::{OtherWrite, may_create, may_delete, may_fill};
use super::reading::{Directory, Reading};
use super::report::{Report, Row};

/// The kind that rows about assets have.
pub(super) const ASSET: &str = "Asset";

/// The name of the directory: the last part of the volume's source, or of the asset itself.
pub(super) fn directory_name(row: &Row) -> String {
    let source = row.body["source"].as_str();
    let last = source.and_then(|source| source.rsplit('/').next());
    last.unwrap_or(&row.key.name).to_owned()
}

pub(super) fn is_about_asset(row: &Row) -> bool {
    ["CreateAsset", "DeleteAsset", "ScrubAsset"].contains(&row.action.as_str())
}

/// The last row that says something about an asset decides; a row whose result is unknown leaves nothing to be said.
pub(super) fn wrongs(report: &Report, after: &Reading, others: &[OtherWrite]) -> Vec<String> {
    let mut last: BTreeMap<String, &Row> = BTreeMap::new();
    let rows = report.rows.iter().filter(|row| is_about_asset(row));
    for row in rows.filter(|row| row.may_be_made()) {
        last.insert(directory_name(row), row);
    }
    let stated = last.iter().filter(|(_, row)| row.is_made());
    let mut found = Vec::new();
    for (name, row) in stated {
        for (base, directory) in after.directories(report.base.as_ref()) {
            let wrong = match row.action.as_str() {
                "CreateAsset" => not_created(row, name, directory, after, others),
                "DeleteAsset" => not_deleted(name, directory, others),
                _ => not_empty(name, directory, others),
            };
            let place = base.join(name);
            let told = |what: &str| format!("{}: {} {what}", row.name(), place.display());
            found.extend(wrong.map(told));
        }
    }
    found
}

fn not_created(
    row: &Row,
    name: &str,
    directory: &Directory,
    after: &Reading,
    others: &[OtherWrite],
) -> Option<&'static str> {
    if may_delete(others, ASSET, name) {
        return None;
    }
    // The volume that another machine provisioned first has its asset there.
    if is_elsewhere(row, after) {
        let is_left = directory.assets.contains_key(name);
        return is_left.then_some("exists, and the volume is on another machine");
    }
    if !directory.assets.contains_key(name) {
        return Some("does not exist");
    }
    let has_record = directory.records.iter().any(|record| record == name);
    (!has_record).then_some("has no record")
}

/// Whether the volume of that name was provisioned in another base directory than the row shows.
fn is_elsewhere(row: &Row, after: &Reading) -> bool {
    let mut volumes = after.objects.iter();
    let volume =
        volumes.find(|(key, _)| key.kind == "PersistentVolume" && key.name == row.key.name);
    let Some((_, volume)) = volume else {
        return false;
    };
    let backend = row.body["backend"].as_str();
    let base = backend.and_then(|backend| backend.strip_prefix("hostpath:"));
    let path = volume["spec"]["hostPath"]["path"].as_str();
    path.zip(base)
        .is_some_and(|(path, base)| !path.starts_with(&format!("{base}/")))
}

fn not_deleted(name: &str, directory: &Directory, others: &[OtherWrite]) -> Option<&'static str> {
    if may_create(others, ASSET, name) {
        return None;
    }
    if directory.assets.contains_key(name) {
        return Some("still exists");
    }
    let has_record = directory.records.iter().any(|record| record == name);
    has_record.then_some("still has a record")
}

fn not_empty(name: &str, directory: &Directory, others: &[OtherWrite]) -> Option<&'static str> {
    if may_create(others, ASSET, name) || may_delete(others, ASSET, name) {
        return None;
    }
    match directory.assets.get(name) {
        None => Some("does not exist"),
        Some(inside) if !inside.is_empty() && !may_fill(others, name) => Some("is not empty"),
        Some(_) => None,
    }
}
