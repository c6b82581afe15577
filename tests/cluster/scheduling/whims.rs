//! What a pod wants besides its volumes: certain nodes, tainted ones, or no scheduler.

use serde_json::{Value, json};

use super::affinity::{expression, field};
use super::nodes::{DISK, DISKS, HOSTNAME, Nodes};
use super::searching::searches;
use super::world::World;
use crate::cluster::agreement::random::Random;

/// Some pods choose among the nodes by themselves.
pub(super) fn choose_nodes(random: &mut Random, nodes: &Nodes, world: &mut World) {
    if random.chance(20) {
        let toleration = random.pick(&[0, 1, 2]);
        world.specify("tolerations", json!([tolerations()[toleration]]));
    }
    if random.chance(4) {
        world.specify(
            "priorityClassName",
            json!(format!("{}-never", world.namespace)),
        );
    }
    match random.below(14) {
        0 => world.specify("nodeSelector", json!({ DISK: random.pick(DISKS) })),
        1 => {
            let host = &nodes.some_hosts(random)[0];
            world.specify("nodeSelector", json!({ HOSTNAME: host }));
        }
        2 => {
            let term = json!({ "matchExpressions": [expression(random, nodes)] });
            world.specify("affinity", required(&term));
        }
        3 => {
            let term = json!({ "matchFields": field(random, nodes) });
            world.specify("affinity", required(&term));
        }
        _ => {}
    }
}

fn tolerations() -> [Value; 3] {
    [
        json!({ "key": "dedicated", "operator": "Exists" }),
        json!({ "key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule" }),
        json!({ "operator": "Exists" }),
    ]
}

fn required(term: &Value) -> Value {
    json!({ "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": { "nodeSelectorTerms": [term] },
    } })
}

/// A pod that the scheduler leaves alone, though it has claims.
pub(super) fn left_alone(random: &mut Random, nodes: &Nodes, world: &mut World) {
    searches(random, nodes, world);
    match random.below(4) {
        0 => {
            let name = nodes.any(random).name.clone();
            world.specify("nodeName", json!(name));
        }
        1 => world.specify("schedulingGates", json!([{ "name": "example.com/later" }])),
        2 => world.specify("schedulerName", json!("another-scheduler")),
        _ => world.terminates = true,
    }
}
