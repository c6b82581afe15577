//! What other components report: events, conditions and status messages of Kubernetes' controllers, of provisioners and of
//! resizers. The only place that matches their words; it returns values. What the control plane would report by itself is
//! predicted elsewhere, from values.

use crate::conventions::class_name::NO_PROVISIONER;
use crate::model::Event;
use crate::report::ReclaimError;

/// The component of the events of the controller of claims and volumes.
const VOLUME_CONTROLLER: &str = "persistentvolume-controller";

/// Whether the controller of claims and volumes reports it.
pub(crate) fn is_by_controller(event: &Event) -> bool {
    event.component == VOLUME_CONTROLLER
}

/// Whether a provisioner reports it: they sign events with their name, most with their pod behind it (`<driver>_<pod>_<id>`).
pub(crate) fn is_by(event: &Event, provisioner: &str) -> bool {
    event
        .component
        .strip_prefix(provisioner)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// What an event on a claim reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimReport<'a> {
    /// No volume fits, and no class is set.
    NoVolumeAndNoClass,
    /// The volume that it names belongs to another claim.
    VolumeTaken,
    /// The volume that it names does not satisfy it.
    VolumeMismatch {
        /// The reason alone.
        why: &'a str,
    },
    /// It waits for a pod.
    WaitForFirstConsumer,
    /// Its pod waits for a node.
    WaitForPodScheduled,
    /// Provisioning failed.
    ProvisioningFailed(ProvisioningError),
    /// A provisioner outside the controller is to act.
    ExternalProvisioning {
        /// Its name.
        provisioner: &'a str,
    },
    /// Its volume does not exist any more.
    Lost,
    /// Its volume belongs to another claim.
    Misbound,
}

/// Why provisioning failed, as far as the message shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProvisioningError {
    /// The class does not exist.
    ClassNotFound,
    /// The class provisions no volumes.
    NoProvisioner,
    /// The provisioner needs a node, and none is chosen.
    NodeNotChosen,
    /// Another object does not exist.
    ObjectNotFound,
    /// Anything else.
    Other,
}

/// What an event on a claim reports, if it is known.
///
/// Upstream: pv_controller.go, syncUnboundClaim, syncBoundClaim, provisionClaim.
pub(crate) fn read_claim_event(event: &Event) -> Option<ClaimReport<'_>> {
    let message = event.message.as_str();
    Some(match event.reason.as_str() {
        "FailedBinding" if message.starts_with("no persistent volumes available") => {
            ClaimReport::NoVolumeAndNoClass
        }
        "FailedBinding" => ClaimReport::VolumeTaken,
        "VolumeMismatch" => ClaimReport::VolumeMismatch {
            why: message.split_once("\": ").map_or(message, |(_, why)| why),
        },
        "WaitForFirstConsumer" => ClaimReport::WaitForFirstConsumer,
        "WaitForPodScheduled" => ClaimReport::WaitForPodScheduled,
        "ProvisioningFailed" => ClaimReport::ProvisioningFailed(read_provisioning_error(message)),
        "ExternalProvisioning" => ClaimReport::ExternalProvisioning {
            provisioner: message.split('\'').nth(1)?,
        },
        "ClaimLost" => ClaimReport::Lost,
        "ClaimMisbound" => ClaimReport::Misbound,
        _ => return None,
    })
}

fn read_provisioning_error(message: &str) -> ProvisioningError {
    if message.starts_with("storageclass") && message.ends_with("not found") {
        ProvisioningError::ClassNotFound
    } else if message.ends_with(NO_PROVISIONER) {
        ProvisioningError::NoProvisioner
    } else if message.contains("no node was specified") {
        ProvisioningError::NodeNotChosen
    } else if message.contains("not found") {
        ProvisioningError::ObjectNotFound
    } else {
        ProvisioningError::Other
    }
}

/// The error of an event that reports that provisioning failed.
pub(crate) fn find_provisioning_error(event: &Event) -> Option<ProvisioningError> {
    match read_claim_event(event) {
        Some(ClaimReport::ProvisioningFailed(error)) => Some(error),
        _ => None,
    }
}

