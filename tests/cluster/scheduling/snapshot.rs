//! What the API server holds at one moment, of all that concerns the generated worlds.

use kube::Client;
use serde_json::{Value, json};

use super::claims::{class_of, name_of};
use crate::cluster::agreement::case::CASE;
use crate::cluster::objects::list;

const STORAGE: &str = "storage.k8s.io/v1";

/// Everything the scheduler sees of volumes, and what it said.
pub(super) struct Snapshot {
    pub(super) pods: Vec<Value>,
    pub(super) claims: Vec<Value>,
    pub(super) volumes: Vec<Value>,
    pub(super) classes: Vec<Value>,
    events: Vec<Value>,
    others: Vec<Value>,
}

impl Snapshot {
    pub(super) async fn take(client: &Client) -> Self {
        let mut others = list(client, "v1", "Node", None).await;
        for kind in [
            "CSINode",
            "CSIDriver",
            "CSIStorageCapacity",
            "VolumeAttachment",
        ] {
            others.extend(list(client, STORAGE, kind, None).await);
        }
        Self {
            pods: list(client, "v1", "Pod", None).await,
            claims: list(client, "v1", "PersistentVolumeClaim", None).await,
            volumes: list(client, "v1", "PersistentVolume", None).await,
            classes: list(client, STORAGE, "StorageClass", None).await,
            events: list(client, "v1", "Event", None).await,
            others,
        }
    }

    /// A snapshot of exactly these objects.
    pub(super) fn of(objects: &[Value]) -> Self {
        let all = |kinds: &[&str]| {
            let objects = objects.iter();
            let objects = objects.filter(|object| kinds.iter().any(|kind| object["kind"] == *kind));
            objects.cloned().collect()
        };
        Self {
            pods: all(&["Pod"]),
            claims: all(&["PersistentVolumeClaim"]),
            volumes: all(&["PersistentVolume"]),
            classes: all(&["StorageClass"]),
            events: all(&["Event"]),
            others: all(&[
                "Node",
                "CSINode",
                "CSIDriver",
                "CSIStorageCapacity",
                "VolumeAttachment",
            ]),
        }
    }

    /// A pod that was generated, or that was seen at another time, as the API server has it.
    pub(super) fn find(&self, pod: &Value) -> &Value {
        let is_meant = |other: &&Value| {
            let same = |key: &str| other["metadata"][key] == pod["metadata"][key];
            same("name") && same("namespace")
        };
        let found = self.pods.iter().find(is_meant);
        found.expect("no pod goes away by itself")
    }

    /// The pod as it is now.
    pub(super) fn pod(&self, pod: &Value) -> &Value {
        let uid = &pod["metadata"]["uid"];
        let found = self.pods.iter().find(|pod| pod["metadata"]["uid"] == *uid);
        found.unwrap_or(&Value::Null)
    }

    pub(super) fn claim(&self, namespace: &Value, name: &str) -> Option<&Value> {
        self.claims.iter().find(|claim| {
            claim["metadata"]["namespace"] == *namespace && claim["metadata"]["name"] == name
        })
    }

    pub(super) fn class(&self, claim: &Value) -> Option<&Value> {
        let mut classes = self.classes.iter();
        classes.find(|class| name_of(class) == class_of(claim))
    }

    /// The volumes whose claimRef has the uid of the claim: one, unless a pod uses it twice.
    pub(super) fn volumes_given_to(&self, claim: &Value) -> Vec<&str> {
        let uid = &claim["metadata"]["uid"];
        let volumes = self.volumes.iter();
        let given = volumes.filter(|volume| volume["spec"]["claimRef"]["uid"] == *uid);
        given.map(name_of).collect()
    }

    /// Whether a volume names the claim as the one it is for.
    pub(super) fn is_reserved_for(&self, claim: &Value) -> bool {
        let metadata = &claim["metadata"];
        self.volumes.iter().any(|volume| {
            let reference = &volume["spec"]["claimRef"];
            reference["name"] == metadata["name"] && reference["namespace"] == metadata["namespace"]
        })
    }

    /// The first refusal of the pod by the scheduler since events were last forgotten.
    pub(super) fn refusal(&self, pod: &Value) -> Option<&str> {
        let is_meant = |event: &&Value| {
            event["involvedObject"]["uid"] == pod["metadata"]["uid"]
                && event["reason"] == "FailedScheduling"
        };
        let event = self.events.iter().find(is_meant)?;
        Some(event["message"].as_str().unwrap_or_default())
    }

    /// The objects of a world, and those that all worlds share.
    pub(super) fn objects(&self, world: &str) -> Vec<&Value> {
        let parts = [
            &self.others,
            &self.classes,
            &self.volumes,
            &self.claims,
            &self.pods,
        ];
        let is_meant = |object: &&Value| {
            let owner = &object["metadata"]["labels"][CASE];
            let made_for = object["spec"]["claimRef"]["name"].as_str();
            *owner == world
                || *owner == "all"
                || made_for.is_some_and(|claim| claim.starts_with(&format!("{world}-")))
        };
        parts.into_iter().flatten().filter(is_meant).collect()
    }

    /// The same as documents for `-f`.
    pub(super) fn documents(&self, world: &str) -> String {
        self.objects(world).into_iter().map(document).collect()
    }
}

fn document(object: &Value) -> String {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    if object["kind"] == "Node" {
        let labels = object["metadata"]["labels"].clone();
        let name = object["metadata"]["name"].clone();
        object["metadata"] = json!({ "name": name, "labels": labels });
    }
    let yaml = serde_saphyr::to_string(&object).expect("JSON is YAML");
    format!("---\n{yaml}\n")
}
