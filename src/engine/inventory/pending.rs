//! The claims that are not bound, each with its verdict and its main cause in a line: what `plan` says of them, in short.

use super::{InventoryQuestion, Unknowns};
use crate::conventions::object_ref::ObjectKey;
use crate::engine::claims::decide_uncontended;
use crate::engine::forecast::{Ask, forecast_for};
use crate::engine::{Rules, classes, offered_labels};
use crate::model::{Claim, ClusterState};
use crate::report::{ClaimForecast, Code, PendingClaim, Verdict, join_or};

/// Looking for the nearest miss judges every volume for a claim, which is worth it while both are few.
const MOST_JUDGED: usize = 100_000;

/// All claims that are not bound, or not any more.
pub(super) fn list(
    state: &ClusterState,
    question: InventoryQuestion<'_>,
    unknowns: &mut Unknowns,
) -> Vec<PendingClaim> {
    let ask = Ask {
        namespace: question.namespace.map(str::to_owned),
        all: false,
    };
    let forecast = forecast_for(state, question.rules, &ask);
    unknowns.extend(forecast.unknowns);
    let is_unfit = |end: &&ClaimForecast| end.causes.first() == Some(&Code::NoVolumeFits);
    let judged = forecast.claims.iter().filter(is_unfit).count() * state.volumes().len();
    let miss = if judged <= MOST_JUDGED {
        nearest_miss
    } else {
        |_: &ClusterState, _: &Claim, _: Rules| String::new()
    };
    let told = |end: ClaimForecast| {
        let key = ObjectKey::new(&*end.namespace, &*end.name);
        let claim = state.find_claim(&key);
        PendingClaim {
            verdict: end.verdict,
            cause: match end.verdict {
                Verdict::WillBind | Verdict::WillProvision => warning(&end),
                _ => end.causes.first().copied(),
            },
            message: message(state, claim, &end, question.rules, miss),
            is_hopeless: is_hopeless(&end),
            since: claim.and_then(|claim| claim.created),
            namespace: end.namespace,
            name: end.name,
        }
    };
    forecast.claims.into_iter().map(told).collect()
}

/// What a claim will get and what may come between, or the main cause and what would make it hopeless.
fn message(
    state: &ClusterState,
    claim: Option<&Claim>,
    end: &ClaimForecast,
    rules: Rules,
    miss: fn(&ClusterState, &Claim, Rules) -> String,
) -> String {
    let main = || end.message.clone().unwrap_or_default();
    match end.verdict {
        Verdict::WillBind => format!("{}{}", will_bind(end), unless(end)),
        Verdict::WillProvision => format!("{}{}", will_provision(state, claim, rules), unless(end)),
        _ if is_hopeless(end) => {
            format!("{}; but no volume would fit then", main())
        }
        _ if end.causes.first() == Some(&Code::NoVolumeFits) => {
            let why = claim.map(|claim| {
                missing_label(state, claim).unwrap_or_else(|| miss(state, claim, rules))
            });
            format!("{}{}", main(), why.unwrap_or_default())
        }
        _ => main(),
    }
}

/// Whether it waits for a pod, and no volume fits whatever pod comes.
fn is_hopeless(end: &ClaimForecast) -> bool {
    end.verdict == Verdict::Waiting && end.causes.contains(&Code::NoVolumeFits)
}

fn will_bind(end: &ClaimForecast) -> String {
    match &end.outcomes[..] {
        names if names.len() > 3 => {
            let count = names.len() + end.outcomes_omitted;
            format!("will bind to one of {count} volumes")
        }
        names => format!("will bind to {}", join_or(names)),
    }
}

fn unless(end: &ClaimForecast) -> String {
    let rivals = end.competitors.len() + end.competitors_omitted;
    match (&end.competitors[..], end.may_stay_unbound) {
        ([], _) | (_, false) => String::new(),
        ([only], true) => format!(", unless {only} is first"),
        (_, true) => format!(", unless some of {rivals} other claims are first"),
    }
}

/// What surprises about a claim that will get a volume.
fn warning(end: &ClaimForecast) -> Option<Code> {
    end.causes.first().copied()
}

fn will_provision(state: &ClusterState, claim: Option<&Claim>, rules: Rules) -> String {
    let class = claim.and_then(|claim| {
        let own = state.find_class(claim.class.resolved());
        own.or_else(|| classes::find_default(state).filter(|_| classes::lacks_class(claim, rules)))
    });
    match class {
        Some(class) => format!("{} will make a volume", class.provisioner),
        None => "a volume will be made".to_owned(),
    }
}

/// A label that no volume has says more than that none fits.
fn missing_label(state: &ClusterState, claim: &Claim) -> Option<String> {
    let labels = offered_labels::unoffered(state, claim.selector.as_ref()?);
    let label = labels.first()?;
    Some(match label.hint() {
        Some(hint) => format!("; {}, {hint}", label.message()),
        None => format!("; {}", label.message()),
    })
}

/// The volume that lacks least, and what it lacks.
fn nearest_miss(state: &ClusterState, claim: &Claim, rules: Rules) -> String {
    let decision = decide_uncontended(state, claim, rules);
    let Some(nearest) = decision.volumes.first() else {
        return String::new();
    };
    let why: Vec<String> = nearest
        .reasons
        .iter()
        .map(|reason| format!("{}, {}", reason.code(), reason.message()))
        .collect();
    format!(" (nearest: {}: {})", nearest.volume.name, why.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::annotations;
    use crate::model::ClaimPhase;
    use crate::testing::{claim, class, state_with, volume};

    fn pending(claims: Vec<Claim>, volumes: Vec<crate::model::Volume>) -> Vec<PendingClaim> {
        let state = state_with(claims, volumes, |objects| {
            objects.classes = vec![class("later", "kubernetes.io/no-provisioner").delayed()];
        });
        list(
            &state,
            InventoryQuestion::default(),
            &mut Unknowns::default(),
        )
    }

    #[test]
    fn the_main_cause_comes_with_the_nearest_miss() {
        let listed = pending(
            vec![claim("c").requests("2Gi")],
            vec![volume("near"), volume("far").of_class("other")],
        );
        assert_eq!(listed[0].verdict, Verdict::Blocked);
        assert_eq!(listed[0].cause, Some(Code::NoVolumeFits));
        assert!(
            listed[0].message.contains("(nearest: near: TooSmall"),
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
        assert_eq!(listed[0].cause, Some(Code::Contended));
        assert!(
            listed[0]
                .message
                .starts_with("will bind to v, unless ns/d is first"),
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
            (Verdict::Waiting, Some(Code::NoConsumer))
        );
        assert!(
            listed[0].message.contains("; but no volume would fit then"),
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
        assert_eq!(told, [("lost", Verdict::Lost, Some(Code::VolumeLost))]);
    }
}
