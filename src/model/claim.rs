//! PersistentVolumeClaims.

use super::Time;
use crate::conventions::access_mode::AccessModes;
use crate::conventions::annotations;
use crate::conventions::class_name::ClassName;
use crate::conventions::object_ref::{ObjectKey, OwnerRef};
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::{LabelSelector, Labels};
use crate::conventions::volume_mode::VolumeMode;
use serde::Serialize;
use std::collections::BTreeMap;

/// A claim, as it is or as it would be created.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The uid; a claim without one does not exist yet.
    pub uid: Option<String>,
    /// The version that was read, which writes are guarded by; absent in most files.
    pub resource_version: Option<String>,
    /// Labels.
    pub labels: Labels,
    /// Annotations, all of them.
    pub annotations: BTreeMap<String, String>,
    /// When it was created.
    pub created: Option<Time>,
    /// When its deletion was asked for.
    pub deleted: Option<Time>,
    /// Who holds it when it is deleted.
    pub finalizers: Vec<String>,
    /// `spec.resources.requests.storage`.
    pub requested: Option<Quantity>,
    /// `spec.accessModes` as written; see [`Claim::access_modes`].
    pub access_mode_names: Vec<String>,
    /// `spec.volumeMode` as written; see [`Claim::volume_mode`].
    pub volume_mode_name: Option<String>,
    /// The class.
    pub class: ClassName,
    /// `spec.volumeAttributesClassName`.
    pub attributes_class: Option<String>,
    /// `spec.selector`.
    pub selector: Option<LabelSelector>,
    /// `spec.volumeName`, unless it is empty.
    pub volume_name: Option<String>,
    /// `spec.dataSource`.
    pub data_source: Option<DataSource>,
    /// `spec.dataSourceRef`.
    pub data_source_ref: Option<DataSource>,
    /// The ConfigMap with its provisioning options (seed 003).
    pub options: Option<String>,
    /// `status.phase`.
    pub phase: ClaimPhase,
    /// `status.capacity.storage`.
    pub capacity: Option<Quantity>,
    /// `status.accessModes`, as written.
    pub status_access_mode_names: Vec<String>,
    /// `status.allocatedResources.storage`, which quota counts if it is larger.
    pub allocated: Option<Quantity>,
    /// `status.currentVolumeAttributesClassName`.
    pub current_attributes_class: Option<String>,
    /// `status.modifyVolumeStatus`: the attributes class it is being changed to, and how far that is.
    pub modifying: Option<Modification>,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
    /// Who owns it, e.g. `Pod web-0`: who owns a claim makes it anew.
    pub owner: Option<OwnerRef>,
    /// The uid of that owner.
    pub owner_uid: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
}

/// The phase of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[expect(missing_docs, reason = "the names are Kubernetes' own")]
pub enum ClaimPhase {
    #[default]
    Pending,
    Bound,
    Lost,
}

impl ClaimPhase {
    /// Kubernetes' name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Bound => "Bound",
            Self::Lost => "Lost",
        }
    }
}

/// What a new volume is to be filled from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSource {
    /// The API group; absent means the core group.
    pub group: Option<String>,
    /// The kind.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The namespace, in `dataSourceRef` only.
    pub namespace: Option<String>,
}

/// A change of the attributes class under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Modification {
    /// The class it is changed to.
    pub target: String,
    /// `Pending`, `InProgress` or `Infeasible`.
    pub status: String,
}

/// A condition of the status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Its type.
    pub kind: String,
    /// Whether it holds: `True`, `False` or `Unknown`.
    pub status: String,
    /// What it says.
    pub message: String,
    /// When that began to hold.
    pub since: Option<Time>,
}

/// Where a claim comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Origin {
    /// It was read as a claim.
    #[default]
    Object,
    /// It would be created from a template of this owner, e.g. `StatefulSet web`.
    Template(OwnerRef),
}

impl Claim {
    /// Whether the claim is there. One without a uid is explained as if it were applied now.
    pub fn exists(&self) -> bool {
        self.uid.is_some()
    }

    /// The access modes asked for; unknown ones are dropped, as upstream does.
    pub fn access_modes(&self) -> AccessModes {
        AccessModes::of_names(self.access_mode_names.iter().map(String::as_str))
    }

    /// The volume mode asked for.
    pub fn volume_mode(&self) -> VolumeMode {
        self.volume_mode_name
            .as_deref()
            .and_then(VolumeMode::find)
            .unwrap_or_default()
    }

    /// The attributes class asked for; absent and empty are the same (R26.5).
    pub fn attributes_class(&self) -> &str {
        self.attributes_class.as_deref().unwrap_or("")
    }

    /// The size asked for; a claim without one asks for nothing.
    pub fn request(&self) -> Quantity {
        self.requested.clone().unwrap_or_else(Quantity::zero)
    }

    /// Whether the annotation is there, whatever its value.
    pub fn has_annotation(&self, key: &str) -> bool {
        self.annotations.contains_key(key)
    }

    /// Whether the bind was completed once (part 8 of the rules).
    pub fn is_bind_completed(&self) -> bool {
        self.has_annotation(annotations::BIND_COMPLETED)
    }

    /// Since when no pod uses it, where the cluster says so.
    pub fn unused_since(&self) -> Option<Time> {
        let mut conditions = self.conditions.iter();
        conditions
            .find(|condition| condition.kind == "Unused" && condition.status == "True")?
            .since
    }

    /// The node the scheduler chose for provisioning. An empty name counts: only the annotation's presence is looked at.
    pub fn selected_node(&self) -> Option<&str> {
        self.annotations
            .get(annotations::SELECTED_NODE)
            .map(String::as_str)
    }
}
