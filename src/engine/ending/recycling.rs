//! Policy Recycle: a volume is emptied here, or by a pod on the cluster, and offered again. Nothing else empties it meanwhile:
//! the lock is policy Retain, which the controller's own recycler leaves alone.

use super::deletion::{by_others, check_finalizers, check_name, check_node, check_shared, why_not};
use super::left::LeftAlone;
use super::unseen::Unseen;
use super::users::find_idle_recyclers;
use super::{Ending, EndingQuestion, by_cluster, is_recycling, owner};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Kind, Volume, VolumePhase};
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
    Pod,
}

pub(super) fn decide(
    state: &ClusterState,
    question: &EndingQuestion<'_>,
    phase: VolumePhase,
    unseen: &mut Unseen<'_>,
) -> Result<Ending, Box<LeftAlone>> {
    let volume = question.volume;
    let by = find_recycler(state, question, phase, unseen)?;
    // One that is being deleted cannot be offered again.
    if volume.deleted.is_some() {
        check_finalizers(state, volume)?;
    }
    check_shared(state, volume, unseen)?;
    owner::check_wanted(state, volume, unseen)?;
    // The controller's recycler may be in any namespace.
    unseen.need(Kind::Pods, None);
    unseen.check()?;
    Ok(Ending::Recycle(Box::new(Recycling {
        by,
        is_begun: is_recycling(volume),
        idle_recyclers: find_idle_recyclers(state, volume),
        unknowns: vec![],
    })))
}

fn find_recycler(
    state: &ClusterState,
    question: &EndingQuestion<'_>,
    phase: VolumePhase,
    unseen: &mut Unseen<'_>,
) -> Result<Recycler, Box<LeftAlone>> {
    let volume = question.volume;
    let why = match question.own {
        Some(own) => match why_not(own, own.can_recycle, "empty volumes") {
            None => {
                check_name(state, volume, own, unseen)?;
                check_node(state, question)?;
                return Ok(Recycler::Here {
                    provisioner: own.provisioner.clone(),
                });
            }
            why => why,
        },
        None => None,
    };
    if question.has_recycler_image && matches!(volume.source.field.as_str(), "hostPath" | "nfs") {
        check_reach(state, volume, unseen)?;
        return Ok(Recycler::Pod);
    }
    if is_recycling(volume) {
        let message = "emptying it was begun by kubectl pv and is not finished";
        return Err(LeftAlone::refused("NoRecycler", message)
            .hint("run the command again with the --backend or --recycler-image it was begun with")
            .into());
    }
    let left = match (question.own, why) {
        (Some(own), Some(why)) => by_others(state, question, own, phase, &why, "NoRecycler"),
        _ => by_cluster(state, volume, phase),
    };
    Err(left.into())
}

/// A pod that may run on any node may empty the wrong directory.
fn check_reach(
    state: &ClusterState,
    volume: &Volume,
    unseen: &mut Unseen<'_>,
) -> Result<(), Box<LeftAlone>> {
    if volume.source.field != "hostPath" || volume.node_affinity.is_some() {
        return Ok(());
    }
    unseen.need(Kind::Nodes, None);
    if state.objects().nodes.len() < 2 {
        return Ok(());
    }
    let message = "policy Recycle, but it does not say on which node its directory is";
    Err(LeftAlone::refused("NoRecycler", message).into())
}
