//! One claim for people: verdict, what was asked, why, nearest miss, what helps, what Kubernetes says.

use super::page::{Page, Screen, Tone, plain};
use super::sentence::{main_message, verdict};
use super::{nodes, volumes};
use crate::conventions::command_line::CommandLine;
use crate::conventions::foreign::quoted;
use crate::report::{
    Assessment, Cause, ClaimCause, ClassSource, Code, Explanation, Says, Severity, Suggestion,
    Unknown, UnknownReason, UnknownRemedy, Verdict, VolumeReason, join_and,
};

/// Where the text behind a label begins.
const INDENT: usize = 14;

pub(super) fn labelled(page: &mut Page, label: &str, text: impl Into<String>) {
    page.line(
        vec![(Tone::Label, format!("  {label:<12}")), plain(text)],
        INDENT,
    );
}

/// Everything about one claim.
pub(super) fn in_full(page: &mut Page, explanation: &Explanation, screen: &Screen, wide: bool) {
    let sentence = verdict(explanation);
    let first_line: String = sentence.iter().map(|(_, text)| text.as_str()).collect();
    page.line(sentence, 2);
    let more = add_first_help(page, &explanation.suggestions);
    let advice = advice(explanation);
    if let Some(advice) = &advice {
        add_advice(page, advice);
    }
    page.blank();
    labelled(page, "Asks for", asks_for(explanation));
    if let Some(parameters) = made_with(explanation) {
        labelled(page, "Made with", parameters);
    }
    if let Some(story) = &explanation.story {
        labelled(page, "How", story.how_text.clone());
        labelled(page, "Used by", users(explanation));
        labelled(page, "If deleted", story.on_deletion_text.clone());
    }
    add_causes(page, explanation, &first_line, advice.as_deref());
    if wide || screen.all || needs_table(explanation) {
        volumes::add(page, explanation, screen, wide);
    }
    nodes::add(page, explanation, screen);
    add_more_help(page, more);
    add_says(
        page,
        &explanation.kubernetes_says,
        explanation.refusal.as_ref(),
    );
    add_unknowns(page, explanation);
}

/// The parameters of its class together with the options it chose, where it chose any.
fn made_with(explanation: &Explanation) -> Option<String> {
    let provisioning = explanation.provisioning.as_ref()?;
    let options = &provisioning.options;
    let spelled = provisioning.parameters.iter().map(|(key, value)| {
        let whose = if options.contains_key(key) {
            " (option)"
        } else {
            ""
        };
        format!(
            "{key}={value}{whose}",
            key = quoted(key),
            value = quoted(value)
        )
    });
    (!options.is_empty()).then(|| spelled.collect::<Vec<_>>().join(", "))
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
        Verdict::WillBind => {
            let was_passed_over = |volume: &Assessment| {
                let mut reasons = volume.reasons.iter();
                reasons.any(|it| matches!(it, VolumeReason::MoreModesThanChosen { .. }))
            };
            explanation
                .causes
                .iter()
                .any(|cause| cause.cause.code() == Code::ReservationIgnored)
                || explanation.volumes.iter().any(was_passed_over)
        }
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
        (name, ClassSource::Field) => {
            format!("class {name} (set in the claim)", name = quoted(name))
        }
        (name, ClassSource::Annotation) => format!(
            "class {name} (set by its beta annotation)",
            name = quoted(name)
        ),
        (name, ClassSource::Default) => {
            format!(
                "class {name} (the default, put in when it is created)",
                name = quoted(name)
            )
        }
        (name, ClassSource::RetroactiveDefault) => {
            format!(
                "class {name} (the default, put in later)",
                name = quoted(name)
            )
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
            .map(|name| format!("volume {name}", name = quoted(name))),
    );
    parts.extend(
        claim
            .volume_attributes_class
            .as_ref()
            .map(|name| format!("attributes class {name}", name = quoted(name))),
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
        Some(pods) if pods.is_empty() => {
            let story = explanation.story.as_ref();
            match story.and_then(|story| story.kept_for.as_ref()) {
                Some(kept_for) => format!("no running pod; {kept_for}"),
                None => "no running pod".to_owned(),
            }
        }
        Some(pods) => {
            let spelled = |pod: &crate::report::Consumer| match &pod.node {
                Some(node) => format!("pod {} on {node}", pod.pod, node = quoted(node)),
                None => format!("pod {} (not on a node yet)", pod.pod),
            };
            join_and(&pods.iter().map(spelled).collect::<Vec<_>>())
        }
    }
}

/// Codes, because people search for them; messages only where the first line has not said it.
fn add_causes(page: &mut Page, explanation: &Explanation, first_line: &str, advice: Option<&str>) {
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
        let mut text = cause.cause.code().to_string();
        if !is_told {
            text = format!("{text}: {message}");
        }
        if let Some(hint) = hint(cause, explanation).filter(|hint| Some(hint.as_str()) != advice) {
            text = format!("{text} ({hint})");
        }
        labelled(page, label, text);
    }
}

