//! What tells that a provisioner is there: CSIDrivers and CSINodes; and the attributes classes of drivers.

use std::collections::BTreeMap;

/// A CSIDriver.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CsiDriver {
    /// The driver's name.
    pub name: String,
    /// Whether the scheduler asks its published capacity (R115).
    pub checks_capacity: bool,
}

/// A CSINode: the drivers that registered themselves on a node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CsiNode {
    /// The node.
    pub name: String,
    /// The drivers.
    pub drivers: Vec<String>,
    /// How many volumes of a driver the node takes, where the driver says so (R121).
    pub limits: BTreeMap<String, i64>,
    /// The in-tree names whose volumes this node leaves to CSI drivers (R104).
    pub migrated_plugins: Vec<String>,
}

/// A VolumeAttributesClass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributesClass {
    /// The name.
    pub name: String,
    /// The driver it belongs to.
    pub driver: String,
}
