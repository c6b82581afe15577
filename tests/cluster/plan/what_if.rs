//! `plan --with new-pv.yaml --diff` names the claims for which the new volume really makes a
//! difference, no more and no fewer. Every small cluster exists in several copies that get the new
//! volume and in as many that do not; what the controller does to them is compared.

use std::collections::{BTreeMap, BTreeSet};

use kube::Client;
use serde_json::{Value, json};

use super::copies::Copy;
use super::running::ask_with;
use super::{LIMIT, say};
use crate::cluster::control_plane::{ControlPlane, QUIET_TWICE, runtime};
use crate::cluster::objects::{create_all, delete_all, list, settle, update_status};
use crate::plan_exact::draw::WORLD;
use crate::sample;

/// Competitors are served by chance; in so many copies everybody is the first somewhere.
const NAMESPACE: &str = "plan-what-if";

/// When the new volume comes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comes {
    /// To a running controller that has done everything it could.
    Later,
    /// Before the controller has seen the claims.
    First,
}

/// A small cluster, the volume that is added to it, and the claims that will notice.
struct Scenario {
    name: &'static str,
    comes: Comes,
    claims: fn(&Copy) -> Vec<Value>,
    volumes: fn(&Copy) -> Vec<Value>,
    new: fn(&Copy) -> Value,
    noticed_by: &'static [&'static str],
}

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "blocked",
        comes: Comes::Later,
        claims: |copy| vec![copy.claim("a", "1Gi"), copy.claim("b", "5Gi")],
        volumes: |copy| vec![copy.volume("v", "512Mi")],
        new: |copy| copy.volume("new", "2Gi"),
        noticed_by: &["a"],
    },
    Scenario {
        name: "contended",
        comes: Comes::Later,
        claims: |copy| vec![copy.claim("a", "1Gi"), copy.claim("b", "2Gi")],
        volumes: |_| vec![],
        new: |copy| copy.volume("new", "2Gi"),
        noticed_by: &["a", "b"],
    },
    Scenario {
        name: "useless",
        comes: Comes::Later,
        claims: |copy| vec![copy.claim("a", "1Gi"), copy.claim("b", "2Gi")],
        volumes: |copy| vec![copy.volume("v", "1Gi")],
        new: |copy| copy.volume("new", "1G"),
        noticed_by: &[],
    },
    Scenario {
        name: "reserved",
        comes: Comes::Later,
        claims: |copy| vec![copy.claim("a", "1Gi"), copy.claim("b", "1Gi")],
        volumes: |_| vec![],
        new: |copy| reserved(copy.volume("new", "1Gi"), copy, "b"),
        noticed_by: &["b"],
    },
    Scenario {
        name: "named",
        comes: Comes::Later,
        claims: |copy| vec![copy.claim("a", "1Gi"), naming(copy.claim("b", "1Gi"), copy)],
        volumes: |_| vec![],
        new: |copy| copy.volume("new", "1Gi"),
        noticed_by: &["a", "b"],
    },
    Scenario {
        name: "lost",
        comes: Comes::Later,
        claims: |copy| {
            let mut lost = naming(copy.claim("a", "1Gi"), copy);
            lost["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] = json!("yes");
            vec![lost]
        },
        volumes: |_| vec![],
        new: |copy| copy.volume("new", "1G"),
        noticed_by: &["a"],
    },
    Scenario {
        name: "better",
        comes: Comes::First,
        claims: |copy| vec![copy.claim("a", "1Gi")],
        volumes: |copy| vec![copy.volume("v", "3Gi")],
        new: |copy| copy.volume("new", "2Gi"),
        noticed_by: &["a"],
    },
    Scenario {
        name: "worse",
        comes: Comes::First,
        claims: |copy| vec![copy.claim("a", "1Gi")],
        volumes: |copy| vec![copy.volume("v", "1Gi")],
        new: |copy| copy.volume("new", "2Gi"),
        noticed_by: &[],
    },
    Scenario {
        // `a` is content with the new one, and so `b` is sure to get the other.
        name: "out-of-the-way",
        comes: Comes::First,
        claims: |copy| vec![copy.claim("a", "1Gi"), copy.claim("b", "2Gi")],
        volumes: |copy| vec![copy.volume("v", "2Gi")],
        new: |copy| copy.volume("new", "1Gi"),
        noticed_by: &["a", "b"],
    },
];

fn reserved(mut volume: Value, copy: &Copy, claim: &str) -> Value {
    volume["spec"]["claimRef"] = json!({ "namespace": NAMESPACE, "name": copy.name(claim) });
    volume
}