/// Whether an event on a volume reports that a component outside the controller could not delete it.
pub(crate) fn is_failed_deletion(event: &Event) -> bool {
    event.reason == "VolumeFailedDelete" && !is_by_controller(event)
}

/// The reason of the event that came with `status.message` of a Failed volume.
///
/// Upstream: pv_controller.go, reclaimVolume, recycleVolumeOperation, deleteVolumeOperation.
pub(crate) fn event_reason_of_failed(message: &str) -> &'static str {
    let known = [ReclaimError::UnknownPolicy, ReclaimError::NoRecycler];
    if message.starts_with("Recycle failed: ") {
        return ReclaimError::NoRecycler.event_reason();
    }
    known
        .into_iter()
        .find(|error| error.to_string() == message)
        .unwrap_or(ReclaimError::NotDeletable)
        .event_reason()
}

/// What an event on a pod reports of its volumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PodReport {
    /// A volume cannot be attached.
    AttachFailed,
    /// A volume cannot be mounted.
    MountFailed,
}

/// What an event on a pod reports of its volumes, if it is about them.
pub(crate) fn read_pod_event(event: &Event) -> Option<PodReport> {
    match event.reason.as_str() {
        "FailedAttachVolume" => Some(PodReport::AttachFailed),
        "FailedMount" | "FailedMapVolume" => Some(PodReport::MountFailed),
        _ => None,
    }
}

/// What a condition of a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimProgress {
    /// Its size.
    Resize,
    /// Its attributes class.
    Modification,
}

