//! The assets of this machine that no volume is called after, as its backends report them.

use crate::conventions::object_ref::ObjectKey;
use crate::model::VolumeSource;
use serde_json::Value;

/// What the backends of this machine told.
#[derive(Debug, Clone, Default)]
pub struct Assets {
    /// What no volume is called after.
    pub found: Vec<FoundAsset>,
    /// Why not all of it could be told, as clauses.
    pub unread: Vec<String>,
    /// The flags that configure the backends, for a command to paste.
    pub flags: Vec<String>,
}

/// An asset that no volume is called after.
#[derive(Debug, Clone)]
pub struct FoundAsset {
    /// The provisioner name it was made under.
    pub backend: String,
    /// Its name.
    pub name: String,
    /// Whom it was made for, where that is known.
    pub owner: Option<AssetOwner>,
    /// The kind of source its volume would have, such as `hostPath`.
    pub field: String,
    /// Where it lies, as a volume would say it.
    pub location: Option<String>,
    /// Whether there is more left of it than our record.
    pub exists: bool,
    /// Whether it is empty, where that can be determined.
    pub is_empty: Option<bool>,
    /// The reclaim policy that its volume had last, where the record states it.
    pub policy: Option<String>,
    /// The size that its volume had last.
    pub size: Option<String>,
    /// The class that its volume had last; empty for none.
    pub class: Option<String>,
    /// The access modes that its volume had last; none where the record does not state them.
    pub access_modes: Vec<String>,
    /// The hostname of the node that reaches it: as recorded, or that of this machine.
    pub node: Option<String>,
    /// The source of its volume: one field of a PersistentVolume's spec.
    pub volume_source: Value,
    /// Whether the record states all that records state today.
    pub is_current: bool,
}

impl FoundAsset {
    /// Whether it may be deleted without being named: it is empty, and its volume had policy Delete.
    pub fn is_disposable(&self) -> bool {
        self.is_empty == Some(true) && self.policy.as_deref() == Some("Delete")
    }

    /// Where it lies, to be compared with volumes.
    pub fn source(&self) -> VolumeSource {
        VolumeSource {
            field: self.field.clone(),
            location: self.location.clone(),
            driver: None,
        }
    }
}

/// Whom an asset was made for.
#[derive(Debug, Clone)]
pub enum AssetOwner {
    /// A claim.
    Claim {
        /// Namespace and name.
        key: ObjectKey,
        /// The uid, by which it is known.
        uid: String,
    },
    /// Somebody we cannot look for, in words.
    Other(String),
}
