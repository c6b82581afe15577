//! The unbound claims, judged for a volume: which would take it, which could, and why the others cannot.
//!
//! A claim searches as [`sync`](super::sync) does, once, however many volumes are asked about.

use super::Rules;
use super::admission::{admit, class_assignment_refusals, update_refusals};
use super::binding::Search;
use super::checks::{Candidate, Question, search_failures};
use super::claims::{ClaimDecision, decide_uncontended, selector_errors};
use super::classes::{find_default, lacks_class};
use super::named::{self, Named};
use super::phases::{Phases, view};
use super::reach::find_unmet_affinity;
use super::sync::{Step, decide_question};
use crate::model::{Claim, ClusterState, Kind, Volume};
use crate::report::{
    ClaimCause, Result, Taker, TakerReason, TakerResult, VolumeHolder, VolumeReason, WithoutOptions,
};
use std::cell::OnceCell;

/// So few volumes are looked at before all are searched.
const FEW: usize = 10;

/// The claims that were judged for one volume, best first.
#[derive(Debug, Default)]
pub(crate) struct Takers {
    pub(crate) kept: Vec<Taker>,
    /// How many more there were than were wanted.
    pub(crate) omitted: usize,
}

/// A claim that names another volume interests nobody here.
fn is_dull(taker: &Taker) -> bool {
    let names_other = |reason: &TakerReason| matches!(reason, TakerReason::NamesOtherVolume { .. });
    taker.reasons.iter().any(names_other)
}

impl Takers {
    fn add(&mut self, taker: Taker, most: usize) {
        self.kept.push(taker);
        // Room for as many again, so that not every claim means sorting.
        if self.kept.len() >= most.saturating_mul(2) {
            self.keep_best(most);
        }
    }

    fn keep_best(&mut self, most: usize) {
        self.kept.sort_by_cached_key(|taker| {
            let ranks: Vec<usize> = taker.reasons.iter().map(TakerReason::rank).collect();
            let nearest_first = (is_dull(taker), ranks.len(), ranks);
            (taker.result, nearest_first, taker.key())
        });
        self.omitted += self.kept.len().saturating_sub(most);
        self.kept.truncate(most);
    }
}

/// Judges every unbound claim for each of the volumes; keeps at most so many a volume.
pub(crate) fn judge(
    state: &ClusterState,
    volumes: &[&Volume],
    rules: Rules,
    most: usize,
) -> Vec<Takers> {
    let mut all: Vec<Takers> = volumes.iter().map(|_| Takers::default()).collect();
    for claim in state.claims() {
        for (takers, taker) in all
            .iter_mut()
            .zip(judge_claim(state, claim, volumes, rules))
        {
            if let Some(taker) = taker {
                takers.add(taker, most);
            }
        }
    }
    for takers in &mut all {
        takers.keep_best(most);
    }
    all
}

/// One claim, judged for one volume.
pub(crate) fn judge_one(
    state: &ClusterState,
    claim: &Claim,
    volume: &Volume,
    rules: Rules,
) -> Option<Taker> {
    judge_claim(state, claim, &[volume], rules).pop().flatten()
}

/// What a claim would do if the volume were as it is here; nothing where it is settled elsewhere.
pub(crate) fn judge_offer(
    state: &ClusterState,
    claim: &Claim,
    offered: Volume,
    rules: Rules,
) -> Option<Taker> {
    let mut scratch = state.clone();
    let name = offered.name.clone();
    scratch.swap_volume(offered)?;
    judge_one(&scratch, claim, scratch.find_volume(&name)?, rules)
}

/// How many unbound claims the volume would suit, whatever else there is for them.
pub(crate) fn count_fits(state: &ClusterState, volume: &Volume, rules: Rules) -> usize {
    let searches = |claim: &&Claim| !claim.is_bind_completed() && claim.volume_name.is_none();
    let fits = |claim: &&Claim| {
        let mut wish = Wish::new(claim, rules);
        if let Some(default) = find_default(state).filter(|_| lacks_class(claim, rules)) {
            wish.question.class.clone_from(&default.name);
        }
        wish.failures(state, volume).is_empty()
    };
    state.claims().iter().filter(searches).filter(fits).count()
}

/// One claim, judged for each of the volumes; nothing where it is the owner, or where it is settled elsewhere.
fn judge_claim(
    state: &ClusterState,
    claim: &Claim,
    volumes: &[&Volume],
    rules: Rules,
) -> Vec<Option<Taker>> {
    if claim.is_bind_completed() {
        return volumes
            .iter()
            .map(|volume| judge_former_owner(claim, volume))
            .collect();
    }
    let admitted = (!claim.exists()).then(|| admit(state, claim, rules));
    let subject = admitted.as_ref().map_or(claim, |admitted| &admitted.stored);
    let mut wish = Wish::new(subject, rules);
    match &admitted {
        Some(admitted) => wish.block(admitted.refusals.clone()),
        None => wish.block(update_refusals(state, subject)),
    }
    match &subject.volume_name {
        Some(name) => volumes
            .iter()
            .map(|volume| wish.judge_named(state, name, volume))
            .collect(),
        None => wish.judge_searched(state, volumes),
    }
}

