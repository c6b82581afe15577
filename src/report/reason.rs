//! Why a volume is not, or not certainly, the one a claim gets: the whole vocabulary, each with its evidence.

use super::code::coded;
use super::sentence::amount;
use crate::conventions::access_mode::AccessModes;
use crate::conventions::foreign::quoted;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::conventions::spoken::spoken;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::VolumePhase;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;

coded! {
    /// A reason on a volume. The code is the variant's name.
    #[derive(Debug, Clone, PartialEq)]
    pub enum VolumeReason {
        /// claimRef designates another claim, or nobody in particular.
        ReservedForOtherClaim(Holder),
        /// claimRef carries the uid of a claim that is gone.
        ReservedForDeletedClaim(Holder),
        /// The capacity is below the request.
        TooSmall {
            /// What is asked for.
            requested: Quantity,
            /// What there is.
            offered: Quantity,
        },
        /// Block against Filesystem.
        VolumeModeMismatch {
            /// What is asked for.
            requested: VolumeMode,
            /// What there is.
            offered: VolumeMode,
        },
        /// The VolumeAttributesClass differs.
        AttributesClassMismatch {
            /// What is asked for.
            requested: String,
            /// What there is.
            offered: String,
        },
        /// The volume's deletion was asked for.
        BeingDeleted {
            /// Who holds it still.
            finalizers: Vec<String>,
        },
        /// The phase, as it settles, is not Available.
        NotAvailable {
            /// The phase.
            phase: VolumePhase,
        },
        /// The selector does not match the labels.
        SelectorMismatch {
            /// The requirements that do not hold, as `-l` spells them.
            unmet: Vec<String>,
            /// The volume's own values of those keys.
            labels: Vec<String>,
        },
        /// The class differs.
        ClassMismatch {
            /// What is asked for.
            requested: String,
            /// What there is.
            offered: String,
        },
        /// Not every access mode is offered.
        AccessModesMissing {
            /// The modes that are missing.
            missing: AccessModes,
            /// The modes there are.
            offered: AccessModes,
        },
        /// The volume cannot be used on the node (scheduler).
        NodeAffinityMismatch {
            /// The node.
            node: String,
        },
        /// Given to another claim of the same pod or plan.
        TakenByOtherClaim {
            /// That claim.
            claim: ObjectKey,
        },
        /// It would do; the scheduler decides when a pod comes.
        WaitsForScheduler,
        /// A smaller one is taken.
        LargerThanChosen {
            /// The size of the one taken.
            chosen: Quantity,
        },
        /// One with fewer access modes is taken.
        MoreModesThanChosen {
            /// The modes of the one taken.
            chosen: AccessModes,
        },
        /// One that is reserved for the claim is taken.
        ReservedVolumePreferred {
            /// The reserved volumes.
            reserved: Vec<String>,
        },
        /// Equal in all that counts, but its name sorts later (rules v1.4, where ties are settled).
        LaterNameThanChosen {
            /// The one taken.
            chosen: String,
        },
        /// The claim has provisioning options, so no existing volume serves (seed 003).
        OptionsNeedNewVolume,
        /// The alpha class annotation keeps the volume for dynamic provisioning (rules v1.4).
        AlphaClassAnnotation,
    }
}

/// Who a volume is reserved for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holder {
    /// The claim's namespace and name; both empty for an empty claimRef.
    pub claim: Option<ObjectKey>,
    /// The uid in the claimRef.
    pub uid: Option<String>,
    /// The uid of the claim that is asking, where it has the same name.
    pub asking_uid: Option<String>,
}

impl VolumeReason {
    /// Where the code stands in the contract's list, which orders rejected volumes.
    pub fn rank(&self) -> usize {
        match self {
            Self::ReservedForOtherClaim(_) => 0,
            Self::ReservedForDeletedClaim(_) => 1,
            Self::TooSmall { .. } => 2,
            Self::VolumeModeMismatch { .. } => 3,
            Self::AttributesClassMismatch { .. } => 4,
            Self::BeingDeleted { .. } => 5,
            Self::NotAvailable { .. } => 6,
            Self::SelectorMismatch { .. } => 7,
            Self::ClassMismatch { .. } => 8,
            Self::AccessModesMissing { .. } => 9,
            Self::NodeAffinityMismatch { .. } => 10,
            Self::TakenByOtherClaim { .. } => 11,
            Self::WaitsForScheduler => 12,
            Self::LargerThanChosen { .. } => 13,
            Self::MoreModesThanChosen { .. } => 14,
            Self::ReservedVolumePreferred { .. } => 15,
            Self::LaterNameThanChosen { .. } => 16,
            Self::OptionsNeedNewVolume => 17,
            Self::AlphaClassAnnotation => 18,
        }
    }

