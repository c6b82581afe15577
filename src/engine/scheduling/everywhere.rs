//! What is the same on every node, said once: a person wants to know that a disk is pinned, not that each of forty nodes
//! is not the right one.

use super::Placement;
use crate::conventions::object_command::command;
use crate::conventions::selector::Operator;
use crate::conventions::topology::NodeSelector;
use crate::model::{ClusterState, Volume};
use crate::report::{Code, NodeReason, VolumeReason, join_and, join_or, plural};

/// What is the same on every node.
pub(crate) struct Everywhere {
    /// As a clause.
    pub(crate) because: String,
    /// What to do about it, where that can be said.
    pub(crate) advice: Option<String>,
}

/// One clause for all nodes, if the first thing volumes say against each of them is of one kind and about one claim.
pub(crate) fn say_once(state: &ClusterState, placements: &[Placement<'_>]) -> Option<Everywhere> {
    let mut firsts = Vec::new();
    for placement in placements {
        let reasons = placement.sum_up().reasons;
        let first = reasons.into_iter().find(NodeReason::is_about_volumes)?;
        firsts.push((placement.node.name.as_str(), first));
    }
    let (_, first) = firsts.first()?;
    let alike = |reason: &NodeReason| {
        reason.refuser() == first.refuser()
            && kind(reason) == kind(first)
            && reason.claim() == first.claim()
    };
    if !firsts.iter().all(|(_, reason)| alike(reason)) {
        return apart(&firsts);
    }
    Some(Everywhere {
        because: because(state, &firsts)?,
        advice: advice(state, &firsts),
    })
}

/// Volumes that are bound already, and to different places: no node has them all.
fn apart(firsts: &[(&str, NodeReason)]) -> Option<Everywhere> {
    let mut pinned: Vec<String> = Vec::new();
    for (_, reason) in firsts {
        let NodeReason::BoundVolumeElsewhere {
            volume, requires, ..
        } = reason
        else {
            return None;
        };
        let each = format!("{volume} is where {requires}");
        if !pinned.contains(&each) {
            pinned.push(each);
        }
    }
    pinned.sort_unstable();
    Some(Everywhere {
        because: format!("its volumes are apart, and no node reaches them all: {}", join_and(&pinned)),
        advice: Some("what is bound stays where it is; with volumeBindingMode: WaitForFirstConsumer all volumes of a pod are made where it can run".to_owned()),
    })
}

fn because(state: &ClusterState, firsts: &[(&str, NodeReason)]) -> Option<String> {
    let (_, first) = firsts.first()?;
    Some(match first {
        NodeReason::BoundVolumeElsewhere {
            claim,
            volume,
            requires,
            ..
        } => format!(
            "volume {volume} of claim {claim} can be used only where {requires}, and no node is{}",
            nearly(state, volume)
                .map(|near| near.said)
                .unwrap_or_default()
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
            no_room(state, firsts)?
        }
        NodeReason::NoVolumeOnNode { claim, class, .. } => {
            let makes = match class.as_str() {
                "" => "without a class none is made".to_owned(),
                class => format!("class {class} makes none"),
            };
            let near = nearest(firsts)
                .map(|(node, volume, reason)| {
                    format!("; nearest is {volume} on {node}: {}", reason.clause())
                })
                .unwrap_or_default();
            format!("no node has a volume that fits claim {claim}, and {makes}{near}")
        }
        _ => return None,
    })
}

/// What somebody can do about it, where a clause says it.
fn advice(state: &ClusterState, firsts: &[(&str, NodeReason)]) -> Option<String> {
    let (_, first) = firsts.first()?;
    Some(match first {
        NodeReason::BoundVolumeElsewhere { volume, .. } => match nearly(state, volume) {
            Some(Near { mend: Some(mend), .. }) => mend,
            _ => "its data is out of reach until a node with that label is back: labels are compared, not names of nodes, and a volume's nodeAffinity cannot be changed".to_owned(),
        },
        NodeReason::VolumeZoneMismatch { label, wants, .. } => {
            format!("a node in {wants} is needed (or its data moved to a new volume): {label} says where the disk is")
        }
        NodeReason::TopologyNotAllowed { class, .. } => {
            format!("a node there is needed, or wider allowedTopologies of class {class}")
        }
        NodeReason::NoVolumeOnNode { class, .. } => match nearest(firsts) {
            Some((_, _, reason)) => reason.hint()?,
            None if class.is_empty() => "make a volume by hand that one of these nodes can use".to_owned(),
            None => format!("make a volume of class {class} by hand that one of these nodes can use"),
        },
        NodeReason::CapacityNotPublished { class, .. } => {
            let driver = &state.find_class(class)?.provisioner;
            format!(
                "see why {driver} publishes none (its external-provisioner needs --enable-capacity); with storageCapacity: false in its CSIDriver the scheduler would not ask"
            )
        }
        NodeReason::CapacityInsufficient { limit, .. } => {
            format!("ask for {limit} or less, or make room")
        }
        _ => return None,
    })
}

/// The volume on one of the nodes that lacks one thing only, preferring what can be changed.
fn nearest<'a>(firsts: &'a [(&str, NodeReason)]) -> Option<(&'a str, &'a str, &'a VolumeReason)> {
    let mut near = firsts.iter().flat_map(|(node, reason)| match reason {
        NodeReason::NoVolumeOnNode { near, .. } => near
            .iter()
            .map(|(volume, reasons)| (*node, volume.as_str(), reasons.as_slice()))
            .collect(),
        _ => vec![],
    });
    near.find_map(|(node, volume, reasons)| match reasons {
        [only] => Some((node, volume, only)),
        _ => None,
    })
}

