//! Claims for which the scheduler does not even look at nodes: missing, lost, on their way out,
//! or left to the controller.

use serde_json::{Value, json};

use super::claims::{EXTERNAL, NO_PROVISIONER, any_claim, claim, delayed_class, name_of};
use super::nodes::Nodes;
use super::volumes::{bound_pair, settle_pair, volume};
use super::world::{BIND_COMPLETED, World};
use crate::cluster::agreement::case::{TERMINATES, set_fate};
use crate::random::Random;

/// Nobody has made the claim.
pub(super) fn missing(_: &mut Random, _: &Nodes, world: &mut World) {
    let name = world.fresh("c");
    world.mount_claim(&name);
}

/// The claim was bound and has lost its volume, as the controller has found out.
pub(super) fn lost(_: &mut Random, _: &Nodes, world: &mut World) {
    let name = world.fresh("c");
    let volume = world.fresh("v");
    let mut claim = claim(world, &name, "");
    claim["spec"]["volumeName"] = json!(volume);
    claim["metadata"]["annotations"] = json!({ BIND_COMPLETED: "yes" });
    claim["status"] = json!({ "phase": "Lost" });
    world.mount_claim(&name);
    world.late.push(claim);
}

/// The claim is being deleted, bound or not.
pub(super) fn terminating(random: &mut Random, _: &Nodes, world: &mut World) {
    if random.chance(50) {
        let (mut claim, mut volume) = bound_pair(world);
        volume["spec"]["hostPath"] = json!({ "path": "/nowhere" });
        set_fate(&mut claim, TERMINATES);
        let name = settle_pair(world, (claim, volume));
        world.mount_claim(&name);
    } else {
        let class = delayed_class(world, EXTERNAL);
        let mut claim = any_claim(random, world, &class);
        set_fate(&mut claim, TERMINATES);
        world.mount_claim(name_of(&claim));
        world.late.push(claim);
    }
}

#[derive(Clone, Copy)]
enum Left {
    Immediate,
    NoClass,
    /// None was asked for; there may be a default later.
    Unclassed,
    ClassMissing,
    NamesVolume,
    NamesMissingVolume,
}

/// The controller has to bind the claim first, and has not.
pub(super) fn left_to_the_controller(random: &mut Random, _: &Nodes, world: &mut World) {
    let how = random.pick(&[
        Left::Immediate,
        Left::NoClass,
        Left::Unclassed,
        Left::ClassMissing,
        Left::NamesVolume,
        Left::NamesMissingVolume,
    ]);
    let class = match how {
        Left::NoClass | Left::Unclassed => String::new(),
        Left::ClassMissing => world.fresh("k"),
        Left::Immediate => {
            let class = delayed_class(world, EXTERNAL);
            let object = world.settled.last_mut().expect("the class");
            object["volumeBindingMode"] = json!("Immediate");
            class
        }
        Left::NamesVolume | Left::NamesMissingVolume => delayed_class(world, NO_PROVISIONER),
    };
    let mut claim: Value = any_claim(random, world, &class);
    if matches!(how, Left::Unclassed) {
        claim["metadata"]["annotations"] = json!({});
        claim["spec"]["storageClassName"] = Value::Null;
    }
    if matches!(how, Left::NamesVolume | Left::NamesMissingVolume) {
        let name = world.fresh("v");
        claim["spec"]["volumeName"] = json!(name);
        if matches!(how, Left::NamesVolume) {
            let mut volume = volume(world, &name, &class);
            volume["spec"]["hostPath"] = json!({ "path": "/nowhere" });
            world.settled.push(volume);
        }
    }
    world.mount_claim(name_of(&claim));
    world.late.push(claim);
}
