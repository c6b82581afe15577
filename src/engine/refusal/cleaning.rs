//! Why a finding of `cleanup` stays.

use crate::conventions::object_ref::ObjectKey;
use crate::model::ReclaimPolicy;
use crate::report::code::coded;
use crate::report::{CleanupCategory, Code, join_and};

coded! {
    /// Why a finding stays.
    #[derive(Debug, Clone, PartialEq)]
    #[expect(missing_docs, reason = "the fields are the evidence their names say")]
    pub enum CleanupEvidence {
        /// Its provisioner deletes it: it is a duplicate.
        Duplicate { reason: String } as ForeignDeleter,
        /// Its category was not named.
        NotNamed { category: CleanupCategory },
        /// Its age is not known, and only old objects were asked for.
        AgeUnknown,
        /// It is not certain; likely, or less.
        NotCertain { reason: String, is_likely: bool },
        /// It is no finding any more.
        Kept(KeptEvidence) in kept,
        /// Something it depends on could not be read.
        NotReadable { what: String },
        /// A component deletes it, as its finalizer states.
        OtherDeleter { finalizer: String } as ForeignDeleter,
        /// A claim has it.
        HeldByClaim { claim: ObjectKey } as ClaimExists,
        /// It is reserved for a claim.
        Reserved { claim: ObjectKey } as ReservedForOtherClaim,
        /// Pods name its claim.
        NamedByPods { pods: Vec<String> } as InUse,
        /// It is attached to a node.
        Attached { node: String, attachment: String },
        /// A finalizer holds it.
        HeldByFinalizer { finalizer: String },
        /// It has another policy than Delete.
        NotDeleted { policy: ReclaimPolicy } as PolicyRetain,
        /// The record of an asset names no claim.
        OwnerUnknown as NotCertain,
        /// An asset holds data, or may.
        AssetHoldsData { name: String, is_known: bool } as HoldsData,
        /// The volume of an asset had another policy than Delete, or its record does not state one.
        AssetRetained { name: String, policy: Option<String> } as PolicyRetain,
    }
}

/// Why an object that was a finding is none any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptEvidence {
    /// The code of what keeps it.
    pub code: Code,
    /// Why it stays, as a clause.
    pub why: String,
}

impl KeptEvidence {
    fn code(&self) -> Code {
        self.code
    }
}

impl CleanupEvidence {
    pub(super) fn message(&self) -> String {
        match self {
            Self::Duplicate { reason } => {
                format!("{reason}: whoever made it deletes it, cleanup never does")
            }
            Self::NotNamed { category } => {
                let name = category.name();
                format!("it goes only when it is named: --category {name}")
            }
            Self::AgeUnknown => {
                "it is not known since when it has been so, and only what is old was asked for (--older-than); --include-likely includes it"
                    .to_owned()
            }
            Self::NotCertain { reason, is_likely: true } => {
                format!("{reason}: that is only likely (--include-likely)")
            }
            Self::NotCertain { reason, is_likely: false } => {
                format!("{reason}: that is not sure enough, see to it by hand")
            }
            Self::Kept(kept) => format!("{}, by now", kept.why),
            Self::NotReadable { what } => {
                format!("it depends on {what}, which could not be read")
            }
            Self::OtherDeleter { finalizer } => {
                format!("another component deletes it: {finalizer}")
            }
            Self::HeldByClaim { claim } => format!("claim {claim} holds it: delete that first"),
            Self::Reserved { claim } => format!("it is reserved for {claim}"),
            Self::NamedByPods { pods } => format!("pod {} still names its claim", join_and(pods)),
            Self::Attached { node, attachment } => {
                format!("it is attached to node {node} (volumeattachment {attachment})")
            }
            Self::HeldByFinalizer { finalizer } => {
                format!("it would not go while it is held by {finalizer}")
            }
            Self::NotDeleted { policy } => format!("its policy is {policy}"),
            Self::OwnerUnknown => "its record names no claim".to_owned(),
            Self::AssetHoldsData { name, is_known: true } => named_only("it holds data", name),
            Self::AssetHoldsData { name, is_known: false } => {
                named_only("it cannot be determined whether it holds data", name)
            }
            Self::AssetRetained { name, policy: Some(policy) } => {
                named_only(&format!("its volume had policy {policy}"), name)
            }
            Self::AssetRetained { name, policy: None } => {
                named_only("its record does not state the policy of its volume", name)
            }
        }
    }
}

fn named_only(why: &str, name: &str) -> String {
    format!("{why}: it is deleted only if it is named (--asset {name})")
}
