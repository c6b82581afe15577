//! `bind`: binds claims to volumes, once, as the controller would.

use super::carry_out::{CarriedOut, carry_out};
use super::explain::{aim, not_found_among};
use super::target::{Target, parse};
use crate::actions::apply::Earnest;
use crate::actions::bind::{BindQuestion, COMMAND, plan_bind};
use crate::actions::on_files::{create_claims, play};
use crate::actions::outcome::Outcome;
use crate::actions::plan::{Plan, Skipped, Standing};
use crate::cluster::Cluster;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::shell::command;
use crate::engine::Rules;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{ConnectionFlags, DryRun, FileFlags, OutputFlags, WriteFlags};
use crate::load::{Files, Joined, Manifests, Scope};
use crate::model::{Claim, ClaimPhase, ClusterState, Kind, Origin};
use crate::prompt::confirm;
use crate::render::{
    Format, ManifestFormat, safe, write_manifests, write_outcome, write_plan, write_trial,
    write_unfinished,
};
use crate::report::plural;
use crate::session::Session;
use std::time::Duration;

/// How long everything may take, unless somebody says otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How often to look while waiting.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Bind claims to volumes, once, exactly as the controller would
///
/// Takes for each claim the volume Kubernetes would take (of equals the first by name), or the one named with --volume, and
/// writes what the controller writes, in its order. Works with and without a running controller; whatever an interrupted
/// run left is finished by the next. Without names: every claim of the namespace that can be bound.
/// With -f the objects are printed as they would be afterwards, and nothing is touched.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv bind data-0 -n prod
  kubectl pv bind data-0 -n prod --volume pv-7
  kubectl pv bind -A --dry-run
  kubectl pv bind -n prod --yes -o json
  kubectl pv bind -f cluster.yaml > afterwards.yaml")]
pub(crate) struct Args {
    /// Claims by NAME or pvc/NAME [default: every claim of the namespace that can be bound]
    #[arg(value_name = "CLAIM")]
    claims: Vec<String>,

    /// Bind the claim to this volume
    #[arg(long, value_name = "NAME")]
    volume: Option<String>,

    /// Bind the claims of all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// Bind the volume although its labels, its node or the scheduler's say are against it; never against size, modes or another claim
    #[arg(long, requires = "volume")]
    force: bool,

    #[command(flatten)]
    write: WriteFlags,

    #[command(flatten)]
    source: FileFlags,

    #[command(flatten)]
    output: OutputFlags,
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let names = claim_names(&args.claims)?;
    if !names.is_empty() && args.all_namespaces {
        return Err(
            CommandError::usage("a claim cannot be named across all namespaces")
                .with_hints(["leave out the names, or -A".to_owned()]),
        );
    }
    if args.volume.is_some() && names.len() != 1 {
        return Err(CommandError::usage(
            "--volume needs the one claim it is for",
        ));
    }
    match args.source.files() {
        Some(files) => run_on_files(args, &names, &files, connection, session),
        None => run_on_cluster(args, &names, connection, session),
    }
}

