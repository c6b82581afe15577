//! One object of the wire → the model. Errors say which field.

mod around;
mod fields;
mod storage;
mod volume_set;

pub(super) use fields::{node_selector, time};
pub(super) use storage::{decode_claim, named_source};

use super::library_text::DecodingFault;
use super::templates;
use super::wire;
use crate::conventions::names::generated_name;
use crate::conventions::object_ref::{ObjectKey, OwnerRef};
use crate::model::{Claim, Kind, Objects};
use serde::de::DeserializeOwned;

/// What is wrong in an object, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DecodeError {
    /// The field, as a path.
    pub(super) field: String,
    /// What is wrong with it.
    pub(super) message: String,
}

/// Decodes objects into one collection.
#[derive(Default)]
pub(super) struct Decoder {
    pub(super) objects: Objects,
    /// Claims that templates would create; those that exist already win.
    pub(super) template_claims: Vec<Claim>,
    /// The kinds that occurred.
    pub(super) seen: Vec<Kind>,
    /// What was read in another way than it is written, to be told.
    pub(super) notes: Vec<String>,
    /// The namespace of objects that name none.
    pub(super) default_namespace: String,
}

type Decoded = Result<(), DecodeError>;

impl Decoder {
    /// Decodes one object; a kind we do not read is skipped. Answers whether the kind is one we know.
    pub(super) fn add(
        &mut self,
        api_version: &str,
        kind: &str,
        json: &str,
    ) -> Result<bool, DecodeError> {
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
        match (group, kind) {
            ("", "PersistentVolume") => self.volume(json)?,
            ("", "PersistentVolumeClaim") => self.claim(json)?,
            // The seeds' first class is in the core group.
            ("storage.k8s.io" | "", "StorageClass") => self.class(json)?,
            ("storage.k8s.io", "VolumeAttributesClass") => self.attributes_class(json)?,
            ("", "Pod") => templates::add_pod(self, json)?,
            ("", "Node") => self.node(json)?,
            ("storage.k8s.io", "CSIDriver") => self.csi_driver(json)?,
            ("storage.k8s.io", "CSINode") => self.csi_node(json)?,
            ("storage.k8s.io", "CSIStorageCapacity") => self.capacity(json)?,
            ("storage.k8s.io", "VolumeAttachment") => self.attachment(json)?,
            ("", "LimitRange") => self.limit_range(json)?,
            ("", "ResourceQuota") => self.quota(json)?,
            ("" | "events.k8s.io", "Event") => self.event(json)?,
            ("", "ConfigMap") => self.config_map(json)?,
            ("snapshot.storage.k8s.io", "VolumeSnapshot") => self.snapshot(json)?,
            ("kubectl-pv.dev", "PersistentVolumeSet") => self.volume_set(json)?,
            ("apps" | "extensions", "StatefulSet" | "Deployment" | "ReplicaSet" | "DaemonSet")
            | ("batch", "Job" | "CronJob")
            | ("", "ReplicationController") => templates::add_workload(self, kind, json)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// All that was read. A claim that exists is not shadowed by the template that made it.
    pub(super) fn finish(mut self) -> Decoder {
        let existing: std::collections::HashSet<ObjectKey> = self
            .objects
            .claims
            .iter()
            .map(|claim| claim.key.clone())
            .collect();
        let new = std::mem::take(&mut self.template_claims);
        self.objects.claims.extend(
            new.into_iter()
                .filter(|claim| !existing.contains(&claim.key)),
        );
        self
    }

    /// Takes over what another decoder has read after this one.
    pub(super) fn absorb(&mut self, other: Decoder) {
        self.objects.append(other.objects);
        self.template_claims.extend(other.template_claims);
        self.notes.extend(other.notes);
        for kind in other.seen {
            self.saw(kind);
        }
    }

    fn saw(&mut self, kind: Kind) {
        if !self.seen.contains(&kind) {
            self.seen.push(kind);
        }
    }

    pub(super) fn note_seen(&mut self, kind: Kind) {
        self.saw(kind);
    }

    pub(super) fn key(&self, meta: &wire::Meta) -> Result<ObjectKey, DecodeError> {
        let namespace = meta
            .namespace
            .clone()
            .filter(|namespace| !namespace.is_empty());
        Ok(ObjectKey::new(
            namespace.unwrap_or_else(|| self.default_namespace.clone()),
            name_of(meta)?,
        ))
    }
}

/// The owner of a claim: the controller, or the first owner where none is marked as the controller (operators leave the mark
/// out). The uid is that of the controller alone.
pub(super) fn owner_of_claim(
    owners: Option<Vec<wire::Owner>>,
) -> (Option<OwnerRef>, Option<String>) {
    let first = owners.as_ref().and_then(|owners| owners.first());
    let first = first.map(owner_ref);
    let (controller, uid) = owner_of(owners);
    (controller.or(first), uid)
}

fn owner_ref(owner: &wire::Owner) -> OwnerRef {
    let kind = owner.kind.as_deref().unwrap_or_default();
    let name = owner.name.as_deref().unwrap_or_default();
    OwnerRef::new(kind, name)
}

/// The controller of an object, as in `Job batch`, and its uid.
pub(super) fn owner_of(owners: Option<Vec<wire::Owner>>) -> (Option<OwnerRef>, Option<String>) {
    let controller = owners
        .unwrap_or_default()
        .into_iter()
        .find(|owner| owner.controller.unwrap_or_default());
    let Some(owner) = controller else {
        return (None, None);
    };
    (Some(owner_ref(&owner)), owner.uid)
}

/// Reads the wire struct of a kind; on an error reads it again, to name the field that does not fit.
pub(super) fn parse<T: DeserializeOwned>(json: &str) -> Result<T, DecodeError> {
    if let Ok(object) = serde_json::from_str(json) {
        return Ok(object);
    }
    let mut deserializer = serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| DecodeError {
        field: spelled_path(&error.path().to_string()),
        message: DecodingFault::of(error.inner()).to_string(),
    })
}

/// The path of a field; the object itself has none.
fn spelled_path(path: &str) -> String {
    if path == "." {
        "object".to_owned()
    } else {
        path.to_owned()
    }
}

/// The name; an object that leaves it to the server gets a stand-in.
pub(super) fn name_of(meta: &wire::Meta) -> Result<String, DecodeError> {
    let given = meta.name.clone().filter(|name| !name.is_empty());
    let generated = || meta.generate_name.as_deref().map(generated_name);
    given.or_else(generated).ok_or_else(|| DecodeError {
        field: "metadata.name".to_owned(),
        message: "the object has no name".to_owned(),
    })
}
