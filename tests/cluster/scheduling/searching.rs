//! Claims that wait for the scheduler to find them volumes, or to have some made: the search on
//! each node, the volumes reserved beforehand, the node somebody has selected already, and pods
//! that want the same.

use serde_json::{Value, json};

use super::affinity::{affinity, allowed_topologies};
use super::claims::{
    EXTERNAL, HOST_PATH, NO_PROVISIONER, SIZES, any_claim, claim, delayed_class, name_of,
};
use super::nodes::Nodes;
use super::volumes::{free_volume, volume};
use super::world::{SELECTED_NODE, World};
use crate::random::Random;

/// One to three claims of a class, and volumes for them.
pub(super) fn searches(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let provisioner = random.weighted(&[(76, NO_PROVISIONER), (12, HOST_PATH), (12, EXTERNAL)]);
    let class = delayed_class(world, provisioner);
    let number = random.weighted(&[(45, 1), (35, 2), (20, 3)]);
    for _ in 0..number {
        let claim = wanted(random, world, &class, provisioner);
        let number = random.weighted(&[(8, 0), (30, 1), (34, 2), (28, 3)]);
        for _ in 0..number {
            let volume = free_volume(random, nodes, world, &claim);
            world.settled.push(volume);
        }
        use_claim(random, world, claim);
    }
}

/// The controller's own provisioner fails for block devices, over and over, and knows nothing of
/// attributes classes, so that what it makes is never bound.
fn wanted(random: &mut Random, world: &mut World, class: &str, provisioner: &str) -> Value {
    let mut claim = any_claim(random, world, class);
    if provisioner == HOST_PATH {
        let spec = claim["spec"].as_object_mut().expect("a spec");
        spec.remove("volumeMode");
        spec.remove("volumeAttributesClassName");
    }
    claim
}

/// Once, and sometimes twice in the same pod.
fn use_claim(random: &mut Random, world: &mut World, claim: Value) {
    let name = name_of(&claim).to_owned();
    world.mount_claim(&name);
    if random.chance(5) {
        world.mount_claim(&name);
    }
    world.late.push(claim);
}

/// Several volumes of one size on the same nodes: whichever is met first is taken.
pub(super) fn ties(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let class = delayed_class(world, NO_PROVISIONER);
    let pinned = random.chance(50).then(|| affinity(random, nodes));
    let number = 1 + random.below(2);
    for _ in 0..number {
        let name = world.fresh("c");
        let claim = claim(world, &name, &class);
        use_claim(random, world, claim);
    }
    for _ in 0..number + 1 + random.below(2) {
        let name = world.fresh("v");
        let mut volume = volume(world, &name, &class);
        volume["spec"]["hostPath"] = json!({ "path": format!("/nowhere/{name}") });
        if let Some(affinity) = &pinned {
            volume["spec"]["nodeAffinity"] = affinity.clone();
        }
        world.settled.push(volume);
    }
}

/// Equal volumes of which only one serves both claims: whether the second claim gets anything is a
/// matter of what the first one took.
pub(super) fn chance(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let class = delayed_class(world, NO_PROVISIONER);
    let wishes: [&[&str]; 2] = [&["ReadWriteOnce"], &["ReadWriteMany"]];
    for modes in wishes {
        let name = world.fresh("c");
        let mut claim = claim(world, &name, &class);
        claim["spec"]["accessModes"] = json!(modes);
        use_claim(random, world, claim);
    }
    let offers: [&[&str]; 2] = [&["ReadWriteOnce"], &["ReadWriteOnce", "ReadWriteMany"]];
    for modes in offers {
        let name = world.fresh("v");
        let mut volume = volume(world, &name, &class);
        volume["spec"]["accessModes"] = json!(modes);
        volume["spec"]["hostPath"] = json!({ "path": "/nowhere" });
        if random.chance(30) {
            volume["spec"]["nodeAffinity"] = affinity(random, nodes);
        }
        world.settled.push(volume);
    }
}

