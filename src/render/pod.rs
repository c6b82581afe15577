//! One pod for people: the verdict, then a matrix of nodes and claims, then what the scheduler's sentence hides.

use super::claim::{
    add_advice, add_first_help, add_more_help, add_says, add_unknown_kinds, labelled,
};
use super::nodes::name_of;
use super::page::{Page, Screen, Tone, Word, plain};
use super::table::Table;
use crate::conventions::foreign::quoted;
use crate::conventions::object_command::command;
use crate::report::{
    Code, Explanation, NodeAssessment, NodeReason, PodCause, PodExplanation, PodVerdict, Severity,
    Verdict, join_and, plural, volumes_in_words,
};
use std::collections::BTreeMap;

/// More rows than this are not read; nodes that are alike share one.
const MOST_ROWS: usize = 20;

/// Everything about one pod.
pub(super) fn in_full(page: &mut Page, explanation: &PodExplanation, screen: &Screen) {
    let sentence = sentence(explanation);
    let first_line: String = sentence.iter().map(|(_, text)| text.as_str()).collect();
    page.line(sentence, 2);
    let suggestions = suggestions(explanation);
    let more = add_first_help(page, &suggestions);
    let main_hint = explanation
        .causes
        .first()
        .filter(|cause| cause.severity() == Severity::Blocker && suggestions.is_empty())
        .and_then(PodCause::hint);
    if let Some(hint) = &main_hint {
        add_advice(page, hint);
    }
    if !explanation.nodes.is_empty() {
        page.blank();
        add_matrix(page, explanation, screen);
    }
    if !explanation.causes.is_empty() || !explanation.claims.is_empty() {
        page.blank();
    }
    for cause in &explanation.causes {
        let hint = cause.hint().filter(|hint| main_hint.as_ref() != Some(hint));
        add_cause(page, cause, &first_line, hint);
    }
    add_claims(page, explanation, &first_line);
    add_more_help(page, more);
    add_says(page, &explanation.kubernetes_says, None);
    add_unknown_kinds(page, &explanation.unknowns);
}

/// One pod among many.
pub(super) fn in_short(page: &mut Page, explanation: &PodExplanation) {
    page.line(sentence(explanation), 2);
}

fn tone(verdict: PodVerdict) -> Tone {
    match verdict {
        PodVerdict::Scheduled | PodVerdict::Schedulable => Tone::Good,
        PodVerdict::Waiting | PodVerdict::Unknown => Tone::Wait,
        PodVerdict::Unschedulable => Tone::Bad,
    }
}

fn sentence(explanation: &PodExplanation) -> Vec<Word> {
    let pod = &explanation.pod;
    let main = explanation.causes.first();
    let blocker = main.filter(|cause| cause.severity() == Severity::Blocker);
    let (said, tone, rest) = match explanation.verdict {
        PodVerdict::Scheduled => match blocker {
            Some(cause) => ("cannot start", Tone::Bad, format!(": {}.", cause.message())),
            None => (
                "has a node",
                tone(explanation.verdict),
                match &pod.node_name {
                    Some(node) => {
                        format!(
                            ": {node}; nothing is seen that keeps its volumes from it.",
                            node = quoted(node)
                        )
                    }
                    None => ".".to_owned(),
                },
            ),
        },
        PodVerdict::Schedulable => schedulable(explanation),
        PodVerdict::Unschedulable => (
            "cannot be placed",
            tone(explanation.verdict),
            format!(
                ": {}.",
                main.map(|cause| why_not_placed(cause, !explanation.claims.is_empty()))
                    .unwrap_or_default()
            ),
        ),
        PodVerdict::Waiting => (
            "waits",
            tone(explanation.verdict),
            format!(": {}.", main.map(PodCause::message).unwrap_or_default()),
        ),
        PodVerdict::Unknown => (
            "cannot be answered for certain",
            tone(explanation.verdict),
            format!(": {}.", main.map(PodCause::message).unwrap_or_default()),
        ),
    };
    vec![
        (Tone::Label, format!("{}/{} ", pod.namespace, pod.name)),
        (tone, said.to_owned()),
        plain(rest),
    ]
}

