//! `set`: pools of volumes. One file for each of its subcommands.

mod crd;

use crate::error::CommandError;
use crate::exit::Exit;
use crate::session::Session;
use clap::Subcommand;

/// Keep pools of volumes ready for claims: PersistentVolumeSets
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Crd(crd::Args),
}

pub(crate) fn run(args: &Args, session: &mut Session<'_>) -> Result<Exit, CommandError> {
    match &args.command {
        Command::Crd(args) => crd::run(args, session),
    }
}
