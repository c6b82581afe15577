//! The profiles of rules: which checks apply, which volume wins, what an empty class means.

use std::fmt;
use std::str::FromStr;

/// Whose rules to answer by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rules {
    /// What Kubernetes v1.36 does.
    #[default]
    V1_36,
    /// The eight-step algorithm of Kubernetes 1.4, as the seeds describe it.
    V1_4,
}

impl Rules {
    /// The name in flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::V1_36 => "v1.36",
            Self::V1_4 => "v1.4",
        }
    }

    /// Whether `storageClassName: ""` means "no class, ever". In 1.4 it meant "not said" (seed 000, workflow 0).
    pub(crate) fn empty_class_is_a_choice(self) -> bool {
        self == Self::V1_36
    }

    /// Whether the alpha class annotation keeps a volume out of matching (seed 001, step 4).
    pub(crate) fn alpha_annotation_excludes(self) -> bool {
        self == Self::V1_4
    }

    /// Whether a claim may have a selector and a class (seed 000, implementation detail 1).
    pub(crate) fn selector_excludes_class(self) -> bool {
        self == Self::V1_4
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rules {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "v1.36" | "1.36" => Ok(Self::V1_36),
            "v1.4" | "1.4" => Ok(Self::V1_4),
            other => Err(format!("unknown rules `{other}` (v1.36, v1.4)")),
        }
    }
}
