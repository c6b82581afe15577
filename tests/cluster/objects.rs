//! Objects of any kind, as JSON, to and from the API server: many at once, because tests that
//! compare predictions with reality do so by the hundred. Every failure is a panic that names the
//! request.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream;
use http::Request;
use http::header::{ACCEPT, CONTENT_TYPE};
use kube::Client;
use serde_json::{Value, json};
use tokio::time::sleep;

const IN_FLIGHT: usize = 16;
const PAGE: usize = 500;
const PAUSE: Duration = Duration::from_millis(100);

const JSON: &str = "application/json";
const MERGE_PATCH: &str = "application/merge-patch+json";
/// Names, uids and versions without the rest: enough to see that something has changed.
const METADATA: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/// Creates the objects, several at a time, and returns them in the same order as the server has
/// them. Objects that need one another's existence belong into two calls. A status is not taken
/// over; see [`update_status`].
pub(crate) async fn create_all(client: &Client, objects: Vec<Value>) -> Vec<Value> {
    stream::iter(objects)
        .map(|object| async move {
            let path = collection(
                text(&object, "/apiVersion"),
                text(&object, "/kind"),
                namespace(&object),
            );
            send(client, request("POST", &path), &object).await
        })
        .buffered(IN_FLIGHT)
        .collect()
        .await
}

/// Sets the fields in the `status` of `object`, through the status subresource.
pub(crate) async fn update_status(client: &Client, object: &Value) -> Value {
    let change = json!({ "status": object["status"] });
    merge(client, &format!("{}/status", path_of(object)), &change).await
}

/// Changes an object by a JSON merge patch.
pub(crate) async fn patch(client: &Client, object: &Value, change: &Value) -> Value {
    merge(client, &path_of(object), change).await
}

async fn merge(client: &Client, path: &str, change: &Value) -> Value {
    let request = request("PATCH", path).header(CONTENT_TYPE, MERGE_PATCH);
    send(client, request, change).await
}

/// Creates nodes that pods may be scheduled to, with the status each object brings along. A new
/// node is tainted as not ready at admission, and nobody but us would ever take that away.
pub(crate) async fn create_nodes(client: &Client, nodes: Vec<Value>) -> Vec<Value> {
    create_all(client, nodes.clone()).await;
    stream::iter(nodes)
        .map(|node| async move {
            patch(
                client,
                &node,
                &json!({ "spec": { "taints": node["spec"]["taints"] } }),
            )
            .await;
            update_status(client, &node).await
        })
        .buffered(IN_FLIGHT)
        .collect()
        .await
}

/// All objects of a kind, in one namespace or everywhere, each with its apiVersion and kind.
pub(crate) async fn list(
    client: &Client,
    api_version: &str,
    kind: &str,
    namespace: Option<&str>,
) -> Vec<Value> {
    let mut objects = list_pages(client, &collection(api_version, kind, namespace), "", JSON).await;
    for object in &mut objects {
        object["apiVersion"] = json!(api_version);
        object["kind"] = json!(kind);
    }
    objects
}

/// Asks for the deletion of all objects of a kind, in all namespaces, that carry the labels of
/// `selector` (none: `""`). Those with a finalizer go when somebody takes it away. Namespaces
/// cannot be deleted this way.
pub(crate) async fn delete_all(client: &Client, api_version: &str, kind: &str, selector: &str) {
    let everywhere = collection(api_version, kind, None);
    let found = list_pages(client, &everywhere, selector, METADATA).await;
    // A collection is deleted within one namespace; no kubelet is there to confirm a pod's end.
    let namespaces: BTreeSet<Option<&str>> = found.iter().map(|object| namespace(object)).collect();
    for namespace in namespaces {
        let path = collection(api_version, kind, namespace);
        let path = format!(
            "{path}?gracePeriodSeconds=0&labelSelector={}",
            encode(selector)
        );
        send(client, request("DELETE", &path), &Value::Null).await;
    }
}