/// Nothing is there yet, and the class says where it may be made.
pub(super) fn provisions(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let provisioner = random.weighted(&[
        (55, HOST_PATH),
        (30, EXTERNAL),
        (7, "kubernetes.io/aws-ebs"),
        (8, "kubernetes.io/cinder"),
    ]);
    let class = delayed_class(world, provisioner);
    let object = world.settled.last_mut().expect("the class");
    object["allowedTopologies"] = allowed_topologies(random, nodes);
    for _ in 0..random.weighted(&[(70, 1), (30, 2)]) {
        let claim = wanted(random, world, &class, provisioner);
        if random.chance(20) {
            let volume = free_volume(random, nodes, world, &claim);
            world.settled.push(volume);
        }
        use_claim(random, world, claim);
    }
}

/// Volumes that name the claim before it is bound.
pub(super) fn reserved(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let provisioner = random.weighted(&[(80, NO_PROVISIONER), (20, EXTERNAL)]);
    let class = delayed_class(world, provisioner);
    let claim = any_claim(random, world, &class);
    for _ in 0..random.weighted(&[(80, 1), (20, 2)]) {
        let mut volume = free_volume(random, nodes, world, &claim);
        volume["spec"]["claimRef"] = world.reference(name_of(&claim));
        match random.below(8) {
            0 => volume["spec"]["accessModes"] = json!(["ReadOnlyMany"]),
            1 => {
                let other = world.fresh("k");
                volume["spec"]["storageClassName"] = json!(other);
            }
            _ => {}
        }
        world.settled.push(volume);
    }
    if random.chance(50) {
        let volume = free_volume(random, nodes, world, &claim);
        world.settled.push(volume);
    }
    use_claim(random, world, claim);
}

/// A node was selected for the claim before, be it this one, another one or one that is gone.
pub(super) fn selected(random: &mut Random, nodes: &Nodes, world: &mut World) {
    let provisioner = random.weighted(&[(15, HOST_PATH), (60, EXTERNAL), (25, NO_PROVISIONER)]);
    let class = delayed_class(world, provisioner);
    let object = world.settled.last_mut().expect("the class");
    if random.chance(30) {
        object["allowedTopologies"] = allowed_topologies(random, nodes);
    }
    let mut claim = wanted(random, world, &class, provisioner);
    // The controller's own provisioner does not wait for the scheduler, if the node is there.
    let node = if provisioner == HOST_PATH || random.chance(15) {
        "gone".to_owned()
    } else {
        nodes.any(random).name.clone()
    };
    claim["metadata"]["annotations"][SELECTED_NODE] = json!(node);
    if random.chance(50) {
        let volume = free_volume(random, nodes, world, &claim);
        world.settled.push(volume);
    }
    use_claim(random, world, claim);
    if random.chance(40) {
        let claim = wanted(random, world, &class, provisioner);
        use_claim(random, world, claim);
    }
}

/// Two or three pods, and fewer volumes than they want.
pub(super) fn competition(random: &mut Random, nodes: &Nodes, world: &mut World) {
    world.competes = true;
    let class = delayed_class(world, NO_PROVISIONER);
    let pods = 2 + random.below(2);
    let mut claims = Vec::new();
    for index in 0..pods {
        for _ in 0..random.weighted(&[(75, 1), (25, 2)]) {
            let name = world.fresh("c");
            let mut claim = claim(world, &name, &class);
            claim["spec"]["resources"]["requests"]["storage"] = json!(random.pick(SIZES));
            world.mount_claim(&name);
            claims.push(claim);
        }
        if index > 0 && random.chance(15) {
            // One that another pod uses as well.
            world.mount_claim(name_of(&claims[0]));
        }
        let name = format!("{}-p{index}", world.name);
        world.add_pod(&name);
    }
    // One volume that serves any of them; what others there are is by chance.
    let name = world.fresh("v");
    let mut volume = volume(world, &name, &class);
    volume["spec"]["capacity"]["storage"] = json!("3Gi");
    volume["spec"]["hostPath"] = json!({ "path": "/nowhere" });
    world.settled.push(volume);
    for _ in 0..random.weighted(&[(60, 0), (25, 1), (15, 2)]) {
        let claim = &claims[random.below(claims.len())];
        let volume = free_volume(random, nodes, world, claim);
        world.settled.push(volume);
    }
    world.late.extend(claims);
}
