//! Claims that are bound already, to volumes that are somewhere: by affinity, by zone labels, by
//! what an in-tree plugin becomes on a node where it has moved to CSI, or nowhere any more.

use serde_json::{Value, json};

use super::affinity::affinity;
use super::nodes::{BETA_REGION, BETA_ZONE, Nodes, REGION, REGIONS, ZONE, ZONES};
use super::volumes::{bound_pair, settle_pair};
use super::world::World;
use crate::cluster::agreement::case::{VANISHES, set_fate};
use crate::random::Random;

/// One or two bound claims, here or elsewhere.
pub(super) fn elsewhere(random: &mut Random, nodes: &Nodes, world: &mut World) {
    for _ in 0..random.weighted(&[(70, 1), (30, 2)]) {
        let (claim, mut volume) = bound_pair(world);
        volume["spec"]["local"] = json!({ "path": "/nowhere" });
        volume["spec"]["nodeAffinity"] = affinity(random, nodes);
        let claim = settle_pair(world, (claim, volume));
        world.mount_claim(&claim);
    }
}

/// A bound claim whose volume carries zone and region labels, old ones or new ones.
pub(super) fn zones(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let (claim, mut volume) = bound_pair(world);
    volume["spec"]["csi"] = json!({ "driver": "csi.example.com", "volumeHandle": world.name });
    label_zones(random, &mut volume);
    if random.chance(20) {
        volume["spec"]["nodeAffinity"] = affinity(random, nodes);
    }
    let claim = settle_pair(world, (claim, volume));
    world.mount_claim(&claim);
}

fn label_zones(random: &mut Random, volume: &mut Value) {
    let labels = &mut volume["metadata"]["labels"];
    let zone = zone_value(random);
    match random.below(10) {
        0..6 => labels[ZONE] = json!(zone),
        6..9 => labels[BETA_ZONE] = json!(zone),
        _ => {
            labels[ZONE] = json!(zone);
            labels[BETA_ZONE] = json!(zone);
        }
    }
    if random.chance(25) {
        labels[random.pick(&[REGION, BETA_REGION])] = json!(random.pick(REGIONS));
    }
}

fn zone_value(random: &mut Random) -> String {
    let (one, other) = (random.pick(ZONES), random.pick(ZONES));
    match random.below(8) {
        0 | 1 => format!("{one}__{other}"),
        // Where no node is.
        2 | 3 => "eu-west1-z".to_owned(),
        _ => one.to_owned(),
    }
}

/// A bound claim whose volume is of an in-tree plugin.
pub(super) fn in_tree(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let (claim, mut volume) = bound_pair(world);
    let spec = &mut volume["spec"];
    match random.below(9) {
        0 | 1 => spec["awsElasticBlockStore"] = json!({ "volumeID": "vol-0123456789abcdef0" }),
        2 | 3 => spec["gcePersistentDisk"] = json!({ "pdName": world.name }),
        4 | 5 => spec["cinder"] = json!({ "volumeID": world.name }),
        6 => spec["portworxVolume"] = json!({ "volumeID": world.name }),
        _ => {
            let disk = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/d";
            spec["azureDisk"] = json!({ "diskName": "d", "diskURI": disk, "kind": "Managed" });
        }
    }
    match random.below(10) {
        0..5 => label_zones(random, &mut volume),
        5..8 => volume["spec"]["nodeAffinity"] = zone_affinity(random),
        8 => {
            label_zones(random, &mut volume);
            volume["spec"]["nodeAffinity"] = zone_affinity(random);
        }
        _ => {
            label_zones(random, &mut volume);
            volume["spec"]["nodeAffinity"] = affinity(random, nodes);
        }
    }
    let claim = settle_pair(world, (claim, volume));
    world.mount_claim(&claim);
}

fn zone_affinity(random: &mut Random) -> Value {
    let key = random.pick(&[ZONE, ZONE, BETA_ZONE]);
    let mut zones = vec![random.pick(ZONES)];
    if random.chance(25) {
        zones.push(random.pick(ZONES));
    }
    let expression = json!({ "key": key, "operator": "In", "values": zones });
    json!({ "required": { "nodeSelectorTerms": [{ "matchExpressions": [expression] }] } })
}

/// A bound claim whose volume has gone, before the controller knows.
pub(super) fn vanished(random: &mut Random, _: &Nodes, world: &mut World) {
    let (claim, mut volume) = bound_pair(world);
    volume["spec"]["hostPath"] = json!({ "path": "/nowhere" });
    if random.chance(95) {
        set_fate(&mut volume, VANISHES);
    }
    let claim = settle_pair(world, (claim, volume));
    world.mount_claim(&claim);
}
