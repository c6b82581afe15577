//! Answers as plain serialisable data: the JSON contract. Fields are only ever added.

mod cause;
mod claim;
mod inventory;
mod reason;
mod sentence;
#[cfg(test)]
mod tests;

pub use cause::{Cause, ClaimCause, Severity};
pub use claim::{
    Assessment, ClaimSummary, ClassSource, ClassSummary, ClusterView, Consumer, Explanation,
    ExplanationList, Path, ProvisionedBy, Provisioning, ProvisioningProblem, Result, Says, Story,
    Suggestion, Unknown, Verdict,
};
pub use inventory::{
    Attention, AttentionCode, ClassUse, Counts, Finding, Inventory, LabelKey, LabelValue,
    MissingLabel, PendingClaim,
};
pub use reason::{Holder, VolumeReason};
pub use sentence::{amount, join_and, join_or, plural};

/// The `apiVersion` of everything we print.
pub const API_VERSION: &str = "kubectl-pv.dev/v1alpha1";

/// How much harm a command may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub enum Danger {
    /// Nothing is lost, whatever happens.
    Harmless,
    /// It can be undone.
    Reversible,
    /// Data is gone afterwards.
    LosesData,
}
