//! `explain pod/NAME`: all claims of a pod together, node by node.

use super::{Explanation, NodeAssessment, PodCause, Says, Suggestion, Unknown};
use serde::Serialize;

/// Where a pod can go, as far as its volumes decide.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodExplanation {
    /// See [`super::API_VERSION`].
    pub api_version: &'static str,
    /// `PodExplanation`.
    pub kind: &'static str,
    /// The rules asked.
    pub rules: &'static str,
    /// The pod.
    pub pod: PodSummary,
    /// The answer, volumes considered alone.
    pub verdict: PodVerdict,
    /// Its claims, each explained.
    pub claims: Vec<Explanation>,
    /// Node by node.
    pub nodes: Vec<NodeAssessment>,
    /// Everything that is true of the pod, the main cause first.
    pub causes: Vec<PodCause>,
    /// What would help.
    pub suggestions: Vec<Suggestion>,
    /// What the scheduler says; several where chance decides which.
    pub kubernetes_says: Vec<Says>,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
}

/// The pod, as far as the answer depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PodSummary {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// Its phase; null for one that does not exist yet.
    pub phase: Option<String>,
    /// Its node.
    pub node_name: Option<String>,
}

/// The answer in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum PodVerdict {
    /// It has a node.
    Scheduled,
    /// Some node has volumes for all its claims.
    Schedulable,
    /// No node has.
    Unschedulable,
    /// It waits for something else, and that is normal.
    Waiting,
    /// The answer depends on something that could not be read.
    Unknown,
}
