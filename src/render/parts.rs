//! What every page is made of, whatever it is about: labelled lines, what would help, what Kubernetes says, what was not seen.

use super::page::{Page, Tone, Word};
use crate::report::{Says, Suggestion, Unknown};
use std::collections::BTreeMap;

/// Where the text behind a label begins.
const INDENT: usize = 14;

pub(super) fn plain(text: impl Into<String>) -> Word {
    (Tone::Plain, text.into())
}

/// A fact behind its label; an empty label goes on with the one above.
pub(super) fn labelled(page: &mut Page, label: &str, text: impl Into<String>) {
    page.line(
        vec![(Tone::Label, format!("  {label:<12}")), plain(text)],
        INDENT,
    );
}

/// What would help, with the commands to paste.
pub(super) fn add_suggestions(page: &mut Page, suggestions: &[Suggestion]) {
    if suggestions.is_empty() {
        return;
    }
    page.blank();
    page.line(vec![(Tone::Label, "What would help".to_owned())], 0);
    for (index, suggestion) in suggestions.iter().enumerate() {
        let end = if suggestion.commands.is_empty() {
            "."
        } else {
            ":"
        };
        let summary = format!("  {}. {}{end}", index + 1, suggestion.summary);
        page.line(vec![plain(summary)], 5);
        suggestion
            .commands
            .iter()
            .for_each(|command| page.command(7, command));
    }
}

/// The words of the control plane: events, and refusals, which are none.
pub(super) fn add_says(page: &mut Page, says: &[Says], refusal: Option<&str>) {
    if says.is_empty() && refusal.is_none() {
        return;
    }
    page.blank();
    let said = says
        .iter()
        .map(|says| format!("{}: {}", says.reason, says.message));
    for text in said.chain(refusal.map(str::to_owned)) {
        let words = vec![(Tone::Label, "Kubernetes says  ".to_owned()), plain(text)];
        page.line(words, 17);
    }
}

/// What was not seen, and the sentence to send to somebody who may see it: `command` for me, please.
pub(super) fn add_unknowns(page: &mut Page, unknowns: &[Unknown], command: &str) {
    if unknowns.is_empty() {
        return;
    }
    page.blank();
    for unknown in unknowns {
        let text = format!("{}: {}", unknown.what, unknown.why);
        let words = vec![(Tone::Label, "Not seen         ".to_owned()), plain(text)];
        page.line(words, 17);
    }
    let wanted: Vec<&str> = unknowns
        .iter()
        .filter(|unknown| unknown.why == "forbidden")
        .filter_map(permission)
        .collect();
    if !wanted.is_empty() {
        let text = format!(
            "To an administrator: please run `{command}` for me, or let me list {}.",
            wanted.join(", ")
        );
        page.line(vec![plain(text)], 17);
    }
}

fn permission(unknown: &Unknown) -> Option<&str> {
    unknown
        .remedy
        .as_deref()?
        .strip_prefix("permission to list ")
}

/// `ReservedForOtherClaim (9950), ClassMismatch (12)`: most frequent first.
pub(super) fn sum_up<'a>(codes: impl Iterator<Item = &'a str>) -> String {
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
