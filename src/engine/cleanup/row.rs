//! One object that a category has something to say about, and what it says.

use super::found_asset::{AssetOwner, FoundAsset};
use crate::conventions::command_line::CommandLine;
use crate::conventions::object_kind::ObjectKind;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::Labels;
use crate::engine::own_marks::is_locked;
use crate::model::{Claim, ClusterState, Time, Volume, VolumeAttachment};
use crate::report::{CleanupObject, Code, Confidence};

/// An answer about an object.
pub(super) struct Row<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) answer: Answer,
}

/// What it is about.
pub(super) enum Subject<'a> {
    Volume(&'a Volume),
    Claim(&'a Claim),
    /// An attachment, and its volume where that is there.
    Attachment(&'a VolumeAttachment, Option<&'a Volume>),
    Asset(&'a FoundAsset),
}

/// Whether it may go.
pub(super) enum Answer {
    Finding(Finding),
    Kept(Kept),
}

/// It may not.
pub(super) struct Kept {
    pub(super) code: Code,
    pub(super) why: String,
    /// Whether nobody would take it for a leftover.
    pub(super) is_obvious: bool,
}

/// It may.
pub(super) struct Finding {
    pub(super) reason: String,
    pub(super) confidence: Confidence,
    pub(super) since: Option<Time>,
    /// The volume that is freed, and how much it holds.
    pub(super) frees: Option<(String, Quantity)>,
    pub(super) commands: Vec<CommandLine>,
    /// Whether the commands create a volume for an asset again.
    pub(super) recreates: bool,
}

/// The storage that an object stands for, as far as it is known.
#[derive(Default)]
pub(super) struct StorageFacts {
    pub(super) policy: Option<String>,
    pub(super) claim: Option<String>,
    pub(super) path: Option<String>,
}

impl StorageFacts {
    fn of_volume(volume: &Volume) -> Self {
        let owner = volume.claim_ref.as_ref().filter(|it| !it.is_empty());
        Self {
            policy: Some(volume.reclaim_policy.to_string()),
            claim: owner.map(|owner| owner.key().to_string()),
            path: volume.source.path(),
        }
    }

    fn of_claim(claim: &Claim, state: &ClusterState) -> Self {
        let volume = claim.volume_name.as_ref();
        let volume = volume.and_then(|name| state.find_volume(name));
        let is_its_own = |volume: &&Volume| {
            let reference = volume.claim_ref.as_ref();
            reference.is_some_and(|reference| reference.designates(claim))
        };
        Self {
            claim: Some(claim.key.to_string()),
            ..volume
                .filter(is_its_own)
                .map(Self::of_volume)
                .unwrap_or_default()
        }
    }

    fn of_asset(asset: &FoundAsset) -> Self {
        Self {
            policy: asset.policy.clone(),
            claim: match &asset.owner {
                Some(AssetOwner::Claim { key, .. }) => Some(key.to_string()),
                Some(AssetOwner::Other(_)) | None => None,
            },
            path: asset.source().path(),
        }
    }
}

impl<'a> Row<'a> {
    pub(super) fn kept(subject: Subject<'a>, code: Code, why: impl Into<String>) -> Self {
        Self {
            subject,
            answer: Answer::Kept(Kept {
                code,
                why: why.into(),
                is_obvious: false,
            }),
        }
    }

    /// What is kept and would be taken for a leftover by nobody.
    pub(super) fn obvious(subject: Subject<'a>, code: Code, why: impl Into<String>) -> Self {
        Self {
            subject,
            answer: Answer::Kept(Kept {
                code,
                why: why.into(),
                is_obvious: true,
            }),
        }
    }

    pub(super) fn found(subject: Subject<'a>, finding: Finding) -> Self {
        Self {
            subject,
            answer: Answer::Finding(finding),
        }
    }
}

/// What a volume holds, under its name.
pub(super) fn held_by(volume: &Volume) -> (String, Quantity) {
    (volume.name.clone(), volume.capacity.clone())
}

impl Subject<'_> {
    /// Whether it is a volume that kubectl pv has begun to delete.
    pub(super) fn is_locked(&self) -> bool {
        matches!(self, Self::Volume(volume) if is_locked(volume))
    }

    /// The storage it stands for.
    pub(super) fn storage(&self, state: &ClusterState) -> StorageFacts {
        match self {
            Self::Volume(volume) | Self::Attachment(_, Some(volume)) => {
                StorageFacts::of_volume(volume)
            }
            Self::Claim(claim) => StorageFacts::of_claim(claim, state),
            Self::Attachment(_, None) => StorageFacts::default(),
            Self::Asset(asset) => StorageFacts::of_asset(asset),
        }
    }

    /// When it was created, where that is known.
    pub(super) fn created(&self) -> Option<Time> {
        match self {
            Self::Volume(volume) => volume.created,
            Self::Claim(claim) => claim.created,
            Self::Attachment(..) | Self::Asset(_) => None,
        }
    }

    pub(super) fn object(&self) -> CleanupObject {
        let (kind, name, uid) = match self {
            Self::Volume(volume) => (
                ObjectKind::PersistentVolume,
                &volume.name,
                volume.uid.as_ref(),
            ),
            Self::Claim(claim) => (
                ObjectKind::PersistentVolumeClaim,
                &claim.key.name,
                claim.uid.as_ref(),
            ),
            Self::Attachment(attachment, _) => (
                ObjectKind::VolumeAttachment,
                &attachment.name,
                attachment.uid.as_ref(),
            ),
            Self::Asset(asset) => (ObjectKind::Asset, &asset.name, None),
        };
        let namespace = match self {
            Self::Claim(claim) => Some(claim.key.namespace.clone()),
            _ => None,
        };
        CleanupObject {
            kind,
            namespace,
            name: name.clone(),
            uid: uid.cloned(),
        }
    }

    /// The namespace it belongs to; what belongs to none is everybody's.
    pub(super) fn namespace(&self) -> Option<&str> {
        match self {
            Self::Volume(volume) | Self::Attachment(_, Some(volume)) => volume.claim_namespace(),
            Self::Claim(claim) => Some(&claim.key.namespace),
            Self::Attachment(_, None) => None,
            Self::Asset(asset) => match &asset.owner {
                Some(AssetOwner::Claim { key, .. }) => Some(&key.namespace),
                Some(AssetOwner::Other(_)) | None => None,
            },
        }
    }

    pub(super) fn labels(&self) -> Option<&Labels> {
        match self {
            Self::Volume(volume) | Self::Attachment(_, Some(volume)) => Some(&volume.labels),
            Self::Claim(claim) => Some(&claim.labels),
            Self::Attachment(_, None) | Self::Asset(_) => None,
        }
    }

    pub(super) fn class(&self) -> Option<&str> {
        match self {
            Self::Volume(volume) | Self::Attachment(_, Some(volume)) => Some(volume.class()),
            Self::Claim(claim) => Some(claim.class.resolved()),
            Self::Attachment(_, None) | Self::Asset(_) => None,
        }
    }
}
