//! What is left of a deleted object: a deletion is done when the object is gone.

use super::super::outcome::Remains;
use super::super::plan::Target;
use super::collection_of;
use crate::load::client::Connection;
use crate::load::escape;
use serde_json::Value;

/// Reads the object, by a list of one: the roles allow to list what a command works on.
pub(crate) async fn find_remains(
    connection: &Connection,
    target: &Target,
    own_finalizer: &str,
) -> Remains {
    let selector = escape(&format!("metadata.name={}", target.name));
    let path = format!("{}?fieldSelector={selector}", collection_of(target));
    let text = match connection.get_text(&path).await {
        Ok(text) => text,
        Err(error) => return Remains::NotRead(error.to_string()),
    };
    let Ok(list) = serde_json::from_str::<Value>(&text) else {
        return Remains::NotRead("the answer is not a list".to_owned());
    };
    remains_of(&list["items"][0], target, own_finalizer)
}

fn remains_of(object: &Value, target: &Target, own_finalizer: &str) -> Remains {
    let metadata = &object["metadata"];
    if metadata.is_null() || metadata["uid"].as_str() != target.uid.as_deref() {
        return Remains::Gone;
    }
    let finalizers = metadata["finalizers"].as_array().into_iter().flatten();
    let finalizers: Vec<String> = finalizers
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let is_ours = finalizers.iter().any(|name| name == own_finalizer);
    if metadata["deletionTimestamp"].is_null() || finalizers.is_empty() || is_ours {
        return Remains::Exists;
    }
    Remains::HeldBy(finalizers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_is_gone_held_or_there() {
        let uid = "u".to_owned();
        let target = Target::volume("v", Some(&uid));
        let of = |metadata: Value| remains_of(&json!({ "metadata": metadata }), &target, "own");
        assert_eq!(remains_of(&Value::Null, &target, "own"), Remains::Gone);
        assert_eq!(of(json!({ "uid": "another" })), Remains::Gone);
        let deleted = "2026-01-01T00:00:00Z";
        let held = json!({ "uid": "u", "deletionTimestamp": deleted, "finalizers": ["a"] });
        assert_eq!(of(held), Remains::HeldBy(vec!["a".to_owned()]));
        let ours = json!({ "uid": "u", "deletionTimestamp": deleted, "finalizers": ["a", "own"] });
        assert_eq!(of(ours), Remains::Exists);
        assert_eq!(
            of(json!({ "uid": "u", "finalizers": ["a"] })),
            Remains::Exists
        );
        let going = json!({ "uid": "u", "deletionTimestamp": deleted });
        assert_eq!(of(going), Remains::Exists);
    }
}
