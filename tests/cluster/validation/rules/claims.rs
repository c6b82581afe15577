//! R7: what the server says about claims.

use serde_json::json;

use super::Expected::{Refused, Taken};
use super::{Rule, rule};
use crate::cluster::validation::bases::Kind::Claim;
use crate::cluster::validation::tree::Node;
use crate::random::Random;

const MODES: &[&str] = &["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"];
const EXPRESSIONS: &str = "spec|selector|matchExpressions";

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    rule("R7 name no subdomain", Claim, &["name"], Refused("metadata.name", "RFC 1123"), |claim, random| {
        let name = random.pick(&["Bad", "a_b", "-a", "a.", "a..b", "a b", "\u{e4}", "a/b"]);
        claim.set("metadata|name", json!(name));
    }),
    rule("R7 name over 253 characters", Claim, &["name"], Refused("metadata.name", "253"), |claim, random| {
        claim.set("metadata|name", json!("a".repeat(254 + random.below(50))));
    }),
    rule("R7 name of 253 characters", Claim, &["name"], Taken, |claim, random| {
        let head = random.pick(&["a", "0", "a.b", "1.2"]);
        claim.set("metadata|name", json!(format!("{head}{}", "x".repeat(253 - head.len()))));
    }),
    rule("R7 no name", Claim, &["name"], Refused("metadata.name", "name or generateName is required"), |claim, random| {
        if random.chance(50) { claim.remove("metadata|name") } else { claim.set("metadata|name", json!("")) }
    }),
    rule("R7 no access mode", Claim, &["modes"], Refused("spec.accessModes", "at least 1 access mode"), |claim, random| {
        match random.below(3) {
            0 => claim.remove("spec|accessModes"),
            1 => claim.set("spec|accessModes", json!([])),
            _ => claim.set("spec|accessModes", Node::raw("~")),
        }
    }),
    rule("R7 unknown access mode", Claim, &["modes"], Refused("spec.accessModes", "supported values"), |claim, random| {
        let mode = random.pick(&["RWO", "readWriteOnce", "ReadWriteOnce ", "", "ReadOnlyOnce"]);
        claim.push("spec|accessModes", json!(mode));
    }),
    rule("R7 RWOP mixed", Claim, &["modes"], Refused("spec.accessModes", "may not use ReadWriteOncePod with other"), |claim, random| {
        let mut modes = vec![random.pick(MODES), random.pick(MODES)];
        modes.insert(random.below(3), "ReadWriteOncePod");
        claim.set("spec|accessModes", json!(modes));
    }),
    rule("R7 no storage request", Claim, &["request"], Refused("spec.resources[storage]", "Required value"), |claim, random| {
        match random.below(4) {
            0 => claim.remove("spec|resources"),
            1 => claim.remove("spec|resources|requests"),
            2 => claim.set("spec|resources|requests", json!({ "cpu": "1" })),
            _ => claim.set("spec|resources|requests", Node::raw("null")),
        }
    }),
    rule("R7 storage request not above zero", Claim, &["request"], Refused("spec.resources[storage]", "must be greater than zero"), |claim, random| {
        let size = random.pick(&["0", "-1", "-1Gi", "0Gi", "-1n", "0.0", "\"0e5\""]);
        claim.set("spec|resources|requests|storage", Node::raw(size));
    }),
    rule("R7 fraction of a byte", Claim, &["request"], Taken, |claim, random| {
        let size = random.pick(&["500m", "1.5", "0.1", "1u", "1000000000.5", "\".5Ki\""]);
        claim.set("spec|resources|requests|storage", Node::raw(size));
    }),
    rule("R7 selector In without values", Claim, &["selector"], Refused("spec.selector.matchExpressions", "must be specified when"), |claim, random| {
        expression(claim, random, "In", &[]);
    }),
    rule("R7 selector NotIn without values", Claim, &["selector"], Refused("spec.selector.matchExpressions", "must be specified when"), |claim, random| {
        expression(claim, random, "NotIn", &[]);
    }),
    rule("R7 selector Exists with values", Claim, &["selector"], Refused("spec.selector.matchExpressions", "may not be specified when"), |claim, random| {
        expression(claim, random, "Exists", &["a"]);
    }),
    rule("R7 selector DoesNotExist with values", Claim, &["selector"], Refused("spec.selector.matchExpressions", "may not be specified when"), |claim, random| {
        expression(claim, random, "DoesNotExist", &["a", "b"]);
    }),
    rule("R7 selector with another operator", Claim, &["selector"], Refused("spec.selector.matchExpressions", "not a valid selector operator"), |claim, random| {
        let operator = random.pick(&["Gt", "in", "Equals", "", "="]);
        expression(claim, random, operator, &["a"]);
    }),
    rule("R7 selector with a bad key", Claim, &["selector"], Refused("spec.selector.match", "name part"), |claim, random| {
        let key = random.pick(&["-a", "a b", "x/", "", "\u{fc}", "a."]);
        if random.chance(50) {
            claim.set("spec|selector|matchLabels", json!({ key: "v" }));
        } else {
            claim.push(EXPRESSIONS, json!({ "key": key, "operator": "Exists" }));
        }
    }),
    rule("R7 selector with a bad value", Claim, &["selector"], Refused("spec.selector.match", "a valid label must be"), |claim, random| {
        let value = random.pick(&["-a", "a b", "a/b", "a.", "\u{fc}"]);
        if random.chance(50) {
            claim.set("spec|selector|matchLabels", json!({ "key": value }));
        } else {
            expression(claim, random, "In", &["a", value]);
        }
    }),
    rule("R7 all selector operators", Claim, &["selector"], Taken, |claim, random| {
        expression(claim, random, "In", &["a", ""]);
        expression(claim, random, "NotIn", &["a"]);
        expression(claim, random, "Exists", &[]);
        expression(claim, random, "DoesNotExist", &[]);
    }),
    rule("R7 class name no subdomain", Claim, &["class"], Refused("spec.storageClassName", "RFC 1123"), |claim, random| {
        claim.set("spec|storageClassName", json!(random.pick(&["Fast", "a_b", "-", "a.", " ", "a/b"])));
    }),
    rule("R7 class name empty", Claim, &["class"], Taken, |claim, _| {
        claim.set("spec|storageClassName", json!(""));
    }),
    rule("R7 volume mode unknown", Claim, &["volume mode"], Refused("spec.volumeMode", "supported values"), |claim, random| {
        claim.set("spec|volumeMode", json!(random.pick(&["block", "File", "", "FileSystem", "Raw"])));
    }),
    rule("R7 volume mode Block or Filesystem", Claim, &["volume mode"], Taken, |claim, random| {
        claim.set("spec|volumeMode", json!(random.pick(&["Block", "Filesystem"])));
    }),
    rule("R7 attributes class no subdomain", Claim, &["attributes class"], Refused("spec.volumeAttributesClassName", "RFC 1123"), |claim, random| {
        claim.set("spec|volumeAttributesClassName", json!(random.pick(&["Gold", "a_b", "-", " "])));
    }),
    rule("R7 attributes class empty or named", Claim, &["attributes class"], Taken, |claim, random| {
        claim.set("spec|volumeAttributesClassName", json!(random.pick(&["", "gold"])));
    }),
    rule("R7 volume name is not validated", Claim, &["volume name"], Taken, |claim, random| {
        claim.set("spec|volumeName", json!(random.pick(&["Bad_Name", "a b", "../..", "\u{fc}", "-"])));
    }),
    rule("R7 data source without name", Claim, &["data source"], Refused("spec.dataSource.name", "Required value"), |claim, random| {
        no_ref(claim);
        claim.set("spec|dataSource", json!({ "kind": "PersistentVolumeClaim" }));
        if random.chance(50) { claim.set("spec|dataSource|name", json!("")) }
    }),
    rule("R7 data source reference without name", Claim, &["data source"], Refused("spec.dataSourceRef.name", "Required value"), |claim, random| {
        claim.remove("spec|dataSource");
        claim.set("spec|dataSourceRef", json!({ "kind": "PersistentVolumeClaim" }));
        if random.chance(50) {
            claim.set("spec|dataSourceRef", json!({ "apiGroup": "example.com", "kind": "Copy", "name": "" }));
        }
    }),
    rule("R7 data source reference without kind", Claim, &["data source"], Refused("spec.dataSourceRef.kind", "Required value"), |claim, random| {
        claim.remove("spec|dataSource");
        claim.set("spec|dataSourceRef", json!({ "name": "old" }));
        if random.chance(50) { claim.set("spec|dataSourceRef|apiGroup", json!("example.com")) }
    }),
    rule("R7 other kind without a group", Claim, &["data source"], Refused("spec.dataSourceRef", "when referencing the default apiGroup"), |claim, random| {
        claim.remove("spec|dataSource");
        claim.set("spec|dataSourceRef", json!({ "kind": random.pick(&["Pod", "VolumeSnapshot", "persistentvolumeclaim"]), "name": "old" }));
        if random.chance(40) { claim.set("spec|dataSourceRef|apiGroup", json!("")) }
    }),
    rule("R7 data sources that differ", Claim, &["data source"], Refused("spec", "must match dataSourceRef"), |claim, random| {
        let reference = random.pick(&["new", "ol", "OLD"]);
        claim.set("spec|dataSource", json!({ "kind": "PersistentVolumeClaim", "name": "old" }));
        claim.set("spec|dataSourceRef", json!({ "kind": "PersistentVolumeClaim", "name": reference }));
    }),
    rule("R7 data sources that are equal", Claim, &["data source"], Taken, |claim, random| {
        let mut source = json!({ "apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s" });
        if random.chance(50) { source = json!({ "kind": "PersistentVolumeClaim", "name": "old" }) }
        claim.set("spec|dataSource", source.clone());
        claim.set("spec|dataSourceRef", source);
    }),
    rule("R7 beta class annotation", Claim, &["annotations"], Taken, |claim, random| {
        claim.set("metadata|annotations|volume.beta.kubernetes.io/storage-class", json!(random.pick(&["fast", ""])));
    }),
];

fn expression(claim: &mut Node, random: &mut Random, operator: &str, values: &[&str]) {
    let key = random.pick(&["tier", "example.com/tier", "A_b.c"]);
    let mut expression = json!({ "key": key, "operator": operator });
    if !values.is_empty() || random.chance(30) {
        expression["values"] = json!(values);
    }
    claim.push(EXPRESSIONS, expression);
}

fn no_ref(claim: &mut Node) {
    claim.remove("spec|dataSourceRef");
}
