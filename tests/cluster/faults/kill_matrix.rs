//! The kill matrix: a command is killed before and after every one of its requests (in a sampled run: some of them), run again
//! undisturbed, and must end where an undisturbed run ends. It knows nothing of the command: a [`Scenario`] says what exists
//! at the beginning, what runs, and what is left at the end.

use std::fmt;
use std::net::SocketAddr;
use std::process::Command;

use serde_json::Value;

use super::difference::differences;
use super::kill_point::{KillPoint, Moment};
use super::proxy::Proxy;
use super::script::{Counted, Pass};
use super::subject::{Ended, Subject};
use crate::cluster::report_check::{OtherWrite, Site};
use crate::sample;

/// No command of ours needs so many requests for one scenario.
const MOST_POINTS: usize = 500;

pub(crate) trait Scenario {
    /// Where one run of it takes place.
    type Place;

    /// Makes what there is before the command runs, somewhere new.
    fn set_up(&self) -> Self::Place;

    /// The command, which is to speak to the proxy.
    fn program(&self, place: &Self::Place, proxy: &Proxy) -> Command;

    /// Everything concerned, objects and assets, comparable between places. What is not expected
    /// there shows as a difference.
    fn end_state(&self, place: &Self::Place) -> Value;

    /// Whether a second run ended as it should.
    fn is_finished(&self, ended: &Ended) -> bool {
        ended.status == Some(0)
    }

    /// Where the reports of its runs are checked; none for a program that prints none.
    fn site(&self, _place: &Self::Place) -> Option<Site> {
        None
    }

    /// What other actors write during a run.
    fn other_writes(&self) -> Vec<OtherWrite> {
        Vec::new()
    }

    /// Takes everything away.
    fn clear(&self, place: Self::Place);
}

/// What a matrix has shown.
#[derive(Default)]
pub(crate) struct Report {
    /// How many points were killed at.
    pub(crate) points: usize,
    /// How many points there are, tried or not.
    pub(crate) existing: usize,
    /// Of how many requests the undisturbed run consists.
    pub(crate) requests: usize,
    pub(crate) failures: Vec<String>,
}

impl Report {
    pub(crate) fn assert_clean(&self) {
        assert!(self.failures.is_empty(), "{self}");
        assert!(self.points > 0, "nothing was killed");
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (points, failed) = (self.points, self.failures.len());
        writeln!(
            formatter,
            "{points} of {} kill points over {} requests, {failed} failed",
            self.existing, self.requests
        )?;
        self.failures
            .iter()
            .try_for_each(|failure| writeln!(formatter, "{failure}"))
    }
}

/// How many points a sampled run tries.
const SAMPLED: usize = 4;

/// Runs the scenario with every kill point of those counted, or a sample of them.
pub(crate) fn run<S: Scenario>(upstream: SocketAddr, scenario: &S, counted: Counted) -> Report {
    run_at(upstream, scenario, counted, |points| {
        sample::cases(points, SAMPLED)
    })
}

/// As [`run`], at the points that `choose` keeps.
pub(crate) fn run_at<S: Scenario>(
    upstream: SocketAddr,
    scenario: &S,
    counted: Counted,
    choose: impl Fn(&[(Moment, usize)]) -> Vec<(Moment, usize)>,
) -> Report {
    let place = scenario.set_up();
    let (undisturbed, log, untrue) = run_once(upstream, scenario, &place);
    assert!(untrue.is_empty(), "{untrue:#?}\n{undisturbed:?}\n{log}");
    assert_eq!(
        undisturbed.status,
        Some(0),
        "undisturbed: {undisturbed:?}\n{log}"
    );
    let expected = scenario.end_state(&place);
    scenario.clear(place);
    let last = undisturbed_count(&log, counted);
    assert!(last <= MOST_POINTS, "no end of requests");
    let points: Vec<(Moment, usize)> = [Moment::Before, Moment::After]
        .into_iter()
        .flat_map(|moment| (1..=last).map(move |number| (moment, number)))
        .collect();
    let mut report = Report {
        existing: points.len(),
        requests: log.lines().count(),
        ..Report::default()
    };
    for (moment, number) in choose(&points) {
        let point = KillPoint::new(moment, counted, number);
        let place = scenario.set_up();
        // A run that reads once less than the first does not reach the last point.
        if let Outcome::Finished(finished, log, untrue) =
            kill_and_finish(upstream, scenario, &place, &point)
        {
            let end = scenario.end_state(&place);
            let mut found = differences(&expected, &end);
            if !untrue.is_empty() {
                found.extend(untrue);
                found.push(finished.stdout.clone());
            }
            if !scenario.is_finished(&finished) {
                found.push(format!("run again it ends with {finished:?}"));
            }
            report.points += 1;
            if !found.is_empty() {
                let found = found.join("\n  ");
                report
                    .failures
                    .push(format!("{moment:?} request {number}:\n  {found}\n{log}"));
            }
        }
        scenario.clear(place);
    }
    report
}

/// Of how many counted requests a log tells.
fn undisturbed_count(log: &str, counted: Counted) -> usize {
    let is_counted = |line: &&str| counted == Counted::All || line.contains(" (write ");
    log.lines().filter(is_counted).count()
}

enum Outcome {
    NotReached,
    /// How the second run ended, what both asked for, and what the second report says that is not true.
    Finished(Ended, String, Vec<String>),
}

fn kill_and_finish<S: Scenario>(
    upstream: SocketAddr,
    scenario: &S,
    place: &S::Place,
    point: &std::sync::Arc<KillPoint>,
) -> Outcome {
    let proxy = Proxy::start(upstream, std::sync::Arc::clone(point));
    let subject = Subject::start(scenario.program(place, &proxy));
    point.aim(&subject);
    subject.wait();
    let killed = proxy.show();
    if !point.was_reached() {
        return Outcome::NotReached;
    }
    let (finished, log, untrue) = run_once(upstream, scenario, place);
    let log = format!("  -- killed:\n{killed}  -- again:\n{log}");
    Outcome::Finished(finished, log, untrue)
}

/// How a run ended that nothing disturbed, its requests, and what its report says that is not true.
fn run_once<S: Scenario>(
    upstream: SocketAddr,
    scenario: &S,
    place: &S::Place,
) -> (Ended, String, Vec<String>) {
    let proxy = Proxy::start(upstream, Pass);
    let site = scenario.site(place).map(|site| (site.read(), site));
    let ended = Subject::start(scenario.program(place, &proxy)).wait();
    let untrue = site.map_or_else(Vec::new, |(before, site)| {
        site.false_report(&before, &ended, &scenario.other_writes())
    });
    (ended, proxy.show(), untrue)
}
