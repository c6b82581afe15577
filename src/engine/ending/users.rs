//! Who uses a volume that nobody owns any more: pods that still name its claim, and recyclers, the controller's and ours.

use super::super::refusal::{Advice, ReclaimEvidence, Refusal};
use super::super::volume_users::{find_users, is_over};
use super::unseen::Unseen;
use crate::conventions::fingerprint::fingerprint;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Kind, Pod, Volume};
use crate::report::VolumeCause;

/// What the controller calls the pod that empties a volume, before its name.
const RECYCLER_PREFIX: &str = "recycler-for-";
/// What ours are called, before what stands for the volume.
const OWN_RECYCLER_PREFIX: &str = "pv-recycler-";

pub(super) fn check(
    state: &ClusterState,
    volume: &Volume,
    recycler_namespace: Option<&str>,
    unseen: &mut Unseen<'_>,
) -> Result<(), Refusal> {
    let pods = find_users(state, volume);
    if !pods.is_empty() {
        let cause = VolumeCause::InUse {
            pods,
            recycling: false,
        };
        return Err(Refusal::from(cause).advise(Advice::WaitForPods));
    }
    let recyclers = find_recyclers(state, volume, recycler_namespace);
    let at_work = recyclers.iter().filter(|pod| pod.node_name.is_some());
    let pods: Vec<String> = at_work.map(|pod| pod.key.to_string()).collect();
    if !pods.is_empty() {
        return Err(Refusal::new(ReclaimEvidence::EmptiedByController { pods }));
    }
    if let Some(reference) = volume.claim_ref.as_ref().filter(|it| !it.is_empty()) {
        unseen.need(Kind::Pods, Some(&reference.namespace));
    }
    Ok(())
}

/// What the controller calls the pod that empties a volume.
pub fn recycler_name(volume: &str) -> String {
    format!("{RECYCLER_PREFIX}{volume}")
}

/// Where recycler pods of the controller are: in `default`, unless its flags name a template for them.
pub(crate) fn recycler_namespaces(named: Option<&str>) -> impl Iterator<Item = &str> {
    ["default"].into_iter().chain(named)
}

/// The recycler pods of the controller that have not finished, with a node and without. Anyone can call a pod by that name: it
/// counts in a namespace of recyclers, and if it mounts what the volume stands for.
fn find_recyclers<'a>(
    state: &'a ClusterState,
    volume: &Volume,
    recycler_namespace: Option<&str>,
) -> Vec<&'a Pod> {
    let name = recycler_name(&volume.name);
    let is_it = |pod: &&Pod| {
        let mut namespaces = recycler_namespaces(recycler_namespace);
        namespaces.any(|namespace| pod.key.namespace == namespace)
            && pod.mounts.contains(&volume.source)
            && pod.owner.is_none()
            && pod.volumes.is_empty()
            && !is_over(pod)
    };
    state.pods_called(&name).filter(is_it).collect()
}

/// Recycler pods of the controller that wait for a node: they are deleted before somebody else begins.
pub(super) fn find_idle_recyclers(
    state: &ClusterState,
    volume: &Volume,
    recycler_namespace: Option<&str>,
) -> Vec<ObjectKey> {
    let pods = find_recyclers(state, volume, recycler_namespace).into_iter();
    pods.filter(|pod| pod.node_name.is_none())
        .map(|pod| pod.key.clone())
        .collect()
}

/// What the names of our recycler pods for a volume begin with, so that the next run finds them.
pub fn own_recycler_prefix(volume: &Volume) -> String {
    let identity = volume.uid.as_ref().unwrap_or(&volume.name);
    format!("{OWN_RECYCLER_PREFIX}{:016x}-", fingerprint(identity))
}

/// Our recycler pods for a volume, finished ones too, in whichever namespace.
pub(crate) fn find_own_recyclers<'a>(state: &'a ClusterState, volume: &Volume) -> Vec<&'a Pod> {
    let prefix = own_recycler_prefix(volume);
    let pods = state.objects().pods.iter();
    pods.filter(|pod| pod.key.name.starts_with(&prefix))
        .collect()
}

/// Nothing else is done with a volume while a pod of ours empties it, or may begin to.
pub(crate) fn check_own_recyclers(state: &ClusterState, volume: &Volume) -> Result<(), Refusal> {
    let at_work = find_own_recyclers(state, volume).into_iter();
    let at_work = at_work.filter(|pod| !is_over(pod));
    let pods: Vec<String> = at_work.map(|pod| pod.key.to_string()).collect();
    if pods.is_empty() {
        return Ok(());
    }
    Err(Refusal::new(ReclaimEvidence::EmptiedByOwnPods { pods }))
}
