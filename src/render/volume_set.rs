//! `set status`: pools of volumes, what they have, and what would be done about what they lack.

use super::inventory::add_unknowns;
use super::page::{Page, Screen, Tone, Word, plain};
use super::table::Table;
use super::{Format, machine, safe};
use crate::actions::outcome::{Made, Outcome};
use crate::report::{
    Code, CountsAs, SetFinding, VolumeSetReport, VolumeSetStatus, join_and, plural,
};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Of a set that was not named, no more members are listed than this.
const MOST_MEMBERS: usize = 20;

/// Prints pools.
pub(crate) fn write_sets(
    to: &mut dyn Write,
    report: &VolumeSetReport,
    are_named: bool,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => machine::write(to, report, format),
        Format::Name => report.sets.iter().try_for_each(|set| {
            writeln!(to, "persistentvolumeset.kubectl-pv.dev/{}", safe(&set.name))
        }),
        Format::Text | Format::Wide => {
            let mut page = Page::default();
            page.line(headline(&report.sets), 0);
            if !report.sets.is_empty() {
                page.blank();
                page.table(overview(&report.sets));
            }
            // What the first line says of the only set that lacks something is not said again.
            let lacking = report.sets.iter().filter(|set| !is_ready(set)).count();
            for set in &report.sets {
                let told = (lacking == 1 && !is_ready(set)).then(|| main_finding(set));
                let in_full = are_named || format == Format::Wide;
                show(&mut page, set, told.flatten(), in_full, screen);
            }
            add_unknowns(&mut page, &report.unknowns);
            page.write(to, screen)
        }
    }
}

/// How many sets have what they ask for.
fn headline(sets: &[VolumeSetStatus]) -> Vec<Word> {
    let lacking: Vec<&VolumeSetStatus> = sets.iter().filter(|set| !is_ready(set)).collect();
    match (sets, &lacking[..]) {
        ([], _) => vec![plain(
            "There are no sets of volumes: deploy/sample-sets.yaml of kubectl pv has some to start from.",
        )],
        ([set], []) => {
            let told = format!("{} has the volumes it asks for.", set.name);
            vec![(Tone::Good, told)]
        }
        (_, []) => {
            let told = format!(
                "All {} have the volumes they ask for.",
                plural(sets.len(), "set")
            );
            vec![(Tone::Good, told)]
        }
        (_, [set]) => vec![(Tone::Bad, lack(set))],
        _ => {
            let count = lacking.len();
            let told = format!(
                "{count} of {} are not as they are wanted.",
                plural(sets.len(), "set")
            );
            vec![(Tone::Bad, told)]
        }
    }
}

fn is_ready(set: &VolumeSetStatus) -> bool {
    i64::try_from(set.unbound).is_ok_and(|unbound| unbound >= set.minimum_replicas)
        && i64::try_from(set.total).is_ok_and(|total| total <= set.maximum_replicas)
        && !is_invalid(set)
}

fn is_invalid(set: &VolumeSetStatus) -> bool {
    set.findings
        .iter()
        .any(|finding| finding.code == Code::InvalidVolumeSet)
}

/// What keeps a set from being as it is wanted, before all else.
fn main_finding(set: &VolumeSetStatus) -> Option<&SetFinding> {
    let of_set = |finding: &&SetFinding| finding.volume.is_none();
    set.findings.iter().rfind(of_set)
}

/// What one set lacks, as a sentence.
fn lack(set: &VolumeSetStatus) -> String {
    let (name, unbound, minimum) = (&set.name, set.unbound, set.minimum_replicas);
    let finding = main_finding(set).map(|finding| format!("{}: {}", finding.code, finding.message));
    if is_invalid(set) {
        return format!("{name} is not reconciled: {}", finding.unwrap_or_default());
    }
    let next = match (set.next_told.len(), finding) {
        (0, Some(finding)) => finding,
        (0, None) => "nothing would be done about it".to_owned(),
        (count, Some(finding)) => {
            format!("{} would follow; {finding}", plural(count, "step"))
        }
        (count, None) => format!("{} would follow", plural(count, "step")),
    };
    if i64::try_from(set.total).is_ok_and(|total| total > set.maximum_replicas) {
        let (total, maximum) = (set.total, set.maximum_replicas);
        return format!("{name} has {total} volumes, at most {maximum} are wanted; {next}");
    }
    format!("{name} has {unbound} of {minimum} unbound volumes; {next}")
}

