//! What there is of each class: one walk over volumes and claims, whatever the number of classes.

use super::super::Rules;
use super::super::phases::{Phases, view};
use super::super::sync::settled_phase;
use crate::model::{ClusterState, Kind, Volume};
use crate::report::ClassUsage;
use std::collections::{BTreeMap, HashMap};

type ByPhase = BTreeMap<&'static str, usize>;

/// Volumes and claims, counted.
pub(super) struct Survey<'a> {
    volumes: Option<HashMap<&'a str, ByPhase>>,
    claims: Option<HashMap<&'a str, ByPhase>>,
    claims_of_namespace: Option<String>,
    made: HashMap<&'a str, usize>,
}

impl<'a> Survey<'a> {
    pub(super) fn of(state: &'a ClusterState) -> Self {
        let gap = state.find_gap(Kind::Claims, None);
        let claims_of_namespace = gap.and_then(|gap| gap.seen_only_in.clone());
        let saw_claims = gap.is_none() || claims_of_namespace.is_some();
        let mut made: HashMap<&str, usize> = HashMap::new();
        for maker in state.volumes().iter().filter_map(Volume::sign_of) {
            *made.entry(maker).or_default() += 1;
        }
        Self {
            volumes: state.saw(Kind::Volumes, None).then(|| count_volumes(state)),
            claims: saw_claims.then(|| count_claims(state)),
            claims_of_namespace,
            made,
        }
    }

    pub(super) fn usage_of(&self, class: &str) -> ClassUsage {
        let of = |counts: &HashMap<&str, ByPhase>| counts.get(class).cloned().unwrap_or_default();
        ClassUsage {
            volumes: self.volumes.as_ref().map(of),
            claims: self.claims.as_ref().map(of),
            claims_of_namespace: self.claims_of_namespace.clone(),
        }
    }

    pub(super) fn volumes_made_by(&self, provisioner: &str) -> usize {
        self.made.get(provisioner).copied().unwrap_or(0)
    }
}

fn count_volumes(state: &ClusterState) -> HashMap<&str, ByPhase> {
    let mut counts: HashMap<&str, ByPhase> = HashMap::new();
    for volume in state.volumes() {
        let phase = view(state, volume, Phases::Settled).phase.name();
        *counts
            .entry(volume.class())
            .or_default()
            .entry(phase)
            .or_default() += 1;
    }
    counts
}

fn count_claims(state: &ClusterState) -> HashMap<&str, ByPhase> {
    let mut counts: HashMap<&str, ByPhase> = HashMap::new();
    for claim in state.claims() {
        let phase = settled_phase(state, claim, Rules::default()).name();
        *counts
            .entry(claim.class.resolved())
            .or_default()
            .entry(phase)
            .or_default() += 1;
    }
    counts
}