/// What a type of condition is about. Releases have added types to both (`Resizing`, `FileSystemResizePending`,
/// `ControllerResizeError`, `NodeResizeError`; `ModifyingVolume`, `ModifyVolumeError`).
pub(crate) fn read_condition_type(kind: &str) -> Option<ClaimProgress> {
    if kind.contains("Resiz") {
        Some(ClaimProgress::Resize)
    } else if kind.contains("Modif") {
        Some(ClaimProgress::Modification)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::event;

    fn reported(reason: &str, message: &str) -> Event {
        Event {
            reason: reason.to_owned(),
            message: message.to_owned(),
            ..event("PersistentVolumeClaim", "prod", "data", "u")
        }
    }

    /// Messages of a v1.36 control plane, of provisioners in use, and of their predecessors.
    #[test]
    #[expect(clippy::too_many_lines, reason = "one list of messages")]
    fn messages_on_claims() {
        use ClaimReport::{
            ExternalProvisioning, Lost, Misbound, NoVolumeAndNoClass, ProvisioningFailed,
            VolumeMismatch, VolumeTaken, WaitForFirstConsumer, WaitForPodScheduled,
        };
        let cases = [
            (
                "FailedBinding",
                "no persistent volumes available for this claim and no storage class is set",
                NoVolumeAndNoClass,
            ),
            (
                "FailedBinding",
                "volume \"pv-a\" already bound to a different claim.",
                VolumeTaken,
            ),
            (
                "VolumeMismatch",
                "Cannot bind to requested volume \"pv-a\": requested PV is too small",
                VolumeMismatch {
                    why: "requested PV is too small",
                },
            ),
            (
                "VolumeMismatch",
                "Cannot bind to requested volume \"pv-a\": storageClassName does not match",
                VolumeMismatch {
                    why: "storageClassName does not match",
                },
            ),
            (
                "WaitForFirstConsumer",
                "waiting for first consumer to be created before binding",
                WaitForFirstConsumer,
            ),
            (
                "WaitForPodScheduled",
                "waiting for pod web-0 to be scheduled",
                WaitForPodScheduled,
            ),
            (
                "ProvisioningFailed",
                "storageclass.storage.k8s.io \"gp-3\" not found",
                ProvisioningFailed(ProvisioningError::ClassNotFound),
            ),
            (
                "ProvisioningFailed",
                "Failed to get target node: node \"n9\" not found",
                ProvisioningFailed(ProvisioningError::ObjectNotFound),
            ),
            (
                "ProvisioningFailed",
                "no volume plugin matched name: kubernetes.io/no-provisioner",
                ProvisioningFailed(ProvisioningError::NoProvisioner),
            ),
            (
                "ProvisioningFailed",
                "failed to provision volume with StorageClass \"local-path\": configuration error, no node was specified",
                ProvisioningFailed(ProvisioningError::NodeNotChosen),
            ),
            (
                "ProvisioningFailed",
                "failed to provision volume with StorageClass \"gp3\": rpc error: code = ResourceExhausted desc = out of space",
                ProvisioningFailed(ProvisioningError::Other),
            ),
            (
                "ExternalProvisioning",
                "Waiting for a volume to be created either by the external provisioner 'ebs.csi.aws.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
                ExternalProvisioning {
                    provisioner: "ebs.csi.aws.com",
                },
            ),
            (
                "ExternalProvisioning",
                "waiting for a volume to be created either by the external provisioner 'nfs.example.com/client' or manually created by system administrator",
                ExternalProvisioning {
                    provisioner: "nfs.example.com/client",
                },
            ),
            (
                "ClaimLost",
                "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
                Lost,
            ),
            (
                "ClaimMisbound",
                "Two claims are bound to the same volume, this one is bound incorrectly",
                Misbound,
            ),
        ];
        for (reason, message, expected) in cases {
            let event = reported(reason, message);
            assert_eq!(read_claim_event(&event), Some(expected), "{message}");
        }
        for (reason, message) in [
            (
                "ProvisioningSucceeded",
                "Successfully provisioned volume pvc-1",
            ),
            ("ExternalProvisioning", "a provisioner is to act"),
        ] {
            assert_eq!(read_claim_event(&reported(reason, message)), None);
        }
    }

    #[test]
    fn components_sign_their_events() {
        let by = |component: &str| Event {
            component: component.to_owned(),
            ..reported("ProvisioningFailed", "")
        };
        let name = "ebs.csi.aws.com";
        assert!(is_by(&by(name), name));
        assert!(is_by(
            &by("ebs.csi.aws.com_ebs-csi-controller-6f5b-x2x7q_0c7a"),
            name
        ));
        assert!(!is_by(&by("ebs.csi.aws.community"), name));
        assert!(is_by_controller(&by("persistentvolume-controller")));
        let failed = |component: &str| Event {
            reason: "VolumeFailedDelete".to_owned(),
            ..by(component)
        };
        assert!(is_failed_deletion(&failed("ebs.csi.aws.com_a_b")));
        assert!(!is_failed_deletion(&failed("persistentvolume-controller")));
    }

    #[test]
    fn messages_of_failed_volumes() {
        for (message, reason) in [
            (
                "Volume has unrecognized PersistentVolumeReclaimPolicy",
                "VolumeUnknownReclaimPolicy",
            ),
            (
                "No recycler plugin found for the volume!",
                "VolumeFailedRecycle",
            ),
            (
                "Recycle failed: unexpected error creating recycler pod: timed out",
                "VolumeFailedRecycle",
            ),
            (
                "host_path deleter only supports /tmp/.+ but received provided /srv/a",
                "VolumeFailedDelete",
            ),
            (
                "rpc error: code = Internal desc = volume is still attached",
                "VolumeFailedDelete",
            ),
        ] {
            assert_eq!(event_reason_of_failed(message), reason, "{message}");
        }
    }

    #[test]
    fn events_of_pods_and_types_of_conditions() {
        let read = |reason: &str| read_pod_event(&reported(reason, ""));
        assert_eq!(read("FailedAttachVolume"), Some(PodReport::AttachFailed));
        assert_eq!(read("FailedMount"), Some(PodReport::MountFailed));
        assert_eq!(read("FailedMapVolume"), Some(PodReport::MountFailed));
        assert_eq!(read("FailedScheduling"), None);
        for kind in [
            "Resizing",
            "FileSystemResizePending",
            "ControllerResizeError",
            "NodeResizeError",
        ] {
            assert_eq!(read_condition_type(kind), Some(ClaimProgress::Resize));
        }
        for kind in ["ModifyingVolume", "ModifyVolumeError"] {
            assert_eq!(read_condition_type(kind), Some(ClaimProgress::Modification));
        }
        assert_eq!(read_condition_type("Unused"), None);
    }
}
