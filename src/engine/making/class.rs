//! The class a volume is made by: the claim's own, or the default that is written into it first (R15).

use super::super::admission;
use super::super::choice::with_class;
use super::super::classes::{find_default, lacks_class};
use super::super::refusal::{Refusal, Several};
use super::MakingQuestion;
use super::owner::wanted_provisioner;
use super::unmade::unmade;
use crate::conventions::object_ref::similar_names;
use crate::model::{Claim, Class, ClusterState};
use crate::report::ClaimCause;
use std::borrow::Cow;

/// A claim with its class.
pub(super) struct Resolved<'a> {
    /// The claim as it is once its class was written.
    pub(super) claim: Cow<'a, Claim>,
    pub(super) class: &'a Class,
    /// The class that is written into it first.
    pub(super) assigned: Option<String>,
}

pub(super) fn resolve<'a>(
    state: &'a ClusterState,
    question: &MakingQuestion<'a>,
) -> Result<Resolved<'a>, Refusal> {
    let claim = question.claim;
    if lacks_class(claim, question.rules) {
        let Some(default) = find_default(state) else {
            let classes = state.classes().iter().map(|class| class.name.clone());
            let cause = ClaimCause::NoDefaultClass {
                classes: classes.collect(),
            };
            return Err(unmade(cause));
        };
        let refusals = admission::class_assignment_refusals(state, claim, &default.name);
        return match Several::of(refusals) {
            Some(refusals) => Err(Refusal::new(refusals)),
            None => Ok(Resolved {
                claim: Cow::Owned(with_class(claim, &default.name)),
                class: default,
                assigned: Some(default.name.clone()),
            }),
        };
    }
    let name = claim.class.resolved();
    match state.find_class(name) {
        Some(class) => Ok(Resolved {
            claim: Cow::Borrowed(claim),
            class,
            assigned: None,
        }),
        None => Err(not_found(state, question, name)),
    }
}

fn not_found(state: &ClusterState, question: &MakingQuestion<'_>, name: &str) -> Refusal {
    if name.is_empty() {
        let default = find_default(state).map(|class| class.name.clone());
        return unmade(ClaimCause::ClassExplicitlyEmpty { default });
    }
    let known = state.classes().iter().map(|class| class.name.as_str());
    let similar = similar_names(name, known);
    let refusal = unmade(ClaimCause::ClassNotFound {
        class: name.to_owned(),
        similar: similar.into_iter().map(str::to_owned).collect(),
    });
    // Who the claim was left to says so on it (seed 000, step 3).
    match wanted_provisioner(question.claim) {
        Some(wanted) if (question.is_own)(wanted) => refusal.told_on_claim(),
        _ => refusal,
    }
}
