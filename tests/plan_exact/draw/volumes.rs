//! Volumes, free or written for somebody in every way a claimRef can be written.

use serde_json::{Value, json};

use super::claims::{MODES, size};
use super::classes::Classes;
use super::{Habits, Manner, Place, WORLD};
use crate::random::Random;

const GONE: &str = "uid-gone";

/// What a claimRef says.
#[derive(Clone, Copy)]
enum Written {
    Nothing,
    /// A claim by its name alone.
    Name,
    /// A claim by name and uid: a bind that was begun, or one that went elsewhere.
    Uid,
    /// A claim's name with the uid of one that is gone.
    GoneUid,
    /// A claim that is gone.
    Gone,
    /// One claim's name with another's uid.
    Mixed,
    /// A claim of the right name in the wrong place.
    Elsewhere,
    /// `{}`
    Empty,
}

pub(super) fn draw(
    random: &mut Random,
    manner: &Manner,
    habits: &Habits,
    classes: &Classes,
    claims: &[Value],
    index: usize,
) -> Value {
    let name = manner.name(format!("pv-{index}"));
    let offered = [(6, 0), (6, 1), (6, 2), (52, 3), (30, 4)];
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": { "name": name, "labels": { WORLD: manner.name }, "annotations": {} },
        "spec": {
            "capacity": { "storage": size(random, habits, &offered) },
            "accessModes": modes(random, habits),
            "persistentVolumeReclaimPolicy": "Retain",
        },
    });
    add_source(random, habits, &mut volume, &name);
    for (key, values) in [("tier", ["gold", "silver"]), ("zone", ["a", "b"])] {
        if random.chance(55) {
            volume["metadata"]["labels"][key] = json!(random.pick(&values));
        }
    }
    classes.name_for_volume(random, &mut volume);
    write_claim(random, habits, &mut volume, claims);
    if matches!(manner.place, Place::File) {
        add_traces(random, &mut volume);
    }
    volume
}

fn modes(random: &mut Random, habits: &Habits) -> Vec<&'static str> {
    if habits.one_mode && random.chance(60) {
        return vec![MODES[0]];
    }
    random
        .weighted::<&[&str]>(&[
            (34, &[MODES[0]]),
            (6, &[MODES[1]]),
            (6, &[MODES[2]]),
            (18, &[MODES[0], MODES[1]]),
            (18, &[MODES[2], MODES[0]]),
            (6, &[MODES[1], MODES[2]]),
            (10, &[MODES[1], MODES[0], MODES[2]]),
            (2, &["ReadWriteOncePod"]),
        ])
        .to_vec()
}

/// Only volumes of CSI drivers may have an attributes class.
fn add_source(random: &mut Random, habits: &Habits, volume: &mut Value, name: &str) {
    let spec = &mut volume["spec"];
    if habits.apart(random, 4) {
        spec["volumeAttributesClassName"] = json!("gold");
        spec["csi"] = json!({ "driver": "csi.example.com", "volumeHandle": name });
    } else {
        spec["hostPath"] = json!({ "path": format!("/nowhere/{name}") });
    }
    if habits.apart(random, 6) {
        spec["volumeMode"] = json!("Block");
    }
}

fn write_claim(random: &mut Random, habits: &Habits, volume: &mut Value, claims: &[Value]) {
    let begun = if habits.half_done { 40 } else { 7 };
    let written = random.weighted(&[
        (if habits.is_tame() { 130 } else { 62 }, Written::Nothing),
        (9, Written::Name),
        (begun, Written::Uid),
        (3, Written::GoneUid),
        (2, Written::Gone),
        (2, Written::Mixed),
        (2, Written::Elsewhere),
        (3, Written::Empty),
    ]);
    let claim = &claims[random.below(claims.len())]["metadata"];
    let other = &claims[random.below(claims.len())]["metadata"];
    let (namespace, name) = (&claim["namespace"], &claim["name"]);
    let reference = match written {
        Written::Nothing => return,
        Written::Name => json!({ "namespace": namespace, "name": name }),
        Written::Uid => json!({ "namespace": namespace, "name": name, "uid": claim["uid"] }),
        Written::GoneUid => json!({ "namespace": namespace, "name": name, "uid": GONE }),
        Written::Gone => json!({ "namespace": namespace, "name": "gone", "uid": GONE }),
        Written::Mixed => json!({ "namespace": namespace, "name": name, "uid": other["uid"] }),
        Written::Elsewhere => json!({ "namespace": "nowhere", "name": name }),
        Written::Empty => json!({}),
    };
    volume["spec"]["claimRef"] = reference;
    if random.chance(60) {
        let annotations = &mut volume["metadata"]["annotations"];
        annotations["pv.kubernetes.io/bound-by-controller"] = json!("yes");
    }
    if random.chance(8) {
        let annotations = &mut volume["metadata"]["annotations"];
        annotations["pv.kubernetes.io/provisioned-by"] = json!("csi.live.example.com");
        let spec = volume["spec"].as_object_mut().expect("a spec");
        spec.remove("hostPath");
        spec.insert(
            "csi".to_owned(),
            json!({ "driver": "csi.live.example.com", "volumeHandle": "made" }),
        );
        if random.chance(60) {
            spec["persistentVolumeReclaimPolicy"] = json!("Delete");
        }
    }
}

/// What only a past leaves: a phase, which may be out of date (R31), and a deletion under way.
fn add_traces(random: &mut Random, volume: &mut Value) {
    let phase = random.weighted(&[
        (50, "Available"),
        (15, "Pending"),
        (12, "Released"),
        (8, "Failed"),
        (15, "Bound"),
    ]);
    volume["status"] = json!({ "phase": phase });
    if random.chance(3) {
        volume["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        volume["metadata"]["finalizers"] = json!(["kubernetes.io/pv-protection"]);
    }
}
