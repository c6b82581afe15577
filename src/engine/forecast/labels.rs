//! Volumes by the value of a label, so that a selector looks only at those that can match.

use super::index::VolumeId;
use crate::conventions::selector::{LabelSelector, Operator, Requirement};
use crate::model::ClusterState;
use std::collections::HashMap;

/// The places of a bucket by the value of one label.
#[derive(Debug)]
pub(super) struct Labelled<'a> {
    places: HashMap<&'a str, Vec<u32>>,
}

impl<'a> Labelled<'a> {
    pub(super) fn new(state: &'a ClusterState, bucket: &[VolumeId], key: &str) -> Self {
        let mut places: HashMap<&'a str, Vec<u32>> = HashMap::new();
        for (volume, place) in bucket.iter().zip(0..) {
            if let Some(value) = state.volumes()[*volume as usize].labels.get(key) {
                places.entry(value).or_default().push(place);
            }
        }
        Self { places }
    }

    /// The places of volumes that meet a requirement of one of several values, in order.
    pub(super) fn places(&self, requirement: &Requirement) -> Vec<u32> {
        let found = requirement
            .values
            .iter()
            .filter_map(|value| self.places.get(value.as_str()));
        let mut places: Vec<u32> = found.flatten().copied().collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// A requirement that only volumes with certain values of a label can meet, if the selector has one.
pub(super) fn demanded_label(selector: &LabelSelector) -> Option<Requirement> {
    selector
        .requirements()
        .find(|requirement| requirement.operator == Operator::In)
}
