//! `set reconcile`: brings pools of volumes to what they ask for, once or again and again.

use super::super::backend_answers::plan_with;
use super::super::base_directories::check_base_directories;
use super::super::carry_out::{CarriedOut, Foreman};
use super::super::explain::aim;
use super::super::scenario::Scenario;
use super::super::take_over;
use super::super::writing::{Manner, Shown, check_node, on_cluster, warn_of_targets};
use super::{sets_asked, watch};
use crate::actions::plan::Plan;
use crate::actions::volume_set::failures::plan_failures;
use crate::actions::volume_set::{COMMAND, SetQuestion, plan_again, plan_sets};
use crate::cluster::Cluster;
use crate::conventions::shell::command;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{
    BackendFlags, ConnectionFlags, FileFlags, OutputFlags, TakeOverFlags, WriteFlags,
};
use crate::load::{Files, Scope, Subject};
use crate::model::ClusterState;
use crate::session::Session;
use crate::storage::Backends;

/// Bring pools of volumes to what they ask for: make what is missing, delete what is too much
///
/// Makes volumes while fewer than `minimumReplicas` are unbound and fewer than `maximumReplicas` are there at all; deletes
/// the largest unbound one while there are more than that: only what a backend of this machine made, with policy Delete
/// and nothing in it. Bound, released and reserved volumes are never touched. Where a template names no backend, objects
/// are made from it alone and nothing is ever deleted.
/// With -f the objects are printed as they would be afterwards, and nothing is touched.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv set reconcile --dry-run
  kubectl pv set reconcile fast --backend example.com/scratch=hostpath:/srv/volumes
  kubectl pv set reconcile --watch --backends /etc/kubectl-pv/backends.yaml
  kubectl pv set reconcile -f pools.yaml -f volumes.yaml")]
pub(crate) struct Args {
    /// Sets by NAME or pvs/NAME [default: all]
    #[arg(value_name = "SET")]
    pub(super) sets: Vec<String>,

    /// Go on for ever, whenever something changes; makes volumes without asking, and deletes only with --yes
    #[arg(long, conflicts_with_all = ["filename", "dry_run"])]
    pub(super) watch: bool,

    /// Where watchers meet, so that only one works at a time
    #[arg(
        long,
        value_name = "NAME",
        default_value = "default",
        requires = "watch",
        conflicts_with = "filename"
    )]
    pub(super) lease_namespace: String,

    /// The node that directories made on this machine are of [default: the node that is this machine]
    #[arg(long, value_name = "NAME")]
    pub(super) node: Option<String>,

    #[command(flatten)]
    pub(super) backends: BackendFlags,

    #[command(flatten)]
    pub(super) write: WriteFlags,

    #[command(flatten)]
    take_over: TakeOverFlags,

    #[command(flatten)]
    source: FileFlags,

    #[command(flatten)]
    pub(super) output: OutputFlags,
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let backends = args
        .backends
        .open(&session.environment, args.write.timeout)?;
    let asked = (COMMAND, &args.write);
    if let Some(ended) = take_over::run(&args.take_over, asked, &backends, connection, session) {
        return ended;
    }
    if let Some(files) = args.source.files() {
        return run_on_files(args, &backends, &files, connection, session);
    }
    let write = &args.write;
    on_cluster(COMMAND, connection, write, session, |cluster, session| {
        if args.watch {
            return watch::run(args, &backends, cluster, session);
        }
        run_once(args, &backends, connection, cluster, session)
    })
}

/// What is asked about the cluster as it is.
pub(super) fn question<'a>(
    args: &'a Args,
    state: &ClusterState,
    (host, run): (Option<&'a str>, Option<&'a str>),
) -> Result<SetQuestion<'a>, CommandError> {
    check_node(args.node.as_deref(), state)?;
    Ok(SetQuestion {
        sets: sets_asked(&args.sets, state)?,
        node: args.node.as_deref(),
        host,
        is_live: true,
        run,
        deletes: true,
        most: None,
    })
}

fn run_once(
    args: &Args,
    backends: &Backends,
    connection: &ConnectionFlags,
    cluster: &mut Cluster,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let state = cluster.load(&Scope::All, Subject::Sets)?;
    let host = session.environment.host_name.clone();
    let run = cluster.run().to_owned();
    let question = question(args, &state, (host.as_deref(), Some(&run)))?;
    if question.sets.is_empty() {
        writeln!(session.stderr, "no sets of volumes found")?;
    }
    let plan = plan_with(backends, |facts| plan_sets(&state, &question, facts));
    check_base_directories(&plan, &state, backends, cluster, host.as_deref())?;
    warn_of_targets(&plan, backends, session)?;
    let manner = Manner {
        output: &args.output,
        connection,
        are_named: !args.sets.is_empty(),
        is_live: true,
    };
    let plan = match manner.show(plan, &args.write, cluster, backends, session)? {
        Shown::Agreed(plan) => plan,
        Shown::Ended(exit) => return Ok(exit),
    };
    let ended = reconcile_now(cluster, state, plan, (&question, backends), session);
    let finish = || finishing_command(args, connection);
    manner.conclude(ended, finish, session)
}

pub(super) fn reconcile_now(
    cluster: &Cluster,
    state: ClusterState,
    plan: Plan,
    (question, backends): (&SetQuestion<'_>, &Backends),
    session: &mut Session<'_>,
) -> CarriedOut {
    let mut foreman = Foreman {
        cluster,
        backends,
        onlooker: &mut session.progress(),
        load: &|| cluster.load(&Scope::All, Subject::Sets),
        plan_again: &|state, memory| {
            plan_with(backends, |facts| plan_again(state, question, memory, facts))
        },
        plan_failures: &plan_failures,
    };
    foreman.carry_out(state, plan)
}

fn finishing_command(args: &Args, connection: &ConnectionFlags) -> String {
    let mut words = vec!["kubectl", "pv", "set", "reconcile"];
    words.extend(args.sets.iter().map(String::as_str));
    if let Some(node) = &args.node {
        words.extend(["--node", node]);
    }
    let backends = args.backends.words();
    words.extend(backends.iter().map(String::as_str));
    words.push("--yes");
    let mut finishing = command(&words);
    aim(&mut finishing, connection);
    finishing
}

/// The same on files: the objects come out as they would be.
fn run_on_files(
    args: &Args,
    backends: &Backends,
    files: &Files,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let scenario = Scenario::read(files, connection, args.write.dry_run)?;
    let question = SetQuestion {
        is_live: false,
        ..question(args, &scenario.state, (None, None))?
    };
    let plan = plan_with(backends, |facts| {
        plan_sets(&scenario.state, &question, facts)
    });
    let manner = Manner {
        output: &args.output,
        connection,
        are_named: !args.sets.is_empty(),
        is_live: false,
    };
    scenario.show(&plan, &[], manner, session)
}
