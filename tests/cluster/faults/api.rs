//! A client of the API server that blocks, for those who act from within a proxy's threads: one
//! request at a time, JSON in and out, over plain HTTP. Tests that create hundreds of objects use
//! `objects.rs` instead.

use std::net::SocketAddr;
use std::sync::Once;

use serde_json::{Value, json};

use super::message::{Headers, Request};
use super::proxy::forward;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::objects::{collection, path_of};
use crate::cluster::protection;

const JSON: &str = "application/json";
const MERGE_PATCH: &str = "application/merge-patch+json";

#[derive(Clone, Copy)]
pub(crate) struct Api {
    address: SocketAddr,
}

/// The real API server as plain HTTP on loopback, with an administrator's rights.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
}

impl Upstream {
    pub(crate) fn of(plane: &ControlPlane) -> Self {
        static PROTECTION: Once = Once::new();
        let upstream = Self::without_protection(plane);
        PROTECTION.call_once(|| protection::start(upstream.api()));
        upstream
    }

    /// Without the protection controllers: what is deleted stays, and is being deleted.
    pub(crate) fn without_protection(plane: &ControlPlane) -> Self {
        Self {
            address: plane.proxy_address(),
        }
    }

    pub(crate) fn api(&self) -> Api {
        Api::new(self.address)
    }
}

impl Api {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address }
    }

    /// The status and the answer, whatever they are; a connection that breaks is an error.
    pub(crate) fn send(
        &self,
        method: &str,
        target: &str,
        content_type: &str,
        body: &Value,
    ) -> std::io::Result<(u16, Value)> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut headers = Headers::default();
        headers.set("Content-Type", content_type);
        headers.set("Accept", JSON);
        headers.set("User-Agent", "kubectl-pv-tests");
        let request = Request {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
            body: if body.is_null() {
                Vec::new()
            } else {
                body.to_string().into_bytes()
            },
        };
        let answer = forward(self.address, &request)?;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Ok((answer.status, value))
    }

    /// As [`Self::send`], and success is expected.
    fn must(&self, method: &str, target: &str, content_type: &str, body: &Value) -> Value {
        match self.send(method, target, content_type, body) {
            Ok((200..=299, answer)) => answer,
            other => panic!("{method} {target}: {other:?}\n{body}"),
        }
    }

    pub(crate) fn create(&self, object: &Value) -> Value {
        let part = |pointer| object.pointer(pointer).and_then(Value::as_str);
        let path = collection(
            part("/apiVersion").expect("an apiVersion"),
            part("/kind").expect("a kind"),
            part("/metadata/namespace"),
        );
        self.must("POST", &path, JSON, object)
    }

    /// Creates the object, or changes the one that exists.
    pub(crate) fn apply(&self, object: &Value) {
        let part = |pointer| object.pointer(pointer).and_then(Value::as_str);
        let path = collection(
            part("/apiVersion").expect("an apiVersion"),
            part("/kind").expect("a kind"),
            part("/metadata/namespace"),
        );
        match self.send("POST", &path, JSON, object) {
            Ok((200..=299, _)) => {}
            Ok((409, _)) => drop(self.patch(object, object)),
            other => panic!("POST {path}: {other:?}\n{object}"),
        }
    }

    /// The object as it is now; none if it is gone.
    pub(crate) fn find(&self, object: &Value) -> Option<Value> {
        let path = path_of(object);
        match self.send("GET", &path, JSON, &Value::Null) {
            Ok((200, found)) => Some(found),
            Ok((404, _)) => None,
            other => panic!("GET {path}: {other:?}"),
        }
    }

    /// A merge patch that must be taken.
    pub(crate) fn patch(&self, object: &Value, change: &Value) -> Value {
        self.must("PATCH", &path_of(object), MERGE_PATCH, change)
    }

    /// A merge patch of the status that must be taken.
    pub(crate) fn patch_status(&self, object: &Value, status: &Value) -> Value {
        let path = format!("{}/status", path_of(object));
        self.must("PATCH", &path, MERGE_PATCH, &json!({ "status": status }))
    }

    /// A merge patch that may be refused: the status, and the answer.
    pub(crate) fn try_patch(
        &self,
        object: &Value,
        change: &Value,
    ) -> std::io::Result<(u16, Value)> {
        self.send("PATCH", &path_of(object), MERGE_PATCH, change)
    }

    /// Deletes an object whatever its finalizers say; gone already is as good.
    pub(crate) fn delete(&self, object: &Value) {
        let path = path_of(object);
        let change = json!({ "metadata": { "finalizers": null } });
        let patched = self.send("PATCH", &path, MERGE_PATCH, &change);
        assert!(matches!(patched, Ok((200 | 404, _))), "{path}: {patched:?}");
        // No kubelet is there to confirm the end of a pod.
        let at_once = format!("{path}?gracePeriodSeconds=0");
        let deleted = self.send("DELETE", &at_once, JSON, &Value::Null);
        assert!(
            matches!(deleted, Ok((200 | 202 | 404, _))),
            "{path}: {deleted:?}"
        );
    }

    /// All objects of a kind, each with its apiVersion and kind.
    pub(crate) fn list(
        &self,
        api_version: &str,
        kind: &str,
        namespace: Option<&str>,
    ) -> Vec<Value> {
        let path = collection(api_version, kind, namespace);
        let found = self.must("GET", &path, JSON, &Value::Null);
        items_of(found, api_version, kind)
    }

    /// As [`Self::list`] in all namespaces; none of a kind that is not installed.
    pub(crate) fn list_if_served(&self, api_version: &str, kind: &str) -> Vec<Value> {
        let path = collection(api_version, kind, None);
        match self.send("GET", &path, JSON, &Value::Null) {
            Ok((404, _)) => Vec::new(),
            Ok((200, found)) => items_of(found, api_version, kind),
            other => panic!("GET {path}: {other:?}"),
        }
    }
}

/// The items of a list do not carry their apiVersion and kind.
fn items_of(mut list: Value, api_version: &str, kind: &str) -> Vec<Value> {
    let Value::Array(mut items) = list["items"].take() else {
        return Vec::new();
    };
    for item in &mut items {
        item["apiVersion"] = json!(api_version);
        item["kind"] = json!(kind);
    }
    items
}
