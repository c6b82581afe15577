//! Storage classes. Upstream: pkg/apis/storage/validation, ValidateStorageClass; what 1.36 declares on the type itself
//! (`provisioner` is required) says the same under the same name.

use super::field_errors::FieldErrors;
use super::forms::lower;
use super::metadata::{self, Scope};
use super::values::{as_text, items, pairs, text, texts};
use crate::conventions::names::label_key_problems;
use crate::model::manifest::Node;
use std::collections::{BTreeMap, BTreeSet};

const PARAMETERS_LIMIT: usize = 512;
const PARAMETERS_SIZE_LIMIT: usize = 256 * 1024;
const BINDING_MODES: [&str; 2] = ["Immediate", "WaitForFirstConsumer"];

pub(super) fn check(errors: &mut FieldErrors, root: &Node) {
    metadata::check(errors, root, Scope::Cluster);
    check_provisioner(errors, root);
    check_parameters(errors, root);
    // Empty is as good as absent here, but not for the binding mode.
    let policy = text(root, "reclaimPolicy");
    if !["", "Delete", "Retain"].contains(&policy) {
        errors.unsupported("reclaimPolicy", policy, &["Delete", "Retain"]);
    }
    if let Some(mode) = root.get("volumeBindingMode").map(as_text)
        && !BINDING_MODES.contains(&mode)
    {
        errors.unsupported("volumeBindingMode", mode, &BINDING_MODES);
    }
    check_topologies(errors, root);
}

fn check_provisioner(errors: &mut FieldErrors, root: &Node) {
    let provisioner = lower(text(root, "provisioner"));
    if provisioner.is_empty() {
        errors.required("provisioner", "");
    } else {
        let problems = label_key_problems(&provisioner);
        errors.invalid_each("provisioner", &provisioner, &problems);
    }
}

fn check_parameters(errors: &mut FieldErrors, root: &Node) {
    let parameters = pairs(root, "parameters");
    if parameters.len() > PARAMETERS_LIMIT {
        // The server counts parameters and calls them bytes.
        errors.too_long("parameters", PARAMETERS_LIMIT);
        return;
    }
    for (key, _) in parameters.iter().filter(|(key, _)| key.is_empty()) {
        errors.at("parameters[]", |errors| {
            errors.invalid("parameters", key, "field can not be empty.");
        });
    }
    let size: usize = parameters
        .iter()
        .map(|(key, value)| key.len() + value.len())
        .sum();
    if size > PARAMETERS_SIZE_LIMIT {
        errors.too_long("parameters", PARAMETERS_SIZE_LIMIT);
    }
}

/// A term: the values of each key. Of a key that occurs twice the later values count.
type Term<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

fn check_topologies(errors: &mut FieldErrors, root: &Node) {
    let terms = items(root, "allowedTopologies");
    // The server compares each term with the earlier ones and, by an oversight, with as many empty terms as there are terms.
    let mut earlier = BTreeMap::from([(Term::new(), terms.len())]);
    for (index, node) in terms.iter().enumerate() {
        let field = format!("allowedTopologies[{index}].matchLabelExpressions");
        let term = check_term(errors, node, &field);
        let same = earlier.entry(term).or_default();
        // One error for each; where there are so many, more would not help.
        for _ in 0..(*same).min(20) {
            errors.duplicate(&field, "");
        }
        *same += 1;
    }
}

fn check_term<'a>(errors: &mut FieldErrors, node: &'a Node, field: &str) -> Term<'a> {
    let mut term = Term::new();
    for (index, expression) in items(node, "matchLabelExpressions").iter().enumerate() {
        let field = format!("{field}[{index}]");
        let values = texts(expression, "values");
        if values.is_empty() {
            errors.required(format!("{field}.values"), "");
        }
        let mut distinct = BTreeSet::new();
        for (index, value) in values.into_iter().enumerate() {
            if !distinct.insert(value) {
                errors.duplicate(format!("{field}.values[{index}]"), value);
            }
        }
        let key = text(expression, "key");
        errors.invalid_each(&format!("{field}.key"), key, &label_key_problems(key));
        if term.insert(key, distinct).is_some() {
            errors.duplicate(format!("{field}.key"), key);
        }
    }
    term
}

#[cfg(test)]
mod tests {
    use super::super::Judged;
    use super::super::testing::{fields, with};
    use super::*;
    use serde_json::{Value, json};

    fn class() -> Value {
        json!({"metadata": {"name": "fast"}, "provisioner": "example.com/p"})
    }

    #[test]
    fn each_rule_names_its_field() {
        let zone =
            |values: Value| json!({"matchLabelExpressions": [{"key": "zone", "values": values}]});
        let cases = [
            ("/provisioner", json!(""), vec!["provisioner"]),
            ("/provisioner", json!("a b"), vec!["provisioner"]),
            ("/provisioner", json!("Example.COM/P"), vec![]),
            ("/parameters", json!({"": "x"}), vec!["parameters"]),
            ("/reclaimPolicy", json!("Recycle"), vec!["reclaimPolicy"]),
            ("/reclaimPolicy", json!(""), vec![]),
            ("/volumeBindingMode", json!(""), vec!["volumeBindingMode"]),
            ("/volumeBindingMode", json!(null), vec![]),
            ("/metadata/namespace", json!("Dropped"), vec![]),
            ("/allowedTopologies", json!([zone(json!(["a"]))]), vec![]),
            (
                "/allowedTopologies",
                json!([zone(json!(["a", "b"])), zone(json!(["b", "a"]))]),
                vec!["allowedTopologies[1].matchLabelExpressions"],
            ),
            (
                "/allowedTopologies",
                json!([zone(json!(["a", "a"]))]),
                vec!["allowedTopologies[0].matchLabelExpressions[0].values[1]"],
            ),
            (
                "/allowedTopologies",
                json!([zone(json!([]))]),
                vec!["allowedTopologies[0].matchLabelExpressions[0].values"],
            ),
            // As often as there are terms.
            (
                "/allowedTopologies",
                json!([{}, zone(json!(["a"]))]),
                vec!["allowedTopologies[0].matchLabelExpressions"; 2],
            ),
        ];
        for (pointer, value, expected) in cases {
            let manifest = with(class(), pointer, value);
            assert_eq!(fields(Judged::Class, &manifest), expected, "{manifest}");
        }
    }

    #[test]
    fn parameters_have_limits() {
        let many = |count: usize| -> Value {
            (0..count)
                .map(|n| (n.to_string(), Value::from("v")))
                .collect()
        };
        let fields_of =
            |parameters| fields(Judged::Class, &with(class(), "/parameters", parameters));
        assert!(fields_of(many(PARAMETERS_LIMIT)).is_empty());
        assert_eq!(fields_of(many(PARAMETERS_LIMIT + 1)), ["parameters"]);
        let large = |size: usize| json!({"k": "v".repeat(size - 1)});
        assert!(fields_of(large(PARAMETERS_SIZE_LIMIT)).is_empty());
        assert_eq!(fields_of(large(PARAMETERS_SIZE_LIMIT + 1)), ["parameters"]);
    }
}
