//! The claims that are not bound, each with its verdict and its main cause in a line.

use super::Unknowns;
use crate::engine::Rules;
use crate::engine::explain::assess;
use crate::engine::phases::Phases;
use crate::engine::sync::{Step, decide};
use crate::model::{Claim, ClaimPhase, ClusterState, Kind};
use crate::report::{
    Cause, ClaimCause, Explanation, PendingClaim, Severity, Verdict, VolumeReason, join_or,
};

/// The phase a claim settles in; where its volume could not be seen, the one it has.
pub(super) fn settled_phase(state: &ClusterState, claim: &Claim, rules: Rules) -> ClaimPhase {
    if !claim.is_bind_completed() {
        return ClaimPhase::Pending;
    }
    if !state.saw(Kind::Volumes, None) {
        return claim.phase;
    }
    match decide(state, claim, rules, Phases::Settled).step {
        Step::LoseMissing(_) | Step::LoseMisbound(_) => ClaimPhase::Lost,
        _ => ClaimPhase::Bound,
    }
}

/// All claims that are not bound, or not any more.
pub(super) fn list(
    state: &ClusterState,
    claims: &[&Claim],
    rules: Rules,
    unknowns: &mut Unknowns,
) -> Vec<PendingClaim> {
    let mut pending = Vec::new();
    for claim in claims {
        if settled_phase(state, claim, rules) == ClaimPhase::Bound
            && claim.phase == ClaimPhase::Bound
        {
            continue;
        }
        let explanation = assess(state, claim, rules);
        if explanation.verdict == Verdict::Bound {
            continue;
        }
        pending.push(describe(claim, &explanation));
        unknowns.extend(explanation.unknowns);
    }
    pending
}

fn describe(claim: &Claim, explanation: &Explanation) -> PendingClaim {
    let (cause, message) = match explanation.verdict {
        Verdict::WillBind => outlook(explanation, will_bind(explanation)),
        Verdict::WillProvision => outlook(explanation, will_provision(explanation)),
        _ => main_cause(explanation),
    };
    PendingClaim {
        namespace: claim.key.namespace.clone(),
        name: claim.key.name.clone(),
        verdict: explanation.verdict,
        cause,
        message,
        since: claim.created,
    }
}

fn main_cause(explanation: &Explanation) -> (Option<&'static str>, String) {
    let Some(main) = explanation.causes.first() else {
        return (None, "nothing is known of it".to_owned());
    };
    let mut message = main.cause.message();
    if let ClaimCause::NoVolumeFits { volumes, .. } = &main.cause {
        message.push_str(&nearest_miss(explanation, *volumes));
    }
    let warning = warning(explanation).filter(|_| explanation.verdict == Verdict::Waiting);
    if let Some(warning) = warning {
        message = format!("{message}; but {}", warning.cause.message());
    }
    (Some(main.cause.code()), message)
}

/// A label that no volume has, or else the volume that lacks least and what it lacks.
fn nearest_miss(explanation: &Explanation, volumes: usize) -> String {
    let labels = explanation.causes.iter().map(|cause| &cause.cause);
    let label = labels
        .filter(|cause| matches!(cause, ClaimCause::LabelNotOffered { .. }))
        .map(|cause| match cause.hint() {
            Some(hint) => format!("; {}, {hint}", cause.message()),
            None => format!("; {}", cause.message()),
        })
        .next();
    if let Some(label) = label {
        return label;
    }
    let Some(nearest) = explanation
        .volumes
        .first()
        .filter(|volume| !volume.reasons.is_empty())
    else {
        return String::new();
    };
    let why: Vec<String> = nearest
        .reasons
        .iter()
        .map(|reason: &VolumeReason| format!("{}, {}", reason.code(), reason.message()))
        .collect();
    let name = if volumes == 1 {
        nearest.name.clone()
    } else {
        format!("nearest: {}", nearest.name)
    };
    format!(" ({name}: {})", why.join("; "))
}

/// What a claim will get, and what may come between.
fn outlook(explanation: &Explanation, will: String) -> (Option<&'static str>, String) {
    match warning(explanation) {
        Some(warning) => (
            Some(warning.cause.code()),
            format!("{will}; but {}", warning.cause.message()),
        ),
        None => (None, will),
    }
}

