//! Does a manifest fit the Go types? What the server's decoder (sigs.k8s.io/json) would refuse to read, and what it would
//! read past. Keys count case; a field that does not exist is skipped, whatever it holds.

use super::schema::Shape;
use super::{FieldError, UnknownField, forms, quantities};
use crate::conventions::field_error::{FieldErrorKind, Undecodable, ValueType};
use crate::conventions::object_ref::similar_names;
use crate::conventions::quantity::QuantityError;
use crate::model::manifest::{Content, Entry, Node};

/// Every value that does not fit its field. The server stops at the first one it saves; people fix all of them at once.
pub(super) fn malformed(shape: &Shape, root: &Node) -> Vec<FieldError> {
    let mut found = Vec::new();
    check(shape, root, "", &mut found);
    found
}

fn check(shape: &Shape, node: &Node, path: &str, found: &mut Vec<FieldError>) {
    let problem = match (shape, &node.content) {
        (_, Content::Null) | (Shape::Anything, _) => None,
        (Shape::Object(fields), Content::Map(entries)) => {
            for entry in entries {
                if let Some(shape) = find(fields, &entry.key) {
                    check(shape, &entry.value, &join(path, &entry.key), found);
                }
            }
            None
        }
        (Shape::Map(shape), Content::Map(entries)) => {
            for entry in entries {
                check(
                    shape,
                    &entry.value,
                    &format!("{path}[{}]", entry.key),
                    found,
                );
            }
            None
        }
        (Shape::List(shape), Content::List(items)) => {
            for (index, item) in items.iter().enumerate() {
                check(shape, item, &format!("{path}[{index}]"), found);
            }
            None
        }
        (_, content) => scalar_problem(shape, content),
    };
    if let Some(problem) = problem {
        found.push(FieldError {
            field: Some(path.to_owned()).filter(|path| !path.is_empty()),
            at: None,
            kind: FieldErrorKind::Undecodable(problem),
        });
    }
}

/// The same with nothing where a value does not fit, so that the rest can be judged.
pub(super) fn fitting(shape: &Shape, node: &Node) -> Node {
    let content = match (shape, &node.content) {
        (Shape::Object(fields), Content::Map(entries)) => {
            let fit = |entry: &Entry| match find(fields, &entry.key) {
                Some(shape) => fitting(shape, &entry.value),
                None => entry.value.clone(),
            };
            Content::Map(
                entries
                    .iter()
                    .map(|entry| with_value(entry, fit(entry)))
                    .collect(),
            )
        }
        (Shape::Map(shape), Content::Map(entries)) => {
            let fit = |entry: &Entry| with_value(entry, fitting(shape, &entry.value));
            Content::Map(entries.iter().map(fit).collect())
        }
        (Shape::List(shape), Content::List(items)) => {
            Content::List(items.iter().map(|item| fitting(shape, item)).collect())
        }
        (Shape::Anything, content) => content.clone(),
        (_, content) if scalar_problem(shape, content).is_none() => content.clone(),
        _ => Content::Null,
    };
    Node {
        content,
        place: node.place,
    }
}

fn with_value(entry: &Entry, value: Node) -> Entry {
    Entry {
        value,
        ..entry.clone()
    }
}

/// What is wrong with a value where no list, map or object is both wanted and given.
fn scalar_problem(shape: &Shape, content: &Content) -> Option<Undecodable> {
    match (shape, content) {
        (Shape::Text, Content::Text(_)) | (Shape::Bool, Content::Bool(_)) => None,
        (Shape::Int32, Content::Number(digits)) => whole_number_problem(digits, 32),
        (Shape::Int64, Content::Number(digits)) => whole_number_problem(digits, 64),
        (Shape::Quantity, Content::Text(text) | Content::Number(text)) => quantity_problem(text),
        (Shape::Time, Content::Text(text)) => {
            (!forms::is_time(text)).then(|| Undecodable::Time(text.clone()))
        }
        (Shape::Bytes, Content::Text(text)) => forms::base64_length(text)
            .is_none()
            .then_some(Undecodable::Base64),
        (Shape::Bytes, Content::List(items)) => {
            let byte = |item: &Node| match &item.content {
                Content::Null => true,
                Content::Number(digits) => digits.parse::<u8>().is_ok(),
                _ => false,
            };
            (!items.iter().all(byte)).then_some(Undecodable::ByteList)
        }
        (shape, content) => Some(Undecodable::Type {
            found: type_of(content),
            wanted: wanted_by(shape),
        }),
    }
}

