//! `cleanup`: leftovers, each with the reason, how certain that is, and a command. `acting.rs` acts on them.

mod acting;
mod advice;
mod leaked;

use super::backend_answers::server_of;
use super::explain::aim;
use super::writing::TIMEOUT;
use super::writing::namespaces::{find_missing_namespace, named_namespaces, not_in_files};
use crate::cluster::Cluster;
use crate::engine::{Assets, CleanupQuestion, Labelled, find_leftovers};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{
    BackendFlags, ConnectionFlags, DryRun, OutputFlags, ReviewFlags, SelectionFlags, SourceFlags,
    TakeOverFlags, WriteFlags, parse_age, parse_time,
};
use crate::load::Subject;
use crate::model::{ClusterState, Host, Kind, Time};
use crate::render::{safe, write_cleanup};
use crate::report::{CleanupCategory, CleanupReport, join_or};
use crate::session::{ScopeAsked, Session};
use crate::storage::{Backend, Backends};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Find volumes, claims, attachments and storage assets that are no longer used
///
/// Prints why each is a leftover, how certain that is, its reclaim policy, what it would free and a command. Nothing is changed
/// without --yes. All namespaces, or one (-n) with the volumes of its claims. Objects with the annotation kubectl-pv.dev/keep are
/// skipped.
///
/// With --yes released and failed volumes are reclaimed as by `kubectl pv reclaim`: policy Retain keeps them. Every other category
/// is acted on only if --category names it, and of that only certain findings, or likely ones with --include-likely. Of leaked
/// assets only empty ones whose volume had policy Delete are deleted; --asset deletes one with its data. With -f the objects are
/// printed as they would be afterwards.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv cleanup
  kubectl pv cleanup --older-than 30d --class fast
  kubectl pv cleanup -n prod --category unused-claims --show-kept
  kubectl pv cleanup --category released,failed --fail-on-findings -o json
  kubectl pv cleanup --category leaked-assets --backend example.com/scratch=hostpath:/srv/volumes
  kubectl pv cleanup --older-than 30d --backend example.com/scratch=hostpath:/srv/volumes --dry-run
  kubectl pv cleanup --category unused-claims --include-likely --older-than 90d --yes")]
pub(crate) struct Args {
    /// Find only this: released, failed, lost-claims, unused-claims, unreachable, leftover-attachments, duplicate-volumes or leaked-assets; may be repeated [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = parse_category)]
    category: Vec<CleanupCategory>,

    /// Show only findings of at least this age: such as 30d, 2w or 12h. A finding of unknown age is listed if its object is old enough, and acted on only with --include-likely
    #[arg(long, value_name = "TIME", value_parser = parse_age)]
    older_than: Option<Duration>,

    /// All namespaces, which is the default without -n
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// List objects that only look like leftovers, and why
    #[arg(long)]
    show_kept: bool,

    /// End with status 1 if there are findings; with --yes, if any of them is left
    #[arg(long)]
    fail_on_findings: bool,

    #[command(flatten)]
    selection: SelectionFlags,

    #[command(flatten)]
    act: ActFlags,

    #[command(flatten)]
    take_over: TakeOverFlags,

    #[command(flatten)]
    backends: BackendFlags,

    #[command(flatten)]
    source: SourceFlags,

    #[command(flatten)]
    output: OutputFlags,
}

// What is to be done about it. (A doc comment would become the help of the command.)
#[derive(clap::Args)]
#[command(next_help_heading = "Writing")]
struct ActFlags {
    /// Act on what was found
    #[arg(short, long)]
    yes: bool,

    /// Act also on likely findings of a named category
    #[arg(long)]
    include_likely: bool,

    /// Delete this leaked asset with its data, whatever policy its volume had; may be repeated. Needs --category leaked-assets
    #[arg(long, value_name = "NAME")]
    asset: Vec<String>,

    /// Only show what --yes would do: client sends nothing, server lets the API server check each first write; none does it [default: none; alone: client]
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "client", default_value = "none", hide_default_value = true, hide_possible_values = true)]
    dry_run: DryRun,

    /// Wait no longer than this for anything: seconds, or such as 30s or 1m30s [default: 1m]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    timeout: Option<Duration>,

    #[command(flatten)]
    review: ReviewFlags,
}

impl ActFlags {
    /// Whether a plan is wanted, and no report.
    fn acts(&self) -> bool {
        self.yes || self.dry_run != DryRun::None
    }

    fn write(&self) -> WriteFlags {
        WriteFlags {
            dry_run: self.dry_run,
            yes: self.yes,
            timeout: self.timeout,
            review: self.review.clone(),
        }
    }
}

impl Args {
    fn categories(&self) -> BTreeSet<CleanupCategory> {
        self.category.iter().copied().collect()
    }

    fn asks(&self, category: CleanupCategory) -> bool {
        self.category.is_empty() || self.category.contains(&category)
    }