/// The scheduler finds a node; whether the pod then starts is another question.
fn schedulable(explanation: &PodExplanation) -> (&'static str, Tone, String) {
    let stuck = explanation.claims.iter().find(|claim| {
        matches!(
            claim.verdict,
            Verdict::Blocked | Verdict::Lost | Verdict::Rejected
        )
    });
    if let Some(claim) = stuck {
        let why = claim
            .causes
            .first()
            .map(|cause| cause.cause.message())
            .unwrap_or_default();
        return (
            "gets a node and will not start",
            Tone::Bad,
            format!(": claim {} stays Pending, {why}.", claim.claim.name),
        );
    }
    let open: Vec<String> = explanation
        .nodes
        .iter()
        .filter(|node| node.feasible && node.reasons.iter().all(NodeReason::is_about_volumes))
        .map(|node| node.name.clone())
        .collect();
    let total = explanation.nodes.len();
    let on = match open.len() {
        1 => format!("on {} only ({})", open[0], plural(total, "node")),
        n if n == total => format!("on any of {}, as far as volumes decide", plural(n, "node")),
        n if n <= 4 => format!(
            "on {} (of {})",
            volumes_in_words(&open),
            plural(total, "node")
        ),
        n => format!("on {n} of {}", plural(total, "node")),
    };
    if explanation.causes.contains(&PodCause::ChanceDecides) {
        let rest = format!(
            ", {on}, or not: Kubernetes takes any of several volumes, and not all will do."
        );
        return ("may be placed", Tone::Wait, rest);
    }
    ("can be placed", Tone::Good, format!(", {on}."))
}

fn why_not_placed(cause: &PodCause, has_claims: bool) -> String {
    match cause {
        PodCause::NoFeasibleNode { because: None, .. } if has_claims => {
            "no node has volumes for all its claims".to_owned()
        }
        other => other.message(),
    }
}

fn add_cause(page: &mut Page, cause: &PodCause, first_line: &str, hint: Option<String>) {
    let label = match cause.severity() {
        Severity::Blocker => "Cause",
        Severity::Warning => "Careful",
        Severity::Note => "Note",
    };
    let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
    let message = cause.message();
    let told = if first_line.contains(&message) {
        String::new()
    } else {
        format!(": {message}")
    };
    labelled(page, label, format!("{}{told}{hint}", cause.code()));
}

/// Claims that are not simply bound are told in a line each.
fn add_claims(page: &mut Page, explanation: &PodExplanation, first_line: &str) {
    for claim in &explanation.claims {
        let told = match claim.verdict {
            Verdict::Bound | Verdict::WillBind if explanation.nodes.is_empty() => {
                let verb = if claim.verdict == Verdict::Bound {
                    "bound to"
                } else {
                    "will bind to"
                };
                format!(
                    "{} {verb} {}",
                    claim.claim.name,
                    volumes_in_words(&claim.outcomes)
                )
            }
            Verdict::Blocked if is_for_want_of_a_node(claim) => continue,
            Verdict::Blocked | Verdict::Lost | Verdict::Rejected | Verdict::Unknown => {
                let first = claim.causes.first();
                let code = first.map(|cause| cause.cause.code().name());
                let main = first
                    .map(|cause| cause.cause.message())
                    .filter(|message| !first_line.contains(message))
                    .map(|message| format!(": {message}"))
                    .unwrap_or_default();
                let about = &claim.claim;
                let words = [
                    "kubectl",
                    "pv",
                    "explain",
                    &about.name,
                    "-n",
                    &about.namespace,
                ];
                format!(
                    "{} stays Pending ({}){main}; see {}",
                    about.name,
                    code.unwrap_or_default(),
                    command(&words)
                )
            }
            _ => continue,
        };
        labelled(page, "Claim", told);
    }
}

/// The matrix has told it.
fn is_for_want_of_a_node(claim: &Explanation) -> bool {
    let main = claim.causes.first();
    let told = [
        Code::NoFeasibleNode,
        Code::ConsumerBypassesScheduler,
        Code::SelectedNodeMissing,
    ];
    main.is_some_and(|cause| told.contains(&cause.cause.code()))
}

