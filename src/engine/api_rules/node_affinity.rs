//! The nodes a volume can be reached from. Upstream: pkg/apis/core/validation, validateVolumeNodeAffinity.

use super::field_errors::FieldErrors;
use super::values::{child, items, text, texts};
use crate::conventions::names::{label_key_problems, label_value_problems, name_problems};
use crate::model::manifest::Node;

pub(super) fn check(errors: &mut FieldErrors, spec: &Node) {
    const FIELD: &str = "spec.nodeAffinity.required";
    if spec.get("nodeAffinity").is_none() {
        return;
    }
    let affinity = child(spec, "nodeAffinity");
    let Some(required) = affinity.get("required") else {
        errors.required(FIELD, "must specify required node constraints");
        return;
    };
    let terms = items(required, "nodeSelectorTerms");
    if terms.is_empty() {
        errors.required(
            format!("{FIELD}.nodeSelectorTerms"),
            "must have at least one node selector term",
        );
    }
    for (index, term) in terms.iter().enumerate() {
        let field = format!("{FIELD}.nodeSelectorTerms[{index}]");
        for (index, node) in items(term, "matchExpressions").iter().enumerate() {
            check_expression(errors, node, &format!("{field}.matchExpressions[{index}]"));
        }
        for (index, node) in items(term, "matchFields").iter().enumerate() {
            check_field(errors, node, &format!("{field}.matchFields[{index}]"));
        }
    }
}

/// An expression over labels; whether the value of `Gt` is a number, nobody asks.
fn check_expression(errors: &mut FieldErrors, node: &Node, field: &str) {
    let values = texts(node, "values");
    let at_values = format!("{field}.values");
    match text(node, "operator") {
        "In" | "NotIn" if values.is_empty() => errors.required(
            at_values,
            "must be specified when `operator` is 'In' or 'NotIn'",
        ),
        "Exists" | "DoesNotExist" if !values.is_empty() => errors.forbidden(
            at_values,
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        "Gt" | "Lt" if values.len() != 1 => errors.required(
            at_values,
            "must be specified single value when `operator` is 'Lt' or 'Gt'",
        ),
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        other => bad_operator(errors, field, other),
    }
    let key = text(node, "key");
    errors.invalid_each(&format!("{field}.key"), key, &label_key_problems(key));
    for (index, value) in values.into_iter().enumerate() {
        let problems = label_value_problems(value);
        errors.invalid_each(&format!("{field}.values[{index}]"), value, &problems);
    }
}

/// An expression over fields, of which a node has one: its name.
fn check_field(errors: &mut FieldErrors, node: &Node, field: &str) {
    let values = texts(node, "values");
    match text(node, "operator") {
        "In" | "NotIn" if values.len() != 1 => errors.required(
            format!("{field}.values"),
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        ),
        "In" | "NotIn" => {}
        other => bad_operator(errors, field, other),
    }
    let key = text(node, "key");
    if key != "metadata.name" {
        errors.invalid(
            format!("{field}.key"),
            key,
            "not a valid field selector key",
        );
        return;
    }
    for (index, value) in values.into_iter().enumerate() {
        let problems = name_problems(value);
        errors.invalid_each(&format!("{field}.values[{index}]"), value, &problems);
    }
}

fn bad_operator(errors: &mut FieldErrors, field: &str, operator: &str) {
    errors.invalid(
        format!("{field}.operator"),
        operator,
        "not a valid selector operator",
    );
}
