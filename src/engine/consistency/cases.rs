//! Contradictions that were found, each as small as it can be.

use super::generate::{node, on, pod_with};
use super::relations::Answers;
use crate::conventions::annotations;
use crate::engine::{Rules, explain_claim, explain_pod, explain_volume, forecast};
use crate::model::{Claim, ClaimPhase, ClusterState, Pod, Volume};
use crate::report::{ClaimCause, ClaimForecast, Explanation, PodVerdict, TakerResult, Verdict};
use crate::testing::{claim, class, state, state_with, volume};

const STATIC: &str = "kubernetes.io/no-provisioner";

/// Claims of a class that waits for pods, on two nodes.
fn with_pods(claims: Vec<Claim>, volumes: Vec<Volume>, pods: Vec<Pod>) -> ClusterState {
    state_with(claims, volumes, |objects| {
        objects.classes.push(class("any", STATIC).delayed());
        objects.nodes = vec![node("n1"), node("n2")];
        objects.pods = pods;
    })
}

fn explained(state: &ClusterState, name: &str) -> Explanation {
    let mut claims = state.claims().iter();
    let claim = claims.find(|claim| claim.key.name == name);
    explain_claim(state, claim.expect("a claim of the state"), Rules::V1_36)
}

fn planned(state: &ClusterState, name: &str) -> ClaimForecast {
    let mut claims = forecast(state, Rules::V1_36).claims.into_iter();
    claims
        .find(|claim| claim.name == name)
        .expect("an unbound claim of the state")
}

fn competitors(explained: &Explanation) -> Vec<String> {
    let contended = explained
        .causes
        .iter()
        .find_map(|cause| match &cause.cause {
            ClaimCause::Contended { claims, .. } => Some(claims),
            _ => None,
        });
    contended
        .into_iter()
        .flatten()
        .map(|claim| claim.name.clone())
        .collect()
}

