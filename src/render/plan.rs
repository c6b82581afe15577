//! Plans and their outcomes: what is done for which claim, and what is left alone.

use super::page::{Page, Screen, Tone};
use super::table::Table;
use super::{Format, machine, safe};
use crate::actions::outcome::{ChangeResult, Made, Outcome};
use crate::actions::plan::{Errand, Plan, Skipped};
use crate::report::plural;
use std::io::{self, Write};

/// Prints what would be done.
pub(crate) fn write_plan(
    to: &mut dyn Write,
    plan: &Plan,
    ending: &str,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => machine::write(to, plan, format),
        Format::Name => write_names(to, &plan.errands),
        Format::Text | Format::Wide => {
            let mut page = Page::default();
            let mut table = Table::new(&["CLAIM", "VOLUME", "WHAT"]);
            for errand in &plan.errands {
                table.row(vec![
                    (Tone::Plain, errand.claim.to_string()),
                    (Tone::Good, errand.volume.clone()),
                    (Tone::Plain, errand.what.clone()),
                ]);
            }
            if !table.is_empty() {
                page.table(table);
            }
            show_skipped(&mut page, &plan.skipped);
            let count = plural(plan.changes.len(), "change");
            page.line(vec![(Tone::Plain, format!("{count}. {ending}"))], 0);
            page.write(to, screen)
        }
    }
}

/// Prints what was done.
pub(crate) fn write_outcome(
    to: &mut dyn Write,
    outcome: &Outcome,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => machine::write(to, outcome, format),
        Format::Name => write_names(to, &outcome.finished()),
        Format::Text | Format::Wide => {
            let mut page = Page::default();
            let mut table = Table::new(&["CLAIM", "VOLUME", "RESULT"]);
            for (index, errand) in outcome.errands.iter().enumerate() {
                let of_it = |made: &&Made| made.change.errand == index;
                let changes: Vec<&Made> = outcome.changes.iter().filter(of_it).collect();
                if changes.is_empty() {
                    continue;
                }
                let (tone, result) = result_of(errand, &changes);
                table.row(vec![
                    (Tone::Plain, errand.claim.to_string()),
                    (Tone::Plain, errand.volume.clone()),
                    (tone, result),
                ]);
            }
            if !table.is_empty() {
                page.table(table);
            }
            show_skipped(&mut page, &outcome.skipped);
            if outcome.changes.is_empty() && outcome.skipped.is_empty() {
                page.line(vec![(Tone::Plain, "Nothing to do.".to_owned())], 0);
            }
            page.write(to, screen)
        }
    }
}

fn result_of(errand: &Errand, changes: &[&Made]) -> (Tone, String) {
    if let Some(failed) = changes.iter().find(|made| made.error.is_some()) {
        let done = changes.iter().filter(|made| !made.is_open()).count();
        let error = failed.error.clone().unwrap_or_default();
        let of = changes.len();
        return (
            Tone::Bad,
            format!("failed ({done} of {of} writes done): {error}"),
        );
    }
    if changes.iter().any(|made| made.is_open()) {
        return (Tone::Wait, "not reached".to_owned());
    }
    let by_others = |made: &&Made| made.result == ChangeResult::AlreadyDone;
    if changes.iter().all(by_others) {
        return (Tone::Good, "done by somebody else meanwhile".to_owned());
    }
    (Tone::Good, format!("done: {}", errand.what))
}

fn show_skipped(page: &mut Page, skipped: &[Skipped]) {
    if skipped.is_empty() {
        return;
    }
    page.line(vec![(Tone::Label, "Left alone:".to_owned())], 0);
    for skipped in skipped {
        let target = skipped.target.spelled();
        let words = vec![
            (Tone::Plain, format!("  {target}  ")),
            (Tone::Wait, skipped.code.to_owned()),
            (Tone::Plain, format!(": {}", skipped.message)),
        ];
        page.line(words, 4);
    }
}

fn write_names(to: &mut dyn Write, errands: &[Errand]) -> io::Result<()> {
    errands
        .iter()
        .try_for_each(|errand| writeln!(to, "persistentvolumeclaim/{}", safe(&errand.claim.name)))
}