    /// What is asked of a state; the assets are those of this moment.
    fn question<'a>(
        &'a self,
        state: &ClusterState,
        namespace: Option<&'a str>,
        (backends, host): (&'a Backends, Option<&Host>),
        now: Time,
        missing_namespace: Option<String>,
    ) -> CleanupQuestion<'a> {
        let selection = self.selection.within(namespace);
        let assets = if self.asks(CleanupCategory::LeakedAssets) {
            leaked::find(backends, state, self.backends.words(), host)
        } else {
            Assets::default()
        };
        CleanupQuestion {
            categories: self.categories(),
            selection,
            empty_selection: missing_namespace
                .or_else(|| selection.find_emptiness(state, Labelled::VolumesAndClaims)),
            older_than: self.older_than.map(seconds),
            now,
            served_here: served_here(backends, state),
            assets,
        }
    }
}

const LEAKED_ASSETS_ALONE: [CleanupCategory; 1] = [CleanupCategory::LeakedAssets];

/// How commands begin that carry out a volume's policy.
const RECLAIM: [&str; 3] = ["kubectl", "pv", "reclaim"];

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let names_category = args.categories() == LEAKED_ASSETS_ALONE.into();
    let may_name_assets = args.act.acts() && names_category;
    if !args.act.asset.is_empty() && !may_name_assets {
        return Err(CommandError::usage(
            "--asset needs --category leaked-assets and --yes or --dry-run",
        ));
    }
    if args.act.acts() || args.take_over.directory().is_some() {
        return acting::run(args, connection, session);
    }
    let backends = args
        .backends
        .open_to_read(&session.environment, args.act.timeout)?;
    for warning in backends.iter().filter_map(Backend::warning) {
        writeln!(session.stderr, "Warning: {}", safe(&warning))?;
    }
    let asked_namespace = connection.namespace().filter(|_| !args.all_namespaces);
    let scope = match (asked_namespace, args.all_namespaces) {
        (Some(_), _) => ScopeAsked::Namespace,
        (None, true) => ScopeAsked::AllNamespaces,
        (None, false) => ScopeAsked::Widest,
    };
    // What could be done about it depends on more than what may go.
    let subject = if backends.is_empty() {
        Subject::Cleanup
    } else {
        Subject::Reclamation
    };
    let loaded = session.load(&args.source, connection, scope, subject)?;
    check_readable(&loaded.state, &loaded.namespace)?;
    let state = &loaded.state;
    let is_limited = !state.saw(Kind::Claims, None) && scope == ScopeAsked::Widest;
    let namespace = asked_namespace.or(is_limited.then_some(loaded.namespace.as_str()));
    let local = Time(session.environment.started_at.as_second());
    let now = state.captured_at().unwrap_or(local);
    // Files are of no machine.
    let host = session.environment.host.as_deref();
    let host = host.filter(|_| !state.is_from_files());
    let names = named_namespaces(connection, &args.selection);
    let missing = find_missing_namespace(
        &names,
        state,
        |name| match args.source.files() {
            Some(_) => not_in_files(name),
            None => Cluster::open(&session.environment, connection, TIMEOUT)?.has_namespace(name),
        },
        session.stderr,
    )?;
    let question = args.question(state, namespace, (&backends, host), now, missing);
    let mut report = find_leftovers(state, &question);
    let advice = advice::give(args, connection, state, &question, &report, &backends, host);
    report.commands = advice.commands();
    for found in &mut report.findings {
        let is_served = question.served_here.contains_key(&found.object.name);
        for line in &mut found.commands {
            if is_served && line.begins_with(&RECLAIM) {
                line.append(&args.backends.words());
            }
            aim(line, connection);
        }
    }
    let screen = session.screen(&args.output, false);
    let format = Session::format(&args.output);
    write_cleanup(
        session.stdout,
        &report,
        &advice,
        args.show_kept,
        format,
        &screen,
    )?;
    let exit = exit_of(args, &report, state.is_from_files());
    drop(question);
    // The process ends here: returning the memory of a large state piece by piece would only take time.
    std::mem::forget((loaded, report));
    Ok(exit)
}

fn served_here(backends: &Backends, state: &ClusterState) -> BTreeMap<String, String> {
    if backends.is_empty() {
        return BTreeMap::new();
    }
    let volumes = state.volumes().iter();
    let served =
        volumes.filter_map(|volume| Some((volume.name.clone(), server_of(backends, volume)?)));
    served.collect()
}

/// Longer than time itself is as good as for ever.
fn seconds(time: Duration) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}

/// A category that was not decided is listed as refused, which is an answer. Only a gate cannot pass without it; files that hold
/// too little are what they are.
fn exit_of(args: &Args, report: &CleanupReport, from_files: bool) -> Exit {
    let is_half_blind = !from_files && !report.refused.is_empty();
    if !report.skipped.is_empty() || args.fail_on_findings && !report.findings.is_empty() {
        Exit::No
    } else if args.fail_on_findings && is_half_blind {
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
fn check_readable(state: &ClusterState, namespace: &str) -> Result<(), CommandError> {
    if state.saw(Kind::Volumes, None) || state.saw(Kind::Claims, Some(namespace)) {
        return Ok(());
    }
    Err(CommandError::unanswered(format!(
        "you can list neither persistentvolumes nor persistentvolumeclaims in namespace {namespace}"
    ))
    .with_hints(["name a namespace you may read with -n, or ask for a role".to_owned()]))
}
