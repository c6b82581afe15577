//! The forecast of the library, and of the program, against the oracle.

use std::collections::BTreeSet;

use kubectl_pv::engine::{Rules, forecast};
use kubectl_pv::load::read_text;
use serde_json::{Value, json};

use super::compare::{differences, refusals};
use super::draw::Manner;
use super::forecast::Forecast;
use super::oracle::{End, Oracle};
use super::{CLUSTERS, manner, small, world, yaml};
use crate::random::Random;
use crate::sample;
use crate::support::kubectl_pv;

/// Clusters just small enough for all orders.
const MIDDLING_CLUSTERS: usize = 300;
/// Clusters too large for all orders, and how many orders are tried by chance in each.
const LARGE_CLUSTERS: usize = 300;
const ORDERS: usize = 200;
/// The same for clusters in which not everything can be settled.
const HUGE_CLUSTERS: usize = 5;
const HUGE_ORDERS: usize = 30;
/// Clusters in which everything that is allowed is to be reached, by so many orders at most.
const REACHED_CLUSTERS: usize = 100;
const MOST_ORDERS: usize = 50_000;
/// Clusters that the program is asked about, too.
const ASKED: usize = 12;
/// Of many disagreements a few are shown.
const SHOWN: usize = 3;

#[test]
fn plan_allows_precisely_what_some_order_leads_to() {
    let mut wrong = 0;
    for number in sample::numbers(CLUSTERS, 1_000) {
        let objects = world(number, &small());
        let oracle = Oracle::new(&objects);
        let explored = oracle.explore();
        let said = predict(&objects);
        let found = differences(&oracle, &explored, &Forecast::read(&said));
        if !found.is_empty() {
            wrong += 1;
            show(wrong, number, &objects, &found);
        }
    }
    assert_eq!(wrong, 0, "see above");
}

/// Where the assignments are too many to be listed, what each claim may end with is exact all the
/// same, unless it says otherwise.
#[test]
fn plan_is_exact_in_clusters_of_middling_size() {
    let mut wrong = 0;
    let mut unlisted = 0;
    for number in sample::numbers(MIDDLING_CLUSTERS, 30) {
        let objects = world(number, &manner((6, 7), (6, 8)));
        let oracle = Oracle::new(&objects);
        let explored = oracle.explore();
        let said = Forecast::read(&predict(&objects));
        unlisted += said
            .groups
            .iter()
            .filter(|group| !group.is_complete())
            .count();
        let found = differences(&oracle, &explored, &said);
        if !found.is_empty() {
            wrong += 1;
            show(wrong, number, &objects, &found);
        }
    }
    println!("middling clusters: {unlisted} groups not listed in full");
    assert_eq!(wrong, 0, "see above");
}

#[test]
fn in_larger_clusters_every_order_is_allowed() {
    assert_all_allowed(
        "larger",
        &large(),
        &sample::numbers(LARGE_CLUSTERS, 60),
        ORDERS,
    );
}

/// Here not everything can be settled any more; what is said to be inexact still contains the truth.
#[test]
fn in_huge_clusters_every_order_is_allowed() {
    let huge = manner((30, 40), (30, 60));
    let clusters: Vec<usize> = (0..HUGE_CLUSTERS).collect();
    let inexact = assert_all_allowed("huge", &huge, &clusters, HUGE_ORDERS);
    assert!(inexact > 0, "nothing was too large to be exact");
}

/// Every order tried is allowed. Answers with the number of clusters that are not exact.
fn assert_all_allowed(name: &str, manner: &Manner, clusters: &[usize], orders: usize) -> usize {
    let mut wrong = 0;
    let mut inexact = 0;
    for &number in clusters {
        let objects = world(number, manner);
        let oracle = Oracle::new(&objects);
        let said = Forecast::read(&predict(&objects));
        inexact += usize::from(said.claims.values().any(|claim| !claim.exact));
        let mut random = random_of(number);
        let refused = (0..orders)
            .map(|_| refusals(&oracle, &oracle.play(&mut random), &said))
            .find(|refused| !refused.is_empty());
        if let Some(refused) = refused {
            wrong += 1;
            show(wrong, number, &objects, &refused);
        }
    }
    let clusters = clusters.len();
    println!("{clusters} {name} clusters, {inexact} of them with claims that are not exact");
    assert_eq!(wrong, 0, "of {clusters} {name} clusters, see above");
    inexact
}

/// What is called exact there is reached by some order, though it may take many to find one.
#[test]
fn in_larger_clusters_what_is_allowed_is_reached() {
    let mut tried = 0;
    for number in sample::numbers(REACHED_CLUSTERS, 20) {
        let objects = world(number, &large());
        let oracle = Oracle::new(&objects);
        let said = Forecast::read(&predict(&objects));
        let mut random = random_of(number);
        let mut left = promises(&oracle, &said);
        for _ in 0..MOST_ORDERS {
            if left.is_empty() {
                break;
            }
            tried += 1;
            for end in oracle.claims().zip(oracle.play(&mut random)) {
                left.remove(&end);
            }
        }
        assert!(left.is_empty(), "not reached: {left:?}\n{}", yaml(&objects));
    }
    println!("larger clusters: everything was reached by {tried} orders");
}

/// Everything that claims are exactly said to end with.
fn promises<'a>(oracle: &'a Oracle, said: &Forecast) -> BTreeSet<(&'a str, End)> {
    let mut promises = BTreeSet::new();
    for key in oracle.claims() {
        let claim = &said.claims[key];
        if claim.exact {
            let outcomes = claim.outcomes.iter().cloned();
            promises.extend(outcomes.map(|volume| (key, End::Volume(volume))));
            promises.extend(claim.may_stay_unbound.then_some((key, End::Nothing)));
        }
    }
    promises
}

fn random_of(number: usize) -> Random {
    Random::new(u64::try_from(number).expect("a small number"))
}

#[test]
fn the_program_says_what_the_library_says() {
    for number in 0..ASKED {
        let objects = world(number, &small());
        let question = ["plan", "-A", "-f", "-", "-o", "json"];
        let said = kubectl_pv(&question).stdin(&list(&objects)).json();
        let predicted = predict(&objects);
        for part in ["kind", "claims", "groups", "contention", "settled"] {
            assert_eq!(said[part], predicted[part], "{part} of\n{}", yaml(&objects));
        }
    }
}

/// Up to fourteen claims and twenty volumes: so many orders that only some can be tried.
fn large() -> Manner {
    manner((8, 14), (10, 20))
}

fn predict(objects: &[Value]) -> Value {
    let loaded = read_text(&list(objects), "default").expect("objects that can be read");
    let forecast = forecast(&loaded.state, Rules::V1_36);
    serde_json::to_value(forecast).expect("a forecast can be written")
}

fn list(objects: &[Value]) -> String {
    json!({ "apiVersion": "v1", "kind": "List", "items": objects }).to_string()
}

fn show(place: usize, number: usize, objects: &[Value], found: &[String]) {
    if place <= SHOWN {
        println!(
            "CLUSTER {number}\n{}\n  {}\n",
            yaml(objects),
            found.join("\n  ")
        );
    }
}
