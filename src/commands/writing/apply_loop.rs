//! A plan is applied to its end: after a conflict the cluster is read and the plan made again; after a final failure, what it
//! leaves is planned and applied.

use super::base_directories::refresh_records;
use super::saving::Saver;
use super::{Reads, WritingCommand};
use crate::actions::apply::{Earnest, ProgressListener, Unstoppable};
use crate::actions::memory::Memory;
use crate::actions::outcome::{self, Cut, Made, Outcome, Remains, Sent};
use crate::actions::plan::{Deed, Errand, Plan, Target};
use crate::cluster::Cluster;
use crate::conventions::annotations::SET_UID;
use crate::conventions::object_ref::ObjectKey;
use crate::error::CommandError;
use crate::model::{ClaimPhase, ClusterState, Kind};
use crate::storage::{Backend, Backends};
use std::time::{Duration, Instant};

/// A run that loses so many races in a row stops, and prints how to finish.
const ROUNDS: u32 = 20;

/// How soon it is checked again whether deleted objects are gone.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// How often the cluster is read while `--wait` waits.
const READ_EVERY: Duration = Duration::from_secs(1);

/// How it ended.
pub(in crate::commands) struct Applied {
    pub(in crate::commands) outcome: Outcome,
    /// Whether anything was sent, whatever came of it.
    pub(in crate::commands) wrote: bool,
    /// Why it could not go on.
    pub(in crate::commands) trouble: Option<CommandError>,
    /// Why objects were not begun.
    pub(in crate::commands) cut: Option<Cut>,
}

/// The command that plans, and what its plans are applied with.
pub(in crate::commands) struct ApplyLoop<'a, 'q, C: WritingCommand + 'q> {
    pub(in crate::commands) command: &'a C,
    pub(in crate::commands) question: &'a C::Question<'q>,
    pub(in crate::commands) cluster: &'a Cluster,
    pub(in crate::commands) reads: &'a Reads,
    pub(in crate::commands) backends: &'a Backends,
    pub(in crate::commands) listener: &'a mut dyn ProgressListener,
    pub(in crate::commands) saver: Option<Saver>,
}

impl<C: WritingCommand> ApplyLoop<'_, '_, C> {
    /// Applies a plan that was made of this state, and those that follow from it.
    pub(in crate::commands) fn run(&mut self, mut state: ClusterState, mut plan: Plan) -> Applied {
        let mut ended = Applied {
            outcome: Outcome::new(plan.command),
            wrote: false,
            trouble: None,
            cut: None,
        };
        let mut memory = Memory {
            run: Some(self.cluster.run().to_owned()),
            ..Memory::default()
        };
        ended.outcome.started_at = Some(self.cluster.timestamp());
        refresh_records(&state, self.backends);
        for round in 1.. {
            let has_conflict = self.apply(plan, AfterSignal::Stop, &mut memory, &mut ended);
            if !memory.failures.is_empty() && ended.cut != Some(Cut::NoAnswer) {
                self.forgive(&mut state, &mut memory, &mut ended);
            }
            self.apply_failures(&state, &mut memory, &mut ended);
            if !has_conflict || round >= ROUNDS || ended.cut.is_some() {
                break;
            }
            self.cluster.pause(wait_before(round));
            match self.reads.load(self.cluster) {
                Ok(found) => state = found,
                Err(error) => {
                    self.note_silence(&mut ended);
                    ended.trouble = Some(error);
                    break;
                }
            }
            plan = self
                .command
                .plan_in_detail(self.question, &state, &memory, self.backends);
            ended
                .outcome
                .drop_what_is_open(|errand| is_done(&state, errand));
        }
        self.refresh_policies(&mut ended);
        if ended.cut == Some(Cut::NoAnswer) {
            ended.outcome.doubt_deletions();
        } else {
            self.wait_until_gone(&mut ended.outcome);
        }
        if matches!(ended.cut, Some(Cut::NoAnswer | Cut::TimeIsUp)) {
            ended.outcome.skip_not_begun();
        }
        ended.outcome.drop_skips_of_done();
        ended.outcome.ended_at = Some(self.cluster.timestamp());
        ended
    }

    /// Applies what failures leave to be done.
    fn apply_failures(&mut self, state: &ClusterState, memory: &mut Memory, ended: &mut Applied) {
        while ended.cut != Some(Cut::NoAnswer)
            && let Some(mut failures) = self.command.plan_failures(state, memory)
        {
            failures.skipped.clone_from(&ended.outcome.skipped);
            failures.unknowns.clone_from(&ended.outcome.unknowns);
            failures.refused.clone_from(&ended.outcome.refused);
            self.apply(failures, AfterSignal::GoOn, memory, ended);
        }
    }

    /// What was read at the beginning states the policies of before.
    fn refresh_policies(&self, ended: &mut Applied) {
        let is_needed = ended.cut != Some(Cut::NoAnswer)
            && sets_policies(&ended.outcome)
            && self.backends.iter().any(Backend::keeps_records);
        if !is_needed {
            return;
        }
        match self.reads.load(self.cluster) {
            Ok(state) => refresh_records(&state, self.backends),
            Err(_) => self.note_silence(ended),
        }
    }

    /// A server that did not answer a list within the time is asked nothing more.
    fn note_silence(&self, ended: &mut Applied) {
        if self.cluster.is_silent() {
            ended.cut = Some(Cut::NoAnswer);
        }
    }

