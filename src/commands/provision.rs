//! `provision`: has volumes made for claims, once: by a provisioner of the cluster, or by this program as the provisioner.

use super::backend_answers::plan_with;
use super::base_directories::check_base_directories;
use super::carry_out::{CarriedOut, Foreman};
use super::explain::aim;
use super::scenario::Scenario;
use super::take_over;
use super::writing::{
    Manner, Reach, Shown, check_node, claim_names, claims_asked, on_cluster, tell_of_none,
    warn_of_targets,
};
use crate::actions::memory::Memory;
use crate::actions::on_files::create_claims;
use crate::actions::plan::Plan;
use crate::actions::provision::failures::plan_failures;
use crate::actions::provision::{COMMAND, ProvisionQuestion, plan_provision};
use crate::cluster::Cluster;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::shell::command;
use crate::engine::Rules;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{
    BackendFlags, ConnectionFlags, FileFlags, OutputFlags, TakeOverFlags, WriteFlags,
};
use crate::load::{Files, Scope, Subject};
use crate::model::ClusterState;
use crate::session::Session;
use crate::storage::Backends;

/// Have volumes made for claims, once
///
/// By the cluster's own provisioner, which is set going and waited for; or by this program, where a backend is configured
/// for the provisioner of the class. The plan says which. What an interrupted run left is finished, or taken back, by the
/// next. Without names: every pending claim of the namespace that needs a volume made.
/// With -f the objects are printed as they would be afterwards, and nothing is touched.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv provision --dry-run
  kubectl pv provision data-0 -n prod
  kubectl pv provision data-0 -n prod --node worker-3
  kubectl pv provision docs --backend example.com/scratch=hostpath:/srv/volumes
  kubectl pv provision -A --backends /etc/kubectl-pv/backends.yaml --yes -o json")]
pub(crate) struct Args {
    /// Claims by NAME or pvc/NAME [default: every pending claim of the namespace that needs a volume made]
    #[arg(value_name = "CLAIM")]
    claims: Vec<String>,

    /// Serve the claims of all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// Make the volume for this node
    #[arg(long, value_name = "NAME")]
    node: Option<String>,

    /// Wait until volumes that others make are there, or the time is over
    #[arg(
        long,
        value_name = "true|false",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        default_value = "true",
        hide_possible_values = true,
        action = clap::ArgAction::Set
    )]
    wait: bool,

    #[command(flatten)]
    backends: BackendFlags,

    #[command(flatten)]
    write: WriteFlags,

    #[command(flatten)]
    take_over: TakeOverFlags,

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
    let backends = args
        .backends
        .open(&session.environment, args.write.timeout)?;
    let asked = (COMMAND, &args.write);
    if let Some(ended) = take_over::run(&args.take_over, asked, &backends, connection, session) {
        return ended;
    }
    match args.source.files() {
        Some(files) => run_on_files(args, &names, &backends, &files, connection, session),
        None => on_cluster(
            COMMAND,
            connection,
            &args.write,
            session,
            |cluster, session| {
                run_on_cluster(args, &names, &backends, connection, cluster, session)
            },
        ),
    }
}

fn run_on_cluster(
    args: &Args,
    names: &[String],
    backends: &Backends,
    connection: &ConnectionFlags,
    cluster: &mut Cluster,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let Reach { scope, namespace } = Reach::of(cluster, args.all_namespaces);
    let reach = namespace.as_deref();
    let state = cluster.load(&scope, Subject::Anything)?;
    check_node(args.node.as_deref(), &state)?;
    let claims = claims_asked(names, &state, reach)?;
    tell_of_none(&claims, reach, session)?;
    let is_asked = |key: &ObjectKey| {
        if names.is_empty() {
            reach.is_none_or(|namespace| key.namespace == namespace)
        } else {
            claims.contains(key)
        }
    };
    let host = session.environment.host_name.clone();
    let question = ProvisionQuestion {
        claims: claims.clone(),
        are_named: !names.is_empty(),
        is_asked: &is_asked,
        node: args.node.as_deref(),
        host: host.as_deref(),
        is_live: true,
        waits: args.wait,
        rules: Rules::default(),
    };
    let plan = plan_with(backends, |facts| {
        plan_provision(&state, &question, &Memory::default(), facts)
    });
    check_base_directories(&plan, &state, backends, cluster, host.as_deref())?;
    warn_of_targets(&plan, backends, session)?;
    let manner = Manner {
        output: &args.output,
        connection,
        are_named: question.are_named,
        is_live: true,
    };
    let plan = match manner.show(plan, &args.write, cluster, backends, session)? {
        Shown::Agreed(plan) => plan,
        Shown::Ended(exit) => return Ok(exit),
    };
    let asked = (&question, backends);
    let ended = provision_now(cluster, &scope, state, plan, asked, session);
    let finish = || finishing_command(args, names, connection);
    manner.conclude(ended, finish, session)
}

fn provision_now(
    cluster: &Cluster,
    scope: &Scope,
    state: ClusterState,
    plan: Plan,
    (question, backends): (&ProvisionQuestion<'_>, &Backends),
    session: &mut Session<'_>,
) -> CarriedOut {
    let mut foreman = Foreman {
        cluster,
        backends,
        onlooker: &mut session.progress(),
        load: &|| cluster.load(scope, Subject::Anything),
        plan_again: &|state, memory| {
            plan_with(backends, |facts| {
                plan_provision(state, question, memory, facts)
            })
        },
        plan_failures: &plan_failures,
    };
    foreman.carry_out(state, plan)
}

fn finishing_command(args: &Args, names: &[String], connection: &ConnectionFlags) -> String {
    let mut words = vec!["kubectl", "pv", "provision"];
    words.extend(names.iter().map(String::as_str));
    if let Some(namespace) = connection.namespace() {
        words.extend(["-n", namespace]);
    }
    if args.all_namespaces {
        words.push("-A");
    }
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
    names: &[String],
    backends: &Backends,
    files: &Files,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let mut scenario = Scenario::read(files, connection, args.write.dry_run)?;
    let created = create_claims(&mut scenario.state, Rules::default());
    check_node(args.node.as_deref(), &scenario.state)?;
    let claims = claims_asked(names, &scenario.state, connection.namespace())?;
    let question = ProvisionQuestion {
        claims,
        are_named: !names.is_empty(),
        is_asked: &|_| false,
        node: args.node.as_deref(),
        host: None,
        is_live: false,
        waits: false,
        rules: Rules::default(),
    };
    let plan = plan_with(backends, |facts| {
        plan_provision(&scenario.state, &question, &Memory::default(), facts)
    });
    let manner = Manner {
        output: &args.output,
        connection,
        are_named: question.are_named,
        is_live: false,
    };
    scenario.show(&plan, &created, manner, session)
}
