//! The table of volumes: nearest miss first, what interests nobody summed up by reason.

use super::page::{Page, Screen, Tone, Word};
use super::table::Table;
use crate::report::{Assessment, Explanation, Result, VolumeReason};
use std::collections::BTreeMap;

/// As many misses as fit on a screen beside the rest.
const MOST_SHOWN: usize = 10;

/// Adds the table of volumes.
pub(super) fn add(page: &mut Page, explanation: &Explanation, screen: &Screen, wide: bool) {
    let (shown, rest): (Vec<&Assessment>, Vec<&Assessment>) = if screen.all {
        (explanation.volumes.iter().collect(), vec![])
    } else {
        divide(&explanation.volumes, wide)
    };
    if shown.is_empty() && rest.is_empty() {
        return;
    }
    page.blank();
    let mut table = Table::new(if wide {
        &["VOLUME", "SIZE", "MODES", "CLASS", "PHASE", "RESULT", "WHY"]
    } else {
        &["VOLUME", "SIZE", "MODES", "CLASS", "WHY"]
    });
    for assessment in &shown {
        table.row(row(assessment, wide));
    }
    if !table.is_empty() {
        page.table(table);
    }
    if !rest.is_empty() {
        let more = if shown.is_empty() { "volumes" } else { "more" };
        page.line(
            vec![(
                Tone::Plain,
                format!(
                    "{} {more}: {}   (--all shows them)",
                    rest.len(),
                    sum_up(&rest)
                ),
            )],
            2,
        );
    }
}

/// What is taken, fits, or misses narrowly is shown; what is plainly somebody else's is not.
fn divide(volumes: &[Assessment], wide: bool) -> (Vec<&Assessment>, Vec<&Assessment>) {
    let most = if wide { usize::MAX } else { MOST_SHOWN };
    let mut shown = Vec::new();
    let mut rest = Vec::new();
    for assessment in volumes {
        let is_dull = assessment.reasons.len() > 3
            || assessment
                .reasons
                .iter()
                .any(|reason| matches!(reason, VolumeReason::ReservedForOtherClaim(_)));
        // A handful is shown whole: leaving out one of three would only raise a question.
        if shown.len() < most && (!is_dull || volumes.len() <= 5 || wide) {
            shown.push(assessment);
        } else {
            rest.push(assessment);
        }
    }
    (shown, rest)
}

fn row(assessment: &Assessment, wide: bool) -> Vec<Word> {
    let plain = |text: &str| {
        (
            Tone::Plain,
            if text.is_empty() {
                "<none>".to_owned()
            } else {
                text.to_owned()
            },
        )
    };
    let (tone, word) = match assessment.result {
        Result::Chosen => (Tone::Good, "taken"),
        Result::Possible => (Tone::Good, "may be taken"),
        Result::Fits => (Tone::Wait, "fits"),
        Result::Rejected => (Tone::Bad, "no"),
        Result::Unknown => (Tone::Wait, "unknown"),
    };
    let why = if assessment.reasons.is_empty() {
        (tone, word.to_owned())
    } else {
        (
            Tone::Plain,
            assessment
                .reasons
                .iter()
                .map(said)
                .collect::<Vec<_>>()
                .join(" · "),
        )
    };
    let mut cells = vec![
        plain(&assessment.name),
        plain(&assessment.capacity),
        plain(&assessment.access_modes.short()),
        plain(&assessment.class),
    ];
    if wide {
        cells.push(plain(&assessment.phase.to_string()));
        cells.push((tone, word.to_owned()));
    }
    cells.push(why);
    cells
}

fn said(reason: &VolumeReason) -> String {
    format!("{}: {}", reason.code(), reason.message())
}

/// By the first reason of each.
fn sum_up(rest: &[&Assessment]) -> String {
    sum_up_codes(rest.iter().map(|assessment| {
        let first = assessment.reasons.first();
        first.map_or("fits", |reason| reason.code().name())
    }))
}

/// `ReservedForOtherClaim (9950), ClassMismatch (12)`: most frequent first.
pub(super) fn sum_up_codes<'a>(codes: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for code in codes {
        *counts.entry(code).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(code, count)| (std::cmp::Reverse(*count), *code));
    counts
        .into_iter()
        .map(|(code, count)| format!("{code} ({count})"))
        .collect::<Vec<_>>()
        .join(", ")
}
