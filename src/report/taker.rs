//! A claim judged for one volume: would it take it, could it, or why not.

use super::code::coded;
use super::{ClaimCause, VolumeReason};
use crate::conventions::foreign::quoted;
use crate::conventions::object_ref::ObjectKey;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A claim, judged for one volume.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Taker {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The judgement.
    pub result: TakerResult,
    /// The size asked for, as written.
    pub requested: Option<String>,
    /// The class that counts; empty for none.
    pub class: String,
    /// Every reason.
    pub reasons: Vec<TakerReason>,
}

impl Taker {
    /// Namespace and name.
    pub fn key(&self) -> ObjectKey {
        ObjectKey::new(&*self.namespace, &*self.name)
    }
}

/// The judgement on one claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub enum TakerResult {
    /// The volume is the claim's only outcome.
    WouldTake,
    /// It is one of several, or it fits and another is preferred, or the scheduler will decide.
    CouldTake,
    /// Something is against it.
    Rejected,
}

coded! {
    /// Why a claim does not, or not certainly, take the volume.
    #[derive(Debug, Clone, PartialEq)]
    #[expect(missing_docs, reason = "the fields are the evidence their names say")]
    pub enum TakerReason {
        /// The volume does not suit it.
        Volume(VolumeReason) in reason,
        /// Something is wrong with the claim itself.
        Claim(ClaimCause) in cause,
        /// It names another volume (`spec.volumeName`) and takes no other.
        NamesOtherVolume { volume: String },
        /// A node is chosen for it already: the scheduler looks for no existing volume any more (R110).
        SelectedNodeSet { node: String },
        /// The scheduler would have to decide, and no node suits the volume.
        NoNodeForVolume { wanted: String } as NodeAffinityMismatch,
    }
}

impl TakerReason {
    /// One short clause, read after the code.
    pub fn message(&self) -> String {
        match self {
            Self::Volume(reason) => reason.message(),
            Self::Claim(cause) => cause.message(),
            Self::NamesOtherVolume { volume } => {
                format!("it names {volume}", volume = quoted(volume))
            }
            Self::SelectedNodeSet { node } => {
                format!(
                    "node {node} is chosen for it, so that only a new volume will do",
                    node = quoted(node)
                )
            }
            Self::NoNodeForVolume { wanted } => {
                format!("binds when a pod comes, and no node has {wanted}")
            }
        }
    }

    /// The same for a sentence in which the code does not stand.
    pub fn clause(&self) -> String {
        match self {
            Self::Volume(reason) => reason.clause(),
            _ => self.message(),
        }
    }

    /// What to change, where something can be.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Volume(reason) => reason.hint(),
            Self::Claim(cause) => cause.hint(),
            _ => None,
        }
    }

    /// Where it stands among the reasons that order rejected claims: nearest miss first, other people's wishes last.
    pub fn rank(&self) -> usize {
        match self {
            Self::Volume(reason) => reason.rank(),
            Self::SelectedNodeSet { .. } | Self::NoNodeForVolume { .. } => 20,
            Self::Claim(_) => 30,
            Self::NamesOtherVolume { .. } => 100,
        }
    }
}

impl Serialize for TakerReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if let Self::Volume(reason) = self {
            return reason.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code())?;
        map.serialize_entry("message", &self.message())?;
        if let Some(hint) = self.hint() {
            map.serialize_entry("hint", &hint)?;
        }
        match self {
            Self::NamesOtherVolume { volume } => map.serialize_entry("volume", volume)?,
            Self::SelectedNodeSet { node } => map.serialize_entry("node", node)?,
            Self::NoNodeForVolume { wanted } => map.serialize_entry("wanted", wanted)?,
            Self::Volume(_) | Self::Claim(_) => {}
        }
        map.end()
    }
}
