//! Why a volume is left alone.

use crate::report::{DeleterPresence, Unknown, VolumeCause};

/// Why a volume is left alone.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftAlone {
    /// The code.
    pub code: &'static str,
    /// One clause, read after the volume.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// How it stands.
    pub standing: Standing,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
    /// The commands in the hint, in their order.
    pub commands: Vec<String>,
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

    pub(super) fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            standing: Standing::Refused,
            unknowns: vec![],
            commands: vec![],
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl LeftAlone {
    /// A hint, and the commands that it has, in their order.
    pub(super) fn advise(self, hint: String, commands: impl IntoIterator<Item = String>) -> Self {
        Self {
            commands: commands.into_iter().collect(),
            ..self.hint(hint)
        }
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
            hint: cause.hint(),
            standing,
            ..Self::refused(cause.code(), cause.message())
        }
    }
}
