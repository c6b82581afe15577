//! Manifests that the API server takes: where every generated one begins.

use serde_json::{Value, json};

use super::sources::{LOCAL, SOURCES};
use super::tree::Node;
use crate::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Claim,
    Volume,
    Class,
    Map,
}

impl Kind {
    /// The collection to post to.
    pub(super) fn collection(self) -> &'static str {
        match self {
            Self::Claim => "/api/v1/namespaces/default/persistentvolumeclaims",
            Self::Volume => "/api/v1/persistentvolumes",
            Self::Class => "/apis/storage.k8s.io/v1/storageclasses",
            Self::Map => "/api/v1/namespaces/default/configmaps",
        }
    }

    /// A manifest of this kind that is fine, with a few of the fields most do without.
    pub(super) fn base(self, name: &str, random: &mut Random) -> Node {
        let mut node = Node::from(match self {
            Self::Claim => claim(name),
            Self::Volume => volume(name),
            Self::Class => class(name),
            Self::Map => config_map(name),
        });
        match self {
            Self::Claim => dress_claim(&mut node, random),
            Self::Volume => dress_volume(&mut node, random),
            Self::Class => dress_class(&mut node, random),
            Self::Map => {}
        }
        if random.chance(40) {
            node.set(
                "metadata|labels",
                json!({ "app": "db", "example.com/tier": "1" }),
            );
        }
        if random.chance(30) {
            node.set(
                "metadata|annotations",
                json!({ "example.com/note": "as agreed" }),
            );
        }
        node
    }
}

fn claim(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": { "name": name },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": { "requests": { "storage": "1Gi" } },
        },
    })
}

fn volume(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": { "name": name },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": { "storage": "10Gi" },
        },
    })
}

fn class(name: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": { "name": name },
        "provisioner": "ebs.csi.aws.com",
    })
}

fn config_map(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": name, "namespace": "default" },
        "data": { "zone": "us-east-1a", "encryption": "true" },
    })
}

fn dress_claim(claim: &mut Node, random: &mut Random) {
    if random.chance(50) {
        claim.set("metadata|namespace", json!("default"));
    }
    if random.chance(40) {
        claim.set("spec|storageClassName", json!("fast"));
    }
    if random.chance(25) {
        claim.set("spec|volumeMode", json!("Filesystem"));
    }
    if random.chance(25) {
        let selector = json!({
            "matchLabels": { "app": "db" },
            "matchExpressions": [{ "key": "tier", "operator": "In", "values": ["a", "b"] }],
        });
        claim.set("spec|selector", selector);
    }
    if random.chance(15) {
        claim.set("spec|resources|limits", json!({ "storage": "2Gi" }));
    }
    if random.chance(15) {
        claim.set("spec|volumeName", json!("pv-1"));
    }
    if random.chance(10) {
        let source = json!({ "kind": "PersistentVolumeClaim", "name": "old" });
        claim.set("spec|dataSource", source);
    }
    if random.chance(10) {
        let status = json!({ "phase": "Bound", "capacity": { "storage": "1Gi" } });
        claim.set("status", status);
    }
}

fn dress_volume(volume: &mut Node, random: &mut Random) {
    let (field, source) = SOURCES[random.below(SOURCES.len())];
    volume.set(&format!("spec|{field}"), source());
    if field == LOCAL || random.chance(15) {
        volume.set("spec|nodeAffinity", affinity());
    }
    if random.chance(40) {
        let policy = random.pick(&["Retain", "Delete", "Recycle"]);
        volume.set("spec|persistentVolumeReclaimPolicy", json!(policy));
    }
    if random.chance(30) {
        volume.set("spec|storageClassName", json!("fast"));
    }
    if random.chance(20) {
        volume.set("spec|volumeMode", json!("Filesystem"));
    }
    if random.chance(15) {
        volume.set("spec|mountOptions", json!(["ro", "nolock"]));
    }
    if random.chance(15) {
        let claim = json!({ "namespace": "default", "name": "data" });
        volume.set("spec|claimRef", claim);
    }
    if random.chance(10) {
        volume.set("status", json!({ "phase": "Available" }));
    }
}

fn dress_class(class: &mut Node, random: &mut Random) {
    if random.chance(60) {
        class.set("parameters", json!({ "type": "gp3", "iops": "3000" }));
    }
    if random.chance(40) {
        class.set("reclaimPolicy", json!(random.pick(&["Delete", "Retain"])));
    }
    if random.chance(40) {
        let mode = random.pick(&["Immediate", "WaitForFirstConsumer"]);
        class.set("volumeBindingMode", json!(mode));
    }
    if random.chance(30) {
        class.set("allowVolumeExpansion", json!(true));
    }
    if random.chance(30) {
        class.set("mountOptions", json!(["ro"]));
    }
    if random.chance(35) {
        class.set("allowedTopologies", json!([topology("zone", &["a", "b"])]));
    }
}

/// A node affinity that names a host.
pub(super) fn affinity() -> Value {
    json!({ "required": { "nodeSelectorTerms": [
        { "matchExpressions": [{ "key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"] }] },
    ] } })
}

/// One term of a class's allowed topologies.
pub(super) fn topology(key: &str, values: &[&str]) -> Value {
    json!({ "matchLabelExpressions": [{ "key": key, "values": values }] })
}
