//! What happens to a claim, and why: typed decisions with evidence, no prose. `explain` makes reports of them, `bind`, `provision`
//! and `plan` take them as they are.
//!
//! What the controller does is decided by [`sync`](super::sync). Here that step is joined with what the claim's own state, the
//! scheduler, the provisioner and the API server have to do with it: one branch of the tree each ([`bound`], [`gaps`],
//! [`provision`], [`waiting`]), each a function of a [`Situation`].

mod bound;
mod class_source;
mod decider;
mod gaps;
mod provision;
mod situation;
mod waiting;

pub(crate) use self::decider::{Alone, Decider};
pub(crate) use self::gaps::missing_kinds;
pub(crate) use self::situation::sort_causes;
pub(crate) use self::waiting::imagined_pod;

use self::decider::Uncontended;
use self::situation::{Answer, Situation, Updates, only, reservation_reason};
use super::Rules;
use super::admission::{self, Admission};
use super::binding::Judged;
use super::checks::Question;
use super::classes::lacks_class;
use super::named::Named;
use super::options::Merged;
use super::phases::{self, Phases};
use super::scheduling::Placement;
use super::sync::{Decision, NamedJudgement, Step};
use crate::conventions::object_ref::{ObjectKey, similar_names};
use crate::model::{Claim, Class, ClusterState, Kind, Volume};
use crate::report::{
    Cause, ClaimCause, ClassSource, Mismatch, Path, ProvisionedBy, Result, Says, Severity, Unknown,
    Verdict, VolumeHolder, WithoutOptions,
};

/// What happens to a claim, and why.
#[derive(Debug, Clone)]
pub struct ClaimDecision<'a> {
    /// The claim as it would be stored, if it does not exist yet.
    pub(crate) admitted: Option<Box<Claim>>,
    /// The class that counts.
    pub(crate) class: String,
    pub(crate) class_source: ClassSource,
    /// The answer.
    pub verdict: Verdict,
    /// Who decides.
    pub(crate) path: Path,
    /// Every existing volume that may be bound, sorted.
    pub outcomes: Vec<String>,
    /// The volumes that count, best first.
    pub(crate) volumes: Vec<Judged<'a>>,
    /// Node by node, where the scheduler decides.
    pub(crate) nodes: Vec<Placement<'a>>,
    /// How a volume would be provisioned.
    pub(crate) provisioning: Option<ProvisioningDecision<'a>>,
    /// Everything that is true of the claim, the main cause first.
    pub causes: Vec<Cause>,
    /// The API server's refusal of a claim that does not exist yet, word for word.
    pub(crate) refusal: Option<String>,
    /// What the control plane would report.
    pub(crate) says: Vec<Says>,
    /// What was not read.
    pub unknowns: Vec<Unknown>,
    /// What the cluster's own controller would do, where it differs (provisioning options).
    pub(crate) cluster: Option<ClusterDecision>,
    /// The volume that a bound claim holds.
    pub(crate) holds: Option<&'a Volume>,
}

impl ClaimDecision<'_> {
    /// What keeps the claim from a volume, the main cause first.
    pub fn blockers(&self) -> impl Iterator<Item = &ClaimCause> {
        let causes = self.causes.iter();
        let blockers = causes.filter(|cause| cause.severity == Severity::Blocker);
        blockers.map(|cause| &cause.cause)
    }

    /// Who would provision a volume.
    pub fn provisioner(&self) -> Option<&str> {
        let provisioning = self.provisioning.as_ref()?;
        Some(&provisioning.provisioner)
    }
}

/// How a volume would be provisioned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProvisioningDecision<'a> {
    pub(crate) class: &'a Class,
    /// Who would provision it: the CSI driver, for in-tree names.
    pub(crate) provisioner: String,
    pub(crate) by: ProvisionedBy,
    /// The name that the volume would most likely have.
    pub(crate) volume_name: Option<String>,
    pub(crate) options: Merged,
    /// What prevents it.
    pub(crate) problems: Vec<ClaimCause>,
}

/// What the cluster's own controller would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClusterDecision {
    pub(crate) verdict: Verdict,
    pub(crate) outcomes: Vec<String>,
}

/// What happens to a claim that is served next, whoever else wants the same volumes.
pub(crate) fn decide_uncontended<'a>(
    state: &'a ClusterState,
    claim: &Claim,
    rules: Rules,
) -> ClaimDecision<'a> {
    let decider = Uncontended(Alone::new(state, rules));
    decide_by(&decider, state, claim, rules)
}

