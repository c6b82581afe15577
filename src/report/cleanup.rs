//! `cleanup`: what nobody needs any more, what only looks like it, and what could not be decided.

use super::{Code, Unknown};
use crate::conventions::command_line::CommandLine;
use crate::conventions::object_kind::ObjectKind;
use crate::model::Time;
use serde::{Serialize, Serializer};

/// What may go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CleanupReport {
    /// See [`super::API_VERSION`].
    pub api_version: &'static str,
    /// `CleanupReport`.
    pub kind: &'static str,
    /// The one namespace that was looked at; null for all.
    pub namespace: Option<String>,
    /// When the state was read; absent for files, which do not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captured_at: Option<Time>,
    /// What may go, by category, kind, namespace and name.
    pub findings: Vec<CleanupFinding>,
    /// What looks like it and was left alone, by kind, namespace and name.
    pub kept: Vec<KeptObject>,
    /// What all findings hold together, each volume once, exactly.
    pub frees: String,
    /// What was not decided, by category.
    pub refused: Vec<RefusedCategory>,
    /// Why nothing was selected, if that cannot be what was meant.
    pub skipped: Vec<SkippedSelection>,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
    /// The commands that act on findings; which of them is stated in the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandLine>,
}

/// A selection that matches nothing, in the form of a skipped object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedSelection {
    /// No object.
    pub target: NoTarget,
    /// [`Code::NothingSelected`].
    pub code: Code,
    /// Why.
    pub message: String,
}

impl SkippedSelection {
    /// For this reason.
    pub fn new(message: String) -> Self {
        Self {
            target: NoTarget::default(),
            code: Code::NothingSelected,
            message,
        }
    }
}

/// The target of an entry that is about no object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NoTarget {
    /// `v1`.
    pub api_version: &'static str,
    /// `PersistentVolume`.
    pub kind: &'static str,
    /// None.
    pub namespace: Option<String>,
    /// Empty.
    pub name: &'static str,
    /// None.
    pub uid: Option<String>,
}

impl Default for NoTarget {
    fn default() -> Self {
        Self {
            api_version: "v1",
            kind: "PersistentVolume",
            namespace: None,
            name: "",
            uid: None,
        }
    }
}

/// Something that may go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CleanupFinding {
    /// What is wrong with it.
    pub category: CleanupCategory,
    /// What it is.
    pub object: CleanupObject,
    /// Why it may go, as a clause.
    pub reason: String,
    /// How sure that is.
    pub confidence: Confidence,
    /// Since when, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
    /// The earliest possible time where `since` is not known: when the object was created.
    #[serde(rename = "notBefore", skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Time>,
    /// The capacity of its volume, as written; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frees: Option<String>,
    /// The reclaim policy of its volume; for an asset the recorded one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The claim that it belongs to or was provisioned for, `namespace/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// The path of its storage, as the source of the volume names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What to paste, in this order, or why there is none.
    #[serde(serialize_with = "super::claim::only_commands")]
    pub commands: Vec<CommandLine>,
    /// Whether the commands create a volume for a leaked asset again. Then they are too long for a table.
    #[serde(skip)]
    pub recreates: bool,
}

/// An object, or an asset of this machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CleanupObject {
    /// The kind; `Asset` for what lies behind no volume.
    pub kind: ObjectKind,
    /// The namespace, where the kind lives in one.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// The uid, where it is known.
    pub uid: Option<String>,
}

/// Something that looks as if it could go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct KeptObject {
    /// What it is.
    pub object: CleanupObject,
    /// Why it stays, in one word.
    pub code: Code,
    /// Why it stays, as a clause.
    pub why: String,
    /// Whether nobody would take it for a leftover; then it is shown only to those who ask.
    #[serde(skip)]
    pub is_obvious: bool,
}

/// A category that was not decided, as something could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RefusedCategory {
    /// The category.
    pub category: CleanupCategory,
    /// What was missing, as a clause.
    pub why: String,
}

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Confidence {
    /// Nothing that was seen, or could be seen, speaks against it.
    Certain,
    /// Nobody was seen who needs it; somebody may still come back for it.
    Likely,
    /// There is a sign that somebody may need it, or too little was seen.
    Unsure,
}

impl Confidence {
    /// The word of the contract.
    pub fn name(self) -> &'static str {
        match self {
            Self::Certain => "Certain",
            Self::Likely => "Likely",
            Self::Unsure => "Unsure",
        }
    }
}

/// What may be wrong, sorted as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CleanupCategory {
    /// Made for a claim that was bound to another volume meanwhile (R76a).
    DuplicateVolumes,
    /// The reclaim policy could not be carried out.
    Failed,
    /// An asset of this machine that no volume stands for.
    LeakedAssets,
    /// A volume is attached where nobody needs it.
    LeftoverAttachments,
    /// The volume of the claim is gone, or somebody else's.
    LostClaims,
    /// The claim of the volume is gone.
    Released,
    /// Pinned to nodes that are gone.
    Unreachable,
    /// Bound, and nobody uses it or would.
    UnusedClaims,
}

impl CleanupCategory {
    /// All of them, sorted.
    pub const ALL: [Self; 8] = [
        Self::DuplicateVolumes,
        Self::Failed,
        Self::LeakedAssets,
        Self::LeftoverAttachments,
        Self::LostClaims,
        Self::Released,
        Self::Unreachable,
        Self::UnusedClaims,
    ];

    /// The word of the contract.
    pub fn name(self) -> &'static str {
        match self {
            Self::DuplicateVolumes => "duplicate-volumes",
            Self::Failed => "failed",
            Self::LeakedAssets => "leaked-assets",
            Self::LeftoverAttachments => "leftover-attachments",
            Self::LostClaims => "lost-claims",
            Self::Released => "released",
            Self::Unreachable => "unreachable",
            Self::UnusedClaims => "unused-claims",
        }
    }

    /// The category of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|category| category.name() == name)
    }
}

impl Serialize for CleanupCategory {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_sorted_as_their_names_are() {
        let names = CleanupCategory::ALL.map(CleanupCategory::name);
        assert!(names.is_sorted(), "{names:?}");
        assert!(CleanupCategory::ALL.is_sorted());
        for category in CleanupCategory::ALL {
            assert_eq!(CleanupCategory::find(category.name()), Some(category));
        }
    }
}
