//! Events on claims and volumes, with the reasons the real provisioners and the controller give. Their names are made from what they say, so that the same
//! news is told once.

use super::draft::Draft;
use super::plan::{Action, CLAIM, Target, VOLUME, VOLUME_SET};
use crate::conventions::annotations::OWN_COMPONENT;
use crate::conventions::fingerprint::fingerprint;
use crate::model::{Claim, Volume, VolumeSet};
use crate::report::API_VERSION;
use serde_json::json;

/// The API server takes no longer ones.
const LONGEST_MESSAGE: usize = 1024;
/// Of the claim's name, so that there is room for the rest below 253 characters.
const LONGEST_NAME: usize = 230;

/// Something the owner of a claim, or the administrator of a volume, should hear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    Succeeded,
    Failed,
    /// What was made for the claim is still there, and nobody has it.
    CleanupFailed,
    DeletionFailed,
    RecyclingFailed,
    /// A set got one more volume.
    MemberMade,
    MemberNotMade,
    MemberDeleted,
    MemberNotDeleted,
    /// A set cannot be kept as it is written.
    SetInvalid,
}

impl News {
    fn kind(self) -> &'static str {
        match self {
            Self::Succeeded | Self::MemberMade | Self::MemberDeleted => "Normal",
            Self::Failed
            | Self::CleanupFailed
            | Self::DeletionFailed
            | Self::RecyclingFailed
            | Self::MemberNotMade
            | Self::MemberNotDeleted
            | Self::SetInvalid => "Warning",
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::Succeeded => "ProvisioningSucceeded",
            Self::Failed => "ProvisioningFailed",
            Self::CleanupFailed => "ProvisioningCleanupFailed",
            Self::DeletionFailed => "VolumeFailedDelete",
            Self::RecyclingFailed => "VolumeFailedRecycle",
            Self::MemberMade => "SuccessfulCreate",
            Self::MemberNotMade => "FailedCreate",
            Self::MemberDeleted => "SuccessfulDelete",
            Self::MemberNotDeleted => "FailedDelete",
            Self::SetInvalid => "InvalidVolumeSet",
        }
    }
}

/// Whom an event is about.
struct About<'a> {
    api_version: &'static str,
    kind: &'static str,
    namespace: Option<&'a str>,
    name: &'a str,
    uid: Option<&'a String>,
    version: Option<&'a String>,
}

/// Plans an event on a claim that exists.
pub(super) fn tell(draft: &mut Draft, claim: &Claim, news: News, message: &str) {
    let about = About {
        api_version: "v1",
        kind: CLAIM,
        namespace: Some(&claim.key.namespace),
        name: &claim.key.name,
        uid: claim.uid.as_ref(),
        version: claim.resource_version.as_ref(),
    };
    tell_about(draft, &about, news, message);
}

/// Plans an event on a volume that exists.
pub(super) fn tell_of_volume(draft: &mut Draft, volume: &Volume, news: News, message: &str) {
    let about = About {
        api_version: "v1",
        kind: VOLUME,
        namespace: None,
        name: &volume.name,
        uid: volume.uid.as_ref(),
        version: volume.resource_version.as_ref(),
    };
    tell_about(draft, &about, news, message);
}

/// Plans an event on a set of volumes that exists.
pub(super) fn tell_of_set(draft: &mut Draft, set: &VolumeSet, news: News, message: &str) {
    let about = About {
        api_version: API_VERSION,
        kind: VOLUME_SET,
        namespace: None,
        name: &set.name,
        uid: set.uid.as_ref(),
        version: set.resource_version.as_ref(),
    };
    tell_about(draft, &about, news, message);
}

fn tell_about(draft: &mut Draft, about: &About<'_>, news: News, message: &str) {
    let Some(uid) = about.uid else {
        return;
    };
    let message: String = message.chars().take(LONGEST_MESSAGE / 4).collect();
    let reason = news.reason();
    // A number of a set may be given, and taken back, again and again.
    let recurs = matches!(news, News::MemberMade | News::MemberDeleted);
    let moment = about
        .version
        .filter(|_| recurs)
        .cloned()
        .unwrap_or_default();
    let number = fingerprint(&format!("{uid} {reason} {message}{moment}"));
    let start: String = about.name.chars().take(LONGEST_NAME).collect();
    let name = format!("{}.{number:016x}", start.trim_end_matches(['.', '-']));
    // What has no namespace is told of in this one.
    let namespace = about.namespace.unwrap_or("default");
    let mut object = json!({
        "apiVersion": about.api_version,
        "kind": about.kind,
        "name": about.name,
        "uid": uid,
        "resourceVersion": about.version,
    });
    if let Some(namespace) = about.namespace {
        object["namespace"] = json!(namespace);
    }
    let body = json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": { "name": name, "namespace": namespace },
        "involvedObject": object,
        "type": news.kind(),
        "reason": reason,
        "message": message,
        "source": { "component": OWN_COMPONENT },
        "reportingComponent": OWN_COMPONENT,
        "count": 1,
    });
    let what = match about.kind {
        CLAIM => "claim",
        VOLUME_SET => "set",
        _ => "volume",
    };
    let why = format!("whoever asks why hears it from the {what}");
    draft.add(Action::Event, Target::event(namespace, name), body, why);
}
