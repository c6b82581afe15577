//! One object that a category has something to say about, and what it says.

use super::FoundAsset;
use super::assets::AssetOwner;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::Labels;
use crate::model::{Claim, Time, Volume, VolumeAttachment};
use crate::report::{CleanupObject, Confidence, KeptCode};

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
    pub(super) code: KeptCode,
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
    pub(super) commands: Vec<String>,
}

impl<'a> Row<'a> {
    pub(super) fn kept(subject: Subject<'a>, code: KeptCode, why: impl Into<String>) -> Self {
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
    pub(super) fn obvious(subject: Subject<'a>, code: KeptCode, why: impl Into<String>) -> Self {
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
            Self::Volume(volume) => ("PersistentVolume", &volume.name, volume.uid.as_ref()),
            Self::Claim(claim) => ("PersistentVolumeClaim", &claim.key.name, claim.uid.as_ref()),
            Self::Attachment(attachment, _) => (
                "VolumeAttachment",
                &attachment.name,
                attachment.uid.as_ref(),
            ),
            Self::Asset(asset) => ("Asset", &asset.name, None),
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
