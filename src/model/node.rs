//! Nodes, and what keeps pods off them.

use crate::conventions::selector::Labels;

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// The name.
    pub name: String,
    /// Labels: what affinity and topologies look at.
    pub labels: Labels,
    /// `status.nodeInfo.machineID`; empty where the kubelet did not report it.
    pub machine_id: String,
    /// `spec.unschedulable`: cordoned.
    pub is_cordoned: bool,
    /// `spec.taints`.
    pub taints: Vec<Taint>,
}

/// A taint: keeps away pods that do not tolerate it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taint {
    /// The key.
    pub key: String,
    /// The value; often empty.
    pub value: String,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: String,
}
