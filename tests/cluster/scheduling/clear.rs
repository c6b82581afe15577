//! Taking a batch out of the control plane, with nobody running who could have a say in it.

use kube::Client;
use serde_json::{Value, json};

use super::batch::Batch;
use crate::cluster::agreement::case::{CASE, TERMINATES, fate};
use crate::cluster::agreement::clear::delete_volumes;
use crate::cluster::agreement::stages::patch_all;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::objects::{delete_all, list};

const STORAGE: &str = "storage.k8s.io/v1";

impl Batch {
    pub(super) async fn clear(self, plane: &ControlPlane, client: &Client) {
        let namespace = Some(self.namespace.as_str());
        let pods = list(client, "v1", "Pod", namespace).await.into_iter();
        let kept = pods.filter(|pod| fate(pod) == TERMINATES);
        let released = json!({ "metadata": { "finalizers": null } });
        patch_all(client, kept.map(|pod| (pod, released.clone())).collect()).await;
        delete_all(client, "v1", "Pod", CASE).await;
        // Those that the ephemeral volume controller has made carry no label yet.
        let claims = list(client, "v1", "PersistentVolumeClaim", namespace).await;
        let released = json!({ "metadata": { "finalizers": null, "labels": { CASE: "all" } } });
        let changes = claims.into_iter().map(|claim| (claim, released.clone()));
        patch_all(client, changes.collect()).await;
        delete_all(client, "v1", "PersistentVolumeClaim", CASE).await;
        let volumes = list(client, "v1", "PersistentVolume", None).await;
        let is_ours = |volume: &Value| {
            volume["metadata"]["labels"].get(CASE).is_some()
                || volume["spec"]["claimRef"]["namespace"] == self.namespace
        };
        delete_volumes(client, volumes.into_iter().filter(is_ours).collect()).await;
        for (group, kind) in [
            (STORAGE, "StorageClass"),
            (STORAGE, "CSIDriver"),
            (STORAGE, "CSIStorageCapacity"),
            (STORAGE, "VolumeAttachment"),
            (STORAGE, "CSINode"),
            ("scheduling.k8s.io/v1", "PriorityClass"),
            ("v1", "Node"),
        ] {
            delete_all(client, group, kind, CASE).await;
        }
        // Gone when a namespace controller gets to it.
        plane.kubectl(&["delete", "namespace", &self.namespace, "--wait=false"]);
    }
}
