//! The finalizers of the protection controllers, removed as these controllers do: most tests run without a controller, and a
//! deletion is only done when the object is gone.

use std::collections::HashSet;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::faults::api::Api;

const POLL: Duration = Duration::from_millis(100);
const OF_VOLUMES: &str = "kubernetes.io/pv-protection";
const OF_CLAIMS: &str = "kubernetes.io/pvc-protection";

/// Removes protection finalizers of deleted objects until the process ends.
pub(in crate::cluster) fn start(api: Api) {
    thread::spawn(move || {
        loop {
            release_volumes(api);
            release_claims(api);
            thread::sleep(POLL);
        }
    });
}

/// Upstream: pv_protection_controller.go, `isBeingUsed`.
fn release_volumes(api: Api) {
    for volume in api.list_if_served("v1", "PersistentVolume") {
        if volume["status"]["phase"] != "Bound" {
            release(api, &volume, OF_VOLUMES);
        }
    }
}

/// Upstream: pvc_protection_controller.go, `isBeingUsed`.
fn release_claims(api: Api) {
    let claims = api.list_if_served("v1", "PersistentVolumeClaim");
    let is_deleted = |claim: &&Value| claim["metadata"]["deletionTimestamp"].is_string();
    let mut deleted = claims.iter().filter(is_deleted).peekable();
    if deleted.peek().is_none() {
        return;
    }
    let used: HashSet<(String, String)> = api
        .list_if_served("v1", "Pod")
        .iter()
        .flat_map(claims_of)
        .collect();
    for claim in deleted {
        let text = |field: &str| {
            claim["metadata"][field]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        if !used.contains(&(text("namespace"), text("name"))) {
            release(api, claim, OF_CLAIMS);
        }
    }
}

fn claims_of(pod: &Value) -> Vec<(String, String)> {
    let namespace = pod["metadata"]["namespace"].as_str().unwrap_or_default();
    let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
    let names = volumes.filter_map(|it| it["persistentVolumeClaim"]["claimName"].as_str());
    names
        .map(|name| (namespace.to_owned(), name.to_owned()))
        .collect()
}

/// Guarded by the version: whatever changed meanwhile is read again.
fn release(api: Api, object: &Value, finalizer: &str) {
    let metadata = &object["metadata"];
    let finalizers = metadata["finalizers"].as_array();
    let all: Vec<&Value> = finalizers.into_iter().flatten().collect();
    if metadata["deletionTimestamp"].is_null() || !all.iter().any(|it| **it == finalizer) {
        return;
    }
    let others: Vec<&Value> = all.into_iter().filter(|it| **it != finalizer).collect();
    let change = json!({ "metadata": {
        "resourceVersion": metadata["resourceVersion"], "finalizers": others } });
    let _ = api.try_patch(object, &change);
}
