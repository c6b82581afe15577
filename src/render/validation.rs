//! Findings for people: the answer in one sentence, then each with its place, the line, and what to do.

use super::page::{Page, Screen, Tone};
use super::{Format, machine, sarif};
use crate::report::{Finding, FindingSeverity, ValidationReport, plural};
use std::collections::HashMap;
use std::io::{self, Write};
use std::str::FromStr;

/// How to print findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ReportFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For programs and people.
    Yaml,
    /// For code hosts.
    Sarif,
}

impl FromStr for ReportFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" | "table" | "wide" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            "yaml" => Ok(Self::Yaml),
            "sarif" => Ok(Self::Sarif),
            other => Err(format!("`{other}` is no format (table, json, yaml, sarif)")),
        }
    }
}

/// Of one kind of finding about one object, people see no more than this unless all are asked for.
const MOST_ALIKE: usize = 10;

/// Prints what was found.
pub(crate) fn write_validation(
    to: &mut dyn Write,
    report: &ValidationReport,
    format: ReportFormat,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        ReportFormat::Json => machine::write(to, report, Format::Json),
        ReportFormat::Yaml => machine::write(to, report, Format::Yaml),
        ReportFormat::Sarif => machine::write(to, &sarif::log(report), Format::Json),
        ReportFormat::Text => {
            let mut page = Page::default();
            show(&mut page, report, screen);
            page.write(to, screen)
        }
    }
}

fn show(page: &mut Page, report: &ValidationReport, screen: &Screen) {
    page.line(sentence(report), 0);
    let mut alike: HashMap<_, usize> = HashMap::new();
    for finding in &report.findings {
        *alike.entry((&finding.object, finding.code)).or_default() += 1;
    }
    // Whoever reads only the top is to read what matters most; within that the files keep their order.
    let mut ordered: Vec<&Finding> = report.findings.iter().collect();
    ordered.sort_by_key(|finding| finding.severity);
    let mut shown: HashMap<_, usize> = HashMap::new();
    for finding in ordered {
        let key = (&finding.object, finding.code);
        let count = shown.entry(key).or_default();
        *count += 1;
        if *count <= MOST_ALIKE || screen.all {
            show_finding(page, finding);
        } else if *count == MOST_ALIKE + 1 {
            let more = alike[&key] - MOST_ALIKE;
            page.blank();
            let text = format!("and {more} more {} (--all shows them)", finding.code.name());
            page.line(vec![(Tone::Plain, text)], 0);
        }
    }
    if !report.unknowns.is_empty() {
        page.blank();
    }
    for unknown in &report.unknowns {
        let text = format!("  {}: {}", unknown.what, unknown.why);
        page.line(
            vec![(Tone::Label, "Not seen".to_owned()), (Tone::Plain, text)],
            10,
        );
    }
}

/// The answer: valid or not, and how much of what.
fn sentence(report: &ValidationReport) -> Vec<(Tone, String)> {
    let count = |severity| {
        let findings = report.findings.iter();
        findings
            .filter(|finding| finding.severity == severity)
            .count()
    };
    let (errors, warnings) = (
        count(FindingSeverity::Error),
        count(FindingSeverity::Warning),
    );
    let objects = plural(report.checked, "object");
    let mut parts = Vec::new();
    if errors > 0 {
        parts.push(plural(errors, "error"));
    }
    if warnings > 0 {
        parts.push(plural(warnings, "warning"));
    }
    let counted = parts.join(" and ");
    match (errors, warnings, report.checked) {
        (0, 0, 0) => vec![(
            Tone::Wait,
            "Nothing to validate: no object of a kind that storage depends on.".to_owned(),
        )],
        (0, 0, _) => vec![
            (Tone::Good, "Valid".to_owned()),
            (
                Tone::Plain,
                format!(": {objects} checked, nothing is wrong."),
            ),
        ],
        (0, ..) => vec![
            (Tone::Wait, "Valid".to_owned()),
            (Tone::Plain, format!(" with {counted}: {objects} checked.")),
        ],
        _ => vec![
            (Tone::Bad, "Not valid".to_owned()),
            (Tone::Plain, format!(": {counted}, {objects} checked.")),
        ],
    }
}

fn show_finding(page: &mut Page, finding: &Finding) {
    page.blank();
    let (word, tone) = match finding.severity {
        FindingSeverity::Error => ("error", Tone::Bad),
        FindingSeverity::Warning => ("warning", Tone::Wait),
        FindingSeverity::Note => ("note", Tone::Label),
    };
    page.line(
        vec![
            (tone, word.to_owned()),
            (
                Tone::Plain,
                format!(" {}: {}", finding.code.name(), finding.message),
            ),
        ],
        2,
    );
    page.line(
        vec![(Tone::Plain, format!("  {}", whereabouts(finding)))],
        4,
    );
    if let (Some(line), Some(excerpt)) = (finding.line, &finding.excerpt) {
        page.command(2, &format!("{line:>4} | {excerpt}"));
    }
    if let Some(hint) = &finding.hint {
        page.line(
            vec![
                (Tone::Label, "  fix  ".to_owned()),
                (Tone::Plain, hint.to_string()),
            ],
            7,
        );
    }
}

/// The place, the object and the field, as far as there are any.
fn whereabouts(finding: &Finding) -> String {
    let mut parts = Vec::new();
    if let (Some(file), Some(line), Some(column)) = (&finding.file, finding.line, finding.column) {
        parts.push(format!("{file}:{line}:{column}"));
    }
    let object = &finding.object;
    match (&object.namespace, object.kind.as_str()) {
        (_, "") => {}
        (Some(namespace), kind) => parts.push(format!("{kind} {namespace}/{}", object.name)),
        (None, kind) => parts.push(format!("{kind} {}", object.name)),
    }
    parts.extend(finding.field.clone());
    parts.join("  ")
}
