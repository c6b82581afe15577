//! Mutations that each kind has for itself: sources and affinity of volumes, selectors and data sources
//! of claims, parameters and topologies of classes, keys of ConfigMaps.

use serde_json::{Value, json};

use super::bases::{Kind, affinity, topology};
use super::scalars::WORDS;
use super::sources::{SOURCES, TRIED};
use super::tree::Node;
use crate::random::Random;

/// Changes one thing that only this kind has.
pub(super) fn change_specifically(manifest: &mut Node, kind: Kind, random: &mut Random) {
    match kind {
        Kind::Claim => claim(manifest, random),
        Kind::Volume => volume(manifest, random),
        Kind::Class => class(manifest, random),
        Kind::Map => config_map(manifest, random),
    }
}

fn claim(claim: &mut Node, random: &mut Random) {
    match random.below(6) {
        0 => claim.push("spec|selector|matchExpressions", requirement(random)),
        1 => claim.set(
            &format!("spec|selector|matchLabels|{}", random.pick(WORDS)),
            json!(random.pick(WORDS)),
        ),
        2 => claim.set("spec|dataSource", data_source(random)),
        3 => claim.set("spec|dataSourceRef", data_source(random)),
        4 => {
            let source = data_source(random);
            claim.set("spec|dataSource", source.clone());
            claim.set("spec|dataSourceRef", source);
            if random.chance(40) {
                claim.set(
                    "spec|dataSourceRef|namespace",
                    json!(random.pick(&["other", "", "Bad_NS"])),
                );
            }
        }
        _ => {
            let field = random.pick(&[
                "storageClassName",
                "volumeName",
                "volumeMode",
                "volumeAttributesClassName",
            ]);
            claim.set(&format!("spec|{field}"), json!(random.pick(WORDS)));
        }
    }
}

fn requirement(random: &mut Random) -> Value {
    let operators = [
        "In",
        "NotIn",
        "Exists",
        "DoesNotExist",
        "Gt",
        "Lt",
        "in",
        "",
        "IN",
    ];
    let mut requirement = json!({ "key": "tier", "operator": random.pick(&operators) });
    if random.chance(25) {
        requirement["key"] = json!(random.pick(WORDS));
    }
    match random.below(5) {
        0 => {}
        1 => requirement["values"] = json!([]),
        2 => requirement["values"] = json!([random.pick(WORDS)]),
        3 => requirement["values"] = json!(["a", random.pick(WORDS)]),
        _ => requirement["values"] = json!([random.pick(&["5", "-7", "1.5", "many"])]),
    }
    requirement
}

fn data_source(random: &mut Random) -> Value {
    let mut source = json!({ "kind": "PersistentVolumeClaim", "name": "old" });
    match random.below(9) {
        0 => source = json!({}),
        1 => source["name"] = json!(random.pick(&["", "Bad Name", "\u{fc}"])),
        2 => {
            source["kind"] =
                json!(random.pick(&["", "Pod", "VolumeSnapshot", "persistentVolumeClaim"]));
        }
        3 => {
            source["apiGroup"] =
                json!(random.pick(&["", "v1", "snapshot.storage.k8s.io", "Bad_Group", "a/b"]));
        }
        4 => {
            source = json!({ "apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s" });
        }
        5 => {
            source = json!({ "apiGroup": random.pick(&["example.com", "Bad Group", "a..b"]), "kind": "Copy", "name": "c" });
        }
        6 => source["namespace"] = json!(random.pick(&["other", "", "Bad_NS"])),
        7 => source["apiGroup"] = Value::Null,
        _ => {}
    }
    source
}

fn volume(volume: &mut Node, random: &mut Random) {
    match random.below(10) {
        0..=3 => try_a_source(volume, random),
        4 | 5 => lack_a_field(volume, random),
        6 | 7 => node_affinity(volume, random),
        8 => {
            let (field, source) = SOURCES[random.below(SOURCES.len())];
            let source = if random.chance(50) {
                json!({})
            } else {
                source()
            };
            volume.set(&format!("spec|{field}"), source);
        }
        _ => {
            let field = random.pick(&[
                "storageClassName",
                "volumeMode",
                "persistentVolumeReclaimPolicy",
                "volumeAttributesClassName",
            ]);
            volume.set(&format!("spec|{field}"), json!(random.pick(WORDS)));
        }
    }
}

fn only_source(volume: &mut Node, field: &str) {
    for (other, _) in SOURCES {
        volume.remove(&format!("spec|{other}"));
    }
    let (_, source) = SOURCES
        .iter()
        .find(|(name, _)| *name == field)
        .expect(field);
    volume.set(&format!("spec|{field}"), source());
    if field == "local" {
        volume.set("spec|nodeAffinity", affinity());
    }
}

fn try_a_source(volume: &mut Node, random: &mut Random) {
    let (source, field, values) = TRIED[random.below(TRIED.len())];
    only_source(volume, source);
    volume.set(
        &format!("spec|{source}|{field}"),
        Node::raw(random.pick(values)),
    );
}

