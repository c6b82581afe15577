//! Would the API server (v1.36) accept this manifest? Every error it would answer with, in its order and under its field
//! names, for claims, volumes, storage classes, `ConfigMap`s and our own sets of volumes; and the fields it would drop because it has never heard of
//! them.
//!
//! The server takes three steps, and so does this: the text is decoded into Go types (`schema` and `decoding`; what
//! does not fit is a 400 without a field), then defaulted and cleaned up, then validated (one file per kind; a 422 with a
//! field for each error). Here defaults are applied where a rule reads the field. Admission that looks at other objects
//! (quota, limits, namespaces that are not there) is left to others.

mod claim;
mod class;
mod config_map;
mod data_source;
mod decoding;
mod field_errors;
mod forms;
mod metadata;
mod node_affinity;
mod owners;
mod quantities;
mod schema;
mod sources;
#[cfg(test)]
mod testing;
mod values;
mod volume;
mod volume_set;

use crate::conventions::field_error::FieldErrorKind;
use crate::model::manifest::{Node, Place};
use field_errors::FieldErrors;
use schema::Shape;

pub use volume_set::volume_set_crd;

/// The kinds whose rules are known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judged {
    /// `PersistentVolumeClaim`.
    Claim,
    /// `PersistentVolume`.
    Volume,
    /// `StorageClass`.
    Class,
    /// `ConfigMap`.
    ConfigMap,
    /// `PersistentVolumeSet`, our own kind.
    VolumeSet,
}

impl Judged {
    fn shape(self) -> &'static Shape {
        match self {
            Self::Claim => &schema::CLAIM,
            Self::Volume => &schema::VOLUME,
            Self::Class => &schema::CLASS,
            Self::ConfigMap => &schema::CONFIG_MAP,
            Self::VolumeSet => &schema::VOLUME_SET,
        }
    }

    /// What of it is decoded into Go types before anything is looked at.
    fn decoded(self) -> &'static Shape {
        match self {
            Self::VolumeSet => &schema::DECODED_OF_SET,
            other => other.shape(),
        }
    }
}

/// One error of the server's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldError {
    /// The field as the server spells it, which is not always as it is written. In a 400 the server names no field; there it
    /// is where the bad value stands, and of the object as a whole there is none.
    pub field: Option<String>,
    /// Where the cause stands in the manifest, if the server's name of the field does not lead there.
    pub at: Option<String>,
    /// What is wrong; its text is the server's words after the field.
    pub kind: FieldErrorKind,
}

impl FieldError {
    /// Where the cause stands in the text.
    pub(crate) fn place(&self, root: &Node) -> Place {
        let path = self.at.as_deref().or(self.field.as_deref());
        root.place_of(path.unwrap_or(""))
    }
}

/// A field that the server's type does not have, and therefore does not keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownField {
    /// The whole path, the key included.
    pub path: String,
    /// The key.
    pub key: String,
    /// Fields that do exist there and have a similar name.
    pub nearest: Vec<String>,
}

/// All errors the server would answer with, in its order; none when it would accept the manifest. What is malformed hides
/// everything else, as it does there.
///
/// `namespace` is where the object goes when its manifest does not say: without either, a kind that lives in a namespace is
/// refused.
pub(crate) fn field_errors(kind: Judged, root: &Node, namespace: Option<&str>) -> Vec<FieldError> {
    let malformed = decoding::malformed(kind.decoded(), root);
    if !malformed.is_empty() {
        return malformed;
    }
    let mut errors = FieldErrors::default();
    match kind {
        Judged::Claim => claim::check(&mut errors, root, namespace),
        Judged::Volume => volume::check(&mut errors, root),
        Judged::Class => class::check(&mut errors, root),
        Judged::ConfigMap => config_map::check(&mut errors, root, namespace),
        Judged::VolumeSet => volume_set::check(&mut errors, root),
    }
    errors.into_list()
}

/// The fields that the server's types do not have, at any depth, in the order of the text.
pub(crate) fn unknown_fields(kind: Judged, root: &Node) -> Vec<UnknownField> {
    decoding::unknown_fields(kind.shape(), root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::manifest::Content;
    use serde_json::json;

    /// Gives every key a line of its own, and says which key has which.
    fn number(node: &mut Node, keys: &mut Vec<String>) {
        match &mut node.content {
            Content::Map(entries) => {
                for entry in entries {
                    keys.push(entry.key.clone());
                    entry.key_place.line = keys.len();
                    number(&mut entry.value, keys);
                }
            }
            Content::List(items) => {
                for item in items {
                    keys.push("-".to_owned());
                    item.place.line = keys.len();
                    number(item, keys);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn an_error_leads_to_its_cause() {
        let mut root = testing::node(&json!({
            "metadata": {"name": "Data", "labels": {"good": "x", "very bad": "x"}},
            "spec": {
                "accessModes": ["ReadWriteOnce", "Never"],
                "dataSourceRef": {"kind": "PersistentVolumeClaim", "name": ""},
                "resources": {"requests": {"storage": "0"}},
            },
        }));
        let mut keys = Vec::new();
        number(&mut root, &mut keys);
        let errors = field_errors(Judged::Claim, &root, Some("default"));
        let lines = errors.iter().map(|error| error.place(&root).line);
        let causes: Vec<&str> = lines.map(|line| keys[line - 1].as_str()).collect();
        assert_eq!(causes, ["name", "very bad", "-", "storage", "name", "name"]);
    }
}
