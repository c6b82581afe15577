//! What may go, as a table: the object, since when, how much it holds, why, and how sure that is.

use super::inventory::add_unknowns;
use super::page::{Page, Screen, Tone, Word, plain};
use super::table::Table;
use super::words::age;
use super::{Format, machine};
use crate::conventions::command_line::CommandLine;
use crate::conventions::foreign::safe;
use crate::conventions::quantity::Quantity;
use crate::model::Time;
use crate::report::{
    CleanupCategory, CleanupFinding, CleanupObject, CleanupReport, Confidence, KeptObject, few_of,
    join_and, plural,
};
use std::collections::HashSet;
use std::io::{self, Write};

/// What to do about it.
pub(crate) struct CleanupAdvice {
    /// The command that acts.
    pub(crate) act: CommandLine,
    /// What it would act on.
    pub(crate) goes: Vec<String>,
    /// Whether data is lost by that.
    pub(crate) loses_data: bool,
    /// The categories that are acted on only if they are named, and the command for each.
    pub(crate) named: Vec<(CleanupCategory, CommandLine)>,
}

/// Prints what may go; what was kept only as far as it is asked for.
pub(crate) fn write_cleanup(
    to: &mut dyn Write,
    report: &CleanupReport,
    advice: &CleanupAdvice,
    show_kept: bool,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => machine::write(to, report, format),
        Format::Name => write_names(to, report),
        Format::Text | Format::Wide => {
            let mut page = Page::default();
            for skipped in &report.skipped {
                let told = format!("Nothing is selected: {}.", skipped.message);
                page.line(vec![(Tone::Wait, told)], 0);
            }
            add_findings(&mut page, report, format == Format::Wide);
            add_kept(&mut page, report, show_kept);
            add_summary(&mut page, report);
            if !report.findings.is_empty() {
                add_recreations(&mut page, report);
                add_advice(&mut page, advice, format == Format::Wide);
            }
            add_refused(&mut page, report);
            add_unknowns(&mut page, &report.unknowns);
            page.write(to, screen)
        }
    }
}

/// Each object once, in the order of the findings.
fn write_names(to: &mut dyn Write, report: &CleanupReport) -> io::Result<()> {
    let mut told = HashSet::new();
    for finding in &report.findings {
        let object = &finding.object;
        if told.insert(object) {
            let kind = object.kind.qualified_name();
            writeln!(to, "{kind}/{}", safe(&object.name))?;
        }
    }
    Ok(())
}

/// As people write it: `pvc/prod/data`.
pub(crate) fn spell_object(object: &CleanupObject) -> String {
    let kind = object.kind.short_name();
    match &object.namespace {
        Some(namespace) => format!("{kind}/{namespace}/{}", object.name),
        None => format!("{kind}/{}", object.name),
    }
}

fn add_findings(page: &mut Page, report: &CleanupReport, is_wide: bool) {
    let has_times = report.findings.iter().any(|found| found.since.is_some());
    let mut heads = vec!["OBJECT"];
    heads.extend(has_times.then_some("SINCE"));
    heads.extend(["FREES", "POLICY", "WHY", "SURE"]);
    heads.extend(
        is_wide
            .then_some(["CATEGORY", "COMMAND"])
            .into_iter()
            .flatten(),
    );
    let mut table = Table::new(&heads).wrapping_everywhere();
    for found in &report.findings {
        table.row(row(report, found, has_times, is_wide));
    }
    if !table.is_empty() {
        page.table(table);
    }
}

fn row(
    report: &CleanupReport,
    found: &CleanupFinding,
    has_times: bool,
    is_wide: bool,
) -> Vec<Word> {
    let or_none = |text: Option<String>| plain(text.unwrap_or_else(|| "<none>".to_owned()));
    let mut cells = vec![plain(spell_object(&found.object))];
    if has_times {
        let since = found.since.map(|since| how_long(report.captured_at, since));
        cells.push(plain(since.unwrap_or_else(|| "<unknown>".to_owned())));
    }
    cells.push(or_none(found.frees.clone()));
    cells.push(or_none(found.policy.clone()));
    cells.push(plain(&found.reason));
    cells.push(match found.confidence {
        Confidence::Certain => (Tone::Good, "certain".to_owned()),
        Confidence::Likely => (Tone::Wait, "likely".to_owned()),
        Confidence::Unsure => (Tone::Bad, "unsure".to_owned()),
    });
    if is_wide {
        cells.push(plain(found.category.name()));
        cells.push(if found.recreates {
            plain("<below>")
        } else {
            let commands: Vec<String> = found.commands.iter().map(ToString::to_string).collect();
            (Tone::Command, commands.join(" && "))
        });
    }
    cells
}

/// How long ago it was; in files, which have no moment, the day.
fn how_long(now: Option<Time>, since: Time) -> String {
    match now {
        Some(now) => age(now.0.saturating_sub(since.0)),
        None => since.to_string().chars().take(10).collect(),
    }
}

