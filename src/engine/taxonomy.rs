//! The labels of the volumes: what administrators call their kinds of storage by, and what claims ask for (seed 004).

use super::offered_labels::{near_of, similar_keys};
use super::phases::{Phases, view};
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::{LabelSelector, Operator};
use crate::model::{Claim, ClaimPhase, ClusterState, VolumePhase};
use crate::report::{LabelKey, LabelValue, MissingLabel};
use std::collections::{BTreeMap, BTreeSet};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{claim, state, volume};

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
}
