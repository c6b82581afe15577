//! Volumes that are in use: claims for a single pod, and disks that pods name themselves.

use serde_json::{Value, json};

use super::nodes::Nodes;
use super::volumes::{bound_pair, settle_pair};
use super::world::{World, claim_volume, pod};
use crate::cluster::agreement::case::{TERMINATES, set_fate};
use crate::random::Random;

/// A claim that only one pod may use, and another pod that uses it, did so, or will.
pub(super) fn one_pod_only(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let (mut claim, mut volume) = bound_pair(world);
    claim["spec"]["accessModes"] = json!(["ReadWriteOncePod"]);
    volume["spec"]["accessModes"] = json!(["ReadWriteOncePod"]);
    volume["spec"]["hostPath"] = json!({ "path": "/nowhere" });
    let claim = settle_pair(world, (claim, volume));
    world.mount_claim(&claim);
    let node = nodes.any(random).name.clone();
    let volumes = claim_volume(&claim);
    match random.below(12) {
        0 => world.add_neighbour(&node, "Succeeded", &volumes),
        3 => {
            // Still there until it is gone.
            world.add_neighbour(&node, "Running", &volumes);
            let leaving = world.neighbours.last_mut().expect("just added");
            set_fate(leaving, TERMINATES);
        }
        4 => {
            // Its claim has the same name and is another one.
            world.add_neighbour(&node, "Running", &volumes);
            let stranger = world.neighbours.last_mut().expect("just added");
            stranger["metadata"]["namespace"] = json!("default");
        }
        1 => world.add_neighbour("gone", "Running", &volumes),
        2 => {
            let name = world.fresh("n");
            let mut other = pod(&world.namespaced(&name), &volumes);
            other["spec"]["schedulingGates"] = json!([{ "name": "example.com/later" }]);
            world.neighbours.push(other);
        }
        _ => world.add_neighbour(&node, "Running", &volumes),
    }
}

/// A disk that the pod names itself, and pods on some nodes that have it.
pub(super) fn disks(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let sort = random.weighted(&[(3, 0), (3, 1), (3, 2), (1, 3), (3, 4)]);
    let everywhere = random.chance(80);
    let (kind, source) = disk(random, sort, &world.name);
    world.mount(kind, &source);
    for node in &nodes.0 {
        if everywhere || random.chance(50) {
            let of_another = !everywhere && random.chance(20);
            let name = if of_another { "another" } else { &world.name };
            let (kind, source) = disk(random, sort, name);
            let volumes = json!([{ "name": "v0", kind: source }]);
            let phase = random.weighted(&[(92, "Running"), (8, "Failed")]);
            world.add_neighbour(&node.name, phase, &volumes);
        }
    }
}

fn disk(random: &mut Random, sort: usize, name: &str) -> (&'static str, Value) {
    let read_only = random.chance(20);
    match sort {
        0 => (
            "awsElasticBlockStore",
            json!({ "volumeID": name, "readOnly": read_only }),
        ),
        1 => (
            "gcePersistentDisk",
            json!({ "pdName": name, "readOnly": read_only }),
        ),
        2 => {
            let iqn = format!("iqn.2001-04.com.example:{name}");
            let portal = random.pick(&["10.0.0.1", "10.0.0.2"]);
            (
                "iscsi",
                json!({ "targetPortal": portal, "iqn": iqn, "lun": random.below(2), "readOnly": read_only }),
            )
        }
        3 => ("cinder", json!({ "volumeID": name })),
        _ => {
            let monitors = random.pick(&[&["m1", "m2"], &["m2", "m3"], &["m1", "m4"]]);
            let pool = random.pick(&["rbd", "rbd", "rbd", "other"]);
            (
                "rbd",
                json!({ "monitors": monitors, "pool": pool, "image": name, "readOnly": read_only }),
            )
        }
    }
}
