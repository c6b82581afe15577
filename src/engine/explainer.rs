//! Explanations with advice: what a claim or a pod gets, why, and what would help.

use super::claims::{Alone, decide_by};
use super::{Rules, explain, explain_pod as pods, suggestions};
use crate::model::{Claim, ClusterState, Pod};
use crate::report::{Explanation, PodExplanation};

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
