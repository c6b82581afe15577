//! What `bind` may do for a claim: the volume the controller would take now, or whether one that somebody names will do.
//!
//! The decision is that of [`sync`](super::sync); where it is no bind, the whole decision says why.

use super::Rules;
use super::admission;
use super::binding::Timing;
use super::checks::{Candidate, Question, overflows_to_too_small, search_failures};
use super::claims::{ClaimDecision, decide_uncontended, missing_kinds, selector_errors};
use super::classes::{find_default, is_delayed, lacks_class};
use super::offers::Offers;
use super::phases::{Phases, Reservation, view};
use super::sync::{Decision, Step, conclude, decide};
use crate::model::{Claim, ClusterState, Volume};
use crate::report::VolumeReason;

/// What can be done for a claim now.
#[derive(Debug, Clone)]
pub enum Choice<'a> {
    /// This volume is to be bound.
    Bind {
        /// The volume.
        volume: String,
        /// What Kubernetes may take as well, itself included, by name; one means there is no draw.
        equals: Vec<String>,
        /// How many more are equal, of which none is listed and all come later by name than those that are.
        more: usize,
        /// The class that is written into the claim first (R15).
        class: Option<String>,
    },
    /// Nothing: the decision says why.
    Not(Box<ClaimDecision<'a>>),
}

/// What the controller would do for a claim now, with phases as they settle.
pub fn choose_volume<'a>(state: &'a ClusterState, claim: &Claim, rules: Rules) -> Choice<'a> {
    choose_among(None, state, claim, rules)
}

/// The same for many claims in turn: the volumes were sorted before, and need not all be looked at.
pub fn choose_among<'a>(
    offers: Option<&Offers>,
    state: &'a ClusterState,
    claim: &Claim,
    rules: Rules,
) -> Choice<'a> {
    let not = || Choice::Not(Box::new(decide_uncontended(state, claim, rules)));
    let needs_new_volume =
        claim.options.is_some() && claim.volume_name.is_none() && !claim.is_bind_completed();
    let is_taken_by_server = claim.is_bind_completed()
        || selector_errors(claim).is_empty() && admission::update_refusals(state, claim).is_empty();
    let is_seen = missing_kinds(state, claim, rules).is_empty();
    let is_plain = claim.exists() && !needs_new_volume && is_taken_by_server && is_seen;
    if !is_plain {
        let decision = decide_uncontended(state, claim, rules);
        let volume = decision.outcomes.first().cloned();
        // What was made for the claim by uid serves it whatever its options are.
        let made = volume.filter(|name| is_held(state, name, claim));
        return match made {
            Some(volume) if needs_new_volume && claim.exists() => Choice::Bind {
                equals: vec![volume.clone()],
                more: 0,
                volume,
                class: None,
            },
            _ => Choice::Not(Box::new(decision)),
        };
    }
    let mut class = None;
    let (mut decision, mut more) = decide_among(offers, state, claim, rules);
    if let Step::AssignClass(default) = &decision.step {
        if !admission::class_assignment_refusals(state, claim, default).is_empty() {
            return not();
        }
        let with_class = with_class(claim, default);
        class = Some(default.clone());
        (decision, more) = decide_among(offers, state, &with_class, rules);
    }
    match decision.step {
        Step::Bind(equals) => {
            // A bind that was begun is finished, whatever its name.
            let begun = equals.iter().find(|name| is_held(state, name, claim));
            match begun.or(equals.first()).cloned() {
                Some(volume) => Choice::Bind {
                    volume,
                    equals,
                    more,
                    class,
                },
                None => not(),
            }
        }
        Step::Rebind(volume) => Choice::Bind {
            volume: volume.name.clone(),
            equals: vec![volume.name.clone()],
            more: 0,
            class: None,
        },
        _ => not(),
    }
}

/// The decision, and how many volumes are equal to those it lists.
fn decide_among<'a>(
    offers: Option<&Offers>,
    state: &'a ClusterState,
    claim: &Claim,
    rules: Rules,
) -> (Decision<'a>, usize) {
    let searches = !claim.is_bind_completed() && claim.volume_name.is_none();
    let Some(offers) = offers.filter(|_| searches) else {
        return (decide(state, claim, rules, Phases::Settled), 0);
    };
    let question = Question::new(claim, claim.class.resolved(), rules);
    let timing = Timing::of(state, &question.class);
    let found = offers.search(state, &question, timing);
    (conclude(state, &question, found.search), found.more)
}

/// The claim as it is once the class was written into it.
pub fn with_class(claim: &Claim, class: &str) -> Claim {
    let mut claim = claim.clone();
    claim.class.field = Some(class.to_owned());
    claim
}

fn is_held(state: &ClusterState, volume: &str, claim: &Claim) -> bool {
    let reference = state
        .find_volume(volume)
        .and_then(|volume| volume.claim_ref.as_ref());
    reference.is_some_and(|reference| reference.uid.is_some() && reference.uid == claim.uid)
}

