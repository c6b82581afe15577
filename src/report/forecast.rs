//! `plan`: how the whole cluster settles, claim by claim.

use super::claim::is_zero;
use super::{ClusterView, Code, Unknown, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;

/// How every unbound claim ends.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Forecast {
    /// See [`super::API_VERSION`].
    pub api_version: &'static str,
    /// `Forecast`.
    pub kind: &'static str,
    /// The rules asked: `v1.36` or `v1.4`.
    pub rules: &'static str,
    /// Every claim that is not bound, by namespace and name.
    pub claims: Vec<ClaimForecast>,
    /// How many claims end how.
    pub settled: Settled,
    /// The volumes that several claims may take, by name.
    pub contention: Vec<Contention>,
    /// How many volumes were left out of `contention`, all of them of groups that are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub contention_omitted: usize,
    /// Claims whose ends hang together, or that Kubernetes itself does not determine.
    pub groups: Vec<Group>,
    /// What a what-if changes, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<ForecastChange>>,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
}

/// A claim that ends otherwise with a what-if than without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForecastChange {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// How it ends as things are; null if it is only there with the what-if.
    pub before: Option<ForecastEnd>,
    /// How it ends with the what-if; null if it is not there then.
    pub after: Option<ForecastEnd>,
}

/// How a claim ends, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ForecastEnd {
    /// The answer.
    pub verdict: Verdict,
    /// Every existing volume it may end with.
    pub outcomes: Vec<String>,
    /// How many were left out of `outcomes`.
    #[serde(skip_serializing_if = "is_zero")]
    pub outcomes_omitted: usize,
    /// Whether some order leaves it without one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub may_stay_unbound: bool,
    /// Whether some order makes one for it instead.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub may_be_provisioned: bool,
    /// Who may take them first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub competitors: Vec<String>,
    /// How many were left out of `competitors`.
    #[serde(skip_serializing_if = "is_zero")]
    pub competitors_omitted: usize,
}

/// How one claim ends.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimForecast {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The answer: `WillBind` wherever some order gives it a volume that is there.
    pub verdict: Verdict,
    /// Every existing volume it may end with, over all orders and all choices Kubernetes leaves open; sorted.
    pub outcomes: Vec<String>,
    /// How many were left out of `outcomes`.
    #[serde(skip_serializing_if = "is_zero")]
    pub outcomes_omitted: usize,
    /// Whether some order leaves it without a volume, and none is made for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub may_stay_unbound: bool,
    /// Whether some order makes a volume for it that would otherwise get one that is there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub may_be_provisioned: bool,
    /// Whether `outcomes` are precisely those that some order reaches; otherwise there may be fewer.
    #[serde(skip_serializing_if = "is_true")]
    pub exact: bool,
    /// The codes of everything that is true of it, the main one first.
    pub causes: Vec<Code>,
    /// The main cause, as a clause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The other claims that may take one of its outcomes, as `namespace/name`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub competitors: Vec<String>,
    /// How many were left out of `competitors`.
    #[serde(skip_serializing_if = "is_zero")]
    pub competitors_omitted: usize,
    /// What the cluster's own controller would do, where it differs (provisioning options).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterView>,
}

/// How many claims end how, whatever the order; where the order decides even the numbers, what is left is undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Settled {
    /// Bound to a volume that is there; those that are bound already among them.
    pub bound: usize,
    /// With a volume made for them.
    pub provisioned: usize,
    /// Waiting, and that is normal.
    pub waiting: usize,
    /// Without a volume until somebody acts: blocked, lost, refused, or depending on what could not be read.
    pub blocked: usize,
    /// One of these, as the order of processing will have it.
    #[serde(skip_serializing_if = "is_zero")]
    pub undecided: usize,
}

/// A volume that several claims may take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Contention {
    /// The volume.
    pub volume: String,
    /// The claims, as `namespace/name`, sorted.
    pub claims: Vec<String>,
    /// How many were left out of `claims`.
    #[serde(skip_serializing_if = "is_zero")]
    pub claims_omitted: usize,
}

/// Claims whose ends hang together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// The claims, as `namespace/name`, sorted.
    pub claims: Vec<String>,
    /// The volumes they may take, sorted.
    pub volumes: Vec<String>,
    /// How many were left out of `volumes`.
    #[serde(skip_serializing_if = "is_zero")]
    pub volumes_omitted: usize,
    /// Whether every order was tried.
    pub exact: bool,
    /// All that may come out: each claim with its volume, or null.
    pub assignments: Vec<BTreeMap<String, Option<String>>>,
    /// How many assignments there are, where they are too many to list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignments_omitted: Option<u64>,
    /// Whether `assignments` is empty only because they are too many to list, or to count.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub assignments_unlisted: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_true(flag: &bool) -> bool {
    *flag
}
