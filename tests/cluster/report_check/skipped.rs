//! What was skipped was not deleted: the object exists, and no row says otherwise.

use super::assets::{ASSET, directory_name};
use super::other_write::{OtherWrite, may_delete};
use super::reading::Reading;
use super::report::{Key, Report};

/// Codes of objects that do not exist, that stand for no object, or that another component is about to release.
const ABSENT: [&str; 5] = [
    "NothingSelected",
    "AssetMissing",
    "HeldByFinalizer",
    "NamedVolumeNotFound",
    "NotReadable",
];

pub(super) fn wrongs(report: &Report, after: &Reading, others: &[OtherWrite]) -> Vec<String> {
    let mut found = Vec::new();
    for (key, uid, code) in report.skipped() {
        found.extend(contradiction(report, &key, uid.as_deref(), &code));
        if ABSENT.contains(&code.as_str()) || may_delete(others, &key.kind, &key.name) {
            continue;
        }
        let exists = match &uid {
            Some(uid) => after.find_uid(&key.kind, uid).is_some(),
            None if key.kind == ASSET => {
                let mut directories = after.directories(report.base.as_ref());
                directories.any(|(_, directory)| {
                    let records = &directory.records;
                    directory.assets.contains_key(&key.name) || records.contains(&key.name)
                })
            }
            None => continue,
        };
        if !exists {
            found.push(format!("skipped {key} ({code}): it does not exist"));
        }
    }
    found
}

/// Whether the rows are about an earlier object of that name: the asset that was deleted belonged to that one.
fn is_replaced(report: &Report, key: &Key, uid: Option<&str>) -> bool {
    let mut earlier = report.rows_about(key).filter_map(|row| row.uid.as_deref());
    uid.is_some_and(|uid| earlier.any(|other| other != uid))
}

/// A row that deleted what was skipped.
fn contradiction(report: &Report, key: &Key, uid: Option<&str>, code: &str) -> Option<String> {
    // The name of a new volume that was not used: the asset of that name belonged to an earlier set.
    if code == "AssetTaken" && uid.is_none() {
        return None;
    }
    let mut rows = report.rows.iter().filter(|row| row.is_made());
    let row = rows.find(|row| match row.action.as_str() {
        "Delete" => row.key == *key && row.uid.as_deref() == uid,
        "DeleteAsset" => {
            let is_named = row.key.name == key.name || directory_name(row) == key.name;
            is_named && !is_replaced(report, key, uid)
        }
        _ => false,
    })?;
    Some(format!(
        "skipped {key} ({code}): {} says that it was deleted",
        row.name()
    ))
}
