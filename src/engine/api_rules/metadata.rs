//! The metadata every kind has: names, labels, annotations, owners, finalizers.
//!
//! Some of it is wiped before anybody looks (`uid`, `creationTimestamp`, `selfLink` and the like); `resourceVersion` passes a
//! dry run. `managedFields` are rewritten by the server; what it would refuse of them (an endless name of a manager who owns
//! fields that the object does not have) is left out. Upstream: apimachinery/pkg/api/validation/objectmeta.go, and for finalizers pkg/apis/core/validation.

use super::field_errors::FieldErrors;
use super::forms::lower;
use super::owners;
use super::values::{child, number, pairs, text, texts};
use crate::conventions::names::{
    generated_name, go_quote, label_key_problems, label_problems, label_value_problems,
    name_problems,
};
use crate::model::manifest::Node;

/// All annotations of an object together may have this many bytes.
const ANNOTATIONS_LIMIT: usize = 256 * 1024;

/// Where objects of a kind live.
#[derive(Clone, Copy)]
pub(super) enum Scope<'a> {
    /// In the cluster as a whole; a namespace in the manifest is dropped.
    Cluster,
    /// In a namespace: that of the manifest, or else this one.
    Namespaced(Option<&'a str>),
}

pub(super) fn check(errors: &mut FieldErrors, root: &Node, scope: Scope) {
    let metadata = child(root, "metadata");
    check_name(errors, metadata);
    if let Scope::Namespaced(namespace) = scope {
        check_namespace(errors, metadata, namespace);
    }
    if let Some(generation) = number(metadata, "generation").filter(|number| *number < 0) {
        errors.invalid_as(
            "metadata.generation",
            generation.to_string(),
            "must be greater than or equal to 0",
        );
    }
    check_labels(errors, metadata);
    check_annotations(errors, metadata);
    owners::check(errors, metadata);
    check_finalizers(errors, metadata);
    check_known_finalizers(errors, metadata);
}

/// The same of a custom resource in the cluster as a whole: its generation is wiped, and finalizers may have any name.
pub(super) fn check_custom(errors: &mut FieldErrors, root: &Node) {
    let metadata = child(root, "metadata");
    check_name(errors, metadata);
    check_labels(errors, metadata);
    check_annotations(errors, metadata);
    owners::check(errors, metadata);
    check_finalizers(errors, metadata);
}

fn check_name(errors: &mut FieldErrors, metadata: &Node) {
    let prefix = text(metadata, "generateName");
    if !prefix.is_empty() {
        let problems = name_problems(&masked(prefix));
        errors.invalid_each("metadata.generateName", prefix, &problems);
    }
    let name = full_name(root_name(metadata), prefix);
    if name.is_empty() {
        errors.required("metadata.name", "name or generateName is required");
    } else {
        errors.invalid_each("metadata.name", &name, &name_problems(&name));
    }
}

fn root_name(metadata: &Node) -> &str {
    text(metadata, "name")
}

/// The name an object ends up with.
pub(super) fn name_of(root: &Node) -> String {
    let metadata = child(root, "metadata");
    full_name(root_name(metadata), text(metadata, "generateName"))
}

fn full_name(name: &str, prefix: &str) -> String {
    if !name.is_empty() || prefix.is_empty() {
        return name.to_owned();
    }
    generated_name(prefix)
}

/// A prefix may end in a dash. The server puts a letter in place of the last *two* characters, so that of `a.-` it sees
/// `aa`.
fn masked(prefix: &str) -> String {
    let bytes = prefix.as_bytes();
    if bytes.len() < 2 || !prefix.ends_with('-') {
        return prefix.to_owned();
    }
    format!("{}a", String::from_utf8_lossy(&bytes[..bytes.len() - 2]))
}

fn check_namespace(errors: &mut FieldErrors, metadata: &Node, otherwise: Option<&str>) {
    let written = text(metadata, "namespace");
    let namespace = if written.is_empty() {
        otherwise.unwrap_or("")
    } else {
        written
    };
    if namespace.is_empty() {
        errors.required("metadata.namespace", "");
    } else {
        // A live server does not come this far: it answers that there is no such namespace.
        errors.invalid_each("metadata.namespace", namespace, &label_problems(namespace));
    }
}

fn check_labels(errors: &mut FieldErrors, metadata: &Node) {
    for (key, value) in pairs(metadata, "labels") {
        errors.at(&format!("metadata.labels[{key}]"), |errors| {
            errors.invalid_each("metadata.labels", key, &label_key_problems(key));
            errors.invalid_each("metadata.labels", value, &label_value_problems(value));
        });
    }
}

