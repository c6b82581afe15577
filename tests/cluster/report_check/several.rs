//! Runs that worked at the same time: what one of them did, the others did not do.

use serde_json::Value;

use super::assets::{directory_name, is_about_asset};
use super::report::{DONE, Report, Row};
use super::unexplained::leaves;

pub(super) fn wrongs(reports: &[Report]) -> Vec<String> {
    let mut found = Vec::new();
    for (index, one) in reports.iter().enumerate() {
        for other in &reports[index + 1..] {
            // Two machines have two directories.
            let are_together = one.base == other.base;
            for (row, same) in pairs(one, other) {
                // A name without a uid can mean an object and the one that followed it.
                let is_certain = row.uid.is_some() || !is_deleted(reports, row);
                if is_certain && is_same_write(row, same, are_together) {
                    found.push(format!(
                        "two runs did the same: {}, {}",
                        row.name(),
                        same.name()
                    ));
                }
            }
        }
    }
    found
}

/// Whether one of the runs deleted an object of that name.
fn is_deleted(reports: &[Report], row: &Row) -> bool {
    let mut rows = reports
        .iter()
        .flat_map(|report| report.rows_about(&row.key));
    row.action != "Delete" && rows.any(|row| row.action == "Delete" && row.is_made())
}

fn pairs<'a>(one: &'a Report, other: &'a Report) -> impl Iterator<Item = (&'a Row, &'a Row)> {
    let done = |report: &'a Report| report.rows.iter().filter(|row| row.result == DONE);
    done(one).flat_map(move |row| done(other).map(move |same| (row, same)))
}

/// The fields of a patch without those that only guard it.
fn written(row: &Row) -> Vec<(String, Value)> {
    let guards = ["/metadata/resourceVersion", "/metadata/uid"];
    let mut fields = leaves(&row.body);
    fields.retain(|(field, _)| !guards.contains(&field.as_str()));
    fields
}

fn is_same_write(row: &Row, same: &Row, are_together: bool) -> bool {
    if row.action != same.action || row.key.kind != same.key.kind {
        return false;
    }
    match row.action.as_str() {
        // An object of that uid is created and deleted once, and a version is written once.
        "Delete" => row.key == same.key && row.uid.is_some() && row.uid == same.uid,
        "Patch" => {
            let is_version = row.version.is_some() && row.version == same.version;
            let is_repeated = written(row) == written(same);
            row.key == same.key && row.uid == same.uid && (is_version || is_repeated)
        }
        "Create" => row.key == same.key && row.body == same.body,
        _ if is_about_asset(row) && are_together => {
            row.action != "ScrubAsset" && directory_name(row) == directory_name(same)
        }
        _ => false,
    }
}
