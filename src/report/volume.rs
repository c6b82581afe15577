//! `explain pv/NAME`: who has a volume, who could take it, and what becomes of it and its data.

use super::claim::is_zero;
use super::reason::short_uid;
use super::{
    Consumer, FateResult, Reclaimer, Removal, Says, Suggestion, Taker, Unknown, VolumeFinding,
};
use crate::conventions::access_mode::AccessModes;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::{Time, VolumePhase};
use serde::Serialize;

/// Everything about one volume.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VolumeExplanation {
    /// See [`super::API_VERSION`].
    pub api_version: &'static str,
    /// `VolumeExplanation`.
    pub kind: &'static str,
    /// The rules asked: `v1.36` or `v1.4`.
    pub rules: &'static str,
    /// The volume.
    pub volume: VolumeSummary,
    /// Whom it is for.
    pub claim_ref: ClaimRefSummary,
    /// The pods that use it through its claim; null if that could not be read.
    pub used_by: Option<Vec<Consumer>>,
    /// Every unbound claim, judged for this volume, best first. Its owner is not among them.
    pub claims: Vec<Taker>,
    /// How many were left out of `claims`.
    #[serde(skip_serializing_if = "is_zero")]
    pub claims_omitted: usize,
    /// What becomes of it when its claim goes.
    pub on_claim_deletion: OnClaimDeletion,
    /// Where it is, or is to be, attached.
    pub attachments: Vec<AttachmentSummary>,
    /// Its finalizers: who holds it when it is deleted, and until when.
    pub holders: Vec<FinalizerHold>,
    /// Why it is Released or Failed, why nobody can take it; the main cause first.
    pub causes: Vec<VolumeFinding>,
    /// What would help.
    pub suggestions: Vec<Suggestion>,
    /// The events the control plane emits on the volume in this state.
    pub kubernetes_says: Vec<Says>,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
}

/// The volume, as far as the answer depends on it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VolumeSummary {
    /// The name.
    pub name: String,
    /// The phase as stored.
    pub phase: VolumePhase,
    /// Since when, if the cluster notes that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase_since: Option<Time>,
    /// The phase it settles in once the controller has looked at it.
    pub effective_phase: VolumePhase,
    /// Its capacity, as written.
    pub capacity: String,
    /// The modes it offers.
    pub access_modes: AccessModes,
    /// Its class; empty for none.
    pub class: String,
    /// The reclaim policy.
    pub reclaim_policy: String,
    /// Block or Filesystem.
    pub volume_mode: VolumeMode,
    /// Where the data lies: the field of the spec and the path, share or handle.
    pub source: String,
    /// Who made it; null for a volume made by hand.
    pub provisioned_by: Option<String>,
    /// Whether one run of `kubectl pv` made it, so that nobody acts on it by himself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub made_once: bool,
    /// Whether its deletion was asked for.
    pub being_deleted: bool,
    /// Where it may be used; null for everywhere.
    pub reach: Option<NodeReach>,
}

/// The nodes a volume may be used on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeReach {
    /// What their labels must be, as `-l` spells it; alternatives with `or` between them.
    pub wanted: String,
    /// How many nodes there are with such labels; null if that could not be read.
    pub nodes: Option<usize>,
}

/// What a claimRef is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ClaimRefState {
    /// It names one claim by name and uid: a later claim of the same name is another claim.
    Uid,
    /// It names a claim by name alone: whichever claim of that name comes.
    NameOnly,
    /// It is there and names nobody.
    Empty,
    /// There is none: the volume is anybody's.
    None,
}

/// Whom the volume is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimRefSummary {
    /// What it is.
    pub state: ClaimRefState,
    /// The claim's namespace.
    pub namespace: Option<String>,
    /// The claim's name.
    pub name: Option<String>,
    /// The claim's uid.
    pub uid: Option<String>,
    /// Whether that claim exists, with that uid if there is one; null if that is not known, or nobody is named.
    pub claim_exists: Option<bool>,
    /// The volume that claim is bound to instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_elsewhere: Option<String>,
    /// What that means, as a clause.
    pub meaning: String,
}

