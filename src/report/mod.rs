//! Answers as plain serialisable data: the JSON contract. Fields are only ever added.

mod cause;
mod claim;
mod class;
mod class_template;
mod cleanup;
pub(crate) mod code;
mod conversion;
mod evidence;
mod fate;
mod forecast;
mod inventory;
mod list;
mod node;
mod parameter;
mod pod;
mod pod_cause;
mod reason;
mod removal;
mod sentence;
mod taker;
#[cfg(test)]
mod tests;
mod unknown;
mod validation;
mod volume;
mod volume_cause;
mod volume_set;

pub use cause::{Cause, ClaimCause, Severity};
pub use claim::{
    Assessment, ClaimSummary, ClassSource, ClassSummary, ClusterView, Consumer, Explanation, Path,
    ProvisionedBy, Provisioning, ProvisioningProblem, Result, Says, Story, Suggestion, Verdict,
};
pub use class::{
    ClassDescription, ClassDriver, ClassFacts, ClassTopologies, ClassUsage, OptionDescription,
    Presence, PublishedCapacity, served,
};
pub use class_template::{ClaimTemplate, TemplateEntry, TemplateValue};
pub use cleanup::{
    CleanupCategory, CleanupFinding, CleanupObject, CleanupReport, Confidence, KeptObject,
    NoTarget, RefusedCategory, SkippedSelection,
};
pub use code::Code;
pub use conversion::ConversionChange;
pub use evidence::{
    ClaimUser, DataSourceName, FutureUser, HoldingPod, KeepMark, Likeness, Mismatch, NearNode,
    NotReady, PodHold, ReportedCondition, SourceKind, UnboundClaim, VolumeHolder, WithoutOptions,
};
pub use fate::{Fate, FateResult, NoDeleter, NoRecycler, ReclaimError, ReclaimFailure, Reclaimer};
pub use forecast::{
    ClaimForecast, Contention, Forecast, ForecastChange, ForecastEnd, Group, Settled,
};
pub use inventory::{
    Attention, AttentionCode, ClassUse, Counts, Inventory, InventoryFinding, LabelKey, LabelValue,
    MissingLabel, PendingClaim,
};
pub use list::List;
pub use node::{NodeAssessment, NodeReason, Refuser, volumes_in_words};
pub use parameter::ParameterDescription;
pub use pod::{PodExplanation, PodSummary, PodVerdict};
pub use pod_cause::PodCause;
pub use reason::{Holder, VolumeReason};
pub use removal::Removal;
pub use sentence::{FEW, amount, did_you_mean, few, few_of, join_and, join_or, plural};
pub use taker::{Taker, TakerReason, TakerResult};
pub use unknown::{Unknown, UnknownReason, UnknownRemedy, UnknownSubject};
pub use validation::{Finding, FindingCode, FindingObject, FindingSeverity, ValidationReport};
pub use volume::{
    AttachmentSummary, ClaimRefState, ClaimRefSummary, DataFate, FinalizerHold, NodeReach,
    OnClaimDeletion, VolumeExplanation, VolumeSummary,
};
pub use volume_cause::{DeleterPresence, VolumeCause, VolumeFinding};
pub use volume_set::{CountsAs, SetFinding, SetMember, VolumeSetReport, VolumeSetStatus};

/// The `apiVersion` of everything we print.
pub const API_VERSION: &str = crate::conventions::object_kind::OWN_API_VERSION;

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
