//! What happens to a PersistentVolume that is being deleted while it is bound, and to its data, when its claim is deleted.
//! The engine decides it; reports about volumes and claims, and the plans of `cleanup`, print it.

use super::{DataFate, ReclaimError, Reclaimer};
use crate::conventions::object_command::command;
use crate::conventions::spoken::spoken;

/// The end of a bound PersistentVolume that has a deletionTimestamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// The object disappears. No component deletes its data.
    DataStays,
    /// Its data is deleted by this component, then the object disappears.
    DataDeleted {
        /// Which; none where the volume does not name its CSI driver.
        by: Option<Reclaimer>,
    },
    /// The object disappears, and no finalizer makes it wait for the deletion of its data.
    DataMayStay,
    /// A finalizer waits for a deletion that Kubernetes cannot do.
    ObjectStays {
        /// Why it cannot.
        why: ReclaimError,
    },
}

/// How to be able to recreate the object, as a hint.
pub(super) fn save_first(volume: &str) -> String {
    let get = command(&["kubectl", "get", "pv", volume, "-o", "yaml"]);
    format!("a deletion cannot be undone; save the object first: {get}")
}

impl Removal {
    /// What happens when the claim is deleted, as a clause.
    fn clause_words(&self, policy: &str) -> String {
        match self {
            Self::DataStays => format!(
                "the PersistentVolume disappears with it, and its data stays without an object (policy {policy})"
            ),
            Self::DataDeleted { by } => {
                let by = by.as_ref().map_or("its CSI driver", Reclaimer::subject);
                format!(
                    "{by} deletes its data, then the PersistentVolume disappears (policy {policy})"
                )
            }
            Self::DataMayStay => format!(
                "the PersistentVolume disappears with it, and its storage may stay behind (policy {policy})"
            ),
            Self::ObjectStays { why } => {
                format!("the PersistentVolume and its data stay: {why} (policy {policy})")
            }
        }
    }

    /// What happens to the data.
    pub fn data(&self) -> DataFate {
        match self {
            Self::DataStays | Self::ObjectStays { .. } => DataFate::Kept,
            Self::DataDeleted { .. } => DataFate::Destroyed,
            Self::DataMayStay => DataFate::Unknown,
        }
    }

    /// Whether data can be lost.
    pub fn may_lose_data(&self) -> bool {
        self.data() != DataFate::Kept
    }
}

impl Removal {
    /// As a clause.
    pub fn clause(&self, policy: &str) -> String {
        spoken(self.clause_words(policy))
    }
}
