//! Events on claims, with the reasons the real provisioners give. Their names are made from what they say, so that the same
//! news is told once.

use super::draft::Draft;
use super::plan::{Action, Target};
use crate::conventions::annotations::OWN_COMPONENT;
use crate::conventions::fingerprint::fingerprint;
use crate::model::Claim;
use serde_json::json;

/// The API server takes no longer ones.
const LONGEST_MESSAGE: usize = 1024;
/// Of the claim's name, so that there is room for the rest below 253 characters.
const LONGEST_NAME: usize = 230;

/// Something a claim's owner should hear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    Succeeded,
    Failed,
    /// What was made for the claim is still there, and nobody has it.
    CleanupFailed,
}

impl News {
    fn kind(self) -> &'static str {
        match self {
            Self::Succeeded => "Normal",
            Self::Failed | Self::CleanupFailed => "Warning",
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::Succeeded => "ProvisioningSucceeded",
            Self::Failed => "ProvisioningFailed",
            Self::CleanupFailed => "ProvisioningCleanupFailed",
        }
    }
}

/// Plans an event on a claim that exists.
pub(super) fn tell(draft: &mut Draft, claim: &Claim, news: News, message: &str) {
    let Some(uid) = &claim.uid else {
        return;
    };
    let message: String = message.chars().take(LONGEST_MESSAGE / 4).collect();
    let (reason, key) = (news.reason(), &claim.key);
    let number = fingerprint(&format!("{uid} {reason} {message}"));
    let start: String = key.name.chars().take(LONGEST_NAME).collect();
    let name = format!("{}.{number:016x}", start.trim_end_matches(['.', '-']));
    let body = json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": { "name": name, "namespace": key.namespace },
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": key.namespace,
            "name": key.name,
            "uid": uid,
            "resourceVersion": claim.resource_version,
        },
        "type": news.kind(),
        "reason": reason,
        "message": message,
        "source": { "component": OWN_COMPONENT },
        "reportingComponent": OWN_COMPONENT,
        "count": 1,
    });
    let why = "whoever asks why hears it from the claim".to_owned();
    draft.add(
        Action::Event,
        Target::event(&key.namespace, name),
        body,
        why,
    );
}
