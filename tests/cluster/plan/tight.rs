//! The sets are tight: the same small clusters, twenty times over, are really decided now this way
//! and now that way, and every way was forecast.

use std::collections::BTreeSet;

use kube::Client;
use serde_json::Value;

use super::copies::Copy;
use super::running::{ATTEMPTS, Calm, ask_with};
use super::say;
use crate::cluster::control_plane::{ControlPlane, runtime};
use crate::cluster::objects::{create_all, delete_all, list};
use crate::plan_exact::draw::WORLD;
use crate::plan_exact::forecast::{Choice, Forecast};

/// If each way is as likely as not, all copies go the same way once in half a million times.
const COPIES: usize = 20;
const NAMESPACE: &str = "plan-tight";

/// Claims and volumes with their sizes, and everything that may come of them, in the order of the
/// claims.
struct Scenario {
    name: &'static str,
    claims: &'static [(&'static str, &'static str)],
    volumes: &'static [(&'static str, &'static str)],
    allowed: &'static [&'static str],
}

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "one-for-two",
        claims: &[("a", "1Gi"), ("b", "1Gi")],
        volumes: &[("v", "1Gi")],
        allowed: &["- v", "v -"],
    },
    Scenario {
        // Whoever comes first gets the smaller one.
        name: "small-and-large",
        claims: &[("a", "1Gi"), ("b", "2Gi")],
        volumes: &[("v", "2Gi"), ("w", "3Gi")],
        allowed: &["v w", "w v"],
    },
    Scenario {
        name: "equal",
        claims: &[("a", "1Gi"), ("b", "1Gi")],
        volumes: &[("v", "1Gi"), ("w", "1024Mi"), ("x", "2Gi")],
        allowed: &["v w", "w v"],
    },
    Scenario {
        // The large claim fits one volume only; the small ones may take it away.
        name: "three",
        claims: &[("a", "1Gi"), ("b", "1Gi"), ("c", "2Gi")],
        volumes: &[("v", "1Gi"), ("w", "2Gi")],
        allowed: &["- v w", "v - w", "v w -", "w v -"],
    },
];

#[test]
#[ignore = "needs a control plane: tests/run"]
fn reality_makes_use_of_what_is_allowed() {
    let plane = ControlPlane::connect();
    plane.namespace(NAMESPACE);
    runtime().block_on(async {
        let client = plane.client().await;
        for attempt in 0..ATTEMPTS {
            if let Some(seen) = run(&plane, &client, attempt).await {
                let open = seen.iter().filter(|ways| ways.len() >= 2).count();
                assert!(open >= 1, "all copies went the same way: {seen:?}");
                return;
            }
        }
        panic!("this machine is too slow to add volumes between two looks");
    });
}

/// For each scenario the ways that its copies really went; nothing if the volumes came too late.
async fn run(plane: &ControlPlane, client: &Client, attempt: u32) -> Option<Vec<BTreeSet<String>>> {
    create_all(
        client,
        gather(|scenario, copy| objects(scenario.claims, |name, size| copy.claim(name, size))),
    )
    .await;
    let calm = Calm::start(plane, attempt);
    calm.let_claims_wait(client).await;
    let volumes =
        gather(|scenario, copy| objects(scenario.volumes, |name, size| copy.volume(name, size)));
    let forecast = Forecast::read(&ask_with(plane, &volumes, &[]));
    let was_in_time = calm.add(client, volumes).await;
    calm.let_it_work(client).await;
    let claims = list(client, "v1", "PersistentVolumeClaim", Some(NAMESPACE)).await;
    let seen = SCENARIOS.iter().map(|scenario| {
        let ways = copies(scenario).map(|copy| {
            let allowed = allowed(scenario, &copy, &forecast);
            assert_eq!(allowed, scenario.allowed, "{}", scenario.name);
            let way = scenario
                .claims
                .iter()
                .map(|(claim, _)| copy.real(&claims, claim));
            way.collect::<Vec<_>>().join(" ")
        });
        let ways: Vec<String> = ways.collect();
        say(&format!(
            "{}: allowed {:?}, really {ways:?}",
            scenario.name, scenario.allowed
        ));
        if was_in_time {
            assert!(
                ways.iter()
                    .all(|way| scenario.allowed.contains(&way.as_str())),
                "{ways:?}"
            );
        }
        ways.into_iter().collect()
    });
    let seen = seen.collect();
    delete_all(client, "v1", "PersistentVolumeClaim", WORLD).await;
    calm.let_claims_wait(client).await;
    delete_all(client, "v1", "PersistentVolume", WORLD).await;
    calm.let_claims_wait(client).await;
    was_in_time.then_some(seen)
}

/// What the forecast allows the claims of a copy, in the words of the scenario.
fn allowed(scenario: &Scenario, copy: &Copy, forecast: &Forecast) -> Vec<String> {
    let first = copy.claim_key(scenario.claims[0].0);
    let group = forecast.group_of(&first).expect("they compete");
    assert!(group.is_complete());
    let places = scenario.claims.iter().map(|(claim, _)| {
        let key = copy.claim_key(claim);
        let place = group.claims.iter().position(|member| *member == key);
        place.expect("they compete with each other")
    });
    let places: Vec<usize> = places.collect();
    let way = |volumes: &Vec<Choice>| {
        let word = |place: &usize| {
            volumes[*place]
                .as_ref()
                .map_or("-".to_owned(), |name| copy.part_of(name))
        };
        places.iter().map(word).collect::<Vec<_>>().join(" ")
    };
    let mut ways: Vec<String> = group.assignments.iter().map(way).collect();
    ways.sort();
    ways
}

fn copies(scenario: &Scenario) -> impl Iterator<Item = Copy> {
    (0..COPIES).map(|number| Copy::new(NAMESPACE, scenario.name, number))
}

fn gather(one: impl Fn(&Scenario, &Copy) -> Vec<Value>) -> Vec<Value> {
    let all = SCENARIOS.iter().flat_map(|scenario| {
        let one = &one;
        copies(scenario).flat_map(move |copy| one(scenario, &copy))
    });
    all.collect()
}

fn objects(parts: &[(&str, &str)], one: impl Fn(&str, &str) -> Value) -> Vec<Value> {
    parts.iter().map(|(name, size)| one(name, size)).collect()
}
