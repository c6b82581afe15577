//! The command line: the table of contents of what the program does.

use crate::commands::{
    bind, cleanup, completion, convert, describe_class, explain, plan, provision, reclaim, set,
    status, validate, version,
};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::ConnectionFlags;
use crate::session::Session;
use clap::{Parser, Subcommand};

/// Why a PersistentVolumeClaim is Pending, which volume it would get, and the command that fixes it
#[derive(Parser)]
#[command(
    name = "kubectl-pv",
    bin_name = "kubectl pv",
    version,
    max_term_width = 100,
    after_help = EXIT_STATUS
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) connection: ConnectionFlags,

    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_STATUS: &str = "\
Exit status:
  0  yes or done: bound, will bind, will be provisioned, valid
  1  no: blocked, lost, or refused by the API server; not valid
  2  wrong usage
  3  could not answer: unreadable file, API error, missing permission
  4  a change failed part-way; standard error says what was done, and the command that finishes it
  5  waiting, and that is normal";

/// What it does.
#[derive(Subcommand)]
pub(crate) enum Command {
    Explain(explain::Args),
    Plan(plan::Args),
    Status(status::Args),
    DescribeClass(describe_class::Args),
    Validate(validate::Args),
    Convert(convert::Args),
    Bind(bind::Args),
    Provision(provision::Args),
    Reclaim(reclaim::Args),
    Cleanup(cleanup::Args),
    Set(set::Args),
    Completion(completion::Args),
    Version(version::Args),
}

impl Cli {
    /// Runs the command.
    pub(crate) fn run(self, session: &mut Session<'_>) -> Result<Exit, CommandError> {
        match self.command {
            Command::Explain(args) => explain::run(&args, &self.connection, session),
            Command::Plan(args) => plan::run(&args, &self.connection, session),
            Command::Status(args) => status::run(&args, &self.connection, session),
            Command::DescribeClass(args) => describe_class::run(&args, &self.connection, session),
            Command::Validate(args) => validate::run(&args, &self.connection, session),
            Command::Convert(args) => convert::run(&args, session),
            Command::Bind(args) => bind::run(&args, &self.connection, session),
            Command::Provision(args) => provision::run(&args, &self.connection, session),
            Command::Reclaim(args) => reclaim::run(&args, &self.connection, session),
            Command::Cleanup(args) => cleanup::run(&args, &self.connection, session),
            Command::Set(args) => set::run(&args, session),
            Command::Completion(args) => completion::run(&args, session),
            Command::Version(args) => version::run(&args, session),
        }
    }
}
