//! Parts of the plain JSON objects, with the meaning that an absent part has.

use std::collections::BTreeSet;

use serde_json::Value;

use super::quantity::Quantity;

const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Whether a claimRef means this claim: by name, and by uid where it has one (R26.2).
pub(super) fn designates(reference: &Value, claim: &Value) -> bool {
    let metadata = &claim["metadata"];
    reference["namespace"] == metadata["namespace"]
        && reference["name"] == metadata["name"]
        && (uid(reference).is_empty() || reference["uid"] == metadata["uid"])
}

pub(super) fn uid(reference: &Value) -> &str {
    reference["uid"].as_str().unwrap_or_default()
}

pub(super) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().expect("a name")
}

/// R11 and R12.
pub(super) fn class(object: &Value) -> &str {
    let annotation = object["metadata"]["annotations"][CLASS].as_str();
    let field = object["spec"]["storageClassName"].as_str();
    annotation.or(field).unwrap_or_default()
}

/// Q8.
pub(super) fn modes(object: &Value) -> BTreeSet<&str> {
    let modes = object["spec"]["accessModes"]
        .as_array()
        .expect("access modes");
    modes.iter().filter_map(Value::as_str).collect()
}

pub(super) fn volume_mode(object: &Value) -> &str {
    object["spec"]["volumeMode"]
        .as_str()
        .unwrap_or("Filesystem")
}

pub(super) fn attributes_class(object: &Value) -> &str {
    object["spec"]["volumeAttributesClassName"]
        .as_str()
        .unwrap_or_default()
}

pub(super) fn is_terminating(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

pub(super) fn has_annotation(object: &Value, key: &str) -> bool {
    object["metadata"]["annotations"].get(key).is_some()
}

pub(super) fn storage(amounts: &Value) -> Quantity {
    Quantity::read(amounts["storage"].as_str().expect("an amount of storage"))
}

/// R13: also the empty class is one.
pub(super) fn has_class(claim: &Value) -> bool {
    has_annotation(claim, CLASS) || !claim["spec"]["storageClassName"].is_null()
}