/// What happens to a claim, by what `decider` says of the volumes.
///
/// A claim with provisioning options is decided twice: by seed 003, and as the cluster's own controller would decide, which does
/// not know them.
pub(crate) fn decide_by<'a>(
    decider: &dyn Decider<'a>,
    state: &'a ClusterState,
    claim: &Claim,
    rules: Rules,
) -> ClaimDecision<'a> {
    let ask = |options| Asked {
        decider,
        state,
        rules,
        options,
    };
    let cluster = ask(OptionsAre::Ignored).decide(claim);
    if claim.options.is_none() || claim.volume_name.is_some() {
        return cluster;
    }
    with_cluster(ask(OptionsAre::Honoured).decide(claim), cluster)
}

/// Who counts: seed 003 with its provisioning options, or the cluster, which does not know them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OptionsAre {
    Honoured,
    Ignored,
}

/// The decision by seed 003, with what the controller of the cluster would do and report instead.
fn with_cluster<'a>(
    mut decision: ClaimDecision<'a>,
    cluster: ClaimDecision<'a>,
) -> ClaimDecision<'a> {
    decision.says = cluster.says;
    let would = match cluster.verdict {
        Verdict::WillBind => WithoutOptions::Binds(cluster.outcomes.clone()),
        Verdict::WillProvision => WithoutOptions::Provisions,
        Verdict::Bound | Verdict::Lost | Verdict::Rejected => return decision,
        Verdict::Waiting | Verdict::Blocked | Verdict::Unknown => WithoutOptions::GoesOn,
    };
    let ignored = ClaimCause::OptionsIgnoredByCluster { would };
    decision.causes.push(Cause::warning(ignored));
    sort_causes(&mut decision.causes);
    if (cluster.verdict, &cluster.outcomes) != (decision.verdict, &decision.outcomes) {
        decision.cluster = Some(ClusterDecision {
            verdict: cluster.verdict,
            outcomes: cluster.outcomes,
        });
    }
    decision
}

/// What is asked about claims, and of whom.
struct Asked<'d, 'a> {
    decider: &'d dyn Decider<'a>,
    state: &'a ClusterState,
    rules: Rules,
    options: OptionsAre,
}

