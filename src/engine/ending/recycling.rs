//! Policy Recycle: a volume is emptied here, or by a pod on the cluster, and offered again. Nothing else empties it meanwhile:
//! the lock is policy Retain, which the controller's own recycler leaves alone.

use super::super::refusal::{PlaceObstacle, ReclaimEvidence, Refusal};
use super::deletion::{by_others, check_finalizers, check_name, check_node, check_shared, why_not};
use super::unseen::Unseen;
use super::users::{check_own_recyclers, find_idle_recyclers};
use super::{Ending, EndingQuestion, by_cluster, is_recycling, owner};
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::topology::NodeSelector;
use crate::model::{ClusterState, Kind, Node, Volume, VolumePhase};
use crate::report::Unknown;

/// A volume that is emptied. Its claimRef, the policy and the mark of the lock are put right in one write, so that nobody
/// finds it half done.
#[derive(Debug, Clone, PartialEq)]
pub struct Recycling {
    /// Who empties it.
    pub by: Recycler,
    /// Whether our lock is written already.
    pub is_begun: bool,
    /// Recycler pods of the controller that wait for a node: deleted once the lock is written.
    pub idle_recyclers: Vec<ObjectKey>,
    /// What files do not hold.
    pub unknowns: Vec<Unknown>,
}

/// Who empties a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recycler {
    /// The backend of this name, on this machine.
    Here {
        /// Its provisioner name.
        provisioner: String,
    },
    /// A pod, where the volume can be used.
    Pod {
        /// Where that is.
        place: PodPlace,
    },
}

/// Where a pod may empty a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PodPlace {
    /// On any node.
    Anywhere,
    /// On any of the nodes the volume can be used on.
    Nodes(NodeSelector),
    /// On this node alone: its directory is there.
    Node(String),
}

pub(super) fn decide(
    state: &ClusterState,
    question: &EndingQuestion<'_>,
    phase: VolumePhase,
    unseen: &mut Unseen<'_>,
) -> Result<Ending, Refusal> {
    let volume = question.volume;
    let by = find_recycler(state, question, phase, unseen)?;
    // One that is being deleted cannot be offered again.
    if volume.deleted.is_some() {
        check_finalizers(state, volume)?;
    }
    check_shared(state, volume, unseen)?;
    owner::check_wanted(state, volume, unseen)?;
    // The controller's recycler is in another namespace.
    unseen.need(Kind::Pods, None);
    unseen.check()?;
    Ok(Ending::Recycle(Box::new(Recycling {
        by,
        is_begun: is_recycling(volume),
        idle_recyclers: find_idle_recyclers(state, volume, question.recycler_namespace),
        unknowns: vec![],
    })))
}

fn find_recycler(
    state: &ClusterState,
    question: &EndingQuestion<'_>,
    phase: VolumePhase,
    unseen: &mut Unseen<'_>,
) -> Result<Recycler, Refusal> {
    let volume = question.volume;
    let by_pod =
        question.has_recycler_image && matches!(volume.source.field.as_str(), "hostPath" | "nfs");
    let why = match question.own {
        Some(own) => match why_not(own, own.can_recycle, "empty volumes") {
            None => {
                check_name(state, volume, own, unseen)?;
                match check_node(state, question) {
                    // It is another node's, where a pod can go.
                    Err(_) if by_pod => None,
                    found => {
                        found?;
                        check_own_recyclers(state, volume)?;
                        return Ok(Recycler::Here {
                            provisioner: own.provisioner.clone(),
                        });
                    }
                }
            }
            why => why,
        },
        None => None,
    };
    if by_pod {
        let place = find_place(state, question, unseen)?;
        return Ok(Recycler::Pod { place });
    }
    if is_recycling(volume) {
        return Err(Refusal::new(ReclaimEvidence::RecyclerNotConfigured));
    }
    let left = match (question.own, why) {
        (Some(own), Some(why)) => {
            let policy = volume.reclaim_policy.clone();
            let evidence = ReclaimEvidence::BackendCannotEmpty { policy, why };
            by_others(state, question, own, phase, evidence)
        }
        _ => by_cluster(state, volume, phase),
    };
    Err(left)
}

/// Where a pod finds what the volume stands for. A path means another directory on each node, so that one must be known; a
/// share is the same from everywhere.
fn find_place(
    state: &ClusterState,
    question: &EndingQuestion<'_>,
    unseen: &mut Unseen<'_>,
) -> Result<PodPlace, Refusal> {
    let volume = question.volume;
    let is_share = volume.source.field == "nfs";
    if !is_share && is_root(volume.source.location.as_deref()) {
        return Err(no_place(PlaceObstacle::RootOfNode));
    }
    if let Some(name) = question.recycler_node {
        return check_named(state, volume, name);
    }
    if is_share {
        return Ok(match &volume.node_affinity {
            Some(wanted) => PodPlace::Nodes(wanted.clone()),
            None => PodPlace::Anywhere,
        });
    }
    unseen.need(Kind::Nodes, None);
    let is_possible = |node: &&Node| {
        let wanted = volume.node_affinity.as_ref();
        wanted.is_none_or(|wanted| wanted.matches(&node.labels))
    };
    let nodes = state.objects().nodes.iter().filter(is_possible);
    let names: Vec<String> = nodes.map(|node| node.name.clone()).collect();
    match &names[..] {
        [name] => Ok(PodPlace::Node(name.clone())),
        [] if !state.saw(Kind::Nodes, None) => {
            unseen.check()?;
            Ok(PodPlace::Anywhere)
        }
        [] => Err(no_place(PlaceObstacle::NoNode)),
        _ => Err(no_place(PlaceObstacle::SeveralNodes(names))),
    }
}

/// The node somebody named. That it exists is known only where nodes can be seen.
fn check_named(state: &ClusterState, volume: &Volume, name: &str) -> Result<PodPlace, Refusal> {
    match state.find_node(name) {
        None if state.saw(Kind::Nodes, None) => {
            return Err(no_place(PlaceObstacle::NodeNotFound(name.to_owned())));
        }
        Some(node) => {
            let wanted = volume.node_affinity.as_ref();
            if let Some(wanted) = wanted.filter(|wanted| !wanted.matches(&node.labels)) {
                return Err(Refusal::new(ReclaimEvidence::NodeCannotReach {
                    wanted: wanted.to_string(),
                    node: name.to_owned(),
                }));
            }
        }
        None => {}
    }
    Ok(PodPlace::Node(name.to_owned()))
}

fn no_place(why: PlaceObstacle) -> Refusal {
    Refusal::new(ReclaimEvidence::NoPlaceToEmpty { why })
}

/// The API server refuses such volumes with policy Recycle; policy Retain with our mark it would let pass.
fn is_root(path: Option<&str>) -> bool {
    let parts = path.unwrap_or_default().split('/');
    let mut parts = parts.filter(|part| !part.is_empty() && *part != ".");
    parts.clone().any(|part| part == "..") || parts.next().is_none()
}
