//! `status`: what there is, what is stuck and what needs somebody, on one screen; and the labels of the volumes.

use super::code::{Code, coded};
use super::{Severity, Unknown, Verdict};
use crate::model::Time;
use serde::Serialize;
use std::collections::BTreeMap;

/// The storage of a cluster, or of one namespace.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inventory {
    /// See [`super::API_VERSION`].
    pub api_version: &'static str,
    /// `StorageStatus`.
    pub kind: &'static str,
    /// The rules asked.
    pub rules: &'static str,
    /// The one namespace that was looked at; null for all.
    pub namespace: Option<String>,
    /// When the state was read; absent for files, which do not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captured_at: Option<Time>,
    /// The volumes; null if they could not be read.
    pub volumes: Option<Counts>,
    /// The claims; null if they could not be read.
    pub claims: Option<Counts>,
    /// Both, class by class.
    pub classes: Vec<ClassUse>,
    /// The claims that are not bound, by namespace and name.
    pub pending: Vec<PendingClaim>,
    /// The volumes that need somebody, the worst first.
    pub attention: Vec<Attention>,
    /// What else is worth knowing.
    pub findings: Vec<InventoryFinding>,
    /// The labels of the volumes, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taxonomy: Option<Vec<LabelKey>>,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
}

/// How many there are. Phases are those the objects settle in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// By phase.
    pub by_phase: BTreeMap<&'static str, usize>,
    /// By class; an empty name stands for none.
    pub by_class: BTreeMap<String, usize>,
}

/// What there is of one class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassUse {
    /// Its name; empty for none.
    pub name: String,
    /// Whether the StorageClass object is there; null if that could not be read, or if the files hold no class at all.
    pub exists: Option<bool>,
    /// Whether claims without a class get it.
    pub default: bool,
    /// Volumes by phase.
    pub volumes: BTreeMap<&'static str, usize>,
    /// Claims by phase.
    pub claims: BTreeMap<&'static str, usize>,
}

/// A claim that is not bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PendingClaim {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// What becomes of it.
    pub verdict: Verdict,
    /// The code of the main cause; null where there is nothing to complain about.
    pub cause: Option<Code>,
    /// The main cause, or what it will get.
    pub message: String,
    /// Whether it waits for a pod, and no volume fits whatever pod comes.
    #[serde(skip)]
    pub is_hopeless: bool,
    /// When it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
}

/// Something about a volume that somebody should look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attention {
    /// The volume.
    pub volume: String,
    /// What it is.
    pub code: AttentionCode,
    /// One clause.
    pub message: String,
    /// What the volume holds, as written.
    pub capacity: String,
    /// The claim it is about, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// Since when, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
}

coded! {
    /// Why a volume needs somebody, the worst first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    pub enum AttentionCode {
        /// Its reclaim policy could not be carried out.
        Failed,
        /// It is pinned to nodes that are not there.
        Unreachable,
        /// Its claim is gone, and it waits.
        Released,
        /// Its deletion was asked for, and something holds it.
        BeingDeleted,
        /// The deletion of its claim was asked for, and something holds that.
        ClaimTerminating,
        /// It is reserved for a claim that will not take it.
        ReservedForMissingClaim,
        /// Its reclaim policy cannot be carried out once its claim goes.
        NotDeletable,
    }
}

/// Something about the cluster as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InventoryFinding {
    /// How much it weighs.
    pub severity: Severity,
    /// The code.
    pub code: Code,
    /// One clause.
    pub message: String,
}

/// A label key of the volumes, or one that claims ask for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelKey {
    /// The key.
    pub key: String,
    /// The values volumes have, sorted.
    pub values: Vec<LabelValue>,
    /// The values claims ask for and no volume has, sorted.
    pub missing: Vec<MissingLabel>,
}

/// A value of a label that volumes have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelValue {
    /// The value.
    pub value: String,
    /// How many volumes have it.
    pub volumes: usize,
    /// How many of them any claim may take.
    pub available: usize,
    /// What those hold together, exactly.
    pub free_capacity: String,
    /// The claims without a volume that ask for it.
    pub wanted_by: Vec<String>,
}

/// What claims ask for and no volume has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MissingLabel {
    /// The value; null where any value of the key would do.
    pub value: Option<String>,
    /// The claims without a volume that ask for it.
    pub wanted_by: Vec<String>,
    /// Values of this key, or where nobody uses it other keys, that may be meant.
    pub nearest: Vec<String>,
}
