//! The exit status and `finishWith` follow from the rows, and the rows do not contradict each other.

use super::report::{DONE, FAILED, Report, Row};

pub(super) fn wrongs(report: &Report) -> Vec<String> {
    let mut found = Vec::new();
    let Some(status) = report.status else {
        return found;
    };
    if report.outcome["kind"] != "Outcome" {
        if [0, 1, 4].contains(&status) {
            found.push(format!("exit status {status} without an Outcome"));
        }
        return found;
    }
    found.extend(
        report
            .rows
            .iter()
            .filter_map(|row| contradiction(report, row)),
    );
    let is_late = |(_, _, code): &(_, _, String)| code == "TimeIsUp";
    let open = report.rows.iter().find(|row| row.is_open());
    let is_open = open.is_some() || report.skipped().iter().any(is_late);
    let name = open.map_or_else(|| "no row".to_owned(), Row::name);
    match (&report.outcome["finishWith"], is_open) {
        (command, true) if !command.is_string() => {
            found.push(format!("finishWith is {command}, and {name} is open"));
        }
        (command, false) if !command.is_null() => {
            found.push(format!("finishWith is {command}, and no row is open"));
        }
        _ => {}
    }
    let mut rows = report.rows.iter();
    let wrote = rows.find(|row| row.result == DONE && row.is_write());
    let expected: &[i32] = match (is_open, wrote) {
        (true, Some(_)) => &[4],
        (true, None) => &[1, 3, 4],
        (false, _) if report.skipped().is_empty() => &[0],
        (false, Some(_)) => &[0, 1],
        (false, None) => &[0, 1, 3, 5],
    };
    if !expected.contains(&status) {
        let wrote = wrote.map_or_else(|| "no row was Done".to_owned(), Row::name);
        found.push(format!(
            "exit status {status} is not one of {expected:?}: {name} is open; {wrote}"
        ));
    }
    found
}

/// What a row says that cannot be true together.
fn contradiction(report: &Report, row: &Row) -> Option<String> {
    let name = row.name();
    if row.is_made() && row.error.is_some() {
        return Some(format!("{name} has an error: {:?}", row.error));
    }
    if row.result == FAILED && row.error.is_none() {
        return Some(format!("{name} has no error"));
    }
    let before = report.rows.get(row.after?);
    match before {
        Some(before) if before.index < row.index => {
            // Whether a deleted object is gone is settled at the end of the run.
            let is_settled_later = before.action == "Delete";
            let is_baseless = before.is_open() && !is_settled_later && row.result == DONE;
            is_baseless.then(|| format!("{name} follows {}, which was not made", before.name()))
        }
        _ => Some(format!("{name} follows a row that is not before it")),
    }
}
