//! What selectors ask for and no volume offers, with the nearest thing that is offered (seed 004).

use crate::conventions::object_ref::similar_names;
use crate::conventions::selector::{LabelSelector, Operator, Requirement};
use crate::model::{ClusterState, Kind};
use crate::report::ClaimCause;
use std::collections::BTreeSet;

/// What a selector asks for and no volume offers, each with the nearest that one does. Nothing is said of volumes that were
/// not seen, and nothing of labels where there are none.
pub(crate) fn unoffered(state: &ClusterState, selector: &LabelSelector) -> Vec<ClaimCause> {
    if !state.saw(Kind::Volumes, None) || state.volumes().is_empty() {
        return vec![];
    }
    let asked = selector
        .requirements()
        .filter(|requirement| matches!(requirement.operator, Operator::In | Operator::Exists));
    asked
        .filter_map(|requirement| find_unoffered(state, &requirement))
        .collect()
}

fn find_unoffered(state: &ClusterState, asked: &Requirement) -> Option<ClaimCause> {
    let Some(offered) = state.labels_of_volumes().get(&asked.key) else {
        return Some(ClaimCause::LabelNotOffered {
            key: asked.key.clone(),
            values: asked.values.clone(),
            nearest: similar_keys(state, &asked.key),
            offered: vec![],
        });
    };
    let is_met = asked.operator == Operator::Exists
        || asked.values.iter().any(|value| offered.contains(value));
    let values = || offered.iter().map(String::as_str).collect();
    (!is_met).then(|| ClaimCause::LabelNotOffered {
        key: asked.key.clone(),
        values: asked.values.clone(),
        nearest: nearest_values(&asked.values, &values()),
        offered: offered.iter().cloned().collect(),
    })
}

fn nearest_values(wanted: &[String], offered: &BTreeSet<&str>) -> Vec<String> {
    let near: BTreeSet<&str> = wanted
        .iter()
        .flat_map(|value| near_of(value, offered))
        .collect();
    near.into_iter().map(str::to_owned).collect()
}

/// Upper and lower case are the commonest slip of all.
pub(crate) fn near_of<'a>(value: &str, offered: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let same: Vec<&str> = offered
        .iter()
        .copied()
        .filter(|other| other.eq_ignore_ascii_case(value))
        .collect();
    if same.is_empty() {
        similar_names(value, offered.iter().copied())
    } else {
        same
    }
}

/// Keys like this one: a prefix may be forgotten, or one too many.
pub(crate) fn similar_keys(state: &ClusterState, key: &str) -> Vec<String> {
    let keys: BTreeSet<&str> = state
        .labels_of_volumes()
        .keys()
        .map(String::as_str)
        .collect();
    let last_part = |key: &str| key.rsplit('/').next().unwrap_or_default().to_owned();
    let same: Vec<&str> = keys
        .iter()
        .copied()
        .filter(|other| last_part(other) == last_part(key))
        .collect();
    let near = if same.is_empty() {
        near_of(key, &keys)
    } else {
        same
    };
    near.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{state, volume};

    fn told(selector: &str) -> Vec<(String, Vec<String>)> {
        let volumes = vec![
            volume("a").labelled("tier", "gold"),
            volume("b")
                .labelled("tier", "silver")
                .labelled("example.com/zone", "east"),
        ];
        let selector = LabelSelector::parse(selector).expect("a selector in a test");
        unoffered(&state(vec![], volumes), &selector)
            .into_iter()
            .filter_map(|cause| match cause {
                ClaimCause::LabelNotOffered { key, nearest, .. } => Some((key, nearest)),
                _ => None,
            })
            .collect()
    }

    fn near(key: &str, nearest: &[&str]) -> Vec<(String, Vec<String>)> {
        let nearest = nearest.iter().map(|name| (*name).to_owned()).collect();
        vec![(key.to_owned(), nearest)]
    }

    #[test]
    fn what_is_offered_is_left_alone() {
        for met in [
            "tier=gold",
            "tier in (gold,platinum)",
            "tier",
            "tier!=glod",
            "!zone",
        ] {
            assert!(told(met).is_empty(), "{met}");
        }
    }

    #[test]
    fn a_value_nobody_offers_is_met_with_the_nearest() {
        assert_eq!(told("tier=glod"), near("tier", &["gold"]));
        assert_eq!(told("tier=GOLD"), near("tier", &["gold"]));
        assert_eq!(told("tier=platinum"), near("tier", &[]));
    }

    #[test]
    fn a_key_nobody_uses_is_met_with_the_nearest() {
        assert_eq!(told("teir=gold"), near("teir", &["tier"]));
        assert_eq!(told("zone=east"), near("zone", &["example.com/zone"]));
        assert_eq!(told("zone"), near("zone", &["example.com/zone"]));
        assert_eq!(told("colour=red"), near("colour", &[]));
    }
}
