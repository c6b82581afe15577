//! Questions. Without a terminal nobody can answer, so nothing is assumed. They are asked on stderr: stdout is for answers.

use crate::environment::Environment;
use crate::error::CommandError;
use crate::render::safe;
use std::error::Error;
use std::io::{self, BufRead, Write};

/// Asks whether to go on; `--yes` answers for scripts.
pub(crate) fn confirm(
    question: &str,
    yes: bool,
    environment: &Environment,
) -> Result<bool, CommandError> {
    if yes {
        return Ok(true);
    }
    if !has_terminal(environment) {
        return Err(
            CommandError::usage(format!("{question} Nobody can answer here"))
                .with_hints(["say --yes".to_owned()]),
        );
    }
    let asked = ask_plainly(question, &mut io::stdin().lock(), &mut io::stderr());
    asked.map_err(cannot_ask)
}

/// A line in the terminal's own manner: it is edited, interrupted (Ctrl-C) and ended (Ctrl-D) as anywhere, and whatever ends
/// the program leaves the terminal as it was. Whatever is no clear yes is a no.
fn ask_plainly(question: &str, answers: &mut dyn BufRead, to: &mut dyn Write) -> io::Result<bool> {
    write!(to, "{} [y/N] ", safe(question))?;
    to.flush()?;
    let mut answer = String::new();
    if answers.read_line(&mut answer)? == 0 {
        // Nobody ended the line.
        writeln!(to)?;
    }
    let answer = answer.trim().to_ascii_lowercase();
    Ok(matches!(answer.as_str(), "y" | "yes"))
}

/// Makes sure, before anything is read, that somebody is there to answer.
pub(crate) fn check_answerable(environment: &Environment) -> Result<(), CommandError> {
    if has_terminal(environment) {
        return Ok(());
    }
    Err(
        CommandError::usage("--interactive needs a terminal, and nobody can answer here")
            .with_hints(["--template prints everything there is to choose".to_owned()]),
    )
}

/// Asks to choose one of a list, and answers which. The list must not be empty.
pub(crate) fn choose(
    question: &str,
    items: &[String],
    preselected: usize,
) -> Result<usize, CommandError> {
    let items: Vec<String> = items.iter().map(|item| safe(item).into_owned()).collect();
    let asked = dialoguer::Select::new()
        .with_prompt(safe(question))
        .items(&items)
        .default(preselected)
        .interact();
    asked.map_err(cannot_ask)
}

/// Asks for a line of text until `check` has nothing against it. An empty line means the default, where there is one.
pub(crate) fn ask(
    question: &str,
    default: Option<&str>,
    check: impl Fn(&str) -> Option<String>,
) -> Result<String, CommandError> {
    let mut input = dialoguer::Input::<String>::new()
        .with_prompt(safe(question))
        .allow_empty(true);
    if let Some(default) = default {
        input = input.default(default.to_owned());
    }
    let refused = |text: &String| match check(text) {
        None => Ok(()),
        Some(problem) => Err(safe(&problem).into_owned()),
    };
    let asked = input.validate_with(refused).interact_text();
    asked.map_err(cannot_ask)
}

/// Whether a person can answer.
pub(crate) fn has_terminal(environment: &Environment) -> bool {
    environment.stdin_is_terminal && environment.stderr_is_terminal
}

fn cannot_ask(error: impl Error + Send + Sync + 'static) -> CommandError {
    CommandError::unanswered("cannot ask").because(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_a_yes() {
        for (typed, is_yes) in [
            ("y\n", true),
            ("Yes\n", true),
            (" y \r\n", true),
            ("n\n", false),
            ("\n", false),
            ("", false),
            ("yesterday\n", false),
        ] {
            let mut shown = Vec::new();
            let answer = ask_plainly("Go on?", &mut typed.as_bytes(), &mut shown).unwrap();
            assert_eq!(answer, is_yes, "{typed:?}");
            let end = if typed.is_empty() { "\n" } else { "" };
            let shown = String::from_utf8(shown).unwrap();
            assert_eq!(
                shown,
                format!("Go on? [y/N] {end}"),
                "nothing that a terminal obeys"
            );
        }
    }
}
