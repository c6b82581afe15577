//! Whether a volume could be made for a claim on a node (R114, R115).

use super::claims::Use;
use crate::conventions::class_name::NO_PROVISIONER;
use crate::conventions::topology::{TopologyTerm, topologies_allow};
use crate::model::{Class, ClusterState, Node, StorageCapacity};
use crate::report::{NodeReason, join_or};

/// What comes of asking for a new volume.
pub(super) enum Making {
    /// It is made.
    Made,
    /// The class makes none.
    Never,
    /// Not for this node.
    Not(NodeReason),
}

/// Upstream: volumebinding/binder.go, checkVolumeProvisions and hasEnoughCapacity.
pub(super) fn try_making(state: &ClusterState, usage: &Use<'_>, node: &Node) -> Making {
    let Some(class) = state.find_class(&usage.class) else {
        return Making::Never;
    };
    if class.provisioner.is_empty() || class.provisioner == NO_PROVISIONER {
        return Making::Never;
    }
    if let Some(reason) = topology_refusal(&usage.claim.key.name, class, node) {
        return Making::Not(reason);
    }
    match lacking_room(state, usage, class, node) {
        Some(reason) => Making::Not(reason),
        None => Making::Made,
    }
}

/// Whether the class makes volumes for other nodes only (Q7).
pub(crate) fn topology_refusal(claim: &str, class: &Class, node: &Node) -> Option<NodeReason> {
    let is_allowed = topologies_allow(&class.allowed_topologies, &node.labels);
    (!is_allowed).then(|| NodeReason::TopologyNotAllowed {
        claim: claim.to_owned(),
        class: class.name.clone(),
        allowed: spelled(&class.allowed_topologies),
    })
}

/// The driver's published room is asked only if the driver wants it so, and under the class's own provisioner name.
fn lacking_room(
    state: &ClusterState,
    usage: &Use<'_>,
    class: &Class,
    node: &Node,
) -> Option<NodeReason> {
    let requested = usage.claim.requested.as_ref()?;
    let asks = |driver: &crate::model::CsiDriver| {
        driver.name == class.provisioner && driver.checks_capacity
    };
    if !state.objects().csi_drivers.iter().any(asks) {
        return None;
    }
    let claim = usage.claim.key.name.clone();
    let reaches = |capacity: &&StorageCapacity| {
        let topology = capacity.node_topology.as_ref();
        capacity.class == class.name
            && topology.is_some_and(|topology| topology.matches(&node.labels))
    };
    let published = state.objects().capacities.iter().filter(reaches);
    let limits: Vec<&StorageCapacity> = published
        .filter(|capacity| capacity.limit().is_some())
        .collect();
    // Sizes are compared as 64-bit values (Q4).
    let value = |capacity: &StorageCapacity| {
        capacity
            .limit()
            .map(crate::conventions::quantity::Quantity::value)
    };
    let best = limits.iter().max_by_key(|capacity| value(capacity));
    let Some(best) = best else {
        return Some(NodeReason::CapacityNotPublished {
            claim,
            class: class.name.clone(),
        });
    };
    (value(best) < Some(requested.value())).then(|| NodeReason::CapacityInsufficient {
        claim,
        class: class.name.clone(),
        requested: requested.to_string(),
        limit: best.limit().map(ToString::to_string).unwrap_or_default(),
        free: best
            .maximum_volume_size
            .as_ref()
            .and(best.capacity.as_ref())
            .map(ToString::to_string),
        is_largest_volume: best.maximum_volume_size.is_some(),
    })
}

fn spelled(terms: &[TopologyTerm]) -> String {
    let term = |term: &TopologyTerm| {
        let all: Vec<String> = term
            .expressions
            .iter()
            .map(|(key, values)| match &values[..] {
                [value] => format!("{key}={value}"),
                _ => format!("{key} in ({})", values.join(", ")),
            })
            .collect();
        if all.is_empty() {
            "nothing matches (an empty term)".to_owned()
        } else {
            all.join(" and ")
        }
    };
    join_or(&terms.iter().map(term).collect::<Vec<_>>())
}
