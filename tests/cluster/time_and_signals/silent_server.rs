//! A server that accepts requests and never answers, from the start or from one request on: the command ends within twice its
//! `--timeout`, with 3 before its first write and 4 after it.

use std::time::Duration;

use super::work::{Ground, Passed, Subcommand, Work};
use crate::cluster::faults::script::Counted;
use crate::cluster::faults::slow_line::Silence;
use crate::sample;

const COUNT: usize = 4;
const TIMEOUT: Duration = Duration::from_secs(3);
/// To print, and for other processes of a busy machine.
const BESIDES: Duration = Duration::from_secs(2);

/// Where an undisturbed run has its first write, and how many requests it has.
fn requests_of(ground: &Ground, subcommand: Subcommand) -> (usize, usize) {
    let work = Work::create(ground, subcommand, COUNT);
    let log = work.run_undisturbed().proxy.log();
    let mut numbers = log.iter().map(|entry| entry.number);
    let first = numbers.find(|number| number.of_writes.is_some());
    let counted = (first.expect("a write").of_all, log.len());
    work.clear();
    counted
}

fn run_silent(ground: &Ground, subcommand: Subcommand, from: usize) -> Option<(Work<'_>, Passed)> {
    let work = Work::create(ground, subcommand, COUNT);
    let silence = Silence::new(Counted::All, from);
    let timeout = format!("{}s", TIMEOUT.as_secs());
    let passed = work.run(silence.clone(), &["--timeout", &timeout], |_| {});
    let Some(took) = silence.end() else {
        // This run had fewer requests than the first.
        work.clear();
        return None;
    };
    println!(
        "{subcommand:?}, silent from request {from}: {:?} after {:.1} s",
        passed.ended.status,
        took.as_secs_f64()
    );
    let (ended, log) = (&passed.ended, passed.proxy.show());
    assert!(took < 2 * TIMEOUT + BESIDES, "{took:?}: {ended:?}\n{log}");
    Some((work, passed))
}

fn check(ground: &Ground, subcommand: Subcommand, most: usize) {
    let (first_write, last) = requests_of(ground, subcommand);
    let after = [first_write, first_write + 1, first_write + 2];
    let mut points = vec![1, 2, first_write - 1];
    points.extend(after);
    points.extend([first_write + 5, last - 2, last - 1, last]);
    for from in sample::cases(&points, most) {
        let Some((work, passed)) = run_silent(ground, subcommand, from) else {
            continue;
        };
        let ended = &passed.ended;
        let said = format!("{}{}{}", ended.stdout, ended.stderr, passed.proxy.show());
        assert_eq!(work.false_report(&passed, &[]), [""; 0], "{said}");
        // An event is the last request of some: nothing is open then.
        let is_done = ended.status == Some(0) && work.open().is_empty();
        let expected = if passed.writes() == 0 { 3 } else { 4 };
        assert!(is_done || ended.status == Some(expected), "{said}");
        if expected == 4 && !is_done {
            work.wait_until_note_expires(TIMEOUT);
            assert_eq!(work.finish(ended), [""; 0], "{said}");
        }
        work.clear();
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn reclaim_ends_within_twice_its_timeout() {
    check(&Ground::open(), Subcommand::Reclaim, 6);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn provision_ends_within_twice_its_timeout() {
    check(&Ground::open(), Subcommand::Provision, 3);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn cleanup_ends_within_twice_its_timeout() {
    check(&Ground::open(), Subcommand::Cleanup, 3);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn set_reconcile_ends_within_twice_its_timeout() {
    check(&Ground::open(), Subcommand::SetReconcile, 3);
}
