//! Who else may take the volumes a claim would get (N5).

use super::Rules;
use super::admission::{admit, class_assignment_refusals};
use super::binding::Timing;
use super::checks::{Candidate, Question, search_failures};
use super::classes::{find_default, lacks_class};
use super::phases::{Phases, view};
use super::sync::{Step, decide_question};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, ClusterState};

/// The other unbound claims that would take one of these volumes if they were served first.
pub(crate) fn competitors(
    state: &ClusterState,
    claim: &Claim,
    volumes: &[String],
    rules: Rules,
) -> Vec<ObjectKey> {
    let others = state.claims().iter().filter(|other| other.key != claim.key);
    others
        .filter(|other| may_want(state, other, volumes, rules))
        .filter(|other| wants(state, other, volumes, rules))
        .map(|other| other.key.clone())
        .collect()
}

/// A cheap look at the few volumes in question, before the search over all of them.
fn may_want(state: &ClusterState, other: &Claim, volumes: &[String], rules: Rules) -> bool {
    if let Some(name) = &other.volume_name {
        return volumes.contains(name);
    }
    if other.is_bind_completed() {
        return false;
    }
    classes_of(state, other, rules).into_iter().any(|class| {
        let question = question_for(other, &class, rules);
        let timing = Timing::of(state, &class);
        volumes
            .iter()
            .filter_map(|name| state.find_volume(name))
            .any(|volume| {
                let candidate = Candidate::new(state, &view(state, volume, Phases::Settled), other);
                (timing == Timing::Now || candidate.is_reserved())
                    && search_failures(&question, &candidate).is_empty()
            })
    })
}

fn wants(state: &ClusterState, other: &Claim, volumes: &[String], rules: Rules) -> bool {
    if !other.exists() && !admit(state, other, rules).refusals.is_empty() {
        return false;
    }
    for class in classes_of(state, other, rules) {
        match decide_question(state, &question_for(other, &class, rules), Phases::Settled).step {
            Step::Bind(outcomes) => return outcomes.iter().any(|name| volumes.contains(name)),
            // A claim that lost its volume and finds it free again takes it without a check (R62).
            Step::Rebind(volume) => {
                let is_free = view(state, volume, Phases::Settled).claim_ref.is_none();
                return is_free && volumes.contains(&volume.name);
            }
            // A quota may refuse the class, and then it is never searched by.
            Step::AssignClass(class)
                if class_assignment_refusals(state, other, &class).is_empty() => {}
            _ => return false,
        }
    }
    false
}

fn question_for<'a>(claim: &'a Claim, class: &str, rules: Rules) -> Question<'a> {
    let mut question = Question::new(claim, class, rules);
    question.new_volume_only = false;
    question
}

/// The classes a claim searches by, in turn: its own, then the default if it says nothing (R15).
fn classes_of(state: &ClusterState, claim: &Claim, rules: Rules) -> Vec<String> {
    let own = claim.class.resolved().to_owned();
    let default = find_default(state)
        .filter(|_| lacks_class(claim, rules))
        .map(|class| class.name.clone());
    // A claim that does not exist yet gets the default before it is ever looked at (R14).
    match default {
        Some(default) if !claim.exists() => vec![default],
        Some(default) => vec![own, default],
        None => vec![own],
    }
}
