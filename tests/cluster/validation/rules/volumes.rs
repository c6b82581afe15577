//! R10: what the server says about volumes.

use serde_json::json;

use super::Expected::{Refused, Taken};
use super::{Rule, rule};
use crate::cluster::validation::bases::{Kind::Volume, affinity};
use crate::cluster::validation::sources::SOURCES;
use crate::cluster::validation::tree::Node;
use crate::random::Random;

const SECOND: &str = "may not specify more than 1 volume type";

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    rule("R10 no access mode", Volume, &["modes"], Refused("spec.accessModes", "Required value"), |volume, random| {
        if random.chance(50) { volume.remove("spec|accessModes") } else { volume.set("spec|accessModes", json!([])) }
    }),
    rule("R10 unknown access mode", Volume, &["modes"], Refused("spec.accessModes", "supported values"), |volume, random| {
        volume.push("spec|accessModes", json!(random.pick(&["RWX", "", "Readwriteonce"])));
    }),
    rule("R10 RWOP mixed", Volume, &["modes"], Refused("spec.accessModes", "may not use ReadWriteOncePod with other"), |volume, random| {
        let other = random.pick(&["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"]);
        volume.set("spec|accessModes", json!(["ReadWriteOncePod", other]));
    }),
    rule("R10 no capacity", Volume, &["capacity"], Refused("spec.capacity", "Required value"), |volume, random| {
        if random.chance(50) { volume.remove("spec|capacity") } else { volume.set("spec|capacity", json!({})) }
    }),
    rule("R10 capacity of something else", Volume, &["capacity"], Refused("spec.capacity", "supported values"), |volume, random| {
        volume.set("spec|capacity", json!({ random.pick(&["cpu", "Storage", "ephemeral-storage"]): "1Gi" }));
    }),
    rule("R10 capacity of two things", Volume, &["capacity"], Refused("spec.capacity", "supported values"), |volume, random| {
        volume.set("spec|capacity", json!({ "storage": "1Gi", random.pick(&["cpu", "memory", "example.com/iops"]): "5" }));
    }),
    rule("R10 capacity not above zero", Volume, &["capacity"], Refused("spec.capacity[storage]", "must be greater than zero"), |volume, random| {
        volume.set("spec|capacity|storage", Node::raw(random.pick(&["0", "-5Gi", "0m", "-0.1"])));
    }),
    rule("R10 reclaim policy unknown", Volume, &["policy"], Refused("spec.persistentVolumeReclaimPolicy", "supported values"), |volume, random| {
        volume.set("spec|persistentVolumeReclaimPolicy", json!(random.pick(&["retain", "Keep", "Recycle "])));
    }),
    rule("R10 each reclaim policy", Volume, &["policy"], Taken, |volume, random| {
        volume.set("spec|persistentVolumeReclaimPolicy", json!(random.pick(&["Delete", "Recycle", "Retain"])));
    }),
    rule("R10 no source", Volume, &["source"], Refused("spec", "must specify a volume type"), |volume, random| {
        no_source(volume);
        if random.chance(30) { volume.set("spec|nfs", Node::raw("null")) }
    }),
    rule("R10 each source", Volume, &["source", "affinity"], Taken, |volume, random| {
        source(volume, SOURCES[random.below(SOURCES.len())].0);
        volume.set("spec|nodeAffinity", affinity());
    }),
    // A flexVolume that comes second is not named (`numVolumes` is only counted up), so it is first here.
    rule("R10 two sources", Volume, &["source"], Refused("spec.", SECOND), |volume, random| {
        let first = random.pick(&["hostPath", "flexVolume", "nfs", "gcePersistentDisk", "iscsi"]);
        source(volume, first);
        let second = random.pick(&["azureFile", "local", "csi", "portworxVolume", "storageos", "azureDisk", "scaleIO", "vsphereVolume"]);
        add_source(volume, second);
    }),
    rule("R10 local without node affinity", Volume, &["source", "affinity"], Refused("spec.nodeAffinity", "Local volume requires node affinity"), |volume, random| {
        source(volume, "local");
        volume.remove("spec|nodeAffinity");
        if random.chance(30) { volume.set("spec|nodeAffinity", Node::raw("~")) }
    }),
    rule("R10 node affinity without required", Volume, &["affinity"], Refused("spec.nodeAffinity.required", "must specify required node constraints"), |volume, random| {
        volume.set("spec|nodeAffinity", json!({}));
        if random.chance(50) { volume.set("spec|nodeAffinity", json!({ "required": null })) }
    }),
    rule("R10 node affinity without terms", Volume, &["affinity"], Refused("spec.nodeAffinity.required.nodeSelectorTerms", "must have at least one"), |volume, random| {
        volume.set("spec|nodeAffinity", json!({ "required": {} }));
        if random.chance(50) { volume.set("spec|nodeAffinity|required|nodeSelectorTerms", json!([])) }
    }),
    rule("R10 Recycle of the root", Volume, &["source", "policy"], Refused("spec.persistentVolumeReclaimPolicy", "hostPath mount of '/'"), |volume, random| {
        source(volume, "hostPath");
        volume.set("spec|hostPath", json!({ "path": random.pick(&["/", "//", "/.", "/./"]) }));
        volume.set("spec|persistentVolumeReclaimPolicy", json!("Recycle"));
    }),
    rule("R10 class name no subdomain", Volume, &["class"], Refused("spec.storageClassName", "RFC 1123"), |volume, random| {
        volume.set("spec|storageClassName", json!(random.pick(&["Fast", "a_b", "a.-b"])));
    }),
    rule("R10 class name empty", Volume, &["class"], Taken, |volume, _| volume.set("spec|storageClassName", json!(""))),
    rule("R10 volume mode unknown", Volume, &["volume mode"], Refused("spec.volumeMode", "supported values"), |volume, random| {
        volume.set("spec|volumeMode", json!(random.pick(&["block", ""])));
    }),
    rule("R10 attributes class empty", Volume, &["attributes class"], Refused("spec.volumeAttributesClassName", "an empty string is disallowed"), |volume, _| {
        volume.set("spec|volumeAttributesClassName", json!(""));
    }),
    rule("R10 attributes class without csi", Volume, &["attributes class", "source"], Refused("spec.csi", "has to be specified when using volumeAttributesClassName"), |volume, random| {
        source(volume, random.pick(&["nfs", "hostPath", "rbd"]));
        volume.set("spec|volumeAttributesClassName", json!("gold"));
    }),
    rule("R10 attributes class with csi", Volume, &["attributes class", "source"], Taken, |volume, _| {
        source(volume, "csi");
        volume.set("spec|volumeAttributesClassName", json!("gold"));
    }),
    rule("R10 claimRef is not validated", Volume, &["claim"], Taken, |volume, random| {
        volume.set("spec|claimRef", json!({ "namespace": random.pick(&["", "Bad_NS"]), "name": random.pick(&["", "a b"]), "kind": "Pod" }));
        if random.chance(30) { volume.set("spec|claimRef", json!({})) }
    }),
];

/// Takes every source away.
pub(super) fn no_source(volume: &mut Node) {
    for (field, _) in SOURCES {
        volume.remove(&format!("spec|{field}"));
    }
}

/// Makes this the only source.
pub(super) fn source(volume: &mut Node, field: &str) {
    no_source(volume);
    add_source(volume, field);
}

fn add_source(volume: &mut Node, field: &str) {
    let (_, make) = SOURCES
        .iter()
        .find(|(name, _)| *name == field)
        .expect(field);
    volume.set(&format!("spec|{field}"), make());
}

/// Any source but one.
pub(super) fn other_source(volume: &mut Node, random: &mut Random, not: &str) {
    let others: Vec<&str> = SOURCES
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| *name != not)
        .collect();
    source(volume, random.pick(&others));
}
