//! What a claim gets on each node, told in a few lines: nodes that are alike share one.

use super::page::{Page, Screen, Tone};
use super::table::Table;
use crate::report::{Explanation, NodeAssessment, NodeReason, Verdict, join_and, volumes_in_words};

/// More rows than this are not read.
const MOST_ROWS: usize = 12;

/// A table of nodes, where they are what decides.
pub(super) fn add(page: &mut Page, explanation: &Explanation, screen: &Screen) {
    let decides = matches!(explanation.verdict, Verdict::Waiting | Verdict::Blocked);
    if explanation.nodes.is_empty() || !decides {
        return;
    }
    let mut rows: Vec<(Tone, String, Vec<&str>)> = Vec::new();
    for node in &explanation.nodes {
        let (tone, text) = cell(node, explanation);
        match rows.iter_mut().find(|(_, known, _)| *known == text) {
            Some((_, _, names)) => names.push(&node.name),
            None => rows.push((tone, text, vec![&node.name])),
        }
    }
    let total = rows.len();
    let shown = if screen.all { total } else { MOST_ROWS };
    let mut table = Table::new(&["NODE", "A POD THERE"]);
    for (tone, text, names) in rows.into_iter().take(shown) {
        table.row(vec![(Tone::Plain, name_of(&names)), (tone, text)]);
    }
    page.blank();
    page.table(table);
    if total > shown {
        let more = format!("{} more kinds of node (--all shows them)", total - shown);
        page.line(vec![(Tone::Plain, more)], 2);
    }
}

/// The name of a row: one node, two, or one of many.
pub(super) fn name_of(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first, second] => format!("{first}, {second}"),
        [first, ..] => format!("{first} and {} like it", names.len() - 1),
    }
}

fn cell(node: &NodeAssessment, explanation: &Explanation) -> (Tone, String) {
    let name = &explanation.claim.name;
    if node.feasible {
        let others: Vec<String> = node
            .reasons
            .iter()
            .filter(|reason| !reason.is_about_volumes())
            .map(NodeReason::message)
            .collect();
        let but = if others.is_empty() {
            String::new()
        } else {
            format!(", but {}", join_and(&others))
        };
        let gets = match node.bindings.get(name) {
            Some(volumes) => volumes_in_words(volumes),
            None => "a new volume".to_owned(),
        };
        return (Tone::Good, format!("would get {gets}{but}"));
    }
    let own: Vec<String> = node
        .reasons
        .iter()
        .filter(|reason| reason.claim().is_none_or(|claim| claim == name))
        .map(NodeReason::message)
        .collect();
    if !own.is_empty() {
        return (Tone::Bad, format!("gets nothing: {}", join_and(&own)));
    }
    let others: Vec<String> = node
        .reasons
        .iter()
        .filter_map(|reason| Some(format!("{}: {}", reason.claim()?, reason.message())))
        .collect();
    (
        Tone::Bad,
        format!("cannot run for want of {}", join_and(&others)),
    )
}
