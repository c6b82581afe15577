//! Whether two builds of the program give the same answers. `tests/compare OLD NEW` starts the test below with two builds,
//! all fixtures and thousands of generated clusters; a plain `cargo test` compares the build with itself on a small sample.
//! `planted.rs` shows that differences are found.
//!
//! `inputs.rs` and `generate.rs` provide the clusters, `questions.rs` and `invocations.rs` the command lines, `program.rs`
//! runs them, `difference.rs` names the fields that differ, `groups.rs` and `accepted.rs` order the result.

mod accepted;
mod around;
mod difference;
mod generate;
mod groups;
mod inputs;
mod invocations;
mod objects;
mod planted;
mod program;
mod questions;
mod settings;
mod structure;
mod survey;
mod text;
mod workloads;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use self::inputs::Workplace;
use self::settings::{Settings, own_build};
use self::survey::{remove_folder, survey};

#[test]
fn two_builds_give_the_same_answers() {
    let asked = Settings::of_environment();
    let is_by_hand = asked.is_some();
    let folder = temporary_folder("same");
    let settings = asked.unwrap_or_else(|| Settings::sample(own_build(), own_build(), &folder));
    let started = Instant::now();
    let workplace = Workplace::new(&settings.folder).unwrap();
    let report = |line: &str| {
        if is_by_hand {
            say(&format!("{line}, {} s", started.elapsed().as_secs()));
        }
    };
    let found = survey(&settings, &workplace, &report).unwrap();
    let (text, has_failed) = found.verdict(&settings);
    say(&format!("{text}seed {}: {}", settings.seed, found.totals()));
    if !has_failed {
        remove_folder(&settings.folder).unwrap();
    }
    assert!(found.pairs > 0, "no command line was run");
    assert!(!has_failed, "the builds differ, see above");
}

fn temporary_folder(name: &str) -> PathBuf {
    let own = format!("kubectl-pv-compare-{}-{name}", std::process::id());
    std::env::temp_dir().join(own)
}

/// Past the test harness, which keeps back what a passing test prints.
fn say(text: &str) {
    writeln!(io::stdout(), "{text}").expect("stdout takes it");
}
