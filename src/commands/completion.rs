//! `completion`: scripts for shells, and the link by which kubectl itself completes `kubectl pv …`.

use crate::cli::Cli;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::prompt::confirm;
use crate::session::Session;
use clap::CommandFactory;
use clap_complete::{Shell, generate};
use std::path::PathBuf;

/// Print a completion script, or set completion up for kubectl
///
/// `completion bash` and its like print a script for the command `kubectl-pv`. `completion install` creates
/// `kubectl_complete-pv` beside this program: kubectl looks for that name, so that `kubectl pv <TAB>` works.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  source <(kubectl pv completion bash)
  kubectl pv completion install")]
pub(crate) struct Args {
    /// bash, zsh, fish, powershell, elvish, or install
    what: What,

    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    Bash,
    Zsh,
    Fish,
    Powershell,
    Elvish,
    Install,
}

/// The name kubectl looks for on the PATH.
pub(crate) const COMPLETE_NAME: &str = "kubectl_complete-pv";

pub(crate) fn run(args: &Args, session: &mut Session<'_>) -> Result<Exit, CommandError> {
    let shell = match args.what {
        What::Bash => Shell::Bash,
        What::Zsh => Shell::Zsh,
        What::Fish => Shell::Fish,
        What::Powershell => Shell::PowerShell,
        What::Elvish => Shell::Elvish,
        What::Install => return install(args.yes, session),
    };
    session.stdout.write_all(&script(shell))?;
    Ok(Exit::Yes)
}

/// The script for a shell.
pub(crate) fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    generate(
        shell,
        &mut Cli::command().bin_name("kubectl-pv"),
        "kubectl-pv",
        &mut script,
    );
    script
}

fn install(yes: bool, session: &mut Session<'_>) -> Result<Exit, CommandError> {
    let program = std::env::current_exe()
        .map_err(|error| CommandError::unanswered("cannot find this program").because(error))?;
    let link = program.with_file_name(COMPLETE_NAME);
    if points_to(&link, &program) {
        writeln!(session.stdout, "{} is there already", link.display())?;
        return Ok(Exit::Yes);
    }
    if link.symlink_metadata().is_ok() {
        return Err(CommandError::unanswered(format!(
            "{} exists and is something else",
            link.display()
        )));
    }
    if !confirm(
        &format!("Create the link {}?", link.display()),
        yes,
        &session.environment,
    )? {
        return Ok(Exit::No);
    }
    create_link(&program, &link).map_err(|error| {
        CommandError::unanswered(format!("cannot create {}", link.display())).because(error)
    })?;
    writeln!(session.stdout, "created {}", link.display())?;
    Ok(Exit::Yes)
}

fn points_to(link: &PathBuf, program: &PathBuf) -> bool {
    let real = |path: &PathBuf| std::fs::canonicalize(path).ok();
    real(link).is_some() && real(link) == real(program)
}

#[cfg(unix)]
fn create_link(program: &PathBuf, link: &PathBuf) -> std::io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

#[cfg(not(unix))]
fn create_link(program: &PathBuf, link: &PathBuf) -> std::io::Result<()> {
    std::fs::copy(program, link.with_extension("exe")).map(drop)
}
