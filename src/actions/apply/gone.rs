//! What is left of a deleted object: a deletion is done when the object is gone.

use super::super::outcome::Remains;
use super::super::plan::Target;
use super::collection_of;
use crate::load::client::{ApiError, Connection};
use crate::load::list_of_one;
use serde_json::{Value, json};

/// Reads an object, by a list of one: the roles allow to list what a command works on. `None` if it does not exist, or another
/// object has its name.
pub(crate) async fn read_object(
    connection: &Connection,
    target: &Target,
) -> Result<Option<Value>, ApiError> {
    let Some(path) = list_of_one(&collection_of(target), &target.name) else {
        return Ok(None);
    };
    let text = connection.get_text(&path).await?;
    let mut list: Value = serde_json::from_str(&text).unwrap_or_default();
    let Some(items) = list["items"].as_array_mut() else {
        return Ok(None);
    };
    let is_it = |object: &Value| object["metadata"]["uid"].as_str() == target.uid.as_deref();
    let mut object = items.drain(..).find(is_it);
    if let Some(object) = &mut object {
        object["apiVersion"] = json!(target.kind.api_version());
        object["kind"] = json!(target.kind);
    }
    Ok(object)
}

/// What is left of a deleted object.
pub(crate) async fn find_remains(
    connection: &Connection,
    target: &Target,
    own_finalizer: &str,
) -> Remains {
    match read_object(connection, target).await {
        Ok(Some(object)) => remains_of(&object, own_finalizer),
        Ok(None) => Remains::Gone,
        Err(error) => Remains::NotRead(error.to_string()),
    }
}

fn remains_of(object: &Value, own_finalizer: &str) -> Remains {
    let metadata = &object["metadata"];
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

    #[test]
    fn an_object_is_held_or_there() {
        let of = |metadata: Value| remains_of(&json!({ "metadata": metadata }), "own");
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
