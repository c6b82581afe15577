//! What surrounds the claims of a generated cluster: quotas, limits, events, options of classes with their ConfigMaps, CSI
//! objects, attachments, sets of volumes, volumes with a past, and times and versions on all objects.

use serde_json::{Value, json};

use super::objects::{is_kind, name_of, namespace_of};
use crate::random::Random;

pub(super) fn add_surroundings(random: &mut Random, objects: &mut Vec<Value>) {
    add_past(random, objects);
    add_options(random, objects);
    for class in objects
        .iter_mut()
        .filter(|object| is_kind(object, "StorageClass"))
    {
        if random.chance(20) {
            class["provisioner"] = json!("example.com/scratch");
        }
    }
    let mut added = Vec::new();
    for object in objects.iter() {
        match object["kind"].as_str() {
            Some("PersistentVolumeClaim" | "Pod") if random.chance(20) => {
                added.push(event(random, object));
            }
            Some("PersistentVolume") if random.chance(8) => {
                added.push(attachment(random, object));
            }
            _ => {}
        }
    }
    let namespace = objects
        .iter()
        .find(|object| is_kind(object, "PersistentVolumeClaim"));
    let namespace = namespace.map_or("default", namespace_of).to_owned();
    if random.chance(25) {
        added.push(quota(random, &namespace));
    }
    if random.chance(12) {
        added.push(json!({
            "apiVersion": "v1", "kind": "LimitRange",
            "metadata": { "namespace": namespace, "name": "sizes" },
            "spec": { "limits": [{
                "type": "PersistentVolumeClaim",
                "min": { "storage": random.pick(&["1Mi", "2Gi"]) },
                "max": { "storage": random.pick(&["1Gi", "100Gi"]) },
            }] },
        }));
    }
    if random.chance(20) {
        added.push(capacity(random));
    }
    for name in ["databases", "archive"]
        .iter()
        .take(random.weighted(&[(70, 0), (20, 1), (10, 2)]))
    {
        added.extend(set(random, name));
    }
    objects.extend(added);
    for (index, object) in objects.iter_mut().enumerate() {
        add_metadata(random, object, index);
    }
}

/// Volumes that were released or failed, in their policy and phase, and claims and volumes that are being deleted.
fn add_past(random: &mut Random, objects: &mut [Value]) {
    for object in objects {
        if is_kind(object, "PersistentVolume") {
            if random.chance(30) {
                let policy = random.pick(&["Delete", "Delete", "Recycle"]);
                object["spec"]["persistentVolumeReclaimPolicy"] = json!(policy);
            }
            let is_reserved = object["spec"]["claimRef"]["uid"].is_string();
            if is_reserved && random.chance(30) {
                let phase = random.pick(&["Released", "Released", "Failed"]);
                object["status"]["phase"] = json!(phase);
                object["status"]["message"] = json!("no volume plugin matched");
                object["status"]["lastPhaseTransitionTime"] = json!("2024-02-01T00:00:00Z");
            }
        }
        let kinds = ["PersistentVolume", "PersistentVolumeClaim"];
        if kinds.iter().any(|kind| is_kind(object, kind)) && random.chance(3) {
            object["metadata"]["deletionTimestamp"] = json!("2024-03-01T00:00:00Z");
            object["metadata"]["finalizers"] = json!(["kubernetes.io/pv-protection"]);
        }
    }
}

/// Options of the classes in the spelling of the design documents, and a ConfigMap with values for them.
fn add_options(random: &mut Random, objects: &mut Vec<Value>) {
    if !random.chance(30) {
        return;
    }
    for class in objects
        .iter_mut()
        .filter(|object| is_kind(object, "StorageClass"))
    {
        class["allowedProvisioningOptions"] = json!([
            { "key": "zone", "allowedValues": ["a", "b"], "description": "the zone of the volume" },
            { "key": "encrypted", "defaultValue": "false", "allowedValues": ["true", "false"] },
        ]);
        class["parameters"] = json!({ "mode": random.pick(&["0750", "rwx"]) });
    }
    let mut namespace = "default".to_owned();
    for claim in objects
        .iter_mut()
        .filter(|object| is_kind(object, "PersistentVolumeClaim"))
    {
        if random.chance(50) {
            namespace_of(claim).clone_into(&mut namespace);
            claim["spec"]["provisioningOptions"] = json!({ "name": "options" });
        }
    }
    let mut data = json!({ "zone": random.pick(&["a", "b", "c"]) });
    if random.chance(30) {
        data[random.pick(&["encrypted", "encryption"])] = json!("true");
    }
    objects.push(json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "namespace": namespace, "name": "options" }, "data": data,
    }));
}

