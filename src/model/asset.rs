//! Storage assets outside Kubernetes as plain values: what is asked of a backend, for which owner, and what it provisions. The
//! planners of `actions` and the backends of `storage` both use them; no value here reads or changes an asset.

pub use super::asset_name::AssetName;

use crate::conventions::access_mode::AccessModes;
use crate::conventions::quantity::Quantity;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::ReclaimPolicy;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The labels of a volume.
pub type Labels = BTreeMap<String, String>;

/// An asset that is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateRequest {
    /// What it will be called; derived from the owner, so that the same call again finds it.
    pub name: AssetName,
    /// Whom it is for.
    pub owner: Owner,
    /// How much is asked for.
    pub size: Quantity,
    /// The reclaim policy of its volume.
    pub policy: ReclaimPolicy,
    /// The storage class of its volume; empty for none.
    pub class: String,
    /// How it will be used.
    pub access_modes: AccessModes,
    /// Directory or raw device.
    pub volume_mode: VolumeMode,
    /// What the class says.
    pub parameters: BTreeMap<String, String>,
    /// What the claim says, defaults of the class filled in.
    pub options: BTreeMap<String, String>,
    /// The node it is for, where that is known.
    pub node: Option<NodeName>,
}

/// A node, by both of its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeName {
    /// The name of the Node.
    pub name: String,
    /// Its label `kubernetes.io/hostname`, by which volumes are tied to it.
    pub hostname: String,
}

/// Whom an asset is made for. Only the uid tells two of the same name apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Owner {
    /// A claim.
    Claim {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// Its uid.
        uid: String,
    },
    /// One member of a set of volumes.
    Set {
        /// The name of the set.
        name: String,
        /// The uid of the set.
        uid: String,
        /// Which member.
        ordinal: u64,
    },
}

impl Owner {
    /// The uid of the claim or set.
    pub fn uid(&self) -> &str {
        match self {
            Self::Claim { uid, .. } | Self::Set { uid, .. } => uid,
        }
    }

    /// Whether both are the same object, by uid; the members of a set are told apart by ordinal.
    pub fn is(&self, other: &Self) -> bool {
        if self.uid().is_empty() || self.uid() != other.uid() {
            return false;
        }
        match (self, other) {
            (Self::Claim { .. }, Self::Claim { .. }) => true,
            (Self::Set { ordinal: one, .. }, Self::Set { ordinal: two, .. }) => one == two,
            _ => false,
        }
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Claim {
                namespace,
                name,
                uid,
            } => write!(f, "claim {namespace}/{name} (uid {uid})"),
            Self::Set { name, uid, ordinal } => {
                write!(f, "member {ordinal} of set {name} (uid {uid})")
            }
        }
    }
}

/// An asset that exists.
#[derive(Debug, Clone, PartialEq)]
pub struct Asset {
    /// The source of its volume: one field of a PersistentVolume's spec, `{"hostPath": {…}}`.
    pub source: Value,
    /// How much it holds; never less than was asked for.
    pub capacity: Quantity,
    /// Whether an earlier call made it.
    pub adopted: bool,
    /// Labels its volume is to carry; those that its backend declares are among them.
    pub labels: Labels,
    /// The name of the only node it can be reached from, where there is only one.
    pub node: Option<String>,
}

/// What is to be done with an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AssetUse {
    /// It is deleted.
    Delete,
    /// It is emptied and stays.
    Scrub,
}

/// Whether something can be done with an asset now, as far as that shows without changing anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// Nothing is in the way.
    Ready {
        /// The free bytes, where they were asked for.
        free: Option<u64>,
    },
    /// It does not exist.
    Missing {
        /// Whether the base directory, which is stamped for this cluster, has its record.
        is_recorded: bool,
        /// Where it should be.
        path: String,
    },
    /// The base directory is not stamped for this cluster.
    OfAnotherCluster {
        /// One clause.
        message: String,
    },
    /// It cannot be done.
    Refused {
        /// What is in the way.
        obstacle: AssetObstacle,
        /// One clause.
        message: String,
    },
}

/// What is in the way of deleting, emptying or creating an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssetObstacle {
    /// The asset, or the disk with it, does not exist.
    Missing,
    /// It is a symbolic link.
    Link,
    /// It is on a read-only file system.
    ReadOnly,
    /// A file system is mounted in it.
    InUse,
    /// The file system is full.
    NoSpace,
    /// This user has no right to it.
    PermissionDenied,
    /// It cannot be read.
    NotReadable,
}
