//! What tells that a provisioner is there: CSIDrivers and CSINodes; and the attributes classes of drivers.

/// A CSIDriver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsiDriver {
    /// The driver's name.
    pub name: String,
}

/// A CSINode: the drivers that registered themselves on a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsiNode {
    /// The node.
    pub name: String,
    /// The drivers.
    pub drivers: Vec<String>,
}

/// A VolumeAttributesClass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributesClass {
    /// The name.
    pub name: String,
    /// The driver it belongs to.
    pub driver: String,
}
