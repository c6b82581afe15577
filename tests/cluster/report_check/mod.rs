//! "What the report says equals what is": every expectation is derived from the Outcome that a writing command printed, and is
//! compared with the cluster and the base directory afterwards. All tests that kill, disturb or race a writing command use it.
//!
//! A test takes a [`Reading`] before the run, runs the command, and asks [`Site::false_reports`] what of the report is not true.
//! Where other actors write too, the test names what they write ([`OtherWrite`]): objects and fields, never "everything".
//!
//! `report.rs` is the printed Outcome, `reading.rs` the cluster and the directories; `objects.rs`, `assets.rs`, `offered.rs`,
//! `skipped.rs`, `events.rs`, `status.rs`, `counts.rs`, `unexplained.rs` and `several.rs` hold one kind of expectation each;
//! `falsified.rs` tests the check itself, and `counted.rs` the counts that people read.

mod assets;
mod counted;
mod counts;
mod events;
mod expected_object;
mod falsified;
mod objects;
mod offered;
mod other_write;
mod reading;
mod report;
mod several;
mod skipped;
mod status;
mod unexplained;

pub(crate) use other_write::OtherWrite;
pub(crate) use reading::{Reading, Site};
pub(crate) use report::Report;

impl Site {
    /// What is not true of the report of one run, a sentence each.
    pub(crate) fn false_report(
        &self,
        before: &Reading,
        report: impl Into<Report>,
        others: &[OtherWrite],
    ) -> Vec<String> {
        self.false_reports(before, &[report.into()], others)
    }

    /// What the rows of a report say that is not true, where other actors write all the time and nothing can be concluded from
    /// what was before.
    pub(crate) fn false_statements(
        &self,
        report: impl Into<Report>,
        others: &[OtherWrite],
    ) -> Vec<String> {
        let after = self.read();
        wrongs(&after, &after, &[report.into()], others)
    }

    /// The same for runs that worked at the same time.
    pub(crate) fn false_reports(
        &self,
        before: &Reading,
        reports: &[Report],
        others: &[OtherWrite],
    ) -> Vec<String> {
        let mut found = wrongs(before, &self.read(), reports, others);
        found.extend(
            reports
                .iter()
                .flat_map(|report| events::wrongs(self, report)),
        );
        found
    }
}

fn wrongs(
    before: &Reading,
    after: &Reading,
    reports: &[Report],
    others: &[OtherWrite],
) -> Vec<String> {
    let mut found = Vec::new();
    for (index, report) in reports.iter().enumerate() {
        found.extend(status::wrongs(report));
        let mut beside = others.to_vec();
        let rest = reports.iter().enumerate().filter(|(at, _)| *at != index);
        beside.extend(rest.flat_map(|(_, other)| OtherWrite::of_report(other)));
        found.extend(counts::wrongs(report));
        found.extend(objects::wrongs(report, after, &beside));
        found.extend(assets::wrongs(report, after, &beside));
        found.extend(skipped::wrongs(report, after, &beside));
        found.extend(offered::wrongs(report, after, &beside));
    }
    found.extend(several::wrongs(reports));
    found.extend(unexplained::wrongs(before, after, reports, others));
    found
}
