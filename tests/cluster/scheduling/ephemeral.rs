//! Generic ephemeral volumes, whose claims another controller makes and the pod owns.

use serde_json::{Value, json};

use super::affinity::affinity;
use super::claims::{EXTERNAL, NO_PROVISIONER, any_claim, claim, delayed_class};
use super::nodes::Nodes;
use super::volumes::{free_volume, volume};
use super::world::{BIND_COMPLETED, OWNER, World};
use crate::random::Random;

#[derive(Clone, Copy)]
enum State {
    /// Its controller has not come to it yet.
    Missing,
    /// Somebody else has a claim of that name.
    Foreign,
    Waiting,
    Bound,
    /// Bound to a volume that has gone.
    Vanished,
}

/// A volume whose claim is in one state or another.
pub(super) fn ephemeral(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let state = random.weighted(&[
        (30, State::Missing),
        (26, State::Foreign),
        (18, State::Waiting),
        (14, State::Bound),
        (12, State::Vanished),
    ]);
    let class = match state {
        State::Missing => delayed_class(world, EXTERNAL),
        State::Bound | State::Vanished => String::new(),
        State::Foreign | State::Waiting => delayed_class(world, NO_PROVISIONER),
    };
    let name = world.next_ephemeral();
    let mut claim = match state {
        State::Bound | State::Vanished => claim(world, &name, &class),
        _ => any_claim(random, world, &class),
    };
    claim["metadata"]["name"] = json!(name);
    let template = json!({ "volumeClaimTemplate": { "spec": claim["spec"] } });
    world.mount("ephemeral", &template);
    let owned = claim.clone();
    match state {
        State::Missing => {}
        State::Foreign => world.late.push(claim),
        State::Waiting => {
            for _ in 0..random.below(3) {
                let volume = free_volume(random, nodes, world, &claim);
                world.settled.push(volume);
            }
            own(world, owned);
        }
        State::Bound => {
            let volume = bound_volume(random, nodes, world, &name);
            own(world, bound(owned, &volume));
        }
        State::Vanished => {
            let volume = world.fresh("v");
            own(world, bound(owned, &volume));
        }
    }
}

/// Owned by the pod of the world, once that exists.
fn own(world: &mut World, mut claim: Value) {
    claim["metadata"]["labels"][OWNER] = json!(world.name);
    world.late.push(claim);
}

/// As the controller leaves a claim that it has bound.
fn bound(mut claim: Value, volume: &str) -> Value {
    claim["spec"]["volumeName"] = json!(volume);
    claim["metadata"]["annotations"] = json!({ BIND_COMPLETED: "yes" });
    claim["status"] = json!({ "phase": "Bound" });
    claim
}

fn bound_volume(random: &mut Random, nodes: &Nodes, world: &mut World, claim: &str) -> String {
    let name = world.fresh("v");
    let mut volume = volume(world, &name, "");
    volume["spec"]["local"] = json!({ "path": "/nowhere" });
    volume["spec"]["nodeAffinity"] = affinity(random, nodes);
    volume["spec"]["claimRef"] = world.reference(claim);
    world.settled.push(volume);
    name
}
