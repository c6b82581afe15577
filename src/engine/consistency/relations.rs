//! What must hold between the answers of the commands.
//!
//! `explain` reports what a claim gets if it is served next, `plan` what it may get in any order. So the outcomes of `explain` are
//! among those of `plan`, and where the two differ another claim is named as a competitor. `bind` does what the controller would
//! do next. `provision` acts only where no existing volume is bound. `explain pv` is `explain` seen from the volume.

use crate::conventions::object_ref::ObjectKey;
use crate::engine::{
    Choice, Explainer, InventoryQuestion, Making, MakingQuestion, Rules, VolumeExplainer,
    choose_volume, decide_making, explain_pod, forecast, take_inventory,
};
use crate::model::{Claim, ClusterState, Volume};
use crate::report::{
    Assessment, ClaimCause, ClaimForecast, Code, Explanation, Path, PodExplanation, PodVerdict,
    Result, Taker, TakerResult, Verdict, VolumeExplanation, VolumeReason,
};
use std::collections::{BTreeMap, BTreeSet};

/// What is met in generated clusters, and how often at least.
pub(super) const MET: &[(&str, usize)] = &[
    ("contended", 60),
    ("contended with pods", 15),
    ("bound by bind", 100),
    ("provisioned", 10),
    ("several outcomes", 50),
    ("would take", 100),
    ("would take with a pod", 15),
    ("claim of several pods", 30),
];

/// Two answers that cannot both be right.
pub(super) struct Contradiction {
    pub(super) relation: &'static str,
    pub(super) text: String,
}

/// All that is said of one claim.
struct ClaimAnswers<'a> {
    claim: &'a Claim,
    explained: Explanation,
    planned: Option<ClaimForecast>,
    pending: Option<(Verdict, Option<Code>)>,
    chosen: Option<(String, Vec<String>)>,
    own_making: Making,
    making: Making,
}

/// All that is said of one cluster.
pub(super) struct Answers<'a> {
    state: &'a ClusterState,
    claims: Vec<ClaimAnswers<'a>>,
    volumes: Vec<VolumeExplanation>,
    pods: Vec<PodExplanation>,
}

impl<'a> Answers<'a> {
    pub(super) fn ask(state: &'a ClusterState, rules: Rules) -> Self {
        let planned = forecast(state, rules);
        let question = InventoryQuestion {
            rules,
            ..InventoryQuestion::default()
        };
        let status = take_inventory(state, question);
        let mut explainer = Explainer::new(state, rules);
        let claims = state.claims().iter().map(|claim| {
            let is_it = |namespace: &str, name: &str| {
                claim.key == ObjectKey::new(namespace.to_owned(), name.to_owned())
            };
            let mut forecasts = planned.claims.iter();
            let mut pending = status.pending.iter();
            let making = |is_own: bool| {
                decide_making(
                    state,
                    &MakingQuestion {
                        claim,
                        is_own: &|_| is_own,
                        node: None,
                        host: None,
                        rules,
                    },
                )
            };
            ClaimAnswers {
                claim,
                explained: explainer.explain(claim),
                planned: forecasts
                    .find(|one| is_it(&one.namespace, &one.name))
                    .cloned(),
                pending: pending
                    .find(|one| is_it(&one.namespace, &one.name))
                    .map(|one| (one.verdict, one.cause)),
                chosen: match choose_volume(state, claim, rules) {
                    Choice::Bind { volume, equals, .. } => Some((volume, equals)),
                    Choice::Not(_) => None,
                },
                own_making: making(true),
                making: making(false),
            }
        });
        let claims = claims.collect();
        let volumes: Vec<&Volume> = state.volumes().iter().collect();
        let pods = state.objects().pods.iter();
        Self {
            state,
            claims,
            volumes: VolumeExplainer::new(state, rules).explain(&volumes, usize::MAX),
            pods: pods
                .map(|pod| explain_pod(&mut explainer, pod, None))
                .collect(),
        }
    }

