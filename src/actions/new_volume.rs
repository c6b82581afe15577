//! The volume that stands for a new asset, as the object that is created and as the engine sees it. It has every property
//! the design of external provisioners demands.

use crate::conventions::annotations::{MADE_ONCE, PROVISIONED_BY};
use crate::conventions::class_name::ClassName;
use crate::conventions::quantity::Quantity;
use crate::engine::OwnMaking;
use crate::model::asset::Asset;
use crate::model::{Claim, ClaimRef, Volume, VolumePhase, VolumeSource};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The label every node carries with its own name.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// A volume that is to be.
pub(super) struct NewVolume<'a> {
    pub(super) claim: &'a Claim,
    pub(super) making: &'a OwnMaking,
    pub(super) capacity: Quantity,
    pub(super) labels: BTreeMap<String, String>,
    /// Absent where only the backend knows, once it has made the asset.
    pub(super) source: Option<Value>,
    /// The only node that can reach it, by the label of its name.
    pub(super) node: Option<String>,
}

impl NewVolume<'_> {
    /// The object to create.
    pub(super) fn object(&self) -> Value {
        let claim = self.claim;
        let mut spec = json!({
            "capacity": { "storage": self.capacity.to_string() },
            "accessModes": claim.access_mode_names,
            "volumeMode": claim.volume_mode(),
            "storageClassName": self.making.class,
            "persistentVolumeReclaimPolicy": self.making.reclaim_policy.to_string(),
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": claim.key.namespace,
                "name": claim.key.name,
                "uid": claim.uid,
                "resourceVersion": claim.resource_version,
            },
        });
        if !self.making.mount_options.is_empty() {
            spec["mountOptions"] = json!(self.making.mount_options);
        }
        if let Some(node) = &self.node {
            spec["nodeAffinity"] = only_on(node);
        }
        if let (Some(Value::Object(source)), Value::Object(spec)) = (&self.source, &mut spec) {
            spec.extend(source.clone());
        }
        let mut metadata = json!({
            "name": self.making.volume_name,
            "annotations": { PROVISIONED_BY: self.making.provisioner, MADE_ONCE: "yes" },
        });
        if !self.labels.is_empty() {
            metadata["labels"] = json!(self.labels);
        }
        json!({ "apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec })
    }

    /// The same for the engine.
    pub(super) fn volume(&self) -> Volume {
        let claim = self.claim;
        let source = self.source.as_ref().and_then(Value::as_object);
        let field = source.and_then(|source| source.keys().next().cloned());
        Volume {
            name: self.making.volume_name.clone(),
            uid: None,
            resource_version: None,
            labels: self.labels.clone(),
            annotations: BTreeMap::from([
                (PROVISIONED_BY.to_owned(), self.making.provisioner.clone()),
                (MADE_ONCE.to_owned(), "yes".to_owned()),
            ]),
            created: None,
            deleted: None,
            finalizers: vec![],
            capacity: self.capacity.clone(),
            access_modes: claim.access_modes(),
            access_mode_names: claim.access_mode_names.clone(),
            volume_mode: claim.volume_mode(),
            class: ClassName::from_field(Some(self.making.class.clone())),
            attributes_class: None,
            claim_ref: Some(ClaimRef {
                namespace: claim.key.namespace.clone(),
                name: claim.key.name.clone(),
                uid: claim.uid.clone(),
            }),
            reclaim_policy: self.making.reclaim_policy.clone(),
            source: VolumeSource {
                field: field.unwrap_or_default(),
                ..VolumeSource::default()
            },
            node_affinity: None,
            phase: VolumePhase::Pending,
            message: None,
            phase_since: None,
        }
    }
}

/// The node affinity of what only one node reaches.
pub(super) fn only_on(hostname: &str) -> Value {
    json!({ "required": { "nodeSelectorTerms": [ { "matchExpressions": [
        { "key": HOSTNAME, "operator": "In", "values": [hostname] } ] } ] } })
}

/// Writes into the object what only the backend knew.
pub(super) fn complete(object: &mut Value, asset: &Asset) {
    let spec = &mut object["spec"];
    spec["capacity"]["storage"] = json!(asset.capacity.to_string());
    if let (Value::Object(spec), Value::Object(source)) = (&mut *spec, &asset.source) {
        spec.extend(source.clone());
    }
    if let (Some(node), true) = (&asset.node, spec["nodeAffinity"].is_null()) {
        spec["nodeAffinity"] = only_on(node);
    }
    if !asset.labels.is_empty() {
        let metadata = &mut object["metadata"];
        if !metadata["labels"].is_object() {
            metadata["labels"] = Value::Object(Map::new());
        }
        for (key, value) in &asset.labels {
            metadata["labels"][key] = json!(value);
        }
    }
}
