//! Errors: we could not answer. "This claim cannot bind" is an answer, and not here.

use crate::exit::Exit;
use crate::load::client::{ApiError, ConnectError};
use crate::load::{FileError, RemovalError};
use crate::render::safe;
use crate::storage::StorageError;
use std::io::Write;

/// Why a command could not do its work, for the person in front of it.
#[derive(Debug)]
pub(crate) struct CommandError {
    exit: Exit,
    message: String,
    hints: Vec<String>,
}

impl CommandError {
    /// The command was used wrongly.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
            hints: vec![],
        }
    }

    /// The answer could not be found.
    pub(crate) fn unanswered(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Unanswered,
            message: message.into(),
            hints: vec![],
        }
    }

    /// Adds what to do about it.
    pub(crate) fn with_hints(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(hints);
        self
    }

    /// Whether the command was used wrongly: trying again would not help.
    pub(crate) fn is_usage(&self) -> bool {
        self.exit == Exit::Usage
    }

    /// What went wrong, for those who go on all the same.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Prints the error and says how to end.
    pub(crate) fn report(&self, to: &mut dyn Write) -> Exit {
        // Where even stderr is gone there is nobody left to tell.
        let _ = writeln!(to, "error: {}", safe(&self.message));
        for hint in &self.hints {
            let _ = writeln!(to, "hint: {}", safe(hint));
        }
        self.exit
    }
}

impl From<FileError> for CommandError {
    fn from(error: FileError) -> Self {
        let hint = match &error {
            FileError::Read { .. } | FileError::Empty(_) => {
                "name a file, a folder (-R for those below it) or - for standard input"
            }
            FileError::Syntax { kind, .. } if kind.is_second_object() => {
                "if another object begins there, put `---` in front of it; kubectl pv convert does that"
            }
            FileError::Syntax { .. } => "mend the document, or leave the file out",
            FileError::Field { .. } => "the API server would refuse this object; mend the field",
        };
        Self::unanswered(error.to_string()).with_hints([hint.to_owned()])
    }
}

impl From<RemovalError> for CommandError {
    fn from(error: RemovalError) -> Self {
        let message = error.to_string();
        match error {
            RemovalError::NotFound { similar, .. } if similar.is_empty() => {
                Self::unanswered(message)
            }
            RemovalError::NotFound { similar, .. } => Self::unanswered(message)
                .with_hints([format!("did you mean --without {}?", similar.join(" or "))]),
            RemovalError::Several { namespaces, asked } => {
                let (kind, name) = asked.split_once('/').unwrap_or((&asked, "NAME"));
                let first = namespaces.first().map_or("NAMESPACE", String::as_str);
                Self::usage(message)
                    .with_hints([format!("say which: --without {kind}/{first}/{name}")])
            }
            RemovalError::NotSeen { .. } => Self::unanswered(message),
        }
    }
}

impl From<StorageError> for CommandError {
    fn from(error: StorageError) -> Self {
        Self::unanswered(error.to_string())
    }
}

impl From<ConnectError> for CommandError {
    fn from(error: ConnectError) -> Self {
        let hints = error.hints();
        Self::unanswered(error.to_string()).with_hints(hints)
    }
}

impl From<ApiError> for CommandError {
    fn from(error: ApiError) -> Self {
        let hints = error.hints();
        Self::unanswered(error.to_string()).with_hints(hints)
    }
}

/// Writing to a reader that went away (`| head`) is no error; nothing else is expected of a stream.
impl From<std::io::Error> for CommandError {
    fn from(error: std::io::Error) -> Self {
        let exit = if error.kind() == std::io::ErrorKind::BrokenPipe {
            Exit::Yes
        } else {
            Exit::Unanswered
        };
        Self {
            exit,
            message: format!("cannot write the answer: {error}"),
            hints: vec![],
        }
    }
}

impl CommandError {
    /// Whether the reader of our output went away, which is said to nobody.
    pub(crate) fn is_silent(&self) -> bool {
        self.exit == Exit::Yes
    }
}
