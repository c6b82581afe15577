//! A plan is applied to its end: after a conflict the cluster is read and the plan made again; after a final failure, what it
//! leaves is planned and applied.

use super::base_directories::refresh_records;
use super::{Reads, WritingCommand};
use crate::actions::apply::{Earnest, Onlooker};
use crate::actions::memory::Memory;
use crate::actions::outcome::{Outcome, Sent};
use crate::actions::plan::{Deed, Errand, Plan};
use crate::cluster::Cluster;
use crate::conventions::annotations::SET_UID;
use crate::conventions::object_ref::ObjectKey;
use crate::error::CommandError;
use crate::model::{ClaimPhase, ClusterState, Kind};
use crate::storage::{Backend, Backends};
use std::time::Duration;

/// A run that loses so many races in a row stops, and prints how to finish.
const ROUNDS: u32 = 20;

/// How it ended.
pub(in crate::commands) struct Applied {
    pub(in crate::commands) outcome: Outcome,
    /// Whether anything was sent, whatever came of it.
    pub(in crate::commands) wrote: bool,
    /// Why it could not go on.
    pub(in crate::commands) trouble: Option<CommandError>,
}

/// The command that plans, and what its plans are applied with.
pub(in crate::commands) struct ApplyLoop<'a, 'q, C: WritingCommand + 'q> {
    pub(in crate::commands) command: &'a C,
    pub(in crate::commands) question: &'a C::Question<'q>,
    pub(in crate::commands) cluster: &'a Cluster,
    pub(in crate::commands) reads: &'a Reads,
    pub(in crate::commands) backends: &'a Backends,
    pub(in crate::commands) onlooker: &'a mut dyn Onlooker,
}

impl<C: WritingCommand> ApplyLoop<'_, '_, C> {
    /// Applies a plan that was made of this state, and those that follow from it.
    pub(in crate::commands) fn run(&mut self, mut state: ClusterState, mut plan: Plan) -> Applied {
        let mut ended = Applied {
            outcome: Outcome::new(plan.command),
            wrote: false,
            trouble: None,
        };
        let mut memory = Memory {
            run: Some(self.cluster.run().to_owned()),
            ..Memory::default()
        };
        refresh_records(&state, self.backends);
        for round in 1.. {
            let has_conflict = self.apply(plan, &mut memory, &mut ended);
            if !memory.failures.is_empty() {
                self.forgive(&mut state, &mut memory, &mut ended);
            }
            while let Some(mut failures) = self.command.plan_failures(&state, &mut memory) {
                failures.skipped.clone_from(&ended.outcome.skipped);
                failures.unknowns.clone_from(&ended.outcome.unknowns);
                failures.refused.clone_from(&ended.outcome.refused);
                self.apply(failures, &mut memory, &mut ended);
            }
            if !has_conflict || round >= ROUNDS || !self.cluster.pause(wait_before(round)) {
                break;
            }
            match self.reads.load(self.cluster) {
                Ok(found) => state = found,
                Err(error) => {
                    ended.trouble = Some(error);
                    break;
                }
            }
            plan = self
                .command
                .plan(self.question, &state, &memory, self.backends);
            ended
                .outcome
                .drop_what_is_open(|errand| is_done(&state, errand));
        }
        if sets_policies(&ended.outcome) && self.backends.iter().any(Backend::keeps_records) {
            // What was read at the beginning states the policies of before.
            if let Ok(state) = self.reads.load(self.cluster) {
                refresh_records(&state, self.backends);
            }
        }
        ended
    }

    /// What failed because another run had done it already is no failure.
    fn forgive(&mut self, state: &mut ClusterState, memory: &mut Memory, ended: &mut Applied) {
        // Without another reading every failure stands.
        let Ok(found) = self.reads.load(self.cluster) else {
            return;
        };
        *state = found;
        memory
            .failures
            .retain(|failure| !is_bound_to(state, failure.claim.as_ref(), &failure.volume));
        ended.outcome.settle(|errand| is_done(state, errand));
    }

    /// Makes the changes of a plan. Returns whether there was a conflict.
    fn apply(&mut self, plan: Plan, memory: &mut Memory, ended: &mut Applied) -> bool {
        let applied = self
            .cluster
            .apply(&plan, Earnest::Yes, self.backends, self.onlooker);
        memory.note(&plan, &applied);
        ended.wrote |= applied.wrote;
        let is_conflict = |sent: &Sent| matches!(sent, Sent::Conflict(_));
        let has_conflict = applied.sent.iter().any(is_conflict);
        ended.outcome.add(plan, applied.sent);
        has_conflict
    }
}

fn sets_policies(outcome: &Outcome) -> bool {
    let mut errands = outcome.errands.iter();
    errands.any(|errand| matches!(errand.deed, Deed::SetPolicy { .. }))
}

/// Several runs at once must not collide in every round.
fn wait_before(round: u32) -> Duration {
    let own = std::process::id() % 10;
    Duration::from_millis(u64::from(10 * round.min(10) + 7 * own))
}

/// Whether the object is as it was wanted, whichever run did it.
fn is_done(state: &ClusterState, errand: &Errand) -> bool {
    match errand.deed {
        Deed::Delete(_) | Deed::DeleteObject | Deed::DeleteMember { .. } => {
            state.saw(Kind::Volumes, None) && state.find_volume(&errand.volume).is_none()
        }
        Deed::DeleteClaim(_) => errand.claim.as_ref().is_some_and(|key| {
            state.saw(Kind::Claims, Some(&key.namespace)) && state.find_claim(key).is_none()
        }),
        Deed::Detach => {
            let mut attachments = state.objects().attachments.iter();
            state.saw(Kind::Attachments, None)
                && !attachments.any(|attachment| attachment.name == errand.volume)
        }
        // No other component deletes our assets.
        Deed::DeleteAsset(_) | Deed::TakeBackMember { .. } => false,
        // A member under the set's own number is the one that was wanted.
        Deed::MakeMember { ref set } => is_member(state, set, &errand.volume),
        // It is planned again.
        Deed::Record { .. } => true,
        _ => is_bound_to(state, errand.claim.as_ref(), &errand.volume),
    }
}

fn is_member(state: &ClusterState, set: &str, volume: &str) -> bool {
    let set = state.find_volume_set(set);
    let volume = state.find_volume(volume);
    set.zip(volume).is_some_and(|(set, volume)| {
        volume.deleted.is_none() && volume.annotations.get(SET_UID) == set.uid.as_ref()
    })
}

fn is_bound_to(state: &ClusterState, claim: Option<&ObjectKey>, volume: &str) -> bool {
    let claim = claim.and_then(|key| state.find_claim(key));
    claim.is_some_and(|claim| {
        claim.phase == ClaimPhase::Bound && claim.volume_name.as_deref() == Some(volume)
    })
}
