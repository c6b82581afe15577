//! Does `validate` refuse what the API server refuses, and for the same reasons? Generated manifests
//! go to both as the very same bytes: to the server as a create by dry run, to our program as a file.
//! `KUBECTL_PV_VALIDATION_MANIFESTS` says how many, `KUBECTL_PV_VALIDATION_SEED` which. A disagreement is printed whole, and also written into the folder `KUBECTL_PV_DISAGREEMENTS`, if set.
//!
//! Who does what: `generate.rs` makes manifests from `bases.rs`, `rules/` and `mutate.rs`; `write.rs`
//! writes them as YAML; `server.rs` and `ours.rs` ask; `compare.rs` judges, `tally.rs` counts.

mod bases;
mod compare;
mod features;
mod generate;
mod metadata;
mod mutate;
pub(super) mod ours;
mod rules;
mod scalars;
pub(super) mod server;
pub(super) mod sources;
mod specific;
mod tally;
mod tree;
mod write;

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use self::tally::Tally;
use super::control_plane::{ControlPlane, runtime};
use crate::sample;

/// Beyond this many they are only counted.
const SHOWN: usize = 40;

#[test]
#[ignore = "needs a control plane: tests/run"]
fn validate_agrees_with_the_server() {
    let seed = sample::seed_of("KUBECTL_PV_VALIDATION_SEED");
    let count = sample::rounds_of("KUBECTL_PV_VALIDATION_MANIFESTS", 300, 80);
    let plane = ControlPlane::connect();
    let mut tally = Tally::new();
    let mut disagreements = 0;
    runtime().block_on(async {
        let client = plane.client().await;
        for (index, manifest) in generate::manifests(seed, count).iter().enumerate() {
            let answer = server::ask(&client, manifest.kind, &manifest.text).await;
            tally.add(manifest, &answer);
            let ours = ours::ask(&manifest.text);
            if let Some(what) = compare::difference(&answer, &ours) {
                disagreements += 1;
                let shown = compare::show(&what, &manifest.text, &answer, &ours);
                note(&format!("validation-{seed}-{index}.yaml"), &shown);
                if disagreements <= SHOWN {
                    say(&format!(
                        "DISAGREEMENT, seed {seed}, manifest {index}\n{shown:.9000}"
                    ));
                }
            }
        }
    });
    say(&tally.to_string());
    say(&format!("{disagreements:6}  disagreements, seed {seed}"));
    let shortcomings = tally.shortcomings();
    for shortcoming in &shortcomings {
        say(&format!("NOT ENOUGH: {shortcoming}"));
    }
    assert_eq!(
        (disagreements, shortcomings.len()),
        (0, 0),
        "disagreements, and what was not shown enough, with seed {seed}: see above"
    );
}

/// Keeps a disagreement for whoever looks into it.
fn note(name: &str, text: &str) {
    if let Some(folder) = variable("KUBECTL_PV_DISAGREEMENTS") {
        fs::write(Path::new(&folder).join(name), text).expect("write a disagreement down");
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test has no environment.rs to read it"
)]
fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// Past the test harness, which would keep what a passing test prints to itself.
fn say(text: &str) {
    writeln!(io::stdout(), "{text}").expect("stdout takes it");
}