impl<'a> Asked<'_, 'a> {
    fn decide(&self, claim: &Claim) -> ClaimDecision<'a> {
        if claim.exists() {
            return self.decide_stored(claim, class_source::find(claim, None));
        }
        let admission = admission::admit(self.state, claim, self.rules);
        let source = class_source::find(claim, Some(&admission));
        let decision = if admission.refusals.is_empty() {
            self.decide_stored(&admission.stored, source)
        } else {
            let situation = self.situation(&admission.stored, source);
            situation.finish(reject(&admission), Updates::Accepted)
        };
        ClaimDecision {
            admitted: Some(Box::new(admission.stored)),
            ..decision
        }
    }

    fn situation<'s>(&self, claim: &'s Claim, class_source: ClassSource) -> Situation<'s, 'a> {
        Situation {
            options: self.options,
            class_source,
            ..Situation::new(self.state, claim, self.rules)
        }
    }

    /// What happens to a claim as it is stored.
    fn decide_stored(&self, claim: &Claim, source: ClassSource) -> ClaimDecision<'a> {
        let situation = self.situation(claim, source);
        let without = gaps::answer(&situation).or_else(|| fail_on_selector(claim));
        if let Some(answer) = without {
            return situation.finish(answer, Updates::Accepted);
        }
        let mut question = Question::new(claim, claim.class.resolved(), self.rules);
        question.new_volume_only = self.options == OptionsAre::Honoured;
        let decision = self.decider.decide(&question);
        let Step::AssignClass(class) = &decision.step else {
            return self.follow(situation, decision);
        };
        let situation = Situation {
            class: class.clone(),
            class_source: ClassSource::RetroactiveDefault,
            ..situation
        };
        let refusals = admission::class_assignment_refusals(self.state, claim, class);
        if !refusals.is_empty() {
            let situation = situation.after(decision.search, decision.says);
            let answer = block_silently(&situation, refusals);
            return situation.finish(answer, Updates::Accepted);
        }
        question.class.clone_from(class);
        let decision = self.decider.decide(&question);
        self.follow(situation, decision)
    }

    /// What follows from a decision of the controller.
    fn follow(&self, situation: Situation<'_, 'a>, decision: Decision<'a>) -> ClaimDecision<'a> {
        let situation = situation.after(decision.search, decision.says);
        let (general, updates) = situation.general_causes();
        let answer = match decision.step {
            Step::Rebind(volume) => match bound::keep(&situation, volume) {
                Some(answer) => return situation.finish(answer, updates),
                None => self.will_keep(&situation, volume),
            },
            step => self.branch(&situation, step, &general),
        };
        let causes = [general, answer.causes].concat();
        situation.finish(Answer { causes, ..answer }, updates)
    }

    fn branch(
        &self,
        situation: &Situation<'_, 'a>,
        step: Step<'a>,
        general: &[Cause],
    ) -> Answer<'a> {
        match step {
            Step::Bind(outcomes) => self.bind(situation, outcomes),
            Step::Rebind(volume) => self.will_keep(situation, volume),
            Step::LoseMissing(volume) => {
                let cause = Cause::blocker(ClaimCause::VolumeLost { volume });
                Answer::new(Verdict::Lost, Path::None, vec![cause])
            }
            Step::LoseMisbound(volume) => bound::misbound(situation, volume),
            Step::NamedMissing(name) => self.named_missing(situation, name),
            Step::NamedMismatch(judgement) | Step::NamedTaken(judgement) => {
                named(situation, &judgement)
            }
            Step::WaitForPod => waiting::answer(self.decider, situation, general),
            Step::NoClass => no_class(situation),
            Step::ClassMissing => class_missing(situation),
            Step::Provision(class, step) => provision::answer(situation, class, &step.0, general),
            // The class was assigned and the decision made again; a second time there is none to assign.
            Step::AssignClass(_) => Answer::new(Verdict::Unknown, Path::Controller, vec![]),
        }
    }

    fn bind(&self, situation: &Situation<'_, 'a>, outcomes: Vec<String>) -> Answer<'a> {
        let claim = situation.claim;
        let first = outcomes.first();
        let named = first.filter(|_| claim.volume_name.is_some());
        let named = named.and_then(|name| self.state.find_volume(name));
        let mut causes = situation.ignored_reservations();
        causes.extend(contended(
            self.decider.competitors(claim, &outcomes),
            &outcomes,
        ));
        Answer {
            volumes: named.map(|volume| only(self.state, volume, Result::Chosen, vec![])),
            outcomes,
            ..Answer::new(Verdict::WillBind, controller_path(claim), causes)
        }
    }

    /// The claim takes its volume back, unless another claim is bound to it first.
    fn will_keep(&self, situation: &Situation<'_, 'a>, volume: &'a Volume) -> Answer<'a> {
        let mut answer = bound::will_keep(situation, volume);
        let claims = self.decider.competitors(situation.claim, &answer.outcomes);
        answer.causes.extend(contended(claims, &answer.outcomes));
        answer
    }

    fn named_missing(&self, situation: &Situation<'_, 'a>, volume: String) -> Answer<'a> {
        let phase_of = |name: String| {
            let volume = self.state.find_volume(&name)?;
            let phase = phases::view(self.state, volume, Phases::Settled).phase;
            Some((name, phase))
        };
        let similar = self.decider.volumes_like(&volume).into_iter();
        let similar = similar.filter_map(phase_of).collect();
        let cause = Cause::blocker(ClaimCause::NamedVolumeNotFound { volume, similar });
        Answer {
            unknowns: situation.absent(Kind::Volumes).into_iter().collect(),
            ..Answer::new(Verdict::Blocked, Path::NamedVolume, vec![cause])
        }
    }
}

/// That other claims may take these volumes first, if there are any.
fn contended(claims: Vec<ObjectKey>, volumes: &[String]) -> Option<Cause> {
    (!claims.is_empty()).then(|| {
        let volumes = volumes.to_vec();
        Cause::warning(ClaimCause::Contended { claims, volumes })
    })
}

/// Who decides where the controller does.
fn controller_path(claim: &Claim) -> Path {
    if claim.volume_name.is_some() {
        Path::NamedVolume
    } else {
        Path::Controller
    }
}

/// A selector that was stored although it is invalid makes every search fail, without an event (Q5).
fn fail_on_selector<'a>(claim: &Claim) -> Option<Answer<'a>> {
    let errors = selector_errors(claim);
    let cause = Cause::blocker(ClaimCause::InvalidClaim {
        errors: errors.clone(),
    });
    (!errors.is_empty()).then(|| Answer::new(Verdict::Blocked, Path::Controller, vec![cause]))
}

/// What is wrong with the selector of a claim that searches by it.
pub(crate) fn selector_errors(claim: &Claim) -> Vec<String> {
    let searches = !claim.is_bind_completed() && claim.volume_name.is_none();
    let selector = claim.selector.as_ref().filter(|_| searches);
    selector
        .map(crate::conventions::selector::LabelSelector::problems)
        .unwrap_or_default()
        .into_iter()
        .map(|problem| format!("spec.selector.{}: {}", problem.path, problem.kind))
        .collect()
}

