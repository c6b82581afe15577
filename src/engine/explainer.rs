//! Explanations with advice: what a claim or a pod gets, why, and what would help.

use super::checks::Question;
use super::claims::{Alone, Decider, decide_by};
use super::forecast::Competition;
use super::scheduling::may_compete;
use super::sync::Decision;
use super::{Rules, explain, explain_pod as pods, suggestions};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, ClusterState, Pod};
use crate::report::{Explanation, PodExplanation};
use std::cell::OnceCell;

/// Explains claims of one state; what-ifs for suggestions are tried on one copy of it.
pub struct Explainer<'a> {
    state: &'a ClusterState,
    rules: Rules,
    decider: Next<'a>,
    scratch: Option<ClusterState>,
}

impl<'a> Explainer<'a> {
    /// An explainer for a state, by these rules.
    pub fn new(state: &'a ClusterState, rules: Rules) -> Self {
        Self {
            state,
            rules,
            decider: Next {
                state,
                rules,
                alone: Alone::new(state, rules),
                competition: OnceCell::new(),
            },
            scratch: None,
        }
    }

    /// Explains one claim of the state, suggestions included.
    pub fn explain(&mut self, claim: &Claim) -> Explanation {
        let decision = decide_by(&self.decider, self.state, claim, self.rules);
        let mut explanation = explain::report(self.state, claim, self.rules, decision);
        explanation.suggestions = suggestions::for_deletion(self.state, claim, &explanation);
        let remedies = suggestions::propose(
            self.state,
            claim,
            &explanation,
            self.rules,
            &self.decider.alone.wishes,
        );
        if !remedies.is_empty() {
            let scratch = self.scratch.get_or_insert_with(|| self.state.clone());
            explanation.suggestions =
                suggestions::keep_what_works(scratch, claim, &explanation, self.rules, remedies);
        }
        explanation
    }
}

/// The claim is served next. Where no other claim would take its volumes next, one may in another order: then the whole cluster is
/// settled once, as `plan` does.
struct Next<'a> {
    state: &'a ClusterState,
    rules: Rules,
    alone: Alone<'a>,
    competition: OnceCell<Competition<'a>>,
}

impl Next<'_> {
    fn in_any_order(&self, claim: &Claim) -> Vec<ObjectKey> {
        let competition = self
            .competition
            .get_or_init(|| Competition::new(self.state, self.rules));
        competition.competitors(&claim.key)
    }
}

impl<'a> Decider<'a> for Next<'a> {
    fn decide(&self, question: &Question<'_>) -> Decision<'a> {
        self.alone.decide(question)
    }

    fn competitors(&self, claim: &Claim, volumes: &[String]) -> Vec<ObjectKey> {
        let next = self.alone.competitors(claim, volumes);
        if next.is_empty() && self.alone.wishes.may_compete(claim, volumes) {
            return self.in_any_order(claim);
        }
        next
    }

    fn competitors_with_pod(&self, pod: &Pod, claim: &Claim, volumes: &[String]) -> Vec<ObjectKey> {
        let next = self.alone.competitors_with_pod(pod, claim, volumes);
        if next.is_empty() && may_compete(self.state, &claim.key, volumes, self.rules) {
            return self.in_any_order(claim);
        }
        next
    }

    fn volumes_like(&self, name: &str) -> Vec<String> {
        self.alone.volumes_like(name)
    }
}

/// Explains one claim of a state.
pub fn explain_claim(state: &ClusterState, claim: &Claim, rules: Rules) -> Explanation {
    Explainer::new(state, rules).explain(claim)
}

/// Explains one pod of the state, its claims included; `only` narrows it to one node.
pub fn explain_pod<'a>(
    explainer: &mut Explainer<'a>,
    pod: &'a Pod,
    only: Option<&str>,
) -> PodExplanation {
    let claims = pods::claims_of(explainer.state, pod);
    let claims = claims.into_iter().map(|claim| explainer.explain(claim));
    let claims = claims.collect();
    pods::explain(explainer.state, explainer.rules, pod, claims, only)
}

#[cfg(test)]
mod tests;
