//! `version`: which program this is, and by which rules it can answer.

use crate::error::CommandError;
use crate::exit::Exit;
use crate::session::Session;

/// Print the version, and the rules it answers by
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, session: &mut Session<'_>) -> Result<Exit, CommandError> {
    writeln!(session.stdout, "kubectl-pv v{}", env!("CARGO_PKG_VERSION"))?;
    writeln!(session.stdout, "rules: v1.36 (default), v1.4")?;
    Ok(Exit::Yes)
}
