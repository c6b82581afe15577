//! What is to be done, as data: what a dry run prints is what an apply sends.

use crate::conventions::object_ref::ObjectKey;
use crate::report::{API_VERSION, Danger, Unknown};
use serde::Serialize;
use serde_json::Value;

/// Changes in the order they are made, and what is left alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plan {
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) command: &'static str,
    pub(crate) changes: Vec<Change>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) unknowns: Vec<Unknown>,
    /// What the changes are for; if one fails, the others of its errand are not made.
    #[serde(skip)]
    pub(crate) errands: Vec<Errand>,
}

impl Plan {
    pub(crate) fn new(command: &'static str) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "Plan",
            command,
            changes: vec![],
            skipped: vec![],
            unknowns: vec![],
            errands: vec![],
        }
    }
}

/// One thing that is done by one or more changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Errand {
    pub(crate) claim: ObjectKey,
    pub(crate) volume: String,
    /// What it is, for people: `binds (10Gi)`.
    pub(crate) what: String,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Change {
    pub(crate) action: Action,
    pub(crate) target: Target,
    pub(crate) subresource: Option<&'static str>,
    pub(crate) body: Value,
    pub(crate) preconditions: Preconditions,
    /// The change whose result this one builds on: its version is this one's precondition.
    pub(crate) after: Option<usize>,
    pub(crate) danger: Danger,
    pub(crate) why: String,
    /// Which errand it is part of.
    #[serde(skip)]
    pub(crate) errand: usize,
    /// Other versions in the body that are known only when an earlier change is made: where, and which change.
    #[serde(skip)]
    pub(crate) fills: Vec<(&'static str, usize)>,
}

/// What kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Action {
    Patch,
}

/// The object a change is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Target {
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) uid: Option<String>,
}

pub(crate) const VOLUME: &str = "PersistentVolume";
pub(crate) const CLAIM: &str = "PersistentVolumeClaim";

impl Target {
    pub(crate) fn volume(name: &str, uid: Option<&String>) -> Self {
        Self {
            api_version: "v1",
            kind: VOLUME,
            namespace: None,
            name: name.to_owned(),
            uid: uid.cloned(),
        }
    }

    pub(crate) fn claim(key: &ObjectKey, uid: Option<&String>) -> Self {
        Self {
            api_version: "v1",
            kind: CLAIM,
            namespace: Some(key.namespace.clone()),
            name: key.name.clone(),
            uid: uid.cloned(),
        }
    }

    /// As people write it: `pvc/prod/data`, `pv/pv-a`.
    pub(crate) fn spelled(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("pvc/{namespace}/{}", self.name),
            None => format!("pv/{}", self.name),
        }
    }
}

/// What must still hold when the request arrives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Preconditions {
    pub(crate) uid: Option<String>,
    pub(crate) resource_version: Option<String>,
}

/// What is left alone, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Skipped {
    pub(crate) target: Target,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// What that means for somebody who named it.
    #[serde(skip)]
    pub(crate) standing: Standing,
}

/// What it means that something named is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is as it was wanted, or somebody else will see to it.
    Fine,
    /// It waits, and that is normal.
    Waits,
    /// It cannot be done.
    Refused,
    /// It could not be seen.
    Unknown,
}
