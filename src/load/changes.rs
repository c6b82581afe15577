//! Waiting for something to change: volumes and sets of them are watched from a moment that was marked, and the first word of a
//! change ends the wait. What it was the next look shows.

use super::client::{ApiError, ApiErrorKind, Connection};
use super::{collection_path, escape, object_path};
use crate::model::Lease;
use futures::future::{Either, select};
use futures::pin_mut;
use serde_json::Value;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// What is watched.
const WATCHED: [&str; 2] = [
    "/apis/kubectl-pv.dev/v1alpha1/persistentvolumesets",
    "/api/v1/persistentvolumes",
];

/// A moment: the versions of the lists that are watched.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moment([Option<String>; 2]);

/// Marks the moment, before anything is read that is to be read again when it changes.
pub(crate) async fn mark_moment(connection: &Connection) -> Result<Moment, ApiError> {
    let mut moment = Moment::default();
    for (version, path) in moment.0.iter_mut().zip(WATCHED) {
        let list = connection.get_text(&format!("{path}?limit=1")).await?;
        let list: Value = serde_json::from_str(&list).unwrap_or_default();
        let found = list["metadata"]["resourceVersion"].as_str();
        *version = found.map(str::to_owned);
    }
    Ok(moment)
}

/// Waits until something has changed since, but not for longer; says whether something has.
pub(crate) async fn wait_for_change(
    connection: &Connection,
    moment: &Moment,
    longest: Duration,
) -> bool {
    let [sets, volumes] = &moment.0;
    let sets = hear(connection, WATCHED[0], sets.as_deref(), longest);
    let volumes = hear(connection, WATCHED[1], volumes.as_deref(), longest);
    pin_mut!(sets, volumes);
    let either = async {
        let (Either::Left((heard, other)) | Either::Right((heard, other))) =
            select(sets, volumes).await;
        heard || other.await
    };
    timeout(longest, either).await.unwrap_or(false)
}

/// Waits for the first word of one watch. A watch that cannot be had is waited out: the next look shows what there is.
async fn hear(connection: &Connection, path: &str, since: Option<&str>, longest: Duration) -> bool {
    let since = escape(since.unwrap_or_default());
    let seconds = longest.as_secs().max(1);
    let query = format!("watch=1&resourceVersion={since}&timeoutSeconds={seconds}");
    let heard = connection.first_word(&format!("{path}?{query}")).await;
    if heard.is_err() {
        sleep(longest).await;
    }
    heard.unwrap_or(false)
}

/// Whether a namespace exists.
pub(crate) async fn has_namespace(connection: &Connection, name: &str) -> Result<bool, ApiError> {
    let Some(path) = object_path("/api/v1/namespaces", name) else {
        return Ok(false);
    };
    match connection.get_text(&path).await {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind, ApiErrorKind::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The uid of the namespace kube-system, by which a cluster is known.
pub(crate) async fn load_cluster_uid(connection: &Connection) -> Result<String, ApiError> {
    let act = "get the namespace kube-system, by which a cluster is known";
    let text = connection.get_text("/api/v1/namespaces/kube-system").await;
    let text = text.map_err(|error| error.while_doing(act))?;
    let namespace: Value = serde_json::from_str(&text).unwrap_or_default();
    let uid = namespace.pointer("/metadata/uid").and_then(Value::as_str);
    let reason = "it has no uid".to_owned();
    let malformed = || ApiError::new(act, ApiErrorKind::Malformed { reason });
    uid.map(str::to_owned).ok_or_else(malformed)
}

/// Reads the lease of this name; `None` if there is none.
pub(crate) async fn load_lease(
    connection: &Connection,
    namespace: &str,
    name: &str,
) -> Result<Option<Lease>, ApiError> {
    let leases = collection_path("coordination.k8s.io/v1", Some(namespace), "leases");
    let Some(path) = object_path(&leases, name) else {
        return Ok(None);
    };
    let text = match connection.get_text(&path).await {
        Ok(text) => text,
        Err(error) if matches!(error.kind, ApiErrorKind::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let lease: Value = serde_json::from_str(&text).unwrap_or_default();
    let text = |place: &str| {
        lease
            .pointer(place)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let number = |place: &str| lease.pointer(place).and_then(Value::as_u64);
    Ok(Some(Lease {
        uid: text("/metadata/uid"),
        resource_version: text("/metadata/resourceVersion"),
        holder: text("/spec/holderIdentity").filter(|holder| !holder.is_empty()),
        seconds: number("/spec/leaseDurationSeconds"),
        transitions: number("/spec/leaseTransitions").unwrap_or(0),
    }))
}
