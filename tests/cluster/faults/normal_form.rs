//! Objects of two clusters, or of one at two times, made comparable: what every object has of its own
//! (uid, versions, times, who wrote which field) goes or becomes a placeholder, names that a test gave
//! differently are made equal, and everything else stays. `difference.rs` compares the results.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

const OF_ITS_OWN: [&str; 5] = [
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
];
const TIME: &str = "<time>";
const VERSION: &str = "<version>";
const UID_PARTS: [usize; 5] = [8, 4, 4, 4, 12];

/// The objects by kind and name, as one JSON object. `renames` says which parts of names and other
/// texts stand for which: `("round-7", "round")`. A uid anywhere in a text becomes the object it
/// belongs to, if that is among these, and nobody's otherwise.
pub(crate) fn normal_form(objects: &[Value], renames: &[(&str, &str)]) -> Value {
    let words = Words {
        owners: objects.iter().filter_map(owner).collect(),
        renames,
    };
    let mut all = Map::new();
    for object in objects {
        let mut object = object.clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.retain(|key, _| !OF_ITS_OWN.contains(&key.as_str()));
        }
        let object = words.value("", &object);
        let mut key = title(&object);
        // Two that cannot be told apart are two all the same.
        while all.contains_key(&key) {
            key.push('+');
        }
        all.insert(key, object);
    }
    Value::Object(all)
}

struct Words<'a> {
    owners: BTreeMap<String, String>,
    renames: &'a [(&'a str, &'a str)],
}

impl Words<'_> {
    fn value(&self, key: &str, value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let pairs = fields.iter();
                pairs
                    .map(|(key, value)| (self.text(key), self.value(key, value)))
                    .collect()
            }
            Value::Array(items) => items.iter().map(|item| self.value("", item)).collect(),
            Value::String(_) if key.ends_with("Time") || key.ends_with("Timestamp") => json!(TIME),
            Value::String(_) if key == "resourceVersion" => json!(VERSION),
            Value::String(text) => json!(self.text(text)),
            other => other.clone(),
        }
    }

    fn text(&self, text: &str) -> String {
        let mut result = String::new();
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let (piece, length) = match find_uid(rest) {
                Some(uid) => (self.owner(uid), uid.len()),
                None => (character.to_string(), character.len_utf8()),
            };
            result.push_str(&piece);
            rest = &rest[length..];
        }
        for (from, to) in self.renames {
            result = result.replace(from, to);
        }
        result
    }

    fn owner(&self, uid: &str) -> String {
        let owner = self.owners.get(uid).map_or("nobody", String::as_str);
        format!("<uid of {owner}>")
    }
}

/// The uid a text begins with.
fn find_uid(text: &str) -> Option<&str> {
    let uid = text.get(..36)?;
    let mut parts = uid.split('-');
    let is_part = |length: &usize| {
        let part = parts.next().unwrap_or_default();
        part.len() == *length && part.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    UID_PARTS.iter().all(is_part).then_some(uid)
}

/// Volumes are named for claims, so a name may hold a uid: only what cannot is used for owners.
fn owner(object: &Value) -> Option<(String, String)> {
    let uid = object["metadata"]["uid"].as_str()?;
    let name = object["metadata"]["name"].as_str()?;
    let made_for = name
        .char_indices()
        .any(|(index, _)| find_uid(&name[index..]).is_some());
    let title = if made_for {
        format!("{} made for a claim", object["kind"].as_str()?)
    } else {
        title(object)
    };
    Some((uid.to_owned(), title))
}

fn title(object: &Value) -> String {
    let part = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    let namespace = metadata["namespace"].as_str();
    let namespace = namespace.map_or_else(String::new, |name| format!("{name}/"));
    format!(
        "{} {namespace}{}",
        part(&object["kind"]),
        part(&metadata["name"])
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::faults::difference::differences;

    const ONE: &str = "00000000-1111-2222-3333-444444444444";
    const OTHER: &str = "99999999-aaaa-bbbb-cccc-dddddddddddd";

    fn pair(round: &str, uid: &str, version: &str) -> Vec<Value> {
        let claim = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {
                "namespace": format!("ns-{round}"), "name": "data", "uid": uid,
                "resourceVersion": version, "creationTimestamp": format!("{version}T00:00:00Z"),
                "managedFields": [{ "manager": round }],
            },
            "spec": { "volumeName": format!("pvc-{uid}") },
        });
        let volume = json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": { "name": format!("pvc-{uid}"), "resourceVersion": version },
            "spec": { "claimRef": {
                "namespace": format!("ns-{round}"), "name": "data", "uid": uid,
                "resourceVersion": version,
            } },
            "status": { "lastPhaseTransitionTime": version },
        });
        vec![claim, volume]
    }

    #[test]
    fn the_same_made_twice_is_equal() {
        let one = normal_form(&pair("round-1", ONE, "7"), &[("round-1", "round")]);
        let two = normal_form(&pair("round-2", OTHER, "8"), &[("round-2", "round")]);
        assert_eq!(differences(&one, &two), [""; 0]);
        let owner = "<uid of PersistentVolumeClaim ns-round/data>";
        let volume = &one[format!("PersistentVolume pvc-{owner}")];
        assert_eq!(volume["spec"]["claimRef"]["uid"], owner);
        assert_eq!(volume["spec"]["claimRef"]["resourceVersion"], VERSION);
    }

    #[test]
    fn a_reference_to_somebody_else_is_a_difference() {
        let one = normal_form(&pair("round-1", ONE, "7"), &[]);
        let mut wrong = pair("round-1", ONE, "7");
        wrong[1]["spec"]["claimRef"]["uid"] = json!(OTHER);
        wrong[1]["spec"]["claimRef"]
            .as_object_mut()
            .unwrap()
            .remove("resourceVersion");
        let found = differences(&one, &normal_form(&wrong, &[])).join("\n");
        assert!(found.contains("<uid of nobody>"), "{found}");
        assert!(found.contains("\"<version>\" ≠ <absent>"), "{found}");
        assert_eq!(found.lines().count(), 2, "{found}");
    }

    #[test]
    fn one_too_many_is_a_difference_even_under_the_same_name() {
        let one = normal_form(&pair("round-1", ONE, "7"), &[]);
        let mut more = pair("round-1", ONE, "7");
        more.push(more[1].clone());
        assert_eq!(differences(&one, &normal_form(&more, &[])).len(), 1);
    }
}
