//! Why a volume is left alone.

use crate::conventions::command_line::Sentence;
use crate::report::{DeleterPresence, Unknown, VolumeCause};

/// Why a volume is left alone.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftAlone {
    /// The code.
    pub code: &'static str,
    /// One clause, read after the volume.
    pub message: String,
    /// What to do about it.
    pub hint: Option<Sentence>,
    /// How it stands.
    pub standing: Standing,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
}

/// How a volume stands that is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Somebody else will see to it.
    LeftToOthers,
    /// It stays as it is until somebody acts.
    Refused,
    /// Something the answer needs could not be read.
    Unknown,
}

impl LeftAlone {
    /// Why it is left alone, for reasons that only callers know.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self::refused(code, message)
    }

    /// The same, with what to do about it.
    #[must_use]
    pub fn with_hint(self, hint: &str) -> Self {
        self.hint(hint)
    }

    /// Why it is left alone, and what to do about it.
    pub fn into_message(self) -> Sentence {
        let message = Sentence::from(self.message);
        match self.hint {
            Some(hint) => message.text("; ").then(hint),
            None => message,
        }
    }

    pub(super) fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            standing: Standing::Refused,
            unknowns: vec![],
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<Sentence>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<&VolumeCause> for LeftAlone {
    fn from(cause: &VolumeCause) -> Self {
        let standing = match cause {
            VolumeCause::LeftToController { .. } => Standing::LeftToOthers,
            VolumeCause::ForeignDeleter { presence, .. }
                if *presence != DeleterPresence::NotSeen =>
            {
                Standing::LeftToOthers
            }
            VolumeCause::NotReadable { .. } => Standing::Unknown,
            _ => Standing::Refused,
        };
        Self {
            hint: cause.hint().map(Sentence::from),
            standing,
            ..Self::refused(cause.code(), cause.message())
        }
    }
}
