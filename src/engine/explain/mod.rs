//! What a claim gets, and why: the decision of [`sync`](super::sync) told as a report.

mod draft;
mod gaps;
mod provision;
#[cfg(test)]
mod tests;
mod volumes;

use self::draft::Draft;
use super::admission::{self, Admission};
use super::checks::Question;
use super::classes::lacks_class;
use super::consumers::{Consumers, find_future_user};
use super::named::Named;
use super::phases::Phases;
use super::suggestions;
use super::sync::{Decision, NamedJudgement, Step, decide_question};
use super::{Rules, contention, story};
use crate::conventions::annotations;
use crate::conventions::class_name::NO_PROVISIONER;
use crate::conventions::object_ref::similar_names;
use crate::model::{Claim, ClaimPhase, ClusterState, Kind, Volume};
use crate::report::{
    Cause, ClaimCause, ClassSource, ClusterView, Explanation, Path, Result, Verdict, VolumeReason,
};

/// Explains claims of one state; what-ifs for suggestions are tried on one copy of it.
pub struct Explainer<'a> {
    state: &'a ClusterState,
    rules: Rules,
    scratch: Option<ClusterState>,
}

impl<'a> Explainer<'a> {
    /// An explainer for a state, by these rules.
    pub fn new(state: &'a ClusterState, rules: Rules) -> Self {
        Self {
            state,
            rules,
            scratch: None,
        }
    }

    /// Explains one claim of the state, suggestions included.
    pub fn explain(&mut self, claim: &Claim) -> Explanation {
        let mut explanation = assess(self.state, claim, self.rules);
        let remedies = suggestions::propose(self.state, claim, &explanation, self.rules);
        if !remedies.is_empty() {
            let scratch = self.scratch.get_or_insert_with(|| self.state.clone());
            explanation.suggestions =
                suggestions::keep_what_works(scratch, claim, self.rules, remedies);
        }
        explanation
    }
}

/// Explains one claim of a state.
pub fn explain_claim(state: &ClusterState, claim: &Claim, rules: Rules) -> Explanation {
    Explainer::new(state, rules).explain(claim)
}

/// The explanation without suggestions, which are checked by asking for this again.
pub(crate) fn assess(state: &ClusterState, claim: &Claim, rules: Rules) -> Explanation {
    let Some(_) = &claim.options else {
        return assess_as(state, claim, rules, false);
    };
    let mut explanation = assess_as(state, claim, rules, true);
    add_cluster_view(&mut explanation, &assess_as(state, claim, rules, false));
    explanation
}

/// Says what the controller of the cluster, which knows nothing of options, would do instead.
fn add_cluster_view(explanation: &mut Explanation, cluster: &Explanation) {
    let would = match cluster.verdict {
        Verdict::WillBind => format!(
            "it would bind {}",
            crate::report::join_or(&cluster.outcomes)
        ),
        Verdict::WillProvision => "its provisioner never sees them".to_owned(),
        Verdict::Bound | Verdict::Lost | Verdict::Rejected => return,
        Verdict::Waiting | Verdict::Blocked | Verdict::Unknown => {
            "it would go on without them".to_owned()
        }
    };
    explanation
        .causes
        .push(Cause::warning(ClaimCause::OptionsIgnoredByCluster {
            would,
        }));
    draft::sort_causes(&mut explanation.causes);
    if (cluster.verdict, &cluster.outcomes) != (explanation.verdict, &explanation.outcomes) {
        explanation.cluster = Some(ClusterView {
            verdict: cluster.verdict,
            outcomes: cluster.outcomes.clone(),
        });
    }
}

