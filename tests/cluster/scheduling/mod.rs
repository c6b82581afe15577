//! Our predictions for pods against the real kube-scheduler: random clusters are predicted by our
//! program, then left to the scheduler, and every pod is compared. `KUBECTL_PV_SCHEDULING_PODS`
//! says how many, `KUBECTL_PV_SCHEDULING_SEED` which, `KUBECTL_PV_SCHEDULING_BATCH` how many at a time; a failure names the seed, shows the world and leaves it in a file.
//!
//! Who does what: `generate.rs` draws worlds from the themes in the files beside it, `stages.rs`
//! puts them into the control plane, `predict.rs` asks our program, `deed.rs` sees what the
//! scheduler did, `compare.rs` and `landing.rs` judge, `sequence.rs` finds the order in which pods that
//! compete were tried, `tally.rs` counts what was met.

mod affinity;
mod attempts;
mod batch;
mod bound;
mod broken;
mod capacity;
mod claims;
mod clear;
mod compare;
mod conflicts;
mod deed;
mod disagreement;
mod ephemeral;
mod generate;
mod hold;
mod in_files;
mod judge;
mod landing;
mod late_write;
mod limits;
mod nodes;
mod predict;
mod searching;
mod seen;
mod sequence;
mod sequence_tests;
mod sharing;
mod snapshot;
mod stages;
mod tally;
mod volumes;
mod whims;
mod world;

pub(crate) use self::in_files::objects_in_files;

use std::io::{self, Write};

use self::batch::Batch;
use self::judge::compare_batch;
use self::tally::Tally;
use super::control_plane::{ControlPlane, runtime};
use crate::sample;

#[test]
#[ignore = "needs a control plane: tests/run"]
fn predictions_agree_with_the_scheduler() {
    let seed = sample::seed_of("KUBECTL_PV_SCHEDULING_SEED");
    let pods = sample::rounds_of("KUBECTL_PV_SCHEDULING_PODS", 200, 50);
    let batch_size = sample::rounds_of("KUBECTL_PV_SCHEDULING_BATCH", 50, 50);
    let plane = ControlPlane::connect();
    let mut tally = Tally::default();
    let mut disagreements = 0;
    runtime().block_on(async {
        let client = plane.client().await;
        let asked = pods.div_ceil(batch_size);
        for index in 0..asked + sample::MOST_ROUNDS {
            // What chance has left out is met by going on a little longer.
            let missing = tally.missing();
            if index >= asked && missing.is_empty() {
                break;
            }
            if index >= asked {
                say(&format!("not met often enough yet: {missing:#?}"));
            }
            let batch = Batch::generate(seed, index, batch_size);
            let found = compare_batch(&plane, &client, batch, &mut tally).await;
            for disagreement in found {
                say(&disagreement.text);
                say(&format!("kept in {}", disagreement.keep(seed).display()));
                disagreements += 1;
            }
            say(&format!(
                "scheduling, seed {seed}: {} of {pods} pods, {disagreements} disagreements",
                tally.pods()
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

/// Past the test harness, which would keep what a passing test prints to itself.
fn say(text: &str) {
    writeln!(io::stdout(), "{text}").expect("stdout takes it");
}
