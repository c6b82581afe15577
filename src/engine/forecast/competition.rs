//! The competitors of one claim in whatever order: the same ones that `plan` reports. `explain` asks for them where no other claim
//! would take the volume next, and one might later.

use super::super::Rules;
use super::limits::Limits;
use super::{ByController, pods, rivals};
use crate::conventions::object_ref::ObjectKey;
use crate::model::ClusterState;
use std::collections::BTreeSet;

/// The whole cluster settled, as far as competitors need it.
pub(crate) struct Competition<'a> {
    state: &'a ClusterState,
    rules: Rules,
    by_controller: ByController<'a>,
    pods: Vec<pods::Rivals<'a>>,
}

impl<'a> Competition<'a> {
    pub(crate) fn new(state: &'a ClusterState, rules: Rules) -> Self {
        let by_controller = ByController::settle(state, rules, Limits::new);
        Self {
            state,
            rules,
            pods: pods::find_groups(state, rules, &by_controller),
            by_controller,
        }
    }

    /// The other claims that may take one of the volumes that this claim may get.
    pub(crate) fn competitors(&self, claim: &ObjectKey) -> Vec<ObjectKey> {
        let mut found: BTreeSet<ObjectKey> = self.by_controller(claim).into_iter().collect();
        for group in self.pods.iter().filter(|group| group.has(claim)) {
            let takers = group.find_takers(self.state, self.rules);
            let met = takers.values().filter(|claims| claims.contains(claim));
            found.extend(met.flatten().cloned());
        }
        found.remove(claim);
        found.into_iter().collect()
    }

    fn by_controller(&self, claim: &ObjectKey) -> Vec<ObjectKey> {
        let settled = &self.by_controller;
        let mut claims = self.state.claims().iter().zip(0..);
        let Some((_, id)) = claims.find(|(other, _)| other.key == *claim) else {
            return vec![];
        };
        let key = |claim: u32| settled.cast[claim as usize].subject.key.clone();
        for group in &settled.solved {
            let mut sides = group.sides.iter();
            if let Some(side) = sides.find(|side| side.members.contains(&id)) {
                let (met, _) =
                    rivals::find_of(&settled.index, group, side, usize::MAX).of(id, usize::MAX);
                return met.into_iter().map(key).collect();
            }
        }
        vec![]
    }
}
