//! What is the same on every node, said once: a person wants to know that a disk is pinned, not that each of forty nodes
//! is not the right one.

use super::Placement;
use crate::conventions::selector::Operator;
use crate::conventions::topology::NodeSelector;
use crate::model::ClusterState;
use crate::report::{NodeReason, join_or, plural};

/// One clause for all nodes, if the first thing volumes say against each of them is of one kind and about one claim.
pub(crate) fn say_once(state: &ClusterState, placements: &[Placement<'_>]) -> Option<String> {
    let mut firsts = Vec::new();
    for placement in placements {
        let reasons = placement.assessment().reasons;
        firsts.push(reasons.into_iter().find(NodeReason::is_about_volumes)?);
    }
    let first = firsts.first()?;
    let alike = |reason: &NodeReason| {
        reason.refuser() == first.refuser()
            && kind(reason) == kind(first)
            && reason.claim() == first.claim()
    };
    if !firsts.iter().all(alike) {
        return None;
    }
    Some(match first {
        NodeReason::BoundVolumeElsewhere {
            claim,
            volume,
            requires,
            ..
        } => format!(
            "volume {volume} of claim {claim} can be used only where {requires}, and no node is{}",
            nearly(state, volume).unwrap_or_default()
        ),
        NodeReason::BoundVolumeMissing { claim, volume } => {
            format!("volume {volume} of claim {claim} does not exist")
        }
        NodeReason::ReadWriteOncePodInUse { claim, pod } => {
            format!("claim {claim} is ReadWriteOncePod, and pod {pod} uses it")
        }
        NodeReason::SelectedNodeElsewhere { claim, node } if state.find_node(node).is_none() => {
            format!("claim {claim} was promised to node {node}, which does not exist")
        }
        NodeReason::TopologyNotAllowed {
            claim,
            class,
            allowed,
        } => format!(
            "a volume for claim {claim} is made only where {allowed} (class {class}), and no node is there"
        ),
        NodeReason::VolumeZoneMismatch {
            claim,
            volume,
            label,
            wants,
            ..
        } => format!("volume {volume} of claim {claim} is in {label}={wants}, and no node is"),
        NodeReason::CapacityInsufficient { .. } | NodeReason::CapacityNotPublished { .. } => {
            no_room(&firsts)?
        }
        _ => return None,
    })
}

/// What counts as the same.
fn kind(reason: &NodeReason) -> &str {
    match reason {
        NodeReason::CapacityNotPublished { .. } => "CapacityInsufficient",
        other => other.code(),
    }
}

fn no_room(firsts: &[NodeReason]) -> Option<String> {
    let published: Vec<&NodeReason> = firsts
        .iter()
        .filter(|reason| matches!(reason, NodeReason::CapacityInsufficient { .. }))
        .collect();
    let silent = firsts.len() - published.len();
    let claim = firsts.first()?.claim()?;
    let class = firsts.iter().find_map(|reason| match reason {
        NodeReason::CapacityInsufficient { class, .. }
        | NodeReason::CapacityNotPublished { class, .. } => Some(class.as_str()),
        _ => None,
    })?;
    let counted = format!(
        "{} none is published, which counts as full",
        if published.is_empty() {
            "for all nodes".to_owned()
        } else {
            format!("for {}", plural(silent, "node"))
        }
    );
    let best = published.first().map(|reason| reason.message());
    let parts: Vec<String> = best
        .into_iter()
        .chain((silent > 0).then_some(counted))
        .collect();
    Some(format!(
        "the driver of class {class} publishes too little free space for claim {claim}: {}",
        parts.join("; ")
    ))
}

/// A node that has the value a volume asks for under another key: the usual slip with zones.
fn nearly(state: &ClusterState, volume: &str) -> Option<String> {
    let affinity = state.find_volume(volume)?.node_affinity.as_ref()?;
    let wanted = wanted(affinity);
    for node in &state.objects().nodes {
        for (key, value) in &node.labels {
            if wanted
                .iter()
                .any(|(of, wanted)| *of != key.as_str() && *wanted == value.as_str())
            {
                return Some(format!(
                    " (node {} has {key}={value}: the value is there, the key differs)",
                    node.name
                ));
            }
        }
    }
    let keys: Vec<String> = wanted.iter().map(|(key, _)| (*key).to_owned()).collect();
    let has_key = |key: &String| {
        state
            .objects()
            .nodes
            .iter()
            .any(|node| node.labels.contains_key(key))
    };
    (!keys.is_empty() && !keys.iter().any(has_key))
        .then(|| format!(" (no node has a label {} at all)", join_or(&keys)))
}

fn wanted(affinity: &NodeSelector) -> Vec<(&str, &str)> {
    let requirements = affinity
        .terms
        .iter()
        .flat_map(|term| &term.match_expressions);
    requirements
        .filter(|requirement| requirement.operator == Operator::In)
        .flat_map(|requirement| {
            requirement
                .values
                .iter()
                .map(|value| (requirement.key.as_str(), value.as_str()))
        })
        .collect()
}
