//! A member that is to be: the template with its placeholders filled in, and what its backend tells of the asset.

use super::super::new_volume::only_on;
use super::super::shared_asset::source_of_asset;
use crate::conventions::annotations::{HOSTNAME, MADE_ONCE, PROVISIONED_BY, SET_ORDINAL, SET_UID};
use crate::conventions::selector::{Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
use crate::model::asset::{Asset, Labels, NodeName};
use crate::model::{Volume, VolumePhase, VolumeSet, VolumeTemplate};
use serde_json::{Map, Value, json};

/// A member that is to be.
pub(super) struct NewMember<'a> {
    pub(super) set: &'a VolumeSet,
    pub(super) template: &'a VolumeTemplate,
    pub(super) ordinal: u64,
    pub(super) name: String,
    /// What a backend would make; absent where there is none, or only making it tells.
    pub(super) asset: Option<Asset>,
    /// Labels that its backend gives every volume.
    pub(super) labels: Labels,
    pub(super) node: Option<&'a NodeName>,
}

impl NewMember<'_> {
    /// The object to create.
    pub(super) fn object(&self) -> Value {
        let written = &self.template.written;
        let mut annotations = match &written["metadata"]["annotations"] {
            Value::Object(annotations) => annotations.clone(),
            _ => Map::new(),
        };
        // What does not exist yet has no uid, and who applies the volume would name nobody by one.
        if let Some(uid) = &self.set.uid {
            annotations.insert(SET_UID.to_owned(), json!(uid));
        }
        annotations.insert(SET_ORDINAL.to_owned(), json!(self.ordinal.to_string()));
        if annotations.contains_key(PROVISIONED_BY) {
            annotations.insert(MADE_ONCE.to_owned(), json!("yes"));
        }
        let mut spec = self.filled(&written["spec"]);
        if let (Some(asset), Value::Object(spec)) = (&self.asset, &mut spec) {
            if let Value::Object(source) = &asset.source {
                spec.extend(source.clone());
            }
            spec.insert(
                "capacity".to_owned(),
                json!({ "storage": asset.capacity.to_string() }),
            );
        }
        if let Some(node) = self.bound_to().filter(|_| spec["nodeAffinity"].is_null()) {
            spec["nodeAffinity"] = only_on(&node.hostname);
        }
        json!({
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": { "name": self.name, "labels": self.all_labels(), "annotations": annotations },
            "spec": spec,
        })
    }

    /// The only node that can reach it.
    fn bound_to(&self) -> Option<&NodeName> {
        self.node.filter(|_| {
            self.asset
                .as_ref()
                .is_some_and(|asset| asset.node.is_some())
        })
    }

    /// The labels of the template, and those of the backend.
    pub(super) fn all_labels(&self) -> Labels {
        let own = self.template.volume.labels.clone().into_iter();
        let given = self.asset.as_ref().map(|asset| asset.labels.clone());
        own.chain(self.labels.clone())
            .chain(given.unwrap_or_default())
            .collect()
    }

    /// The same for the engine.
    pub(super) fn volume(&self) -> Volume {
        let mut volume = self.template.volume.clone();
        volume.name.clone_from(&self.name);
        volume.labels = self.all_labels();
        volume.phase = VolumePhase::Pending;
        let annotation = |key: &str, value: String| (key.to_owned(), value);
        let uid = self.set.uid.clone();
        volume
            .annotations
            .extend(uid.map(|uid| annotation(SET_UID, uid)));
        let ordinal = annotation(SET_ORDINAL, self.ordinal.to_string());
        volume.annotations.extend([ordinal]);
        if let Some(location) = &mut volume.source.location {
            *location = self.set.fill(location, self.ordinal);
        }
        if let Some(asset) = &self.asset {
            volume.source = source_of_asset(&asset.source);
            volume.capacity = asset.capacity.clone();
        }
        if let Some(node) = self.bound_to().filter(|_| volume.node_affinity.is_none()) {
            volume.node_affinity = Some(reached_from(&node.hostname));
        }
        volume
    }

    /// Every text with its placeholders filled in.
    fn filled(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => json!(self.set.fill(text, self.ordinal)),
            Value::Array(items) => items.iter().map(|item| self.filled(item)).collect(),
            Value::Object(fields) => {
                let fields = fields.iter();
                let fields = fields.map(|(key, value)| (key.clone(), self.filled(value)));
                Value::Object(fields.collect())
            }
            other => other.clone(),
        }
    }
}

fn reached_from(hostname: &str) -> NodeSelector {
    let requirement = Requirement {
        key: HOSTNAME.to_owned(),
        operator: Operator::In,
        values: vec![hostname.to_owned()],
    };
    NodeSelector {
        terms: vec![NodeSelectorTerm {
            match_expressions: vec![requirement],
            match_fields: vec![],
        }],
    }
}