    /// One short clause, read after the code.
    fn message_words(&self) -> String {
        match self {
            Self::ReservedForOtherClaim(holder) => match &holder.claim {
                None => "its claimRef is empty, which reserves it for nobody".to_owned(),
                Some(claim) if holder.uid.is_none() => {
                    format!(
                        "reserved by name for {claim}",
                        claim = quoted(&claim.to_string())
                    )
                }
                Some(claim) => format!("held by {claim}", claim = quoted(&claim.to_string())),
            },
            Self::ReservedForDeletedClaim(holder) => holder.deleted_message(),
            // Only where a claim names its volume: sizes are compared there in 64 bits (Q4).
            Self::TooSmall { requested, offered } if offered >= requested => {
                format!("{offered} does not fit into the 64 bits Kubernetes compares sizes in here")
            }
            Self::TooSmall { requested, offered } => {
                format!(
                    "{offered} is {} less than {requested}",
                    amount(requested.units_above(offered))
                )
            }
            Self::VolumeModeMismatch { requested, offered } => {
                format!("{offered}, not {requested}")
            }
            Self::AttributesClassMismatch { requested, offered } => {
                format!(
                    "attributes class {}, not {}",
                    spelled(offered),
                    spelled(requested)
                )
            }
            Self::BeingDeleted { finalizers } if finalizers.is_empty() => {
                "is being deleted".to_owned()
            }
            Self::BeingDeleted { finalizers } => {
                format!("is being deleted, held by {}", finalizers.join(", "))
            }
            Self::NotAvailable { phase } => format!("phase {phase}"),
            Self::SelectorMismatch { unmet, labels } if labels.is_empty() => {
                format!("lacks {}", unmet.join(", "))
            }
            Self::SelectorMismatch { unmet, labels } => {
                format!("wants {}, has {}", unmet.join(", "), labels.join(", "))
            }
            Self::ClassMismatch { requested, offered } if requested.is_empty() => {
                format!("{offered}, and none is asked for")
            }
            Self::ClassMismatch { requested, offered } => {
                format!("{}, not {}", spelled(offered), spelled(requested))
            }
            Self::AccessModesMissing { missing, .. } => format!("no {missing}"),
            Self::NodeAffinityMismatch { node } => {
                format!("cannot be used on {node}", node = quoted(node))
            }
            Self::TakenByOtherClaim { claim } => {
                format!("taken by {claim}", claim = quoted(&claim.to_string()))
            }
            Self::WaitsForScheduler => {
                "would do; the scheduler decides when a pod comes".to_owned()
            }
            Self::LargerThanChosen { chosen } => format!("fits, but larger than {chosen}"),
            Self::MoreModesThanChosen { chosen } => {
                format!("fits, but offers more modes than {}", chosen.short())
            }
            Self::ReservedVolumePreferred { reserved } => {
                format!(
                    "fits, but {} is reserved for this claim",
                    reserved.join(", ")
                )
            }
            Self::LaterNameThanChosen { chosen } => {
                format!("fits, but its name comes after {chosen}")
            }
            Self::OptionsNeedNewVolume => {
                "the claim has provisioning options: only a new volume can honour them".to_owned()
            }
            Self::AlphaClassAnnotation => {
                "its alpha class annotation keeps it for dynamic provisioning".to_owned()
            }
        }
    }

    /// The same for a sentence in which the code does not stand.
    pub fn clause(&self) -> String {
        match self {
            Self::ClassMismatch { offered, .. } if offered.is_empty() => {
                format!("it has {}", self.message())
            }
            Self::ClassMismatch { .. } => format!("its class is {}", self.message()),
            Self::VolumeModeMismatch { .. } => format!("its mode is {}", self.message()),
            Self::AccessModesMissing { .. } => format!("it offers {}", self.message()),
            _ => self.message(),
        }
    }