/// Waits until no volume and no claim has changed for as long as `quiet`, which has to be longer than the time between two
/// syncs of the controller; fails after `limit`.
pub(crate) async fn settle(client: &Client, quiet: Duration, limit: Duration) {
    let started = Instant::now();
    let mut last_change = started;
    let mut seen = storage_versions(client).await;
    while last_change.elapsed() < quiet {
        assert!(
            started.elapsed() < limit,
            "volumes and claims still change after {limit:?}"
        );
        sleep(PAUSE).await;
        let now = storage_versions(client).await;
        if now != seen {
            last_change = Instant::now();
            seen = now;
        }
    }
}

/// The resourceVersion of every volume and claim, by uid.
async fn storage_versions(client: &Client) -> BTreeMap<String, String> {
    let mut versions = BTreeMap::new();
    for kind in ["PersistentVolume", "PersistentVolumeClaim"] {
        versions.extend(versions_of(client, kind).await);
    }
    versions
}

/// The resourceVersion of every object of a kind of the core group, by uid.
pub(crate) async fn versions_of(client: &Client, kind: &str) -> BTreeMap<String, String> {
    let found = list_pages(client, &collection("v1", kind, None), "", METADATA).await;
    let version = |object: &Value| {
        let part = |pointer| text(object, pointer).to_owned();
        (part("/metadata/uid"), part("/metadata/resourceVersion"))
    };
    found.iter().map(version).collect()
}

async fn list_pages(client: &Client, collection: &str, selector: &str, accept: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut token = String::new();
    loop {
        let path = format!(
            "{collection}?limit={PAGE}&labelSelector={}&continue={}",
            encode(selector),
            encode(&token)
        );
        let mut page = send(
            client,
            request("GET", &path).header(ACCEPT, accept),
            &Value::Null,
        )
        .await;
        if let Value::Array(found) = page["items"].take() {
            items.extend(found);
        }
        match page.pointer("/metadata/continue").and_then(Value::as_str) {
            Some(next) if !next.is_empty() => next.clone_into(&mut token),
            _ => return items,
        }
    }
}

/// Where objects of a kind live. Every kind these tests use forms its plural as English does.
pub(crate) fn collection(api_version: &str, kind: &str, namespace: Option<&str>) -> String {
    let root = if api_version.contains('/') {
        "apis"
    } else {
        "api"
    };
    let namespace = namespace
        .map(|name| format!("namespaces/{name}/"))
        .unwrap_or_default();
    let kind = kind.to_lowercase();
    let plural = if let Some(stem) = kind.strip_suffix('y') {
        format!("{stem}ies")
    } else if kind.ends_with('s') {
        format!("{kind}es")
    } else {
        format!("{kind}s")
    };
    format!("/{root}/{api_version}/{namespace}{plural}")
}

/// Where an object lives.
pub(crate) fn path_of(object: &Value) -> String {
    let collection = collection(
        text(object, "/apiVersion"),
        text(object, "/kind"),
        namespace(object),
    );
    format!("{collection}/{}", text(object, "/metadata/name"))
}

fn namespace(object: &Value) -> Option<&str> {
    object
        .pointer("/metadata/namespace")
        .and_then(Value::as_str)
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    let found = object.pointer(pointer).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("no text at {pointer} of {object}"))
}

fn request(method: &str, path: &str) -> http::request::Builder {
    Request::builder().method(method).uri(path)
}

/// Sends a request, without a body when that is null, and expects success.
async fn send(client: &Client, request: http::request::Builder, body: &Value) -> Value {
    let request = match request.headers_ref() {
        Some(headers) if headers.contains_key(CONTENT_TYPE) => request,
        _ => request.header(CONTENT_TYPE, JSON),
    };
    let bytes = if body.is_null() {
        Vec::new()
    } else {
        body.to_string().into_bytes()
    };
    let request = request.body(bytes).expect("a request that is well formed");
    let what = format!("{} {}", request.method(), request.uri());
    match client.request(request).await {
        Ok(answer) => answer,
        Err(error) => panic!("{what}: {error}\n{body}"),
    }
}

/// Percent-encodes what may not stand in a query.
fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
