//! `--timeout 1s` and answers that come later than that: the server has acted, and the run does not know. It starts no further
//! object, counts exactly, and the printed command finishes the rest.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::work::{Ground, Passed, Subcommand, Work};
use crate::cluster::faults::script::Counted;
use crate::cluster::faults::slow_line::{LateAnswers, Lateness};
use crate::sample;

const COUNT: usize = 8;
const TIMEOUT: [&str; 2] = ["--timeout", "1s"];
const LATE: Duration = Duration::from_secs(3);

/// One run of which answers are late from a write on. On a busy machine the lists may take longer than the timeout as well; then
/// there is no write, and another run is tried.
fn run_late(
    ground: &Ground,
    subcommand: Subcommand,
    first: usize,
    lateness: Lateness,
) -> (Work<'_>, Passed) {
    for _ in 0..sample::MOST_ROUNDS {
        let work = Work::create(ground, subcommand, COUNT);
        let late = LateAnswers::new(Counted::Writes, first, lateness, LATE);
        let began = Instant::now();
        let passed = work.run(late, &TIMEOUT, |_| {});
        let seconds = began.elapsed().as_secs_f64();
        let status = passed.ended.status;
        println!(
            "{subcommand:?}, {lateness:?} from write {first}: {status:?} after {seconds:.1} s"
        );
        if passed.writes() >= first {
            return (work, passed);
        }
        assert_ne!(status, Some(0), "{:?}", passed.ended);
        work.clear();
    }
    panic!("no run came to write {first}");
}

/// The volumes that rows name, and those of `skipped`.
fn begun_and_late(passed: &Passed) -> (BTreeSet<String>, Vec<String>) {
    let outcome = passed.outcome();
    let name = |entry: &Value| {
        entry["target"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let list = |field: &str| outcome[field].as_array().cloned().unwrap_or_default();
    let is_begun =
        |row: &&Value| row["target"]["kind"] == "PersistentVolume" && row["result"] != "NotReached";
    let (rows, skipped) = (list("changes"), list("skipped"));
    let late = skipped.iter().filter(|entry| entry["code"] == "TimeIsUp");
    (
        rows.iter().filter(is_begun).map(name).collect(),
        late.map(name).collect(),
    )
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn volumes_of_unknown_state_are_finished_by_the_next_run() {
    let ground = Ground::open();
    let firsts = (1..=9).flat_map(|first| {
        [Lateness::Everything, Lateness::Writes].map(|lateness| (first, lateness))
    });
    for (first, lateness) in sample::cases(&firsts.collect::<Vec<_>>(), 4) {
        let (work, passed) = run_late(&ground, Subcommand::Reclaim, first, lateness);
        let (ended, log) = (&passed.ended, passed.proxy.show());
        let said = format!("{}{}{log}", ended.stdout, ended.stderr);
        assert_eq!(work.false_report(&passed, &[]), [""; 0], "{said}");
        assert_eq!(ended.status, Some(4), "{said}");
        let (begun, late) = begun_and_late(&passed);
        assert!(late.iter().all(|name| !begun.contains(name)), "{said}");
        assert_eq!(begun.len() + late.len(), COUNT, "{said}");
        // The object at hand is completed as far as its writes are answered, and no other is begun.
        let left = work.trial.volumes().len();
        assert!(left <= late.len() + 1, "{left} left: {said}");
        assert_eq!(work.finish(ended), [""; 0], "{said}");
        work.clear();
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn every_command_is_finished_by_the_next_run() {
    let ground = Ground::open();
    for subcommand in Subcommand::ALL {
        for first in sample::cases(&[2, 3, 4, 5, 9, 14], 1) {
            let everything = Lateness::Everything;
            let (work, passed) = run_late(&ground, subcommand, first, everything);
            let (ended, log) = (&passed.ended, passed.proxy.show());
            let said = format!("{}{}{log}", ended.stdout, ended.stderr);
            assert_eq!(work.false_report(&passed, &[]), [""; 0], "{said}");
            assert_eq!(ended.status, Some(4), "{said}");
            work.wait_until_note_expires(Duration::from_secs(1));
            assert_eq!(work.finish(ended), [""; 0], "{said}");
            work.clear();
        }
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn lists_that_come_late_change_nothing() {
    let ground = Ground::open();
    for subcommand in Subcommand::ALL {
        let work = Work::create(&ground, subcommand, 2);
        let late = LateAnswers::new(Counted::All, 1, Lateness::Everything, LATE);
        let passed = work.run(late, &TIMEOUT, |_| {});
        let ended = &passed.ended;
        assert_eq!(ended.status, Some(3), "{ended:?}");
        assert_eq!(passed.writes(), 0, "{}", passed.proxy.show());
        assert_eq!(work.false_report(&passed, &[]), [""; 0], "{ended:?}");
        work.clear();
    }
}