fn assess_as(
    state: &ClusterState,
    claim: &Claim,
    rules: Rules,
    new_volume_only: bool,
) -> Explanation {
    let admitted = (!claim.exists()).then(|| admission::admit(state, claim, rules));
    let subject = admitted.as_ref().map_or(claim, |admitted| &admitted.stored);
    let mut draft = Draft::new(state, subject, rules);
    draft.class_source = class_source(claim, admitted.as_ref());
    if let Some(rejected) = admitted
        .as_ref()
        .filter(|admitted| !admitted.refusals.is_empty())
    {
        return reject(draft, rejected);
    }
    if rules.selector_excludes_class()
        && claim.selector.is_some()
        && !claim.class.resolved().is_empty()
    {
        let errors = vec![
            "spec.selector: may not be used together with a storage class (rules v1.4)".to_owned(),
        ];
        draft.block(ClaimCause::InvalidClaim { errors });
        return draft.finish(Verdict::Rejected, Path::None);
    }
    if let Some(explanation) = gaps::answer_without(&draft) {
        return explanation;
    }
    let mut question = Question::new(subject, subject.class.resolved(), rules);
    question.new_volume_only = new_volume_only;
    let mut decision = decide_question(state, &question, Phases::Settled);
    if let Step::AssignClass(class) = &decision.step {
        draft.class.clone_from(class);
        draft.class_source = ClassSource::RetroactiveDefault;
        let refusals = admission::class_assignment_refusals(state, subject, class);
        if !refusals.is_empty() {
            draft.look_at(decision.search.as_ref());
            draft.says = decision.says;
            return block_silently(draft, refusals);
        }
        question.class.clone_from(class);
        decision = decide_question(state, &question, Phases::Settled);
    }
    tell(draft, decision)
}

fn reject(mut draft: Draft<'_>, rejected: &Admission) -> Explanation {
    draft.refusal.clone_from(&rejected.refusal);
    for cause in &rejected.refusals {
        draft.block(cause.clone());
    }
    draft.finish(Verdict::Rejected, Path::None)
}

/// The API server refuses the controller's own update of the claim: nothing happens, and nobody says a word of it (13.2).
fn block_silently(mut draft: Draft<'_>, refusals: Vec<ClaimCause>) -> Explanation {
    for cause in refusals {
        draft.block(cause);
    }
    draft.withdraw_outcomes();
    draft.finish(Verdict::Blocked, Path::Controller)
}

fn class_source(claim: &Claim, admitted: Option<&Admission>) -> ClassSource {
    if admitted.is_some_and(|admitted| admitted.got_default_class) || was_defaulted(claim) {
        ClassSource::Default
    } else if claim.class.annotation.is_some() {
        ClassSource::Annotation
    } else if claim.class.field.is_some() {
        ClassSource::Field
    } else {
        ClassSource::None
    }
}

/// `kubectl apply` keeps what was applied: a class that is not in there was put in by admission (R14).
fn was_defaulted(claim: &Claim) -> bool {
    let applied = claim
        .annotations
        .get(annotations::LAST_APPLIED)
        .and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    claim.class.annotation.is_none()
        && claim.class.field.is_some()
        && applied.is_some_and(|applied| {
            applied["spec"].is_object()
                && applied["spec"]["storageClassName"].is_null()
                && applied["metadata"]["annotations"][annotations::BETA_CLASS].is_null()
        })
}