fn reject<'a>(rejected: &Admission) -> Answer<'a> {
    let causes = rejected.refusals.iter().cloned().map(Cause::blocker);
    Answer {
        refusal: rejected.refusal.clone(),
        ..Answer::new(Verdict::Rejected, Path::None, causes.collect())
    }
}

/// The API server refuses the controller's own update of the claim: nothing happens, and no event reports it (13.2).
fn block_silently<'a>(situation: &Situation<'_, 'a>, refusals: Vec<ClaimCause>) -> Answer<'a> {
    let (no_volume, unread) = situation.no_volume();
    let refusals = refusals.into_iter().map(Cause::blocker);
    let causes = refusals.chain(no_volume);
    let causes = causes.chain(situation.ignored_reservations()).collect();
    Answer {
        unknowns: unread.into_iter().collect(),
        ..Answer::new(Verdict::Blocked, Path::Controller, causes)
    }
}

fn named<'a>(situation: &Situation<'_, 'a>, judgement: &NamedJudgement<'a>) -> Answer<'a> {
    let state = situation.state;
    let (volume, reasons, cause) = match &judgement.0 {
        Named::Mismatch { volume, reasons } => {
            let cause = ClaimCause::NamedVolumeMismatch {
                volume: volume.name.clone(),
                why: Mismatch::Found(reasons.clone()),
                put_in: default_against(situation, volume),
            };
            (*volume, reasons.clone(), cause)
        }
        Named::Taken {
            volume,
            holder,
            holder_is_gone,
        } => {
            let reason = reservation_reason(state, volume, situation.claim);
            let holder = match &holder.claim {
                None => VolumeHolder::NoClaim,
                Some(key) if *key == situation.claim.key => VolumeHolder::EarlierClaim(key.clone()),
                Some(key) => VolumeHolder::Claim(key.clone()),
            };
            let cause = ClaimCause::NamedVolumeTaken {
                volume: volume.name.clone(),
                holder,
                holder_is_gone: *holder_is_gone,
            };
            (*volume, reason.into_iter().collect(), cause)
        }
        Named::Missing | Named::Binds(_) => {
            return Answer::new(Verdict::Blocked, Path::NamedVolume, vec![]);
        }
    };
    Answer {
        volumes: Some(only(state, volume, Result::Rejected, reasons)),
        ..Answer::new(
            Verdict::Blocked,
            Path::NamedVolume,
            vec![Cause::blocker(cause)],
        )
    }
}

/// The default class, where it was applied to a claim for a volume without a class (R14).
fn default_against(situation: &Situation<'_, '_>, volume: &Volume) -> Option<String> {
    let is_in_the_way = situation.class_source == ClassSource::Default && volume.class().is_empty();
    is_in_the_way.then(|| situation.class.clone())
}

fn no_class<'a>(situation: &Situation<'_, 'a>) -> Answer<'a> {
    let state = situation.state;
    let lacks_class = lacks_class(situation.claim, situation.rules);
    let cause = if lacks_class {
        let classes = state.classes().iter().map(|class| class.name.clone());
        ClaimCause::NoDefaultClass {
            classes: classes.collect(),
        }
    } else {
        let default = super::classes::find_default(state).map(|class| class.name.clone());
        ClaimCause::ClassExplicitlyEmpty { default }
    };
    let classes = lacks_class.then(|| situation.absent(Kind::Classes));
    let (no_volume, volumes) = situation.no_volume();
    let causes = [Cause::blocker(cause)].into_iter().chain(no_volume);
    let causes = causes.chain(situation.ignored_reservations()).collect();
    Answer {
        unknowns: classes.flatten().into_iter().chain(volumes).collect(),
        ..Answer::new(Verdict::Blocked, Path::Controller, causes)
    }
}

fn class_missing<'a>(situation: &Situation<'_, 'a>) -> Answer<'a> {
    let class = situation.class.clone();
    let known = situation.state.classes().iter();
    let similar = similar_names(&class, known.map(|class| class.name.as_str()));
    let similar = similar.into_iter().map(str::to_owned).collect();
    let cause = Cause::blocker(ClaimCause::ClassNotFound { class, similar });
    let (no_volume, volumes) = situation.no_volume();
    let causes = [cause].into_iter().chain(no_volume);
    let causes = causes.chain(situation.ignored_reservations()).collect();
    let classes = situation.absent(Kind::Classes);
    Answer {
        unknowns: volumes.into_iter().chain(classes).collect(),
        ..Answer::new(Verdict::Blocked, Path::Controller, causes)
    }
}
