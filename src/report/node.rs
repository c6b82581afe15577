//! One node, as the scheduler sees it for a pod: what its claims would get there, and what stands in the way.

use super::VolumeReason;
use super::code::coded;
use super::sentence::{join_or, plural};
use crate::conventions::foreign::quoted;
use crate::conventions::spoken::spoken;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;

/// One node, judged for one pod.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeAssessment {
    /// The node.
    pub name: String,
    /// Whether the volumes allow it, all else left aside.
    pub feasible: bool,
    /// Whether chance decides: equal volumes of which only some leave enough for the other claims.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub may_fail: bool,
    /// Per claim every volume the scheduler may take here.
    pub bindings: BTreeMap<String, Vec<String>>,
    /// The claims a volume would be made for.
    pub provisions: Vec<String>,
    /// What stands in the way, in the order the scheduler looks.
    pub reasons: Vec<NodeReason>,
}

coded! {
    /// What speaks against a node. The code is the variant's name.
    #[derive(Debug, Clone, PartialEq)]
    #[expect(missing_docs, reason = "the fields are the evidence their names say")]
    pub enum NodeReason {
        /// The pod's affinity names other nodes.
        NodeNotNamed,
        /// The node is cordoned.
        NodeCordoned,
        /// The node has a taint the pod does not tolerate.
        TaintNotTolerated { taint: String },
        /// The pod's nodeSelector or affinity does not match.
        NodeNotSelected,
        /// A disk the pod names itself is used there by another pod.
        DiskInUse { disk: String, pod: String },
        /// The claim may be used by one pod only, and another one does (R119).
        ReadWriteOncePodInUse { claim: String, pod: String },
        /// The driver takes no more volumes there (R121).
        NodeVolumeLimitReached {
            driver: String,
            used: usize,
            new: usize,
            limit: i64,
        },
        /// The volume of a bound claim cannot be used there (R104).
        BoundVolumeElsewhere {
            claim: String,
            volume: String,
            requires: String,
            /// What the node says instead.
            node_has: Option<String>,
        },
        /// The volume of a bound claim is gone (R104).
        BoundVolumeMissing { claim: String, volume: String },
        /// The claim was promised to another node (R110).
        SelectedNodeElsewhere { claim: String, node: String },
        /// No volume there fits, and none is made (R112, R114).
        NoVolumeOnNode {
            claim: String,
            class: String,
            /// The volumes of the class that can be used there, and what speaks against them.
            near: Vec<(String, Vec<VolumeReason>)>,
            /// Volumes of the class that can be used there and belong to other claims.
            held: usize,
            /// Volumes of the class that would fit and are pinned elsewhere.
            elsewhere: usize,
        },
        /// The class makes volumes for other nodes only (R114).
        TopologyNotAllowed {
            claim: String,
            class: String,
            allowed: String,
        },
        /// The driver's published room is too small (R115).
        CapacityInsufficient {
            claim: String,
            class: String,
            requested: String,
            /// The largest that is offered there.
            limit: String,
            /// The free room, where that limit is the largest volume and not the room itself.
            free: Option<String>,
            /// Whether that is the largest volume, and not the free room.
            is_largest_volume: bool,
        },
        /// The driver publishes its room, and none for this node (R115).
        CapacityNotPublished { claim: String, class: String },
        /// The volume's zone or region is not the node's (R120).
        VolumeZoneMismatch {
            claim: String,
            volume: String,
            label: String,
            wants: String,
            node_has: Option<String>,
        },
    }
}

/// The part of the scheduler that refuses, in the order they are asked; the first one that refuses ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refuser {
    /// Affinity to nodes by name, looked at before anything else.
    NodeNames,
    /// Cordons.
    Unschedulable,
    /// Taints.
    Taints,
    /// Node selectors and affinity.
    NodeAffinity,
    /// Disks and claims that only one may use.
    Restrictions,
    /// Limits of drivers.
    Limits,
    /// The binding of volumes.
    Binding,
    /// Zone labels of volumes.
    Zone,
}

