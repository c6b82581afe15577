//! What the API server holds at one moment, of all that concerns the generated cases.

use kube::Client;
use serde_json::Value;

use super::case::CASE;
use super::oracle::Cluster;
use crate::cluster::objects::list;

/// The kinds the cases are made of.
pub(super) struct Snapshot {
    pub(super) cluster: Cluster,
    pub(super) pods: Vec<Value>,
    pub(super) events: Vec<Value>,
}

impl Snapshot {
    pub(super) async fn take(client: &Client) -> Self {
        Self {
            cluster: Cluster {
                volumes: list(client, "v1", "PersistentVolume", None).await,
                claims: list(client, "v1", "PersistentVolumeClaim", None).await,
                classes: list(client, "storage.k8s.io/v1", "StorageClass", None).await,
                limit_ranges: list(client, "v1", "LimitRange", None).await,
                quotas: list(client, "v1", "ResourceQuota", None).await,
            },
            pods: list(client, "v1", "Pod", None).await,
            events: list(client, "v1", "Event", None).await,
        }
    }

    pub(super) fn claim(&self, namespace: &str, name: &str) -> Option<&Value> {
        self.cluster.claims.iter().find(|claim| {
            claim["metadata"]["namespace"] == namespace && claim["metadata"]["name"] == name
        })
    }

    /// What the PV controller has said about a claim: type, reason and message.
    pub(super) fn events_on<'a>(&'a self, claim: &'a Value) -> impl Iterator<Item = &'a Value> {
        self.events.iter().filter(|event| {
            event["involvedObject"]["uid"] == claim["metadata"]["uid"]
                && event["source"]["component"] == "persistentvolume-controller"
        })
    }

    /// The objects of a case as they are, for whoever has to understand a disagreement.
    pub(super) fn show(&self, case: &str) -> String {
        let cluster = &self.cluster;
        let parts = [
            &cluster.classes,
            &cluster.volumes,
            &cluster.claims,
            &self.pods,
        ];
        let of_case = |object: &&&Value| object["metadata"]["labels"][CASE] == case;
        let lines = parts.into_iter().flatten().collect::<Vec<_>>();
        let lines = lines.iter().filter(of_case).map(|object| {
            let mut object = Value::clone(object);
            let metadata = object["metadata"].as_object_mut().expect("metadata");
            metadata.remove("managedFields");
            format!("  {object}\n")
        });
        lines.collect()
    }
}
