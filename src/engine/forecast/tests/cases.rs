//! Cases that are easy to get wrong.

use super::generate::{Random, cluster, rules};
use super::orders::described;
use crate::conventions::annotations;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::engine::{Ask, Rules, explain_claim, forecast, forecast_for};
use crate::model::{Claim, ClaimPhase, ClusterState, LimitRange, LimitRangeItem, Volume};
use crate::report::{ClaimForecast, Code, Forecast, Settled, Verdict};
use crate::testing::{claim, class, state, state_with, volume};

const RWO: &str = "ReadWriteOnce";
const RWX: &str = "ReadWriteMany";

fn settled(state: &ClusterState) -> Forecast {
    forecast(state, Rules::V1_36)
}

fn told<'f>(forecast: &'f Forecast, name: &str) -> &'f ClaimForecast {
    let find = |claim: &&ClaimForecast| claim.name == name;
    forecast
        .claims
        .iter()
        .find(find)
        .expect("the claim of the test")
}

/// Claims and volumes of equal make, by the names that `spell` gives them.
fn many<T>(count: usize, prefix: &str, make: impl Fn(&str) -> T) -> Vec<T> {
    (0..count)
        .map(|place| make(&format!("{prefix}{place:03}")))
        .collect()
}

#[test]
fn two_claims_and_one_volume() {
    let both = settled(&state(vec![claim("a"), claim("b")], vec![volume("v")]));
    for (own, other) in [("a", "ns/b"), ("b", "ns/a")] {
        let claim = told(&both, own);
        assert_eq!(
            (claim.verdict, claim.causes.as_slice()),
            (Verdict::WillBind, &[Code::Contended][..])
        );
        assert_eq!(
            (claim.outcomes.as_slice(), claim.competitors.as_slice()),
            (&["v".to_owned()][..], &[other.to_owned()][..])
        );
        assert!(claim.may_stay_unbound && claim.exact && !claim.may_be_provisioned);
        assert_eq!(
            claim.message.as_deref(),
            Some(&*format!("{other} may take v first"))
        );
    }
    // Whoever is first: one is bound and one is not.
    let numbers = Settled {
        bound: 1,
        blocked: 1,
        ..Settled::default()
    };
    assert_eq!(both.settled, numbers);
    assert_eq!(both.groups[0].assignments.len(), 2);
    assert_eq!(both.contention[0].claims, ["ns/a", "ns/b"]);
}

#[test]
fn a_loser_moves_on_to_the_next_best() {
    let volumes = vec![
        volume("small"),
        volume("large").holds("9Gi"),
        volume("other").of_class("other"),
    ];
    let both = settled(&state(vec![claim("a"), claim("b")], volumes));
    for claim in &both.claims {
        assert_eq!(claim.outcomes, ["large", "small"]);
        assert!(!claim.may_stay_unbound);
    }
    assert_eq!(both.settled.bound, 2);
}

#[test]
fn claims_that_want_other_volumes_do_not_compete() {
    let volumes = vec![volume("small"), volume("large").holds("9Gi")];
    let apart = settled(&state(
        vec![claim("a"), claim("b").requests("5Gi")],
        volumes,
    ));
    assert_eq!(told(&apart, "a").outcomes, ["small"]);
    assert_eq!(told(&apart, "b").outcomes, ["large"]);
    assert!(apart.groups.is_empty() && apart.contention.is_empty());
}

#[test]
fn dozens_of_equal_claims_and_volumes_are_exact() {
    let many_of_both = settled(&state(many(60, "c", claim), many(40, "v", volume)));
    for claim in &many_of_both.claims {
        assert!(claim.exact && claim.may_stay_unbound && claim.outcomes.len() == 40);
        assert_eq!(claim.competitors.len() + claim.competitors_omitted, 59);
    }
    assert_eq!(
        (many_of_both.settled.bound, many_of_both.settled.blocked),
        (40, 20)
    );
    let group = &many_of_both.groups[0];
    assert!(group.exact && group.assignments.is_empty() && group.assignments_unlisted);
}

#[test]
fn many_different_claims_along_one_chain_are_exact_too() {
    let sized = |name: &str| name[1..].parse::<usize>().expect("a number");
    let claims = many(300, "c", |name| {
        claim(name).requests(&format!("{}Mi", 1 + sized(name) / 2))
    });
    let volumes = many(280, "v", |name| {
        volume(name).holds(&format!("{}Mi", 1 + sized(name)))
    });
    let along = settled(&state(claims, volumes));
    assert!(along.claims.iter().all(|claim| claim.exact));
    // 280 volumes for 300 claims, all of which reach the last one.
    assert_eq!(
        (
            along.settled.bound,
            along.settled.blocked,
            along.settled.undecided
        ),
        (280, 20, 0)
    );
    assert_eq!(told(&along, "c000").outcomes.len(), 280);
    assert_eq!(told(&along, "c299").outcomes.len(), 280 - 149);
}

