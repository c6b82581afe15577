//! Many worlds that share one set of nodes. `stages.rs` puts a batch into the control plane,
//! `clear.rs` takes it out again.

use serde_json::Value;

use super::generate::worlds;
use super::nodes::Nodes;
use super::world::{Limit, World};
use crate::cluster::agreement::random::Random;

/// What is in the control plane at one time.
pub(super) struct Batch {
    pub(super) namespace: String,
    pub(super) nodes: Nodes,
    pub(super) worlds: Vec<World>,
}

impl Batch {
    /// The batch of this number, with at least so many pods under test.
    pub(super) fn generate(seed: u64, number: usize, pods: usize) -> Self {
        let stream = u64::try_from(number).expect("a small number");
        let mut random = Random::new(seed.wrapping_add(stream.wrapping_mul(0x5851_f42d_4c95_7f2d)));
        let prefix = format!("s{number}");
        let nodes = Nodes::generate(&mut random, &prefix);
        let namespace = format!("scheduling-{number}");
        let worlds = worlds(&mut random, &nodes, &namespace, &prefix, pods);
        Self {
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