impl NodeReason {
    /// Which part of the scheduler refuses because of it.
    pub fn refuser(&self) -> Refuser {
        match self {
            Self::NodeNotNamed => Refuser::NodeNames,
            Self::NodeCordoned => Refuser::Unschedulable,
            Self::TaintNotTolerated { .. } => Refuser::Taints,
            Self::NodeNotSelected => Refuser::NodeAffinity,
            Self::DiskInUse { .. } | Self::ReadWriteOncePodInUse { .. } => Refuser::Restrictions,
            Self::NodeVolumeLimitReached { .. } => Refuser::Limits,
            Self::VolumeZoneMismatch { .. } => Refuser::Zone,
            _ => Refuser::Binding,
        }
    }

    /// Whether it is about volumes at all.
    pub fn is_about_volumes(&self) -> bool {
        self.refuser() >= Refuser::Restrictions
    }

    /// The scheduler's own words for it (R105, R119–R121).
    pub fn scheduler_text(&self) -> &'static str {
        match self {
            Self::NodeNotNamed => "node(s) didn't satisfy plugin(s) [NodeAffinity]",
            Self::NodeCordoned => "node(s) were unschedulable",
            Self::TaintNotTolerated { .. } => "node(s) had untolerated taint(s)",
            Self::NodeNotSelected => "node(s) didn't match Pod's node affinity/selector",
            Self::DiskInUse { .. } => "node(s) had no available disk",
            Self::ReadWriteOncePodInUse { .. } => {
                "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
            }
            Self::NodeVolumeLimitReached { .. } => "node(s) exceed max volume count",
            Self::BoundVolumeElsewhere { .. } => {
                "node(s) didn't match PersistentVolume's node affinity"
            }
            Self::BoundVolumeMissing { .. } => {
                "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
            }
            Self::SelectedNodeElsewhere { .. }
            | Self::NoVolumeOnNode { .. }
            | Self::TopologyNotAllowed { .. } => {
                "node(s) didn't find available persistent volumes to bind"
            }
            Self::CapacityInsufficient { .. } | Self::CapacityNotPublished { .. } => {
                "node(s) did not have enough free storage"
            }
            Self::VolumeZoneMismatch { .. } => "node(s) had no available volume zone",
        }
    }

    /// The claim it is about.
    pub fn claim(&self) -> Option<&str> {
        match self {
            Self::ReadWriteOncePodInUse { claim, .. }
            | Self::BoundVolumeElsewhere { claim, .. }
            | Self::BoundVolumeMissing { claim, .. }
            | Self::SelectedNodeElsewhere { claim, .. }
            | Self::NoVolumeOnNode { claim, .. }
            | Self::TopologyNotAllowed { claim, .. }
            | Self::CapacityInsufficient { claim, .. }
            | Self::CapacityNotPublished { claim, .. }
            | Self::VolumeZoneMismatch { claim, .. } => Some(claim),
            _ => None,
        }
    }

    /// One short clause, read after the node.
    #[expect(clippy::too_many_lines, reason = "one list of clauses")]
    fn message_words(&self) -> String {
        match self {
            Self::NodeNotNamed => "the pod's affinity names other nodes".to_owned(),
            Self::NodeCordoned => "the node is cordoned".to_owned(),
            Self::TaintNotTolerated { taint } => {
                format!("taint {taint} is not tolerated")
            }
            Self::NodeNotSelected => {
                "the pod's node selector or affinity does not match".to_owned()
            }
            Self::DiskInUse { disk, pod } => format!(
                "disk {disk} is used there by pod {pod}",
                disk = quoted(disk),
                pod = quoted(pod)
            ),
            Self::ReadWriteOncePodInUse { claim, pod } => {
                format!(
                    "{claim} is ReadWriteOncePod, and pod {pod} uses it",
                    claim = quoted(claim),
                    pod = quoted(pod)
                )
            }
            Self::NodeVolumeLimitReached {
                driver,
                used,
                new,
                limit,
            } => format!(
                "{driver} takes {} there, {used} in use and {new} more to come",
                plural(usize::try_from(*limit).unwrap_or_default(), "volume"),
                driver = quoted(driver)
            ),
            Self::BoundVolumeElsewhere {
                volume,
                requires,
                node_has,
                ..
            } => match node_has {
                Some(has) => format!(
                    "{volume} requires {requires}; the node has {has}",
                    volume = quoted(volume)
                ),
                None => format!("{volume} requires {requires}", volume = quoted(volume)),
            },
            Self::BoundVolumeMissing { volume, .. } => {
                format!(
                    "its volume {volume} does not exist",
                    volume = quoted(volume)
                )
            }
            Self::SelectedNodeElsewhere { node, .. } => {
                format!("promised to node {node}", node = quoted(node))
            }
            Self::NoVolumeOnNode {
                class,
                near,
                held,
                elsewhere,
                ..
            } => no_volume(class, near, *held, *elsewhere),
            Self::TopologyNotAllowed { class, allowed, .. } => {
                format!(
                    "class {class} makes volumes only where {allowed}",
                    class = quoted(class)
                )
            }
            Self::CapacityInsufficient {
                requested,
                limit,
                free,
                is_largest_volume,
                ..
            } => {
                let what = if *is_largest_volume {
                    "the largest volume the driver offers there (maximumVolumeSize) is"
                } else {
                    "the driver has free there"
                };
                let free = free
                    .as_ref()
                    .map(|free| format!(" of {free} free"))
                    .unwrap_or_default();
                format!("{what} {limit}{free}, {requested} is asked for")
            }
            Self::CapacityNotPublished { class, .. } => {
                format!(
                    "no CSIStorageCapacity of class {class} is published for it, which counts as full",
                    class = quoted(class)
                )
            }
            Self::VolumeZoneMismatch {
                volume,
                label,
                wants,
                node_has,
                ..
            } => match node_has {
                Some(has) => format!(
                    "{volume} is in {label}={wants}, the node in {has}",
                    volume = quoted(volume),
                    label = quoted(label),
                    wants = quoted(wants)
                ),
                None => {
                    format!(
                        "{volume} is in {label}={wants}, and the node does not say where it is",
                        volume = quoted(volume),
                        label = quoted(label),
                        wants = quoted(wants)
                    )
                }
            },
        }
    }
}

