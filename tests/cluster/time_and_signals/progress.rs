//! Progress: in a pipe a line at least every 10 seconds, on a terminal one line that is rewritten in place.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use super::work::{Ground, Work};
use crate::cluster::faults::script::Pass;
use crate::support::TemporaryFile;
use crate::terminal::Terminal;

/// Deletes as the example program does, after so many seconds.
fn slow_program(work: &Work<'_>, seconds: u32) -> PathBuf {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/backends/directories");
    let base = work.trial.yard.base();
    let text = format!(
        r#"#!/bin/sh
export KUBECTL_PV_POOL={}
request=$(cat)
case $request in *'"operation":"delete"'*) sleep {seconds} ;; esac
printf '%s\n' "$request" | {example}
"#,
        base.display()
    );
    work.trial.yard.program("slow", &text)
}

fn slow_work(ground: &Ground, seconds: u32) -> Work<'_> {
    let mut work = Work::create_with_program(ground);
    let program = slow_program(&work, seconds);
    work.trial.program = Some(program.to_str().expect("a plain path").to_owned());
    work
}

/// Progress lines, `[k/n]` and what is at hand.
fn progress(text: &str) -> Vec<&str> {
    let lines = text.lines();
    lines.filter(|line| line.starts_with('[')).collect()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_pipe_gets_a_line_at_least_every_ten_seconds() {
    let ground = Ground::open();
    let work = slow_work(&ground, 10);
    let passed = work.run(Pass, &[], |_| {});
    let ended = &passed.ended;
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let lines = progress(&ended.stderr);
    let start = format!("[0/1] {}-", work.place());
    assert!(
        lines.iter().any(|line| line.starts_with(&start)),
        "{ended:?}"
    );
    assert!(!ended.stderr.contains('\r'), "{ended:?}");
    assert_eq!(work.open(), [""; 0]);
    work.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_terminal_shows_one_line_that_is_rewritten() {
    let ground = Ground::open();
    let work = slow_work(&ground, 4);
    let stdout = TemporaryFile::new("stdout", "");
    let words = work.words().join(" ");
    let arguments = format!("{words} --yes --kubeconfig {}", ground.kubeconfig());
    let terminal = Terminal::start(&arguments, stdout.path());
    let (status, screen) = terminal.end_with_screen();
    assert_eq!(status, 0, "{screen}");
    let rewritten = screen.matches("\r\x1b[K[0/1] ").count();
    assert!(rewritten >= 2, "{screen:?}");
    // No line of progress is left on the screen.
    let lines = screen.split("\r\n");
    let shown = lines.map(|line| line.rsplit("\x1b[K").next().unwrap_or_default());
    assert_eq!(
        shown.filter(|line| line.starts_with('[')).count(),
        0,
        "{screen:?}"
    );
    assert_eq!(work.open(), [""; 0]);
    work.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_object_that_a_backend_works_on_is_finished_after_a_signal() {
    let ground = Ground::open();
    let work = slow_work(&ground, 3);
    let passed = work.run(Pass, &[], |subject| {
        while !work.has_lock() {
            sleep(Duration::from_millis(20));
        }
        assert!(subject.signal("INT"));
    });
    let ended = &passed.ended;
    assert_eq!(ended.status, Some(0), "{ended:?}");
    assert!(ended.stderr.starts_with("finishing "), "{ended:?}");
    assert_eq!(work.open(), [""; 0]);
    assert_eq!(work.false_report(&passed, &[]), [""; 0], "{ended:?}");
    assert_eq!(work.trial.yard.records(), [""; 0]);
    work.clear();
}
