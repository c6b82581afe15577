//! What a pod wants besides its volumes: certain nodes, tainted ones, or no scheduler.

use serde_json::{Value, json};

use super::affinity::{expression, field};
use super::nodes::{DISK, DISKS, HOSTNAME, Nodes};
use super::searching::searches;
use super::world::World;
use crate::random::Random;

/// Some pods choose among the nodes by themselves.
pub(super) fn choose_nodes(random: &mut Random, nodes: &Nodes, world: &mut World) {
    if random.chance(20) {
        let tolerations = tolerations();
        let one = &tolerations[random.below(tolerations.len())];
        world.specify("tolerations", json!([one]));
    }
    if random.chance(4) {
        let class = format!("{}-never", world.namespace);
        world.specify("priorityClassName", json!(class));
    }
    match random.below(12) {
        0 => world.specify("nodeSelector", json!({ DISK: random.pick(DISKS) })),
        1 => {
            let host = &nodes.some_hosts(random)[0];
            world.specify("nodeSelector", json!({ HOSTNAME: host }));
        }
        2 => {
            let term = json!({ "matchExpressions": [expression(random, nodes)] });
            world.specify("affinity", required(&[term]));
        }
        3 => {
            let number = random.pick(&[1, 2]);
            let terms: Vec<Value> = (0..number).map(|_| named(random, nodes)).collect();
            world.specify("affinity", required(&terms));
        }
        _ => {}
    }
}

/// A node by its name, as DaemonSets do it, and at times something more.
fn named(random: &mut Random, nodes: &Nodes) -> Value {
    let mut fields = vec![field(random, nodes)];
    let mut term = json!({});
    match random.below(10) {
        0 => fields[0]["operator"] = json!("NotIn"),
        1 => fields.push(field(random, nodes)),
        2 => term["matchExpressions"] = json!([expression(random, nodes)]),
        _ => {}
    }
    term["matchFields"] = json!(fields);
    term
}

fn tolerations() -> [Value; 6] {
    [
        json!({ "key": "dedicated", "operator": "Exists" }),
        json!({ "key": "dedicated", "value": "storage", "effect": "NoSchedule" }),
        json!({ "key": "dedicated", "value": "another" }),
        json!({ "key": "node.kubernetes.io/unschedulable", "operator": "Exists" }),
        json!({ "key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule" }),
        json!({ "operator": "Exists" }),
    ]
}

fn required(terms: &[Value]) -> Value {
    json!({ "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": { "nodeSelectorTerms": terms },
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
