//! `ConfigMap`s: their keys, and how much fits. Upstream: pkg/apis/core/validation, ValidateConfigMap.

use super::field_errors::FieldErrors;
use super::forms::base64_length;
use super::metadata::{self, Scope};
use super::values::{child, pairs};
use crate::conventions::names::config_map_key_problems;
use crate::model::manifest::{Content, Node};
use std::collections::BTreeSet;

/// All values together, keys not counted.
const SIZE_LIMIT: usize = 1024 * 1024;

pub(super) fn check(errors: &mut FieldErrors, root: &Node, namespace: Option<&str>) {
    metadata::check(errors, root, Scope::Namespaced(namespace));
    let binary = child(root, "binaryData");
    let binary_keys: BTreeSet<&str> = binary
        .entries()
        .iter()
        .map(|entry| entry.key.as_str())
        .collect();
    let mut size = 0;
    for (key, value) in pairs(root, "data") {
        let field = format!("data[{key}]");
        errors.invalid_each(&field, key, &config_map_key_problems(key));
        if binary_keys.contains(key) {
            errors.invalid(&field, key, "duplicate of key present in binaryData");
        }
        size += value.len();
    }
    for entry in binary.entries() {
        let field = format!("binaryData[{}]", entry.key);
        errors.invalid_each(&field, &entry.key, &config_map_key_problems(&entry.key));
        size += byte_count(&entry.value);
    }
    if size > SIZE_LIMIT {
        // That is how the server spells the whole object.
        errors.too_long("[]", SIZE_LIMIT);
    }
}

fn byte_count(node: &Node) -> usize {
    match &node.content {
        Content::Text(text) => base64_length(text).unwrap_or(0),
        Content::List(items) => items.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Judged;
    use super::super::testing::{fields, judge};
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_have_a_form_and_stand_once() {
        let map = json!({"metadata": {"name": "a"}, "data": {"ok": "", "b/c": "x", "both": ""},
            "binaryData": {"both": "YQ==", "..": null}});
        let mut found = fields(Judged::ConfigMap, &map);
        found.sort_unstable();
        assert_eq!(found, ["binaryData[..]", "data[b/c]", "data[both]"]);
    }

    #[test]
    fn all_values_together_have_a_limit() {
        let map = |size: usize| {
            json!({"metadata": {"name": "a"}, "data": {"k": "x".repeat(size - 3)},
                "binaryData": {"b": "YWJj"}})
        };
        assert!(fields(Judged::ConfigMap, &map(SIZE_LIMIT)).is_empty());
        let refused = judge(Judged::ConfigMap, &map(SIZE_LIMIT + 1));
        assert_eq!(refused[0].field.as_deref(), Some("[]"));
        assert_eq!(
            refused[0].kind.to_string(),
            "Too long: may not be more than 1048576 bytes"
        );
    }
}