/// A source without one of its fields, or with nothing in it.
fn lack_a_field(volume: &mut Node, random: &mut Random) {
    let (source, make) = SOURCES[random.below(SOURCES.len())];
    only_source(volume, source);
    let fields: Vec<String> = make()
        .as_object()
        .expect("a source is a map")
        .keys()
        .cloned()
        .collect();
    let field = &fields[random.below(fields.len())];
    let path = format!("spec|{source}|{field}");
    match random.below(3) {
        0 => volume.remove(&path),
        1 => volume.set(&path, Node::raw("\"\"")),
        _ => volume.set(&path, Node::raw("~")),
    }
}

fn node_affinity(volume: &mut Node, random: &mut Random) {
    const TERMS: &str = "spec|nodeAffinity|required|nodeSelectorTerms";
    match random.below(6) {
        0 => volume.push(TERMS, json!({ "matchExpressions": [requirement(random)] })),
        1 => volume.push(TERMS, json!({ "matchFields": [requirement(random)] })),
        2 => {
            let mut field = requirement(random);
            field["key"] = json!("metadata.name");
            volume.push(
                TERMS,
                json!({ "matchFields": [field], "matchExpressions": [requirement(random)] }),
            );
        }
        3 => volume.push(TERMS, Node::raw(random.pick(&["~", "{}", "text", "[]"]))),
        4 => volume.set(
            "spec|nodeAffinity",
            Node::raw(random.pick(&[
                "{}",
                "~",
                "{required: {}}",
                "{required: [a]}",
                "{preferred: []}",
            ])),
        ),
        _ => {
            let label = random.pick(WORDS);
            let expression = json!({ "key": "topology.kubernetes.io/zone", "operator": "In", "values": [label] });
            volume.set(TERMS, json!([{ "matchExpressions": [expression] }, {}]));
        }
    }
}

fn class(class: &mut Node, random: &mut Random) {
    match random.below(8) {
        0 => class.set("provisioner", json!(random.pick(WORDS))),
        1 => class.set(
            &format!("parameters|{}", random.pick(WORDS)),
            json!(random.pick(&["", "a", "\u{fc}"])),
        ),
        2 => class.set("parameters", many_parameters(random)),
        3 => class.set("allowedTopologies", topologies(random)),
        4 => class.set("mountOptions", json!([random.pick(WORDS), ""])),
        5 => class.set(
            "reclaimPolicy",
            json!(random.pick(&["Recycle", "delete", "Delete", "Retain", "Keep"])),
        ),
        6 => class.set(
            "volumeBindingMode",
            json!(random.pick(&["immediate", "Immediate", "WaitForFirstConsumer", "Late"])),
        ),
        _ => class.push("allowedTopologies", topologies(random)[0].clone()),
    }
}

/// So many, or so large, that it just fits or just does not.
fn many_parameters(random: &mut Random) -> Value {
    if random.chance(50) {
        let count = random.pick(&[512, 513]);
        return (0..count)
            .map(|number| (format!("k{number}"), json!("v")))
            .collect::<serde_json::Map<_, _>>()
            .into();
    }
    let bytes = 256 * 1024 - 1 + random.below(3) - 1;
    json!({ "a": "x".repeat(bytes) })
}

fn topologies(random: &mut Random) -> Value {
    let word = random.pick(WORDS);
    match random.below(9) {
        0 => json!([topology(word, &["a"])]),
        1 => json!([topology("zone", &[word])]),
        2 => json!([topology("zone", &[])]),
        3 => json!([topology("zone", &["a", "a"])]),
        4 => {
            json!([{ "matchLabelExpressions": [{ "key": "zone", "values": ["a"] }, { "key": "zone", "values": ["b"] }] }])
        }
        5 => json!([topology("zone", &["a", "b"]), topology("zone", &["a"])]),
        6 => json!([topology("zone", &["a"]), topology("region", &["a"])]),
        7 => json!([null, {}]),
        _ => {
            json!([{ "matchLabelExpressions": [{ "key": "region", "values": ["r"] }, { "key": "zone", "values": ["b"] }] }])
        }
    }
}

fn config_map(map: &mut Node, random: &mut Random) {
    match random.below(7) {
        0 => map.set(&format!("data|{}", random.pick(WORDS)), json!("value")),
        1 => map.set(
            &format!(
                "data|{}",
                random.pick(&[".", "..", "..a", "a..", ".a", "-", "_"])
            ),
            json!("value"),
        ),
        2 => map.set(
            &format!("data|{}", "k".repeat(random.pick(&[253, 254]))),
            json!(""),
        ),
        3 => map.set(
            "binaryData|file",
            Node::raw(random.pick(&[
                "aGVsbG8=",
                "aGVsbG8",
                "\"a GVs\"",
                "\"\"",
                "5",
                "~",
                "\"aGVs\\nbG8=\"",
                "_-8=",
            ])),
        ),
        4 => map.set("binaryData|zone", json!("aGVsbG8=")),
        5 => map.set(
            "immutable",
            Node::raw(random.pick(&["yes", "\"true\"", "~", "false", "1"])),
        ),
        _ => {
            // 1 MiB of values in all; the base has 14 bytes of them, keys do not count.
            map.set(
                "data",
                json!({ "a": "x".repeat(1024 * 1024 - 1 + random.below(3)) }),
            );
        }
    }
}
