//! A command for people to paste, as its words; and a sentence with commands in it. Words become text only when they are
//! printed, so that flags are added to words and never to text.

use super::foreign::quoted;
use super::shell;
use super::spoken::spoken;
use serde::{Serialize, Serializer};
use std::fmt;

/// A command for people to paste, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandLine {
    /// A program and its arguments.
    Words(Vec<String>),
    /// A program and its arguments, with a manifest on its standard input.
    Piped {
        /// The manifest.
        manifest: String,
        /// The program and its arguments.
        words: Vec<String>,
    },
    /// There is none: the API server does not accept this name.
    Refused(String),
}

impl CommandLine {
    /// The command of these words, whatever they are.
    pub fn of<S: AsRef<str>>(words: &[S]) -> Self {
        let words = words.iter().map(|word| word.as_ref().to_owned());
        Self::Words(words.collect())
    }

    /// Whether there is a command.
    pub fn is_command(&self) -> bool {
        !matches!(self, Self::Refused(_))
    }

    /// Whether it begins with these words.
    pub fn begins_with(&self, words: &[&str]) -> bool {
        matches!(self, Self::Words(own) if own.len() >= words.len() && own.iter().zip(words).all(|(a, b)| a == b))
    }

    /// Adds words at its end.
    pub fn append(&mut self, more: &[String]) {
        match self {
            Self::Words(words) | Self::Piped { words, .. } => words.extend_from_slice(more),
            Self::Refused(_) => {}
        }
    }

    /// Adds flags that kubectl itself understands. kubectl takes none before the name of a plugin.
    pub fn add_kubectl_flags(&mut self, flags: &[String]) {
        let (Self::Words(words) | Self::Piped { words, .. }) = self else {
            return;
        };
        let is_plugin = words.get(1).is_some_and(|word| word == "pv");
        match words.first().map(String::as_str) {
            Some("kubectl") if is_plugin => words.extend_from_slice(flags),
            Some("kubectl") => {
                words.splice(1..1, flags.iter().cloned());
            }
            _ => {}
        }
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(&shell::command(words)),
            Self::Piped { manifest, words } => write!(
                f,
                "printf %s {} | {}",
                shell::quote(manifest),
                shell::command(words)
            ),
            Self::Refused(name) => write!(
                f,
                "(no command: the API server does not accept the name {})",
                quoted(name)
            ),
        }
    }
}

impl Serialize for CommandLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Tests compare what is printed.
#[cfg(test)]
impl PartialEq<&str> for CommandLine {
    fn eq(&self, line: &&str) -> bool {
        let printed = self.to_string();
        printed == *line
    }
}

#[cfg(test)]
impl PartialEq<String> for CommandLine {
    fn eq(&self, line: &String) -> bool {
        let printed = self.to_string();
        printed == *line
    }
}

/// A sentence with commands in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sentence(Vec<SentencePart>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum SentencePart {
    Text(String),
    Command(CommandLine),
}

impl Sentence {
    /// The same, followed by words.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.0.push(SentencePart::Text(spoken(text.into())));
        self
    }

    /// The same, followed by a command.
    #[must_use]
    pub fn command(mut self, command: CommandLine) -> Self {
        self.0.push(SentencePart::Command(command));
        self
    }

    /// The same, followed by another sentence.
    #[must_use]
    pub fn then(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }

    /// The command at its end, and the words before it.
    pub fn split_command(&self) -> Option<(String, &CommandLine)> {
        match &self.0[..] {
            [before @ .., SentencePart::Command(command)] if command.is_command() => {
                Some((Self(before.to_vec()).to_string(), command))
            }
            _ => None,
        }
    }

    /// Its commands.
    pub fn commands_mut(&mut self) -> impl Iterator<Item = &mut CommandLine> {
        self.0.iter_mut().filter_map(|part| match part {
            SentencePart::Command(command) => Some(command),
            SentencePart::Text(_) => None,
        })
    }
}

impl From<String> for Sentence {
    fn from(text: String) -> Self {
        Self::default().text(text)
    }
}

impl From<&str> for Sentence {
    fn from(text: &str) -> Self {
        Self::default().text(text)
    }
}