fn overview(sets: &[VolumeSetStatus]) -> Table {
    let mut table = Table::new(&[
        "SET",
        "MIN",
        "MAX",
        "TOTAL",
        "UNBOUND",
        "BOUND",
        "OTHER",
        "CAN SERVE",
        "NEXT",
    ]);
    for set in sets {
        let other = set.total.saturating_sub(set.unbound + set.bound);
        let tone = if is_ready(set) { Tone::Good } else { Tone::Bad };
        table.row(vec![
            plain(set.name.clone()),
            plain(set.minimum_replicas.to_string()),
            plain(set.maximum_replicas.to_string()),
            plain(set.total.to_string()),
            (tone, set.unbound.to_string()),
            plain(set.bound.to_string()),
            plain(other.to_string()),
            plain(plural(set.can_serve, "claim")),
            plain(next_in_short(set)),
        ]);
    }
    table
}

fn next_in_short(set: &VolumeSetStatus) -> String {
    match (set.next_told.len(), main_finding(set)) {
        (0, None) => "nothing to do".to_owned(),
        (0, Some(finding)) => format!("nothing: {}", finding.code),
        (count, _) => plural(count, "step"),
    }
}

/// One set: what would be done, what is the matter, and who is in it.
fn show(
    page: &mut Page,
    set: &VolumeSetStatus,
    told: Option<&SetFinding>,
    in_full: bool,
    screen: &Screen,
) {
    let findings = set.findings.iter();
    let findings: Vec<_> = findings.filter(|finding| Some(*finding) != told).collect();
    if findings.is_empty() && set.next_told.is_empty() && !in_full {
        return;
    }
    page.blank();
    page.line(vec![(Tone::Label, set.name.clone()), plain(phases(set))], 0);
    for step in &set.next_told {
        page.line(vec![plain(format!("  next: {step}"))], 4);
    }
    for finding in findings {
        let about = finding.volume.as_ref();
        let about = about.map(|volume| format!("pv/{volume}: "));
        let words = vec![
            plain(format!("  {}", about.unwrap_or_default())),
            (Tone::Wait, finding.code.to_string()),
            plain(format!(": {}", finding.message)),
        ];
        page.line(words, 4);
    }
    if set.would_serve > set.can_serve {
        let told = format!(
            "  afterwards it could serve {}",
            plural(set.would_serve, "pending claim")
        );
        page.line(vec![plain(told)], 4);
    }
    if in_full && !set.members.is_empty() {
        page.table(members(set, screen));
    }
}

/// `: 2 Available, 1 Bound`.
fn phases(set: &VolumeSetStatus) -> String {
    let mut phases: BTreeMap<String, usize> = BTreeMap::new();
    for member in &set.members {
        *phases.entry(member.phase.to_string()).or_default() += 1;
    }
    let told: Vec<String> = phases
        .into_iter()
        .map(|(phase, count)| format!("{count} {phase}"))
        .collect();
    if told.is_empty() {
        return ": no volumes".to_owned();
    }
    format!(": {}", join_and(&told))
}

fn members(set: &VolumeSetStatus, screen: &Screen) -> Table {
    let mut table = Table::new(&["VOLUME", "PHASE", "SIZE", "COUNTS AS"]);
    let most = if screen.all { usize::MAX } else { MOST_MEMBERS };
    for member in set.members.iter().take(most) {
        let tone = match member.counts_as {
            CountsAs::Unbound => Tone::Good,
            CountsAs::Bound => Tone::Plain,
            CountsAs::Other => Tone::Wait,
        };
        table.row(vec![
            plain(member.name.clone()),
            plain(member.phase.to_string()),
            plain(member.capacity.clone()),
            (tone, member.counts_as.name().to_owned()),
        ]);
    }
    if set.members.len() > most {
        let more = set.members.len() - most;
        table.row(vec![
            plain(format!("{more} more")),
            plain(String::new()),
            plain(String::new()),
            plain("(--all shows them)"),
        ]);
    }
    table
}

/// Prints what a watcher did: a line for each volume. What is left alone `set status` tells, and not again and again.
pub(crate) fn write_steps(
    to: &mut dyn Write,
    outcome: &Outcome,
    now: &str,
    format: Format,
) -> io::Result<()> {
    if matches!(format, Format::Json | Format::Yaml) {
        return machine::write(to, outcome, format);
    }
    for (index, errand) in outcome.errands.iter().enumerate() {
        let of_it = |made: &&Made| made.change.errand == index;
        let changes = || outcome.changes.iter().filter(of_it);
        if errand.deed.is_aside() || changes().next().is_none() {
            continue;
        }
        let (set, volume, what) = (
            errand.deed.set().unwrap_or_default(),
            &errand.volume,
            &errand.what,
        );
        let error = changes().find(|made| made.is_open()).map(|made| {
            let why = made.error.as_deref().unwrap_or("not reached");
            format!("{set}: {volume} could not be {what}: {why}")
        });
        let told = match (format, error) {
            (Format::Name, Some(_)) => continue,
            (Format::Name, None) => format!("persistentvolume/{volume}"),
            (_, Some(error)) => format!("{now} {error}"),
            (_, None) => format!("{now} {set}: {volume} {what}"),
        };
        writeln!(to, "{}", safe(&told))?;
    }
    Ok(())
}
