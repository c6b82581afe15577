//! A final check before something is changed for good. An object that has come meanwhile is a reason to plan again; what cannot
//! be read is one to stop.

use super::super::outcome::Sent;
use super::super::plan::Target;
use super::super::recheck::Recheck;
use super::{known_of, path_of, recheck_recyclers};
use crate::conventions::object_ref::ObjectKey;
use crate::engine::{AssetHolder, OwnedAsset};
use crate::load::client::{ApiError, ApiErrorKind, Connection};
use crate::load::{Overlay, Scope, Subject, collection_path, list_of_one, load_live};
use crate::model::{Kind, Time};
use serde_json::Value;

/// Checks; `locked` is the version that our lock has written.
pub(super) async fn check(
    connection: &Connection,
    target: &Target,
    recheck: &Recheck,
    locked: Option<&str>,
) -> Sent {
    let found = match recheck {
        Recheck::NoPodUses { claim, node } => find_pod(connection, claim, node.as_deref()).await,
        Recheck::NotBoundElsewhere { claim, volume } => {
            find_other_volume(connection, claim, volume).await
        }
        Recheck::NoVolume(name) => find_volume(connection, name).await,
        Recheck::NothingHas(asset) => find_holder(connection, asset).await,
        Recheck::NoRecycler {
            namespaces,
            source,
            period,
            ..
        } => {
            let search = recheck_recyclers::Search {
                name: &target.name,
                namespaces,
                source,
            };
            search.run(connection, *period).await
        }
        Recheck::LockIsLast => find_later_write(connection, target, locked).await,
    };
    match found {
        Ok(None) => Sent::Done,
        Ok(Some(who)) => Sent::Conflict(who),
        Err(why) => Sent::Failed(why),
    }
}

/// Whether the volume was written after our lock. Policy Retain keeps no one from binding it by hand.
async fn find_later_write(
    connection: &Connection,
    volume: &Target,
    locked: Option<&str>,
) -> Result<Option<String>, String> {
    let text = match connection.get_text(&path_of(volume)).await {
        Ok(text) => text,
        Err(error) if matches!(error.kind, ApiErrorKind::NotFound { .. }) => {
            return Ok(Some("the volume is gone".to_owned()));
        }
        Err(error) => return Err(error.to_string()),
    };
    let is_last = locked.is_some() && known_of(&text).version.as_deref() == locked;
    Ok((!is_last).then(|| "somebody wrote the volume after it was locked".to_owned()))
}

/// A pod that names the claim, whether it runs or not.
async fn find_pod(
    connection: &Connection,
    claim: &ObjectKey,
    node: Option<&str>,
) -> Result<Option<String>, String> {
    let path = collection_path("v1", Some(&claim.namespace), "pods");
    let items = list(connection, &path).await?;
    let is_there = |pod: &Value| node.is_none() || pod["spec"]["nodeName"].as_str() == node;
    let user = items
        .iter()
        .find(|pod| is_there(pod) && names(pod, &claim.name));
    Ok(user.map(|pod| {
        let name = pod["metadata"]["name"].as_str().unwrap_or_default();
        format!("pod {name} uses it by now")
    }))
}

fn names(pod: &Value, claim: &str) -> bool {
    let own = pod["metadata"]["name"].as_str().unwrap_or_default();
    let mut volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
    volumes.any(|volume| {
        let by_name = volume["persistentVolumeClaim"]["claimName"].as_str() == Some(claim);
        let name = volume["name"].as_str().unwrap_or_default();
        by_name || (volume.get("ephemeral").is_some() && claim == format!("{own}-{name}"))
    })
}

/// The volume that the claim is bound to, if it is another one. By a list of one: listing is what the roles allow.
async fn find_other_volume(
    connection: &Connection,
    claim: &ObjectKey,
    volume: &str,
) -> Result<Option<String>, String> {
    let claims = collection_path("v1", Some(&claim.namespace), "persistentvolumeclaims");
    let Some(path) = list_of_one(&claims, &claim.name) else {
        return Ok(None);
    };
    let items = list(connection, &path).await?;
    let bound = items
        .first()
        .and_then(|it| it["spec"]["volumeName"].as_str());
    let other = bound.filter(|bound| !bound.is_empty() && *bound != volume);
    Ok(other.map(|other| format!("claim {claim} is bound to {other} by now")))
}

/// The volume, if it is there. By a list of one: whoever may list volumes need not be allowed to get them.
async fn find_volume(connection: &Connection, name: &str) -> Result<Option<String>, String> {
    let volumes = collection_path("v1", None, "persistentvolumes");
    let Some(path) = list_of_one(&volumes, name) else {
        return Ok(None);
    };
    let items = list(connection, &path).await?;
    Ok(items
        .first()
        .map(|_| format!("its volume {name} is there by now")))
}

async fn list(connection: &Connection, path: &str) -> Result<Vec<Value>, String> {
    let text = connection.get_text(path).await;
    let text = text.map_err(|error: ApiError| error.to_string())?;
    let mut list: Value =
        serde_json::from_str(&text).map_err(|error| format!("list {path}: {error}"))?;
    match list["items"].take() {
        Value::Array(items) => Ok(items),
        // What nothing is in, some servers leave out.
        Value::Null if list["kind"].is_string() => Ok(vec![]),
        _ => Err(format!("list {path}: the answer is no list")),
    }
}

/// What has an asset by now: a volume that is there, or the claim that it was provisioned for.
async fn find_holder(
    connection: &Connection,
    asset: &OwnedAsset,
) -> Result<Option<String>, String> {
    let claim = &asset.claim;
    let none = Overlay::default();
    let scope = Scope::Namespace(claim.namespace.clone());
    let subject = Subject::VolumesAndClaims;
    let state = load_live(connection, &scope, subject, Time(0), &none).await;
    let state = state.map_err(|error| error.to_string())?;
    for (kind, namespace) in [
        (Kind::Volumes, None),
        (Kind::Claims, Some(claim.namespace.as_str())),
    ] {
        if !state.saw(kind, namespace) {
            return Err(format!("you may not list {}", kind.resource()));
        }
    }
    Ok(asset.find_holder(&state).map(|holder| match holder {
        AssetHolder::Volume(volume) => format!("volume {volume} is at the same place by now"),
        AssetHolder::Claim => format!("claim {claim} exists by now"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pods_name_claims_and_own_ephemeral_ones() {
        let pod = json!({ "metadata": { "name": "web" }, "spec": { "volumes": [
            { "name": "data", "persistentVolumeClaim": { "claimName": "data" } },
            { "name": "tmp", "ephemeral": {} }, { "name": "x", "emptyDir": {} } ] } });
        assert!(names(&pod, "data") && names(&pod, "web-tmp"));
        assert!(!names(&pod, "tmp") && !names(&pod, "web-x") && !names(&pod, "x"));
        assert!(!names(&json!({}), "data"));
    }
}