fn assert_consistent(state: &ClusterState) {
    let found = Answers::ask(state, Rules::V1_36).contradictions();
    let found: Vec<String> = found
        .iter()
        .map(|one| format!("{}: {}", one.relation, one.text))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// `gold` is the only one that fits `a`. Of `b` and `c` one is bound to `small`, and the other then takes `gold`.
fn two_steps_away() -> (Vec<Claim>, Vec<Volume>) {
    let claims = vec![claim("a").selecting("tier=gold"), claim("b"), claim("c")];
    let gold = volume("gold").holds("3Gi").labelled("tier", "gold");
    (claims, vec![gold, volume("small")])
}

#[test]
fn a_competitor_two_steps_away_is_named() {
    let (claims, volumes) = two_steps_away();
    let state = state(claims, volumes);
    assert_eq!(competitors(&explained(&state, "a")), ["b", "c"]);
    assert_consistent(&state);
}

#[test]
fn a_competitor_two_steps_away_is_named_where_pods_decide() {
    let (claims, volumes) = two_steps_away();
    let pods = ["a", "b", "c"].map(|name| pod_with(name, &[name]));
    let state = with_pods(claims, volumes, pods.into());
    assert_eq!(competitors(&explained(&state, "a")), ["b", "c"]);
    assert_consistent(&state);
}

#[test]
fn a_reserved_volume_is_planned_for_a_claim_of_two_pods() {
    let reserved = volume("reserved").holds("9Gi").reserved_for("a", None);
    let other_class = reserved.clone().of_class("other");
    for reserved in [reserved, other_class] {
        let state = with_pods(
            vec![claim("a"), claim("b")],
            vec![reserved, volume("small")],
            vec![
                pod_with("one", &["a"]),
                pod_with("two", &["a"]),
                pod_with("three", &["b"]),
            ],
        );
        assert_eq!(planned(&state, "a").outcomes, ["reserved"]);
        assert_eq!(planned(&state, "b").outcomes, ["small"]);
        assert_consistent(&state);
    }
}

#[test]
fn a_claim_that_names_its_volume_competes_with_pods() {
    // Only the pod of `a` can take `v`, unless the controller binds `names` first.
    let state = with_pods(
        vec![claim("a"), claim("names").naming("v")],
        vec![volume("v")],
        vec![pod_with("one", &["a"])],
    );
    for (name, other) in [("a", "names"), ("names", "a")] {
        assert_eq!(competitors(&explained(&state, name)), [other]);
        let planned = planned(&state, name);
        assert_eq!(planned.competitors, [format!("ns/{other}")]);
        assert!(planned.exact && planned.may_stay_unbound, "{planned:?}");
    }
    let settled = forecast(&state, Rules::V1_36).settled;
    assert_eq!(
        (settled.bound, settled.blocked, settled.undecided),
        (1, 1, 0)
    );
    assert_consistent(&state);
}

#[test]
fn no_competitor_for_a_volume_that_is_never_taken() {
    // `names` takes the large volume, which the pod's claim never needs.
    let state = with_pods(
        vec![claim("a"), claim("names").naming("large")],
        vec![volume("large").holds("9Gi"), volume("small")],
        vec![pod_with("one", &["a"])],
    );
    let planned = planned(&state, "a");
    assert!(
        planned.exact && planned.competitors.is_empty(),
        "{planned:?}"
    );
    assert_eq!(planned.outcomes, ["small"]);
    assert_consistent(&state);
}

#[test]
fn the_only_outcome_with_a_pod_would_be_taken() {
    let state = with_pods(
        vec![claim("a"), claim("no-pod")],
        vec![volume("large").holds("9Gi"), volume("small")],
        vec![pod_with("one", &["a"])],
    );
    let results = |volume: usize| -> Vec<TakerResult> {
        let told = explain_volume(&state, &state.volumes()[volume], Rules::V1_36);
        told.claims.iter().map(|taker| taker.result).collect()
    };
    assert_eq!(results(0), [TakerResult::CouldTake, TakerResult::CouldTake]);
    assert_eq!(results(1), [TakerResult::WouldTake, TakerResult::CouldTake]);
    assert_consistent(&state);
}

#[test]
fn whichever_pod_is_first_decides_what_a_claim_gets() {
    // With `both` the claim `a` is served after the smaller one; with `alone` it is served at once.
    let state = with_pods(
        vec![claim("a").requests("2Gi"), claim("smaller")],
        vec![volume("v2").holds("2Gi"), volume("v3").holds("3Gi")],
        vec![
            pod_with("both", &["a", "smaller"]),
            pod_with("alone", &["a"]),
        ],
    );
    assert_eq!(explained(&state, "a").outcomes, ["v2", "v3"]);
    assert_consistent(&state);
}

#[test]
fn a_claim_that_takes_its_volume_back_may_come_too_late() {
    let mut lost = claim("lost")
        .naming("v")
        .annotated(annotations::BIND_COMPLETED, "yes");
    lost.phase = ClaimPhase::Lost;
    let state = state(vec![lost, claim("other")], vec![volume("v")]);
    assert_eq!(competitors(&explained(&state, "lost")), ["other"]);
    assert_consistent(&state);
}

#[test]
fn a_pod_never_finds_a_claim_that_the_server_refuses() {
    let refused = claim("a").not_there_yet().modes(&[]);
    let state = with_pods(
        vec![refused],
        vec![volume("v")],
        vec![pod_with("one", &["a"])],
    );
    assert_eq!(explained(&state, "a").verdict, Verdict::Rejected);
    let mut explainer = crate::engine::Explainer::new(&state, Rules::V1_36);
    let pod = explain_pod(&mut explainer, &state.objects().pods[0], None);
    assert_eq!(pod.verdict, PodVerdict::Unschedulable);
    assert_consistent(&state);
}

#[test]
fn a_claim_that_is_never_bound_stays_blocked_in_the_plan() {
    // The scheduler takes the reserved volume although it lacks an access mode, and the controller then waits for ever.
    let state = with_pods(
        vec![claim("a").modes(&["ReadOnlyMany"])],
        vec![volume("v").reserved_for("a", Some("uid-a"))],
        vec![pod_with("one", &["a"]), pod_with("two", &["a"])],
    );
    assert_eq!(planned(&state, "a").verdict, Verdict::Blocked);
    assert_consistent(&state);
}

#[test]
fn a_volume_that_no_node_can_use_fits_no_claim() {
    let state = with_pods(vec![claim("a")], vec![on("n9", volume("v"))], vec![]);
    let explained = explained(&state, "a");
    assert_eq!(explained.volumes[0].result, crate::report::Result::Rejected);
    assert_consistent(&state);
}
