//! A batch in the real control plane, built up in two stages and then left to the controller.
//! First, with the controller running, the volumes get their phases and other claims their
//! volumes; then, without it, the claims under test appear. So a prediction is made of a cluster
//! at rest in which the controller has everything still to do.

use std::time::Duration;

use futures::StreamExt;
use futures::stream;
use kube::Client;
use serde_json::{Map, Value, json};
use tokio::time::sleep;

use super::batch::{Batch, DefaultClass};
use super::case::{CASE, FATE, FINISHES, LEAVES, TERMINATES, VANISHES, fate};
use super::classes::REGISTERED_DRIVER;
use super::generate::NODE;
use super::late::{provisioned, reservations, volume_named};
use crate::cluster::control_plane::{ControlPlane, QUIET, QUIET_TWICE};
use crate::cluster::objects::{
    create_all, create_nodes, delete_all, list, patch, settle, update_status,
};
use crate::cluster::running::Running;

pub(super) const LIMIT: Duration = Duration::from_secs(120);
const IN_FLIGHT: usize = 16;

impl Batch {
    /// Everything that exists before the claims under test do.
    pub(super) async fn prepare(&self, plane: &ControlPlane, client: &Client) {
        for namespace in self.around.namespaces() {
            plane.namespace(namespace);
        }
        let driver = json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver",
            "metadata": { "name": REGISTERED_DRIVER, "labels": { CASE: "all" } }, "spec": {},
        });
        create_all(client, vec![driver, self.no_default_class.clone()]).await;
        if self.has_node {
            create_nodes(client, vec![node()]).await;
        }
        let controller = plane.start_controller();
        create_all(client, self.quota().into_iter().collect()).await;
        create_all(client, self.gather(|case| &case.classes)).await;
        create_all(client, self.gather(|case| &case.volumes)).await;
        create_all(client, self.gather(|case| &case.holders)).await;
        settle(client, QUIET, LIMIT).await;
        delete_fated(client, "PersistentVolumeClaim", LEAVES).await;
        settle(client, QUIET, LIMIT).await;
        let freed = self.cases.iter().flat_map(|case| &case.freed);
        let free = |name: &String| (volume_named(name), json!({ "spec": { "claimRef": null } }));
        patch_all(client, freed.map(free).collect()).await;
        settle(client, QUIET, LIMIT).await;
        drop(controller);
        assert_prepared(client).await;
    }

    /// The claims under test, and what happens to the others meanwhile.
    pub(super) async fn add_claims(&self, client: &Client) {
        if self.default == DefaultClass::Before {
            create_all(client, self.default_classes.clone()).await;
        }
        create_all(client, self.gather(|case| &case.claims)).await;
        let claims = list(client, "v1", "PersistentVolumeClaim", None).await;
        let cases = self.cases.iter();
        let changes = cases.flat_map(|case| reservations(case, &claims));
        patch_all(client, changes.collect()).await;
        let made = self
            .cases
            .iter()
            .filter_map(|case| provisioned(case, &claims));
        create_all(client, made.collect()).await;
        create_all(client, self.gather(|case| &case.pods)).await;
        self.meet_their_fate(client).await;
        if self.default == DefaultClass::Late {
            for class in &self.default_classes {
                create_all(client, vec![class.clone()]).await;
                // The newer of two wins, and the API server counts in seconds.
                sleep(Duration::from_millis(1_100)).await;
            }
        }
        create_all(client, vec![limit_range(&self.around.limited_namespace)]).await;
    }

    /// Lets the controller do all it has to do; it runs on for the clearing up.
    pub(super) async fn run_controller(&self, plane: &ControlPlane, client: &Client) -> Running {
        let controller = plane.start_controller();
        settle(client, QUIET_TWICE, LIMIT).await;
        controller
    }

    /// For classes that do not exist yet; otherwise the API server would refuse the claims.
    fn quota(&self) -> Option<Value> {
        let names = self
            .default_classes
            .iter()
            .map(|class| class["metadata"]["name"].as_str());
        let none = |name: &str| {
            (
                format!("{name}.storageclass.storage.k8s.io/persistentvolumeclaims"),
                json!("0"),
            )
        };
        let hard: Map<String, Value> = names.flatten().map(none).collect();
        let quota = json!({
            "apiVersion": "v1", "kind": "ResourceQuota",
            "metadata": { "name": "none", "namespace": self.around.quota_namespace },
            "spec": { "hard": hard },
        });
        (self.default == DefaultClass::Late).then_some(quota)
    }

    async fn meet_their_fate(&self, client: &Client) {
        let pods = self.gather(|case| &case.pods);
        for mut pod in pods.into_iter().filter(|pod| fate(pod) == FINISHES) {
            pod["status"] = json!({ "phase": "Succeeded" });
            update_status(client, &pod).await;
        }
        for kind in ["Pod", "PersistentVolume", "PersistentVolumeClaim"] {
            delete_fated(client, kind, TERMINATES).await;
        }
        let volumes = self.gather(|case| &case.volumes).into_iter();
        let vanishing = volumes.filter(|volume| fate(volume) == VANISHES);
        let unprotected = json!({ "metadata": { "finalizers": null } });
        let changes = vanishing.map(|volume| (volume, unprotected.clone()));
        patch_all(client, changes.collect()).await;
        delete_fated(client, "PersistentVolume", VANISHES).await;
    }
}

/// Changes many objects, several at a time.
pub(in crate::cluster) async fn patch_all(client: &Client, changes: Vec<(Value, Value)>) {
    let patches = stream::iter(changes).map(|(object, change)| async move {
        patch(client, &object, &change).await;
    });
    patches.buffered(IN_FLIGHT).collect::<Vec<()>>().await;
}

pub(in crate::cluster) async fn delete_fated(client: &Client, kind: &str, fate: &str) {
    delete_all(client, "v1", kind, &format!("{FATE}={fate}")).await;
}

fn node() -> Value {
    let labels = json!({ CASE: "all", "kubernetes.io/hostname": NODE });
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": { "name": NODE, "labels": labels },
        "status": { "conditions": [{ "type": "Ready", "status": "True" }] },
    })
}

fn limit_range(namespace: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "LimitRange",
        "metadata": { "name": "small", "namespace": namespace },
        "spec": { "limits": [{ "type": "PersistentVolumeClaim", "max": { "storage": "1Gi" } }] },
    })
}

/// The first stage did what it was for: no volume is new, and who should hold one does.
async fn assert_prepared(client: &Client) {
    for volume in list(client, "v1", "PersistentVolume", None).await {
        let phase = &volume["status"]["phase"];
        let is_free = volume["spec"]["claimRef"].is_null();
        assert!(
            *phase != "Pending" && (!is_free || *phase == "Available"),
            "{volume}"
        );
    }
    for claim in list(client, "v1", "PersistentVolumeClaim", None).await {
        assert_eq!(claim["status"]["phase"], "Bound", "{claim}");
    }
}
