//! What a claim gets, and why: the decision of [`sync`](super::sync) told as a report.

mod bound;
mod class_source;
mod decider;
mod draft;
mod gaps;
mod provision;
#[cfg(test)]
mod tests;
mod volumes;
mod waiting;

pub(crate) use self::decider::Decider;
use self::decider::{Alone, Uncontended};
use self::draft::Draft;
pub(crate) use self::draft::sort_causes;
pub(crate) use self::gaps::missing_kinds;
pub(crate) use self::waiting::imagined_pod;
use super::Rules;
use super::admission::{self, Admission};
use super::checks::Question;
use super::classes::lacks_class;
use super::named::Named;
use super::phases::{self, Phases};
use super::suggestions;
use super::sync::{Decision, NamedJudgement, Step};
use crate::conventions::object_ref::similar_names;
use crate::model::{Claim, ClusterState, Kind, Volume};
use crate::report::{
    Cause, ClaimCause, ClassSource, ClusterView, Explanation, Path, Result, Verdict, VolumeReason,
    join_or,
};

/// Explains claims of one state; what-ifs for suggestions are tried on one copy of it.
pub struct Explainer<'a> {
    state: &'a ClusterState,
    rules: Rules,
    decider: Alone<'a>,
    scratch: Option<ClusterState>,
}

impl<'a> Explainer<'a> {
    /// An explainer for a state, by these rules.
    pub fn new(state: &'a ClusterState, rules: Rules) -> Self {
        Self {
            state,
            rules,
            decider: Alone::new(state, rules),
            scratch: None,
        }
    }

    /// The state.
    pub(crate) fn state(&self) -> &'a ClusterState {
        self.state
    }

    /// The rules.
    pub(crate) fn rules(&self) -> Rules {
        self.rules
    }

    /// Explains one claim of the state, suggestions included.
    pub fn explain(&mut self, claim: &Claim) -> Explanation {
        let mut explanation = assess_by(&self.decider, self.state, claim, self.rules);
        explanation.suggestions = suggestions::for_deletion(self.state, claim, &explanation);
        let remedies = suggestions::propose(
            self.state,
            claim,
            &explanation,
            self.rules,
            &self.decider.wishes,
        );
        if !remedies.is_empty() {
            let scratch = self.scratch.get_or_insert_with(|| self.state.clone());
            explanation.suggestions =
                suggestions::keep_what_works(scratch, claim, &explanation, self.rules, remedies);
        }
        explanation
    }
}

/// Explains one claim of a state.
pub fn explain_claim(state: &ClusterState, claim: &Claim, rules: Rules) -> Explanation {
    Explainer::new(state, rules).explain(claim)
}

/// The explanation without suggestions, and without who else wants the same volumes.
pub(crate) fn assess_uncontended(state: &ClusterState, claim: &Claim, rules: Rules) -> Explanation {
    let decider = Uncontended(Alone::new(state, rules));
    assess_by(&decider, state, claim, rules)
}

/// The explanation without suggestions, of what somebody else decides.
pub(crate) fn assess_by<'a>(
    decider: &dyn Decider<'a>,
    state: &'a ClusterState,
    claim: &Claim,
    rules: Rules,
) -> Explanation {
    let ask = |options| Asked {
        decider,
        state,
        rules,
        options,
    };
    let cluster = ask(OptionsAre::Ignored).assess(claim);
    if claim.options.is_none() || claim.volume_name.is_some() {
        return cluster;
    }
    let mut explanation = ask(OptionsAre::Honoured).assess(claim);
    add_cluster_view(&mut explanation, cluster);
    explanation
}

/// Whose view of provisioning options counts: that of seed 003, or that of the cluster, which knows nothing of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionsAre {
    Honoured,
    Ignored,
}

