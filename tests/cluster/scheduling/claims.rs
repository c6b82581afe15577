//! Claims and classes as the worlds want them, plain ones and ones by chance.

use serde_json::{Value, json};

use super::world::{OWNER, World};
use crate::random::Random;

/// Few sizes in several spellings, so that ties and near misses are frequent.
pub(super) const SIZES: &[&str] = &["1Gi", "1024Mi", "1500M", "2G", "2Gi", "3Gi"];

const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

pub(super) const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";
/// Runs inside the controller.
pub(super) const HOST_PATH: &str = "kubernetes.io/host-path";
/// Runs nowhere.
pub(super) const EXTERNAL: &str = "example.com/never-acts";

const ACCESS_MODES: &[(usize, &[&str])] = &[
    (66, &["ReadWriteOnce"]),
    (12, &["ReadWriteMany"]),
    (10, &["ReadWriteOnce", "ReadOnlyMany"]),
    (6, &["ReadOnlyMany"]),
    (6, &["ReadWriteOncePod"]),
];

/// A class that waits for a pod.
pub(super) fn delayed_class(world: &mut World, provisioner: &str) -> String {
    let name = world.fresh("k");
    let class = json!({
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": world.metadata(&name),
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer",
        "reclaimPolicy": "Retain",
    });
    world.settled.push(class);
    name
}

/// A claim for one gibibyte that one node may write to.
pub(super) fn claim(world: &World, name: &str, class: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": world.namespaced(name),
        "spec": {
            "storageClassName": class,
            "accessModes": ["ReadWriteOnce"],
            "resources": { "requests": { "storage": "1Gi" } },
        },
    })
}

/// A claim of that class that wants one thing or another.
pub(super) fn any_claim(random: &mut Random, world: &mut World, class: &str) -> Value {
    let name = world.fresh("c");
    let mut claim = claim(world, &name, class);
    let spec = &mut claim["spec"];
    spec["resources"]["requests"]["storage"] = json!(random.pick(SIZES));
    spec["accessModes"] = json!(random.weighted(ACCESS_MODES));
    if random.chance(8) {
        spec["volumeMode"] = json!("Block");
    }
    if random.chance(5) {
        spec["volumeAttributesClassName"] = json!(format!("{name}-gold"));
    }
    match random.below(12) {
        0 => spec["selector"] = json!({ "matchLabels": { "tier": "gold" } }),
        1 => {
            spec["selector"] = json!({ "matchExpressions": [{ "key": "tier", "operator": "NotIn", "values": ["gold"] }] });
        }
        _ => {}
    }
    name_class(random, &mut claim);
    claim
}

/// By the old annotation at times, which wins over the field.
pub(super) fn name_class(random: &mut Random, object: &mut Value) {
    if random.chance(6) {
        let class = object["spec"]["storageClassName"].take();
        object["metadata"]["annotations"] = json!({ CLASS_ANNOTATION: class });
        if random.chance(50) {
            object["spec"]["storageClassName"] = json!("ignored");
        } else {
            object["spec"]["storageClassName"] = Value::Null;
        }
    }
}

/// The class that a claim or a volume has.
pub(super) fn class_of(object: &Value) -> &str {
    let annotation = object["metadata"]["annotations"][CLASS_ANNOTATION].as_str();
    let field = object["spec"]["storageClassName"].as_str();
    annotation.or(field).unwrap_or_default()
}

/// What a claim is called.
pub(super) fn name_of(object: &Value) -> &str {
    object["metadata"]["name"].as_str().expect("a name")
}

/// A claim that belongs to a pod says so with the pod's uid.
pub(super) fn set_owner(claim: &mut Value, pods: &[Value]) {
    let owner = &claim["metadata"]["labels"][OWNER];
    let owner = pods.iter().find(|pod| pod["metadata"]["name"] == *owner);
    if let Some(pod) = owner {
        claim["metadata"]["ownerReferences"] = json!([{
            "apiVersion": "v1", "kind": "Pod", "controller": true, "blockOwnerDeletion": true,
            "name": name_of(pod), "uid": pod["metadata"]["uid"],
        }]);
    }
}