/// A claim that was bound before takes its volume back if nobody holds it, without any check (R62); if somebody else does,
/// it is lost (R64).
fn judge_former_owner(claim: &Claim, volume: &Volume) -> Option<Taker> {
    if claim.volume_name.as_ref() != Some(&volume.name) {
        return None;
    }
    let wish = Wish::new(claim, Rules::default());
    let Some(reference) = &volume.claim_ref else {
        return Some(wish.taker(TakerResult::WouldTake, vec![]));
    };
    if reference.uid.is_some() && reference.uid == claim.uid {
        return None;
    }
    let misbound = ClaimCause::VolumeMisbound {
        volume: volume.name.clone(),
        holder: VolumeHolder::Claim(reference.key()),
        uid: reference.uid.clone(),
        own_uid: claim.uid.clone().filter(|_| reference.key() == claim.key),
        storage: None,
    };
    Some(wish.taker(TakerResult::Rejected, vec![TakerReason::Claim(misbound)]))
}

/// What a claim asks for, and what stands in its way whatever the volume.
struct Wish<'a> {
    question: Question<'a>,
    blockers: Vec<TakerReason>,
}

impl<'a> Wish<'a> {
    fn new(claim: &'a Claim, rules: Rules) -> Self {
        let mut question = Question::new(claim, claim.class.resolved(), rules);
        question.new_volume_only = claim.options.is_some() && claim.volume_name.is_none();
        Self {
            question,
            blockers: vec![],
        }
    }

    fn block(&mut self, causes: Vec<ClaimCause>) {
        self.blockers
            .extend(causes.into_iter().map(TakerReason::Claim));
    }

    fn taker(&self, result: TakerResult, reasons: Vec<TakerReason>) -> Taker {
        let claim = self.question.claim;
        let result = if self.blockers.is_empty() {
            result
        } else {
            TakerResult::Rejected
        };
        Taker {
            namespace: claim.key.namespace.clone(),
            name: claim.key.name.clone(),
            result,
            requested: claim.requested.as_ref().map(ToString::to_string),
            class: self.question.class.clone(),
            reasons: self.blockers.iter().cloned().chain(reasons).collect(),
        }
    }

    fn reject(&self, reasons: Vec<VolumeReason>) -> Taker {
        let reasons = reasons.into_iter().map(TakerReason::Volume).collect();
        self.taker(TakerResult::Rejected, reasons)
    }

    fn judge_named(&self, state: &ClusterState, name: &str, volume: &Volume) -> Option<Taker> {
        let claim = self.question.claim;
        if volume.name != name {
            let other = TakerReason::NamesOtherVolume {
                volume: name.to_owned(),
            };
            return Some(self.taker(TakerResult::Rejected, vec![other]));
        }
        let holds = |uid: &String| Some(uid) == claim.uid.as_ref();
        let reference = volume.claim_ref.as_ref();
        if reference.is_some_and(|reference| reference.uid.as_ref().is_some_and(holds)) {
            return None;
        }
        Some(
            match named::judge(state, &self.question, name, Phases::Settled) {
                Named::Binds(_) => self.taker(TakerResult::WouldTake, vec![]),
                Named::Mismatch { reasons, .. } => self.reject(reasons),
                Named::Taken {
                    holder,
                    holder_is_gone: true,
                    ..
                } => self.reject(vec![VolumeReason::ReservedForDeletedClaim(*holder)]),
                Named::Taken { holder, .. } => {
                    self.reject(vec![VolumeReason::ReservedForOtherClaim(*holder)])
                }
                Named::Missing => return None,
            },
        )
    }

    fn judge_searched(mut self, state: &ClusterState, volumes: &[&Volume]) -> Vec<Option<Taker>> {
        let errors = selector_errors(self.question.claim);
        if !errors.is_empty() {
            self.block(vec![ClaimCause::InvalidClaim { errors }]);
        }
        // Where none of a few volumes will do, a search over all is not needed; unless the class that counts hangs on it.
        if volumes.len() <= FEW && !self.may_get_default(state) {
            let failures: Vec<Vec<VolumeReason>> = volumes
                .iter()
                .map(|volume| self.failures(state, volume))
                .collect();
            if failures.iter().all(|reasons| !reasons.is_empty()) {
                return failures
                    .into_iter()
                    .map(|reasons| Some(self.reject_or_note(reasons)))
                    .collect();
            }
        }
        let Some(search) = self.search(state) else {
            return volumes.iter().map(|_| None).collect();
        };
        let scheduled = OnceCell::new();
        volumes
            .iter()
            .map(|volume| self.judge_found(state, volume, &search, &scheduled))
            .collect()
    }