impl From<CommandLine> for Sentence {
    fn from(command: CommandLine) -> Self {
        Self::default().command(command)
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.0 {
            match part {
                SentencePart::Text(text) => f.write_str(text)?,
                SentencePart::Command(command) => write!(f, "{command}")?,
            }
        }
        Ok(())
    }
}

impl Serialize for Sentence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    /// What a POSIX shell makes of a line: each argument on a line of its own, `<` and `>` around it, and its standard input.
    fn through_shell(line: &CommandLine) -> Vec<String> {
        let function = "kubectl() { for word in \"$@\"; do printf '%s\\0' \"$word\"; done; }";
        let script = format!("{function}\n{line}");
        let ran = Command::new("sh").args(["-c", &script]).output();
        let ran = ran.expect("a shell");
        assert!(ran.status.success(), "{line}: {ran:?}");
        let text = String::from_utf8(ran.stdout).expect("the words are text");
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    fn stdin_of(line: &CommandLine) -> String {
        let script = format!("kubectl() {{ cat; }}\n{line}");
        let ran = Command::new("sh").args(["-c", &script]).output();
        String::from_utf8(ran.expect("a shell").stdout).expect("the manifest is text")
    }

    fn hostile() -> impl Strategy<Value = String> {
        prop_oneof![
            "[ -~\t\n]{0,12}",
            "[$`'\"\\\\;&|<>(){}*?!#~ \n-]{0,12}",
            "[^\0]{0,8}",
            Just("$(touch /tmp/owned)".to_owned()),
            Just("'; exit 3; '".to_owned()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_shell_takes_the_printed_words_as_they_are(words in prop::collection::vec(hostile(), 0..5)) {
            let all: Vec<&str> = ["kubectl"].into_iter().chain(words.iter().map(String::as_str)).collect();
            prop_assert_eq!(through_shell(&CommandLine::of(&all)), words);
        }

        #[test]
        fn a_manifest_arrives_as_it_is(manifest in hostile(), flag in hostile()) {
            let piped = |words: &[&str]| CommandLine::Piped {
                manifest: manifest.clone(),
                words: words.iter().map(ToString::to_string).collect(),
            };
            prop_assert_eq!(stdin_of(&piped(&["kubectl", "create", "-f", "-"])), manifest.clone());
            let mut line = piped(&["kubectl", "create", "-f", "-"]);
            line.add_kubectl_flags(&["--context".to_owned(), flag.clone()]);
            prop_assert_eq!(
                through_shell(&line),
                ["--context", flag.as_str(), "create", "-f", "-"]
            );
        }
    }

    #[test]
    fn flags_of_the_connection_are_words_among_words() {
        let flags = ["--context".to_owned(), "a b".to_owned()];
        let aimed = |words: &[&str]| {
            let mut line = CommandLine::of(words);
            line.add_kubectl_flags(&flags);
            line.to_string()
        };
        assert_eq!(
            aimed(&["kubectl", "pv", "explain", "data"]),
            "kubectl pv explain data --context 'a b'"
        );
        assert_eq!(
            aimed(&["kubectl", "delete", "pv", "kubectl pv "]),
            "kubectl --context 'a b' delete pv 'kubectl pv '"
        );
        assert_eq!(
            aimed(&["sudo", "chmod", "go-w", "/srv"]),
            "sudo chmod go-w /srv"
        );
        let mut refused = CommandLine::Refused("--all".to_owned());
        refused.add_kubectl_flags(&flags);
        assert_eq!(
            refused.to_string(),
            "(no command: the API server does not accept the name \"--all\")"
        );
    }

    #[test]
    fn a_sentence_is_its_parts() {
        let command = || CommandLine::of(&["kubectl", "get", "pv", "a b"]);
        let sentence = Sentence::from("see: ").command(command());
        assert_eq!(sentence.to_string(), "see: kubectl get pv 'a b'");
        assert_eq!(
            sentence.split_command(),
            Some(("see: ".to_owned(), &command()))
        );
        assert_eq!(sentence.clone().text(", twice").split_command(), None);
        let refused = CommandLine::Refused("-x".to_owned());
        assert_eq!(
            Sentence::from("see: ").command(refused).split_command(),
            None
        );
    }
}
