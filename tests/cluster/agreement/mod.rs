//! The agreement test: random clusters are predicted by our program, then really created and left
//! to kube-controller-manager, and every claim is compared. `KUBECTL_PV_AGREEMENT_CLAIMS` says how
//! many, `KUBECTL_PV_AGREEMENT_SEED` which, `KUBECTL_PV_AGREEMENT_BATCH` how many at a time; a failure names the seed and
//! shows the case.
//!
//! Who does what: `generate.rs` draws cases, `stages.rs` puts them into the control plane,
//! `predict.rs` asks our program, `oracle.rs` forms a second opinion, `compare.rs` judges,
//! `tally.rs` counts what was met.

mod batch;
pub(super) mod case;
mod classes;
pub(super) mod clear;
mod compare;
mod generate;
mod late;
mod oracle;
mod past;
mod pods;
mod predict;
mod reservations;
mod searching;
mod sizes;
mod snapshot;
pub(super) mod stages;
mod tally;
mod volumes;
mod wish;

use std::io::{self, Write};

use kube::Client;
use serde_json::Value;

use self::batch::Batch;
use self::case::{CASE, Case};
use self::compare::Comparison;
use self::predict::Predictions;
use self::snapshot::Snapshot;
use self::tally::Tally;
use super::control_plane::{ControlPlane, runtime};
use crate::sample;

#[test]
#[ignore = "needs a control plane: tests/run"]
fn predictions_agree_with_the_controller() {
    let seed = sample::seed_of("KUBECTL_PV_AGREEMENT_SEED");
    let claims = sample::rounds_of("KUBECTL_PV_AGREEMENT_CLAIMS", 500, 100);
    let batch_size = sample::rounds_of("KUBECTL_PV_AGREEMENT_BATCH", 100, 100);
    let plane = ControlPlane::connect();
    let mut tally = Tally::new();
    let mut disagreements = 0;
    runtime().block_on(async {
        let client = plane.client().await;
        let asked = claims.div_ceil(batch_size);
        for index in 0..asked + sample::MOST_ROUNDS {
            // What chance has left out is met by going on a little longer.
            if index >= asked && tally.missing().is_empty() {
                break;
            }
            let size = if index < asked {
                batch_size.min(claims - index * batch_size)
            } else {
                batch_size
            };
            let batch = Batch::generate(seed, index, size);
            for disagreement in compare_batch(&plane, &client, batch, &mut tally).await {
                say(&disagreement);
                disagreements += 1;
            }
            let done = index * batch_size + size;
            say(&format!(
                "agreement, seed {seed}: {done} of {claims} claims, {disagreements} disagreements"
            ));
        }
    });
    say(&tally.to_string());
    assert_eq!(
        disagreements, 0,
        "disagreements with seed {seed}, see above"
    );
    let missing = tally.missing();
    assert!(
        missing.is_empty(),
        "not met often enough with seed {seed}: {missing:#?}"
    );
}

/// Runs one batch from its creation to its removal and describes every claim that went otherwise.
async fn compare_batch(
    plane: &ControlPlane,
    client: &Client,
    batch: Batch,
    tally: &mut Tally,
) -> Vec<String> {
    batch.prepare(plane, client).await;
    batch.add_claims(client).await;
    let before = Snapshot::take(client).await;
    let predictions = Predictions::ask(plane);
    let controller = batch.run_controller(plane, client).await;
    let after = Snapshot::take(client).await;
    let explanations = Predictions::ask(plane);
    let mut disagreements = Vec::new();
    for claim in &before.cluster.claims {
        let case = claim["metadata"]["labels"][CASE]
            .as_str()
            .expect("the label of a case");
        let predicted = predictions.of(claim).unwrap_or(&Value::Null);
        let oracle = before.cluster.outcomes(claim);
        if is_under_test(&batch.cases, claim) {
            tally.add(case, predicted, &oracle);
        }
        let comparison = Comparison {
            predicted,
            oracle: &oracle,
            before: claim,
            volumes_before: &before.cluster.volumes,
            after: after_of(&after, claim),
            events: after.events_on(claim).collect(),
            explained: explanations.of(claim).unwrap_or(&Value::Null),
        };
        let found = comparison.disagreements();
        if !found.is_empty() {
            let name = claim["metadata"]["name"].as_str().unwrap_or_default();
            disagreements.push(format!(
                "DISAGREEMENT on claim {name}\n{found:#?}\nbefore:\n{}{}after:\n{}",
                before.show(case),
                comparison.show(case),
                after.show(case),
            ));
        }
    }
    batch.clear(plane, client, controller).await;
    disagreements
}

fn is_under_test(cases: &[Case], claim: &Value) -> bool {
    let metadata = &claim["metadata"];
    let is =
        |case: &Case| metadata["name"] == case.claim && metadata["namespace"] == case.namespace;
    cases.iter().any(is)
}

fn after_of<'a>(after: &'a Snapshot, claim: &Value) -> &'a Value {
    let part = |key: &str| claim["metadata"][key].as_str().unwrap_or_default();
    let found = after.claim(part("namespace"), part("name"));
    found.expect("no claim goes away by itself")
}

/// Past the test harness, which would keep what a passing test prints to itself.
fn say(text: &str) {
    writeln!(io::stdout(), "{text}").expect("stdout takes it");
}