    pub(super) fn count(&self, met: &mut BTreeMap<&'static str, usize>) {
        let mut note = |what, holds: bool| *met.entry(what).or_default() += usize::from(holds);
        for one in &self.claims {
            let with_pod = one.explained.path == Path::Scheduler;
            note("contended", one.competitors().is_some());
            note(
                "contended with pods",
                one.competitors().is_some() && with_pod,
            );
            note("bound by bind", one.chosen.is_some());
            note(
                "provisioned",
                one.explained.verdict == Verdict::WillProvision,
            );
            note("several outcomes", one.explained.outcomes.len() > 1);
            let pods = self.state.objects().pods.iter();
            let users = pods.filter(|pod| {
                let mut volumes = pod.volumes.iter();
                volumes.any(|volume| volume.claim.claim_name() == one.claim.key.name)
            });
            note("claim of several pods", users.count() > 1);
            for volume in &self.volumes {
                let is_certain = |taker: &Taker| taker.result == TakerResult::WouldTake;
                let would = taker_of(volume, one.claim).is_some_and(is_certain);
                note("would take", would);
                note("would take with a pod", would && with_pod);
            }
        }
    }

    pub(super) fn contradictions(&self) -> Vec<Contradiction> {
        let mut found = Found(vec![]);
        for one in &self.claims {
            one.compare_with_plan(&mut found);
            one.compare_contention(&mut found);
            one.compare_with_bind(&mut found);
            one.compare_with_provision(&mut found);
            for volume in &self.volumes {
                one.compare_with_volume(volume, &mut found);
            }
        }
        for pod in &self.pods {
            self.compare_with_pod(pod, &mut found);
        }
        found.0
    }

    /// The claims of a pod are explained as by themselves, and get what its nodes offer.
    fn compare_with_pod(&self, pod: &PodExplanation, found: &mut Found) {
        let name = &pod.pod.name;
        for explained in &pod.claims {
            let own = self
                .claims
                .iter()
                .find(|one| one.explained.claim.name == explained.claim.name);
            let is_same = own.is_some_and(|own| {
                own.explained.verdict == explained.verdict
                    && own.explained.outcomes == explained.outcomes
            });
            found.check("explain pod, explain", is_same, || {
                format!("{name}: {}", brief(explained))
            });
            let is_stuck = matches!(explained.verdict, Verdict::Lost | Verdict::Rejected);
            let is_schedulable = pod.verdict == PodVerdict::Schedulable;
            found.check("schedulable pod", !(is_stuck && is_schedulable), || {
                format!("{name}: {}", brief(explained))
            });
            // What the pod's nodes offer is among what the claim may get.
            let offered: BTreeSet<&String> = pod
                .nodes
                .iter()
                .filter(|node| node.feasible && node.reasons.is_empty())
                .filter_map(|node| node.bindings.get(&explained.claim.name))
                .flatten()
                .collect();
            let is_certain = is_schedulable && explained.verdict == Verdict::WillBind;
            let outcomes: BTreeSet<&String> = explained.outcomes.iter().collect();
            found.check(
                "explain pod, outcomes",
                !is_certain || offered.is_subset(&outcomes),
                || format!("{name}: {offered:?}, {}", brief(explained)),
            );
        }
    }
}

/// The contradictions so far.
struct Found(Vec<Contradiction>);

impl Found {
    fn check(&mut self, relation: &'static str, holds: bool, text: impl FnOnce() -> String) {
        if !holds {
            let text = text();
            self.0.push(Contradiction { relation, text });
        }
    }
}