fn add_kept(page: &mut Page, report: &CleanupReport, show_kept: bool) {
    if show_kept {
        let mut table = Table::new(&["KEPT", "CODE", "WHY"]);
        for kept in &report.kept {
            table.row(vec![
                plain(spell_object(&kept.object)),
                plain(kept.code.name()),
                plain(&kept.why),
            ]);
        }
        if !table.is_empty() {
            if !report.findings.is_empty() {
                page.blank();
            }
            page.table(table);
            page.blank();
        }
        return;
    }
    let mut kept: Vec<&KeptObject> = report.kept.iter().filter(|kept| !kept.is_obvious).collect();
    // Claims first: they are what people fear for.
    kept.sort_by_key(|kept| kept.object.namespace.is_none());
    let Some(first) = kept.first() else {
        return;
    };
    let more = match report.kept.len() - 1 {
        0 => " (--show-kept)".to_owned(),
        more => format!(", {more} more (--show-kept)"),
    };
    let text = format!("{} ({}){more}.", spell_object(&first.object), first.why);
    page.line(vec![(Tone::Label, "Kept: ".to_owned()), plain(text)], 6);
}

fn add_summary(page: &mut Page, report: &CleanupReport) {
    let count = report.findings.len();
    if !report.skipped.is_empty() {
        // The first line says why there is nothing.
        return;
    }
    if count == 0 {
        let text = if report.refused.is_empty() {
            "There is nothing to clean up."
        } else {
            "Nothing was found in what could be decided."
        };
        page.line(vec![(Tone::Good, text.to_owned())], 2);
        return;
    }
    let frees = Quantity::parse(&report.frees).map_or(0, |frees| frees.ceil_units());
    let frees = if frees == 0 {
        String::new()
    } else {
        format!(", {}", about(frees))
    };
    let text = format!("{}{frees}. Nothing was changed.", plural(count, "finding"));
    page.line(vec![plain(text)], 2);
}

/// A sum of sizes in the unit of the largest, rounded to the nearest hundredth: `2.05Ti`.
fn about(bytes: i128) -> String {
    const UNITS: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let unit = (1..UNITS.len())
        .rev()
        .find(|power| bytes >> (10 * power) > 0)
        .unwrap_or(0);
    let scale = 1_i128 << (10 * unit);
    let hundredths = (bytes * 100 + scale / 2) / scale;
    let number = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    let number = number.trim_end_matches('0').trim_end_matches('.');
    format!("{number}{}", UNITS[unit])
}

/// Each on a line of its own, so that it can be copied.
fn add_recreations(page: &mut Page, report: &CleanupReport) {
    for found in report.findings.iter().filter(|found| found.recreates) {
        let object = spell_object(&found.object);
        let text =
            format!("  Create a volume for {object} again, with its data and policy Retain:");
        page.line(vec![plain(text)], 4);
        for command in &found.commands {
            page.command(4, &command.to_string());
        }
    }
}

impl CleanupAdvice {
    /// The commands that are printed.
    pub(crate) fn commands(&self) -> Vec<CommandLine> {
        let act = (!self.goes.is_empty()).then(|| self.act.clone());
        let named = self.named.iter().map(|(_, command)| command.clone());
        act.into_iter().chain(named).collect()
    }
}

fn add_advice(page: &mut Page, advice: &CleanupAdvice, is_wide: bool) {
    if !advice.goes.is_empty() {
        let goes = join_and(&few_of(&advice.goes, advice.goes.len()));
        let risk = match (advice.loses_data, advice.goes.len()) {
            (true, 1) => "and delete its data",
            (true, _) => "and delete their data",
            (false, _) => "without losing data",
        };
        page.line(vec![plain(format!("  Act on {goes}, {risk}:"))], 4);
        page.command(4, &advice.act.to_string());
    }
    for (category, acting) in &advice.named {
        page.line(vec![plain(format!("  {}:", act_of(*category)))], 4);
        page.command(4, &acting.to_string());
    }
    if !is_wide {
        let text = if advice.goes.is_empty() && advice.named.is_empty() {
            "None of them is acted on by this command as it was called. The command for each:  "
        } else {
            "The command for each, by hand:  "
        };
        let wide = (Tone::Command, "-o wide".to_owned());
        page.line(vec![plain(text), wide], 2);
    }
}

/// What `--yes` does to a category that must be named, and what it risks.
fn act_of(category: CleanupCategory) -> &'static str {
    match category {
        CleanupCategory::LostClaims => "Delete the Lost claims; no data is deleted with them",
        CleanupCategory::UnusedClaims => {
            "Delete the unused claims, and with policy Delete their data"
        }
        CleanupCategory::LeftoverAttachments => {
            "Delete the leftover attachments, which detaches their volumes"
        }
        CleanupCategory::LeakedAssets => {
            "Delete the leaked assets that are empty and had policy Delete"
        }
        CleanupCategory::Unreachable => {
            "Delete the objects of unreachable volumes with policy Delete; their data stays on its disk"
        }
        CleanupCategory::Released | CleanupCategory::Failed | CleanupCategory::DuplicateVolumes => {
            "Act on these volumes by their policies"
        }
    }
}

fn add_refused(page: &mut Page, report: &CleanupReport) {
    if !report.refused.is_empty() {
        page.blank();
    }
    for refused in &report.refused {
        let text = format!("{}: {}", refused.category.name(), refused.why);
        let label = (Tone::Label, "Not decided  ".to_owned());
        page.line(vec![label, plain(text)], 13);
    }
}

#[cfg(test)]
mod tests {
    use super::about;

    #[test]
    fn a_sum_is_told_to_the_hundredth() {
        let gi = 1_i128 << 30;
        assert_eq!(about(2048 * gi + 50 * gi), "2.05Ti");
        assert_eq!(about(2048 * gi), "2Ti");
        assert_eq!(about(gi / 2), "512Mi");
        assert_eq!(about(1_000), "1000");
        assert_eq!(about(i128::from(i64::MAX)), "8Ei");
    }
}