/// What a command above does need not be advised again.
fn hint(cause: &Cause, explanation: &Explanation) -> Option<String> {
    let is_only_that = matches!(
        cause.cause,
        ClaimCause::NoVolumeFits { .. }
            | ClaimCause::NamedVolumeMismatch { .. }
            | ClaimCause::SelectedNodeMissing { .. }
    );
    let is_said = is_only_that && !explanation.suggestions.is_empty();
    cause.cause.hint().filter(|_| !is_said)
}

/// Where no command helps, what the main cause advises.
fn advice(explanation: &Explanation) -> Option<String> {
    let weighs = |cause: &&Cause| cause.severity != Severity::Note;
    let main = explanation.causes.first().filter(weighs);
    main.filter(|_| explanation.suggestions.is_empty())
        .and_then(|main| main.cause.hint())
}

/// Advice as a sentence of its own, under the answer.
pub(super) fn add_advice(page: &mut Page, advice: &str) {
    let mut letters = advice.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    let text: String = first.into_iter().chain(letters).collect();
    let end = if text.ends_with(['?', '.']) { "" } else { "." };
    page.line(vec![plain(format!("  {text}{end}"))], 2);
}

/// The first thing that would help stands under the answer, with its command: whoever reads three lines reads this one.
/// Returns the others.
pub(super) fn add_first_help<'a>(
    page: &mut Page,
    suggestions: &'a [Suggestion],
) -> &'a [Suggestion] {
    let Some((first, others)) = suggestions.split_first() else {
        return &[];
    };
    add_suggestion(page, first, "  ");
    others
}

/// What else would help, numbered.
pub(super) fn add_more_help(page: &mut Page, suggestions: &[Suggestion]) {
    if suggestions.is_empty() {
        return;
    }
    page.blank();
    page.line(vec![(Tone::Label, "What else would help".to_owned())], 0);
    for (index, suggestion) in suggestions.iter().enumerate() {
        add_suggestion(page, suggestion, &format!("  {}. ", index + 1));
    }
}

fn add_suggestion(page: &mut Page, suggestion: &Suggestion, lead: &str) {
    let has_commands = suggestion.commands.iter().any(CommandLine::is_command);
    let end = if has_commands { ":" } else { "." };
    let text = format!("{lead}{}{end}", suggestion.summary);
    page.line(vec![plain(text)], lead.len());
    for line in &suggestion.commands {
        let indent = lead.len() + 2;
        if line.is_command() {
            page.command(indent, &line.to_string());
        } else {
            page.line(vec![plain(format!("{}{line}", " ".repeat(indent)))], indent);
        }
    }
}

/// What Kubernetes says, word for word.
pub(super) fn add_says(page: &mut Page, says: &[Says], refusal: Option<&String>) {
    if says.is_empty() && refusal.is_none() {
        return;
    }
    page.blank();
    for says in says {
        let head = vec![
            (Tone::Label, "Kubernetes says  ".to_owned()),
            plain(format!("{}:", quoted(&says.reason))),
        ];
        page.line(head, 17);
        page.quotation(&says.message);
    }
    if let Some(refusal) = refusal {
        page.line(vec![(Tone::Label, "Kubernetes says".to_owned())], 0);
        page.quotation(refusal);
    }
}

/// What could not be seen.
pub(super) fn add_unknown_kinds(page: &mut Page, unknowns: &[Unknown]) {
    if unknowns.is_empty() {
        return;
    }
    page.blank();
    for unknown in unknowns {
        page.line(
            vec![
                (Tone::Label, "Not seen         ".to_owned()),
                plain(format!("{}: {}", unknown.what, unknown.why)),
            ],
            17,
        );
    }
}

fn add_unknowns(page: &mut Page, explanation: &Explanation) {
    add_unknown_kinds(page, &explanation.unknowns);
    let wanted: Vec<String> = explanation
        .unknowns
        .iter()
        .filter(|unknown| unknown.why == UnknownReason::Forbidden)
        .filter_map(|unknown| match &unknown.remedy {
            Some(UnknownRemedy::List(kind)) => Some(kind.qualified()),
            _ => None,
        })
        .collect();
    if !wanted.is_empty() {
        let claim = &explanation.claim;
        let command = crate::conventions::object_command::command(&[
            "kubectl",
            "pv",
            "explain",
            &claim.name,
            "-n",
            &claim.namespace,
        ]);
        page.line(
            vec![plain(format!(
                "To an administrator: please run `{command}` for me, or let me list {}.",
                wanted.join(", ")
            ))],
            17,
        );
    }
}
