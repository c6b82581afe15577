//! Events on claims, volumes and sets, with the reasons of the real provisioners and the controller. An event's name is a hash of
//! what happened, never of its message: the same happening has one event, however it is worded, and `apply` counts it up.

use super::draft::{Draft, Patched};
use super::operation::Operation;
use super::plan::Target;
use crate::conventions::annotations::OWN_COMPONENT;
use crate::conventions::fingerprint::fingerprint;
use crate::model::{Claim, Volume, VolumeSet};
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

/// What happened, as far as it tells two events of one object apart: the event's name is made of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Happening<'a> {
    pub(super) news: News,
    /// The volume or asset that was created or deleted; empty where the object itself is meant, or there is none.
    pub(super) volume: &'a str,
    /// The step or the cause, as a code; empty where the reason is enough.
    pub(super) code: &'a str,
}

/// Plans an event on a claim that exists.
pub(super) fn tell(draft: &mut Draft, claim: &Claim, what: Happening<'_>, message: &str) {
    tell_about(draft, &claim.into(), what, message);
}

/// Plans an event on a volume that exists.
pub(super) fn tell_of_volume(
    draft: &mut Draft,
    volume: &Volume,
    what: Happening<'_>,
    message: &str,
) {
    tell_about(draft, &volume.into(), what, message);
}

/// Plans an event on a set of volumes that exists.
pub(super) fn tell_of_set(draft: &mut Draft, set: &VolumeSet, what: Happening<'_>, message: &str) {
    tell_about(draft, &set.into(), what, message);
}

fn tell_about(draft: &mut Draft, about: &Patched, what: Happening<'_>, message: &str) {
    let Patched { target, version } = about;
    let Some(uid) = &target.uid else {
        return;
    };
    let message: String = message.chars().take(LONGEST_MESSAGE / 4).collect();
    let news = what.news;
    let reason = news.reason();
    let name = name_of(target, uid, version.as_deref(), what);
    // What has no namespace is told of in this one.
    let namespace = target.namespace.as_deref().unwrap_or("default");
    let mut object = json!({
        "apiVersion": target.kind.api_version(),
        "kind": target.kind,
        "name": target.name,
        "uid": uid,
        "resourceVersion": version,
    });
    if let Some(namespace) = &target.namespace {
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
    let what = target.kind.noun();
    let why = format!("whoever asks why hears it from the {what}");
    draft.add(Target::event(namespace, &name), Operation::Event(body), why);
}

/// What the event is called. Events of this name exist in clusters: what is hashed never changes.
fn name_of(target: &Target, uid: &str, version: Option<&str>, what: Happening<'_>) -> String {
    let (reason, volume, code) = (what.news.reason(), what.volume, what.code);
    // A set creates and deletes a member of the same name again and again.
    let recurs = matches!(what.news, News::MemberMade | News::MemberDeleted);
    let version = version.filter(|_| recurs).unwrap_or_default();
    let number = fingerprint(&format!(
        "event/v2\nuid={uid}\nreason={reason}\nvolume={volume}\ncode={code}\nversion={version}"
    ));
    let start: String = target.name.chars().take(LONGEST_NAME).collect();
    format!("{}.{number:016x}", start.trim_end_matches(['.', '-']))
}