/// What counts as the same.
fn kind(reason: &NodeReason) -> Code {
    match reason {
        NodeReason::CapacityNotPublished { .. } => Code::CapacityInsufficient,
        other => other.code(),
    }
}

fn no_room(state: &ClusterState, firsts: &[(&str, NodeReason)]) -> Option<String> {
    let published: Vec<&NodeReason> = firsts
        .iter()
        .map(|(_, reason)| reason)
        .filter(|reason| matches!(reason, NodeReason::CapacityInsufficient { .. }))
        .collect();
    let silent = firsts.len() - published.len();
    let (_, first) = firsts.first()?;
    let claim = first.claim()?;
    let class = firsts.iter().find_map(|(_, reason)| match reason {
        NodeReason::CapacityInsufficient { class, .. }
        | NodeReason::CapacityNotPublished { class, .. } => Some(class.as_str()),
        _ => None,
    })?;
    let Some(best) = published.first() else {
        let driver = &state.find_class(class)?.provisioner;
        return Some(format!(
            "driver {driver} publishes no CSIStorageCapacity of class {class} for claim {claim}, though it says that it \
             does (storageCapacity: true), and that counts as full"
        ));
    };
    let silent = if silent > 0 {
        format!(
            "; for {} none is published, which counts as full",
            plural(silent, "node")
        )
    } else {
        String::new()
    };
    Some(format!(
        "the driver of class {class} publishes too little free space for claim {claim}: {}{silent}",
        best.message()
    ))
}

/// What comes near to what a volume asks of nodes.
struct Near {
    said: String,
    mend: Option<String>,
}

/// A node that has the value a volume asks for under another key: the usual slip with zones.
fn nearly(state: &ClusterState, volume: &str) -> Option<Near> {
    let volume = state.find_volume(volume)?;
    let wanted = wanted(volume.node_affinity.as_ref()?);
    for node in &state.objects().nodes {
        for (key, value) in &node.labels {
            let asked = |(of, wanted): &&(&str, &str)| *of != key.as_str() && wanted == value;
            if let Some((of, _)) = wanted.iter().find(asked) {
                let said = format!(
                    " (node {} has {key}={value}: the value is there, the key differs)",
                    node.name
                );
                let mend = Some(how_to_label(volume, &node.name, of, value));
                return Some(Near { said, mend });
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
    (!keys.is_empty() && !keys.iter().any(has_key)).then(|| Near {
        said: format!(" (no node has a label {} at all)", join_or(&keys)),
        mend: None,
    })
}

/// Labels of CSI drivers are written when their node plugin registers; others can be given by hand.
fn how_to_label(volume: &Volume, node: &str, key: &str, value: &str) -> String {
    if let Some(driver) = &volume.source.driver {
        return format!(
            "nodes get the label {key} when the node plugin of {driver} registers: see that it runs on {node}"
        );
    }
    let label = format!("{key}={value}");
    let words = ["kubectl", "label", "node", node, &label];
    format!(
        "if {node} is the right node, give it that label ({})",
        command(&words)
    )
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
