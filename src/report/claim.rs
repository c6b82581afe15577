//! `explain CLAIM`: the verdict for one claim, volume by volume.

use super::{
    Cause, ClaimUser, Code, Danger, DataFate, FateResult, NodeAssessment, Unknown, VolumeReason,
};
use crate::conventions::access_mode::AccessModes;
use crate::conventions::command_line::CommandLine;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::{ClaimPhase, VolumePhase};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// What a claim gets, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// See [`super::API_VERSION`].
    pub api_version: &'static str,
    /// `Explanation`.
    pub kind: &'static str,
    /// The rules asked: `v1.36` or `v1.4`.
    pub rules: &'static str,
    /// The claim.
    pub claim: ClaimSummary,
    /// The answer.
    pub verdict: Verdict,
    /// Who decides.
    pub path: Path,
    /// Every existing volume Kubernetes may bind, sorted.
    pub outcomes: Vec<String>,
    /// Every volume looked at, best first.
    pub volumes: Vec<Assessment>,
    /// How many were left out of `volumes`.
    #[serde(skip_serializing_if = "is_zero")]
    pub volumes_omitted: usize,
    /// Whether and how a volume would be made.
    pub provisioning: Option<Provisioning>,
    /// Node by node, where the scheduler decides.
    pub nodes: Vec<NodeAssessment>,
    /// Everything that is true of the claim, the main cause first.
    pub causes: Vec<Cause>,
    /// The API server's refusal of a claim that does not exist yet, word for word.
    pub refusal: Option<String>,
    /// What would help.
    pub suggestions: Vec<Suggestion>,
    /// The events the control plane emits in this state.
    pub kubernetes_says: Vec<Says>,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
    /// What the cluster's own controller would do, where it differs (provisioning options).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterView>,
    /// How a bound claim came to its volume, who uses it and what becomes of the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The claim, as far as the answer depends on it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimSummary {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The uid; null for a claim that does not exist yet.
    pub uid: Option<String>,
    /// The phase as stored; null for a claim that does not exist yet.
    pub phase: Option<ClaimPhase>,
    /// The size asked for, as written.
    pub requested: Option<String>,
    /// The access modes asked for, as written.
    pub access_modes: Vec<String>,
    /// The volume mode asked for.
    pub volume_mode: VolumeMode,
    /// The class that counts.
    pub class: ClassSummary,
    /// The selector, as `-l` spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The volume it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_name: Option<String>,
    /// The attributes class asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume_attributes_class: Option<String>,
    /// The owner whose template would create it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_template: Option<String>,
}

/// The class that counts, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassSummary {
    /// Its name; empty for none.
    pub name: String,
    /// Where it comes from.
    pub source: ClassSource,
    /// Whether the StorageClass object is there; null if that could not be read.
    pub exists: Option<bool>,
}

/// Where a claim's class comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ClassSource {
    /// `spec.storageClassName`.
    Field,
    /// The beta annotation.
    Annotation,
    /// The default class, put in at creation.
    Default,
    /// The default class, put in later by the controller (R15).
    RetroactiveDefault,
    /// There is none.
    None,
}

/// The answer in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Verdict {
    /// Bound and consistent.
    Bound,
    /// An existing volume will be bound.
    WillBind,
    /// A volume will be made.
    WillProvision,
    /// Waits, and that is normal.
    Waiting,
    /// Stays Pending until somebody acts.
    Blocked,
    /// Its volume is gone or somebody else's.
    Lost,
    /// The API server would refuse it.
    Rejected,
    /// The answer depends on something that could not be read.
    Unknown,
}

impl Verdict {
    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bound => "Bound",
            Self::WillBind => "WillBind",
            Self::WillProvision => "WillProvision",
            Self::Waiting => "Waiting",
            Self::Blocked => "Blocked",
            Self::Lost => "Lost",
            Self::Rejected => "Rejected",
            Self::Unknown => "Unknown",
        }
    }
}

