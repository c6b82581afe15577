//! Node selector terms by chance, in every form the API takes: those of volumes, of pods and of
//! the topologies a class allows.

use serde_json::{Value, json};

use super::nodes::{BETA_ZONE, DISK, DISKS, HOSTNAME, Nodes, RANK, ZONE, ZONES};
use crate::random::Random;

/// The node affinity of a volume.
pub(super) fn affinity(random: &mut Random, nodes: &Nodes) -> Value {
    let number = random.weighted(&[(70, 1), (22, 2), (8, 3)]);
    let terms: Vec<Value> = (0..number).map(|_| term(random, nodes)).collect();
    json!({ "required": { "nodeSelectorTerms": terms } })
}

/// A term for a volume, empty or with fields at times.
fn term(random: &mut Random, nodes: &Nodes) -> Value {
    let mut term = json!({});
    if random.chance(92) {
        let number = random.weighted(&[(80, 1), (20, 2)]);
        let expressions: Vec<Value> = (0..number).map(|_| expression(random, nodes)).collect();
        term["matchExpressions"] = json!(expressions);
    }
    if random.chance(8) {
        term["matchFields"] = json!([field(random, nodes)]);
    }
    term
}

/// A node by its name, which is a field and no label.
pub(super) fn field(random: &mut Random, nodes: &Nodes) -> Value {
    let name = &nodes.any(random).name;
    json!({ "key": "metadata.name", "operator": "In", "values": [name] })
}

#[derive(Clone, Copy)]
enum By {
    Host,
    NotHost,
    Zone,
    NotZone,
    Disk,
    Presence,
    Absence,
    Rank,
}

/// One requirement on labels; most are about host names, as with local volumes.
pub(super) fn expression(random: &mut Random, nodes: &Nodes) -> Value {
    let by = random.weighted(&[
        (46, By::Host),
        (10, By::NotHost),
        (12, By::Zone),
        (5, By::NotZone),
        (8, By::Disk),
        (6, By::Presence),
        (5, By::Absence),
        (8, By::Rank),
    ]);
    let (key, operator, values) = match by {
        By::Host => (HOSTNAME, "In", nodes.some_hosts(random)),
        By::NotHost => (HOSTNAME, "NotIn", nodes.some_hosts(random)),
        By::Zone => (ZONE, "In", vec![random.pick(ZONES).to_owned()]),
        By::NotZone => (BETA_ZONE, "NotIn", vec![random.pick(ZONES).to_owned()]),
        By::Disk => (DISK, "In", vec![random.pick(DISKS).to_owned()]),
        By::Presence => (random.pick(&[DISK, ZONE, RANK, "gone"]), "Exists", vec![]),
        By::Absence => (
            random.pick(&[DISK, ZONE, RANK, "gone"]),
            "DoesNotExist",
            vec![],
        ),
        By::Rank => (
            RANK,
            random.pick(&["Gt", "Lt"]),
            vec![random.pick(&["0", "2", "3", "5"]).to_owned()],
        ),
    };
    let mut expression = json!({ "key": key, "operator": operator });
    if !values.is_empty() {
        expression["values"] = json!(values);
    }
    expression
}

/// The topologies of a class: none, or one to three terms, all different, as the API wants them.
pub(super) fn allowed_topologies(random: &mut Random, nodes: &Nodes) -> Value {
    let number = random.weighted(&[(30, 0), (45, 1), (15, 2), (10, 3)]);
    let mut terms: Vec<Value> = Vec::new();
    for _ in 0..number {
        let term = json!({ "matchLabelExpressions": topology(random, nodes) });
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
    json!(terms)
}

/// One key or two, each with its values.
fn topology(random: &mut Random, nodes: &Nodes) -> Value {
    let mut hosts = nodes.some_hosts(random);
    hosts.sort();
    hosts.dedup();
    let by_host = json!({ "key": HOSTNAME, "values": hosts });
    let by_zone = json!({ "key": ZONE, "values": [random.pick(ZONES)] });
    let by_disk = json!({ "key": DISK, "values": [random.pick(DISKS)] });
    match random.below(5) {
        0 | 1 => json!([by_host]),
        2 => json!([by_zone]),
        3 => json!([by_disk]),
        _ => json!([by_zone, by_disk]),
    }
}
