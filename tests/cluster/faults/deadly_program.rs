//! An `exec` program that kills the process that started it, once: the example program with a line of the test's own at the
//! first of some operations. Tests wait for its end, because it may go on without its parent.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);

/// The text of the program. `operations` is a pattern, as in `delete|scrub`; `at_first` is a line of shell, in which `work`
/// does what the example program does.
pub(crate) fn deadly_program(operations: &str, at_first: &str) -> String {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/backends/directories");
    format!(
        r#"#!/bin/sh
request=$(cat)
work() {{ printf '%s\n' "$request" | {example}; }}
if printf '%s' "$request" | grep -Eq '"operation": *"({operations})"' && mkdir "$0.once" 2>/dev/null; then
    echo $$ >"$0.pid"
    {at_first}
fi
work
"#
    )
}

/// Waits until the process has ended that ran `at_first`.
pub(crate) fn await_end(program: &Path) {
    let file = PathBuf::from(format!("{}.pid", program.display()));
    let id = fs::read_to_string(file).expect("the program has started");
    let stat = format!("/proc/{}/stat", id.trim());
    let started = Instant::now();
    // A process that no other process reaps stays a zombie.
    while fs::read_to_string(&stat).is_ok_and(|text| !text.contains(") Z ")) {
        assert!(started.elapsed() < LIMIT, "the program does not end");
        sleep(PAUSE);
    }
}
