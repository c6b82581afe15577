//! Differences between two JSON or YAML answers, named by the path of the field; an index in a list is `[]`.

use serde_json::Value;

use super::difference::Difference;

/// The documents of an answer; nothing for a text that is not what its format says.
pub(super) fn parse(text: &str, form: &str) -> Option<Value> {
    if form != "yaml" {
        return serde_json::from_str(text).ok();
    }
    let mut documents: Vec<Value> = Vec::new();
    for document in split_documents(text) {
        documents.push(serde_saphyr::from_str(&document).ok()?);
    }
    Some(match documents.len() {
        1 => documents.remove(0),
        _ => Value::Array(documents),
    })
}

fn split_documents(text: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for line in text.lines() {
        if line == "---" {
            documents.push(String::new());
        } else if let Some(document) = documents.last_mut() {
            document.push_str(line);
            document.push('\n');
        }
    }
    documents.retain(|document| !document.trim().is_empty());
    documents
}

/// Every field in which the two differ.
pub(super) fn differences(old: &Value, new: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", old, new, &mut found);
    found
}

fn compare(path: &str, old: &Value, new: &Value, found: &mut Vec<Difference>) {
    match (old, new) {
        (Value::Object(before), Value::Object(after)) => {
            for (key, value) in before {
                let path = join(path, key);
                match after.get(key) {
                    Some(other) => compare(&path, value, other, found),
                    None => found.push(Difference::new(
                        format!("{path} (only in OLD)"),
                        &shorten(value),
                        "",
                    )),
                }
            }
            for (key, value) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
                let field = format!("{} (only in NEW)", join(path, key));
                found.push(Difference::new(field, "", &shorten(value)));
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            compare_lists(path, before, after, found);
        }
        _ if old == new => {}
        _ => {
            let field = if path.is_empty() { "the whole" } else { path };
            found.push(Difference::new(
                field.to_owned(),
                &shorten(old),
                &shorten(new),
            ));
        }
    }
}

fn compare_lists(path: &str, before: &[Value], after: &[Value], found: &mut Vec<Difference>) {
    if before == after {
        return;
    }
    let names = |list: &[Value]| -> String {
        let names: Vec<String> = list.iter().map(title).collect();
        names.join(", ")
    };
    if before.len() != after.len() {
        let field = format!("{path}[] (number)");
        found.push(Difference::new(field, &names(before), &names(after)));
        return;
    }
    let sorted = |list: &[Value]| {
        let mut texts: Vec<String> = list.iter().map(Value::to_string).collect();
        texts.sort();
        texts
    };
    if sorted(before) == sorted(after) {
        let field = format!("{path}[] (order)");
        found.push(Difference::new(field, &names(before), &names(after)));
        return;
    }
    let inside = format!("{path}[]");
    for (old, new) in before.iter().zip(after) {
        compare(&inside, old, new, found);
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// The name of an element, or a short form of all of it.
fn title(value: &Value) -> String {
    let places = [
        "/name",
        "/claim/name",
        "/target/name",
        "/metadata/name",
        "/code",
    ];
    let name = places
        .iter()
        .find_map(|place| value.pointer(place)?.as_str());
    name.map_or_else(|| shorten(value), str::to_owned)
}

fn shorten(value: &Value) -> String {
    value.to_string()
}
