//! Volumes as the worlds want them: free ones that fit a claim or nearly so, and those that are
//! bound to a claim already.

use serde_json::{Value, json};

use super::affinity::affinity;
use super::claims::{SIZES, claim, class_of, name_class, name_of};
use super::nodes::Nodes;
use super::world::World;
use crate::cluster::agreement::case::{TERMINATES, set_fate};
use crate::random::Random;

/// A volume that any node reaches.
pub(super) fn volume(world: &World, name: &str, class: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": world.metadata(name),
        "spec": {
            "storageClassName": class,
            "capacity": { "storage": "1Gi" },
            "accessModes": ["ReadWriteOnce"],
            "persistentVolumeReclaimPolicy": "Retain",
        },
    })
}

/// A free volume that fits the claim as a rule; where it can be reached is by chance.
pub(super) fn free_volume(
    random: &mut Random,
    nodes: &Nodes,
    world: &mut World,
    claim: &Value,
) -> Value {
    let name = world.fresh("v");
    let wanted = &claim["spec"];
    let mut volume = volume(world, &name, class_of(claim));
    name_class(random, &mut volume);
    let spec = &mut volume["spec"];
    spec["accessModes"] = offered_modes(random, &wanted["accessModes"]);
    spec["capacity"]["storage"] = match random.below(10) {
        // Mostly large enough, often the same.
        0..5 => wanted["resources"]["requests"]["storage"].clone(),
        5..8 => json!("5Gi"),
        _ => json!(random.pick(SIZES)),
    };
    let is_block = wanted["volumeMode"] == "Block";
    if is_block != random.chance(5) {
        spec["volumeMode"] = json!("Block");
    }
    add_source(random, nodes, &mut volume, &name);
    let attributes = &wanted["volumeAttributesClassName"];
    if !attributes.is_null() && random.chance(70) {
        // Only volumes of CSI drivers may have one.
        let spec = volume["spec"].as_object_mut().expect("a spec");
        spec.retain(|key, _| !["local", "hostPath"].contains(&key.as_str()));
        spec.insert("volumeAttributesClassName".to_owned(), attributes.clone());
        let csi = json!({ "driver": "csi.example.com", "volumeHandle": name });
        spec.insert("csi".to_owned(), csi);
    }
    let tier = random.pick(&["gold", "silver"]);
    volume["metadata"]["labels"]["tier"] = json!(tier);
    match random.below(30) {
        0 => set_fate(&mut volume, TERMINATES),
        1 => volume["spec"]["claimRef"] = world.reference("somebody-else"),
        2 => {
            // Released: the claim that had it is gone.
            volume["spec"]["claimRef"] = world.reference("gone");
            volume["spec"]["claimRef"]["uid"] = json!("00000000-dead");
        }
        _ => {}
    }
    volume
}

fn offered_modes(random: &mut Random, wanted: &Value) -> Value {
    match random.below(12) {
        0 => json!(["ReadWriteOnce"]),
        1 | 2 if wanted[0] != "ReadWriteOncePod" => {
            json!(["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"])
        }
        _ => wanted.clone(),
    }
}

fn add_source(random: &mut Random, nodes: &Nodes, volume: &mut Value, name: &str) {
    let spec = &mut volume["spec"];
    let path = format!("/nowhere/{name}");
    match random.below(10) {
        0..6 => {
            spec["local"] = json!({ "path": path });
            spec["nodeAffinity"] = affinity(random, nodes);
        }
        6 | 7 => {
            spec["csi"] = json!({ "driver": "csi.example.com", "volumeHandle": name });
            if random.chance(50) {
                spec["nodeAffinity"] = affinity(random, nodes);
            }
        }
        _ => {
            spec["hostPath"] = json!({ "path": path });
            if random.chance(30) {
                spec["nodeAffinity"] = affinity(random, nodes);
            }
        }
    }
}

/// A claim and the volume the controller will have bound it to; both still without their places
/// in the world, for whoever has something to add. The claim's name comes back with them.
pub(super) fn bound_pair(world: &mut World) -> (Value, Value) {
    let claim_name = world.fresh("c");
    let name = world.fresh("v");
    let mut claim = claim(world, &claim_name, "");
    claim["spec"]["volumeName"] = json!(name);
    let mut volume = volume(world, &name, "");
    volume["spec"]["claimRef"] = world.reference(&claim_name);
    (claim, volume)
}

/// Puts such a pair where the controller binds it; the name of the claim.
pub(super) fn settle_pair(world: &mut World, (claim, volume): (Value, Value)) -> String {
    let name = name_of(&claim).to_owned();
    world.settled.extend([claim, volume]);
    name
}

/// A pair with a volume of a CSI driver.
pub(super) fn csi_pair(world: &mut World, driver: &str) -> (Value, Value) {
    let (claim, mut volume) = bound_pair(world);
    let handle = name_of(&volume).to_owned();
    volume["spec"]["csi"] = json!({ "driver": driver, "volumeHandle": handle });
    (claim, volume)
}
