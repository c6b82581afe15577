//! The same small cluster many times over, each copy with a class of its own, so that what chance
//! decides is decided many times at once.

use serde_json::{Value, json};

use crate::plan_exact::draw::WORLD;

/// Where a copy lives: in this namespace, and under a class that is its own.
pub(super) struct Copy {
    namespace: &'static str,
    name: String,
}

impl Copy {
    pub(super) fn new(
        namespace: &'static str,
        scenario: &str,
        number: impl std::fmt::Display,
    ) -> Self {
        Self {
            namespace,
            name: format!("{namespace}-{scenario}-{number}"),
        }
    }

    /// How an object of the copy is called.
    pub(super) fn name(&self, part: &str) -> String {
        format!("{}-{part}", self.name)
    }

    /// A claim of the copy as `namespace/name`.
    pub(super) fn claim_key(&self, part: &str) -> String {
        format!("{}/{}", self.namespace, self.name(part))
    }

    pub(super) fn claim(&self, part: &str, size: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {
                "namespace": self.namespace, "name": self.name(part),
                "labels": { WORLD: self.name }, "annotations": {},
            },
            "spec": {
                "storageClassName": self.name,
                "accessModes": ["ReadWriteOnce"],
                "resources": { "requests": { "storage": size } },
            },
        })
    }

    pub(super) fn volume(&self, part: &str, size: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": { "name": self.name(part), "labels": { WORLD: self.name } },
            "spec": {
                "storageClassName": self.name,
                "capacity": { "storage": size },
                "accessModes": ["ReadWriteOnce"],
                "hostPath": { "path": "/nowhere" },
            },
        })
    }

    /// What a claim of the copy really has, by the name within the copy; `-` for nothing.
    pub(super) fn real(&self, claims: &[Value], part: &str) -> String {
        let name = self.name(part);
        let is_it = |claim: &&Value| {
            claim["metadata"]["namespace"] == self.namespace && claim["metadata"]["name"] == *name
        };
        let claim = claims.iter().find(is_it).expect("the claim is there");
        match claim["spec"]["volumeName"].as_str() {
            Some(volume) if claim["status"]["phase"] == "Bound" => self.part_of(volume),
            _ => "-".to_owned(),
        }
    }

    /// The part of a name that all copies share.
    pub(super) fn part_of(&self, name: &str) -> String {
        let part = name.strip_prefix(&format!("{}-", self.name));
        part.expect("a name of this copy").to_owned()
    }
}