/// The two nearest misses with their first reason; volumes that others hold are only counted.
fn no_volume(
    class: &str,
    near: &[(String, Vec<VolumeReason>)],
    held: usize,
    elsewhere: usize,
) -> String {
    let clause = |(volume, reasons): &(String, Vec<VolumeReason>)| {
        let first = reasons
            .first()
            .map(VolumeReason::clause)
            .unwrap_or_default();
        format!("{volume}: {first}", volume = quoted(volume))
    };
    if !near.is_empty() {
        return near
            .iter()
            .take(2)
            .map(clause)
            .collect::<Vec<_>>()
            .join("; ");
    }
    let class = if class.is_empty() {
        "without a class".to_owned()
    } else {
        format!("of class {class}", class = quoted(class))
    };
    let there = match held {
        0 => format!("no volume {class}"),
        1 => format!("the only volume {class} there is another claim's"),
        _ => format!("all {held} volumes {class} there are other claims'"),
    };
    match elsewhere {
        0 => there,
        1 => format!("{there} (1 that would do is on another node)"),
        _ => format!("{there} ({elsewhere} that would do are on other nodes)"),
    }
}

impl Serialize for NodeReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code())?;
        map.serialize_entry("message", &self.message())?;
        if let Some(claim) = self.claim() {
            map.serialize_entry("claim", claim)?;
        }
        if let Self::NoVolumeOnNode { near, .. } = self {
            let volumes: Vec<_> = near
                .iter()
                .map(|(name, reasons)| serde_json::json!({"name": name, "reasons": reasons}))
                .collect();
            map.serialize_entry("volumes", &volumes)?;
        }
        map.end()
    }
}

/// How volumes are listed in a clause.
pub fn volumes_in_words(volumes: &[String]) -> String {
    if volumes.len() > 4 {
        format!("any of {} volumes", volumes.len())
    } else {
        join_or(volumes)
    }
}

impl NodeReason {
    /// One clause, lowercase, without a full stop.
    pub fn message(&self) -> String {
        spoken(self.message_words())
    }
}
