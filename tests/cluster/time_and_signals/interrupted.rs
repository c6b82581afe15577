//! SIGINT and SIGTERM at writes between the first and the last, and before the first: the run acknowledges, finishes the object
//! at hand, reports what is true, and the printed command finishes the rest.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use super::work::{Ground, Passed, Subcommand, Work};
use crate::cluster::faults::script::{Counted, Script};
use crate::cluster::faults::signal_point::SignalPoint;
use crate::cluster::faults::slow_line::Silence;
use crate::sample;
use crate::support::TemporaryFile;
use crate::terminal::Terminal;

const SIGNALS: [&[&str]; 2] = [&["INT"], &["TERM"]];
const ACKNOWLEDGED: &str = "; a second signal ends now";
/// One object has fewer writes than that, events included.
const OF_ONE_OBJECT: usize = 8;
const AT_ONCE: Duration = Duration::from_secs(5);

fn interrupt(work: &Work<'_>, point: &Arc<SignalPoint>, rest: Option<Arc<Silence>>) -> Passed {
    let mut scripts: Vec<Arc<dyn Script>> = vec![Arc::clone(point) as _];
    scripts.extend(rest.map(|silence| silence as Arc<dyn Script>));
    work.run(scripts, &[], |subject| point.aim(subject))
}

/// What is wrong with a run that got a signal at one of its writes.
fn wrongs(work: &Work<'_>, passed: &Passed, number: usize) -> Vec<String> {
    let ended = &passed.ended;
    let mut found = work.false_report(passed, &[]);
    work.wait_until_released();
    let own = ended.stderr.lines();
    let mut own = own.filter(|line| !line.starts_with("Warning: "));
    let first = own.next().unwrap_or_default();
    let is_acknowledged = first.starts_with("finishing ") && first.ends_with(ACKNOWLEDGED);
    let is_done = work.open().is_empty();
    match ended.status {
        Some(0) if is_done => {}
        Some(4) if !is_done && is_acknowledged => {}
        Some(4) if !is_done => found.push(format!("not acknowledged, but {first:?}")),
        status => found.push(format!("{status:?}, and still open: {:?}", work.open())),
    }
    let more = passed.writes() - number;
    if more > OF_ONE_OBJECT {
        found.push(format!("{more} writes after the signal"));
    }
    if ended.status == Some(4) {
        found.extend(work.finish(ended));
    }
    found
}

fn check(subcommand: Subcommand) {
    let ground = Ground::open();
    let (count, points) = (sample::rounds(50, 10), sample::rounds(20, 4));
    let work = Work::create(&ground, subcommand, count);
    let last = work.run_undisturbed().writes();
    work.clear();
    let mut statuses = Vec::new();
    for point in 0..points {
        let number = 1 + (last - 1) * point / (points - 1);
        let signal = SIGNALS[point % SIGNALS.len()];
        let work = Work::create(&ground, subcommand, count);
        let point = SignalPoint::new(signal, Counted::Writes, number);
        let passed = interrupt(&work, &point, None);
        // The number of writes depends on races with the protection controllers.
        if point.was_reached() {
            let found = wrongs(&work, &passed, number);
            let ended = &passed.ended;
            let said = || format!("{}{}{}", ended.stdout, ended.stderr, passed.proxy.show());
            assert_eq!(found, [""; 0], "{signal:?} at write {number}: {}", said());
            statuses.push(ended.status);
        }
        work.clear();
    }
    println!("{subcommand:?}: {last} writes, {statuses:?}");
    assert!(statuses.contains(&Some(4)));
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn provision_stops_after_the_object_at_hand() {
    check(Subcommand::Provision);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn reclaim_stops_after_the_object_at_hand() {
    check(Subcommand::Reclaim);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn cleanup_stops_after_the_object_at_hand() {
    check(Subcommand::Cleanup);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn set_reconcile_stops_after_the_object_at_hand() {
    check(Subcommand::SetReconcile);
}

/// The server has stopped answering, so the first signal alone would not end the run soon.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_second_signal_ends_the_run_at_once() {
    let ground = Ground::open();
    let both: &[&str] = &["INT", "TERM"];
    // Other runs wait for a member of a set that may still be created: its note says until when.
    for subcommand in sample::cases(&Subcommand::ALL[..3], 2) {
        let work = Work::create(&ground, subcommand, 4);
        let point = SignalPoint::new(both, Counted::Writes, 5);
        let silence = Silence::new(Counted::Writes, 5);
        let passed = interrupt(&work, &point, Some(Arc::clone(&silence)));
        let took = silence.end().expect("the write was reached");
        assert!(point.was_reached());
        let ended = &passed.ended;
        assert_eq!(ended.status, Some(130), "{ended:?}");
        assert_eq!(ended.stdout, "");
        assert!(ended.stderr.contains(ACKNOWLEDGED), "{ended:?}");
        assert!(took < AT_ONCE, "{took:?}");
        work.run_undisturbed();
        work.clear();
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_signal_before_the_first_write_changes_nothing() {
    let ground = Ground::open();
    for subcommand in Subcommand::ALL {
        let work = Work::create(&ground, subcommand, 2);
        for signal in SIGNALS {
            let point = SignalPoint::new(signal, Counted::All, 2);
            let silence = Silence::new(Counted::All, 2);
            let passed = interrupt(&work, &point, Some(Arc::clone(&silence)));
            silence.end();
            let ended = &passed.ended;
            assert_eq!(ended.status, Some(130), "{ended:?}");
            assert_eq!(ended.stdout, "");
            assert_eq!(ended.stderr, "Nothing was changed.\n");
            assert_eq!(passed.writes(), 0, "{}", passed.proxy.show());
            assert_eq!(work.false_report(&passed, &[]), [""; 0]);
        }
        work.clear();
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn ctrl_c_at_the_question_changes_nothing() {
    let ground = Ground::open();
    let work = Work::create(&ground, Subcommand::Reclaim, 2);
    let site = work.trial.site();
    let before = site.read();
    let stdout = TemporaryFile::new("stdout", "");
    let words = work.words().join(" ");
    let arguments = format!("{words} --kubeconfig {}", ground.kubeconfig());
    let mut terminal = Terminal::start(&arguments, stdout.path());
    terminal.answer("[y/N]", "\x03");
    let (status, screen) = terminal.end_with_screen();
    assert_eq!(status, 130, "{screen}");
    let after = screen.split("[y/N]").nth(1).unwrap_or_default();
    assert!(after.contains("\nNothing was changed.\r\n"), "{screen:?}");
    assert_eq!(fs::read_to_string(stdout.path()).unwrap_or_default(), "");
    assert!(before.is_same_as(&site.read()), "{screen}");
    work.clear();
}