    /// What to change, where something can be.
    fn hint_words(&self) -> Option<String> {
        Some(match self {
            Self::ReservedForDeletedClaim(_) => {
                "clear claimRef.uid: by name alone it is kept, with its data, for the claim of that name; without a claimRef it is anybody's"
                    .to_owned()
            }
            Self::ReservedForOtherClaim(Holder { claim: None, .. }) => {
                "remove the empty claimRef".to_owned()
            }
            Self::TooSmall { offered, .. } => {
                format!("ask for {offered} or less; the claim must be made anew")
            }
            Self::VolumeModeMismatch { offered, .. } => {
                format!(
                    "neither side can be changed: make the claim anew with volumeMode {offered}, or use another volume"
                )
            }
            Self::AttributesClassMismatch { .. } => {
                "make the claim anew with the volume's attributes class".to_owned()
            }
            Self::BeingDeleted { .. } => {
                "a volume cannot be taken back once its deletion is asked for".to_owned()
            }
            Self::SelectorMismatch { unmet, .. } => {
                format!("label the volume so that {} holds", unmet.join(","))
            }
            Self::ClassMismatch { requested, .. } if requested.is_empty() => {
                "take the volume's class away, or make the claim anew with that class".to_owned()
            }
            Self::ClassMismatch { requested, .. } => format!(
                "set the volume's storageClassName to {}",
                spelled(requested)
            ),
            Self::AccessModesMissing { missing, .. } => {
                format!("add {missing} to the volume, if its storage can do it")
            }
            _ => return None,
        })
    }

    fn write_evidence<M: SerializeMap>(&self, map: &mut M) -> std::result::Result<(), M::Error> {
        match self {
            Self::ReservedForOtherClaim(holder) | Self::ReservedForDeletedClaim(holder) => {
                if let Some(claim) = &holder.claim {
                    map.serialize_entry("claim", &claim.to_string())?;
                }
                holder
                    .uid
                    .as_ref()
                    .map_or(Ok(()), |uid| map.serialize_entry("uid", uid))
            }
            Self::TooSmall { requested, offered } => {
                map.serialize_entry("requested", requested.as_str())?;
                map.serialize_entry("offered", offered.as_str())
            }
            Self::VolumeModeMismatch { requested, offered } => {
                map.serialize_entry("requested", requested)?;
                map.serialize_entry("offered", offered)
            }
            Self::AttributesClassMismatch { requested, offered }
            | Self::ClassMismatch { requested, offered } => {
                map.serialize_entry("requested", requested)?;
                map.serialize_entry("offered", offered)
            }
            Self::BeingDeleted { finalizers } => map.serialize_entry("finalizers", finalizers),
            Self::NotAvailable { phase } => map.serialize_entry("phase", phase),
            Self::SelectorMismatch { unmet, labels } => {
                map.serialize_entry("unmet", unmet)?;
                map.serialize_entry("labels", labels)
            }
            Self::AccessModesMissing { missing, offered } => {
                map.serialize_entry("missing", missing)?;
                map.serialize_entry("offered", offered)
            }
            Self::NodeAffinityMismatch { node } => map.serialize_entry("node", node),
            Self::TakenByOtherClaim { claim } => map.serialize_entry("claim", &claim.to_string()),
            Self::LargerThanChosen { chosen } => map.serialize_entry("chosen", chosen.as_str()),
            Self::MoreModesThanChosen { chosen } => map.serialize_entry("chosen", chosen),
            Self::ReservedVolumePreferred { reserved } => map.serialize_entry("reserved", reserved),
            Self::LaterNameThanChosen { chosen } => map.serialize_entry("chosen", chosen),
            Self::WaitsForScheduler | Self::OptionsNeedNewVolume | Self::AlphaClassAnnotation => {
                Ok(())
            }
        }
    }
}

impl Holder {
    fn deleted_message(&self) -> String {
        let claim = self
            .claim
            .as_ref()
            .map(|claim| quoted(&claim.to_string()).into_owned())
            .unwrap_or_default();
        let uid = short_uid(self.uid.as_deref());
        match &self.asking_uid {
            Some(asking) => format!(
                "held for an earlier {claim} (uid {uid}), this one is uid {}",
                short_uid(Some(asking))
            ),
            None => format!("held for {claim} (uid {uid}), which is gone"),
        }
    }
}

/// The first letters of a uid are enough to tell two apart.
pub(super) fn short_uid(uid: Option<&str>) -> String {
    let uid = uid.unwrap_or("none");
    match uid.char_indices().nth(8) {
        Some((end, _)) => format!("{}…", &uid[..end]),
        None => uid.to_owned(),
    }
}

/// A class name in a sentence; the empty one has no name to print.
fn spelled(class: &str) -> Cow<'_, str> {
    if class.is_empty() {
        "no class".into()
    } else {
        quoted(class)
    }
}

impl Serialize for VolumeReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code())?;
        map.serialize_entry("message", &self.message())?;
        if let Some(hint) = self.hint() {
            map.serialize_entry("hint", &hint)?;
        }
        self.write_evidence(&mut map)?;
        map.end()
    }
}

impl VolumeReason {
    /// One clause, lowercase, without a full stop.
    pub fn message(&self) -> String {
        spoken(self.message_words())
    }

    /// What to do about it, where that can be said in a clause.
    pub fn hint(&self) -> Option<String> {
        self.hint_words().map(spoken)
    }
}
