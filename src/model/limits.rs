//! LimitRanges and ResourceQuotas, as far as they concern claims.

use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use std::collections::BTreeMap;

/// A LimitRange.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitRange {
    /// Namespace and name.
    pub key: ObjectKey,
    /// Its items of type PersistentVolumeClaim.
    pub claim_items: Vec<LimitRangeItem>,
}

/// Bounds on the resources a claim asks for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LimitRangeItem {
    /// Lower bounds.
    pub min: BTreeMap<String, Quantity>,
    /// Upper bounds.
    pub max: BTreeMap<String, Quantity>,
}

/// A ResourceQuota: what its status says, which is what admission charges against (R10b).
#[derive(Debug, Clone, PartialEq)]
pub struct Quota {
    /// Namespace and name.
    pub key: ObjectKey,
    /// `status.hard`, or `spec.hard` while there is no status.
    pub hard: BTreeMap<String, Quantity>,
    /// Whether there is a status: a quota that exists refuses what it has not counted yet.
    pub has_status: bool,
    /// `status.used`.
    pub used: BTreeMap<String, Quantity>,
    /// The scopes, from the list and the selector together.
    pub scopes: Vec<QuotaScope>,
}

/// One scope of a quota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaScope {
    /// The scope's name.
    pub name: String,
    /// The operator of its expression; `Exists` for a plain scope.
    pub operator: String,
    /// The values of its expression.
    pub values: Vec<String>,
}