/// Who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Path {
    /// The PV controller's search.
    Controller,
    /// The scheduler, with a pod and a node.
    Scheduler,
    /// The claim names its volume.
    NamedVolume,
    /// A provisioner.
    Provisioner,
    /// Nobody any more.
    None,
}

/// One volume, judged for one claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Assessment {
    /// The volume.
    pub name: String,
    /// The judgement.
    pub result: Result,
    /// Its capacity, as written.
    pub capacity: String,
    /// The modes it offers.
    pub access_modes: AccessModes,
    /// Its class; empty for none.
    pub class: String,
    /// Its phase, as it settles.
    pub phase: VolumePhase,
    /// Whether its claimRef designates the claim.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reserved: bool,
    /// Every reason, in upstream's order of checks.
    pub reasons: Vec<VolumeReason>,
}

/// The judgement on one volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Result {
    /// The one outcome.
    Chosen,
    /// One of several outcomes.
    Possible,
    /// Passes every check but is not taken.
    Fits,
    /// Fails at least one check.
    Rejected,
    /// A check could not be answered.
    Unknown,
}

/// Whether and how a volume would be made.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Provisioning {
    /// The class.
    pub class: String,
    /// Who would make it: the CSI driver, for names that moved.
    pub provisioner: String,
    /// What kind of provisioner that is.
    pub by: ProvisionedBy,
    /// The name the volume would most likely have.
    pub volume_name: Option<String>,
    /// What the provisioner is told, options merged in.
    pub parameters: BTreeMap<String, String>,
    /// The claim's provisioning options, defaults applied.
    pub options: BTreeMap<String, String>,
    /// What stands in the way.
    pub problems: Vec<ProvisioningProblem>,
}

/// What kind of provisioner acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ProvisionedBy {
    /// The controller itself.
    Internal,
    /// A provisioner outside.
    External,
    /// The CSI driver that took over an in-tree name.
    Migrated,
}

/// A thing that stands in the way of provisioning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProvisioningProblem {
    /// The claim code.
    pub code: Code,
    /// The sentence.
    pub message: String,
}

/// A change that would help, checked by asking the engine again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// What it does.
    pub summary: String,
    /// The commands to paste, or why there is none.
    #[serde(serialize_with = "only_commands")]
    pub commands: Vec<CommandLine>,
    /// How much harm they may do.
    pub danger: Danger,
}

/// What stands in the place of a command is for people.
pub(super) fn only_commands<S: Serializer>(
    lines: &[CommandLine],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_seq(lines.iter().filter(|line| line.is_command()))
}

/// An event of the control plane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Says {
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The reason.
    pub reason: String,
    /// The message, word for word.
    pub message: String,
}

impl Says {
    /// An event.
    pub fn new(kind: &str, reason: &str, message: impl Into<String>) -> Self {
        Self {
            kind: kind.to_owned(),
            reason: reason.to_owned(),
            message: message.into(),
        }
    }
}

/// What the cluster's own controller would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClusterView {
    /// Its verdict.
    pub verdict: Verdict,
    /// Its outcomes.
    pub outcomes: Vec<String>,
}

/// The story of a bound claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Story {
    /// How it came to its volume: `MadeForIt`, `ReservedForIt`, `Matched` or `Named`.
    pub how: &'static str,
    /// The same as a sentence.
    pub how_text: String,
    /// What it holds, as written.
    pub holds: Option<String>,
    /// Who uses it; null if that could not be read.
    pub used_by: Option<Vec<Consumer>>,
    /// Whose it is although no pod uses it, as a clause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_for: Option<ClaimUser>,
    /// What happens to the volume when the claim is deleted.
    pub on_deletion: FateResult,
    /// The same as a sentence.
    pub on_deletion_text: String,
    /// What happens to the data then.
    #[serde(skip)]
    pub data: DataFate,
}

/// A pod that uses a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Consumer {
    /// The pod's name.
    pub pod: String,
    /// Its node.
    pub node: Option<String>,
}
