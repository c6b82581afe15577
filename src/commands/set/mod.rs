//! `set`: PersistentVolumeSets, pools that keep a minimum of unbound volumes ready.

mod crd;
mod leadership;
mod reconcile;
mod status;
mod watch;

use super::explain::not_found_among;
use super::readable::check_listed;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::ConnectionFlags;
use crate::model::{ClusterState, GapReason, Kind};
use crate::session::Session;
use clap::Subcommand;

/// The subcommand.
pub(super) const NAME: &str = "set";
/// Its own subcommands that take names of sets.
pub(super) const TAKING_SETS: [&str; 2] = ["status", "reconcile"];

/// Keep pools of volumes ready for claims: PersistentVolumeSets
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Status(status::Args),
    Reconcile(reconcile::Args),
    Crd(crd::Args),
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    match &args.command {
        Command::Status(args) => status::run(args, connection, session),
        Command::Reconcile(args) => reconcile::run(args, connection, session),
        Command::Crd(args) => crd::run(args, session),
    }
}

/// The sets that are asked about: those named, each once, or all there are.
fn sets_asked(names: &[String], state: &ClusterState) -> Result<Vec<String>, CommandError> {
    match state.find_gap(Kind::VolumeSets, None).map(|gap| &gap.why) {
        Some(GapReason::NotServed) => {
            let error = CommandError::unanswered("this cluster has no PersistentVolumeSets");
            let hint = "to install them: kubectl pv set crd | kubectl apply -f -";
            return Err(error.with_hints([hint.to_owned()]));
        }
        Some(_) => {
            check_listed(state, Kind::VolumeSets, None)?;
        }
        None => {}
    }
    let all = || state.volume_sets().iter().map(|set| set.name.as_str());
    if names.is_empty() {
        return Ok(all().map(str::to_owned).collect());
    }
    let mut asked: Vec<String> = Vec::new();
    // `pvs fast`, as kubectl takes it.
    let names = match names {
        [kind, rest @ ..] if !rest.is_empty() && is_kind(kind) => rest,
        names => names,
    };
    for word in names {
        let name = name_of(word)?;
        if state.find_volume_set(name).is_none() {
            return Err(not_found_among("set", name, "", all()));
        }
        asked.push(name.to_owned());
    }
    asked.sort();
    asked.dedup();
    Ok(asked)
}

fn is_kind(word: &str) -> bool {
    let plain = word.split('.').next().unwrap_or(word).to_ascii_lowercase();
    let kinds = ["pvs", "set", "persistentvolumeset", "persistentvolumesets"];
    kinds.contains(&plain.as_str())
}

/// A set by NAME, or as kubectl names it.
fn name_of(word: &str) -> Result<&str, CommandError> {
    let Some((kind, name)) = word.split_once('/') else {
        return Ok(word);
    };
    if is_kind(kind) && !name.is_empty() {
        return Ok(name);
    }
    Err(CommandError::usage(
        "only sets can be named here, by NAME or pvs/NAME",
    ))
}
