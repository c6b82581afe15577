//! `set reconcile`, planned: pools of volumes (seed 002) brought as close to what they ask for as can be, one volume at a time.
//!
//! Every step begins with a note in the set itself, guarded by the version that was read: whoever changes the set, or works on
//! it as well, is heard before anything is done, and two runs never make two volumes where one is missing.
//!
//! | what | where |
//! |---|---|
//! | which number the next member gets | `ordinals.rs` |
//! | what a member is made of | `new_member.rs` |
//! | who makes it | `maker.rs`, `creating.rs` |
//! | who goes when there are too many | `removing.rs` |
//! | assets whose volume never came | `leftovers.rs` |
//! | what is written into the set | `recording.rs` |
//! | what is still to be done when something went wrong | `failures.rs` |

mod creating;
pub(crate) mod failures;
mod leftovers;
mod maker;
mod new_member;
mod ordinals;
mod recording;
mod removing;
#[cfg(test)]
mod tests;

use super::asset_work::MadeAsset;
use super::backend_facts::{BackendFacts, Planned};
use super::draft::Draft;
use super::inquiry::Inquiry;
use super::memory::Memory;
use super::plan::{Plan, Target};
use crate::engine::find_set_fault;
use crate::engine::refusal::{Advice, Evidence, Refusal, SetEvidence, Standing};
use crate::engine::volume_set::{Levels, find_members};
use crate::model::{ClusterState, Host, Kind, Volume, VolumeSet};
use crate::report::SetFinding;
use std::ops::Range;

/// The subcommand.
pub(crate) const COMMAND: &str = "set reconcile";

/// Which sets, and with what.
pub(crate) struct SetQuestion<'a> {
    /// The sets, by name.
    pub(crate) sets: Vec<String>,
    /// The node somebody named.
    pub(crate) node: Option<&'a str>,
    /// What this machine is called.
    pub(crate) host: Option<&'a Host>,
    /// Whether there is a cluster; files are played, and what is on this machine has nothing to do with them.
    pub(crate) is_live: bool,
    /// What this run is called, if it writes.
    pub(crate) run: Option<&'a str>,
    /// Whether anything may be deleted.
    pub(crate) deletes: bool,
    /// How many steps at most, for those who look again after each.
    pub(crate) most: Option<usize>,
    /// The assets that this run has created so far.
    pub(crate) created: Vec<MadeAsset>,
}

/// What brings sets to where they are to be, and how the cluster is then.
pub(crate) struct Foreseen {
    pub(crate) plan: Plan,
    pub(crate) state: ClusterState,
    pub(crate) sets: Vec<Outlook>,
}

/// What is planned for one set.
pub(crate) struct Outlook {
    pub(crate) name: String,
    /// Which changes of the plan are for it.
    pub(crate) changes: Range<usize>,
    /// Which errands of the plan are for it.
    pub(crate) errands: Range<usize>,
    /// What keeps it from being as it is wanted.
    pub(crate) findings: Vec<SetFinding>,
}

/// Plans what brings these sets to where they are to be, as far as the answers of the backends go.
pub(crate) fn plan_sets(
    state: &ClusterState,
    question: &SetQuestion<'_>,
    facts: &BackendFacts,
) -> Planned<Plan> {
    foresee(state, question, facts).map(|foreseen| foreseen.plan)
}

/// Plans again, after what this run has done so far.
pub(crate) fn plan_again(
    state: &ClusterState,
    question: &SetQuestion<'_>,
    memory: &Memory,
    facts: &BackendFacts,
) -> Planned<Plan> {
    let question = &SetQuestion {
        sets: question.sets.clone(),
        created: memory.assets.clone(),
        ..*question
    };
    let planned = plan_sets(state, question, facts);
    planned.map(|plan| leftovers::take_back_orphans(state, plan, memory))
}

/// The same, with what comes of it.
pub(crate) fn foresee(
    state: &ClusterState,
    question: &SetQuestion<'_>,
    facts: &BackendFacts,
) -> Planned<Foreseen> {
    let inquiry = Inquiry::new(facts);
    let foreseen = plan_all(state, question, &inquiry);
    inquiry.conclude(foreseen)
}

