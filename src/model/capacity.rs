//! CSIStorageCapacities: how much room a driver says it has, and for which nodes.

use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::LabelSelector;

/// A CSIStorageCapacity.
#[derive(Debug, Clone, PartialEq)]
pub struct StorageCapacity {
    /// Namespace and name; the namespace means nothing.
    pub key: ObjectKey,
    /// The class it counts for.
    pub class: String,
    /// The nodes it counts for; absent means none, empty means all.
    pub node_topology: Option<LabelSelector>,
    /// What is free.
    pub capacity: Option<Quantity>,
    /// The largest volume that can be made; counts instead of what is free.
    pub maximum_volume_size: Option<Quantity>,
}

impl StorageCapacity {
    /// The size a new volume must not exceed, if anything was published at all.
    pub fn limit(&self) -> Option<&Quantity> {
        self.maximum_volume_size.as_ref().or(self.capacity.as_ref())
    }
}
