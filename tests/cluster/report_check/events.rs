//! Events: one that was sent exists. They are read one by one, as a plane keeps those of all earlier tests.

use super::reading::Site;
use super::report::{DONE, Report};

pub(super) fn wrongs(site: &Site, report: &Report) -> Vec<String> {
    let rows = report.rows.iter();
    let sent = rows.filter(|row| row.action == "Event" && row.result == DONE);
    let missing = sent.filter(|row| site.api.find(&row.body).is_none());
    missing
        .map(|row| format!("{}: the event does not exist", row.name()))
        .collect()
}