fn claim_names(words: &[String]) -> Result<Vec<String>, CommandError> {
    let mut names = Vec::new();
    for target in parse(words)? {
        match target {
            Target::Claim(name) => names.push(name),
            Target::AllClaims => {}
            _ => return Err(CommandError::usage("only claims can be bound")),
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

fn run_on_cluster(
    args: &Args,
    names: &[String],
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let time = args.write.timeout.unwrap_or(TIMEOUT);
    let mut cluster = Cluster::open(session, connection, time)?;
    let namespace = cluster.namespace().to_owned();
    let scope = if args.all_namespaces {
        Scope::All
    } else {
        Scope::Namespace(namespace.clone())
    };
    let reach = (!args.all_namespaces).then_some(namespace.as_str());
    let state = cluster.load(&scope)?;
    let question = ask(args, names, &state, reach)?;
    let plan = plan_bind(&state, &question);
    for warning in cluster.warnings() {
        writeln!(session.stderr, "Warning: {}", safe(&warning))?;
    }
    let screen = session.screen(&args.output, true);
    let format = Session::format(&args.output);
    match args.write.dry_run {
        DryRun::None => {}
        DryRun::Client => return print_plan(&plan, &question, args, session),
        DryRun::Server => {
            let applied = cluster.apply(&plan, Earnest::DryRun);
            let mut outcome = Outcome::new(COMMAND);
            outcome.add(plan, applied.sent);
            let is_refused = outcome.changes.iter().any(|made| made.error.is_some());
            write_trial(session.stdout, &outcome, format, &screen)?;
            let refused = is_refused.then_some(Exit::No);
            let skipped = exit_of(&outcome.skipped, &question);
            return Ok(Exit::worst(refused.into_iter().chain([skipped])));
        }
    }
    if !plan.changes.is_empty() && !args.write.yes {
        let ending = "Nothing was changed yet.";
        write_plan(session.stderr, &plan, ending, Format::Text, &screen)?;
        let count = plural(plan.errands.len(), "bind");
        let question = format!("Carry out {count}?");
        if !confirm(&question, false, &session.environment)? {
            writeln!(session.stderr, "Nothing was changed.")?;
            return Ok(Exit::Yes);
        }
    }
    cluster.start_clock(time);
    let mut ended = bind_now(&cluster, plan, &scope, &question);
    if args.write.wait {
        wait_for_all(&cluster, &scope, &question, &mut ended);
    }
    conclude(ended, &question, args, names, connection, session)
}

fn bind_now(cluster: &Cluster, plan: Plan, scope: &Scope, question: &BindQuestion) -> CarriedOut {
    let load = || cluster.load(scope);
    carry_out(cluster, plan, &load, &|state, taken| {
        let question = BindQuestion {
            taken: taken.to_vec(),
            ..question.clone()
        };
        plan_bind(state, &question)
    })
}

/// Looks again and again until everything is bound, binding what can be bound by then.
fn wait_for_all(cluster: &Cluster, scope: &Scope, question: &BindQuestion, ended: &mut CarriedOut) {
    while ended.trouble.is_none() && !ended.outcome.is_open() {
        let state = match cluster.load(scope) {
            Ok(state) => state,
            Err(error) => {
                ended.trouble = Some(error);
                return;
            }
        };
        let plan = plan_bind(&state, question);
        ended.outcome.skipped.clone_from(&plan.skipped);
        if plan.changes.is_empty() && are_bound(&state, question) {
            return;
        }
        let has_more = !plan.changes.is_empty();
        if has_more {
            let more = bind_now(cluster, plan, scope, question);
            ended.wrote |= more.wrote;
            ended.trouble = more.trouble;
            ended.outcome.append(more.outcome);
        }
        if !cluster.pause(LOOK_EVERY) {
            return;
        }
    }
}

fn are_bound(state: &ClusterState, question: &BindQuestion) -> bool {
    question.claims.iter().all(|key| {
        let claim = state.find_claim(key);
        claim.is_none_or(|claim| claim.phase == ClaimPhase::Bound)
    })
}

/// Prints what came of it, and how to go on if the end was not reached.
fn conclude(
    mut ended: CarriedOut,
    question: &BindQuestion,
    args: &Args,
    names: &[String],
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let is_open = ended.outcome.is_open() || ended.trouble.is_some();
    if is_open && !ended.wrote {
        // Nothing was sent, so nothing is to be finished.
        if let Some(error) = ended.trouble {
            return Err(error);
        }
    }
    if is_open {
        ended.outcome.finish_with = Some(finishing_command(args, names, connection));
    }
    let screen = session.screen(&args.output, true);
    let format = Session::format(&args.output);
    write_outcome(session.stdout, &ended.outcome, format, &screen)?;
    let skipped = exit_of(&ended.outcome.skipped, question);
    if !is_open {
        if skipped != Exit::Yes && matches!(format, Format::Json | Format::Yaml | Format::Name) {
            for skipped in &ended.outcome.skipped {
                let told = format!("{}: {}", skipped.target.spelled(), skipped.message);
                writeln!(session.stderr, "{}", safe(&told))?;
            }
        }
        // 3 means that nothing was sent.
        return Ok(match skipped {
            Exit::Unanswered if ended.wrote && question.are_named => Exit::No,
            Exit::Unanswered if ended.wrote => Exit::Yes,
            other => other,
        });
    }
    if let Some(error) = &ended.trouble {
        error.report(session.stderr);
    }
    write_unfinished(session.stderr, &ended.outcome)?;
    if let Some(command) = &ended.outcome.finish_with {
        writeln!(session.stderr, "to finish: {}", safe(command))?;
    }
    Ok(if ended.wrote {
        Exit::Unfinished
    } else {
        Exit::Unanswered
    })
}

fn finishing_command(args: &Args, names: &[String], connection: &ConnectionFlags) -> String {
    let mut words = vec!["kubectl", "pv", "bind"];
    words.extend(names.iter().map(String::as_str));
    if let Some(namespace) = connection.namespace() {
        words.extend(["-n", namespace]);
    }
    if args.all_namespaces {
        words.push("-A");
    }
    if let Some(volume) = &args.volume {
        words.extend(["--volume", volume]);
    }
    if args.force {
        words.push("--force");
    }
    words.push("--yes");
    let mut finishing = command(&words);
    aim(&mut finishing, connection);
    finishing
}

fn print_plan(
    plan: &Plan,
    question: &BindQuestion,
    args: &Args,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let ending = if args.source.files().is_some() {
        "Nothing was changed; without --dry-run the objects are printed as they would be."
    } else {
        "Nothing was changed; without --dry-run you are asked first."
    };
    let screen = session.screen(&args.output, true);
    let format = Session::format(&args.output);
    write_plan(session.stdout, plan, ending, format, &screen)?;
    Ok(exit_of(&plan.skipped, question))
}

/// What was named and is left alone counts; what was only found does not, unless it could not be seen.
fn exit_of(skipped: &[Skipped], question: &BindQuestion) -> Exit {
    Exit::worst(skipped.iter().map(|skipped| match skipped.standing {
        Standing::Unknown => Exit::Unanswered,
        _ if !question.are_named => Exit::Yes,
        Standing::Fine => Exit::Yes,
        Standing::Waits => Exit::Waiting,
        Standing::Refused => Exit::No,
    }))
}

/// The claims that are asked about.
fn ask(
    args: &Args,
    names: &[String],
    state: &ClusterState,
    reach: Option<&str>,
) -> Result<BindQuestion, CommandError> {
    if state.find_gap(Kind::Claims, reach).is_some() {
        return Err(CommandError::unanswered(
            "you may not list persistentvolumeclaims",
        ));
    }
    if let Some(volume) = &args.volume
        && state.find_volume(volume).is_none()
        && state.saw(Kind::Volumes, None)
    {
        let all = state.volumes().iter().map(|volume| volume.name.as_str());
        return Err(not_found_among("volume", volume, "", all));
    }
    let in_reach = |claim: &&Claim| {
        reach.is_none_or(|namespace| claim.key.namespace == namespace)
            && claim.origin == Origin::Object
    };
    let claims = || state.claims().iter().filter(in_reach);
    let mut keys: Vec<ObjectKey> = Vec::new();
    for name in names {
        let found: Vec<&Claim> = claims().filter(|claim| claim.key.name == *name).collect();
        match found[..] {
            [claim] => keys.push(claim.key.clone()),
            [] => {
                let wherein = reach.map_or(String::new(), |name| format!(" in namespace {name}"));
                let all = claims().map(|claim| claim.key.name.as_str());
                return Err(not_found_among("claim", name, &wherein, all));
            }
            _ => {
                let message = format!("claim \"{name}\" is in several namespaces");
                return Err(
                    CommandError::usage(message).with_hints(["say which with -n".to_owned()])
                );
            }
        }
    }
    if names.is_empty() {
        keys.extend(claims().map(|claim| claim.key.clone()));
    }
    Ok(BindQuestion {
        claims: keys,
        are_named: !names.is_empty(),
        volume: args.volume.clone(),
        force: args.force,
        rules: Rules::default(),
        taken: vec![],
    })
}

/// The same on files: the objects come out as they would be.
fn run_on_files(
    args: &Args,
    names: &[String],
    files: &Files,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    if args.write.dry_run == DryRun::Server {
        return Err(CommandError::usage(
            "--dry-run=server needs a cluster, not files",
        ));
    }
    let namespace = connection.namespace().unwrap_or("default");
    let mut manifests = Manifests::read(files, namespace, Joined::Refuse)?;
    if let Some(broken) = manifests.broken.iter().chain(&manifests.left_over).next() {
        let (name, line) = (&broken.source.name, broken.place.line);
        let message = format!("{name}, line {line}: {}", broken.message);
        return Err(CommandError::unanswered(message));
    }
    let candidates = std::mem::take(&mut manifests.candidates);
    if let Some((field, message)) = candidates
        .iter()
        .find_map(|found| found.misunderstood.clone())
    {
        return Err(CommandError::unanswered(format!("{field}: {message}")));
    }
    let mut state = manifests.into_state().state;
    let created = create_claims(&mut state, Rules::default());
    let question = ask(args, names, &state, connection.namespace())?;
    let plan = plan_bind(&state, &question);
    if args.write.dry_run == DryRun::Client {
        return print_plan(&plan, &question, args, session);
    }
    for skipped in &plan.skipped {
        let told = format!(
            "{}: {}: {}",
            skipped.target.spelled(),
            skipped.code,
            skipped.message
        );
        writeln!(session.stderr, "{}", safe(&told))?;
    }
    let mut manifests: Vec<_> = candidates
        .into_iter()
        .filter_map(|candidate| candidate.manifest)
        .collect();
    play(&plan, &created, &mut manifests, namespace);
    let format = match Session::format(&args.output) {
        Format::Json => ManifestFormat::Json,
        _ => ManifestFormat::Yaml,
    };
    let roots: Vec<_> = manifests
        .into_iter()
        .map(|manifest| manifest.root)
        .collect();
    write_manifests(session.stdout, roots, format)?;
    Ok(exit_of(&plan.skipped, &question))
}
