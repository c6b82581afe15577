//! The labels of the volumes: what administrators call their kinds of storage by, and what claims ask for (seed 004).
//!
//! A selector that asks for what no volume offers is met with the nearest thing that is offered.

use super::phases::{Phases, view};
use crate::conventions::object_ref::similar_names;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::{LabelSelector, Operator, Requirement};
use crate::model::{Claim, ClaimPhase, ClusterState, Kind, VolumePhase};
use crate::report::{ClaimCause, LabelKey, LabelValue, MissingLabel};
use std::collections::{BTreeMap, BTreeSet};

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

/// Every label key that volumes have or that claims without a volume ask for, by name.
pub(crate) fn survey(
    state: &ClusterState,
    claims: &[&Claim],
    phases: &[ClaimPhase],
) -> Vec<LabelKey> {
    let mut keys: BTreeMap<&str, Offers<'_>> = BTreeMap::new();
    for volume in state.volumes() {
        let is_free = {
            let settled = view(state, volume, Phases::Settled);
            settled.phase == VolumePhase::Available
                && settled.claim_ref.is_none()
                && volume.deleted.is_none()
        };
        for (key, value) in &volume.labels {
            let offer = keys.entry(key).or_default().entry(value).or_default();
            offer.volumes += 1;
            if is_free {
                offer.available += 1;
                offer.free = Some(match offer.free.take() {
                    Some(sum) => sum.plus(&volume.capacity),
                    None => volume.capacity.clone(),
                });
            }
        }
    }
    let wanted = wishes(claims, phases);
    for key in wanted.keys() {
        keys.entry(key).or_default();
    }
    let none = Wishes::default();
    let surveyed = keys
        .iter()
        .map(|(key, offers)| label_key(state, key, offers, wanted.get(*key).unwrap_or(&none)));
    surveyed
        .filter(|key| !key.values.is_empty() || !key.missing.is_empty())
        .collect()
}

/// What is offered under each value of a key.
type Offers<'a> = BTreeMap<&'a str, Offer>;

#[derive(Default)]
struct Offer {
    volumes: usize,
    available: usize,
    free: Option<Quantity>,
}

/// Who asks for which value of a key; no value stands for any.
type Wishes = BTreeMap<Option<String>, Vec<String>>;

/// What the claims without a volume ask for, key by key. Who excludes something asks for nothing.
fn wishes(claims: &[&Claim], phases: &[ClaimPhase]) -> BTreeMap<String, Wishes> {
    let mut wishes: BTreeMap<String, Wishes> = BTreeMap::new();
    let open = claims
        .iter()
        .zip(phases)
        .filter(|(_, phase)| **phase == ClaimPhase::Pending);
    for (claim, _) in open {
        for asked in claim.selector.iter().flat_map(LabelSelector::requirements) {
            let values = match asked.operator {
                Operator::In => asked.values.into_iter().map(Some).collect(),
                Operator::Exists => vec![None],
                _ => continue,
            };
            for value in values {
                let own = wishes.entry(asked.key.clone()).or_default();
                own.entry(value).or_default().push(claim.key.to_string());
            }
        }
    }
    wishes
}

fn label_key(state: &ClusterState, key: &str, offers: &Offers<'_>, wishes: &Wishes) -> LabelKey {
    let offered: BTreeSet<&str> = offers.keys().copied().collect();
    let value = |(value, offer): (&&str, &Offer)| LabelValue {
        value: (*value).to_owned(),
        volumes: offer.volumes,
        available: offer.available,
        free_capacity: offer
            .free
            .as_ref()
            .map_or_else(|| "0".to_owned(), Quantity::canonical),
        wanted_by: wishes
            .get(&Some((*value).to_owned()))
            .cloned()
            .unwrap_or_default(),
    };
    let is_missing = |value: &Option<String>| match value {
        Some(value) => !offered.contains(value.as_str()),
        None => offered.is_empty(),
    };
    let missing = wishes.iter().filter(|(value, _)| is_missing(value));
    LabelKey {
        key: key.to_owned(),
        values: offers.iter().map(value).collect(),
        missing: missing
            .map(|(value, wanted_by)| MissingLabel {
                value: value.clone(),
                wanted_by: wanted_by.clone(),
                nearest: match value {
                    Some(value) if !offered.is_empty() => near_of(value, &offered)
                        .into_iter()
                        .map(str::to_owned)
                        .collect(),
                    _ => similar_keys(state, key),
                },
            })
            .collect(),
    }
}

fn nearest_values(wanted: &[String], offered: &BTreeSet<&str>) -> Vec<String> {
    let near: BTreeSet<&str> = wanted
        .iter()
        .flat_map(|value| near_of(value, offered))
        .collect();
    near.into_iter().map(str::to_owned).collect()
}

/// Upper and lower case are the commonest slip of all.
fn near_of<'a>(value: &str, offered: &BTreeSet<&'a str>) -> Vec<&'a str> {
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
fn similar_keys(state: &ClusterState, key: &str) -> Vec<String> {
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
    use crate::testing::{claim, state, volume};

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
    fn the_survey_counts_what_is_free_and_who_asks() {
        let volumes = vec![
            volume("a").labelled("tier", "gold").holds("10Gi"),
            volume("b").labelled("tier", "gold").holds("5Gi"),
            volume("c").labelled("tier", "gold").reserved_for("x", None),
            volume("d").labelled("tier", "silver").deleted(),
        ];
        let claims = vec![
            claim("one").selecting("tier=gold"),
            claim("two").selecting("tier in (glod,silver),tier!=tin"),
            claim("three").selecting("teir"),
        ];
        let state = state(claims, volumes);
        let claims: Vec<&Claim> = state.claims().iter().collect();
        let survey = survey(&state, &claims, &[ClaimPhase::Pending; 3]);
        let [teir, tier] = &survey[..] else {
            panic!("two keys: {survey:?}");
        };
        let told: Vec<_> = tier
            .values
            .iter()
            .map(|value| {
                let free = value.free_capacity.as_str();
                (
                    value.value.as_str(),
                    value.volumes,
                    value.available,
                    free,
                    value.wanted_by.join(" "),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("gold", 3, 2, "15Gi", "ns/one".to_owned()),
                ("silver", 1, 0, "0", "ns/two".to_owned())
            ]
        );
        assert_eq!(tier.missing[0].value.as_deref(), Some("glod"));
        assert_eq!(tier.missing[0].nearest, ["gold"]);
        assert_eq!(
            (
                teir.missing[0].value.as_deref(),
                &teir.missing[0].nearest[..]
            ),
            (None, &["tier".to_owned()][..])
        );
    }

    #[test]
    fn a_key_nobody_uses_is_met_with_the_nearest() {
        assert_eq!(told("teir=gold"), near("teir", &["tier"]));
        assert_eq!(told("zone=east"), near("zone", &["example.com/zone"]));
        assert_eq!(told("zone"), near("zone", &["example.com/zone"]));
        assert_eq!(told("colour=red"), near("colour", &[]));
    }
}