impl ClaimRefSummary {
    /// The claim as people write it, if one is named.
    pub fn claim(&self) -> Option<String> {
        let (namespace, name) = (self.namespace.as_ref()?, self.name.as_ref()?);
        Some(format!("{namespace}/{name}"))
    }

    /// The same, with its meaning in words. Files that hold no claim at all prove of none that it is gone.
    #[must_use]
    pub fn with_meaning(self, files_hold_no_claim: bool) -> Self {
        let gone = if files_hold_no_claim {
            "which is not in the files and counts as gone"
        } else {
            "which is gone"
        };
        Self {
            meaning: self.in_words(gone),
            ..self
        }
    }

    fn in_words(&self, gone: &str) -> String {
        let claim = self.claim().unwrap_or_default();
        match self.state {
            ClaimRefState::None => "none: any claim that fits may take the volume".to_owned(),
            ClaimRefState::Empty => {
                "empty: it names nobody, and while it is there nobody can take the volume"
                    .to_owned()
            }
            ClaimRefState::NameOnly => {
                let there = match self.claim_exists {
                    Some(true) => "",
                    Some(false) => ", which does not exist yet",
                    None => "; whether it exists could not be seen",
                };
                format!("by name, without a uid: kept for the next {claim}{there}")
            }
            ClaimRefState::Uid => {
                let uid = short_uid(self.uid.as_deref());
                match (self.claim_exists, &self.bound_elsewhere) {
                    (Some(true), Some(other)) => {
                        format!("by uid: {claim} (uid {uid}), which is bound to {other} instead")
                    }
                    (Some(true), None) => format!("by uid: {claim} (uid {uid}) and no other"),
                    (Some(false), _) => format!(
                        "by uid: {claim} (uid {uid}), {gone}; a new claim of that name is another one"
                    ),
                    (None, _) => format!(
                        "by uid: {claim} (uid {uid}); whether it is still there could not be seen"
                    ),
                }
            }
        }
    }
}

/// What becomes of a volume when its claim goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OnClaimDeletion {
    /// In one word.
    pub result: FateResult,
    /// Who does it, if a component does.
    pub by: Option<Reclaimer>,
    /// Why, as a clause.
    pub why: String,
    /// What becomes of the data.
    pub data: DataFate,
    /// The phase the controller leaves the volume in; null where the volume goes.
    pub phase: Option<VolumePhase>,
    /// What the controller then says on the volume, word for word.
    pub says: Vec<Says>,
    /// What happens to object and data, if the volume is being deleted while it is bound.
    #[serde(skip)]
    pub removal: Option<Removal>,
}

/// What becomes of the data on a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum DataFate {
    /// It stays where it is.
    Kept,
    /// It is gone afterwards.
    Destroyed,
    /// It may stay or be gone: no component is sure to delete it before the object disappears.
    Unknown,
}

/// Where a volume is, or is to be, attached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentSummary {
    /// The VolumeAttachment.
    pub name: String,
    /// The node.
    pub node: String,
    /// Whether the node exists; null if that could not be read.
    pub node_exists: Option<bool>,
    /// Whether the driver has reported it attached.
    pub attached: bool,
    /// Whether it is being detached.
    pub detaching: bool,
    /// What the driver last said against attaching or detaching.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl AttachmentSummary {
    /// `csi-9f (node a-7, which is gone)`.
    pub fn spelled(&self) -> String {
        let gone = if self.node_exists == Some(false) {
            ", which is gone"
        } else {
            ""
        };
        format!("{} (node {}{gone})", self.name, self.node)
    }
}

/// A finalizer: who put it there, and when it goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FinalizerHold {
    /// The finalizer.
    pub finalizer: String,
    /// Who takes it away; null if that cannot be told from its name.
    pub by: Option<String>,
    /// What that waits for, as a clause.
    pub waits_for: String,
}
