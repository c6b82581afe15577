//! What came of a plan: every change with its result. A plan that was made again, because somebody else wrote in between,
//! adds to the outcome of the one before.

use super::operation::Operation;
use super::plan::{Change, Errand, Plan, Skipped, Warning};
use crate::conventions::object_kind::ObjectKind;
use crate::engine::refusal::{Evidence, Refusal};
use crate::model::asset::Asset;
use crate::report::{API_VERSION, Code, Danger, RefusedCategory, Unknown};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Every change with its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outcome {
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) command: &'static str,
    /// The server only checked; absent where it did what was asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) dry_run: bool,
    pub(crate) changes: Vec<Made>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) unknowns: Vec<Unknown>,
    /// What `cleanup` did not decide, as something could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) refused: Vec<RefusedCategory>,
    /// When the first change was made, and when the last: RFC 3339, UTC. Absent where nothing was applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<String>,
    /// The command that finishes what is open.
    pub(crate) finish_with: Option<String>,
    #[serde(skip)]
    pub(crate) errands: Vec<Errand>,
    /// The errands that were begun and that no later plan contains: not done, and not open either.
    #[serde(skip)]
    pub(crate) given_up: BTreeSet<usize>,
}

/// A change and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Made {
    #[serde(flatten)]
    pub(crate) change: Change,
    pub(crate) result: ChangeResult,
    pub(crate) error: Option<String>,
    /// The finalizers of other components that still keep a deleted object.
    #[serde(rename = "heldBy", skip_serializing_if = "Vec::is_empty")]
    pub(crate) held_by: Vec<String>,
    /// Why it was not sent, where a check refused it, or why it failed, where that has a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<Code>,
}

/// What came of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum ChangeResult {
    Done,
    /// Somebody else did the same.
    AlreadyDone,
    Failed,
    NotReached,
}

/// What came of the changes, in their order.
pub(crate) struct Applied {
    pub(crate) sent: Vec<Sent>,
    /// The assets that were made.
    pub(crate) assets: Vec<Option<Asset>>,
    /// Whether anything was changed or may have been, whatever came of it.
    pub(crate) wrote: bool,
    /// Why objects were not begun.
    pub(crate) cut: Option<Cut>,
}

/// Why a run begins no further object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The server did not answer within `--timeout`. Nothing more is asked of it.
    NoAnswer,
    /// A request or a backend took longer than `--timeout`. The server answers otherwise.
    TimeIsUp,
    /// A signal asked the run to stop.
    Signal,
}

/// How one change ended when it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sent {
    Done,
    AlreadyDone,
    /// The object is no longer what the plan was made for: look again.
    Conflict(String),
    /// Its answer was lost, it was made, and the object was changed after that: it is done, and the rest is planned again.
    DoneAndChanged,
    Failed(String),
    /// The same with a code: of an asset that cannot be created, deleted or emptied.
    FailedWith {
        code: Code,
        message: String,
    },
    /// The server does not answer: it may have been made or not.
    Unanswered(String),
    /// The server answers, but with errors of its own to this request alone: it may have been made or not.
    Unclear(String),
    NotReached,
    /// The check of its asset refused it: nothing was sent.
    Refused {
        code: Code,
        message: String,
    },
}

/// What is left of a deleted object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Remains {
    /// It does not exist any more, or another object has its name.
    Gone,
    /// Only finalizers of other components keep it.
    HeldBy(Vec<String>),
    Exists,
    NotRead(String),
}

