//! Errors: we could not answer. "This claim cannot bind" is an answer, and not here.

use crate::exit::Exit;
use crate::load::client::{ApiError, ConnectError};
use crate::load::{FileError, RemovalError};
use crate::render::safe;
use crate::storage::StorageError;
use std::error::Error;
use std::fmt;
use std::io::Write;

/// Why a command could not do its work, for the person in front of it.
#[derive(Debug)]
pub(crate) struct CommandError {
    kind: ErrorKind,
    /// What could not be done; empty where the source says it all.
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    hints: Vec<String>,
}

/// What kind of error it is, which decides how the command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorKind {
    /// The command was used wrongly.
    Usage,
    /// The answer could not be found.
    Unanswered,
    /// The reader of our output went away.
    ReaderGone,
}

impl CommandError {
    fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
            hints: vec![],
        }
    }

    /// The command was used wrongly.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// The answer could not be found.
    pub(crate) fn unanswered(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unanswered, message)
    }

    /// The answer could not be found, and this error says why.
    pub(crate) fn failed(source: impl Error + Send + Sync + 'static) -> Self {
        Self::unanswered("").because(source)
    }

    /// Adds the error that it comes from, whose text follows the message.
    pub(crate) fn because(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// Adds what to do about it.
    pub(crate) fn with_hints(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(hints);
        self
    }

    /// Whether the command was used wrongly: trying again would not help.
    pub(crate) fn is_usage(&self) -> bool {
        self.kind == ErrorKind::Usage
    }

    /// Whether the reader of our output went away, which is said to nobody.
    pub(crate) fn is_silent(&self) -> bool {
        self.kind == ErrorKind::ReaderGone
    }

    /// Prints the error and says how to end.
    pub(crate) fn report(&self, to: &mut dyn Write) -> Exit {
        // Where even stderr is gone there is nobody left to tell.
        let _ = writeln!(to, "error: {}", safe(&self.to_string()));
        for hint in &self.hints {
            let _ = writeln!(to, "hint: {}", safe(hint));
        }
        match self.kind {
            ErrorKind::Usage => Exit::Usage,
            ErrorKind::Unanswered => Exit::Unanswered,
            ErrorKind::ReaderGone => Exit::Yes,
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            None => f.write_str(&self.message),
            Some(source) if self.message.is_empty() => source.fmt(f),
            Some(source) => write!(f, "{}: {source}", self.message),
        }
    }
}

impl Error for CommandError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.source.as_deref()?;
        Some(source)
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
        Self::failed(error).with_hints([hint.to_owned()])
    }
}

impl From<RemovalError> for CommandError {
    fn from(error: RemovalError) -> Self {
        let (kind, hint) = match &error {
            RemovalError::NotFound { similar, .. } if similar.is_empty() => {
                (ErrorKind::Unanswered, None)
            }
            RemovalError::NotFound { similar, .. } => {
                let hint = format!("did you mean --without {}?", similar.join(" or "));
                (ErrorKind::Unanswered, Some(hint))
            }
            RemovalError::Several { namespaces, asked } => {
                let (kind, name) = asked.split_once('/').unwrap_or((asked, "NAME"));
                let first = namespaces.first().map_or("NAMESPACE", String::as_str);
                let hint = format!("say which: --without {kind}/{first}/{name}");
                (ErrorKind::Usage, Some(hint))
            }
            RemovalError::NotSeen { .. } => (ErrorKind::Unanswered, None),
        };
        Self::new(kind, "").because(error).with_hints(hint)
    }
}

impl From<StorageError> for CommandError {
    fn from(error: StorageError) -> Self {
        Self::failed(error)
    }
}

impl From<ConnectError> for CommandError {
    fn from(error: ConnectError) -> Self {
        let hints = error.hints();
        Self::failed(error).with_hints(hints)
    }
}

impl From<ApiError> for CommandError {
    fn from(error: ApiError) -> Self {
        let hints = error.hints();
        Self::failed(error).with_hints(hints)
    }
}

/// Writing to a reader that went away (`| head`) is no error; nothing else is expected of a stream.
impl From<std::io::Error> for CommandError {
    fn from(error: std::io::Error) -> Self {
        let kind = if error.kind() == std::io::ErrorKind::BrokenPipe {
            ErrorKind::ReaderGone
        } else {
            ErrorKind::Unanswered
        };
        Self::new(kind, "cannot write the answer").because(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    fn printed(error: &CommandError) -> (Exit, String) {
        let mut text = Vec::new();
        let exit = error.report(&mut text);
        (exit, String::from_utf8(text).expect("we print texts"))
    }

    #[test]
    fn an_error_keeps_its_sources() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = CommandError::from(FileError::Read {
            path: "pvs.yaml".to_owned(),
            source: denied,
        });
        let file = Error::source(&error).expect("the file's error");
        assert!(file.is::<FileError>());
        let io = file.source().expect("the system's error");
        assert!(io.is::<io::Error>());
        assert_eq!(
            printed(&error),
            (
                Exit::Unanswered,
                "error: cannot read pvs.yaml: permission denied\n\
                 hint: name a file, a folder (-R for those below it) or - for standard input\n"
                    .to_owned()
            )
        );
    }

    #[test]
    fn a_message_stands_before_its_source() {
        let error = CommandError::usage("--save: no").because(io::Error::other("full"));
        assert_eq!(
            printed(&error),
            (Exit::Usage, "error: --save: no: full\n".to_owned())
        );
        assert!(error.is_usage() && !error.is_silent());
        let gone = CommandError::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert!(gone.is_silent());
    }
}
