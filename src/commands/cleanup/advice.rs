//! What to do about a report, for people: the command that acts on it, and the one for what goes only when it is named.

use super::super::backend_answers::plan_with;
use super::super::explain::aim;
use super::super::writing::{add_flags, add_switches};
use super::Args;
use crate::actions::cleanup::{
    COMMAND, ChosenRows, CleanupWish, Found, goes_unnamed, plan_cleanup,
};
use crate::actions::memory::Memory;
use crate::actions::plan::Change;
use crate::conventions::command_line::CommandLine;
use crate::engine::{Assets, CleanupQuestion};
use crate::flags::ConnectionFlags;
use crate::model::{ClusterState, Host};
use crate::render::CleanupAdvice;
use crate::report::{CleanupCategory, CleanupFinding, CleanupReport, Confidence, Danger};
use crate::storage::Backends;
use std::collections::BTreeSet;
use std::time::Duration;

pub(super) fn give(
    args: &Args,
    connection: &ConnectionFlags,
    state: &ClusterState,
    question: &CleanupQuestion<'_>,
    report: &CleanupReport,
    backends: &Backends,
    host: Option<&Host>,
) -> CleanupAdvice {
    let wish = CleanupWish {
        named: args.categories(),
        include_likely: args.act.include_likely,
        only_old: args.older_than.is_some(),
        assets: BTreeSet::new(),
        host,
    };
    let (goes, loses_data) = if backends.is_empty() && args.category.is_empty() {
        // Without a backend nothing goes that is not named.
        (vec![], false)
    } else {
        let found = Found {
            report,
            assets: &question.assets.found,
        };
        let chosen = ChosenRows::of(state, report);
        let asked = (&wish, &Memory::default());
        let plan = plan_with(backends, |facts| {
            plan_cleanup(state, &found, &chosen, asked, facts)
        });
        let objects = plan
            .errands
            .iter()
            .map(crate::actions::plan::Errand::object);
        let changes = plan.changes.iter();
        let is_loss = |change: &Change| change.danger == Danger::LosesData;
        (objects.collect(), changes.into_iter().any(is_loss))
    };
    let rows = || rows_to_name(args, report, &question.assets);
    // Where it is not known since when, only --include-likely acts.
    let is_aged = |found: &CleanupFinding| args.older_than.is_none() || found.since.is_some();
    let is_sure =
        |found: &&CleanupFinding| found.confidence == Confidence::Certain && is_aged(found);
    let sure: BTreeSet<CleanupCategory> = rows().filter(is_sure).map(|it| it.category).collect();
    let likely = rows().filter(|found| !is_sure(found));
    let likely: BTreeSet<CleanupCategory> = likely
        .map(|found| found.category)
        .filter(|category| !sure.contains(category))
        .collect();
    let named = [(sure, args.act.include_likely), (likely, true)].into_iter();
    CleanupAdvice {
        act: acting_command(
            args,
            connection,
            &args.categories(),
            args.act.include_likely,
        ),
        goes,
        loses_data,
        named: named
            .flat_map(|(categories, include_likely)| {
                let each = categories.into_iter();
                each.map(move |category| (category, include_likely))
            })
            .map(|(category, include_likely)| {
                let alone = BTreeSet::from([category]);
                let command = acting_command(args, connection, &alone, include_likely);
                (category, command)
            })
            .collect(),
    }
}

/// What would go if it were named, and as sure as that takes.
fn rows_to_name<'a>(
    args: &'a Args,
    report: &'a CleanupReport,
    assets: &'a Assets,
) -> impl Iterator<Item = &'a CleanupFinding> {
    let is_kept = |found: &CleanupFinding| {
        let name = &found.object.name;
        let asset = assets.found.iter().find(|asset| asset.name == *name);
        found.category == CleanupCategory::LeakedAssets
            && asset.is_none_or(|asset| !asset.is_disposable())
    };
    let is_sure_enough = |found: &CleanupFinding| match found.confidence {
        Confidence::Certain => true,
        // What is Bound never goes.
        Confidence::Likely => found.category != CleanupCategory::Unreachable,
        Confidence::Unsure => false,
    };
    let is_for_it = |category: CleanupCategory| {
        !goes_unnamed(category) && category != CleanupCategory::DuplicateVolumes
    };
    report.findings.iter().filter(move |found| {
        let is_told = !args.category.is_empty()
            && (args.act.include_likely || found.confidence == Confidence::Certain);
        is_for_it(found.category) && !is_told && is_sure_enough(found) && !is_kept(found)
    })
}

/// The command that acts on these categories.
fn acting_command(
    args: &Args,
    connection: &ConnectionFlags,
    categories: &BTreeSet<CleanupCategory>,
    include_likely: bool,
) -> CommandLine {
    let mut words = rerun_words(args, connection, categories, include_likely);
    words.extend(args.backends.words());
    let words = words.iter().map(String::as_str);
    let words: Vec<&str> = ["kubectl", "pv", COMMAND]
        .into_iter()
        .chain(words)
        .chain(["--yes"])
        .collect();
    let mut acting = CommandLine::of(&words);
    aim(&mut acting, connection);
    acting
}

/// The flags that find the same objects again, of these categories.
pub(super) fn rerun_words(
    args: &Args,
    connection: &ConnectionFlags,
    categories: &BTreeSet<CleanupCategory>,
    include_likely: bool,
) -> Vec<String> {
    let names: Vec<&str> = categories.iter().map(|category| category.name()).collect();
    let category = Some(names.join(",")).filter(|names| !names.is_empty());
    let age = args.older_than.map(spell_age);
    let mut words = Vec::new();
    let files = args.source.filename.iter();
    let files: Vec<_> = files.map(|file| ("-f", Some(file.as_str()))).collect();
    add_flags(&mut words, &files);
    let is_recursive = args.source.recursive && !files.is_empty();
    add_switches(&mut words, &[("-R", is_recursive)]);
    let namespace = connection.namespace().filter(|_| !args.all_namespaces);
    let flags = [
        ("-n", namespace),
        ("--category", category.as_deref()),
        ("--older-than", age.as_deref()),
    ];
    add_flags(&mut words, &flags);
    words.extend(args.selection.words());
    let switches = [
        ("-A", args.all_namespaces),
        ("--include-likely", include_likely),
    ];
    add_switches(&mut words, &switches);
    let assets = args.act.asset.iter();
    let assets: Vec<_> = assets
        .map(|name| ("--asset", Some(name.as_str())))
        .collect();
    add_flags(&mut words, &assets);
    words
}

/// An age as it is given on the command line.
fn spell_age(age: Duration) -> String {
    let seconds = age.as_secs();
    let units = [("d", 24 * 60 * 60), ("h", 60 * 60), ("m", 60)];
    let whole = units
        .iter()
        .find(|(_, worth)| seconds.is_multiple_of(*worth));
    match whole {
        Some((unit, worth)) if seconds > 0 => format!("{}{unit}", seconds / worth),
        _ => format!("{seconds}s"),
    }
}