impl Outcome {
    pub(crate) fn new(command: &'static str) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "Outcome",
            command,
            dry_run: false,
            changes: vec![],
            skipped: vec![],
            warnings: vec![],
            unknowns: vec![],
            refused: vec![],
            started_at: None,
            ended_at: None,
            finish_with: None,
            errands: vec![],
            given_up: BTreeSet::new(),
        }
    }

    /// Adds what came of a plan. What was not made is told as it is, since no other plan may follow.
    pub(crate) fn add(&mut self, plan: Plan, sent: Vec<Sent>) {
        let first_change = self.changes.len();
        let places = self.take_over(plan.errands);
        for (mut change, sent) in plan.changes.into_iter().zip(sent) {
            change.errand = places.get(change.errand).copied().unwrap_or(change.errand);
            change.after = change.after.map(|index| index + first_change);
            let code = match &sent {
                Sent::Refused { code, .. } | Sent::FailedWith { code, .. } => Some(*code),
                _ => None,
            };
            let (result, error) = match sent {
                Sent::Done | Sent::DoneAndChanged => (ChangeResult::Done, None),
                Sent::AlreadyDone => (ChangeResult::AlreadyDone, None),
                Sent::Conflict(why)
                | Sent::Failed(why)
                | Sent::Unanswered(why)
                | Sent::Unclear(why) => (ChangeResult::Failed, Some(why)),
                Sent::FailedWith { message, .. } => (ChangeResult::Failed, Some(message)),
                Sent::NotReached => (ChangeResult::NotReached, None),
                Sent::Refused { message, .. } => (ChangeResult::NotReached, Some(message)),
            };
            self.changes.push(Made {
                change,
                result,
                error,
                held_by: vec![],
                code,
            });
        }
        self.skipped = plan.skipped;
        self.warnings = plan.warnings;
        self.unknowns = plan.unknowns;
        self.refused = plan.refused;
    }

    /// Says where the errands of a later plan stand: one that goes on with an earlier one is the same, and counted once.
    fn take_over(&mut self, errands: Vec<Errand>) -> Vec<usize> {
        let mut places = Vec::with_capacity(errands.len());
        let known = self.errands.len();
        for errand in errands {
            let mut earlier = self.errands[..known].iter();
            let place = earlier.position(|it| it.is_same_as(&errand));
            places.push(place.unwrap_or(self.errands.len()));
            if place.is_none() {
                self.errands.push(errand);
            }
        }
        self.given_up.retain(|place| !places.contains(place));
        places
    }

    /// What was not made is done by another run, where `is_done` says so. The status of a set that was not written is never what
    /// the set states.
    pub(crate) fn settle(&mut self, is_done: impl Fn(&Errand) -> bool) {
        for made in &mut self.changes {
            let errand = self.errands.get(made.change.errand);
            let is_done = errand.is_some_and(|errand| !errand.deed.is_aside() && is_done(errand));
            // That data is gone nobody knows who has not deleted it.
            if made.is_open() && is_done && made.change.danger != Danger::LosesData {
                (made.result, made.error, made.code) = (ChangeResult::AlreadyDone, None, None);
            }
        }
    }

    /// Another plan follows: what was not made is done by another run, where `is_done` says so, or planned again.
    pub(crate) fn drop_what_is_open(&mut self, is_done: impl Fn(&Errand) -> bool) {
        self.settle(is_done);
        let mut places: Vec<Option<usize>> = Vec::with_capacity(self.changes.len());
        let mut kept: Vec<Made> = Vec::new();
        for mut made in std::mem::take(&mut self.changes) {
            if made.is_open() {
                self.given_up.insert(made.change.errand);
                places.push(None);
                continue;
            }
            let after = made.change.after;
            made.change.after = after.and_then(|index| places.get(index).copied().flatten());
            places.push(Some(kept.len()));
            kept.push(made);
        }
        self.changes = kept;
    }

    /// What was done to its end.
    pub(crate) fn finished(&self) -> Vec<Errand> {
        let mut is_finished: Vec<Option<bool>> = vec![None; self.errands.len()];
        for made in &self.changes {
            if let Some(slot) = is_finished.get_mut(made.change.errand) {
                *slot = Some(slot.unwrap_or(true) && !made.is_open());
            }
        }
        for errand in &self.given_up {
            is_finished[*errand] = None;
        }
        let errands = self.errands.iter().zip(is_finished);
        let finished = errands.filter(|(_, is_finished)| *is_finished == Some(true));
        finished.map(|(errand, _)| errand.clone()).collect()
    }

    /// What nobody has refused, as far as it was tried.
    pub(crate) fn accepted(&self) -> Vec<&Errand> {
        let is_accepted = |index: usize| {
            let of_it = |made: &&Made| made.change.errand == index;
            let needed = |made: &&Made| !made.change.is_optional();
            let changes = || self.changes.iter().filter(of_it).filter(needed);
            changes().next().is_some() && changes().all(|made| made.error.is_none())
        };
        let errands = self.errands.iter().enumerate();
        let accepted = errands.filter(|(index, _)| is_accepted(*index));
        accepted.map(|(_, errand)| errand).collect()
    }

    /// Adds what came of a later run.
    pub(crate) fn append(&mut self, later: Self) {
        let first_change = self.changes.len();
        let places = self.take_over(later.errands);
        let given_up = later
            .given_up
            .iter()
            .filter_map(|errand| places.get(*errand));
        self.given_up.extend(given_up);
        self.changes
            .extend(later.changes.into_iter().map(|mut made| {
                let place = places.get(made.change.errand).copied();
                made.change.errand = place.unwrap_or(made.change.errand);
                made.change.after = made.change.after.map(|index| index + first_change);
                made
            }));
        self.skipped = later.skipped;
        self.warnings = later.warnings;
        self.unknowns = later.unknowns;
        self.refused = later.refused;
    }

    /// Whether the check of an asset refused a change.
    pub(crate) fn is_refused(&self) -> bool {
        self.changes.iter().any(Made::is_refused)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.changes.iter().any(Made::is_open)
    }

    /// The deletions that this run asked for and the server accepted: those of finished objects, and those of objects that are
    /// still open, which our own lock keeps.
    pub(crate) fn deletions(&mut self) -> (Vec<&mut Made>, Vec<&mut Made>) {
        let open: HashSet<usize> = self
            .changes
            .iter()
            .filter(|made| made.is_open())
            .map(|made| made.change.errand)
            .collect();
        let changes = self.changes.iter_mut();
        let deletions = changes.filter(|made| made.is_deletion());
        deletions.partition(|made| !open.contains(&made.change.errand))
    }

    /// Of objects that are not finished it is not known whether they are gone, as the server does not answer.
    pub(crate) fn doubt_deletions(&mut self) {
        let (_, open) = self.deletions();
        for made in open {
            let why = "the server does not answer whether it is gone";
            made.settle_deletion(Remains::NotRead(why.to_owned()));
        }
    }

    /// A volume that another run has reclaimed with this one is done, not skipped because it does not exist.
    pub(crate) fn drop_skips_of_done(&mut self) {
        let mut is_done: BTreeMap<&str, bool> = BTreeMap::new();
        for made in &self.changes {
            if let Some(errand) = self.errands.get(made.change.errand) {
                let is_made = matches!(made.result, ChangeResult::Done | ChangeResult::AlreadyDone);
                *is_done.entry(&errand.volume).or_insert(true) &= is_made;
            }
        }
        self.skipped.retain(|skipped| {
            let is_missing = matches!(*skipped.refusal.evidence, Evidence::Gone { .. });
            !is_missing || is_done.get(skipped.target.name.as_str()) != Some(&true)
        });
    }

    /// Names the objects that were not begun because a wait took too long.
    pub(crate) fn skip_not_begun(&mut self) {
        let mut first: Vec<Option<&Made>> = vec![None; self.errands.len()];
        let mut is_begun = vec![false; self.errands.len()];
        for made in &self.changes {
            let errand = made.change.errand;
            if errand < first.len() {
                first[errand].get_or_insert(made);
                is_begun[errand] |= made.result != ChangeResult::NotReached;
            }
        }
        let rows = self.errands.iter().zip(first.into_iter().zip(is_begun));
        let not_begun = rows.filter(|(errand, (_, is_begun))| !is_begun && !errand.deed.is_aside());
        let skipped = not_begun.filter_map(|(_, (first, _))| {
            let target = first?.change.target.clone();
            Some(Skipped::new(target, Refusal::new(Evidence::TimeIsUp)))
        });
        let skipped: Vec<Skipped> = skipped.collect();
        self.skipped.extend(skipped);
    }
}