fn plan_all(state: &ClusterState, question: &SetQuestion<'_>, inquiry: &Inquiry<'_>) -> Foreseen {
    let mut draft = Draft::new(state, COMMAND);
    let mut sets = Vec::new();
    for name in &question.sets {
        let (changes, errands) = (draft.plan.changes.len(), draft.plan.errands.len());
        let findings = if let Some(set) = draft.state.find_volume_set(name).cloned() {
            Work::new(&mut draft, set, question, inquiry).plan()
        } else {
            let target = Target::volume_set(name, None);
            draft.refuse(target, Refusal::new(Evidence::Gone { name: None }));
            vec![]
        };
        sets.push(Outlook {
            name: name.clone(),
            changes: changes..draft.plan.changes.len(),
            errands: errands..draft.plan.errands.len(),
            findings,
        });
    }
    Foreseen {
        plan: draft.plan,
        state: draft.state,
        sets,
    }
}

/// One set, and what is planned for it.
struct Work<'a> {
    draft: &'a mut Draft,
    set: VolumeSet,
    question: &'a SetQuestion<'a>,
    inquiry: &'a Inquiry<'a>,
    /// How many steps were planned for it.
    steps: usize,
    /// What keeps it from being as it is wanted; the main one first.
    findings: Vec<SetFinding>,
    /// The errands that were planned for it.
    first_errand: usize,
    /// The members whose end was planned. Whoever deletes them sees to their assets; if a claim takes one first, it needs its own.
    removed: Vec<String>,
    /// The members whose making was planned, until all of them are.
    made: Vec<Volume>,
    /// How many members there are once what was planned is done.
    levels: Levels,
}

impl<'a> Work<'a> {
    fn new(
        draft: &'a mut Draft,
        set: VolumeSet,
        question: &'a SetQuestion<'a>,
        inquiry: &'a Inquiry<'a>,
    ) -> Self {
        let first_errand = draft.plan.errands.len();
        let levels = Levels::of(&find_members(&draft.state, &set));
        Self {
            draft,
            set,
            question,
            inquiry,
            steps: 0,
            findings: vec![],
            first_errand,
            removed: vec![],
            made: vec![],
            levels,
        }
    }

    /// Plans everything, and says what keeps the set from being as it is wanted.
    fn plan(mut self) -> Vec<SetFinding> {
        if self.set.deleted.is_some() {
            self.note(SetEvidence::BeingDeleted, Standing::Refused);
        } else if let Some(fault) = find_set_fault(&self.draft.state, &self.set) {
            self.refuse_invalid(fault);
        } else if !self.draft.state.saw(Kind::Volumes, None) {
            self.note(SetEvidence::VolumesNotReadable, Standing::Unknown);
        } else {
            self.finish_removals();
            self.leave_out_removed();
            self.create(self.levels.missing(&self.set));
            self.take_back_assets();
            self.remove(self.levels.surplus(&self.set));
            self.leave_out_removed();
            self.unlock();
            self.note_maximum();
            self.note_awaited();
            self.record();
        }
        self.findings
    }

    /// All at once: a large state sorts its volumes anew for each question after a change.
    fn leave_out_removed(&mut self) {
        // Under a name that is free by then a new one may have been planned.
        let is_new = |name: &&String| self.made.iter().any(|made| made.name == **name);
        let gone: Vec<&String> = self.removed.iter().filter(|name| !is_new(name)).collect();
        for name in gone {
            self.draft.state.remove_volume(name);
        }
    }

    /// Whether another step may be planned, by those who look again after each.
    fn may_go_on(&self) -> bool {
        self.question.most.is_none_or(|most| self.steps < most)
    }

    /// Notes what keeps the set from being as it is wanted, and says so.
    fn note(&mut self, refusal: impl Into<Refusal>, standing: Standing) {
        let target = Target::volume_set(&self.set.name, self.set.uid.as_ref());
        let refusal = refusal.into().advise(Advice::None).standing(standing);
        self.refuse(target, None, refusal);
    }

    /// Notes why a member is skipped.
    fn note_member(&mut self, volume: &str, uid: Option<&String>, refusal: Refusal) {
        let standing = match refusal.standing {
            Standing::Unknown => Standing::Unknown,
            // Another one goes in its stead, or the set is told that none does.
            _ => Standing::Fine,
        };
        let target = Target::volume(volume, uid);
        self.refuse(target, Some(volume), refusal.standing(standing));
    }

    fn refuse(&mut self, target: Target, volume: Option<&str>, refusal: Refusal) {
        self.findings.push(SetFinding {
            code: refusal.code(),
            message: refusal.told().to_string(),
            volume: volume.map(str::to_owned),
        });
        self.draft.refuse(target, refusal);
    }
}
