//! What a what-if changes: the claims that end otherwise with it than without.

use crate::conventions::object_ref::ObjectKey;
use crate::model::ClusterState;
use crate::report::{ClaimForecast, Forecast, ForecastChange, ForecastEnd, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// A cluster, and how it settles.
#[derive(Clone, Copy)]
pub struct Foreseen<'a> {
    /// The cluster.
    pub state: &'a ClusterState,
    /// How it settles.
    pub forecast: &'a Forecast,
}

/// The claims of a namespace, or of all, whose ends differ.
pub fn compare(
    before: Foreseen<'_>,
    after: Foreseen<'_>,
    namespace: Option<&str>,
) -> Vec<ForecastChange> {
    let (told_before, told_after) = (by_key(before.forecast), by_key(after.forecast));
    let claims = before.state.claims().iter().chain(after.state.claims());
    let keys: BTreeSet<&ObjectKey> = claims
        .map(|claim| &claim.key)
        .filter(|key| namespace.is_none_or(|own| own == key.namespace))
        .collect();
    let mut changes = Vec::new();
    for key in keys {
        let (was, is) = (
            end_of(before.state, &told_before, key),
            end_of(after.state, &told_after, key),
        );
        // Who else is about is told, but is no other end.
        let gist = |end: &ForecastEnd| ForecastEnd {
            competitors: vec![],
            competitors_omitted: 0,
            ..end.clone()
        };
        if was.as_ref().map(gist) != is.as_ref().map(gist) {
            changes.push(ForecastChange {
                namespace: key.namespace.clone(),
                name: key.name.clone(),
                before: was,
                after: is,
            });
        }
    }
    changes
}

fn by_key(forecast: &Forecast) -> BTreeMap<ObjectKey, &ClaimForecast> {
    let key = |claim: &ClaimForecast| ObjectKey::new(&*claim.namespace, &*claim.name);
    forecast
        .claims
        .iter()
        .map(|claim| (key(claim), claim))
        .collect()
}

/// How a claim ends; one that is there and not told of is bound, and stays so.
fn end_of(
    state: &ClusterState,
    told: &BTreeMap<ObjectKey, &ClaimForecast>,
    key: &ObjectKey,
) -> Option<ForecastEnd> {
    if let Some(told) = told.get(key) {
        return Some(ForecastEnd {
            verdict: told.verdict,
            outcomes: told.outcomes.clone(),
            outcomes_omitted: told.outcomes_omitted,
            may_stay_unbound: told.may_stay_unbound && !told.outcomes.is_empty(),
            may_be_provisioned: told.may_be_provisioned,
            competitors: told.competitors.clone(),
            competitors_omitted: told.competitors_omitted,
        });
    }
    let claim = state.find_claim(key)?;
    Some(ForecastEnd {
        verdict: Verdict::Bound,
        outcomes: claim.volume_name.iter().cloned().collect(),
        outcomes_omitted: 0,
        may_stay_unbound: false,
        may_be_provisioned: false,
        competitors: vec![],
        competitors_omitted: 0,
    })
}
