//! Claims: R7. What they are filled from is in `data_source.rs`; their status is dropped before anybody looks.
//!
//! Upstream: pkg/apis/core/validation, ValidatePersistentVolumeClaim; pkg/registry/core/persistentvolumeclaim.

use super::data_source;
use super::field_errors::FieldErrors;
use super::metadata::{self, Scope};
use super::values::{as_text, child, items, pairs, quantity, text, texts};
use crate::conventions::access_mode::AccessMode;
use crate::conventions::field_error::InvalidRule;
use crate::conventions::names::name_problems;
use crate::conventions::selector::{LabelSelector, Operator, Requirement};
use crate::conventions::volume_mode::VolumeMode;
use crate::model::manifest::Node;

pub(super) fn check(errors: &mut FieldErrors, root: &Node, namespace: Option<&str>) {
    metadata::check(errors, root, Scope::Namespaced(namespace));
    let spec = child(root, "spec");
    if texts(spec, "accessModes").is_empty() {
        errors.required("spec.accessModes", "at least 1 access mode is required");
    }
    check_selector(errors, spec);
    check_access_modes(errors, spec);
    errors.at("spec.resources.requests[storage]", |errors| {
        check_request(errors, spec);
    });
    check_class_name(errors, spec, "storageClassName");
    check_volume_mode(errors, spec);
    data_source::check(errors, spec);
    check_class_name(errors, spec, "volumeAttributesClassName");
}

fn check_selector(errors: &mut FieldErrors, spec: &Node) {
    let selector = read_selector(child(spec, "selector"));
    for problem in selector.problems() {
        errors.report(format!("spec.selector.{}", problem.path), problem.kind);
    }
}

fn read_selector(node: &Node) -> LabelSelector {
    let labels = pairs(node, "matchLabels").into_iter();
    let expressions = items(node, "matchExpressions").iter();
    LabelSelector {
        match_labels: labels
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
        match_expressions: expressions
            .map(|node| Requirement {
                key: text(node, "key").to_owned(),
                operator: Operator::of_name(text(node, "operator")),
                values: texts(node, "values")
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
            })
            .collect(),
    }
}

/// Which modes there are, and which of them stands alone; the same for volumes.
pub(super) fn check_access_modes(errors: &mut FieldErrors, spec: &Node) {
    const FIELD: &str = "spec.accessModes";
    const SUPPORTED: [&str; 4] = [
        "ReadOnlyMany",
        "ReadWriteMany",
        "ReadWriteOnce",
        "ReadWriteOncePod",
    ];
    let mut known = Vec::new();
    for (index, name) in texts(spec, "accessModes").into_iter().enumerate() {
        match AccessMode::find(name) {
            Some(mode) => known.push(mode),
            None => errors.at(&format!("{FIELD}[{index}]"), |errors| {
                errors.unsupported(FIELD, name, &SUPPORTED);
            }),
        }
    }
    let alone = |mode: &AccessMode| *mode == AccessMode::ReadWriteOncePod;
    if known.iter().any(alone) && !known.iter().all(alone) {
        errors.forbidden(
            FIELD,
            "may not use ReadWriteOncePod with other access modes",
        );
    }
}

fn check_request(errors: &mut FieldErrors, spec: &Node) {
    const FIELD: &str = "spec.resources[storage]";
    let requests = child(child(spec, "resources"), "requests");
    let Some(entry) = requests.entry("storage") else {
        errors.required(FIELD, "");
        return;
    };
    let requested = quantity(&entry.value);
    if !requested.is_positive() {
        errors.invalid(FIELD, &requested.canonical(), InvalidRule::Positive);
    }
}

/// The name of a class, where empty means none; the same for volumes.
pub(super) fn check_class_name(errors: &mut FieldErrors, spec: &Node, field: &str) {
    let name = text(spec, field);
    if !name.is_empty() {
        errors.invalid_each(&format!("spec.{field}"), name, &name_problems(name));
    }
}

/// Absent is a file system; empty is wrong. The same for volumes.
pub(super) fn check_volume_mode(errors: &mut FieldErrors, spec: &Node) {
    if let Some(mode) = spec.get("volumeMode").map(as_text)
        && VolumeMode::find(mode).is_none()
    {
        errors.unsupported("spec.volumeMode", mode, &["Block", "Filesystem"]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Judged;
    use super::super::testing::{fields, judge, with};
    use serde_json::{Value, json};

    fn claim() -> Value {
        json!({"metadata": {"name": "data"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
        }})
    }

    #[test]
    fn each_rule_names_its_field() {
        let cases = [
            ("/spec/accessModes", json!([]), vec!["spec.accessModes"]),
            ("/spec/accessModes", json!([null]), vec!["spec.accessModes"]),
            (
                "/spec/accessModes",
                json!(["ReadWriteOncePod", "ReadWriteMany", "Never"]),
                vec!["spec.accessModes", "spec.accessModes"],
            ),
            (
                "/spec/accessModes",
                json!(["ReadWriteOncePod", "ReadWriteOncePod"]),
                vec![],
            ),
            (
                "/spec/resources/requests",
                json!({"cpu": "1"}),
                vec!["spec.resources[storage]"],
            ),
            (
                "/spec/resources/requests/storage",
                json!(null),
                vec!["spec.resources[storage]"],
            ),
            (
                "/spec/resources/requests/storage",
                json!("-1"),
                vec!["spec.resources[storage]"],
            ),
            ("/spec/resources/requests/storage", json!("1n"), vec![]),
            (
                "/spec/resources/requests/storage",
                json!("9300000001G"),
                vec![],
            ),
            (
                "/spec/selector",
                json!({"matchExpressions": [{"key": "a", "operator": "In"}, null]}),
                vec![
                    "spec.selector.matchExpressions[0].values",
                    "spec.selector.matchExpressions[1].operator",
                    "spec.selector.matchExpressions[1].key",
                    "spec.selector.matchExpressions[1].key",
                ],
            ),
            (
                "/spec/storageClassName",
                json!("Fast"),
                vec!["spec.storageClassName"],
            ),
            ("/spec/storageClassName", json!(""), vec![]),
            ("/spec/volumeMode", json!(""), vec!["spec.volumeMode"]),
            ("/spec/volumeMode", json!(null), vec![]),
            (
                "/spec/volumeAttributesClassName",
                json!("a_b"),
                vec!["spec.volumeAttributesClassName"],
            ),
            ("/status", json!({"phase": "No such phase"}), vec![]),
        ];
        for (pointer, value, expected) in cases {
            let manifest = with(claim(), pointer, value);
            assert_eq!(fields(Judged::Claim, &manifest), expected, "{manifest}");
        }
    }

    #[test]
    fn the_words_are_the_servers() {
        let manifest = with(claim(), "/spec/accessModes", json!([]));
        let found = judge(Judged::Claim, &manifest);
        assert_eq!(
            found[0].kind.to_string(),
            "Required value: at least 1 access mode is required"
        );
        let empty: Vec<String> = judge(Judged::Claim, &json!({}))
            .into_iter()
            .filter_map(|error| error.field)
            .collect();
        assert_eq!(
            empty,
            [
                "metadata.name",
                "spec.accessModes",
                "spec.resources[storage]"
            ]
        );
    }
}
