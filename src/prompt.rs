//! Yes/no questions. Without a terminal nobody can answer, so nothing is assumed.

use crate::environment::Environment;
use crate::error::CommandError;

/// Asks whether to go on; `--yes` answers for scripts.
pub(crate) fn confirm(
    question: &str,
    yes: bool,
    environment: &Environment,
) -> Result<bool, CommandError> {
    if yes {
        return Ok(true);
    }
    if !environment.stdin_is_terminal || !environment.stderr_is_terminal {
        return Err(
            CommandError::usage(format!("{question} Nobody can answer here"))
                .with_hints(["say --yes".to_owned()]),
        );
    }
    let asked = dialoguer::Confirm::new()
        .with_prompt(question)
        .default(false)
        .wait_for_newline(true)
        .interact();
    asked.map_err(|error| CommandError::unanswered(format!("cannot ask: {error}")))
}
