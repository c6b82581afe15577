//! What is looked at once more, immediately before something goes: no version of the object itself tells whether somebody has
//! come to need it.

use crate::conventions::object_ref::ObjectKey;
use crate::engine::OwnedAsset;
use serde_json::{Value, json};

/// What must be so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Look {
    /// No pod names the claim: none at all, or none on that node.
    NoPodUses {
        claim: ObjectKey,
        node: Option<String>,
    },
    /// The claim is not bound to another volume than this one.
    NotBoundElsewhere { claim: ObjectKey, volume: String },
    /// The volume is gone.
    NoVolume(String),
    /// No volume and no claim has an asset.
    NothingHas(OwnedAsset),
}

impl Look {
    /// For the plan.
    pub(super) fn spelled(&self) -> Value {
        match self {
            Self::NoPodUses { claim, node: None } => json!({ "noPodUses": claim.to_string() }),
            Self::NoPodUses {
                claim,
                node: Some(node),
            } => json!({ "noPodUses": claim.to_string(), "node": node }),
            Self::NotBoundElsewhere { claim, volume } => {
                json!({ "notBoundElsewhere": claim.to_string(), "volume": volume })
            }
            Self::NoVolume(name) => json!({ "noVolume": name }),
            Self::NothingHas(asset) => json!({
                "noVolumeAt": asset.source.spelled(), "noClaim": asset.claim.to_string(), "uid": asset.uid }),
        }
    }

    pub(super) fn why(&self) -> String {
        match self {
            Self::NoPodUses { .. } => "a pod may have come meanwhile",
            Self::NotBoundElsewhere { .. } => "the claim may have been bound meanwhile",
            Self::NoVolume(_) => "its volume may have come back meanwhile",
            Self::NothingHas(_) => "a volume or the claim may have come meanwhile",
        }
        .to_owned()
    }
}
