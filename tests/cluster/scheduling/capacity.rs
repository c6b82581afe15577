//! Drivers that publish how much room they have, and where.

use serde_json::{Value, json};

use super::claims::{SIZES, claim, delayed_class};
use super::nodes::{DISK, DISKS, HOSTNAME, Nodes, ZONE, ZONES};
use super::world::World;
use crate::random::Random;

/// Claims of a driver that mostly tells its capacity.
pub(super) fn capacity(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let driver = format!("{}.capacity.test", world.fresh("d"));
    match random.below(10) {
        0 => {}
        1 => add_driver(world, &driver, false),
        _ => add_driver(world, &driver, true),
    }
    let class = delayed_class(world, &driver);
    for _ in 0..random.weighted(&[(65, 1), (35, 2)]) {
        let name = world.fresh("c");
        let mut claim = claim(world, &name, &class);
        claim["spec"]["resources"]["requests"]["storage"] = json!(random.pick(SIZES));
        world.mount_claim(&name);
        world.late.push(claim);
    }
    for _ in 0..random.weighted(&[(15, 0), (35, 1), (30, 2), (20, 3)]) {
        let object = room(random, nodes, world, &class);
        world.settled.push(object);
    }
}

fn add_driver(world: &mut World, name: &str, tells: bool) {
    let driver = json!({
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIDriver",
        "metadata": world.metadata(name),
        "spec": { "storageCapacity": tells },
    });
    world.settled.push(driver);
}

fn room(random: &mut Random, nodes: &Nodes, world: &mut World, class: &str) -> Value {
    let name = world.fresh("r");
    let of_another = random.chance(8);
    let mut room = json!({
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIStorageCapacity",
        "metadata": world.namespaced(&name),
        "storageClassName": if of_another { "another" } else { class },
    });
    let size = |random: &mut Random| json!(random.pick(SIZES));
    match random.below(10) {
        0 => {}
        1 | 2 => {
            room["maximumVolumeSize"] = size(random);
            room["capacity"] = json!("100Gi");
        }
        3 => room["maximumVolumeSize"] = size(random),
        _ => room["capacity"] = size(random),
    }
    let host = &nodes.some_hosts(random)[0];
    match random.below(10) {
        0 => {}
        1 | 2 => room["nodeTopology"] = json!({}),
        3..7 => room["nodeTopology"] = json!({ "matchLabels": { HOSTNAME: host } }),
        7 => room["nodeTopology"] = json!({ "matchLabels": { ZONE: random.pick(ZONES) } }),
        8 => {
            let expression =
                json!({ "key": DISK, "operator": "NotIn", "values": [random.pick(DISKS)] });
            room["nodeTopology"] = json!({ "matchExpressions": [expression] });
        }
        _ => {
            let expression =
                json!({ "key": ZONE, "operator": random.pick(&["Exists", "DoesNotExist"]) });
            room["nodeTopology"] = json!({ "matchExpressions": [expression] });
        }
    }
    room
}
