//! Mutations of what all objects have: names, labels, annotations, finalizers, owners, and the fields
//! that are the server's own.

use serde_json::{Value, json};

use super::scalars::{ODD, WORDS};
use super::tree::Node;
use crate::random::Random;

const LIMIT: usize = 262_144;

/// Changes one thing about the metadata.
pub(super) fn change_metadata(object: &mut Node, random: &mut Random) {
    match random.below(10) {
        0 => object.set("metadata|name", json!(random.pick(WORDS))),
        1 => generated_name(object, random),
        2 | 3 => label(object, random),
        4 => annotation(object, random),
        5 => finalizer(object, random),
        6 | 7 => owners(object, random),
        8 => of_the_server(object, random),
        _ => long(object, random),
    }
}

fn generated_name(object: &mut Node, random: &mut Random) {
    if random.chance(70) {
        object.remove("metadata|name");
    }
    let prefix = random.pick(&["data-", "data", "Data-", "a..", "-", "a.", "", "a_"]);
    object.set("metadata|generateName", json!(prefix));
}

fn label(object: &mut Node, random: &mut Random) {
    let (mut key, mut value) = ("tier".to_owned(), "a".to_owned());
    if random.chance(50) {
        random.pick(WORDS).clone_into(&mut key);
    } else {
        random.pick(WORDS).clone_into(&mut value);
    }
    if random.chance(10) {
        let length = random.pick(&[253, 254]);
        key = format!("{}/a", "p".repeat(length));
    }
    entry(object, "metadata|labels", &key, json!(value));
}

fn annotation(object: &mut Node, random: &mut Random) {
    let known = [
        "volume.beta.kubernetes.io/mount-options",
        "volume.beta.kubernetes.io/storage-class",
        "pv.kubernetes.io/bind-completed",
        "volume.kubernetes.io/selected-node",
        "storageclass.kubernetes.io/is-default-class",
        "volume.alpha.kubernetes.io/storage-class",
    ];
    let key = if random.chance(40) {
        random.pick(&known)
    } else {
        random.pick(WORDS)
    };
    let value = random.pick(&["", "a b", "\u{fc}", "true", "{\"a\": 1}", "a\nb"]);
    entry(object, "metadata|annotations", key, json!(value));
}

fn finalizer(object: &mut Node, random: &mut Random) {
    let odd = [
        "orphan",
        "foregroundDeletion",
        "kubernetes.io/pvc-protection",
        "kubernetes.io/pv-protection",
        "kubernetes",
    ];
    for _ in 0..=random.below(2) {
        let name = if random.chance(50) {
            random.pick(&odd)
        } else {
            random.pick(WORDS)
        };
        object.push("metadata|finalizers", json!(name));
    }
}

fn owners(object: &mut Node, random: &mut Random) {
    for _ in 0..=random.below(2) {
        let mut owner = Node::from(
            json!({ "apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "5a29" }),
        );
        let field = random.pick(&["apiVersion", "kind", "name", "uid"]);
        match random.below(5) {
            0 => owner.remove(field),
            1 => owner.set(
                field,
                json!(random.pick(&["", "v1", "a/b/c", "/v1", "a/", "Event", "Bad Name"])),
            ),
            2 => owner.set(
                "controller",
                Node::raw(random.pick(&["true", "yes", "\"true\"", "false"])),
            ),
            3 => owner.set(
                "blockOwnerDeletion",
                Node::raw(random.pick(&["true", "on", "1"])),
            ),
            _ => {}
        }
        if random.chance(40) {
            owner.set("controller", json!(true));
        }
        object.push("metadata|ownerReferences", owner);
    }
}

/// Fields that the server writes itself. It reads them all the same.
fn of_the_server(object: &mut Node, random: &mut Random) {
    let times = [
        "2001-01-01T00:00:00Z",
        "2001-01-01",
        "\"2001-01-01T00:00:00Z\"",
        "yes",
        "~",
        "\"\"",
        "5",
        "2001-01-01T00:00:00.5+02:00",
    ];
    match random.below(8) {
        0 => object.set("metadata|creationTimestamp", Node::raw(random.pick(&times))),
        1 => object.set("metadata|deletionTimestamp", Node::raw(random.pick(&times))),
        2 => object.set(
            "metadata|generation",
            Node::raw(random.pick(&["5", "-1", "1.5", "\"5\"", "1e3"])),
        ),
        3 => object.set(
            "metadata|uid",
            Node::raw(random.pick(&["5a29-x", "5", "\"\"", "~"])),
        ),
        4 => object.set(
            "metadata|deletionGracePeriodSeconds",
            Node::raw(random.pick(&["-5", "30", "1.0", "yes"])),
        ),
        5 => object.set("metadata|selfLink", Node::raw(random.pick(&["/x", "5"]))),
        6 => object.set("metadata|managedFields", managed(random)),
        _ => {
            let status = random.pick(&[
                "{phase: Bound}",
                "{phase: 5}",
                "Bound",
                "[]",
                "{}",
                "{phase: Odd, extra: yes}",
            ]);
            object.set("status", Node::raw(status));
        }
    }
}

fn managed(random: &mut Random) -> Value {
    let mut entry = json!({ "manager": "test", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {} });
    match random.below(5) {
        0 => entry["operation"] = json!("Create"),
        1 => entry["fieldsType"] = json!("FieldsV2"),
        2 => entry["time"] = json!("yesterday"),
        3 => entry["manager"] = json!("x".repeat(129)),
        _ => {}
    }
    json!([entry])
}

/// Close to the limits of what may be long.
fn long(object: &mut Node, random: &mut Random) {
    match random.below(3) {
        0 => {
            let length = random.pick(&[63, 64, 252, 253, 254]);
            object.set("metadata|name", json!("n".repeat(length)));
        }
        1 => {
            let key = "example.com/long";
            let bytes = LIMIT - key.len() + random.below(5) - 2;
            object.remove("metadata|annotations");
            entry(
                object,
                "metadata|annotations",
                key,
                json!("x".repeat(bytes)),
            );
        }
        _ => entry(
            object,
            "metadata|annotations",
            &"k".repeat(random.pick(&[63, 64])),
            Node::raw(random.pick(ODD)),
        ),
    }
}

/// Sets an entry whose key may hold anything but a bar.
fn entry(object: &mut Node, map: &str, key: &str, value: impl Into<Node>) {
    object.set(&format!("{map}|{key}"), value);
}