#[test]
fn a_group_too_large_to_try_says_so_and_holds_the_truth() {
    // Sets of two modes of equal length and sizes of all kinds: no two claims alike, and no chain to sweep along.
    let sized = |name: &str| name[1..].parse::<usize>().expect("a number");
    let claims = many(40, "c", |name| {
        claim(name).requests(&format!("{}Mi", 1 + sized(name) / 2))
    });
    let volumes = many(30, "v", |name| {
        let modes: &[&str] = if sized(name) % 2 == 0 {
            &[RWO]
        } else {
            &[RWO, RWX]
        };
        volume(name)
            .holds(&format!("{}Mi", 1 + sized(name)))
            .offers(modes)
    });
    let large = settled(&state(claims, volumes));
    let claim = told(&large, "c000");
    assert!(!claim.exact && claim.may_stay_unbound);
    assert_eq!(claim.outcomes.len(), 30);
    assert!(!large.groups[0].exact && large.groups[0].assignments_unlisted);
    assert_eq!(large.settled.undecided, 40);
}

#[test]
fn a_claim_that_names_its_volume_competes_for_it() {
    let both = settled(&state(
        vec![claim("named").naming("v"), claim("free")],
        vec![volume("v")],
    ));
    assert!(told(&both, "named").may_stay_unbound && told(&both, "free").may_stay_unbound);
    assert_eq!(both.contention[0].claims, ["ns/free", "ns/named"]);
}

#[test]
fn a_lost_claim_whose_volume_is_back_competes_for_it() {
    let mut lost = claim("lost")
        .naming("v")
        .annotated(annotations::BIND_COMPLETED, "yes");
    lost.phase = ClaimPhase::Lost;
    let both = settled(&state(vec![lost, claim("free")], vec![volume("v")]));
    let lost = told(&both, "lost");
    assert_eq!(
        (lost.verdict, lost.may_stay_unbound),
        (Verdict::WillBind, true)
    );
    assert_eq!(told(&both, "free").competitors, ["ns/lost"]);
}

/// A volume the controller gave to `c`, which will be bound to another with fewer modes.
fn to_be_given_back() -> Volume {
    volume("back")
        .offers(&[RWO, RWX])
        .reserved_for("c", Some("uid-c"))
        .annotated(annotations::BOUND_BY_CONTROLLER, "yes")
}

#[test]
fn a_volume_is_given_back_when_its_claim_is_bound_elsewhere() {
    let other = claim("other").modes(&[RWX]);
    let told_of = |volumes: Vec<Volume>| settled(&state(vec![claim("c"), other.clone()], volumes));
    let given = told_of(vec![volume("better"), to_be_given_back()]);
    assert_eq!(told(&given, "c").outcomes, ["better"]);
    assert_eq!(told(&given, "other").outcomes, ["back"]);
    assert!(!told(&given, "other").may_stay_unbound);
    // Without a better one it is kept.
    let kept = told_of(vec![to_be_given_back()]);
    assert_eq!(told(&kept, "c").outcomes, ["back"]);
    assert!(told(&kept, "other").outcomes.is_empty());
}

#[test]
fn a_volume_may_be_made_before_one_comes_free() {
    let other = claim("other").modes(&[RWX]);
    let made = settled(&state_with(
        vec![claim("c"), other],
        vec![volume("better"), to_be_given_back()],
        |objects| {
            objects
                .classes
                .push(class("any", "kubernetes.io/host-path"));
        },
    ));
    let other = told(&made, "other");
    assert_eq!(
        (other.verdict, other.outcomes.as_slice()),
        (Verdict::WillBind, &["back".to_owned()][..])
    );
    assert!(other.may_be_provisioned && !other.may_stay_unbound);
}

#[test]
fn the_loser_has_a_volume_made_where_the_class_makes_some() {
    let both = settled(&state_with(
        vec![claim("a"), claim("b")],
        vec![volume("v")],
        |objects| {
            objects
                .classes
                .push(class("any", "kubernetes.io/host-path"));
        },
    ));
    assert!(
        both.claims
            .iter()
            .all(|claim| claim.may_be_provisioned && !claim.may_stay_unbound)
    );
    let numbers = Settled {
        bound: 1,
        provisioned: 1,
        ..Settled::default()
    };
    assert_eq!(both.settled, numbers);
}

