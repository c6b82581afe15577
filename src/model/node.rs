//! Nodes.

use crate::conventions::selector::Labels;

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The name.
    pub name: String,
    /// Labels: what affinity and topologies look at.
    pub labels: Labels,
}
