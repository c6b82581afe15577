//! Sets that are in order: with every source there is, with every field, and with a backend.

use serde_json::{Value, json};

use crate::cluster::validation::sources::{LOCAL, SOURCES};

/// A set of NFS volumes.
pub(super) fn base() -> Value {
    json!({"apiVersion": "kubectl-pv.dev/v1alpha1", "kind": "PersistentVolumeSet", "metadata": {"name": "crd-set"}, "spec": {
        "minimumReplicas": 1, "maximumReplicas": 3, "selector": {"pool": "crd-set"},
        "template": {
            "metadata": {"name": "{set}-{ordinal}", "labels": {"pool": "crd-set", "example.com/tier": "gold"}},
            "spec": {
                "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                "nfs": {"server": "filer", "path": "/pools/{set}/{ordinal}"},
            },
        },
    }})
}

/// The spec of the template.
pub(super) fn spec(set: &mut Value) -> &mut Value {
    &mut set["spec"]["template"]["spec"]
}

fn affinity() -> Value {
    json!({"required": {"nodeSelectorTerms": [{
        "matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"]}],
        "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}],
    }]}})
}

/// The base with another source.
pub(super) fn with_source(key: &str, source: Value) -> Value {
    let mut set = base();
    let spec = spec(&mut set);
    spec.as_object_mut().unwrap().remove("nfs");
    spec[key] = source;
    if key == LOCAL {
        spec["nodeAffinity"] = affinity();
    }
    set
}

/// The base whose volumes a backend makes.
pub(super) fn with_backend() -> Value {
    let mut set = base();
    spec(&mut set).as_object_mut().unwrap().remove("nfs");
    set["spec"]["template"]["metadata"]["annotations"] =
        json!({"pv.kubernetes.io/provisioned-by": "example.com/disks", "other": "any text: {set}"});
    set
}

pub(super) fn all() -> Vec<Value> {
    let mut sets: Vec<Value> = SOURCES
        .iter()
        .map(|(key, source)| with_source(key, source()))
        .collect();
    sets.extend([base(), with_backend()]);

    let mut dressed = with_backend();
    dressed["spec"]["minimumReplicas"] = json!(0);
    dressed["spec"]["maximumReplicas"] = json!(i32::MAX);
    let fields = spec(&mut dressed);
    fields["capacity"] = json!({"storage": 1_073_741_824});
    fields["accessModes"] = json!(["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"]);
    fields["persistentVolumeReclaimPolicy"] = json!("Delete");
    fields["volumeMode"] = json!("Block");
    fields["storageClassName"] = json!("fast");
    fields["mountOptions"] = json!(["ro", "nolock"]);
    fields["nodeAffinity"] = affinity();
    sets.push(dressed);

    let mut alone = with_source(
        "csi",
        json!({
            "driver": "csi.example.com", "volumeHandle": "{set}/{ordinal}", "readOnly": true, "fsType": "xfs",
            "volumeAttributes": {"any key": "any value"},
            "controllerPublishSecretRef": {"name": "s", "namespace": "n"}, "nodeStageSecretRef": {"name": "s", "namespace": "n"},
            "nodePublishSecretRef": {"name": "s", "namespace": "n"}, "controllerExpandSecretRef": {"name": "s", "namespace": "n"},
            "nodeExpandSecretRef": {"name": "s", "namespace": "n"},
        }),
    );
    spec(&mut alone)["accessModes"] = json!(["ReadWriteOncePod"]);
    spec(&mut alone)["volumeAttributesClassName"] = json!("gold");
    sets.push(alone);

    for (size, name) in [
        ("1.5Gi", "{ordinal}"),
        ("1e3", "a.{ordinal}"),
        ("+.5E", "x{ordinal}{ordinal}"),
        ("5k", "{set}.{ordinal}"),
    ] {
        let mut set = base();
        set["spec"]["template"]["metadata"]["name"] = json!(name);
        spec(&mut set)["capacity"]["storage"] = json!(size);
        sets.push(set);
    }
    // Nothing but what must be there.
    let mut bare = base();
    bare["spec"]["template"]["metadata"] = json!({"labels": {"pool": "crd-set"}});
    sets.push(bare);
    sets
}
