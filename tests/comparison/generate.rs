//! Generated clusters: the claims, volumes and classes of `plan_exact`, the nodes and pods of the scheduling tests, and
//! around them (`around.rs`, `workloads.rs`) everything else that the program reads. No build under comparison takes part,
//! so one seed gives the same clusters to both.

use serde_json::{Value, json};

use super::around::add_surroundings;
use super::objects::{is_kind, name_of};
use super::workloads::add_workloads;
use crate::cluster::scheduling::objects_in_files;
use crate::plan_exact::draw::{Manner, Place, World};
use crate::plan_exact::yaml;
use crate::random::Random;

/// The kinds that a partial input leaves out.
const KINDS: &[&str] = &[
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Node",
    "Pod",
    "CSIDriver",
    "CSINode",
    "ConfigMap",
    "ResourceQuota",
    "StatefulSet",
    "Event",
];

/// One generated cluster and the change for its what-if.
pub(super) struct Generated {
    pub(super) objects: Vec<Value>,
    pub(super) text: String,
    /// For `--with`.
    pub(super) with: String,
}

/// The stream of numbers for the cluster with this number.
pub(super) fn stream(seed: u64, number: usize) -> Random {
    let place = u64::try_from(number).expect("a small number");
    Random::new(seed.wrapping_add(place.wrapping_mul(0x5851_f42d_4c95_7f2d)))
}

pub(super) fn generate(seed: u64, number: usize) -> Generated {
    let random = &mut stream(seed, number);
    let mut objects = match random.below(10) {
        0..4 => competing(random),
        4..8 => objects_in_files(seed, number, random.pick(&[1, 1, 2, 3])),
        _ => {
            let mut objects = objects_in_files(seed, number, 1);
            objects.extend(competing(random));
            objects
        }
    };
    add_workloads(random, &mut objects);
    add_surroundings(random, &mut objects);
    let with = yaml(&change(random, &objects));
    if random.chance(35) {
        leave_out(random, &mut objects);
    }
    if random.chance(5) {
        damage(random, &mut objects);
    }
    let text = if random.chance(25) {
        json!({ "apiVersion": "v1", "kind": "List", "items": objects }).to_string()
    } else {
        yaml(&objects)
    };
    Generated {
        objects,
        text,
        with,
    }
}

/// Claims that compete for few volumes.
fn competing(random: &mut Random) -> Vec<Value> {
    let manner = Manner {
        name: String::new(),
        namespaces: ["x".to_owned(), "y".to_owned()],
        place: Place::File,
        claims: (1, 6),
        volumes: (0, 8),
    };
    World::draw(random, &manner).objects()
}

/// What `--with` applies: a volume for one of the claims, a class, or a changed object.
fn change(random: &mut Random, objects: &[Value]) -> Vec<Value> {
    let claims: Vec<&Value> = objects
        .iter()
        .filter(|object| is_kind(object, "PersistentVolumeClaim"))
        .collect();
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": "what-if" },
        "spec": {
            "capacity": { "storage": random.pick(&["1Gi", "2Gi", "5Gi"]) },
            "accessModes": ["ReadWriteOnce"],
            "hostPath": { "path": "/srv/what-if" },
        },
    });
    if let Some(claim) = claims.get(random.below(claims.len().max(1))) {
        for field in ["storageClassName", "accessModes", "volumeMode"] {
            if !claim["spec"][field].is_null() {
                volume["spec"][field] = claim["spec"][field].clone();
            }
        }
    }
    match random.below(4) {
        0 => {
            let class = json!({
                "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
                "metadata": { "name": random.pick(&["fast", "slow", "what-if"]) },
                "provisioner": "csi.live.example.com",
            });
            vec![volume, class]
        }
        1 if !objects.is_empty() => {
            let mut changed = objects[random.below(objects.len())].clone();
            changed["metadata"]["labels"]["tier"] = json!("gold");
            vec![changed]
        }
        2 if !claims.is_empty() => {
            let mut claim = claims[random.below(claims.len())].clone();
            claim["metadata"]["name"] = json!(format!("{}-copy", name_of(&claim)));
            claim["metadata"]["uid"] = Value::Null;
            claim["status"] = Value::Null;
            vec![claim]
        }
        _ => vec![volume],
    }
}

/// Partial input: up to three kinds are not in the file.
fn leave_out(random: &mut Random, objects: &mut Vec<Value>) {
    for _ in 0..random.weighted(&[(60, 1), (25, 2), (15, 3)]) {
        let kind = random.pick(KINDS);
        objects.retain(|object| !is_kind(object, kind));
    }
}

/// One field of one object gets a value that the API server refuses.
fn damage(random: &mut Random, objects: &mut [Value]) {
    if objects.is_empty() {
        return;
    }
    let index = random.below(objects.len());
    let object = &mut objects[index];
    match random.below(5) {
        0 => object["metadata"]["name"] = json!("Not A Name"),
        1 => object["spec"] = json!("text"),
        2 => object["metadata"]["labels"] = json!({ "a b": "c d" }),
        3 => object["spec"]["accessModes"] = json!(["ReadWriteSometimes"]),
        _ => {
            object["spec"]["capacity"]["storage"] = json!("ten");
            object["spec"]["resources"]["requests"]["storage"] = json!("ten");
        }
    }
}