fn suggestions(explanation: &PodExplanation) -> Vec<crate::report::Suggestion> {
    let of_claims = explanation
        .claims
        .iter()
        .flat_map(|claim| &claim.suggestions);
    let mut all: Vec<_> = explanation.suggestions.clone();
    if explanation.verdict != PodVerdict::Schedulable {
        all.extend(of_claims.cloned());
    }
    let mut unlike: Vec<crate::report::Suggestion> = Vec::new();
    for suggestion in all {
        if !unlike
            .iter()
            .any(|known| known.commands == suggestion.commands)
        {
            unlike.push(suggestion);
        }
    }
    unlike.truncate(4);
    unlike
}

/// A row for each node, or for each kind of node where many are alike.
fn add_matrix(page: &mut Page, explanation: &PodExplanation, screen: &Screen) {
    let claims: Vec<&Explanation> = explanation.claims.iter().collect();
    let has_other = explanation
        .nodes
        .iter()
        .any(|node| !node_wide(node).is_empty());
    let mut heads: Vec<String> = vec!["NODE".to_owned()];
    heads.extend(claims.iter().map(|claim| match &claim.claim.requested {
        Some(size) => format!("{}, {size}", claim.claim.name),
        None => claim.claim.name.clone(),
    }));
    if has_other {
        heads.push("THE NODE ITSELF".to_owned());
    }
    let mut table = Table::with_heads(heads).wrapping_everywhere();
    let mut rows: BTreeMap<usize, (Vec<Word>, Vec<&str>)> = BTreeMap::new();
    for node in &explanation.nodes {
        let mut cells: Vec<Word> = claims
            .iter()
            .map(|claim| cell(node, claim, screen))
            .collect();
        if has_other {
            cells.push(plain(node_wide(node)));
        }
        let next = rows.len();
        match rows.values_mut().find(|(known, _)| *known == cells) {
            Some((_, names)) => names.push(&node.name),
            None => {
                rows.insert(next, (cells, vec![&node.name]));
            }
        }
    }
    let total = rows.len();
    let shown = if screen.all { total } else { MOST_ROWS };
    for (mut cells, names) in rows.into_values().take(shown) {
        cells.insert(0, plain(name_of(&names)));
        table.row(cells);
    }
    page.table(table);
    if total > shown {
        page.line(
            vec![plain(format!(
                "{} more kinds of node (--all shows them)",
                total - shown
            ))],
            2,
        );
    }
}

/// What is said of the node as a whole.
fn node_wide(node: &NodeAssessment) -> String {
    let all: Vec<String> = node
        .reasons
        .iter()
        .filter(|reason| reason.claim().is_none())
        .map(NodeReason::message)
        .collect();
    join_and(&all)
}

fn cell(node: &NodeAssessment, claim: &Explanation, screen: &Screen) -> Word {
    let name = &claim.claim.name;
    let mark = |good: bool| match (good, screen.unicode) {
        (true, true) => "✓",
        (true, false) => "yes,",
        (false, true) => "✗",
        (false, false) => "no,",
    };
    let against: Vec<String> = node
        .reasons
        .iter()
        .filter(|reason| reason.claim() == Some(name))
        .map(NodeReason::message)
        .collect();
    if !against.is_empty() && !node.feasible {
        return (Tone::Bad, format!("{} {}", mark(false), join_and(&against)));
    }
    if let Some(volumes) = node.bindings.get(name) {
        let sizes: Vec<&str> = claim
            .volumes
            .iter()
            .filter(|volume| volumes.contains(&volume.name))
            .map(|volume| volume.capacity.as_str())
            .collect();
        let size = match &sizes[..] {
            [only] => format!(" ({only})", only = quoted(only)),
            _ => String::new(),
        };
        return (
            Tone::Good,
            format!("{} {}{size}", mark(true), volumes_in_words(volumes)),
        );
    }
    if node.provisions.contains(name) {
        return (Tone::Good, format!("{} a new volume", mark(true)));
    }
    plain("-")
}
