//! Who must act, and what they must do, where no correction of the claim helps. It is printed before another volume is
//! offered.

use crate::conventions::foreign::quoted;
use crate::model::Claim;
use crate::report::{ClaimCause, Danger, Explanation, Suggestion, join_and};

pub(super) fn propose(claim: &Claim, explanation: &Explanation) -> Suggestion {
    let main = explanation.causes.first().map(|cause| &cause.cause);
    let volume = wanted_volume(claim, explanation);
    let summary = match main {
        Some(ClaimCause::ClassNotFound { class, .. }) => {
            format!(
                "Ask an administrator to create class {}, or {volume}",
                quoted(class)
            )
        }
        Some(ClaimCause::NoDefaultClass { .. }) => {
            format!("Set storageClassName in the claim, or ask an administrator to create {volume}")
        }
        Some(ClaimCause::ProvisionerUnknown { class, provisioner }) => format!(
            "Ask an administrator to correct class {}: no component implements {}",
            quoted(class),
            quoted(provisioner)
        ),
        Some(ClaimCause::ProvisionerNotRegistered { provisioner, .. }) => format!(
            "Ask an administrator to install the driver {}, or to correct the class",
            quoted(provisioner)
        ),
        Some(ClaimCause::ProvisioningFailed { provisioner, .. }) => {
            format!(
                "Ask an administrator to fix the error that {} reports",
                quoted(provisioner)
            )
        }
        Some(ClaimCause::SelectorNotProvisionable { .. }) => {
            format!("Remove the selector, or ask an administrator to create {volume}")
        }
        Some(ClaimCause::NamedVolumeNotFound { volume, .. }) => {
            format!(
                "Ask an administrator to create volume {}, or correct volumeName",
                quoted(volume)
            )
        }
        Some(ClaimCause::NamedVolumeTaken { volume, holder, .. }) => {
            format!(
                "Correct volumeName, or ask the owner of {holder} to release {}",
                quoted(volume)
            )
        }
        Some(ClaimCause::NamedVolumeMismatch { volume, .. }) => {
            format!(
                "Correct volumeName, or correct the claim so that {} fits",
                quoted(volume)
            )
        }
        Some(ClaimCause::NoFeasibleNode { .. }) => format!(
            "Ask an administrator for free space, or for {volume}, on a node where the pod can run"
        ),
        _ => format!("Ask an administrator to create {volume}"),
    };
    Suggestion {
        summary,
        commands: vec![],
        danger: Danger::Harmless,
    }
}

/// The volume that would fit: "a volume of class fast with 10Gi, ReadWriteOnce and labels tier=gold".
fn wanted_volume(claim: &Claim, explanation: &Explanation) -> String {
    let class = match explanation.claim.class.name.as_str() {
        "" => "without a class".to_owned(),
        class => format!("of class {}", quoted(class)),
    };
    let mut with = vec![claim.request().to_string()];
    with.extend(
        claim
            .access_mode_names
            .iter()
            .map(|mode| quoted(mode).into_owned()),
    );
    let selector = claim.selector.as_ref();
    with.extend(selector.map(|selector| format!("labels {selector}")));
    format!("a volume {class} with {}", join_and(&with))
}