    fn failures(&self, state: &ClusterState, volume: &Volume) -> Vec<VolumeReason> {
        let settled = view(state, volume, Phases::Settled);
        let candidate = Candidate::new(state, &settled, self.question.claim);
        search_failures(&self.question, &candidate)
    }

    fn may_get_default(&self, state: &ClusterState) -> bool {
        lacks_class(self.question.claim, self.question.rules) && find_default(state).is_some()
    }

    /// The search by the class that counts: the claim's own, or the default if it says nothing and finds nothing (R15).
    fn search<'s>(&mut self, state: &'s ClusterState) -> Option<Search<'s>> {
        let mut decision = decide_question(state, &self.question, Phases::Settled);
        if let Step::AssignClass(class) = &decision.step {
            let refusals = class_assignment_refusals(state, self.question.claim, class);
            if refusals.is_empty() {
                self.question.class.clone_from(class);
                decision = decide_question(state, &self.question, Phases::Settled);
            } else {
                // A LimitRange refuses every update, this one too; once is enough.
                let told = self.blockers.clone();
                let is_told =
                    |cause: &ClaimCause| told.contains(&TakerReason::Claim(cause.clone()));
                self.block(
                    refusals
                        .into_iter()
                        .filter(|cause| !is_told(cause))
                        .collect(),
                );
            }
        }
        decision.search
    }

    /// `scheduled` is what happens to the claim with its pods, once it was asked.
    fn judge_found<'s>(
        &self,
        state: &'s ClusterState,
        volume: &Volume,
        search: &Search<'_>,
        scheduled: &OnceCell<ClaimDecision<'s>>,
    ) -> Option<Taker> {
        let by_name = |judged: &super::binding::Judged<'_>| judged.volume.name.cmp(&volume.name);
        let index = search.judged.binary_search_by(by_name).ok()?;
        let judged = &search.judged[index];
        let reasons = judged.reasons.clone();
        let result = match judged.result {
            Result::Chosen => TakerResult::WouldTake,
            Result::Possible | Result::Fits | Result::Unknown => TakerResult::CouldTake,
            Result::Rejected => return Some(self.reject_or_note(reasons)),
        };
        if reasons.contains(&VolumeReason::WaitsForScheduler) {
            let claim = self.question.claim;
            let decision =
                scheduled.get_or_init(|| decide_uncontended(state, claim, self.question.rules));
            return Some(self.judge_waiting(state, volume, decision));
        }
        let mut reasons: Vec<TakerReason> = reasons.into_iter().map(TakerReason::Volume).collect();
        if self.needs_classes() && !state.saw(Kind::Classes, None) {
            let what = vec![Kind::Classes];
            reasons.push(TakerReason::Claim(ClaimCause::NotReadable { what }));
            return Some(self.taker(TakerResult::CouldTake, reasons));
        }
        Some(self.taker(result, reasons))
    }

    /// Whether the claim waits for a pod is written in its class.
    fn needs_classes(&self) -> bool {
        !self.question.class.is_empty() || lacks_class(self.question.claim, self.question.rules)
    }

    /// The scheduler will decide, unless it is plain already that it cannot decide for this volume.
    fn judge_waiting(
        &self,
        state: &ClusterState,
        volume: &Volume,
        decision: &ClaimDecision<'_>,
    ) -> Taker {
        if let Some(node) = self.question.claim.selected_node() {
            let node = node.to_owned();
            return self.taker(
                TakerResult::Rejected,
                vec![TakerReason::SelectedNodeSet { node }],
            );
        }
        if let Some(wanted) = find_unmet_affinity(state, volume) {
            return self.taker(
                TakerResult::Rejected,
                vec![TakerReason::NoNodeForVolume { wanted }],
            );
        }
        let mut volumes = decision.volumes.iter();
        let judged = volumes.find(|judged| judged.volume.name == volume.name);
        let reasons = judged.map_or_else(
            || vec![VolumeReason::WaitsForScheduler],
            |judged| judged.reasons.clone(),
        );
        match judged.map(|judged| judged.result) {
            Some(Result::Rejected) => self.reject(reasons),
            Some(Result::Chosen) => self.taker(TakerResult::WouldTake, vec![]),
            _ => {
                let reasons = reasons.into_iter().map(TakerReason::Volume).collect();
                self.taker(TakerResult::CouldTake, reasons)
            }
        }
    }

    /// A rejection. The cluster knows nothing of provisioning options; where they alone are against it, that is said.
    fn reject_or_note(&self, reasons: Vec<VolumeReason>) -> Taker {
        let only_options = reasons == [VolumeReason::OptionsNeedNewVolume];
        let mut taker = self.reject(reasons);
        if only_options {
            let would = WithoutOptions::MayBindThis;
            taker
                .reasons
                .push(TakerReason::Claim(ClaimCause::OptionsIgnoredByCluster {
                    would,
                }));
        }
        taker
    }
}
