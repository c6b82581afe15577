//! Claims that search, name a volume, or were bound before.

use serde_json::{Value, json};

use super::classes::Classes;
use super::{Habits, Manner, Place, WORLD};
use crate::random::Random;

/// From small to large, each in several spellings. The second and the third are told apart by the
/// search alone: in whole units they are the fourth (Q4).
const SIZES: &[&[&str]] = &[
    &["1G", "1e9", "1000M"],
    &["1073741823.2", "1073741823200m"],
    &["1073741823.7", "1073741823700m"],
    &["1Gi", "1024Mi", "1073741824", "1048576Ki"],
    &["2Gi", "2048Mi"],
];
/// The row of [`SIZES`] for worlds of one size.
const USUAL_SIZE: usize = 3;

pub(super) const MODES: [&str; 3] = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"];

/// How a claim comes to a volume.
#[derive(Clone, Copy)]
enum Way {
    Searches,
    Names,
    WasBound,
}

pub(super) fn size(random: &mut Random, habits: &Habits, rows: &[(usize, usize)]) -> &'static str {
    let row = random.weighted(rows);
    let row = if habits.one_size && random.chance(92) {
        USUAL_SIZE
    } else {
        row
    };
    random.pick(SIZES[row])
}

/// One claim. The volumes it may name are only numbered yet.
pub(super) fn draw(
    random: &mut Random,
    manner: &Manner,
    habits: &Habits,
    classes: &Classes,
    index: usize,
    volumes: usize,
) -> Value {
    let letters: Vec<char> = ('a'..='z').collect();
    let elsewhere = index > 0 && random.chance(12);
    // The second claim elsewhere has the name of the first one here.
    let place = if elsewhere && index == 1 { 0 } else { index };
    let name = match letters.get(place) {
        Some(letter) => manner.name(letter),
        None => manner.name(format!("z{place}")),
    };
    let namespace = &manner.namespaces[usize::from(elsewhere)];
    let requested = [(10, 0), (3, 1), (5, 2), (62, 3), (20, 4)];
    let mut claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "namespace": namespace, "name": name,
            "uid": format!("uid-{namespace}-{name}"),
            "labels": { WORLD: manner.name }, "annotations": {},
        },
        "spec": {
            "accessModes": modes(random, habits),
            "resources": { "requests": { "storage": size(random, habits, &requested) } },
        },
    });
    if habits.apart(random, 6) {
        claim["spec"]["volumeMode"] = json!("Block");
    }
    if habits.apart(random, 4) {
        claim["spec"]["volumeAttributesClassName"] = json!("gold");
    }
    let is_shared = classes.name_for_claim(random, &mut claim);
    if habits.apart(random, 24) {
        claim["spec"]["selector"] = selector(random);
    }
    if let Some(world) = classes.fence.as_ref().filter(|_| is_shared) {
        claim["spec"]["selector"]["matchLabels"][WORLD] = json!(world);
    }
    let way = random.weighted(&[(78, Way::Searches), (12, Way::Names), (10, Way::WasBound)]);
    go(random, manner, &mut claim, way, volumes);
    claim
}

fn go(random: &mut Random, manner: &Manner, claim: &mut Value, way: Way, volumes: usize) {
    let phase = match way {
        Way::WasBound => random.pick(&["Bound", "Lost"]),
        Way::Searches | Way::Names => "Pending",
    };
    if matches!(manner.place, Place::File) {
        claim["status"] = json!({ "phase": phase });
    }
    if matches!(way, Way::Searches) {
        return;
    }
    let annotations = &mut claim["metadata"]["annotations"];
    if matches!(way, Way::WasBound) {
        annotations["pv.kubernetes.io/bind-completed"] = json!("yes");
    }
    if random.chance(25) {
        annotations["pv.kubernetes.io/bound-by-controller"] = json!("yes");
    }
    let is_nowhere = volumes == 0 || random.chance(12);
    if !is_nowhere {
        let named = manner.name(format!("pv-{}", random.below(volumes)));
        claim["spec"]["volumeName"] = json!(named);
    } else if matches!(way, Way::Names) || random.chance(50) {
        claim["spec"]["volumeName"] = json!(manner.name("missing"));
    }
}

/// A claim that was bound mostly finds its volume as it left it, or forgotten by an administrator.
pub(super) fn look_back(random: &mut Random, claim: &mut Value, volumes: &mut [Value]) {
    let metadata = &claim["metadata"];
    let was_bound = metadata["annotations"].get("pv.kubernetes.io/bind-completed");
    let named = &claim["spec"]["volumeName"];
    let found = volumes
        .iter_mut()
        .find(|volume| was_bound.is_some() && volume["metadata"]["name"] == *named);
    let Some(volume) = found else {
        return;
    };
    match random.below(10) {
        0..4 => {
            let spec = volume["spec"].as_object_mut().expect("a spec");
            spec.remove("claimRef");
        }
        4..6 => {
            volume["spec"]["claimRef"] = json!({
                "namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"],
            });
        }
        _ => {}
    }
}

fn modes(random: &mut Random, habits: &Habits) -> Vec<&'static str> {
    if habits.one_mode {
        return vec![MODES[0]];
    }
    random
        .weighted::<&[&str]>(&[
            (46, &[MODES[0]]),
            (12, &[MODES[1]]),
            (12, &[MODES[2]]),
            (8, &[MODES[0], MODES[1]]),
            (8, &[MODES[2], MODES[0]]),
            (6, &[MODES[1], MODES[2]]),
            (4, &[MODES[0], MODES[0]]),
            (4, &["ReadWriteOncePod"]),
        ])
        .to_vec()
}

/// A selector about the labels that volumes get.
fn selector(random: &mut Random) -> Value {
    let expression = |key: &str, operator: &str, values: &[&str]| {
        let mut expression = json!({ "key": key, "operator": operator });
        if !values.is_empty() {
            expression["values"] = json!(values);
        }
        json!({ "matchExpressions": [expression] })
    };
    match random.below(7) {
        0 => json!({}),
        1 | 2 => json!({ "matchLabels": { "tier": "gold" } }),
        3 => expression("tier", "In", &["gold", "silver"]),
        4 => expression("zone", "NotIn", &["b"]),
        5 => expression("zone", "Exists", &[]),
        _ => expression("zone", "DoesNotExist", &[]),
    }
}
