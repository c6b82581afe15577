//! Volumes by the values of their labels, so that a selector looks only at those that can match.

use super::index::{BucketId, VolumeId, id};
use crate::conventions::selector::{LabelSelector, Operator, Requirement};
use crate::model::ClusterState;
use std::collections::HashMap;

/// The labels that selectors ask for, made when the first one asks.
#[derive(Debug, Default)]
pub(super) struct LabelIndex<'a> {
    keys: HashMap<String, Values<'a>>,
}

/// The values of one label.
#[derive(Debug)]
struct Values<'a> {
    numbers: HashMap<&'a str, u32>,
    /// The value of each volume, as a number; 0 for those without the label.
    of_volume: Vec<u32>,
    /// Of each bucket and value: the places of its volumes.
    places: HashMap<(BucketId, u32), Vec<u32>>,
    known: Vec<BucketId>,
}

impl<'a> LabelIndex<'a> {
    /// The places of a bucket whose volumes meet a requirement of one of several values, in order.
    pub(super) fn find(
        &mut self,
        state: &'a ClusterState,
        (bucket, volumes): (BucketId, &[VolumeId]),
        requirement: &Requirement,
    ) -> Vec<u32> {
        let values = self
            .keys
            .entry(requirement.key.clone())
            .or_insert_with(|| Values::new(state, &requirement.key));
        values.look_at(bucket, volumes);
        let wanted = requirement.values.iter();
        let numbers = wanted.filter_map(|value| values.numbers.get(value.as_str()));
        let found = numbers.filter_map(|number| values.places.get(&(bucket, *number)));
        let mut places: Vec<u32> = found.flatten().copied().collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

impl<'a> Values<'a> {
    fn new(state: &'a ClusterState, key: &str) -> Self {
        let mut numbers: HashMap<&'a str, u32> = HashMap::new();
        let of_volume = state.volumes().iter().map(|volume| {
            let value = volume.labels.get(key)?;
            let next = id(numbers.len()) + 1;
            Some(*numbers.entry(value).or_insert(next))
        });
        let of_volume = of_volume.map(Option::unwrap_or_default).collect();
        Self {
            numbers,
            of_volume,
            places: HashMap::new(),
            known: vec![],
        }
    }

    fn look_at(&mut self, bucket: BucketId, volumes: &[VolumeId]) {
        if self.known.contains(&bucket) {
            return;
        }
        self.known.push(bucket);
        for (volume, place) in volumes.iter().zip(0..) {
            let number = self.of_volume[*volume as usize];
            if number > 0 {
                let of_value = self.places.entry((bucket, number));
                of_value.or_default().push(place);
            }
        }
    }
}

/// A requirement that only volumes with certain values of a label can meet, if the selector has one.
pub(super) fn demanded_label(selector: &LabelSelector) -> Option<Requirement> {
    selector
        .requirements()
        .find(|requirement| requirement.operator == Operator::In)
}
