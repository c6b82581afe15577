//! Who decides for the claims that are told about. `explain` asks the controller's own search, as if the claim were served
//! next; `plan` has settled the whole cluster and knows how it ends.

use super::super::Rules;
use super::super::checks::Question;
use super::super::contention::Wishes;
use super::super::phases::Phases;
use super::super::scheduling::claims_of_others;
use super::super::sync::{Decision, decide_question};
use crate::conventions::object_ref::{ObjectKey, similar_names};
use crate::model::{Claim, ClusterState, Pod};

pub(crate) trait Decider<'a> {
    /// What is done about the claim of the question.
    fn decide(&self, question: &Question<'_>) -> Decision<'a>;

    /// The other claims that may take these volumes first.
    fn competitors(&self, claim: &Claim, volumes: &[String]) -> Vec<ObjectKey>;

    /// The other claims that may take these volumes, which the claim is to get with one of its pods.
    fn competitors_with_pod(&self, pod: &Pod, claim: &Claim, volumes: &[String]) -> Vec<ObjectKey>;

    /// The volumes whose names are most like one that is not there.
    fn volumes_like(&self, name: &str) -> Vec<String>;
}

/// The claim is served next, and nobody else is.
pub(crate) struct Alone<'a> {
    state: &'a ClusterState,
    rules: Rules,
    /// What the others want, as far as it was asked: it lasts as long as this does.
    pub(crate) wishes: Wishes<'a>,
}

impl<'a> Alone<'a> {
    pub(crate) fn new(state: &'a ClusterState, rules: Rules) -> Self {
        Self {
            state,
            rules,
            wishes: Wishes::new(state, rules),
        }
    }
}

impl<'a> Decider<'a> for Alone<'a> {
    fn decide(&self, question: &Question<'_>) -> Decision<'a> {
        decide_question(self.state, question, Phases::Settled)
    }

    fn competitors(&self, claim: &Claim, volumes: &[String]) -> Vec<ObjectKey> {
        self.wishes.competitors(claim, volumes)
    }

    fn competitors_with_pod(&self, pod: &Pod, claim: &Claim, volumes: &[String]) -> Vec<ObjectKey> {
        claims_of_others(self.state, pod, &claim.key, volumes, self.rules)
    }

    fn volumes_like(&self, name: &str) -> Vec<String> {
        let names = self
            .state
            .volumes()
            .iter()
            .map(|volume| volume.name.as_str());
        similar_names(name, names)
            .into_iter()
            .map(str::to_owned)
            .collect()
    }
}

/// The same, where it does not matter who else wants the volumes: finding that out takes a search for every other claim.
pub(super) struct Uncontended<'a>(pub(super) Alone<'a>);

impl<'a> Decider<'a> for Uncontended<'a> {
    fn decide(&self, question: &Question<'_>) -> Decision<'a> {
        self.0.decide(question)
    }

    fn competitors(&self, _: &Claim, _: &[String]) -> Vec<ObjectKey> {
        vec![]
    }

    fn competitors_with_pod(&self, _: &Pod, _: &Claim, _: &[String]) -> Vec<ObjectKey> {
        vec![]
    }

    fn volumes_like(&self, name: &str) -> Vec<String> {
        self.0.volumes_like(name)
    }
}
