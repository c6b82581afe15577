//! The nodes of a batch, which all its worlds share: labels, cordons, taints, CSINodes and the
//! in-tree plugins that have moved to CSI on them.

use serde_json::{Map, Value, json};

use super::world::Limit;
use crate::cluster::agreement::case::CASE;
use crate::random::Random;

pub(super) const HOSTNAME: &str = "kubernetes.io/hostname";
pub(super) const ZONE: &str = "topology.kubernetes.io/zone";
pub(super) const REGION: &str = "topology.kubernetes.io/region";
pub(super) const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
pub(super) const BETA_REGION: &str = "failure-domain.beta.kubernetes.io/region";
pub(super) const DISK: &str = "disk";
/// A label to be compared as a number, though it is not always one.
pub(super) const RANK: &str = "rank";

pub(super) const ZONES: &[&str] = &["eu-west1-a", "eu-west1-b", "eu-west1-c"];
pub(super) const REGIONS: &[&str] = &["eu-west1", "eu-north2"];
pub(super) const DISKS: &[&str] = &["ssd", "hdd"];

/// Each plugin that may have moved, and where its driver keeps the zone.
pub(super) const PLUGINS: &[(&str, &str)] = &[
    ("kubernetes.io/aws-ebs", "topology.ebs.csi.aws.com/zone"),
    ("kubernetes.io/gce-pd", "topology.gke.io/zone"),
    ("kubernetes.io/portworx-volume", "topology.portworx.io/zone"),
    (
        "kubernetes.io/azure-disk",
        "topology.disk.csi.azure.com/zone",
    ),
    (
        "kubernetes.io/cinder",
        "topology.cinder.csi.openstack.org/zone",
    ),
];

/// A driver of which the nodes that say so take no volume at all, so that it does not matter who
/// comes first.
const FULL_DRIVER: &str = "cinder.csi.openstack.org";

/// How many nodes the batches have, one after the other.
const NUMBERS: &[usize] = &[4, 3, 6, 2, 5, 1];

const TAINTS: &[(usize, Option<&str>)] = &[
    (80, None),
    (12, Some("NoSchedule")),
    (4, Some("NoExecute")),
    (4, Some("PreferNoSchedule")),
];

pub(super) struct Node {
    pub(super) name: String,
    pub(super) labels: Map<String, Value>,
    pub(super) has_csi: bool,
    unschedulable: bool,
    taint: Option<&'static str>,
    migrated: Vec<&'static str>,
    is_full: bool,
}

pub(super) struct Nodes(pub(super) Vec<Node>);

impl Nodes {
    /// One to six; the first one takes everybody, and the second one is tainted or cordoned.
    pub(super) fn generate(random: &mut Random, prefix: &str, batch: usize) -> Self {
        let number = NUMBERS[batch % NUMBERS.len()];
        let nodes = (0..number).map(|index| {
            let mut node = node(random, format!("{prefix}-n{index}"));
            match index {
                0 => {}
                1 if batch.is_multiple_of(2) => node.taint = Some("NoSchedule"),
                1 => node.unschedulable = true,
                _ => {
                    node.unschedulable = random.chance(15);
                    node.taint = random.weighted(TAINTS);
                }
            }
            node
        });
        Self(nodes.collect())
    }

    pub(super) fn any(&self, random: &mut Random) -> &Node {
        &self.0[random.below(self.0.len())]
    }

    /// The host names of one node or several.
    pub(super) fn some_hosts(&self, random: &mut Random) -> Vec<String> {
        let number = random.weighted(&[(6, 1), (3, 2), (1, 3)]);
        let hosts = (0..number).map(|_| {
            let node = self.any(random);
            let label = node.labels.get(HOSTNAME).and_then(Value::as_str);
            label.unwrap_or(&node.name).to_owned()
        });
        hosts.collect()
    }

    pub(super) fn objects(&self) -> Vec<Value> {
        self.0.iter().map(Node::object).collect()
    }

    /// The CSINodes, with what the worlds have to say about their drivers.
    pub(super) fn csi_objects(&self, limits: &[&Limit]) -> Vec<Value> {
        let with_csi = self.0.iter().filter(|node| node.has_csi);
        with_csi.map(|node| node.csi_object(limits)).collect()
    }
}

impl Node {
    fn object(&self) -> Value {
        let mut node = json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": { "name": self.name, "labels": self.labels },
            "spec": { "unschedulable": self.unschedulable, "taints": [] },
            "status": {
                "capacity": { "cpu": "64", "memory": "64Gi", "pods": "5000" },
                "allocatable": { "cpu": "64", "memory": "64Gi", "pods": "5000" },
                "conditions": [{ "type": "Ready", "status": "True" }],
            },
        });
        if let Some(effect) = self.taint {
            node["spec"]["taints"] =
                json!([{ "key": "dedicated", "value": "storage", "effect": effect }]);
        }
        node
    }

    fn csi_object(&self, limits: &[&Limit]) -> Value {
        let own = limits.iter().filter(|limit| limit.node == self.name);
        let mut drivers: Vec<Value> = own
            .map(|limit| {
                let mut driver = json!({ "name": limit.driver, "nodeID": self.name });
                if let Some(count) = limit.count {
                    driver["allocatable"] = json!({ "count": count });
                }
                driver
            })
            .collect();
        if self.is_full {
            drivers.push(json!({
                "name": FULL_DRIVER, "nodeID": self.name, "allocatable": { "count": 0 },
            }));
        }
        let annotations =
            json!({ "storage.alpha.kubernetes.io/migrated-plugins": self.migrated.join(",") });
        json!({
            "apiVersion": "storage.k8s.io/v1",
            "kind": "CSINode",
            "metadata": {
                "name": self.name, "labels": { CASE: "all" }, "annotations": annotations,
            },
            "spec": { "drivers": drivers },
        })
    }
}

fn node(random: &mut Random, name: String) -> Node {
    let zone = random.pick(ZONES);
    let mut labels = Map::new();
    labels.insert(CASE.to_owned(), json!("all"));
    let mut label = |key: &str, value: String| {
        labels.insert(key.to_owned(), json!(value));
    };
    match random.below(20) {
        0 => {}
        1 => label(HOSTNAME, format!("host-of-{name}")),
        _ => label(HOSTNAME, name.clone()),
    }
    if random.chance(70) {
        label(ZONE, zone.to_owned());
    }
    if random.chance(25) {
        label(BETA_ZONE, random.pick(&[zone, zone, ZONES[0]]).to_owned());
    }
    for key in [REGION, BETA_REGION] {
        if random.chance(40) {
            label(key, random.pick(REGIONS).to_owned());
        }
    }
    if random.chance(70) {
        label(DISK, random.pick(DISKS).to_owned());
    }
    if random.chance(70) {
        label(RANK, random.pick(&["1", "2", "3", "4", "x"]).to_owned());
    }
    for (_, key) in PLUGINS {
        if random.chance(75) {
            label(key, random.pick(&[zone, zone, zone, ZONES[1]]).to_owned());
        }
    }
    let names = PLUGINS.iter().map(|(name, _)| *name);
    Node {
        labels,
        has_csi: random.chance(85),
        unschedulable: false,
        taint: None,
        migrated: names.filter(|_| random.chance(60)).collect(),
        is_full: random.chance(25),
        name,
    }
}
