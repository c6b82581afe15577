//! The external provisioner that some classes name: for every claim that the controller hands to
//! it and that has nothing yet, it makes a volume, as the contract of such provisioners says (R99).

use std::time::Duration;

use kube::Client;
use serde_json::{Value, json};

use crate::cluster::objects::{create_all, list, settle};
use crate::plan_exact::draw::LIVE_DRIVER;

const PROVISIONER: &str = "volume.kubernetes.io/storage-provisioner";
const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";

/// Works until nobody asks for anything any more.
pub(super) async fn work(client: &Client, quiet: Duration, limit: Duration) {
    loop {
        let volumes = list(client, "v1", "PersistentVolume", None).await;
        let claims = list(client, "v1", "PersistentVolumeClaim", None).await;
        let asking = claims.iter().filter(|claim| is_asking(claim, &volumes));
        let made: Vec<Value> = asking.map(volume_for).collect();
        if made.is_empty() {
            return;
        }
        create_all(client, made).await;
        settle(client, quiet, limit).await;
    }
}

fn is_asking(claim: &Value, volumes: &[Value]) -> bool {
    let was_made = |volume: &Value| {
        volume["spec"]["claimRef"]["uid"] == claim["metadata"]["uid"]
            && volume["metadata"]["annotations"]
                .get(PROVISIONED_BY)
                .is_some()
    };
    claim["metadata"]["annotations"][PROVISIONER] == LIVE_DRIVER
        && claim["spec"].get("volumeName").is_none()
        && claim["spec"].get("selector").is_none()
        && !volumes.iter().any(was_made)
}

fn volume_for(claim: &Value) -> Value {
    let (metadata, spec) = (&claim["metadata"], &claim["spec"]);
    let name = format!("pvc-{}", metadata["uid"].as_str().expect("a uid"));
    let by_annotation = &metadata["annotations"]["volume.beta.kubernetes.io/storage-class"];
    let class = if by_annotation.is_null() {
        &spec["storageClassName"]
    } else {
        by_annotation
    };
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": { "name": name, "annotations": { PROVISIONED_BY: LIVE_DRIVER } },
        "spec": {
            "capacity": { "storage": spec["resources"]["requests"]["storage"] },
            "accessModes": spec["accessModes"],
            "volumeMode": spec["volumeMode"],
            "storageClassName": class,
            "persistentVolumeReclaimPolicy": "Delete",
            "csi": { "driver": LIVE_DRIVER, "volumeHandle": name },
            "claimRef": {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "namespace": metadata["namespace"], "name": metadata["name"],
                "uid": metadata["uid"],
            },
        },
    });
    if let Some(attributes) = spec.get("volumeAttributesClassName") {
        volume["spec"]["volumeAttributesClassName"] = attributes.clone();
    }
    volume
}
