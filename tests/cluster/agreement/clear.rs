//! Taking a batch out of the control plane, so that batches do not pile up: by the controller
//! where the controller can do it, by force where our finalizers or its own absence stand in the
//! way, and with the folders that its host-path provisioner has made on this machine.

use std::fs;
use std::path::Path;

use kube::Client;
use serde_json::{Value, json};

use super::batch::Batch;
use super::case::{CASE, TERMINATES, fate};
use super::stages::{LIMIT, patch_all};
use crate::cluster::control_plane::{ControlPlane, QUIET};
use crate::cluster::objects::{delete_all, list, settle};
use crate::cluster::running::Running;

const STORAGE: &str = "storage.k8s.io/v1";
/// Where kube-controller-manager provisions.
const PROVISIONED: &str = "/tmp/hostpath_pv/";

impl Batch {
    pub(super) async fn clear(self, plane: &ControlPlane, client: &Client, controller: Running) {
        for kind in ["Pod", "PersistentVolumeClaim"] {
            delete_all(client, "v1", kind, CASE).await;
            let objects = list(client, "v1", kind, None).await.into_iter();
            let kept = objects.filter(|object| fate(object) == TERMINATES);
            let released = json!({ "metadata": { "finalizers": null } });
            let changes = kept.map(|object| (object, released.clone()));
            patch_all(client, changes.collect()).await;
        }
        settle(client, QUIET, LIMIT).await;
        let namespaces = self.around.namespaces();
        for namespace in namespaces {
            // Gone when the namespace controller gets to it, with all that is left in it.
            plane.kubectl(&["delete", "namespace", namespace, "--wait=false"]);
        }
        drop(controller);
        let volumes = list(client, "v1", "PersistentVolume", None)
            .await
            .into_iter();
        let is_ours = |volume: &Value| {
            let claim = volume["spec"]["claimRef"]["namespace"].as_str();
            volume["metadata"]["labels"].get(CASE).is_some()
                || claim.is_some_and(|claim| namespaces.contains(&claim))
        };
        delete_volumes(client, volumes.filter(is_ours).collect()).await;
        for (group, kind) in [
            (STORAGE, "StorageClass"),
            (STORAGE, "CSIDriver"),
            ("v1", "Node"),
        ] {
            delete_all(client, group, kind, CASE).await;
        }
    }
}

/// Those the controller has provisioned carry no label yet.
pub(in crate::cluster) async fn delete_volumes(client: &Client, volumes: Vec<Value>) {
    for path in volumes.iter().filter_map(provisioned_path) {
        fs::remove_dir(path).expect("an empty folder that the controller has made");
    }
    let released = json!({ "metadata": { "finalizers": null, "labels": { CASE: "all" } } });
    let changes = volumes.into_iter().map(|volume| (volume, released.clone()));
    patch_all(client, changes.collect()).await;
    delete_all(client, "v1", "PersistentVolume", CASE).await;
}

fn provisioned_path(volume: &Value) -> Option<&Path> {
    let path = volume["spec"]["hostPath"]["path"].as_str()?;
    let path = path.starts_with(PROVISIONED).then(|| Path::new(path))?;
    path.is_dir().then_some(path)
}