impl Made {
    /// Whether the check of an asset refused it.
    pub(crate) fn is_refused(&self) -> bool {
        self.code.is_some() && self.result == ChangeResult::NotReached
    }

    /// Whether an object of the cluster that holds no process was deleted by this run.
    fn is_deletion(&self) -> bool {
        let kinds = [
            ObjectKind::PersistentVolume,
            ObjectKind::PersistentVolumeClaim,
            ObjectKind::VolumeAttachment,
        ];
        matches!(self.change.operation, Operation::Delete(_))
            && self.result == ChangeResult::Done
            && kinds.contains(&self.change.target.kind)
    }

    /// The object of a deletion still exists after the last wait, or does not.
    pub(crate) fn settle_deletion(&mut self, remains: Remains) {
        match remains {
            Remains::Gone => {}
            Remains::HeldBy(finalizers) => self.held_by = finalizers,
            Remains::Exists => {
                self.result = ChangeResult::Failed;
                self.error = Some("it still exists".to_owned());
            }
            Remains::NotRead(why) => {
                self.result = ChangeResult::Failed;
                self.error = Some(why);
            }
        }
    }

    /// Whether it is still to be done. News that could not be told are nothing to be done.
    pub(crate) fn is_open(&self) -> bool {
        !self.change.is_optional()
            && matches!(self.result, ChangeResult::Failed | ChangeResult::NotReached)
    }
}