#[test]
fn who_is_left_without_a_class_less_volume_is_given_the_default_class() {
    let claims = vec![claim("a").of_class(None), claim("b").of_class(None)];
    let volumes = vec![
        volume("plain").of_class(""),
        volume("classy").of_class("standard"),
    ];
    let both = settled(&state_with(claims, volumes, |objects| {
        objects
            .classes
            .push(class("standard", "x.example").default_since(1));
    }));
    assert_eq!(told(&both, "a").outcomes, ["classy", "plain"]);
    assert_eq!(both.groups[0].assignments.len(), 2);
}

#[test]
fn a_claim_that_is_refused_takes_a_volume_and_never_has_it() {
    let refused = claim("refused").requests("1Gi");
    let both = settled(&state_with(
        vec![refused, claim("free").requests("1Ki")],
        vec![volume("v")],
        |objects| {
            let max = [("storage".to_owned(), Quantity::from_bytes(1024))].into();
            let item = LimitRangeItem {
                max,
                ..LimitRangeItem::default()
            };
            objects.limit_ranges.push(LimitRange {
                key: ObjectKey::new("ns", "bounds"),
                claim_items: vec![item],
            });
        },
    ));
    let refused = told(&both, "refused");
    assert_eq!(
        (refused.verdict, refused.outcomes.len()),
        (Verdict::Blocked, 0)
    );
    assert_eq!(refused.causes[0], Code::LimitRangeViolated);
    let free = told(&both, "free");
    assert!(free.may_stay_unbound && free.causes.contains(&Code::Contended));
}

#[test]
fn only_what_is_asked_for_is_told_and_all_is_settled() {
    let mut elsewhere = claim("b");
    elsewhere.key.namespace = "other".to_owned();
    let state = state(vec![claim("a"), elsewhere], vec![volume("v")]);
    let ask = Ask {
        namespace: Some("ns".to_owned()),
        all: false,
    };
    let told = forecast_for(&state, Rules::V1_36, &ask);
    assert_eq!(told.claims.len(), 1);
    assert_eq!(told.claims[0].competitors, ["other/b"]);
    assert_eq!(told.groups[0].claims, ["ns/a", "other/b"]);
    // Half of a group: its numbers are not its own.
    assert_eq!(
        told.settled,
        Settled {
            undecided: 1,
            ..Settled::default()
        }
    );
}

#[test]
fn lists_that_are_too_long_for_everybody_are_cut_for_everybody() {
    let state = state(many(500, "c", claim), many(500, "v", volume));
    let cut = settled(&state);
    assert_eq!(
        (cut.claims[0].outcomes.len(), cut.claims[0].outcomes_omitted),
        (20, 480)
    );
    assert_eq!(
        (cut.groups[0].volumes.len(), cut.groups[0].volumes_omitted),
        (20, 480)
    );
    assert_eq!((cut.contention.len(), cut.contention_omitted), (20, 480));
    let ask = Ask {
        all: true,
        ..Ask::default()
    };
    let all = forecast_for(&state, Rules::V1_36, &ask);
    assert_eq!(
        (all.claims[0].outcomes.len(), all.contention.len()),
        (500, 500)
    );
}

/// The claim as `explain` sees it, in what both tell.
fn explained(
    state: &ClusterState,
    claim: &Claim,
    rules: Rules,
) -> (Verdict, Vec<String>, Vec<Code>) {
    let explanation = explain_claim(state, claim, rules);
    let codes = explanation
        .causes
        .iter()
        .map(|cause| cause.cause.code())
        // A note about a volume that the default class passes by; a forecast does not look at such.
        .filter(|code| *code != Code::DefaultClassApplied)
        .collect();
    (explanation.verdict, explanation.outcomes, codes)
}

#[test]
fn a_claim_that_nobody_competes_with_ends_as_explain_says() {
    let mut compared = 0;
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let rules = rules(&mut random);
        let state = cluster(&mut random);
        for told in forecast(&state, rules).claims {
            let key = ObjectKey::new(&*told.namespace, &*told.name);
            let claim = state.find_claim(&key).expect("a claim of the state");
            let (verdict, outcomes, codes) = explained(&state, claim, rules);
            let context = || {
                format!(
                    "seed {seed}: {told:?}, explained {verdict:?} {outcomes:?} {codes:?}\n{}",
                    described(&state)
                )
            };
            if told.competitors.is_empty() {
                compared += 1;
                // What another claim gives back is nothing that explain looks for.
                let may_come_free = told.verdict == Verdict::WillBind && outcomes.is_empty();
                assert!(
                    may_come_free
                        || (told.verdict, &told.outcomes, &told.causes)
                            == (verdict, &outcomes, &codes),
                    "{}",
                    context()
                );
            } else {
                assert!(
                    outcomes.iter().all(|volume| told.outcomes.contains(volume)),
                    "{}",
                    context()
                );
            }
        }
    }
    assert!(compared > 2000, "{compared}");
}
