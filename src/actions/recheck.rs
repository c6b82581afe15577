//! What is checked once more, immediately before something is changed for good: no version of the object itself shows whether
//! another object has come to need it.

use crate::conventions::object_ref::ObjectKey;
use crate::engine::OwnedAsset;
use serde_json::{Value, json};

/// What must be so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Recheck {
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
    /// The controller does not empty the volume: in these namespaces no recycler pod of the target's name mounts its source
    /// and has not finished.
    NoRecycler {
        namespaces: Vec<String>,
        /// As sources of volumes are spelled.
        source: String,
        period: Period,
        why: &'static str,
    },
    /// Our lock is the last that was written to the volume.
    LockIsLast,
}

/// How long it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Period {
    Once,
    /// Until the controller has heard of our lock.
    ForAWhile,
}

impl Recheck {
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
            Self::NoRecycler {
                namespaces,
                source,
                period,
                ..
            } => {
                let until = "there is no such pod that has not finished";
                let mut body =
                    json!({ "until": until, "namespaces": namespaces, "mounts": source });
                if *period == Period::ForAWhile {
                    body["forAWhile"] = json!(true);
                }
                body
            }
            Self::LockIsLast => json!({
                "until": "nobody has written it since it was locked", "resourceVersion": null }),
        }
    }

    pub(super) fn why(&self) -> String {
        match self {
            Self::NoPodUses { .. } => "a pod may have come meanwhile",
            Self::NotBoundElsewhere { .. } => "the claim may have been bound meanwhile",
            Self::NoVolume(_) => "its volume may have come back meanwhile",
            Self::NothingHas(_) => "a volume or the claim may have come meanwhile",
            Self::NoRecycler { why, .. } => why,
            Self::LockIsLast => "nobody has taken it meanwhile",
        }
        .to_owned()
    }
}
