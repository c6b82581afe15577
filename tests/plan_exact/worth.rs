//! The random clusters are worth asking about: orders and choices matter in them, and in enough of
//! them each rule that makes them matter. A forecast that ignores one such rule is caught.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::compare::differences;
use super::forecast::Forecast;
use super::oracle::{End, Explored, Happening, Neglect, Oracle};
use super::{CLUSTERS, small, world, yaml};
use crate::random::Random;
use crate::sample;

/// How many of the clusters must be so, at least.
const LEAST: &[(&str, usize)] = &[
    ("several assignments", 5_000),
    ("ten assignments or more", 700),
    ("hundred assignments or more", 10),
    ("claim that may stay unbound, or not", 3_000),
    ("claim that may be provisioned, or not", 500),
    ("volume given back on the way", 1_000),
    ("default class on the way", 2_000),
];

/// A forecast that ignores a rule is made of every so many clusters.
const EVERY: usize = 4;

/// In how many of these it must be wrong, at least.
const LEAST_CAUGHT: &[(Neglect, usize)] = &[
    (Neglect::Order, 900),
    (Neglect::EqualSizes, 250),
    (Neglect::EqualGroups, 45),
    (Neglect::ManyReservations, 30),
    (Neglect::DefaultClass, 300),
    (Neglect::SyncsBetween, 2),
    (Neglect::GivingBack, 50),
];

/// Clusters in which all of the above is met, for a run that does not try all of them; a full run finds others.
const WITNESSES: &[usize] = &[1, 3, 4, 7, 8, 20, 96, 144, 191, 200, 344, 704];

#[test]
fn the_clusters_are_worth_asking_about() {
    let mut met = BTreeMap::<&str, usize>::new();
    let mut caught = BTreeMap::<String, usize>::new();
    for number in sample::numbers_or(CLUSTERS, WITNESSES) {
        let objects = world(number, &small());
        let oracle = Oracle::new(&objects);
        let explored = oracle.explore();
        for trait_ in traits(&explored) {
            *met.entry(trait_).or_default() += 1;
        }
        if !number.is_multiple_of(EVERY) {
            continue;
        }
        for (neglect, _) in LEAST_CAUGHT {
            let neglected = oracle.explore_without(*neglect);
            if neglected.set() != explored.set() {
                *caught.entry(format!("{neglect:?}")).or_default() += 1;
            }
        }
    }
    println!("{met:#?}\nwrong without: {caught:#?}");
    for (trait_, least) in LEAST {
        let number = met.get(trait_).copied().unwrap_or(0);
        assert!(
            number >= sample::rounds(*least, 1),
            "only {number} with {trait_}"
        );
    }
    for (neglect, least) in LEAST_CAUGHT {
        let number = caught.get(&format!("{neglect:?}")).copied().unwrap_or(0);
        assert!(
            number >= sample::rounds(*least, 1),
            "only {number} where {neglect:?} matters"
        );
    }
}

fn traits(explored: &Explored) -> Vec<&'static str> {
    let number = explored.endings.len();
    let claims = explored.endings.keys().next().map_or(0, Vec::len);
    let may_but_need_not = |end: &End| {
        let number_with = |place: usize| {
            let endings = explored.endings.keys();
            endings.filter(|ending| ending[place] == *end).count()
        };
        (0..claims).any(|place| (1..number).contains(&number_with(place)))
    };
    [
        (number > 1, "several assignments"),
        (number >= 10, "ten assignments or more"),
        (number >= 100, "hundred assignments or more"),
        (
            may_but_need_not(&End::Nothing),
            "claim that may stay unbound, or not",
        ),
        (
            may_but_need_not(&End::New),
            "claim that may be provisioned, or not",
        ),
        (
            explored.happens(Happening::GivenBack),
            "volume given back on the way",
        ),
        (
            explored.happens(Happening::Classed),
            "default class on the way",
        ),
    ]
    .into_iter()
    .filter_map(|(is_so, trait_)| is_so.then_some(trait_))
    .collect()
}