/// Tells a decision of the controller.
fn tell(mut draft: Draft<'_>, decision: Decision<'_>) -> Explanation {
    draft.look_at(decision.search.as_ref());
    draft.says = decision.says;
    draft.note_terminating();
    match decision.step {
        Step::Bind(outcomes) => tell_bind(draft, outcomes),
        Step::Rebind(volume) => tell_rebind(draft, volume),
        Step::LoseMissing(volume) => {
            draft.block(ClaimCause::VolumeLost { volume });
            draft.finish(Verdict::Lost, Path::None)
        }
        Step::LoseMisbound(volume) => tell_misbound(draft, volume),
        Step::NamedMissing(name) => {
            let similar = similar_names(
                &name,
                draft
                    .state
                    .volumes()
                    .iter()
                    .map(|volume| volume.name.as_str()),
            );
            let similar = similar.into_iter().map(str::to_owned).collect();
            draft.block(ClaimCause::NamedVolumeNotFound {
                volume: name,
                similar,
            });
            draft.note_absent(Kind::Volumes);
            draft.finish(Verdict::Blocked, Path::NamedVolume)
        }
        Step::NamedMismatch(judgement) | Step::NamedTaken(judgement) => {
            tell_named(draft, &judgement)
        }
        Step::WaitForPod => tell_waiting(draft),
        Step::NoClass => tell_no_class(draft),
        Step::ClassMissing => {
            let class = draft.class.clone();
            let similar = similar_names(
                &class,
                draft
                    .state
                    .classes()
                    .iter()
                    .map(|class| class.name.as_str()),
            );
            let similar = similar.into_iter().map(str::to_owned).collect();
            draft.block(ClaimCause::ClassNotFound { class, similar });
            draft.note_no_volume();
            draft.note_absent(Kind::Classes);
            draft.finish(Verdict::Blocked, Path::Controller)
        }
        Step::Provision(class, step) => provision::tell(draft, class, &step.0),
        // The caller has assigned the class and asked again; a second time there is none to assign.
        Step::AssignClass(_) => draft.finish(Verdict::Unknown, Path::Controller),
    }
}

fn tell_bind(mut draft: Draft<'_>, outcomes: Vec<String>) -> Explanation {
    let path = if draft.claim.volume_name.is_some() {
        Path::NamedVolume
    } else {
        Path::Controller
    };
    if path == Path::NamedVolume
        && let Some(volume) = outcomes
            .first()
            .and_then(|name| draft.state.find_volume(name))
    {
        draft.assessments = vec![volumes::only(draft.state, volume, Result::Chosen, vec![])];
    }
    draft.outcomes = outcomes;
    if draft.claim.exists() {
        let refusals = admission::update_refusals(draft.state, draft.claim);
        if !refusals.is_empty() {
            return block_silently(draft, refusals);
        }
    }
    draft.note_ignored_reservations();
    let claims = contention::competitors(draft.state, draft.claim, &draft.outcomes, draft.rules);
    if !claims.is_empty() {
        let volumes = draft.outcomes.clone();
        draft
            .causes
            .push(Cause::warning(ClaimCause::Contended { claims, volumes }));
    }
    draft.finish(Verdict::WillBind, path)
}

fn tell_rebind(mut draft: Draft<'_>, volume: &Volume) -> Explanation {
    draft.outcomes = vec![volume.name.clone()];
    draft.assessments = vec![volumes::only(draft.state, volume, Result::Chosen, vec![])];
    let is_consistent = draft.claim.phase == ClaimPhase::Bound && volume.claim_ref.is_some();
    if !is_consistent {
        return draft.finish(Verdict::WillBind, Path::NamedVolume);
    }
    draft.causes = story::surprises(draft.state, draft.claim);
    draft.story = Some(story::tell(draft.state, draft.claim, volume));
    draft.note_gap(Kind::Pods);
    draft.finish(Verdict::Bound, Path::None)
}

fn tell_misbound(mut draft: Draft<'_>, volume: &Volume) -> Explanation {
    let reference = volume.claim_ref.clone().unwrap_or_default();
    let reason = volumes::reservation_reason(draft.state, volume, draft.claim);
    draft.assessments = vec![volumes::only(
        draft.state,
        volume,
        Result::Rejected,
        reason.into_iter().collect(),
    )];
    let holder = if reference.is_empty() {
        "nobody in particular".to_owned()
    } else {
        reference.key().to_string()
    };
    let own_uid = draft
        .claim
        .uid
        .clone()
        .filter(|_| reference.key() == draft.claim.key);
    draft.block(ClaimCause::VolumeMisbound {
        volume: volume.name.clone(),
        holder,
        uid: reference.uid,
        own_uid,
    });
    draft.finish(Verdict::Lost, Path::None)
}