/// Says what the controller of the cluster would do instead. What Kubernetes says is what that controller says.
fn add_cluster_view(explanation: &mut Explanation, cluster: Explanation) {
    explanation.kubernetes_says = cluster.kubernetes_says;
    let would = match cluster.verdict {
        Verdict::WillBind => format!("it would bind {}", join_or(&cluster.outcomes)),
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
    sort_causes(&mut explanation.causes);
    if (cluster.verdict, &cluster.outcomes) != (explanation.verdict, &explanation.outcomes) {
        explanation.cluster = Some(ClusterView {
            verdict: cluster.verdict,
            outcomes: cluster.outcomes,
        });
    }
}

/// What is asked about claims, and of whom.
struct Asked<'d, 'a> {
    decider: &'d dyn Decider<'a>,
    state: &'a ClusterState,
    rules: Rules,
    options: OptionsAre,
}

impl Asked<'_, '_> {
    fn assess(&self, claim: &Claim) -> Explanation {
        let (state, rules, options) = (self.state, self.rules, self.options);
        let admitted = (!claim.exists()).then(|| admission::admit(state, claim, rules));
        let subject = admitted.as_ref().map_or(claim, |admitted| &admitted.stored);
        let mut draft = Draft::new(state, subject, rules);
        draft.options = options;
        draft.class_source = class_source::find(claim, admitted.as_ref());
        if let Some(rejected) = admitted
            .as_ref()
            .filter(|admitted| !admitted.refusals.is_empty())
        {
            return reject(draft, rejected);
        }
        if let Some(explanation) = gaps::answer_without(&draft) {
            return explanation;
        }
        if let Some(explanation) = fail_on_selector(&draft) {
            return explanation;
        }
        let mut question = Question::new(subject, subject.class.resolved(), rules);
        question.new_volume_only = options == OptionsAre::Honoured;
        let mut decision = self.decider.decide(&question);
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
            decision = self.decider.decide(&question);
        }
        tell(draft, decision, self.decider)
    }
}

/// A selector that was stored although it is invalid makes every search fail, without an event (Q5).
fn fail_on_selector(draft: &Draft<'_>) -> Option<Explanation> {
    let claim = draft.claim;
    let errors = selector_errors(claim);
    if errors.is_empty() {
        return None;
    }
    let mut draft = Draft {
        class_source: draft.class_source,
        ..Draft::new(draft.state, claim, draft.rules)
    };
    draft.block(ClaimCause::InvalidClaim { errors });
    Some(draft.finish(Verdict::Blocked, Path::Controller))
}

/// What is wrong with the selector of a claim that searches by it.
pub(crate) fn selector_errors(claim: &Claim) -> Vec<String> {
    let searches = !claim.is_bind_completed() && claim.volume_name.is_none();
    let selector = claim.selector.as_ref().filter(|_| searches);
    selector
        .map(crate::conventions::selector::LabelSelector::problems)
        .unwrap_or_default()
        .into_iter()
        .map(|problem| format!("spec.selector.{}: {}", problem.path, problem.message))
        .collect()
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
    draft.note_no_volume();
    draft.finish(Verdict::Blocked, Path::Controller)
}

/// Tells a decision of the controller.
fn tell(mut draft: Draft<'_>, decision: Decision<'_>, decider: &dyn Decider<'_>) -> Explanation {
    draft.look_at(decision.search.as_ref());
    draft.says = decision.says;
    draft.note_terminating();
    draft.note_refused_updates();
    match decision.step {
        Step::Bind(outcomes) => tell_bind(draft, outcomes, decider),
        Step::Rebind(volume) => bound::tell_kept(draft, volume),
        Step::LoseMissing(volume) => {
            draft.block(ClaimCause::VolumeLost { volume });
            draft.finish(Verdict::Lost, Path::None)
        }
        Step::LoseMisbound(volume) => bound::tell_misbound(draft, volume),
        Step::NamedMissing(name) => {
            let phase_of = |name: String| {
                let volume = draft.state.find_volume(&name)?;
                let phase = phases::view(draft.state, volume, Phases::Settled).phase;
                Some((name, phase))
            };
            let similar = decider.volumes_like(&name).into_iter();
            let similar = similar.filter_map(phase_of).collect();
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
        Step::WaitForPod => waiting::tell(draft),
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

fn tell_bind(
    mut draft: Draft<'_>,
    outcomes: Vec<String>,
    decider: &dyn Decider<'_>,
) -> Explanation {
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
    draft.note_ignored_reservations();
    let claims = decider.competitors(draft.claim, &draft.outcomes);
    if !claims.is_empty() {
        let volumes = draft.outcomes.clone();
        draft
            .causes
            .push(Cause::warning(ClaimCause::Contended { claims, volumes }));
    }
    draft.finish(Verdict::WillBind, path)
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
                put_in: put_in_against(&draft, volume),
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
            let holder = match &holder.claim {
                None => "nobody in particular (empty claimRef)".to_owned(),
                Some(key) if *key == draft.claim.key => format!("an earlier {key}"),
                Some(key) => key.to_string(),
            };
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

/// The default class, where somebody else put it into a claim for a volume without a class (R14).
fn put_in_against(draft: &Draft<'_>, volume: &Volume) -> Option<String> {
    let is_in_the_way = draft.class_source == ClassSource::Default && volume.class().is_empty();
    is_in_the_way.then(|| draft.class.clone())
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
