//! What is said of one claim, once it is known how it ends: the words of `explain`, without a search over all volumes.

use super::super::Rules;
use super::super::binding::{Judged, Search};
use super::super::checks::{Candidate, Question, search_failures};
use super::super::claims::{ClaimDecision, Decider, decide_by};
use super::super::named::Named;
use super::super::phases::{Phases, view};
use super::super::sync::{Decision, NamedJudgement, Step, conclude, decide_bound, decide_named};
use super::actors::{Actor, Role, Stage};
use super::index::{Index, VolumeId};
use super::table::Leaves;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, Pod};
use crate::report::{Holder, Result, Verdict, VolumeReason};

/// Tells how claims end.
pub(super) struct Teller<'i, 'a> {
    pub(super) index: &'i Index<'a>,
    pub(super) rules: Rules,
}

impl<'a> Teller<'_, 'a> {
    /// What is said of a claim that ends with this volume, or with none of those that are there.
    pub(super) fn tell(&self, actor: &Actor<'a>, takes: &[VolumeId]) -> ClaimDecision<'a> {
        let claim = &self.index.state.claims()[actor.claim as usize];
        let ending = Ending {
            index: self.index,
            actor,
            takes,
        };
        decide_by(&ending, self.index.state, claim, self.rules)
    }

    /// Whether a claim that finds nothing has a volume made for it.
    pub(super) fn leaves(&self, actor: &Actor<'a>) -> Leaves {
        // The cluster's own controller makes it, whatever the options are.
        let decision = self.tell(actor, &[]);
        let cluster = decision.cluster.map(|cluster| cluster.verdict);
        match cluster.unwrap_or(decision.verdict) {
            Verdict::WillProvision => Leaves::Surely,
            Verdict::Unknown => Leaves::Perhaps,
            _ => Leaves::Never,
        }
    }
}

struct Ending<'i, 'a> {
    index: &'i Index<'a>,
    actor: &'i Actor<'a>,
    takes: &'i [VolumeId],
}

impl<'a> Decider<'a> for Ending<'_, 'a> {
    fn decide(&self, question: &Question<'_>) -> Decision<'a> {
        let state = self.index.state;
        let claim = question.claim;
        let taken = self.takes.first().map(|volume| self.index.volume(*volume));
        match (&self.actor.role, taken) {
            (Role::Takes(_), Some(volume)) if claim.is_bind_completed() => {
                Decision::quiet(Step::Rebind(volume))
            }
            (Role::Takes(_), Some(volume)) => {
                Decision::quiet(Step::Bind(vec![volume.name.clone()]))
            }
            (Role::Takes(volume), None) => {
                let volume = self.index.volume(*volume);
                Decision::quiet(if claim.is_bind_completed() {
                    Step::LoseMisbound(volume)
                } else {
                    Step::NamedTaken(NamedJudgement(Named::Taken {
                        volume,
                        holder: Box::new(NOBODY),
                        holder_is_gone: false,
                    }))
                })
            }
            _ if claim.is_bind_completed() => decide_bound(state, claim, Phases::Settled),
            _ => match &claim.volume_name {
                Some(name) => decide_named(state, question, name, Phases::Settled),
                None => conclude(state, question, self.search(question)),
            },
        }
    }

    fn competitors(&self, _: &Claim, _: &[String]) -> Vec<ObjectKey> {
        vec![]
    }

    fn competitors_with_pod(&self, _: &Pod, _: &Claim, _: &[String]) -> Vec<ObjectKey> {
        vec![]
    }

    fn volumes_like(&self, _: &str) -> Vec<String> {
        vec![]
    }
}

/// Another claim that came first.
const NOBODY: Holder = Holder {
    claim: None,
    uid: None,
    asking_uid: None,
};

impl<'a> Ending<'_, 'a> {
    /// The search as far as it bears on what is said: what is taken, what is reserved, and whether anything would do.
    fn search(&self, question: &Question<'_>) -> Search<'a> {
        let mut judged: Vec<Judged<'a>> = Vec::new();
        let reserved = self.index.reserved_for(self.actor.claim);
        for volume in reserved {
            judged.push(self.judge(question, *volume));
        }
        let taken = self.takes.first().filter(|_| !question.new_volume_only);
        if let Some(volume) = taken.filter(|volume| !reserved.contains(volume)) {
            judged.push(self.judge(question, *volume));
        }
        let is_taken = judged.iter().any(|judged| judged.result == Result::Chosen);
        let waiting = self.stage(question).and_then(|stage| stage.would_do);
        if let Some(volume) = waiting.filter(|_| !is_taken && !question.new_volume_only) {
            let mut waits = self.judge(question, volume);
            waits.reasons.push(VolumeReason::WaitsForScheduler);
            judged.push(waits);
        }
        Search { judged }
    }

    /// The stage of a search by this class.
    fn stage(&self, question: &Question<'_>) -> Option<&Stage> {
        let Role::Searches(stages) = &self.actor.role else {
            return None;
        };
        let is_first = question.class == self.actor.subject.class.resolved();
        if is_first {
            stages.first()
        } else {
            stages.last()
        }
    }

    fn judge(&self, question: &Question<'_>, id: VolumeId) -> Judged<'a> {
        let volume = self.index.volume(id);
        let settled = view(self.index.state, volume, Phases::Settled);
        let candidate = Candidate::new(self.index.state, &settled, question.claim);
        let mut reasons = search_failures(question, &candidate);
        let is_made_for_it = question.new_volume_only && reasons.is_empty();
        let result = if self.takes.contains(&id) && !question.new_volume_only || is_made_for_it {
            reasons.clear();
            Result::Chosen
        } else if reasons.is_empty() {
            let chosen = self.takes.first().map(|taken| self.index.volume(*taken));
            reasons.extend(chosen.map(|chosen| VolumeReason::MoreModesThanChosen {
                chosen: chosen.access_modes,
            }));
            Result::Fits
        } else {
            Result::Rejected
        };
        Judged {
            volume,
            phase: settled.phase,
            is_reserved: candidate.is_reserved(),
            result,
            reasons,
        }
    }
}