/// What speaks against binding a volume that somebody names.
#[derive(Debug, Clone, Default)]
pub struct ByHand {
    /// Every reason, in the order of the checks.
    pub reasons: Vec<VolumeReason>,
    /// The class that is written into the claim first (R15).
    pub class: Option<String>,
}

impl VolumeReason {
    /// Whether somebody who insists may have it all the same: Kubernetes itself ignores it where a claim names its volume.
    pub fn can_be_forced(&self) -> bool {
        matches!(
            self,
            Self::SelectorMismatch { .. }
                | Self::NodeAffinityMismatch { .. }
                | Self::WaitsForScheduler
                | Self::NotAvailable { .. }
        )
    }
}

/// Judges a volume that somebody names for a claim which names none, or the same.
pub fn judge_by_hand(state: &ClusterState, claim: &Claim, volume: &Volume, rules: Rules) -> ByHand {
    let reasons = reasons_against(state, claim, volume, rules);
    let has_other_class =
        |reason: &VolumeReason| matches!(reason, VolumeReason::ClassMismatch { .. });
    let default = find_default(state)
        .filter(|_| claim.volume_name.is_none() && lacks_class(claim, rules))
        .filter(|class| class.name == volume.class());
    if let Some(default) = default.filter(|_| reasons.iter().any(has_other_class)) {
        return ByHand {
            reasons: reasons_against(state, &with_class(claim, &default.name), volume, rules),
            class: Some(default.name.clone()),
        };
    }
    ByHand {
        reasons,
        class: None,
    }
}

fn reasons_against(
    state: &ClusterState,
    claim: &Claim,
    volume: &Volume,
    rules: Rules,
) -> Vec<VolumeReason> {
    let mut question = Question::new(claim, claim.class.resolved(), rules);
    question.new_volume_only = claim.options.is_some() && claim.volume_name.is_none();
    let candidate = Candidate::new(state, &view(state, volume, Phases::Settled), claim);
    let is_own = candidate.reservation == Reservation::Own;
    // R42: both name each other, so nothing is checked any more.
    if is_own && claim.volume_name.as_ref() == Some(&volume.name) {
        return vec![];
    }
    let mut reasons = search_failures(&question, &candidate);
    reasons.splice(0..0, overflows_to_too_small(&question, volume));
    if is_own || claim.volume_name.is_some() {
        return reasons;
    }
    let node = claim.selected_node().and_then(|name| state.find_node(name));
    let affinity = volume.node_affinity.as_ref();
    if let (Some(node), Some(affinity)) = (node, affinity)
        && !affinity.matches(&node.labels)
    {
        let node = node.name.clone();
        reasons.push(VolumeReason::NodeAffinityMismatch { node });
    }
    if is_delayed(state, &question.class) {
        reasons.push(VolumeReason::WaitsForScheduler);
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{claim, class, state, state_with, volume};

    fn codes(claim: Claim, volume: Volume) -> Vec<&'static str> {
        let state = state_with(vec![claim], vec![volume], |objects| {
            objects.classes.push(class("slow", "x").delayed());
        });
        let judged = judge_by_hand(
            &state,
            &state.claims()[0],
            &state.volumes()[0],
            Rules::V1_36,
        );
        judged
            .reasons
            .iter()
            .map(|reason: &VolumeReason| reason.code().name())
            .collect()
    }

    #[test]
    fn a_volume_by_hand_is_checked_as_the_search_checks() {
        assert!(codes(claim("c"), volume("v")).is_empty());
        assert_eq!(codes(claim("c").requests("2Gi"), volume("v")), ["TooSmall"]);
        assert_eq!(
            codes(claim("c").selecting("a=b"), volume("v").of_class("other")),
            ["SelectorMismatch", "ClassMismatch"]
        );
        let delayed = claim("c").of_class(Some("slow"));
        assert_eq!(
            codes(delayed.clone(), volume("v").of_class("slow")),
            ["WaitsForScheduler"]
        );
        // A reservation does not wait, and its class does not count.
        assert!(codes(delayed, volume("v").reserved_for("c", None)).is_empty());
        assert_eq!(
            codes(claim("c"), volume("v").reserved_for("d", None)),
            ["ReservedForOtherClaim"]
        );
    }

    #[test]
    fn a_bind_that_was_begun_is_preferred_in_a_draw() {
        let begun = volume("b").reserved_for("c", Some("uid-c"));
        let by_name = volume("a").reserved_for("c", None);
        let state = state(vec![claim("c")], vec![by_name, begun]);
        let choice = choose_volume(&state, &state.claims()[0], Rules::V1_36);
        assert!(matches!(choice, Choice::Bind { volume, .. } if volume == "b"));
    }
}