/// The two ways of trying orders know of the same ones.
#[test]
fn what_comes_of_chance_is_among_what_may_come() {
    let mut random = Random::new(1);
    for number in sample::numbers(CLUSTERS / 20, 100) {
        let objects = world(number, &small());
        let oracle = Oracle::new(&objects);
        let explored = oracle.explore();
        for _ in 0..10 {
            let ending = oracle.play(&mut random);
            assert!(explored.endings.contains_key(&ending), "{}", yaml(&objects));
        }
    }
}

#[test]
fn the_judge_accepts_what_is_exact_and_nothing_else() {
    let mut complaints = BTreeMap::<String, usize>::new();
    for number in sample::numbers(CLUSTERS / 20, 100) {
        let objects = world(number, &small());
        let oracle = Oracle::new(&objects);
        let explored = oracle.explore();
        let exact = Forecast::read(&told(&oracle, &explored));
        assert_eq!(
            differences(&oracle, &explored, &exact),
            [""; 0],
            "{objects:#?}"
        );
        for (neglect, _) in LEAST_CAUGHT {
            let neglected = oracle.explore_without(*neglect);
            let inexact = Forecast::read(&told(&oracle, &neglected));
            let found = !differences(&oracle, &explored, &inexact).is_empty();
            assert_eq!(
                found,
                neglected.set() != explored.set(),
                "{neglect:?} {objects:#?}"
            );
            *complaints.entry(format!("{neglect:?}")).or_default() += usize::from(found);
        }
    }
    println!("the judge complained: {complaints:?}");
    assert!(
        complaints.values().sum::<usize>() > sample::rounds(300, 0),
        "{complaints:?}"
    );
}

/// A forecast made of what the oracle knows, with all claims in one group.
fn told(oracle: &Oracle, explored: &Explored) -> Value {
    let keys: Vec<&str> = oracle.claims().collect();
    let endings = || explored.endings.keys();
    let claims = keys.iter().enumerate().map(|(place, key)| {
        let ends = || endings().map(|ending| &ending[place]);
        let outcomes: std::collections::BTreeSet<&String> = ends().filter_map(name).collect();
        let (namespace, name) = key.split_once('/').expect("a namespace");
        let verdict = if ends().all(|end| matches!(end, End::Volume(_))) {
            "WillBind"
        } else if ends().all(|end| *end == End::New) {
            "WillProvision"
        } else {
            "Blocked"
        };
        json!({
            "namespace": namespace, "name": name, "verdict": verdict, "outcomes": outcomes,
            "mayStayUnbound": ends().any(|end| *end == End::Nothing),
        })
    });
    let mut takers = BTreeMap::<&str, std::collections::BTreeSet<&str>>::new();
    for ending in endings() {
        for (key, volume) in keys.iter().zip(ending.iter().map(name)) {
            takers
                .entry(volume.map_or("", |name| name))
                .or_default()
                .insert(key);
        }
    }
    takers.remove("");
    let contention = takers
        .iter()
        .map(|(volume, claims)| json!({ "volume": volume, "claims": claims }));
    let assignments: std::collections::BTreeSet<Vec<Option<&String>>> = endings()
        .map(|ending| ending.iter().map(name).collect())
        .collect();
    let assignments = assignments.into_iter().map(|volumes| {
        let pairs = keys.iter().zip(volumes);
        let pairs = pairs.map(|(key, volume)| ((*key).to_owned(), json!(volume)));
        Value::Object(pairs.collect())
    });
    json!({
        "kind": "Forecast",
        "claims": claims.collect::<Vec<_>>(),
        "contention": contention.collect::<Vec<_>>(),
        "groups": [{
            "claims": keys, "volumes": takers.keys().collect::<Vec<_>>(), "exact": true,
            "assignments": assignments.collect::<Vec<_>>(),
        }],
    })
}

fn name(end: &End) -> Option<&String> {
    match end {
        End::Volume(name) => Some(name),
        End::New | End::Nothing => None,
    }
}
