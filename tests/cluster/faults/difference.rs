//! Two JSON values, field by field: one line for each place where they differ.

use std::collections::BTreeSet;

use serde_json::Value;

/// Where `left` and `right` differ, as `path: left ≠ right`; nothing when they are equal.
pub(crate) fn differences(left: &Value, right: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", Some(left), Some(right), &mut found);
    found
}

fn compare(path: &str, left: Option<&Value>, right: Option<&Value>, found: &mut Vec<String>) {
    match (left, right) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for key in keys {
                compare(&field(path, key), one.get(key), other.get(key), found);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            for index in 0..one.len().max(other.len()) {
                let place = format!("{path}[{index}]");
                compare(&place, one.get(index), other.get(index), found);
            }
        }
        (one, other) if one == other => {}
        (one, other) => {
            let place = if path.is_empty() { "(all)" } else { path };
            found.push(format!("{place}: {} ≠ {}", shown(one), shown(other)));
        }
    }
}

/// Annotation keys have dots of their own.
fn field(path: &str, key: &str) -> String {
    let plain = key
        .chars()
        .all(|character| character.is_ascii_alphanumeric());
    match (plain, path.is_empty()) {
        (true, true) => key.to_owned(),
        (true, false) => format!("{path}.{key}"),
        (false, _) => format!("{path}[{key:?}]"),
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "<absent>".to_owned(), Value::to_string)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_place_is_named_once() {
        let left = json!({ "a": [1, 2], "b": { "x.y/z": "on" }, "same": null });
        let right = json!({ "a": [1, 3, 4], "b": {}, "same": null });
        assert_eq!(
            differences(&left, &right),
            [
                "a[1]: 2 ≠ 3",
                "a[2]: <absent> ≠ 4",
                r#"b["x.y/z"]: "on" ≠ <absent>"#
            ]
        );
        assert_eq!(differences(&left, &left), [""; 0]);
        assert_eq!(differences(&json!(1), &json!(null)), ["(all): 1 ≠ null"]);
    }
}
