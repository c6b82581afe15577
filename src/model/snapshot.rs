//! VolumeSnapshots, as sources of data.

use crate::conventions::object_ref::ObjectKey;

/// A VolumeSnapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Namespace and name.
    pub key: ObjectKey,
    /// Whether data can be taken from it.
    pub is_ready: bool,
    /// Why it failed, if it did.
    pub error: Option<String>,
}
