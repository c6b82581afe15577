//! The pods that use a volume whose claim was deleted.
//!
//! A claim that was recreated under the old name has another volume, or waits for one, so its pods are not users of the old
//! volume (upstream reasons the same, R79): otherwise a volume to be recycled would wait for the pods that wait for it. The
//! exception is a pod on a node that is older than that claim: it was started with the one before.

use crate::model::{Claim, ClusterState, Pod, PodPhase, Volume};

/// The pods that use the volume, or may: the controller does not check it before it deletes (R81c).
pub(crate) fn find_users(state: &ClusterState, volume: &Volume) -> Vec<String> {
    let Some(reference) = volume.claim_ref.as_ref().filter(|it| !it.is_empty()) else {
        return vec![];
    };
    let key = reference.key();
    let is_another = |claim: &&Claim| {
        claim.exists()
            && reference.uid.is_some()
            && claim.uid != reference.uid
            && claim.volume_name.as_ref() != Some(&volume.name)
    };
    let successor = state.find_claim(&key).filter(is_another);
    let uses_it = |pod: &&Pod| successor.is_none_or(|claim| started_before(pod, claim));
    let pods = state.pods_using(&key).filter(|pod| !is_over(pod));
    let mut users: Vec<String> = pods
        .filter(uses_it)
        .map(|pod| pod.key.to_string())
        .collect();
    users.sort();
    users
}

/// A deleted pod on a node may still have its volumes mounted, though nothing runs in it any more.
pub(crate) fn is_over(pod: &Pod) -> bool {
    matches!(pod.phase, PodPhase::Succeeded | PodPhase::Failed)
        || (pod.is_terminated() && pod.node_name.is_none())
}

/// Whether the pod may have been started with the claim that had the name before; where times are not told, it may.
fn started_before(pod: &Pod, claim: &Claim) -> bool {
    let is_younger = pod
        .created
        .zip(claim.created)
        .is_some_and(|(pod, claim)| pod >= claim);
    pod.node_name.is_some() && !is_younger
}
