//! The kinds of object that plans name and commands report, with every spelling of each: kind and apiVersion, the resource
//! of its URL, and the short name that people type.

use serde::{Serialize, Serializer};
use std::cmp::Ordering;

/// The apiVersion of our own kinds.
pub const OWN_API_VERSION: &str = "kubectl-pv.dev/v1alpha1";

/// A kind of object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the kinds")]
pub enum ObjectKind {
    PersistentVolume,
    PersistentVolumeClaim,
    Event,
    Pod,
    VolumeAttachment,
    PersistentVolumeSet,
    Lease,
    /// What a volume stands for, outside Kubernetes: no API server has it.
    Asset,
}

impl ObjectKind {
    /// As in the field `kind`.
    pub fn name(self) -> &'static str {
        match self {
            Self::PersistentVolume => "PersistentVolume",
            Self::PersistentVolumeClaim => "PersistentVolumeClaim",
            Self::Event => "Event",
            Self::Pod => "Pod",
            Self::VolumeAttachment => "VolumeAttachment",
            Self::PersistentVolumeSet => "PersistentVolumeSet",
            Self::Lease => "Lease",
            Self::Asset => "Asset",
        }
    }

    /// As in the field `apiVersion`.
    pub fn api_version(self) -> &'static str {
        match self {
            Self::PersistentVolume | Self::PersistentVolumeClaim | Self::Event | Self::Pod => "v1",
            Self::VolumeAttachment => "storage.k8s.io/v1",
            Self::Lease => "coordination.k8s.io/v1",
            Self::PersistentVolumeSet | Self::Asset => OWN_API_VERSION,
        }
    }

    /// The resource, as in URLs and RBAC rules.
    pub fn resource(self) -> &'static str {
        match self {
            Self::PersistentVolume => "persistentvolumes",
            Self::PersistentVolumeClaim => "persistentvolumeclaims",
            Self::Event => "events",
            Self::Pod => "pods",
            Self::VolumeAttachment => "volumeattachments",
            Self::PersistentVolumeSet => "persistentvolumesets",
            Self::Lease => "leases",
            Self::Asset => "assets",
        }
    }

    /// As `kubectl get -o name` spells it: `volumeattachment.storage.k8s.io`.
    pub fn qualified_name(self) -> String {
        let kind = self.name().to_ascii_lowercase();
        let group = self.api_version().split_once('/');
        match group.filter(|_| self != Self::Asset) {
            Some((group, _)) => format!("{kind}.{group}"),
            None => kind,
        }
    }

    /// As people call it.
    pub fn noun(self) -> &'static str {
        match self {
            Self::PersistentVolume => "volume",
            Self::PersistentVolumeClaim => "claim",
            Self::PersistentVolumeSet => "set",
            Self::Event => "event",
            Self::Pod => "pod",
            Self::VolumeAttachment => "attachment",
            Self::Lease => "lease",
            Self::Asset => "asset",
        }
    }

    /// As people type it.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::PersistentVolume => "pv",
            Self::PersistentVolumeClaim => "pvc",
            Self::Event => "event",
            Self::Pod => "pod",
            Self::VolumeAttachment => "volumeattachment",
            Self::PersistentVolumeSet => "pvs",
            Self::Lease => "lease",
            Self::Asset => "asset",
        }
    }
}

/// By name: reports are sorted by it.
impl Ord for ObjectKind {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for ObjectKind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for ObjectKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