#[cfg(test)]
mod tests {
    use super::super::bind::{BindQuestion, plan_bind};
    use super::super::plan::Deed;
    use super::*;
    use crate::engine::Rules;
    use crate::testing::{claim, state, volume};

    fn plan() -> Plan {
        let state = state(vec![claim("a"), claim("b")], vec![volume("v"), volume("w")]);
        let question = BindQuestion {
            claims: state
                .claims()
                .iter()
                .map(|claim| claim.key.clone())
                .collect(),
            are_named: true,
            volume: None,
            force: false,
            rules: Rules::V1_36,
            taken: vec![],
        };
        plan_bind(&state, &question)
    }

    fn conflict() -> Sent {
        Sent::Conflict("changed".to_owned())
    }

    #[test]
    fn a_later_plan_takes_the_place_of_what_was_not_made() {
        let mut outcome = Outcome::new("bind");
        let sent = vec![
            Sent::Done,
            conflict(),
            Sent::NotReached,
            Sent::NotReached,
            Sent::Done,
            Sent::Done,
            Sent::Done,
            Sent::Done,
        ];
        outcome.add(plan(), sent);
        assert!(outcome.is_open());
        assert_eq!(outcome.finished().len(), 1);
        outcome.drop_what_is_open(|_| false);
        let afters = |outcome: &Outcome| -> Vec<Option<usize>> {
            let changes = outcome.changes.iter();
            changes.map(|made| made.change.after).collect()
        };
        assert_eq!(afters(&outcome), [None, None, Some(1), None, Some(3)]);
        outcome.add(plan(), vec![Sent::Done; 8]);
        assert!(!outcome.is_open());
        assert_eq!(outcome.changes.len(), 13);
        assert_eq!(outcome.changes[6].change.after, Some(5));
        assert_eq!(outcome.finished().len(), 2);
    }

    /// The status of a set that was not written, as a conflict came before it, is not what the set states.
    #[test]
    fn a_status_that_was_not_written_is_dropped_and_not_called_done() {
        let mut outcome = Outcome::new("set reconcile");
        let mut plan = plan();
        let record = Deed::Record {
            set: "pool".to_owned(),
        };
        plan.errands[1].deed = record;
        let mut sent = vec![Sent::Done; 8];
        sent[4..].fill(Sent::NotReached);
        outcome.add(plan, sent);
        outcome.drop_what_is_open(|_| true);
        assert_eq!(outcome.changes.len(), 4);
        assert!(!outcome.is_open());
    }

    /// Some of its changes were made, and the next plan does not contain it: it is not counted as done.
    #[test]
    fn what_no_later_plan_contains_is_not_finished() {
        let mut outcome = Outcome::new("bind");
        let mut sent = vec![Sent::Done; 8];
        (sent[0], sent[1]) = (Sent::DoneAndChanged, Sent::NotReached);
        sent[2..4].fill(Sent::NotReached);
        outcome.add(plan(), sent);
        outcome.drop_what_is_open(|_| false);
        assert_eq!(outcome.changes[0].result, ChangeResult::Done);
        assert!(!outcome.is_open());
        assert_eq!(outcome.finished().len(), 1);
        outcome.add(plan(), vec![Sent::Done; 8]);
        assert_eq!(outcome.finished().len(), 2);
    }

    #[test]
    fn what_somebody_else_did_is_done() {
        let mut outcome = Outcome::new("bind");
        let mut sent = vec![Sent::Done; 8];
        sent[6] = conflict();
        sent[7] = Sent::NotReached;
        outcome.add(plan(), sent);
        outcome.drop_what_is_open(|errand| errand.volume == "w");
        let results: Vec<ChangeResult> = outcome.changes.iter().map(|made| made.result).collect();
        assert_eq!(results[6..], [ChangeResult::AlreadyDone; 2]);
    }
}
