//! Is a bind of ours the bind of the controller? The same pairs of claims and volumes are created
//! twice, in every state of a bind (`state.rs`, `case.rs`): one side is bound by the real controller,
//! the other by `bind` while no controller runs; both are compared field by field, and then the
//! controller is started and must find nothing to do. `KUBECTL_PV_BINDING_CLAIMS` says how many
//! pairs, `KUBECTL_PV_BINDING_SEED` which.

mod case;
mod needs_bind;
mod side;
mod state;

use std::collections::BTreeMap;

use kube::Client;
use serde_json::Value;

use self::case::Case;
use self::side::Side;
use self::state::State;
use super::control_plane::{ControlPlane, runtime};
use super::faults::consistency::contradictions;
use super::faults::difference::differences;
use crate::random::Random;
use crate::sample;

fn cases() -> Vec<Case> {
    let mut random = Random::new(sample::seed_of("KUBECTL_PV_BINDING_SEED"));
    let count = sample::rounds_of("KUBECTL_PV_BINDING_CLAIMS", 200, 50);
    (0..count)
        .map(|index| Case::draw(&mut random, index))
        .collect()
}

/// Which claims are not bound to the volume of their case, and what else cannot stay so.
async fn not_bound(client: &Client, side: &Side, cases: &[Case]) -> Vec<String> {
    let objects = side.objects(client).await;
    let mut found = contradictions(&objects);
    for case in cases {
        let is_claim = |object: &&Value| {
            object["kind"] == "PersistentVolumeClaim" && object["metadata"]["name"] == case.name
        };
        let claim = objects.iter().find(is_claim).unwrap_or(&Value::Null);
        let volume = claim["spec"]["volumeName"].as_str().unwrap_or_default();
        if claim["status"]["phase"] != "Bound" || !volume.starts_with(&case.name) {
            found.push(format!("{} is not bound: {claim:#}", case.name));
        }
    }
    found
}

/// The controller binds from every state, and twice in the same way: what differs between two of its
/// own binds could not be asked of ours.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_controller_binds_from_every_state_and_always_alike() {
    let plane = ControlPlane::connect();
    let cases = cases();
    let mut problems = Vec::new();
    runtime().block_on(async {
        let client = plane.client().await;
        let mut forms = Vec::new();
        // Not the names of the other test: without a controller their namespaces do not go away.
        for name in ["side-c", "side-d"] {
            let side = Side::create(&plane, &client, name, &cases).await;
            side.run_controller(&plane, &client).await;
            problems.extend(not_bound(&client, &side, &cases).await);
            forms.push(side.normal_form(&client).await);
            side.clear(&plane, &client).await;
        }
        problems.extend(differences(&forms[0], &forms[1]));
    });
    println!("{:?}", counts(&cases));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn counts(cases: &[Case]) -> BTreeMap<State, usize> {
    let mut counts = BTreeMap::new();
    for case in cases {
        *counts.entry(case.state).or_default() += 1;
    }
    counts
}

#[test]
fn the_same_seed_draws_the_same_cases_and_all_states_are_among_them() {
    let (one, two) = (cases(), cases());
    assert_eq!(counts(&one).len(), State::ALL.len().min(one.len()));
    for (one, two) in one.iter().zip(&two) {
        assert_eq!((&one.claim, &one.volume), (&two.claim, &two.volume));
    }
}
