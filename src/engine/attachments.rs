//! Why a pod that has a node still does not run: its volume is attached elsewhere, or cannot be attached or mounted.

use super::foreign_messages::{PodReport, read_pod_event};
use crate::conventions::access_mode::AccessModes;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Event, Kind, POD, Pod, Volume, VolumeAttachment};
use crate::report::{AttachmentSummary, PodCause, Says};

/// What keeps the volumes of a pod from its node, and the last thing that was said about it.
pub(crate) fn look_at(state: &ClusterState, pod: &Pod, node: &str) -> (Vec<PodCause>, Vec<Says>) {
    let mut causes = Vec::new();
    for volume in &pod.volumes {
        let key = ObjectKey::new(&*pod.key.namespace, volume.claim.claim_name());
        let bound = state
            .find_claim(&key)
            .and_then(|claim| claim.volume_name.as_deref())
            .and_then(|name| state.find_volume(name));
        if let Some(bound) = bound {
            causes.extend(look_at_volume(state, pod, &key, bound, node));
        }
    }
    let last = last_complaint(state, pod);
    if let Some(event) = last
        && !causes
            .iter()
            .any(|cause| matches!(cause, PodCause::AttachFailing { .. }))
    {
        let message = event.message.clone();
        match read_pod_event(event) {
            Some(PodReport::AttachFailed) if causes.is_empty() => {
                causes.push(PodCause::AttachFailing {
                    volume: None,
                    message,
                });
            }
            Some(PodReport::AttachFailed) | None => {}
            Some(PodReport::MountFailed) => causes.push(PodCause::MountFailing { message }),
        }
    }
    let says = last
        .map(|event| Says::new(&event.kind, &event.reason, event.message.clone()))
        .into_iter()
        .collect();
    (causes, says)
}

fn look_at_volume(
    state: &ClusterState,
    pod: &Pod,
    claim: &ObjectKey,
    volume: &Volume,
    node: &str,
) -> Vec<PodCause> {
    let of_volume =
        |attachment: &&VolumeAttachment| attachment.volume.as_deref() == Some(volume.name.as_str());
    let attachments = || state.objects().attachments.iter().filter(of_volume);
    let mut causes = Vec::new();
    let here = attachments().find(|attachment| attachment.node == node);
    if let Some(error) = here.and_then(|attachment| attachment.attach_error.clone()) {
        causes.push(PodCause::AttachFailing {
            volume: Some(volume.name.clone()),
            message: error,
        });
    }
    // A volume that several nodes may use is not kept from one by another.
    let shared = AccessModes::of_names(["ReadOnlyMany", "ReadWriteMany"]);
    let is_shared = volume.access_modes.missing(shared) != shared;
    let is_here = here.is_some_and(|attachment| attachment.is_attached);
    if is_shared || is_here {
        return causes;
    }
    for attachment in attachments().filter(|attachment| attachment.node != node) {
        let pods = state
            .objects()
            .pods
            .iter()
            .filter(|other| other.key != pod.key && other.uses(claim))
            .filter(|other| other.node_name.as_deref() == Some(attachment.node.as_str()))
            .map(|other| other.key.name.clone())
            .collect();
        causes.push(PodCause::AttachedElsewhere {
            claim: claim.name.clone(),
            volume: volume.name.clone(),
            node: attachment.node.clone(),
            node_exists: state
                .saw(Kind::Nodes, None)
                .then(|| state.find_node(&attachment.node).is_some()),
            pods,
            detaching: attachment.is_deleted,
            error: attachment.detach_error.clone(),
        });
    }
    causes
}

/// Every attachment of a volume, by name: where to, and how that stands.
pub(crate) fn of_volume(state: &ClusterState, volume: &Volume) -> Vec<AttachmentSummary> {
    let objects = state.objects();
    let node_exists = |name: &str| {
        let found = objects.nodes.iter().any(|node| node.name == name);
        (found || state.saw(Kind::Nodes, None)).then_some(found)
    };
    let summary = |attachment: &VolumeAttachment| AttachmentSummary {
        name: attachment.name.clone(),
        node: attachment.node.clone(),
        node_exists: node_exists(&attachment.node),
        attached: attachment.is_attached,
        detaching: attachment.is_deleted,
        error: attachment
            .detach_error
            .clone()
            .or_else(|| attachment.attach_error.clone()),
    };
    let mut attachments: Vec<AttachmentSummary> = objects
        .attachments
        .iter()
        .filter(|attachment| attachment.volume.as_ref() == Some(&volume.name))
        .map(summary)
        .collect();
    attachments.sort_by(|a, b| a.name.cmp(&b.name));
    attachments
}

/// The last event on the pod about attaching or mounting.
fn last_complaint<'a>(state: &'a ClusterState, pod: &Pod) -> Option<&'a Event> {
    let events = state.events_about(POD, &pod.key, pod.uid.as_deref());
    events
        .filter(|event| read_pod_event(event).is_some())
        .max_by_key(|event| event.last_seen)
}