fn warning(explanation: &Explanation) -> Option<&Cause> {
    explanation
        .causes
        .iter()
        .find(|cause| cause.severity == Severity::Warning)
}

fn will_bind(explanation: &Explanation) -> String {
    match &explanation.outcomes[..] {
        names if names.len() > 3 => format!("will bind to one of {} volumes", names.len()),
        names => format!("will bind to {}", join_or(names)),
    }
}

fn will_provision(explanation: &Explanation) -> String {
    match &explanation.provisioning {
        Some(provisioning) => format!("{} will make a volume", provisioning.provisioner),
        None => "a volume will be made".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::annotations;
    use crate::testing::{claim, class, state_with, volume};

    fn pending(claims: Vec<Claim>, volumes: Vec<crate::model::Volume>) -> Vec<PendingClaim> {
        let state = state_with(claims, volumes, |objects| {
            objects.classes = vec![class("later", "kubernetes.io/no-provisioner").delayed()];
        });
        let claims: Vec<&Claim> = state.claims().iter().collect();
        list(&state, &claims, Rules::default(), &mut Unknowns::default())
    }

    #[test]
    fn the_main_cause_comes_with_the_nearest_miss() {
        let listed = pending(
            vec![claim("c").requests("2Gi")],
            vec![volume("near"), volume("far").of_class("other")],
        );
        assert_eq!(listed[0].verdict, Verdict::Blocked);
        assert_eq!(listed[0].cause, Some("NoVolumeFits"));
        assert!(
            listed[0].message.contains("nearest: near: TooSmall"),
            "{}",
            listed[0].message
        );
    }

    #[test]
    fn a_label_that_no_volume_has_is_the_miss() {
        let listed = pending(
            vec![claim("c").selecting("tier=glod")],
            vec![volume("v").labelled("tier", "gold")],
        );
        assert!(
            listed[0]
                .message
                .ends_with("; no volume has tier=glod; offered: gold, did you mean gold?"),
            "{}",
            listed[0].message
        );
    }

    #[test]
    fn what_will_happen_is_said_and_what_may_come_between() {
        let listed = pending(vec![claim("c")], vec![volume("v")]);
        assert_eq!(
            (listed[0].cause, listed[0].message.as_str()),
            (None, "will bind to v")
        );
        let listed = pending(vec![claim("c"), claim("d")], vec![volume("v")]);
        assert_eq!(listed[0].cause, Some("Contended"));
        assert!(
            listed[0]
                .message
                .starts_with("will bind to v; but ns/d may take v first"),
            "{}",
            listed[0].message
        );
    }

    #[test]
    fn waiting_says_what_it_waits_for_and_whether_that_will_help() {
        let listed = pending(
            vec![claim("c").of_class(Some("later"))],
            vec![volume("v").of_class("later").holds("1Mi")],
        );
        assert_eq!(
            (listed[0].verdict, listed[0].cause),
            (Verdict::Waiting, Some("NoConsumer"))
        );
        assert!(
            listed[0]
                .message
                .contains("; but the only volume does not fit"),
            "{}",
            listed[0].message
        );
    }

    #[test]
    fn a_claim_that_lost_its_volume_is_listed_and_a_bound_one_is_not() {
        let mut lost = claim("lost")
            .naming("gone")
            .annotated(annotations::BIND_COMPLETED, "yes");
        lost.phase = ClaimPhase::Bound;
        let mut bound = claim("bound")
            .naming("v")
            .annotated(annotations::BIND_COMPLETED, "yes");
        bound.phase = ClaimPhase::Bound;
        let listed = pending(
            vec![lost, bound],
            vec![volume("v").reserved_for("bound", Some("uid-bound"))],
        );
        let told: Vec<_> = listed
            .iter()
            .map(|claim| (claim.name.as_str(), claim.verdict, claim.cause))
            .collect();
        assert_eq!(told, [("lost", Verdict::Lost, Some("VolumeLost"))]);
    }
}
