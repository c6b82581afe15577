//! `cleanup`: what nobody needs any more, with why, how sure that is, and the command that removes it.

mod leaked;

use super::explain::aim;
use crate::conventions::selector::LabelSelector;
use crate::engine::{Assets, CleanupQuestion, find_leftovers};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{BackendFlags, ConnectionFlags, OutputFlags, SourceFlags, parse_age};
use crate::load::{Loaded, Subject};
use crate::model::{Kind, Time};
use crate::render::{safe, write_cleanup};
use crate::report::{CleanupCategory, CleanupReport, join_or};
use crate::session::{ScopeAsked, Session};
use crate::storage::Backend;
use std::collections::BTreeSet;
use std::time::Duration;

/// Find volumes, claims, attachments and assets that nobody needs any more
///
/// Says why each may go, how sure that is, what it would free and the command for it; and what only looks like it. Nothing is
/// changed. All namespaces, or one (-n) with the volumes that are its claims' or nobody's.
/// What has the annotation kubectl-pv.dev/keep is left out.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv cleanup
  kubectl pv cleanup --older-than 30d --class fast
  kubectl pv cleanup -n prod --category unused-claims --show-kept
  kubectl pv cleanup --category released,failed --fail-on-findings -o json
  kubectl pv cleanup --category leaked-assets --backend example.com/scratch=hostpath:/srv/volumes")]
pub(crate) struct Args {
    /// Look for this only: released, failed, lost-claims, unused-claims, unreachable, leftover-attachments, duplicate-volumes or leaked-assets; may be repeated [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = parse_category)]
    category: Vec<CleanupCategory>,

    /// Leave out what has been so for less than this: such as 30d, 2w or 12h. What does not say since when stays
    #[arg(long, value_name = "TIME", value_parser = parse_age)]
    older_than: Option<Duration>,

    /// Leave out what does not have these labels, as in kubectl
    #[arg(short = 'l', long, value_name = "LABELS", value_parser = LabelSelector::parse)]
    selector: Option<LabelSelector>,

    /// Leave out what is of another class
    #[arg(long, value_name = "NAME")]
    class: Option<String>,

    /// Look at all namespaces, which is what it does without -n
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// List what was left alone, and why
    #[arg(long)]
    show_kept: bool,

    /// End with status 1 if anything was found
    #[arg(long)]
    fail_on_findings: bool,

    #[command(flatten)]
    act: ActFlags,

    #[command(flatten)]
    backends: BackendFlags,

    #[command(flatten)]
    source: SourceFlags,

    #[command(flatten)]
    output: OutputFlags,
}

// What is to be done about it. (A doc comment would become the help of the command.)
#[derive(clap::Args)]
struct ActFlags {
    /// Act on what was found
    #[arg(short, long, hide = true)]
    yes: bool,

    /// Act also on what is not certain
    #[arg(long, hide = true)]
    include_likely: bool,
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    if args.act.yes || args.act.include_likely {
        return Err(CommandError::usage(
            "cleanup only reports so far: acting on it (--yes) is not built yet",
        )
        .with_hints(["the command for each finding:  kubectl pv cleanup -o wide".to_owned()]));
    }
    let backends = args.backends.open(&session.environment, None)?;
    for warning in backends.iter().filter_map(Backend::warning) {
        writeln!(session.stderr, "Warning: {}", safe(&warning))?;
    }
    let asked_namespace = connection.namespace().filter(|_| !args.all_namespaces);
    let scope = match (asked_namespace, args.all_namespaces) {
        (Some(_), _) => ScopeAsked::Namespace,
        (None, true) => ScopeAsked::AllNamespaces,
        (None, false) => ScopeAsked::Widest,
    };
    let loaded = session.load(&args.source, connection, scope, Subject::Cleanup)?;
    check_readable(&loaded)?;
    let state = &loaded.state;
    let is_limited = !state.saw(Kind::Claims, None) && scope == ScopeAsked::Widest;
    let categories: BTreeSet<CleanupCategory> = args.category.iter().copied().collect();
    let wants_assets = categories.is_empty() || categories.contains(&CleanupCategory::LeakedAssets);
    let assets = if wants_assets {
        leaked::find(&backends, state, args.backends.words())
    } else {
        Assets::default()
    };
    let question = CleanupQuestion {
        categories,
        namespace: asked_namespace.or(is_limited.then_some(loaded.namespace.as_str())),
        selector: args.selector.as_ref(),
        class: args.class.as_deref(),
        older_than: args.older_than.map(seconds),
        now: Time(session.environment.started_at.as_second()),
        served_here: backends.iter().map(Backend::provisioner).collect(),
        assets,
    };
    let mut report = find_leftovers(state, &question);
    let commands = report
        .findings
        .iter_mut()
        .flat_map(|found| &mut found.commands);
    commands.for_each(|command| aim(command, connection));
    let screen = session.screen(&args.output, false);
    let format = Session::format(&args.output);
    write_cleanup(session.stdout, &report, args.show_kept, format, &screen)?;
    let exit = exit_of(args, &report, state.is_from_files());
    drop(question);
    // The process ends here: returning the memory of a large state piece by piece would only take time.
    std::mem::forget((loaded, report));
    Ok(exit)
}

/// Longer than time itself is as good as for ever.
fn seconds(time: Duration) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}

/// Files that hold too little are an answer; a cluster that does not let us look is none.
fn exit_of(args: &Args, report: &CleanupReport, from_files: bool) -> Exit {
    let is_asked =
        |category: &CleanupCategory| args.category.is_empty() || args.category.contains(category);
    let asked = CleanupCategory::ALL
        .iter()
        .filter(|one| is_asked(one))
        .count();
    let is_blind = !from_files && report.refused.len() == asked;
    let is_half_blind = !from_files && !report.refused.is_empty();
    if args.fail_on_findings && !report.findings.is_empty() {
        Exit::No
    } else if is_blind || (args.fail_on_findings && is_half_blind) {
        Exit::Unanswered
    } else {
        Exit::Yes
    }
}

fn parse_category(name: &str) -> Result<CleanupCategory, String> {
    CleanupCategory::find(name).ok_or_else(|| {
        let all = CleanupCategory::ALL.map(CleanupCategory::name);
        format!("expected {}", join_or(&all))
    })
}

/// With neither volumes nor claims there is nothing to tell.
fn check_readable(loaded: &Loaded) -> Result<(), CommandError> {
    let state = &loaded.state;
    let namespace = loaded.namespace.as_str();
    if state.saw(Kind::Volumes, None) || state.saw(Kind::Claims, Some(namespace)) {
        return Ok(());
    }
    Err(CommandError::unanswered(format!(
        "you may list neither persistentvolumes nor persistentvolumeclaims in namespace {namespace}"
    ))
    .with_hints(["name a namespace you may read with -n, or ask for a role".to_owned()]))
}
