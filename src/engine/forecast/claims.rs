//! What is told of each claim: its verdict in the words of `explain`, all it may end with, and who may come first.

use super::super::claims::{ClaimDecision, ProvisioningDecision, sort_causes};
use super::actors::{Actor, Role};
use super::assemble::Assembly;
use super::index::{ClaimId, VolumeId};
use crate::report::{
    Cause, ClaimCause, ClaimForecast, ClusterView, Code, Verdict, join_and, join_or, plural,
};

/// So many competitors of a claim are named with it; its group names them all.
pub(super) const FEW_RIVALS: usize = 5;

impl<'t, 'a> Assembly<'t, '_, 'a> {
    /// Every claim that is shown and not bound.
    pub(super) fn claims(&mut self) -> Vec<(ClaimId, ClaimForecast)> {
        let mut claims = Vec::new();
        let cast = self.cast;
        for actor in cast {
            if actor.role == Role::Bound || !self.is_shown(actor.claim) {
                continue;
            }
            let told = self.claim(actor);
            if told.verdict != Verdict::Bound {
                claims.push((actor.claim, told));
            }
        }
        claims
    }

    fn claim(&mut self, actor: &'t Actor<'a>) -> ClaimForecast {
        let Some(end) = self.end(actor.claim) else {
            return self.settled_claim(actor);
        };
        let index = self.teller.index;
        let takes = end.takes.few(index, self.most_listed);
        let decision = self.teller.tell(actor, &takes);
        let fallback = if takes.is_empty() || !end.may_wait {
            decision.verdict
        } else {
            self.fallback(actor)
        };
        self.note(actor, &decision, fallback);
        let (rivals, competitors_omitted) = self.competitors(actor.claim);
        let mut told = begin(actor, decision, !rivals.is_empty());
        if !rivals.is_empty() && told.causes.first() == Some(&Code::Contended) {
            told.message = Some(self.contended(&rivals, competitors_omitted, &takes));
        }
        told.competitors = self.claim_names(rivals);
        told.competitors_omitted = competitors_omitted;
        told.exact = self.is_exact(actor.claim);
        let takes_any = !takes.is_empty();
        if end.is_refused {
            told.outcomes.clear();
        } else if let Some(cluster) = &mut told.cluster {
            cluster.outcomes = self.volume_names(takes);
        } else if takes_any {
            // Otherwise it is the scheduler who gives, if anybody does.
            told.outcomes_omitted = end.takes.len() - takes.len();
            told.outcomes = self.volume_names(takes);
        }
        let is_made = fallback == Verdict::WillProvision;
        let has_outcomes = !told.outcomes.is_empty();
        told.may_stay_unbound = !is_made && (end.may_wait && takes_any || !has_outcomes);
        told.may_be_provisioned = has_outcomes && (end.may_wait && is_made || end.may_leave);
        told
    }

    /// A claim whose end nobody else can change.
    fn settled_claim(&mut self, actor: &'t Actor<'a>) -> ClaimForecast {
        let decision = self.teller.tell(actor, &[]);
        let verdict = decision.verdict;
        self.note(actor, &decision, verdict);
        let mut told = begin(actor, decision, false);
        let has_volume = matches!(verdict, Verdict::WillBind | Verdict::WillProvision);
        told.may_stay_unbound = !has_volume;
        told
    }

    /// How a claim ends that goes without a volume that is there.
    fn fallback(&mut self, actor: &'t Actor<'a>) -> Verdict {
        let decision = self.teller.tell(actor, &[]);
        self.note(actor, &decision, decision.verdict);
        decision.verdict
    }

    fn is_exact(&self, claim: ClaimId) -> bool {
        self.places[claim as usize].is_none_or(|(group, _)| self.solved[group as usize].exact)
    }

    fn note(&mut self, actor: &Actor<'a>, decision: &ClaimDecision<'_>, fallback: Verdict) {
        self.fallbacks[actor.claim as usize] = fallback;
        for unknown in &decision.unknowns {
            let remedy = unknown.remedy.as_ref().map(ToString::to_string);
            let key = (unknown.sort_key(), remedy);
            self.unknowns.insert(key, unknown.clone());
        }
    }

    /// Who may come first, and for what.
    fn contended(&self, rivals: &[ClaimId], more: usize, takes: &[VolumeId]) -> String {
        let is_wanted = |volume: &&VolumeId| {
            let wants = |rival: &ClaimId| {
                let end = self.end(*rival);
                end.is_some_and(|end| end.takes.contains(self.teller.index, **volume))
            };
            rivals.iter().any(wants)
        };
        let wanted = takes.iter().filter(is_wanted).take(FEW_RIVALS + 1);
        let volumes = self.volume_names(wanted.copied());
        let mut claims = self.claim_names(rivals.iter().copied());
        if more > 0 {
            claims.push(plural(more, "other claim"));
        }
        let what = if volumes.len() > FEW_RIVALS {
            "one of its volumes".to_owned()
        } else {
            join_or(&volumes)
        };
        format!("{} may take {what} first", join_and(&claims))
    }

    /// The other claims that may take what this one may take: a few of them, and how many more there are.
    fn competitors(&self, claim: ClaimId) -> (Vec<ClaimId>, usize) {
        self.places[claim as usize].map_or((vec![], 0), |(group, side)| {
            self.rivals[group as usize][side as usize].of(claim, FEW_RIVALS)
        })
    }
}

/// What is said of a claim, without what others have to do with it.
fn begin(actor: &Actor<'_>, decision: ClaimDecision<'_>, is_contended: bool) -> ClaimForecast {
    let mut causes = decision.causes;
    if is_contended && decision.verdict == Verdict::WillBind {
        let (claims, volumes) = (vec![], vec![]);
        causes.push(Cause::warning(ClaimCause::Contended { claims, volumes }));
        sort_causes(&mut causes);
    }
    let key = &actor.subject.key;
    ClaimForecast {
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        verdict: decision.verdict,
        outcomes: decision.outcomes,
        outcomes_omitted: 0,
        may_stay_unbound: false,
        may_be_provisioned: false,
        exact: true,
        message: causes
            .first()
            .map(|cause| cause.cause.message())
            .or_else(|| decision.provisioning.as_ref().map(made_by)),
        causes: causes.iter().map(|cause| cause.cause.code()).collect(),
        competitors: vec![],
        competitors_omitted: 0,
        cluster: decision.cluster.map(|cluster| ClusterView {
            verdict: cluster.verdict,
            outcomes: vec![],
        }),
    }
}

/// Who makes the volume.
fn made_by(provisioning: &ProvisioningDecision<'_>) -> String {
    format!(
        "made by {} (class {})",
        provisioning.provisioner, provisioning.class.name
    )
}
