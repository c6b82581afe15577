//! `status`: the storage of a cluster on one screen.

use super::readable::check_listed;
use crate::engine::{InventoryQuestion, Rules, take_inventory};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{ConnectionFlags, OutputFlags, SourceFlags};
use crate::load::Loaded;
use crate::load::Subject;
use crate::model::Kind;
use crate::render::write_inventory;
use crate::session::{ScopeAsked, Session};

/// Show volumes and claims at a glance: what there is, what is stuck and why, what needs attention
///
/// Shows the whole cluster as far as you may read it, or one namespace (-n) with the volumes its claims hold.
/// Phases are those the objects settle in.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv status
  kubectl pv status -n prod
  kubectl pv status --labels
  kubectl pv status --with new-pv.yaml -o json")]
pub(crate) struct Args {
    /// Look at all namespaces, which is what it does without -n
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// Show the labels of the volumes instead: what is free under each value, who asks for it, and what nobody offers
    #[arg(long)]
    labels: bool,

    /// List everything, however long
    #[arg(long)]
    all: bool,

    /// Answer by the rules of this Kubernetes: v1.36 or v1.4 (the design documents' algorithm) [default: v1.36]
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,

    #[command(flatten)]
    source: SourceFlags,

    #[command(flatten)]
    output: OutputFlags,
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let asked_namespace = connection.namespace().filter(|_| !args.all_namespaces);
    let scope = match (asked_namespace, args.all_namespaces) {
        (Some(_), _) => ScopeAsked::Namespace,
        (None, true) => ScopeAsked::AllNamespaces,
        (None, false) => ScopeAsked::Widest,
    };
    let loaded = session.load(&args.source, connection, scope, Subject::Anything)?;
    check_readable(&loaded)?;
    // Without -A and -n it shows what can be read.
    if scope != ScopeAsked::Widest {
        check_listed(&loaded.state, Kind::Claims, asked_namespace)?;
    }
    let is_limited = !loaded.state.saw(Kind::Claims, None) && scope == ScopeAsked::Widest;
    let question = InventoryQuestion {
        namespace: asked_namespace.or(is_limited.then_some(loaded.namespace.as_str())),
        rules: args.rules.unwrap_or_default(),
        labels: args.labels,
    };
    let inventory = take_inventory(&loaded.state, question);
    let screen = session.screen(&args.output, args.all);
    write_inventory(
        session.stdout,
        &inventory,
        Session::format(&args.output),
        &screen,
    )?;
    // The process ends here: returning the memory of a large state piece by piece would only take time.
    std::mem::forget((loaded, inventory));
    Ok(Exit::Yes)
}

/// With neither volumes nor claims there is nothing to tell.
fn check_readable(loaded: &Loaded) -> Result<(), CommandError> {
    let state = &loaded.state;
    let namespace = loaded.namespace.as_str();
    if state.saw(Kind::Volumes, None) || state.saw(Kind::Claims, Some(namespace)) {
        return Ok(());
    }
    Err(CommandError::unanswered(format!(
        "you can list neither persistentvolumes nor persistentvolumeclaims in namespace {namespace}"
    ))
    .with_hints(["name a namespace you may read with -n, or ask for a role".to_owned()]))
}
