//! `set status`: the pools, their members, and what the next reconcile would do.

use super::{API_VERSION, Code, Unknown};
use crate::model::VolumePhase;
use serde::Serialize;
use serde_json::Value;

/// All pools that were asked about.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VolumeSetReport {
    /// See [`API_VERSION`].
    pub api_version: &'static str,
    /// `VolumeSetReport`.
    pub kind: &'static str,
    /// By name.
    pub sets: Vec<VolumeSetStatus>,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
}

impl VolumeSetReport {
    /// A report of these sets.
    pub fn new(sets: Vec<VolumeSetStatus>, unknowns: Vec<Unknown>) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "VolumeSetReport",
            sets,
            unknowns,
        }
    }
}

/// One pool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VolumeSetStatus {
    /// The name.
    pub name: String,
    /// How many unbound volumes are to be ready.
    pub minimum_replicas: i64,
    /// How many volumes there may be.
    pub maximum_replicas: i64,
    /// How many there are.
    pub total: u64,
    /// How many of them are bound.
    pub bound: u64,
    /// How many of them are there to be claimed.
    pub unbound: u64,
    /// All of them, by name.
    pub members: Vec<SetMember>,
    /// What the next reconcile would do, as in a plan.
    pub next: Vec<Value>,
    /// The same for people, a clause each.
    #[serde(skip)]
    pub next_told: Vec<String>,
    /// How many pending claims its unbound volumes could serve, as `plan` settles the cluster.
    pub can_serve: usize,
    /// The same after the next reconcile.
    pub would_serve: usize,
    /// What keeps it from being as it is wanted.
    pub findings: Vec<SetFinding>,
}

/// A volume of a pool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetMember {
    /// Its name.
    pub name: String,
    /// The phase it settles in.
    pub phase: VolumePhase,
    /// How much it holds.
    pub capacity: String,
    /// What it counts as.
    pub counts_as: CountsAs,
}

/// What a member counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum CountsAs {
    /// There to be claimed: effectively Available, and kept for nobody.
    Unbound,
    /// Bound to a claim.
    Bound,
    /// Neither: Released, Failed, kept for somebody, being bound or being deleted.
    Other,
}

impl CountsAs {
    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unbound => "Unbound",
            Self::Bound => "Bound",
            Self::Other => "Other",
        }
    }
}

/// Something that keeps a pool from being as it is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetFinding {
    /// The code.
    pub code: Code,
    /// One sentence.
    pub message: String,
    /// The volume it is about, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
}