fn naming(mut claim: Value, copy: &Copy) -> Value {
    claim["spec"]["volumeName"] = json!(copy.name("new"));
    claim
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_what_if_names_the_claims_that_really_change() {
    let plane = ControlPlane::connect();
    plane.namespace(NAMESPACE);
    runtime().block_on(async {
        let client = plane.client().await;
        for comes in [Comes::Later, Comes::First] {
            let controller = plane.start_controller();
            create_all(
                &client,
                gather(comes, |scenario, copy| (scenario.volumes)(copy)),
            )
            .await;
            settle(&client, QUIET_TWICE, LIMIT).await;
            let controller = (comes == Comes::Later).then_some(controller);
            create_all(
                &client,
                gather(comes, |scenario, copy| (scenario.claims)(copy)),
            )
            .await;
            settle(&client, QUIET_TWICE, LIMIT).await;
            let new: Vec<Value> = scenarios(comes)
                .flat_map(|scenario| with(scenario).map(|copy| (scenario.new)(&copy)))
                .collect();
            let said = ask_with(&plane, &new, &["--diff"]);
            apply(&plane, &client, &new, comes).await;
            let controller = controller.unwrap_or_else(|| plane.start_controller());
            settle(&client, QUIET_TWICE, LIMIT).await;
            let claims = list(&client, "v1", "PersistentVolumeClaim", Some(NAMESPACE)).await;
            for scenario in scenarios(comes) {
                check(scenario, &said, &claims);
            }
            delete_all(&client, "v1", "PersistentVolumeClaim", WORLD).await;
            settle(&client, QUIET_TWICE, LIMIT).await;
            delete_all(&client, "v1", "PersistentVolume", WORLD).await;
            settle(&client, QUIET_TWICE, LIMIT).await;
            drop(controller);
        }
    });
}

/// `kubectl apply`; a controller that does not run yet would have given the volumes their phase.
async fn apply(plane: &ControlPlane, client: &Client, volumes: &[Value], comes: Comes) {
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": volumes });
    plane.apply(&list.to_string());
    if comes == Comes::First {
        for volume in volumes {
            let mut volume = volume.clone();
            volume["status"] = json!({ "phase": "Available" });
            update_status(client, &volume).await;
        }
    }
}

fn check(scenario: &Scenario, said: &Value, claims: &[Value]) {
    let noticed_by = scenario.noticed_by.iter();
    let expected: BTreeSet<String> = noticed_by.map(|name| (*name).to_owned()).collect();
    let changes = changes(said);
    let mut really = BTreeSet::new();
    for (with, without) in with(scenario).zip(without(scenario)) {
        let parts = parts(scenario, &with);
        let named = |copy: &Copy| -> BTreeSet<String> {
            let is_named = |part: &&String| changes.contains_key(&copy.claim_key(part));
            parts.iter().filter(is_named).cloned().collect()
        };
        let name = scenario.name;
        assert_eq!(named(&with), expected, "{name}: the changes named");
        assert!(named(&without).is_empty(), "{name}: nothing changes there");
        for part in &parts {
            let real = with.real(claims, part);
            if real != without.real(claims, part) {
                really.insert(part.clone());
                let change = changes.get(&with.claim_key(part)).copied();
                assert_allowed(change.unwrap_or(&Value::Null), &with, part, &real);
            }
        }
    }
    say(&format!(
        "{}: named {expected:?}, really {really:?}",
        scenario.name
    ));
    assert_eq!(really, expected, "{}: what really changed", scenario.name);
}

/// What a claim got was said to be possible; that it got nothing is the luck of a competitor.
fn assert_allowed(change: &Value, copy: &Copy, part: &str, real: &str) {
    let outcomes = change["after"]["outcomes"].as_array();
    let mut outcomes = outcomes.expect("a change of this claim").iter();
    let volume = copy.name(real);
    assert!(
        real == "-" || outcomes.any(|outcome| *outcome == volume),
        "{part} really got {real}, said was {change:#}"
    );
}

/// The claims by the names that all copies share.
fn parts(scenario: &Scenario, copy: &Copy) -> Vec<String> {
    let claims = (scenario.claims)(copy);
    let name = |claim: &Value| {
        claim["metadata"]["name"]
            .as_str()
            .map(|name| copy.part_of(name))
    };
    claims.iter().filter_map(name).collect()
}

/// The changes by claim, each with something that has changed.
fn changes(said: &Value) -> BTreeMap<String, &Value> {
    let changes = said["changes"].as_array().expect("a list of changes");
    let by_claim = changes.iter().map(|change| {
        let part = |key: &str| change[key].as_str().expect("a name");
        (format!("{}/{}", part("namespace"), part("name")), change)
    });
    by_claim.collect()
}

fn scenarios(comes: Comes) -> impl Iterator<Item = &'static Scenario> {
    SCENARIOS
        .iter()
        .filter(move |scenario| scenario.comes == comes)
}

/// The copies that get the new volume.
fn with(scenario: &Scenario) -> impl Iterator<Item = Copy> + use<> {
    let name = scenario.name;
    (0..sample::rounds(20, 8)).map(move |number| Copy::new(NAMESPACE, name, number))
}

/// The copies that do not.
fn without(scenario: &Scenario) -> impl Iterator<Item = Copy> + use<> {
    let name = scenario.name;
    (0..sample::rounds(20, 8))
        .map(move |number| Copy::new(NAMESPACE, name, format!("without-{number}")))
}

fn gather(comes: Comes, one: impl Fn(&Scenario, &Copy) -> Vec<Value>) -> Vec<Value> {
    let mut all = Vec::new();
    for scenario in scenarios(comes) {
        for copy in with(scenario).chain(without(scenario)) {
            all.extend(one(scenario, &copy));
        }
    }
    all
}
