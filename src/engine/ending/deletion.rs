//! Policy Delete: this program deletes what its backends hold, and nothing else. The class has no say (seed 000).

use super::super::holders::find_holders;
use super::super::making::{find_host, somebody_else};
use super::super::own_marks::is_locked;
use super::super::refusal::{BackendObstacle, ReclaimEvidence, Refusal, Standing};
use super::unseen::Unseen;
use super::{Ending, EndingQuestion, OwnBackend, OwnSource, by_cluster, find_sharer, owner, users};
use crate::conventions::annotations::{OWN_DELETION, VOLUME_PROTECTION};
use crate::model::{ClusterState, Kind, Volume, VolumePhase};
use crate::report::{FinalizerHold, Unknown, VolumeCause, VolumeReason};

/// A volume that is deleted here.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnDeletion {
    /// The provisioner name of the backend.
    pub provisioner: String,
    /// Whether our lock is written already: only the asset and the lock are left.
    pub is_begun: bool,
    /// Whether its status still says Bound, which keeps it from being deleted: Released is written first (R77).
    pub is_marked_bound: bool,
    /// What files do not hold.
    pub unknowns: Vec<Unknown>,
}

pub(super) fn decide(
    state: &ClusterState,
    question: &EndingQuestion<'_>,
    phase: VolumePhase,
    unseen: &mut Unseen<'_>,
) -> Result<Ending, Refusal> {
    let volume = question.volume;
    let Some(own) = question.own else {
        return Err(by_cluster(state, volume, phase));
    };
    if let Some(why) = why_not(own, own.can_delete, "delete") {
        let policy = Some(volume.reclaim_policy.clone());
        let evidence = ReclaimEvidence::BackendCannotDelete { policy, why };
        return Err(by_others(state, question, own, phase, evidence));
    }
    users::check_own_recyclers(state, volume)?;
    check_name(state, volume, own, unseen)?;
    check_node(state, question)?;
    if !is_locked(volume) {
        check_finalizers(state, volume)?;
    }
    check_shared(state, volume, unseen)?;
    owner::check_wanted(state, volume, unseen)?;
    unseen.check()?;
    Ok(Ending::Delete(Box::new(OwnDeletion {
        provisioner: own.provisioner.clone(),
        is_begun: is_locked(volume),
        is_marked_bound: volume.deleted.is_none() && volume.phase == VolumePhase::Bound,
        unknowns: vec![],
    })))
}

/// Why a backend does not do it, as a clause; nothing if it does.
pub(super) fn why_not(own: &OwnBackend, can: bool, does: &'static str) -> Option<BackendObstacle> {
    let provisioner = own.provisioner.clone();
    if !can {
        return Some(BackendObstacle::Cannot { provisioner, does });
    }
    (own.source == OwnSource::NoAsset).then_some(BackendObstacle::NoAsset { provisioner })
}

/// What our backend does not do the controller may still do, if the backend did not make it.
pub(super) fn by_others(
    state: &ClusterState,
    question: &EndingQuestion<'_>,
    own: &OwnBackend,
    phase: VolumePhase,
    otherwise: ReclaimEvidence,
) -> Refusal {
    let volume = question.volume;
    let left = by_cluster(state, volume, phase);
    let is_ours = volume.provisioned_by() == Some(own.provisioner.as_str());
    let is_done = left.standing == Standing::Fine;
    let is_deletion = matches!(otherwise, ReclaimEvidence::BackendCannotDelete { .. });
    if is_done && !(is_ours && is_deletion) {
        return left;
    }
    Refusal::new(otherwise)
}

/// Names of provisioners are distinct: where somebody else answers to ours, whose the volume is cannot be told.
pub(super) fn check_name(
    state: &ClusterState,
    volume: &Volume,
    own: &OwnBackend,
    unseen: &mut Unseen<'_>,
) -> Result<(), Refusal> {
    let name = own.provisioner.as_str();
    if volume.provisioned_by() != Some(name) {
        return Ok(());
    }
    if let Some(sign) = somebody_else(state, name) {
        let name = name.to_owned();
        return Err(Refusal::new(ReclaimEvidence::NameServedTwice {
            name,
            sign,
        }));
    }
    // A CSI driver cannot have a name with a slash.
    if !name.contains('/') {
        unseen.need(Kind::CsiDrivers, None);
        unseen.need(Kind::CsiNodes, None);
    }
    Ok(())
}

/// A directory of another node is not the one of that path here.
pub(super) fn check_node(
    state: &ClusterState,
    question: &EndingQuestion<'_>,
) -> Result<(), Refusal> {
    let volume = question.volume;
    let is_of_node = matches!(volume.source.field.as_str(), "hostPath" | "local");
    let Some(wanted) = volume.node_affinity.as_ref().filter(|_| is_of_node) else {
        return Ok(());
    };
    let is_made_here = question
        .own
        .is_some_and(|own| own.source == OwnSource::MadeHere);
    // What the base directory has a record of is here, whatever this machine is called. Files are of no machine.
    if is_made_here || question.host.is_none() {
        return Ok(());
    }
    let here = match find_host(state, question.host) {
        Some(here) if wanted.matches(&here.labels) => return Ok(()),
        Some(here) => Some(here.name.clone()),
        // What we have begun was here when we began.
        None if is_locked(volume) => return Ok(()),
        None => None,
    };
    let wanted = wanted.to_string();
    Err(Refusal::new(ReclaimEvidence::OnOtherNode { wanted, here }))
}

/// A finalizer of somebody else means that they are not done with the volume; one being deleted takes no lock any more.
pub(super) fn check_finalizers(state: &ClusterState, volume: &Volume) -> Result<(), Refusal> {
    let is_harmless = |hold: &FinalizerHold| {
        let harmless = [VOLUME_PROTECTION, OWN_DELETION];
        volume.deleted.is_none() && harmless.contains(&hold.finalizer.as_str())
    };
    let mut holds = find_holders(state, volume);
    holds.retain(|hold| !is_harmless(hold));
    if holds.is_empty() {
        if volume.deleted.is_none() {
            return Ok(());
        }
        let finalizers = vec![];
        let cause = VolumeCause::Volume(VolumeReason::BeingDeleted { finalizers });
        return Err(Refusal::from(cause));
    }
    Err(Refusal::new(ReclaimEvidence::HeldByFinalizer {
        holds,
        is_being_deleted: volume.deleted.is_some(),
    }))
}

/// Nothing is destroyed that is another volume's too.
pub(super) fn check_shared(
    state: &ClusterState,
    volume: &Volume,
    unseen: &mut Unseen<'_>,
) -> Result<(), Refusal> {
    unseen.need(Kind::Volumes, None);
    let Some(other) = find_sharer(state, &volume.source, &volume.name) else {
        return Ok(());
    };
    Err(Refusal::new(ReclaimEvidence::SharedAsset {
        volume: other.name.clone(),
        source: other.source.spelled(),
    }))
}
