//! ResourceQuotas: what a namespace may use in all (R10b).

use crate::conventions::quantity::Quantity;
use crate::model::{CLASS_MARK, Claim, ClusterState, Quota, Usage};

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
    let delta: Usage = claim
        .quota_usage()
        .into_iter()
        .filter(|(key, _)| charge == Charge::Creation || key.contains(CLASS_MARK))
        .collect();
    state
        .objects()
        .quotas
        .iter()
        .filter(|quota| quota.hard.keys().any(|key| concerns_claims(key)) && quota.counts(claim))
        .filter_map(|quota| {
            excess(state, quota, &delta).map(|message| (quota.key.name.clone(), message))
        })
        .collect()
}

fn concerns_claims(key: &str) -> bool {
    matches!(
        key,
        "persistentvolumeclaims" | "count/persistentvolumeclaims" | "requests.storage"
    ) || key.contains(CLASS_MARK)
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
        .filter(|claim| claim.exists() && quota.counts(claim));
    let mut total = Usage::new();
    for (key, amount) in existing.flat_map(Claim::quota_usage) {
        let sum = total
            .get(&key)
            .map_or_else(|| amount.clone(), |so_far| so_far.plus(&amount));
        total.insert(key, sum);
    }
    total
}