impl ClaimAnswers<'_> {
    /// The claims that `explain` names as competitors.
    fn competitors(&self) -> Option<BTreeSet<String>> {
        self.explained
            .causes
            .iter()
            .find_map(|cause| match &cause.cause {
                ClaimCause::Contended { claims, .. } => {
                    Some(claims.iter().map(ToString::to_string).collect())
                }
                _ => None,
            })
    }

    /// Whether `explain` reports that another claim holds the volume.
    fn is_held(&self, volume: &str) -> bool {
        let mut volumes = self.explained.volumes.iter();
        let is_held =
            |reason: &VolumeReason| matches!(reason, VolumeReason::ReservedForOtherClaim(_));
        volumes.any(|one| one.name == volume && one.reasons.iter().any(is_held))
    }

    fn compare_with_plan(&self, found: &mut Found) {
        let explained = &self.explained;
        let is_bound = explained.verdict == Verdict::Bound;
        found.check(
            "explain, plan: bound",
            is_bound == self.planned.is_none() && is_bound == self.pending.is_none(),
            || self.brief(),
        );
        let (Some(planned), Some(pending)) = (&self.planned, &self.pending) else {
            return;
        };
        found.check(
            "status, plan",
            pending.0 == planned.verdict && pending.1 == planned.causes.first().copied(),
            || self.brief(),
        );
        let may_get = |volume: &String| planned.outcomes.contains(volume);
        found.check(
            "explain, plan: outcomes",
            explained.outcomes.iter().all(may_get),
            || self.brief(),
        );
        let is_possible = match explained.verdict {
            Verdict::WillBind => planned.verdict == Verdict::WillBind,
            Verdict::WillProvision => {
                planned.verdict == Verdict::WillProvision
                    || planned.verdict == Verdict::WillBind && planned.may_be_provisioned
            }
            // A volume may come free that another claim holds now and does not need.
            other => {
                planned.verdict == other
                    || planned.verdict == Verdict::WillBind
                        && planned.outcomes.iter().all(|volume| self.is_held(volume))
            }
        };
        found.check("explain, plan: verdict", is_possible, || self.brief());
        let is_alone = self.competitors().is_none() && planned.competitors.is_empty();
        let is_certain = !(planned.may_stay_unbound || planned.may_be_provisioned);
        found.check(
            "plan: in doubt without a competitor",
            explained.verdict != Verdict::WillBind || !is_alone || is_certain || !planned.exact,
            || self.brief(),
        );
    }

    /// Contended is said by all or by none, and always with a competitor. Where `plan` says that it is not exact it may name more.
    fn compare_contention(&self, found: &mut Found) {
        let competitors = self.competitors();
        found.check(
            "explain: contended with nobody",
            competitors.as_ref().is_none_or(|claims| !claims.is_empty()),
            || self.brief(),
        );
        let Some(planned) = &self.planned else {
            return;
        };
        let is_contended = planned.causes.contains(&Code::Contended);
        let takes_any = planned.verdict == Verdict::WillBind;
        found.check(
            "plan: contended and competitors",
            is_contended == (takes_any && !planned.competitors.is_empty()),
            || self.brief(),
        );
        if self.explained.verdict != Verdict::WillBind {
            return;
        }
        found.check(
            "explain, plan: contended",
            is_contended == competitors.is_some() || is_contended && !planned.exact,
            || self.brief(),
        );
        let planned: BTreeSet<String> = planned.competitors.iter().cloned().collect();
        found.check(
            "explain, plan: competitors",
            competitors.is_none_or(|claims| claims.is_subset(&planned)),
            || self.brief(),
        );
    }

    /// `bind` binds what the controller would bind next, and nothing where the scheduler decides.
    fn compare_with_bind(&self, found: &mut Found) {
        let explained = &self.explained;
        let by_controller = matches!(explained.path, Path::Controller | Path::NamedVolume);
        if let Some((volume, equals)) = &self.chosen {
            let is_settled = matches!(explained.verdict, Verdict::WillBind | Verdict::Bound);
            found.check(
                "bind, explain",
                is_settled && explained.outcomes.contains(volume) && explained.outcomes == *equals,
                || self.brief(),
            );
        } else {
            let is_expected =
                explained.verdict == Verdict::WillBind && by_controller && self.claim.exists();
            found.check("explain, bind", !is_expected, || self.brief());
        }
    }

    /// `provision` acts only where no existing volume is bound.
    fn compare_with_provision(&self, found: &mut Found) {
        let explained = &self.explained;
        let is_open = matches!(
            explained.verdict,
            Verdict::WillProvision | Verdict::Waiting | Verdict::Unknown | Verdict::Blocked
        );
        for making in [&self.making, &self.own_making] {
            match making {
                Making::Own(_) | Making::Delegated(_) => {
                    found.check("provision, explain", is_open, || self.brief());
                    found.check("provision, bind", self.chosen.is_none(), || self.brief());
                }
                Making::Made { volume } | Making::Bound { volume } => {
                    found.check(
                        "provision, outcomes",
                        explained.outcomes.contains(volume),
                        || self.brief(),
                    );
                }
                Making::Not(_) => {}
            }
        }
        if matches!(self.own_making, Making::Delegated(_)) {
            found.check("provision: ours", false, || self.brief());
        }
    }

    /// `explain pv` is `explain` seen from the volume.
    fn compare_with_volume(&self, volume: &VolumeExplanation, found: &mut Found) {
        let explained = &self.explained;
        let name = &volume.volume.name;
        let mut assessments = explained.volumes.iter();
        let assessed = assessments.find(|one| one.name == *name);
        let Some(taker) = taker_of(volume, self.claim) else {
            // The owner is told in claimRef, and a claim that was bound before takes no other volume.
            let is_owner = explained.outcomes.contains(name) || self.claim.is_bind_completed();
            found.check("explain pv: no taker", is_owner, || {
                format!("{name}: {}", self.brief())
            });
            return;
        };
        let text = || format!("{name} {:?}: {}", taker.result, self.brief());
        let is_only = explained.outcomes == [name.clone()];
        found.check(
            "explain pv: would take",
            (taker.result == TakerResult::WouldTake) == is_only,
            text,
        );
        let fits = |one: &Assessment| {
            matches!(one.result, Result::Fits | Result::Possible | Result::Chosen)
        };
        let is_offered = explained.outcomes.contains(name) || assessed.is_some_and(fits);
        found.check(
            "explain pv: rejected",
            (taker.result == TakerResult::Rejected) != is_offered
                || explained.verdict == Verdict::Blocked,
            text,
        );
    }

    fn brief(&self) -> String {
        let making = |making: &Making| match making {
            Making::Own(_) => "Own".to_owned(),
            Making::Delegated(_) => "Delegated".to_owned(),
            Making::Made { volume } => format!("Made {volume}"),
            Making::Bound { volume } => format!("Bound {volume}"),
            Making::Not(unmade) => format!("Not {unmade:?}"),
        };
        let planned = self.planned.as_ref().map(|planned| {
            format!(
                "{:?} {:?} {:?} competitors {:?} unbound {} provisioned {} exact {}",
                planned.verdict,
                planned.outcomes,
                planned.causes,
                planned.competitors,
                planned.may_stay_unbound,
                planned.may_be_provisioned,
                planned.exact
            )
        });
        format!(
            "{}\n  plan {planned:?}\n  status {:?}\n  bind {:?}\n  provision {} / {}",
            brief(&self.explained),
            self.pending,
            self.chosen,
            making(&self.making),
            making(&self.own_making)
        )
    }
}

fn brief(explained: &Explanation) -> String {
    let causes: Vec<String> = explained
        .causes
        .iter()
        .map(|cause| format!("{}: {}", cause.cause.code(), cause.cause.message()))
        .collect();
    let volumes: Vec<String> = explained
        .volumes
        .iter()
        .map(|one| format!("{} {:?}", one.name, one.result))
        .collect();
    format!(
        "{} {:?} by {:?} {:?} {causes:?} {volumes:?}",
        explained.claim.name, explained.verdict, explained.path, explained.outcomes
    )
}

fn taker_of<'v>(volume: &'v VolumeExplanation, claim: &Claim) -> Option<&'v Taker> {
    let mut takers = volume.claims.iter();
    takers.find(|taker| taker.namespace == claim.key.namespace && taker.name == claim.key.name)
}
