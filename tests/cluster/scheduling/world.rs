//! One generated world: a pod under test, sometimes several that compete, and all that stands
//! around it. Every world has class, driver and disk names of its own, so that a hundred of them
//! share one cluster's nodes without touching each other. What is in a world is drawn in
//! `generate.rs`; what is done with it is in `stages.rs`.

use serde_json::{Value, json};

use crate::cluster::agreement::case::{CASE, TERMINATES, set_fate};

/// On a claim that belongs to the pod of this name, which exists only later.
pub(super) const OWNER: &str = "owner";
pub(super) const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
pub(super) const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";

/// How many volumes of a driver a node takes.
pub(super) struct Limit {
    pub(super) node: String,
    pub(super) driver: String,
    pub(super) count: Option<usize>,
}

/// A pod and its surroundings, as objects.
#[derive(Default)]
pub(super) struct World {
    pub(super) name: String,
    pub(super) namespace: String,
    /// What it was drawn for.
    pub(super) theme: &'static str,
    /// Several pods want the same volumes.
    pub(super) competes: bool,
    /// The pod is being deleted, and stays.
    pub(super) terminates: bool,
    /// Created while the controller runs: what gets a phase, and claims that get their volumes.
    pub(super) settled: Vec<Value>,
    /// Claims created when it has gone, with the status they have.
    pub(super) late: Vec<Value>,
    /// Pods that are on a node, or were, or wait for something else.
    pub(super) neighbours: Vec<Value>,
    /// The pods under test.
    pub(super) pods: Vec<Value>,
    pub(super) limits: Vec<Limit>,
    /// The volumes of the pod that is being drawn.
    mounts: Vec<Value>,
    /// Everything else in its spec.
    spec: Vec<(&'static str, Value)>,
    names: usize,
}

impl World {
    pub(super) fn new(name: String, namespace: &str, theme: &'static str) -> Self {
        Self {
            name,
            namespace: namespace.to_owned(),
            theme,
            ..Self::default()
        }
    }

    /// A name nobody else has.
    pub(super) fn fresh(&mut self, what: &str) -> String {
        self.names += 1;
        format!("{}-{what}{}", self.name, self.names)
    }

    pub(super) fn metadata(&self, name: &str) -> Value {
        json!({ "name": name, "labels": { CASE: self.name } })
    }

    pub(super) fn namespaced(&self, name: &str) -> Value {
        json!({ "namespace": self.namespace, "name": name, "labels": { CASE: self.name } })
    }

    /// A claimRef by name alone.
    pub(super) fn reference(&self, claim: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "namespace": self.namespace, "name": claim,
        })
    }

    /// The pod gets a volume with this source.
    pub(super) fn mount(&mut self, kind: &str, source: &Value) -> String {
        let name = format!("v{}", self.mounts.len());
        self.mounts.push(json!({ "name": name, kind: source }));
        name
    }

    /// The pod uses a claim by its name.
    pub(super) fn mount_claim(&mut self, claim: &str) {
        let source = json!({ "claimName": claim });
        self.mount("persistentVolumeClaim", &source);
    }

    /// The name of the claim that belongs to the volume the pod would get next, if that is a
    /// generic ephemeral one.
    pub(super) fn next_ephemeral(&self) -> String {
        format!("{}-v{}", self.name, self.mounts.len())
    }

    /// Something in the spec of the pod under test.
    pub(super) fn specify(&mut self, field: &'static str, value: Value) {
        self.spec.push((field, value));
    }

    pub(super) fn has_specified(&self, field: &str) -> bool {
        self.spec.iter().any(|(name, _)| *name == field)
    }

    /// The pod that was drawn, under this name.
    pub(super) fn add_pod(&mut self, name: &str) {
        let mounts = std::mem::take(&mut self.mounts);
        let mut pod = pod(&self.namespaced(name), &json!(mounts));
        for (field, value) in &self.spec {
            pod["spec"][field] = value.clone();
        }
        if self.terminates {
            set_fate(&mut pod, TERMINATES);
        }
        self.pods.push(pod);
    }

    /// A pod that is on a node, in this phase, with these volumes.
    pub(super) fn add_neighbour(&mut self, node: &str, phase: &str, volumes: &Value) {
        let name = self.fresh("n");
        let mut pod = pod(&self.namespaced(&name), volumes);
        pod["spec"]["nodeName"] = json!(node);
        pod["status"] = json!({ "phase": phase });
        self.neighbours.push(pod);
    }
}

/// A pod that needs nothing but its volumes.
pub(super) fn pod(metadata: &Value, volumes: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {
            "containers": [{ "name": "c", "image": "none" }],
            "terminationGracePeriodSeconds": 0,
            "volumes": volumes,
        },
    })
}

/// The volume of a pod that is a claim.
pub(super) fn claim_volume(claim: &str) -> Value {
    json!([{ "name": "v0", "persistentVolumeClaim": { "claimName": claim } }])
}
