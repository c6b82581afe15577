//! Many worlds that share one set of nodes. `stages.rs` puts a batch into the control plane,
//! `clear.rs` takes it out again.

use serde_json::{Value, json};

use super::generate::worlds;
use super::nodes::Nodes;
use super::world::{Limit, World, pod};
use crate::cluster::agreement::case::CASE;
use crate::random::Random;

/// What is in the control plane at one time.
pub(super) struct Batch {
    pub(super) namespace: String,
    pub(super) nodes: Nodes,
    pub(super) worlds: Vec<World>,
    /// A default class that comes after the claims.
    pub(super) has_default: bool,
    /// Pods that matter less than all others and have no volumes: to drive them out helps nobody,
    /// but the scheduler tries.
    pub(super) bystanders: Vec<Value>,
}

impl Batch {
    /// The batch of this number, with at least so many pods under test.
    pub(super) fn generate(seed: u64, number: usize, pods: usize) -> Self {
        let stream = u64::try_from(number).expect("a small number");
        let mut random = Random::new(seed.wrapping_add(stream.wrapping_mul(0x5851_f42d_4c95_7f2d)));
        let prefix = format!("s{number}");
        let nodes = Nodes::generate(&mut random, &prefix, number);
        let namespace = format!("scheduling-{number}");
        let worlds = worlds(&mut random, &nodes, &namespace, &prefix, pods);
        let crowded = nodes.0.iter().filter(|_| random.chance(30));
        let bystanders = crowded.map(|node| bystander(&namespace, &node.name));
        Self {
            bystanders: bystanders.collect(),
            has_default: random.chance(50),
            namespace,
            nodes,
            worlds,
        }
    }

    pub(super) fn limits(&self) -> Vec<&Limit> {
        let worlds = self.worlds.iter();
        worlds.flat_map(|world| &world.limits).collect()
    }

    /// One sort of objects of all worlds.
    pub(super) fn gather(&self, part: impl Fn(&World) -> &Vec<Value>) -> Vec<Value> {
        let objects = self.worlds.iter().flat_map(|world| part(world).clone());
        objects.collect()
    }
}

fn bystander(namespace: &str, node: &str) -> Value {
    let name = format!("{node}-bystander");
    let metadata = json!({ "namespace": namespace, "name": name, "labels": { CASE: "all" } });
    let mut pod = pod(&metadata, &json!([]));
    pod["spec"]["nodeName"] = json!(node);
    pod["spec"]["priorityClassName"] = json!(format!("{namespace}-low"));
    pod["status"] = json!({ "phase": "Running" });
    pod
}