fn check_annotations(errors: &mut FieldErrors, metadata: &Node) {
    let annotations = pairs(metadata, "annotations");
    for (key, _) in &annotations {
        // The prefix of an annotation may have capital letters.
        let problems = label_key_problems(&lower(key));
        errors.at(&format!("metadata.annotations[{key}]"), |errors| {
            errors.invalid_each("metadata.annotations", key, &problems);
        });
    }
    let size: usize = annotations
        .iter()
        .map(|(key, value)| key.len() + value.len())
        .sum();
    if size > ANNOTATIONS_LIMIT {
        errors.too_long("metadata.annotations", ANNOTATIONS_LIMIT);
    }
}

fn check_finalizers(errors: &mut FieldErrors, metadata: &Node) {
    const FIELD: &str = "metadata.finalizers";
    let finalizers = texts(metadata, "finalizers");
    for (index, finalizer) in finalizers.iter().enumerate() {
        errors.at(&format!("{FIELD}[{index}]"), |errors| {
            errors.invalid_each(FIELD, finalizer, &label_key_problems(finalizer));
        });
    }
    if finalizers.contains(&"orphan") && finalizers.contains(&"foregroundDeletion") {
        let shown: Vec<String> = finalizers.iter().map(|name| go_quote(name)).collect();
        errors.invalid_as(
            FIELD,
            format!("[{}]", shown.join(",")),
            "finalizer orphan and foregroundDeletion cannot be both set",
        );
    }
}

fn check_known_finalizers(errors: &mut FieldErrors, metadata: &Node) {
    let finalizers = texts(metadata, "finalizers");
    for (index, finalizer) in finalizers.iter().enumerate() {
        let standard = ["kubernetes", "orphan", "foregroundDeletion"].contains(finalizer);
        if !standard && !finalizer.contains('/') {
            errors.invalid(
                format!("metadata.finalizers[{index}]"),
                finalizer,
                "name is neither a standard finalizer name nor is it fully qualified",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fields, node};
    use super::super::{Judged, field_errors};
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn each_rule_names_its_field() {
        let owner = |kind: &str| json!({"apiVersion": "v1", "kind": kind, "name": "n", "uid": "u", "controller": true});
        let cases = [
            (json!({}), vec!["metadata.name"]),
            (json!({"name": "A"}), vec!["metadata.name"]),
            (json!({"name": "a".repeat(254)}), vec!["metadata.name"]),
            (json!({"generateName": "a-"}), vec![]),
            (json!({"generateName": "a."}), vec!["metadata.generateName"]),
            (json!({"generateName": "a.-"}), vec!["metadata.name"]),
            (
                json!({"generateName": "-"}),
                vec!["metadata.generateName", "metadata.name"],
            ),
            (
                json!({"name": "a", "namespace": "A.b"}),
                vec!["metadata.namespace"],
            ),
            (
                json!({"name": "a", "generation": -1}),
                vec!["metadata.generation"],
            ),
            (
                json!({"name": "a", "labels": {"a/b/c": "d", "e": "-"}}),
                vec!["metadata.labels", "metadata.labels"],
            ),
            (
                json!({"name": "a", "annotations": {"Example.com/A": "\n", "b c": ""}}),
                vec!["metadata.annotations"],
            ),
            (
                json!({"name": "a", "finalizers": ["orphan", "foregroundDeletion", "mine", "a/b"]}),
                vec!["metadata.finalizers", "metadata.finalizers[2]"],
            ),
            (
                json!({"name": "a", "ownerReferences": [owner("A"), owner("A")]}),
                vec![],
            ),
            (
                json!({"name": "a", "ownerReferences": [owner("A"), owner("Event")]}),
                vec!["metadata.ownerReferences"; 2],
            ),
            (
                json!({"name": "a", "ownerReferences": [{"apiVersion": "a/b/c", "name": "n"}]}),
                vec![
                    "metadata.ownerReferences.apiVersion",
                    "metadata.ownerReferences.kind",
                    "metadata.ownerReferences.uid",
                ],
            ),
            (
                json!({"name": "a", "uid": "?", "managedFields": [{"operation": "No"}], "resourceVersion": "x"}),
                vec![],
            ),
        ];
        for (metadata, expected) in cases {
            let manifest = json!({ "metadata": metadata });
            assert_eq!(fields(Judged::ConfigMap, &manifest), expected, "{manifest}");
        }
    }

    #[test]
    fn annotations_together_have_a_limit() {
        let map = |size: usize| -> Value {
            json!({"metadata": {"name": "a", "annotations": {"k": "v".repeat(size - 1)}}})
        };
        assert!(fields(Judged::ConfigMap, &map(ANNOTATIONS_LIMIT)).is_empty());
        assert_eq!(
            fields(Judged::ConfigMap, &map(ANNOTATIONS_LIMIT + 1)),
            ["metadata.annotations"]
        );
    }

    #[test]
    fn a_namespace_must_come_from_somewhere() {
        let root = node(&json!({"metadata": {"name": "a"}}));
        let found = field_errors(Judged::ConfigMap, &root, None);
        assert_eq!(found[0].field.as_deref(), Some("metadata.namespace"));
        assert!(field_errors(Judged::ConfigMap, &root, Some("n")).is_empty());
    }
}
