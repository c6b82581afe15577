//! Who holds a claim: pods, whether or not they are over; whatever makes pods, whether or not it makes any now; and claims
//! that are still to be filled from it.

use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, ClusterState, DataSource, Workload};
use std::collections::HashMap;

/// Everybody who makes pods, by what they need.
pub(super) struct Holders<'a> {
    /// Those whose template names a claim.
    by_claim: HashMap<ObjectKey, &'a Workload>,
    /// Those with claim templates, by namespace.
    sets: HashMap<&'a str, Vec<&'a Workload>>,
    /// Unbound claims, by the claim they are to be filled from.
    copies: HashMap<ObjectKey, &'a Claim>,
}

/// A StatefulSet that does not reach as far as the ordinal of a claim.
pub(super) struct Beyond<'a> {
    pub(super) set: &'a Workload,
    pub(super) ordinal: u32,
}

impl<'a> Holders<'a> {
    pub(super) fn of(state: &'a ClusterState) -> Self {
        let mut workloads: Vec<&Workload> = state.objects().workloads.iter().collect();
        // Whoever is named is the same, in whatever order they were read.
        workloads.sort_by_key(|workload| (&workload.kind, &workload.key));
        let mut holders = Self {
            by_claim: HashMap::new(),
            sets: HashMap::new(),
            copies: HashMap::new(),
        };
        for workload in workloads {
            let namespace = workload.key.namespace.as_str();
            for claim in &workload.claims {
                let key = ObjectKey::new(namespace, claim);
                holders.by_claim.entry(key).or_insert(workload);
            }
            if !workload.claim_templates.is_empty() {
                holders.sets.entry(namespace).or_default().push(workload);
            }
        }
        let unbound = state
            .claims()
            .iter()
            .filter(|claim| claim.volume_name.is_none());
        for claim in unbound {
            if let Some(source) = source_of(claim) {
                holders.copies.entry(source).or_insert(claim);
            }
        }
        holders
    }

    /// Who holds the claim, as a clause.
    pub(super) fn find(&self, state: &ClusterState, claim: &Claim) -> Option<String> {
        find_live_pod(state, claim)
            .or_else(|| self.find_workload(claim))
            .or_else(|| find_finished_pod(state, claim))
            .or_else(|| {
                let copy = self.copies.get(&claim.key)?;
                Some(format!("claim {} is to be filled from it", copy.key))
            })
    }

    fn find_workload(&self, claim: &Claim) -> Option<String> {
        if let Some(workload) = self.by_claim.get(&claim.key) {
            let idle = if workload.replicas == 0 {
                ", 0 replicas,"
            } else {
                ""
            };
            return Some(format!("{}{idle} names it", workload.owner_ref()));
        }
        let mut sets = self.sets_of(claim);
        let (set, ordinal) = sets.find(|(set, ordinal)| reaches(set, *ordinal))?;
        Some(if set.replicas == 0 {
            format!("{}, 0 replicas, would use it again", set.owner_ref())
        } else {
            format!("{} would use it (ordinal {ordinal})", set.owner_ref())
        })
    }

    /// The set that made the claim and does not reach as far any more.
    pub(super) fn find_beyond(&self, claim: &Claim) -> Option<Beyond<'a>> {
        let (set, ordinal) = self.sets_of(claim).next()?;
        (!reaches(set, ordinal)).then_some(Beyond { set, ordinal })
    }

    /// The sets whose claims are called so, each with the ordinal.
    fn sets_of(&self, claim: &Claim) -> impl Iterator<Item = (&'a Workload, u32)> {
        let sets = self.sets.get(claim.key.namespace.as_str());
        let sets = sets.into_iter().flatten().copied();
        sets.filter_map(|set| Some((set, ordinal_in(set, &claim.key.name)?)))
    }
}

/// A pod that is not over, as a clause.
pub(super) fn find_live_pod(state: &ClusterState, claim: &Claim) -> Option<String> {
    let mut pods = state.pods_using(&claim.key);
    let pod = pods.find(|pod| !pod.is_terminated())?;
    Some(format!("pod {} uses it", pod.key.name))
}

/// A pod that is over. What comes again says more, and is told instead.
fn find_finished_pod(state: &ClusterState, claim: &Claim) -> Option<String> {
    let over = state.pods_using(&claim.key).next()?;
    Some(format!("pod {}, which is over, names it", over.key.name))
}

/// A set that was scaled to none would use all its claims again.
fn reaches(set: &Workload, ordinal: u32) -> bool {
    let end = set.first_ordinal.saturating_add(set.replicas);
    set.replicas == 0 || (set.first_ordinal..end).contains(&ordinal)
}

/// The ordinal in the name, spelled as the controller spells it: `data-web-01` is not that of `web-1`.
fn ordinal_in(set: &Workload, claim: &str) -> Option<u32> {
    set.claim_templates.iter().find_map(|template| {
        let rest = claim.strip_prefix(template.as_str())?;
        let rest = rest
            .strip_prefix('-')?
            .strip_prefix(set.key.name.as_str())?;
        let rest = rest.strip_prefix('-')?;
        let ordinal: u32 = rest.parse().ok()?;
        (ordinal.to_string() == rest).then_some(ordinal)
    })
}

/// The claim that a new volume is to be copied from.
fn source_of(claim: &Claim) -> Option<ObjectKey> {
    let source: &DataSource = claim
        .data_source_ref
        .as_ref()
        .or(claim.data_source.as_ref())?;
    let is_claim =
        source.kind == "PersistentVolumeClaim" && source.group.as_deref().unwrap_or("").is_empty();
    let namespace = source.namespace.as_deref().unwrap_or(&claim.key.namespace);
    is_claim.then(|| ObjectKey::new(namespace, &*source.name))
}
