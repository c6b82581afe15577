//! ResourceQuotas: what a namespace may use in all (R10b).

use crate::conventions::quantity::Quantity;
use crate::model::{Claim, ClusterState, Quota, QuotaScope};
use std::collections::BTreeMap;

const CLASS_MARK: &str = ".storageclass.storage.k8s.io/";

/// What is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charge {
    /// Everything the claim uses.
    Creation,
    /// Only the keys of its class, which were not charged before.
    ClassAssignment,
}

/// The quotas of the claim's namespace that refuse it, each with the server's message.
pub(super) fn excesses(
    state: &ClusterState,
    claim: &Claim,
    charge: Charge,
) -> Vec<(String, String)> {
    let in_namespace = |quota: &&Quota| quota.key.namespace == claim.key.namespace;
    let delta: Usage = usage(claim)
        .into_iter()
        .filter(|(key, _)| charge == Charge::Creation || key.contains(CLASS_MARK))
        .collect();
    state
        .objects()
        .quotas
        .iter()
        .filter(in_namespace)
        .filter(|quota| {
            quota.hard.keys().any(|key| concerns_claims(key)) && scopes_match(quota, claim)
        })
        .filter_map(|quota| {
            excess(state, quota, &delta).map(|message| (quota.key.name.clone(), message))
        })
        .collect()
}

type Usage = BTreeMap<String, Quantity>;

fn concerns_claims(key: &str) -> bool {
    matches!(
        key,
        "persistentvolumeclaims" | "count/persistentvolumeclaims" | "requests.storage"
    ) || key.contains(CLASS_MARK)
}

/// What one claim uses.
fn usage(claim: &Claim) -> Usage {
    let one = || Quantity::parse("1").unwrap_or_else(|_| Quantity::zero());
    let mut usage = Usage::from([
        ("persistentvolumeclaims".to_owned(), one()),
        ("count/persistentvolumeclaims".to_owned(), one()),
    ]);
    let class = claim.class.resolved();
    if !class.is_empty() {
        usage.insert(format!("{class}{CLASS_MARK}persistentvolumeclaims"), one());
    }
    let request = claim.requested.as_ref().map(Quantity::rounded_up);
    let storage = match (request, claim.allocated.as_ref().map(Quantity::rounded_up)) {
        (Some(request), Some(allocated)) => Some(request.max(allocated)),
        (request, _) => request,
    };
    if let Some(storage) = storage {
        usage.insert("requests.storage".to_owned(), storage.clone());
        if !class.is_empty() {
            usage.insert(format!("{class}{CLASS_MARK}requests.storage"), storage);
        }
    }
    usage
}

fn excess(state: &ClusterState, quota: &Quota, delta: &Usage) -> Option<String> {
    let uncounted = |key: &&String| concerns_claims(key) && !quota.used.contains_key(*key);
    if quota.has_status && quota.hard.keys().any(|key| uncounted(&key)) {
        let names: Vec<&str> = quota
            .hard
            .keys()
            .filter(|key| concerns_claims(key))
            .map(String::as_str)
            .collect();
        return Some(format!(
            "status unknown for quota: {}, resources: {}",
            quota.key.name,
            names.join(",")
        ));
    }
    let used = used(state, quota);
    let charged = delta
        .iter()
        .filter_map(|(key, amount)| Some((key, amount, quota.hard.get(key)?)));
    let exceeded: Vec<_> = charged
        .filter(|(key, amount, hard)| {
            used.get(*key)
                .map_or_else(|| (*amount).clone(), |used| used.plus(amount))
                > **hard
        })
        .collect();
    if exceeded.is_empty() {
        return None;
    }
    let list = |value: &dyn Fn(&str, &Quantity, &Quantity) -> String| {
        let parts: Vec<String> = exceeded
            .iter()
            .map(|(key, amount, hard)| format!("{key}={}", value(key, amount, hard)))
            .collect();
        parts.join(",")
    };
    Some(format!(
        "exceeded quota: {}, requested: {}, used: {}, limited: {}",
        quota.key.name,
        list(&|_, amount, _| amount.canonical()),
        list(&|key, _, _| used
            .get(key)
            .map_or_else(|| "0".to_owned(), Quantity::canonical)),
        list(&|_, _, hard| hard.canonical()),
    ))
}

/// What the quota says is used; a quota that says nothing yet will count the claims that are there.
fn used(state: &ClusterState, quota: &Quota) -> Usage {
    if !quota.used.is_empty() {
        return quota.used.clone();
    }
    let existing = state
        .claims()
        .iter()
        .filter(|claim| claim.exists() && claim.key.namespace == quota.key.namespace);
    let mut total = Usage::new();
    for (key, amount) in existing
        .filter(|claim| scopes_match(quota, claim))
        .flat_map(usage)
    {
        let sum = total
            .get(&key)
            .map_or_else(|| amount.clone(), |so_far| so_far.plus(&amount));
        total.insert(key, sum);
    }
    total
}

/// Only scopes about attributes classes can match a claim at all.
fn scopes_match(quota: &Quota, claim: &Claim) -> bool {
    let names: Vec<&str> = [
        claim.attributes_class.as_deref(),
        claim.current_attributes_class.as_deref(),
    ]
    .into_iter()
    .flatten()
    .filter(|name| !name.is_empty())
    .collect();
    quota
        .scopes
        .iter()
        .all(|scope| scope.name == "VolumeAttributesClass" && scope_matches(scope, &names))
}

fn scope_matches(scope: &QuotaScope, names: &[&str]) -> bool {
    let listed = || {
        names
            .iter()
            .any(|name| scope.values.iter().any(|value| value == name))
    };
    match scope.operator.as_str() {
        "Exists" => !names.is_empty(),
        "DoesNotExist" => names.is_empty(),
        "In" => listed(),
        "NotIn" => !listed(),
        _ => false,
    }
}
