//! Zone and region labels of bound volumes (R120): what was there before node affinity, and still counts.

use super::claims::{PodClaims, Standing};
use crate::model::{ClusterState, Node, Volume};
use crate::report::NodeReason;

/// The labels that count, and the one on nodes that serves for a beta one.
const LABELS: [(&str, &str); 4] = [
    (
        "failure-domain.beta.kubernetes.io/zone",
        "topology.kubernetes.io/zone",
    ),
    (
        "failure-domain.beta.kubernetes.io/region",
        "topology.kubernetes.io/region",
    ),
    ("topology.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    (
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/region",
    ),
];

/// The labels of a volume that count.
pub(super) fn values(volume: &Volume) -> Vec<Option<&String>> {
    let labels = LABELS.iter();
    labels.map(|(label, _)| volume.labels.get(*label)).collect()
}

/// What the zones of bound volumes say against the node. A node without any such label is taken to be everywhere.
///
/// Upstream: volumezone, Filter.
pub(super) fn reasons(
    state: &ClusterState,
    claims: &PodClaims<'_>,
    node: &Node,
) -> Vec<NodeReason> {
    let is_somewhere = LABELS
        .iter()
        .any(|(label, _)| node.labels.contains_key(*label));
    if !is_somewhere {
        return vec![];
    }
    let mut reasons = Vec::new();
    for usage in claims.uses.iter().filter(|usage| !usage.is_ephemeral) {
        let Standing::Bound(name) = &usage.standing else {
            continue;
        };
        let Some(volume) = state.find_volume(name) else {
            continue;
        };
        for (label, fallback) in LABELS {
            let Some((wants, zones)) = volume
                .labels
                .get(label)
                .and_then(|value| Some((value, zones_in(value)?)))
            else {
                continue;
            };
            let has = node.labels.get(label).or_else(|| node.labels.get(fallback));
            if !has.is_some_and(|has| zones.contains(&has.as_str())) {
                reasons.push(NodeReason::VolumeZoneMismatch {
                    claim: usage.claim.key.name.clone(),
                    volume: name.clone(),
                    label: label.to_owned(),
                    wants: wants.clone(),
                    node_has: has.cloned(),
                });
            }
        }
    }
    reasons
}

/// A label may name several zones; one that names an empty one among them is ignored as a whole.
fn zones_in(label: &str) -> Option<Vec<&str>> {
    let zones: Vec<&str> = label.split("__").map(str::trim).collect();
    (!zones.contains(&"")).then_some(zones)
}