fn tell_named(mut draft: Draft<'_>, judgement: &NamedJudgement<'_>) -> Explanation {
    match &judgement.0 {
        Named::Mismatch { volume, reasons } => {
            let why = reasons.iter().map(VolumeReason::clause).collect();
            draft.assessments = vec![volumes::only(
                draft.state,
                volume,
                Result::Rejected,
                reasons.clone(),
            )];
            draft.block(ClaimCause::NamedVolumeMismatch {
                volume: volume.name.clone(),
                why,
            });
        }
        Named::Taken {
            volume,
            holder,
            holder_is_gone,
        } => {
            let reason = volumes::reservation_reason(draft.state, volume, draft.claim);
            draft.assessments = vec![volumes::only(
                draft.state,
                volume,
                Result::Rejected,
                reason.into_iter().collect(),
            )];
            let nobody = || "nobody in particular (empty claimRef)".to_owned();
            let holder = holder
                .claim
                .as_ref()
                .map_or_else(nobody, ToString::to_string);
            draft.block(ClaimCause::NamedVolumeTaken {
                volume: volume.name.clone(),
                holder,
                holder_is_gone: *holder_is_gone,
            });
        }
        Named::Missing | Named::Binds(_) => {}
    }
    draft.finish(Verdict::Blocked, Path::NamedVolume)
}

/// Delayed binding, as far as the claim and its pods decide it.
fn tell_waiting(mut draft: Draft<'_>) -> Explanation {
    draft.note_gap(Kind::Pods);
    draft.note_ignored_reservations();
    let consumers = Consumers::find(draft.state, &draft.claim.key).unwrap_or_default();
    let names = |pods: &[&crate::model::Pod]| -> Vec<String> {
        pods.iter().map(|pod| pod.key.name.clone()).collect()
    };
    if !consumers.unscheduled.is_empty() {
        draft
            .causes
            .push(Cause::note(ClaimCause::ConsumerUnscheduled {
                pods: names(&consumers.unscheduled),
            }));
        draft.warn_if_nothing_to_get();
        return draft.finish(Verdict::Waiting, Path::Scheduler);
    }
    if !consumers.scheduled.is_empty() {
        let on_node = |pod: &&crate::model::Pod| {
            (
                pod.key.name.clone(),
                pod.node_name.clone().unwrap_or_default(),
            )
        };
        let pods = consumers.scheduled.iter().map(on_node).collect();
        draft.block(ClaimCause::ConsumerBypassesScheduler { pods });
        return draft.finish(Verdict::Blocked, Path::Scheduler);
    }
    let would_use =
        find_future_user(draft.state, &draft.claim.key).map(|workload| match workload.replicas {
            0 => format!("{}, which has 0 replicas,", workload.spelled()),
            _ => workload.spelled(),
        });
    let class = draft.class.clone();
    draft.causes.push(Cause::note(ClaimCause::NoConsumer {
        class,
        finished: names(&consumers.finished),
        would_use,
    }));
    draft.warn_if_nothing_to_get();
    draft.finish(Verdict::Waiting, Path::Scheduler)
}

impl Draft<'_> {
    /// Waiting is normal, but a pod will not help where no volume fits and none is ever made.
    fn warn_if_nothing_to_get(&mut self) {
        let makes_none = self
            .state
            .find_class(&self.class)
            .is_some_and(|class| class.provisioner == NO_PROVISIONER);
        let fits = self
            .assessments
            .iter()
            .any(|assessment| assessment.result != Result::Rejected);
        if makes_none && !fits {
            let cause = self.no_volume_cause();
            self.causes.push(Cause::warning(cause));
        }
    }
}

fn tell_no_class(mut draft: Draft<'_>) -> Explanation {
    let cause = if lacks_class(draft.claim, draft.rules) {
        draft.note_absent(Kind::Classes);
        ClaimCause::NoDefaultClass {
            classes: draft
                .state
                .classes()
                .iter()
                .map(|class| class.name.clone())
                .collect(),
        }
    } else {
        let default = super::classes::find_default(draft.state).map(|class| class.name.clone());
        ClaimCause::ClassExplicitlyEmpty { default }
    };
    draft.block(cause);
    draft.note_no_volume();
    draft.note_ignored_reservations();
    draft.finish(Verdict::Blocked, Path::Controller)
}
