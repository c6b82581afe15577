//! The outcome is printed, with the command that finishes what is open.

use super::apply_loop::Applied;
use super::showing::Presentation;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::render::{Format, safe, write_outcome, write_unfinished};
use crate::session::Session;

impl Presentation<'_> {
    /// Prints what was done and what was not, and finds the exit status.
    pub(super) fn conclude(
        self,
        mut applied: Applied,
        rerun: impl FnOnce() -> String,
        session: &mut Session<'_>,
    ) -> Result<Exit, CommandError> {
        self.aim_at(&mut applied.outcome.skipped);
        let is_open = applied.outcome.is_open() || applied.trouble.is_some();
        if is_open && !applied.wrote {
            // Nothing was sent, so nothing is left to be finished.
            if let Some(error) = applied.trouble {
                return Err(error);
            }
        }
        if is_open {
            applied.outcome.finish_with = Some(rerun());
        }
        let screen = session.screen(self.output, self.shows_skipped);
        let format = Session::format(self.output);
        write_outcome(session.stdout, &applied.outcome, format, &screen)?;
        self.point_on(applied.outcome.command, &applied.outcome.skipped, session)?;
        if is_open {
            return print_what_is_open(&applied, session);
        }
        let exit = self.exit_of(&applied.outcome.skipped);
        if exit != Exit::Yes && matches!(format, Format::Json | Format::Yaml | Format::Name) {
            for skipped in &applied.outcome.skipped {
                let told = format!("{}: {}", skipped.target.spelled(), skipped.message);
                writeln!(session.stderr, "{}", safe(&told))?;
            }
        }
        // 3 means that nothing was sent.
        Ok(match exit {
            Exit::Unanswered if applied.wrote && self.are_named => Exit::No,
            Exit::Unanswered if applied.wrote => Exit::Yes,
            other => other,
        })
    }
}

fn print_what_is_open(applied: &Applied, session: &mut Session<'_>) -> Result<Exit, CommandError> {
    if let Some(error) = &applied.trouble {
        error.report(session.stderr);
    }
    write_unfinished(session.stderr, &applied.outcome)?;
    if let Some(command) = &applied.outcome.finish_with {
        writeln!(session.stderr, "to finish: {}", safe(command))?;
    }
    Ok(if applied.wrote {
        Exit::Unfinished
    } else if applied.trouble.is_none() && applied.outcome.is_refused() {
        Exit::No
    } else {
        Exit::Unanswered
    })
}
