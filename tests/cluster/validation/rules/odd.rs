//! R10d: what was seen live, about claims and volumes, and about what both have in common.

use serde_json::json;

use super::Expected::{Refused, Taken, Unreadable};
use super::volumes::{other_source, source};
use super::{Rule, rule};
use crate::cluster::validation::bases::Kind::{Claim, Class, Map, Volume};
use crate::cluster::validation::tree::Node;
use crate::random::Random;

const TERMS: &str = "spec|nodeAffinity|required|nodeSelectorTerms";
const LIMIT: usize = 262_144;

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    rule("R10d gcePersistentDisk is called persistentDisk", Volume, &["source"], Refused("spec.persistentDisk", ""), |volume, random| {
        source(volume, "gcePersistentDisk");
        if random.chance(50) {
            volume.remove("spec|gcePersistentDisk|pdName");
        } else {
            volume.set("spec|gcePersistentDisk|partition", json!(256));
        }
    }),
    rule("R10d second source given as {}", Volume, &["source"], Refused("spec.", "may not specify more than 1 volume type"), |volume, random| {
        source(volume, random.pick(&["hostPath", "nfs", "local", "cephfs"]));
        volume.set("spec|csi", json!({}));
    }),
    rule("R10d of two sources the later is named", Volume, &["source"], Refused("spec.nfs", "may not specify more than 1 volume type"), |volume, _| {
        source(volume, "hostPath");
        volume.set("spec|hostPath|path", json!("/data"));
        volume.set("spec|nfs", json!({ "path": "relative" }));
    }),
    rule("R10d mount options on hostPath", Volume, &["source", "annotations"], Refused("metadata.annotations.volume.beta.kubernetes.io/mount-options", "mount options"), |volume, random| {
        source(volume, "hostPath");
        volume.set("metadata|annotations|volume.beta.kubernetes.io/mount-options", json!(random.pick(&["ro", "", "a,b"])));
    }),
    rule("R10d ReadWriteOncePod twice", Volume, &["modes"], Taken, |volume, _| {
        volume.set("spec|accessModes", json!(["ReadWriteOncePod", "ReadWriteOncePod"]));
    }),
    rule("R10d ReadWriteOncePod twice on a claim", Claim, &["modes"], Taken, |claim, _| {
        claim.set("spec|accessModes", json!(["ReadWriteOncePod", "ReadWriteOncePod"]));
    }),
    rule("R10d empty node selector term", Volume, &["affinity"], Taken, |volume, random| {
        volume.set(TERMS, json!([{}]));
        if random.chance(50) { volume.set(TERMS, json!([{ "matchExpressions": [] }, { "matchFields": null }])) }
    }),
    rule("R10d Gt with text", Volume, &["affinity"], Taken, |volume, random| {
        let operator = random.pick(&["Gt", "Lt"]);
        volume.set(TERMS, json!([{ "matchExpressions": [{ "key": "cores", "operator": operator, "values": ["many"] }] }]));
    }),
    rule("R10d relative hostPath", Volume, &["source"], Taken, |volume, random| {
        source(volume, "hostPath");
        volume.set("spec|hostPath", json!({ "path": random.pick(&["data", "./x", "a..b", " "]) }));
    }),
    rule("R10d any zone label", Volume, &["labels"], Taken, |volume, random| {
        let key = random.pick(&["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"]);
        volume.set(&format!("metadata|labels|{key}"), json!(random.pick(&["", "a__b", "Moon"])));
    }),
    rule("R10d namespace on a volume", Volume, &["namespace"], Taken, |volume, _| volume.set("metadata|namespace", json!("default"))),
    rule("R10d blanks around a quantity", Claim, &["request"], Taken, |claim, random| {
        claim.set("spec|resources|requests|storage", json!(random.pick(&[" 1Gi ", "1Gi ", "  1Gi", " 500Mi"])));
    }),
    rule("R10d blanks around a capacity", Volume, &["capacity"], Taken, |volume, random| {
        volume.set("spec|capacity|storage", json!(random.pick(&[" 1Gi ", "1Gi ", " 1Gi"])));
    }),
    rule("R10d 1e100", Claim, &["request"], Taken, |claim, random| {
        claim.set("spec|resources|requests|storage", Node::raw(random.pick(&["1e100", "\"1e100\"", "1E+100"])));
    }),
    rule("R10d 1n", Claim, &["request"], Taken, |claim, _| claim.set("spec|resources|requests|storage", json!("1n"))),
    rule("R10d unknown kind in dataSource", Claim, &["data source"], Taken, |claim, random| {
        claim.remove("spec|dataSourceRef");
        claim.set("spec|dataSource", json!({ "apiGroup": "example.com", "kind": random.pick(&["Copy", "Pod"]), "name": "x" }));
        if random.chance(40) { claim.set("spec|dataSource", json!({ "kind": "Pod", "name": "x" })) }
    }),
    rule("R10d unknown kind in dataSourceRef", Claim, &["data source"], Refused("spec.dataSourceRef", "when referencing the default apiGroup"), |claim, random| {
        claim.remove("spec|dataSource");
        claim.set("spec|dataSourceRef", json!({ "kind": random.pick(&["Copy", "Pod"]), "name": "x" }));
    }),
    rule("R10d dataSource unlike dataSourceRef is called spec", Claim, &["data source"], Refused("spec", "must match dataSourceRef"), |claim, _| {
        claim.set("spec|dataSource", json!({ "kind": "PersistentVolumeClaim", "name": "a" }));
        claim.set("spec|dataSourceRef", json!({ "apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "a" }));
    }),
    rule("R10d wrong type in a claim", Claim, &["type"], Unreadable, |claim, random| {
        let (path, value) = random.pick(&[
            ("spec|storageClassName", "5"), ("spec|accessModes", "ReadWriteOnce"), ("spec|volumeName", "yes"),
            ("spec|selector", "[a]"), ("metadata|labels", "a=b"), ("spec|resources", "1Gi"),
        ]);
        claim.set(path, Node::raw(value));
    }),
    rule("R10d wrong type in a volume", Volume, &["type"], Unreadable, |volume, random| {
        let (path, value) = random.pick(&[
            ("spec|mountOptions", "ro"), ("spec|capacity", "1Gi"), ("spec|nodeAffinity", "[]"),
            ("spec|hostPath", "/data"), ("spec|csi", "{driver: 5}"), ("metadata|annotations", "{a: true}"),
        ]);
        volume.set(path, Node::raw(value));
    }),
    rule("R10d wrong type in a class", Class, &["type"], Unreadable, |class, random| {
        let (path, value) = random.pick(&[
            ("parameters", "{encrypted: true}"), ("allowVolumeExpansion", "\"true\""), ("mountOptions", "ro"),
            ("parameters", "{iops: 3000}"), ("allowedTopologies", "{}"), ("provisioner", "0o17"),
        ]);
        class.set(path, Node::raw(value));
    }),
    rule("R10d bad quantity in a claim", Claim, &["request"], Unreadable, |claim, random| {
        claim.set("spec|resources|requests|storage", json!(random.pick(&["1GB", "ten", "1 Gi", "1_000", "0x10", "1Gi2", "1ei", "--1"])));
    }),
    rule("R10d bad quantity in a volume", Volume, &["capacity"], Unreadable, |volume, random| {
        volume.set("spec|capacity|storage", json!(random.pick(&["1gb", "1.5.5", "1g", "1e", "1i", "\u{661}"])));
    }),
    rule("R10d storage null", Claim, &["request"], Refused("spec.resources[storage]", "must be greater than zero"), |claim, random| {
        claim.set("spec|resources|requests|storage", Node::raw(random.pick(&["null", "~", "", "NULL"])));
    }),
    rule("R10d storage null on a volume", Volume, &["capacity"], Refused("spec.capacity[storage]", "must be greater than zero"), |volume, random| {
        volume.set("spec|capacity|storage", Node::raw(random.pick(&["null", "~", ""])));
    }),
    rule("R10d null is the zero value", Claim, &["class", "selector", "labels"], Taken, |claim, random| {
        for path in ["spec|storageClassName", "spec|selector", "spec|volumeMode", "metadata|labels", "status", "metadata|finalizers"] {
            if random.chance(60) { claim.set(path, Node::raw(random.pick(&["null", "~", ""]))) }
        }
    }),
    rule("R10d null is the zero value in a class", Class, &["policy", "mode", "topologies"], Taken, |class, random| {
        for path in ["reclaimPolicy", "volumeBindingMode", "allowedTopologies", "parameters", "allowVolumeExpansion"] {
            if random.chance(60) { class.set(path, Node::raw(random.pick(&["null", "~", ""]))) }
        }
    }),
    rule("R10d beta class annotation is not validated", Claim, &["annotations"], Taken, beta_class),
    rule("R10d beta class annotation is not validated on a volume", Volume, &["annotations", "source"], Taken, |volume, random| {
        other_source(volume, random, "local");
        beta_class(volume, random);
    }),
    rule("R10d annotations over the limit", Claim, &["annotations"], Refused("metadata.annotations", "may not be more than 262144"), |claim, random| annotate(claim, LIMIT + 1 + random.below(50))),
    rule("R10d annotations over the limit on a class", Class, &["annotations"], Refused("metadata.annotations", "may not be more than 262144"), |class, random| annotate(class, LIMIT + 1 + random.below(50))),
    rule("R10d annotations over the limit on a ConfigMap", Map, &["annotations"], Refused("metadata.annotations", "may not be more than 262144"), |map, _| annotate(map, LIMIT + 1)),
    rule("R10d annotations at the limit", Volume, &["annotations"], Taken, |volume, random| annotate(volume, LIMIT - random.below(2))),
];

fn beta_class(object: &mut Node, random: &mut Random) {
    let value = random.pick(&["Bad Class", "a_b", "\u{fc}", "-"]);
    object.set(
        "metadata|annotations|volume.beta.kubernetes.io/storage-class",
        json!(value),
    );
}

/// Annotations of so many bytes in all, keys included; what was there is replaced.
fn annotate(object: &mut Node, bytes: usize) {
    let (first, second) = ("example.com/a", "example.com/b");
    let rest = bytes - first.len() - second.len() - 3;
    // Three bytes and one character: bytes count.
    let annotations = json!({ first: "\u{20ac}", second: "x".repeat(rest) });
    object.set("metadata|annotations", annotations);
}
