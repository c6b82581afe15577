//! Nodes that take only so many volumes of a driver, and what they have already: through pods,
//! through attachments, or through both.

use serde_json::{Value, json};

use super::claims::{claim, delayed_class, name_of};
use super::nodes::Nodes;
use super::volumes::{csi_pair, settle_pair};
use super::world::{Limit, World, claim_volume};
use crate::random::Random;

/// A pod with volumes of a driver that is scarce.
pub(super) fn limits(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let driver = format!("{}.limits.test", world.fresh("d"));
    let mut present = Vec::new();
    for node in &nodes.0 {
        let count = random.weighted(&[(10, None), (40, Some(0)), (30, Some(1)), (20, Some(2))]);
        let (name, driver) = (node.name.clone(), driver.clone());
        if node.has_csi {
            world.limits.push(Limit {
                node: name,
                driver,
                count,
            });
        }
    }
    for node in &nodes.0 {
        for _ in 0..random.weighted(&[(45, 0), (40, 1), (15, 2)]) {
            present.push(add_neighbour(random, world, &driver, &node.name));
        }
        if random.chance(25) {
            attach(random, world, &driver, &node.name);
        }
    }
    for _ in 0..random.weighted(&[(65, 1), (35, 2)]) {
        add_claim(random, world, &driver, &present);
    }
}

/// A volume on the node, used by a pod there; the claim's name.
fn add_neighbour(random: &mut Random, world: &mut World, driver: &str, node: &str) -> String {
    let pair = csi_pair(world, driver);
    let volume = name_of(&pair.1).to_owned();
    let claim = settle_pair(world, pair);
    // One that has ended does not count.
    let phase = random.weighted(&[(88, "Running"), (12, "Succeeded")]);
    world.add_neighbour(node, phase, &claim_volume(&claim));
    if random.chance(30) {
        add_attachment(world, driver, node, &volume);
    }
    claim
}

/// A volume that is still attached though no pod uses it.
fn attach(random: &mut Random, world: &mut World, driver: &str, node: &str) {
    let pair = csi_pair(world, driver);
    let volume = name_of(&pair.1).to_owned();
    settle_pair(world, pair);
    let attacher = if random.chance(10) {
        "another.test"
    } else {
        driver
    };
    let volume = if random.chance(10) {
        "gone".to_owned()
    } else {
        volume
    };
    add_attachment(world, attacher, node, &volume);
}

fn add_attachment(world: &mut World, attacher: &str, node: &str, volume: &str) {
    let name = world.fresh("a");
    let attachment: Value = json!({
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttachment",
        "metadata": world.metadata(&name),
        "spec": {
            "attacher": attacher, "nodeName": node, "source": { "persistentVolumeName": volume },
        },
    });
    world.settled.push(attachment);
}

/// A bound claim, one that somebody uses already, or one that waits and counts for its class.
fn add_claim(random: &mut Random, world: &mut World, driver: &str, present: &[String]) {
    match random.below(10) {
        0..2 if !present.is_empty() => {
            let shared = &present[random.below(present.len())];
            world.mount_claim(shared);
        }
        0..7 => {
            let pair = csi_pair(world, driver);
            let claim = settle_pair(world, pair);
            world.mount_claim(&claim);
        }
        _ => {
            let class = delayed_class(world, driver);
            let name = world.fresh("c");
            let claim = claim(world, &name, &class);
            world.mount_claim(&name);
            world.late.push(claim);
        }
    }
}
