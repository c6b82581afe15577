//! One claim for people: verdict, what was asked, why, nearest miss, what helps, what Kubernetes says.

use super::page::{Page, Screen};
use super::parts::{self, labelled, plain};
use super::sentence::{main_message, verdict};
use super::volumes;
use crate::report::{Cause, ClassSource, Explanation, Severity, Verdict, join_and};

/// Everything about one claim.
pub(super) fn in_full(page: &mut Page, explanation: &Explanation, screen: &Screen, wide: bool) {
    let sentence = verdict(explanation);
    let first_line: String = sentence.iter().map(|(_, text)| text.as_str()).collect();
    page.line(sentence, 2);
    page.blank();
    labelled(page, "Asks for", asks_for(explanation));
    if let Some(story) = &explanation.story {
        labelled(page, "How", story.how_text.clone());
        labelled(page, "Used by", users(explanation));
        labelled(page, "If deleted", story.on_deletion_text.clone());
    }
    add_causes(page, explanation, &first_line);
    if wide || screen.all || needs_table(explanation) {
        volumes::add(page, explanation, screen, wide);
    }
    add_suggestions(page, explanation);
    let refusal = explanation.refusal.as_deref();
    parts::add_says(page, &explanation.kubernetes_says, refusal);
    let claim = &explanation.claim;
    let again = [
        "kubectl",
        "pv",
        "explain",
        &claim.name,
        "-n",
        &claim.namespace,
    ];
    let again = crate::conventions::shell::command(&again);
    parts::add_unknowns(page, &explanation.unknowns, &again);
}

/// One claim among many: the sentence, and the first thing that would help.
pub(super) fn in_short(page: &mut Page, explanation: &Explanation) {
    page.line(verdict(explanation), 2);
    if let Some(suggestion) = explanation.suggestions.first()
        && explanation.verdict != Verdict::WillBind
    {
        page.line(vec![plain(format!("  {}.", suggestion.summary))], 4);
    }
}

/// Where the answer is one volume or none is wanted, the table would only repeat it.
fn needs_table(explanation: &Explanation) -> bool {
    match explanation.verdict {
        Verdict::Blocked | Verdict::Waiting | Verdict::Unknown => !explanation.volumes.is_empty(),
        Verdict::WillBind => explanation
            .causes
            .iter()
            .any(|cause| cause.cause.code() == "ReservationIgnored"),
        Verdict::WillProvision => {
            !explanation.volumes.is_empty() && explanation.volumes.len() <= 10
        }
        Verdict::Bound | Verdict::Lost | Verdict::Rejected => false,
    }
}

fn asks_for(explanation: &Explanation) -> String {
    let claim = &explanation.claim;
    let class = match (claim.class.name.as_str(), claim.class.source) {
        (_, ClassSource::None) => "no class".to_owned(),
        ("", _) => "class \"\" (none, and no default)".to_owned(),
        (name, ClassSource::Field) => format!("class {name} (set in the claim)"),
        (name, ClassSource::Annotation) => format!("class {name} (set by its beta annotation)"),
        (name, ClassSource::Default) => {
            format!("class {name} (the default, put in when it is created)")
        }
        (name, ClassSource::RetroactiveDefault) => {
            format!("class {name} (the default, put in later)")
        }
    };
    let mut parts = vec![
        claim
            .requested
            .clone()
            .unwrap_or_else(|| "no size".to_owned()),
        if claim.access_modes.is_empty() {
            "no access modes".to_owned()
        } else {
            claim.access_modes.join("+")
        },
        claim.volume_mode.to_string(),
        class,
    ];
    parts.extend(
        claim
            .selector
            .as_ref()
            .map(|selector| format!("labels {selector}")),
    );
    parts.extend(
        claim
            .volume_name
            .as_ref()
            .filter(|_| explanation.verdict != Verdict::Bound)
            .map(|name| format!("volume {name}")),
    );
    parts.extend(
        claim
            .volume_attributes_class
            .as_ref()
            .map(|name| format!("attributes class {name}")),
    );
    if let Some(story) = &explanation.story
        && let Some(holds) = &story.holds
    {
        parts.push(format!("holds {holds}"));
    }
    let origin = claim
        .from_template
        .as_ref()
        .map(|owner| format!("; would be created by {owner}"))
        .unwrap_or_default();
    format!("{}{origin}", parts.join(", "))
}

fn users(explanation: &Explanation) -> String {
    match explanation
        .story
        .as_ref()
        .and_then(|story| story.used_by.as_ref())
    {
        None => "unknown: pods could not be read".to_owned(),
        Some(pods) if pods.is_empty() => "no pod".to_owned(),
        Some(pods) => {
            let spelled = |pod: &crate::report::Consumer| match &pod.node {
                Some(node) => format!("pod {} on {node}", pod.pod),
                None => format!("pod {} (not on a node yet)", pod.pod),
            };
            join_and(&pods.iter().map(spelled).collect::<Vec<_>>())
        }
    }
}

/// Codes, because people search for them; messages only where the first line has not said it.
fn add_causes(page: &mut Page, explanation: &Explanation, first_line: &str) {
    let main = main_message(explanation);
    for (index, cause) in explanation.causes.iter().enumerate() {
        let label = match (index, cause.severity) {
            (0, Severity::Blocker) => "Cause",
            (_, Severity::Warning) => "Careful",
            (_, Severity::Note) => "Note",
            _ => "",
        };
        let message = cause.cause.message();
        let is_told = first_line.contains(&message)
            || (index == 0 && message == main && first_line.contains(&main));
        let mut text = cause.cause.code().to_owned();
        if !is_told {
            text = format!("{text}: {message}");
        }
        if let Some(hint) = hint(cause) {
            text = format!("{text} ({hint})");
        }
        labelled(page, label, text);
    }
}

fn hint(cause: &Cause) -> Option<String> {
    cause.cause.hint()
}

fn add_suggestions(page: &mut Page, explanation: &Explanation) {
    if explanation.verdict != Verdict::WillBind {
        return parts::add_suggestions(page, &explanation.suggestions);
    }
    for suggestion in &explanation.suggestions {
        let end = if suggestion.commands.is_empty() {
            "."
        } else {
            ":"
        };
        page.line(vec![plain(format!("  {}{end}", suggestion.summary))], 2);
        suggestion
            .commands
            .iter()
            .for_each(|command| page.command(4, command));
    }
}
