//! Manifests for the tests of this folder, from JSON.

use super::{FieldError, Judged, field_errors};
use crate::conventions::field_error::FieldErrorKind;
use crate::model::manifest::Node;
use serde_json::Value;

/// A manifest; nothing in it has a place.
pub(super) fn node(value: &Value) -> Node {
    Node::of_json(value)
}

/// `value` with another value at a path of object keys (a JSON pointer); its parents are made where they are missing.
pub(super) fn with(mut value: Value, pointer: &str, new: Value) -> Value {
    let mut at = &mut value;
    for key in pointer.split('/').skip(1) {
        at = &mut at[key.replace("~1", "/")];
    }
    *at = new;
    value
}

/// The errors of a manifest that goes to the namespace `default`.
pub(super) fn judge(kind: Judged, value: &Value) -> Vec<FieldError> {
    field_errors(kind, &node(value), Some("default"))
}

/// The fields of the errors, `?` in front of those that are malformed.
pub(super) fn fields(kind: Judged, value: &Value) -> Vec<String> {
    let list = judge(kind, value).into_iter();
    list.map(|error| {
        let malformed = matches!(error.kind, FieldErrorKind::Undecodable(_));
        let mark = if malformed { "?" } else { "" };
        format!("{mark}{}", error.field.unwrap_or_default())
    })
    .collect()
}
