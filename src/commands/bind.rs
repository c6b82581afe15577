//! `bind`: binds claims to volumes, once, as the controller would.

use super::carry_out::{CarriedOut, Foreman};
use super::explain::{aim, not_found_among};
use super::scenario::Scenario;
use super::writing::{Manner, Reach, Shown, claim_names, claims_asked, on_cluster, tell_of_none};
use crate::actions::apply::Onlooker;
use crate::actions::bind::{BindQuestion, COMMAND, plan_bind};
use crate::actions::on_files::create_claims;
use crate::actions::plan::Plan;
use crate::cluster::Cluster;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::shell::command;
use crate::engine::Rules;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{ConnectionFlags, FileFlags, OutputFlags, WriteFlags};
use crate::load::{Files, Scope, Subject};
use crate::model::{ClaimPhase, ClusterState, Kind};
use crate::render::{Progress, safe};
use crate::session::Session;
use crate::storage::Backends;
use std::time::{Duration, Instant};

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

    /// Come back only when everything asked for is bound, or the time is over
    #[arg(long)]
    wait: bool,

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
    let names = claim_names(&args.claims, args.all_namespaces, COMMAND)?;
    if args.volume.is_some() && names.len() != 1 {
        return Err(CommandError::usage(
            "--volume needs the one claim it is for",
        ));
    }
    match args.source.files() {
        Some(files) => run_on_files(args, &names, &files, connection, session),
        None => on_cluster(
            COMMAND,
            connection,
            &args.write,
            session,
            |cluster, session| run_on_cluster(args, &names, connection, cluster, session),
        ),
    }
}

fn run_on_cluster(
    args: &Args,
    names: &[String],
    connection: &ConnectionFlags,
    cluster: &mut Cluster,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let Reach { scope, namespace } = Reach::of(cluster, args.all_namespaces);
    let state = cluster.load(&scope, Subject::Claims)?;
    let question = ask(args, names, &state, namespace.as_deref())?;
    tell_of_none(&question.claims, namespace.as_deref(), session)?;
    let plan = plan_bind(&state, &question);
    let manner = Manner {
        output: &args.output,
        connection,
        are_named: question.are_named,
        is_live: true,
    };
    let none = Backends::default();
    let plan = match manner.show(plan, &args.write, cluster, &none, session)? {
        Shown::Agreed(plan) => plan,
        Shown::Ended(exit) => return Ok(exit),
    };
    let mut ended = bind_now(cluster, state, plan, &scope, &question);
    if args.wait {
        let mut progress = session.progress();
        let waits = wait_for_all(cluster, &scope, &question, &mut ended, &mut progress);
        if let Some(claim) = waits {
            let told = format!("the time is over (--timeout), and {claim} is not bound yet");
            writeln!(session.stderr, "{}", safe(&told))?;
        }
    }
    let finish = || finishing_command(args, names, connection);
    manner.conclude(ended, finish, session)
}

fn bind_now(
    cluster: &Cluster,
    state: ClusterState,
    plan: Plan,
    scope: &Scope,
    question: &BindQuestion,
) -> CarriedOut {
    let mut foreman = Foreman {
        cluster,
        backends: &Backends::default(),
        onlooker: &mut Progress::silent(),
        load: &|| cluster.load(scope, Subject::Claims),
        plan_again: &|state, memory| {
            let question = BindQuestion {
                taken: memory.taken.clone(),
                ..question.clone()
            };
            plan_bind(state, &question)
        },
        plan_failures: &|_, _| None,
    };
    foreman.carry_out(state, plan)
}

/// Looks again and again until everything is bound, binding what can be bound by then. Says who was waited for in vain.
fn wait_for_all(
    cluster: &Cluster,
    scope: &Scope,
    question: &BindQuestion,
    ended: &mut CarriedOut,
    onlooker: &mut dyn Onlooker,
) -> Option<ObjectKey> {
    let mut in_vain = None;
    let began = Instant::now();
    while ended.trouble.is_none() && !ended.outcome.is_open() {
        let state = match cluster.load(scope, Subject::Claims) {
            Ok(state) => state,
            Err(error) => {
                ended.trouble = Some(error);
                break;
            }
        };
        let plan = plan_bind(&state, question);
        ended.outcome.skipped.clone_from(&plan.skipped);
        let waits = first_unbound(&state, question);
        if plan.changes.is_empty() && waits.is_none() {
            break;
        }
        if let Some(claim) = waits {
            onlooker.wait(claim, began.elapsed());
        }
        if !plan.changes.is_empty() {
            let more = bind_now(cluster, state, plan, scope, question);
            ended.wrote |= more.wrote;
            ended.trouble = more.trouble;
            ended.outcome.append(more.outcome);
        }
        if !cluster.pause(LOOK_EVERY) {
            in_vain = waits.cloned();
            break;
        }
    }
    onlooker.finish();
    in_vain
}

fn first_unbound<'a>(state: &ClusterState, question: &'a BindQuestion) -> Option<&'a ObjectKey> {
    question.claims.iter().find(|key| {
        let claim = state.find_claim(key);
        claim.is_some_and(|claim| claim.phase != ClaimPhase::Bound)
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

/// The claims that are asked about, and the volume they are to get.
fn ask(
    args: &Args,
    names: &[String],
    state: &ClusterState,
    reach: Option<&str>,
) -> Result<BindQuestion, CommandError> {
    let claims = claims_asked(names, state, reach)?;
    if let Some(volume) = &args.volume
        && state.find_volume(volume).is_none()
        && state.saw(Kind::Volumes, None)
    {
        let all = state.volumes().iter().map(|volume| volume.name.as_str());
        return Err(not_found_among("volume", volume, "", all));
    }
    Ok(BindQuestion {
        claims,
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
    let mut scenario = Scenario::read(files, connection, args.write.dry_run)?;
    let created = create_claims(&mut scenario.state, Rules::default());
    let question = ask(args, names, &scenario.state, connection.namespace())?;
    let plan = plan_bind(&scenario.state, &question);
    let manner = Manner {
        output: &args.output,
        connection,
        are_named: question.are_named,
        is_live: false,
    };
    scenario.show(&plan, &created, manner, session)
}
