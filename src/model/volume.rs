//! PersistentVolumes.

use super::{Claim, Time};
use crate::conventions::access_mode::AccessModes;
use crate::conventions::annotations;
use crate::conventions::class_name::ClassName;
use crate::conventions::foreign::quoted;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::Labels;
use crate::conventions::topology::NodeSelector;
use crate::conventions::volume_mode::VolumeMode;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// A volume.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    /// The name; volumes have no namespace.
    pub name: String,
    /// The uid, if it exists.
    pub uid: Option<String>,
    /// The version that was read, which writes are guarded by; absent in most files.
    pub resource_version: Option<String>,
    /// Labels.
    pub labels: Labels,
    /// The annotations that mean something to binding (`annotations::KEPT_ON_VOLUMES`).
    pub annotations: BTreeMap<String, String>,
    /// When it was created.
    pub created: Option<Time>,
    /// When its deletion was asked for.
    pub deleted: Option<Time>,
    /// Who holds it when it is deleted.
    pub finalizers: Vec<String>,
    /// `spec.capacity.storage`.
    pub capacity: Quantity,
    /// `spec.accessModes`, as the set that groups volumes.
    pub access_modes: AccessModes,
    /// The same as written, for the claim whose status repeats them (R51).
    pub access_mode_names: Vec<String>,
    /// `spec.volumeMode`.
    pub volume_mode: VolumeMode,
    /// The class.
    pub class: ClassName,
    /// `spec.volumeAttributesClassName`.
    pub attributes_class: Option<String>,
    /// `spec.claimRef`.
    pub claim_ref: Option<ClaimRef>,
    /// `spec.persistentVolumeReclaimPolicy`.
    pub reclaim_policy: ReclaimPolicy,
    /// Where the data lies.
    pub source: VolumeSource,
    /// `spec.nodeAffinity.required`.
    pub node_affinity: Option<NodeSelector>,
    /// `status.phase` as stored; the engine computes what it will be (R31).
    pub phase: VolumePhase,
    /// `status.message`.
    pub message: Option<String>,
    /// `status.lastPhaseTransitionTime`.
    pub phase_since: Option<Time>,
}

/// The claim a volume is reserved for or bound to. An empty one is nobody's, and still not free (R26.2).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClaimRef {
    /// The claim's namespace.
    pub namespace: String,
    /// The claim's name.
    pub name: String,
    /// The claim's uid; absent in a reservation by name.
    pub uid: Option<String>,
}

/// The phase of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[expect(missing_docs, reason = "the names are Kubernetes' own")]
pub enum VolumePhase {
    #[default]
    Pending,
    Available,
    Bound,
    Released,
    Failed,
}

/// What becomes of a volume when its claim goes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Kubernetes' own")]
pub enum ReclaimPolicy {
    Retain,
    Delete,
    Recycle,
    Other(String),
}

/// Where the data lies, as far as anybody acts on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct VolumeSource {
    /// The field of the spec: `csi`, `hostPath`, `nfs` …
    pub field: String,
    /// The path, share or handle.
    pub location: Option<String>,
    /// The CSI driver.
    pub driver: Option<String>,
}

impl VolumeSource {
    /// Field, driver and place, as far as they are known.
    pub fn spelled(&self) -> String {
        let parts = [
            Some(&self.field),
            self.driver.as_ref(),
            self.location.as_ref(),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().map(quoted).collect();
        parts.join(" ")
    }

    /// The path as the source names it; of NFS without the server.
    pub fn path(&self) -> Option<String> {
        let location = self.location.as_deref()?;
        let path = match (self.field.as_str(), location.split_once(":/")) {
            ("nfs", Some((_, path))) => format!("/{path}"),
            _ => location.to_owned(),
        };
        Some(path)
    }
}

impl Volume {
    /// The namespace that it belongs to: that of its claimRef.
    pub fn claim_namespace(&self) -> Option<&str> {
        let reference = self.claim_ref.as_ref()?;
        (!reference.is_empty()).then_some(&*reference.namespace)
    }

    /// The hostname of the only node that reaches it.
    pub fn only_node(&self) -> Option<&str> {
        self.node_affinity.as_ref()?.only_hostname()
    }

    /// The class that counts.
    pub fn class(&self) -> &str {
        self.class.resolved()
    }

    /// The attributes class; absent and empty are the same.
    pub fn attributes_class(&self) -> &str {
        self.attributes_class.as_deref().unwrap_or("")
    }

    /// Whether the annotation is there, whatever its value.
    pub fn has_annotation(&self, key: &str) -> bool {
        self.annotations.contains_key(key)
    }

    /// Who made it, if a provisioner did.
    pub fn provisioned_by(&self) -> Option<&str> {
        self.annotations
            .get(annotations::PROVISIONED_BY)
            .map(String::as_str)
            .filter(|name| !name.is_empty())
    }
}

impl Volume {
    /// The provisioner that made it and may make more; one run of `kubectl pv` makes no more.
    pub fn sign_of(&self) -> Option<&str> {
        self.provisioned_by().filter(|_| !self.is_unwatched())
    }

    /// Whether one run of `kubectl pv` made it, so that nobody acts on it by himself.
    pub fn is_unwatched(&self) -> bool {
        self.has_annotation(annotations::MADE_ONCE)
    }
}

impl ClaimRef {
    /// Namespace and name.
    pub fn key(&self) -> ObjectKey {
        ObjectKey::new(&*self.namespace, &*self.name)
    }

    /// Whether it designates this claim: same name, and the same uid or none (R26.2).
    pub fn designates(&self, claim: &Claim) -> bool {
        self.namespace == claim.key.namespace
            && self.name == claim.key.name
            && self
                .uid
                .as_ref()
                .is_none_or(|uid| Some(uid) == claim.uid.as_ref())
    }

    /// Whether it says nothing at all.
    pub fn is_empty(&self) -> bool {
        self.namespace.is_empty() && self.name.is_empty() && self.uid.is_none()
    }
}

impl VolumePhase {
    /// The phase of that name; anything else is a volume nobody has looked at yet.
    pub fn of_name(name: &str) -> Self {
        match name {
            "Available" => Self::Available,
            "Bound" => Self::Bound,
            "Released" => Self::Released,
            "Failed" => Self::Failed,
            _ => Self::Pending,
        }
    }

    /// Kubernetes' name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Available => "Available",
            Self::Bound => "Bound",
            Self::Released => "Released",
            Self::Failed => "Failed",
        }
    }
}

impl ReclaimPolicy {
    /// The policy of that name; a volume without one is retained (R6).
    pub fn of_name(name: &str) -> Self {
        match name {
            "Retain" | "" => Self::Retain,
            "Delete" => Self::Delete,
            "Recycle" => Self::Recycle,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for ReclaimPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Retain => "Retain",
            Self::Delete => "Delete",
            Self::Recycle => "Recycle",
            Self::Other(name) => name,
        })
    }
}

impl fmt::Display for VolumePhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_share_is_without_its_server() {
        let source = |field: &str, location: &str| VolumeSource {
            field: field.to_owned(),
            location: Some(location.to_owned()),
            driver: None,
        };
        assert_eq!(
            source("nfs", "files:/export/a").path().as_deref(),
            Some("/export/a")
        );
        assert_eq!(source("csi", "vol-1").path().as_deref(), Some("vol-1"));
        assert_eq!(VolumeSource::default().path(), None);
    }
}
