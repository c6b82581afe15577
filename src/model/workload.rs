//! What creates pods and claims: StatefulSets, Deployments, Jobs and their like.

use crate::conventions::object_ref::{ObjectKey, OwnerRef};

/// A workload, as a future user of claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    /// The kind.
    pub kind: String,
    /// Namespace and name.
    pub key: ObjectKey,
    /// How many pods it wants.
    pub replicas: u32,
    /// The first ordinal, for StatefulSets.
    pub first_ordinal: u32,
    /// The names of its claim templates, for StatefulSets: claims `<template>-<set>-<ordinal>`.
    pub claim_templates: Vec<String>,
    /// What becomes of the claims of pods that are scaled away, for StatefulSets: `Retain` or `Delete`.
    pub when_scaled: Option<String>,
    /// The claims its pod template uses by name.
    pub claims: Vec<String>,
}

impl Workload {
    /// How the objects that it owns name it.
    pub fn owner_ref(&self) -> OwnerRef {
        OwnerRef::new(&*self.kind, &*self.key.name)
    }

    /// The ordinal whose pod would use this claim, if it comes from a claim template.
    pub fn find_ordinal(&self, claim: &ObjectKey) -> Option<u32> {
        if self.key.namespace != claim.namespace {
            return None;
        }
        self.claim_templates.iter().find_map(|template| {
            claim
                .name
                .strip_prefix(&format!("{template}-{}-", self.key.name))?
                .parse()
                .ok()
        })
    }

    /// Whether its pods, at the number it asks for or scaled up from none, would use this claim.
    pub fn would_use(&self, claim: &ObjectKey) -> bool {
        let in_reach = |ordinal: u32| {
            let end = self.first_ordinal.saturating_add(self.replicas.max(1));
            (self.first_ordinal..end).contains(&ordinal)
        };
        self.find_ordinal(claim).is_some_and(in_reach)
            || (self.key.namespace == claim.namespace && self.claims.contains(&claim.name))
    }
}