    /// Finds out what is left of deleted objects without waiting.
    fn settle(&self, deletions: Vec<&mut Made>) {
        if deletions.is_empty() {
            return;
        }
        let targets: Vec<&Target> = deletions.iter().map(|made| &made.change.target).collect();
        let remains = self.cluster.find_remains(&targets);
        for (made, remains) in deletions.into_iter().zip(remains) {
            made.settle_deletion(remains);
        }
    }

    /// Waits until deleted objects are gone. One that is not, and that no finalizer of another component keeps, has failed.
    fn wait_until_gone(&mut self, outcome: &mut Outcome) {
        let (mut deletions, open) = outcome.deletions();
        self.settle(open);
        let began = Instant::now();
        let mut pause = FIRST_PAUSE;
        while !deletions.is_empty() {
            let targets: Vec<&Target> = deletions.iter().map(|made| &made.change.target).collect();
            let remains = self.cluster.find_remains(&targets);
            let rows = deletions.iter().zip(&remains);
            let mut left = rows.filter(|(_, remains)| **remains != Remains::Gone);
            let is_over = began.elapsed() + pause > self.cluster.time();
            let is_over = is_over || self.cluster.is_silent() || self.listener.is_stopping();
            let Some((first, _)) = left.next().filter(|_| !is_over) else {
                for (made, remains) in deletions.into_iter().zip(remains) {
                    made.settle_deletion(remains);
                }
                return;
            };
            let target = first.change.target.spelled();
            let waited = format!("{target}: waiting until it is gone");
            self.listener.wait(&waited, began.elapsed());
            self.cluster.pause(pause);
            pause = (pause * 2).min(READ_EVERY);
            let mut is_gone = remains.iter().map(|remains| *remains == Remains::Gone);
            deletions.retain(|_| !is_gone.next().unwrap_or_default());
        }
    }

    /// Reads and plans again until nothing is awaited any more. Returns the claim that did not become bound in time.
    pub(super) fn wait_for_all(
        &mut self,
        applied: &mut Applied,
        time: Duration,
    ) -> Option<ObjectKey> {
        let began = Instant::now();
        while applied.trouble.is_none() && applied.cut.is_none() && !applied.outcome.is_open() {
            let state = match self.reads.load(self.cluster) {
                Ok(state) => state,
                Err(error) => {
                    applied.trouble = Some(error);
                    break;
                }
            };
            let claim = self.command.find_awaited(self.question, &state)?;
            let memory = Memory::default();
            let plan = self
                .command
                .plan_in_detail(self.question, &state, &memory, self.backends);
            applied.outcome.skipped.clone_from(&plan.skipped);
            if !plan.changes.is_empty() {
                let more = self.run(state, plan);
                applied.wrote |= more.wrote;
                applied.cut = more.cut;
                applied.trouble = more.trouble;
                applied.outcome.append(more.outcome);
            }
            if began.elapsed() >= time || self.listener.is_stopping() {
                return Some(claim);
            }
            let waited = format!("{claim}: waiting for a volume");
            self.listener.wait(&waited, began.elapsed());
            self.cluster.pause(READ_EVERY);
        }
        None
    }

    /// What failed because another run had done it already is no failure.
    fn forgive(&mut self, state: &mut ClusterState, memory: &mut Memory, ended: &mut Applied) {
        // Without another reading every failure stands.
        let Ok(found) = self.reads.load(self.cluster) else {
            return self.note_silence(ended);
        };
        *state = found;
        memory
            .failures
            .retain(|failure| !is_bound_to(state, failure.claim.as_ref(), &failure.volume));
        ended.outcome.settle(|errand| is_done(state, errand));
    }

    /// Makes the changes of a plan. Returns whether there was a conflict.
    fn apply(
        &mut self,
        plan: Plan,
        after_signal: AfterSignal,
        memory: &mut Memory,
        ended: &mut Applied,
    ) -> bool {
        if let Some(saver) = &mut self.saver
            && let Err(error) = saver.save(&plan, self.cluster)
        {
            // What is not saved is not touched.
            let not_reached = vec![Sent::NotReached; plan.changes.len()];
            ended.outcome.add(plan, not_reached);
            ended.trouble = Some(error);
            self.note_silence(ended);
            return false;
        }
        let mut unstoppable = Unstoppable(&mut *self.listener);
        let listener: &mut dyn ProgressListener = match after_signal {
            AfterSignal::Stop => unstoppable.0,
            AfterSignal::GoOn => &mut unstoppable,
        };
        let applied = self
            .cluster
            .apply(&plan, Earnest::Yes, self.backends, listener);
        note(plan, applied, memory, ended)
    }
}

/// What a signal means for a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterSignal {
    /// No further object is begun.
    Stop,
    /// All of it belongs to objects that were begun.
    GoOn,
}

/// Remembers what came of a plan. Returns whether there was a conflict.
fn note(plan: Plan, applied: outcome::Applied, memory: &mut Memory, ended: &mut Applied) -> bool {
    memory.note(&plan, &applied);
    ended.wrote |= applied.wrote;
    ended.cut = match (ended.cut, applied.cut) {
        (_, Some(Cut::NoAnswer)) => applied.cut,
        (earlier, later) => earlier.or(later),
    };
    let is_conflict = |sent: &Sent| matches!(sent, Sent::Conflict(_) | Sent::DoneAndChanged);
    let has_conflict = applied.sent.iter().any(is_conflict);
    ended.outcome.add(plan, applied.sent);
    has_conflict
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