fn event(random: &mut Random, about: &Value) -> Value {
    let (reason, message) = random.pick(&[
        (
            "ProvisioningFailed",
            "storageclass.storage.k8s.io \"fast\" not found",
        ),
        (
            "ExternalProvisioning",
            "waiting for a volume to be created by the external provisioner",
        ),
        (
            "FailedBinding",
            "no persistent volumes available for this claim and no storage class is set",
        ),
        (
            "FailedScheduling",
            "0/3 nodes are available: 3 Insufficient cpu.",
        ),
        (
            "FailedMount",
            "MountVolume.SetUp failed for volume \"data\": timed out",
        ),
    ]);
    let (namespace, name) = (namespace_of(about), name_of(about));
    json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": { "namespace": namespace, "name": format!("{name}.{reason}").to_lowercase() },
        "involvedObject": {
            "kind": about["kind"], "namespace": namespace, "name": name, "uid": about["metadata"]["uid"],
        },
        "type": random.pick(&["Warning", "Warning", "Normal"]), "reason": reason, "message": message,
        "count": random.pick(&[1, 12]),
        "firstTimestamp": "2024-02-01T00:00:00Z", "lastTimestamp": "2024-02-02T00:00:00Z",
    })
}

fn attachment(random: &mut Random, volume: &Value) -> Value {
    let driver = volume["spec"]["csi"]["driver"].as_str();
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
        "metadata": { "name": format!("csi-{}", name_of(volume)) },
        "spec": {
            "attacher": driver.unwrap_or("csi.example.com"),
            "nodeName": random.pick(&["node-0", "node-1", "node-gone"]),
            "source": { "persistentVolumeName": name_of(volume) },
        },
        "status": { "attached": random.chance(80) },
    })
}

fn quota(random: &mut Random, namespace: &str) -> Value {
    let hard = random.pick(&[
        ("persistentvolumeclaims", "1"),
        ("requests.storage", "2Gi"),
        ("fast.storageclass.storage.k8s.io/requests.storage", "1Gi"),
    ]);
    json!({
        "apiVersion": "v1", "kind": "ResourceQuota",
        "metadata": { "namespace": namespace, "name": "storage" },
        "spec": { "hard": { hard.0: hard.1 } },
        "status": { "hard": { hard.0: hard.1 }, "used": { hard.0: random.pick(&["0", "1"]) } },
    })
}

fn capacity(random: &mut Random) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
        "metadata": { "namespace": "kube-system", "name": "csisc-1" },
        "storageClassName": random.pick(&["fast", "slow"]),
        "capacity": random.pick(&["512Mi", "10Gi"]),
        "nodeTopology": { "matchLabels": { "topology.kubernetes.io/zone": "a" } },
    })
}

/// A set and up to two of its volumes.
fn set(random: &mut Random, name: &str) -> Vec<Value> {
    let volume = |index: usize| {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": { "name": format!("{name}-{index}"), "labels": { "pool": name } },
            "spec": {
                "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"],
                "storageClassName": name,
                "nfs": { "server": "filer.example.com", "path": format!("/pools/{name}/{index}") },
            },
            "status": { "phase": "Available" },
        })
    };
    let mut objects: Vec<Value> = (0..random.below(3)).map(volume).collect();
    objects.push(json!({
        "apiVersion": "kubectl-pv.dev/v1alpha1", "kind": "PersistentVolumeSet",
        "metadata": { "name": name },
        "spec": {
            "minimumReplicas": random.pick(&[1, 2, 3]), "maximumReplicas": random.pick(&[2, 5]),
            "selector": { "pool": name },
            "template": {
                "metadata": { "labels": { "pool": random.pick(&[name, name, name, "other"]) } },
                "spec": {
                    "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"],
                    "storageClassName": name,
                    "nfs": { "server": "filer.example.com", "path": "/pools/{set}/{ordinal}" },
                },
            },
        },
    }));
    objects
}

/// All times are long ago, so that ages are the same for both builds.
fn add_metadata(random: &mut Random, object: &mut Value, index: usize) {
    let kind = object["kind"].as_str().unwrap_or_default().to_lowercase();
    let uid = format!("uid-{kind}-{}-{}", namespace_of(object), name_of(object));
    let metadata = &mut object["metadata"];
    if metadata["uid"].is_null() && random.chance(90) {
        metadata["uid"] = json!(uid);
    }
    if random.chance(80) {
        metadata["resourceVersion"] = json!((100 + index).to_string());
    }
    if metadata["creationTimestamp"].is_null() && random.chance(70) {
        let day = 1 + random.below(28);
        metadata["creationTimestamp"] =
            json!(format!("2023-0{}-{day:02}T10:00:00Z", 1 + random.below(9)));
    }
}