fn whole_number_problem(digits: &str, bits: u32) -> Option<Undecodable> {
    let fits = digits
        .parse::<i64>()
        .is_ok_and(|value| bits == 64 || i32::try_from(value).is_ok());
    (!fits).then(|| Undecodable::WholeNumber {
        digits: digits.to_owned(),
        bits,
    })
}

/// The server looks at the JSON between the quotes, where control characters, quotes and backslashes are escapes: white
/// space around a quantity is forgiven only if it is not one of those.
fn quantity_problem(text: &str) -> Option<Undecodable> {
    let escaped =
        |c: char| c < ' ' || matches!(c, '"' | '\\' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
    let error = if text.contains(escaped) {
        QuantityError::Form
    } else {
        quantities::problem(text)?
    };
    Some(Undecodable::Quantity(error))
}

fn type_of(content: &Content) -> ValueType {
    match content {
        Content::Null => ValueType::Nothing,
        Content::Bool(_) => ValueType::Boolean,
        Content::Number(_) => ValueType::Number,
        Content::Text(_) => ValueType::Text,
        Content::List(_) => ValueType::List,
        Content::Map(_) => ValueType::Map,
    }
}

fn wanted_by(shape: &Shape) -> ValueType {
    match shape {
        Shape::Text => ValueType::Text,
        Shape::Bool => ValueType::Boolean,
        Shape::Int32 | Shape::Int64 => ValueType::WholeNumber,
        Shape::Quantity => ValueType::Quantity,
        Shape::Time => ValueType::Time,
        Shape::Bytes => ValueType::Base64,
        Shape::Anything => ValueType::Anything,
        Shape::List(_) => ValueType::List,
        Shape::Map(_) | Shape::Object(_) => ValueType::Map,
    }
}

/// Every field that its object does not have.
pub(super) fn unknown_fields(shape: &Shape, root: &Node) -> Vec<UnknownField> {
    let mut found = Vec::new();
    collect_unknown(shape, root, "", &mut found);
    found
}

fn collect_unknown(shape: &Shape, node: &Node, path: &str, found: &mut Vec<UnknownField>) {
    match shape {
        Shape::Object(fields) => {
            for entry in node.entries() {
                let path = join(path, &entry.key);
                match find(fields, &entry.key) {
                    Some(shape) => collect_unknown(shape, &entry.value, &path, found),
                    None => found.push(UnknownField {
                        nearest: nearest(&entry.key, fields),
                        key: entry.key.clone(),
                        path,
                    }),
                }
            }
        }
        Shape::Map(shape) => {
            for entry in node.entries() {
                collect_unknown(
                    shape,
                    &entry.value,
                    &format!("{path}[{}]", entry.key),
                    found,
                );
            }
        }
        Shape::List(shape) => {
            for (index, item) in node.items().iter().enumerate() {
                collect_unknown(shape, item, &format!("{path}[{index}]"), found);
            }
        }
        _ => {}
    }
}

fn nearest(key: &str, fields: &'static [(&'static str, Shape)]) -> Vec<String> {
    let names = fields.iter().map(|(name, _)| *name);
    // Who gets the capitals wrong means exactly one field, however many capitals it has.
    if let Some(name) = names.clone().find(|name| name.eq_ignore_ascii_case(key)) {
        return vec![name.to_owned()];
    }
    similar_names(key, names)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

fn find(fields: &'static [(&'static str, Shape)], key: &str) -> Option<&'static Shape> {
    let (_, shape) = fields.iter().find(|(name, _)| *name == key)?;
    Some(shape)
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fields, node};
    use super::super::{Judged, unknown_fields};
    use serde_json::{Value, json};

    fn claim(spec: &Value) -> Value {
        json!({"metadata": {"name": "a"}, "spec": spec})
    }

    #[test]
    fn wrong_types_are_found_where_they_stand() {
        let cases = [
            (json!({"accessModes": "ReadWriteOnce"}), "spec.accessModes"),
            (json!({"accessModes": [1]}), "spec.accessModes[0]"),
            (json!({"storageClassName": true}), "spec.storageClassName"),
            (json!({"selector": []}), "spec.selector"),
            (
                json!({"selector": {"matchLabels": {"a": 1}}}),
                "spec.selector.matchLabels[a]",
            ),
            (
                json!({"resources": {"requests": {"storage": "10 Gi"}}}),
                "spec.resources.requests[storage]",
            ),
            (
                json!({"resources": {"limits": {"storage": "\t1Gi"}}}),
                "spec.resources.limits[storage]",
            ),
            (
                json!({"resources": {"limits": {"storage": {}}}}),
                "spec.resources.limits[storage]",
            ),
            (json!([]), "spec"),
        ];
        for (spec, field) in cases {
            assert_eq!(
                fields(Judged::Claim, &claim(&spec)),
                [format!("?{field}")],
                "{field}"
            );
        }
    }

    #[test]
    fn numbers_times_and_bytes_have_their_limits() {
        let volume =
            |partition: Value| json!({"spec": {"awsElasticBlockStore": {"partition": partition}}});
        for bad in [
            json!(1.5),
            json!(2_147_483_648_u64),
            json!("1"),
            json!(true),
        ] {
            let found = fields(Judged::Volume, &volume(bad.clone()));
            assert_eq!(found, ["?spec.awsElasticBlockStore.partition"], "{bad}");
        }
        let map = |value: Value| json!({"metadata": {"name": "a"}, "binaryData": {"k": value}});
        for (value, fine) in [
            (json!("YQ=="), true),
            (json!("YQ"), false),
            (json!([1, null, 255]), true),
            (json!([256]), false),
            (json!(7), false),
            (json!(null), true),
        ] {
            let found = fields(Judged::ConfigMap, &map(value.clone()));
            assert_eq!(found.is_empty(), fine, "{value}");
        }
        let made = |time: Value| json!({"metadata": {"name": "a", "creationTimestamp": time}});
        for (time, fine) in [
            (json!("2024-02-29T01:02:03Z"), true),
            (json!(null), true),
            (json!("2023-02-29T01:02:03Z"), false),
            (json!("yesterday"), false),
            (json!(""), false),
            (json!(1), false),
        ] {
            let found = fields(Judged::ConfigMap, &made(time.clone()));
            assert_eq!(found.is_empty(), fine, "{time}");
        }
    }

    #[test]
    fn unknown_fields_are_found_at_any_depth() {
        let root = node(&json!({
            "metadata": {"lables": {}},
            "spec": {"class": "x", "accessmodes": [], "selector": {"matchExpressions": [{"values": [], "op": 1}]}},
        }));
        let found = unknown_fields(Judged::Claim, &root);
        let mut seen: Vec<(&str, &[String])> = found
            .iter()
            .map(|field| (field.path.as_str(), &field.nearest[..]))
            .collect();
        seen.sort_unstable();
        let none: &[String] = &[];
        assert_eq!(
            seen,
            [
                ("metadata.lables", &["labels".to_owned()][..]),
                ("spec.accessmodes", &["accessModes".to_owned()][..]),
                ("spec.class", none),
                ("spec.selector.matchExpressions[0].op", none),
            ]
        );
    }
}
