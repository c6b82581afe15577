//! All pairs, created under the name of one side, and what has become of them: as they are, and in a
//! form in which two sides can be compared.

use std::collections::BTreeMap;
use std::time::Duration;

use kube::Client;
use serde_json::{Value, json};

use super::case::{Case, SIDE, UID, VERSION, default_class, fill, namespace};
use crate::cluster::agreement::case::CASE;
use crate::cluster::control_plane::{ControlPlane, QUIET_TWICE};
use crate::cluster::faults::normal_form::normal_form;
use crate::cluster::objects::{create_all, delete_all, list, patch, settle, update_status};

/// Longer than the two seconds between two syncs, twice.
const LIMIT: Duration = Duration::from_secs(120);

/// `side-a`, `side-b` and so on; the normal form knows only of `side`.
pub(super) struct Side {
    name: &'static str,
}

impl Side {
    /// Creates all pairs; no controller may be running. The default class comes last, so that the API
    /// server does not give it to the claims.
    pub(super) async fn create(
        plane: &ControlPlane,
        client: &Client,
        name: &'static str,
        cases: &[Case],
    ) -> Self {
        plane.namespace(&namespace(name));
        let here = [(SIDE, name)];
        let classes = cases.iter().filter_map(|case| case.class.as_ref());
        create_all(client, classes.map(|class| fill(class, &here)).collect()).await;
        let claims = cases.iter().map(|case| fill(&case.claim, &here)).collect();
        let claims = create_all(client, claims).await;
        let volume = |(case, claim): (&Case, &Value)| {
            let part = |key: &str| claim["metadata"][key].as_str().expect("text").to_owned();
            let (uid, version) = (part("uid"), part("resourceVersion"));
            fill(
                &case.volume,
                &[(SIDE, name), (UID, &uid), (VERSION, &version)],
            )
        };
        let volumes = cases.iter().zip(&claims).map(volume).collect();
        create_all(client, volumes).await;
        for case in cases {
            for (object, status) in [
                (&case.claim, &case.claim_status),
                (&case.volume, &case.volume_status),
            ] {
                if let Some(status) = status {
                    let mut object = fill(object, &here);
                    object["status"] = status.clone();
                    update_status(client, &object).await;
                }
            }
        }
        create_all(client, vec![fill(&default_class(), &here)]).await;
        Self { name }
    }

    pub(super) fn namespace(&self) -> String {
        namespace(self.name)
    }

    /// Lets the real controller do all it has to do, and stops it again.
    pub(super) async fn run_controller(&self, plane: &ControlPlane, client: &Client) {
        let controller = plane.start_controller();
        settle(client, QUIET_TWICE, LIMIT).await;
        drop(controller);
    }

    /// Its claims and volumes.
    pub(super) async fn objects(&self, client: &Client) -> Vec<Value> {
        let namespace = self.namespace();
        let mut found = list(client, "v1", "PersistentVolumeClaim", Some(&namespace)).await;
        let volumes = list(client, "v1", "PersistentVolume", None).await;
        let is_ours = |volume: &Value| volume["metadata"]["labels"]["side"] == self.name;
        found.extend(volumes.into_iter().filter(is_ours));
        found
    }

    pub(super) async fn normal_form(&self, client: &Client) -> Value {
        normal_form(&self.objects(client).await, &[(self.name, "side")])
    }

    /// The resourceVersion of everything: equal when nobody has written.
    pub(super) async fn versions(&self, client: &Client) -> BTreeMap<String, String> {
        let objects = self.objects(client).await;
        let part = |object: &Value, key: &str| {
            object["metadata"][key]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        let version = |object: &Value| {
            let title = format!("{} {}", object["kind"], part(object, "name"));
            (title, part(object, "resourceVersion"))
        };
        objects.iter().map(version).collect()
    }

    /// Takes everything away, the default class first: it would get into the claims of the next side.
    pub(super) async fn clear(self, plane: &ControlPlane, client: &Client) {
        delete_all(client, "storage.k8s.io/v1", "StorageClass", CASE).await;
        for object in self.objects(client).await {
            patch(
                client,
                &object,
                &json!({ "metadata": { "finalizers": null } }),
            )
            .await;
        }
        for kind in ["PersistentVolumeClaim", "PersistentVolume"] {
            delete_all(client, "v1", kind, CASE).await;
        }
        plane.kubectl(&["delete", "namespace", &self.namespace(), "--wait=false"]);
    }
}
