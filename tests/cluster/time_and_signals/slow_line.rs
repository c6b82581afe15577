//! Many volumes over a slow line, beside the real controller, whose protection controller conflicts with the last write of each
//! volume: the run takes longer than `--timeout`, which bounds each wait, and finishes all of them.

use std::time::{Duration, Instant};

use super::work::{Ground, Subcommand, Work};
use crate::cluster::faults::slow_line::RoundTrip;
use crate::sample;

const ROUND_TRIP: Duration = Duration::from_millis(60);

#[test]
#[ignore = "needs a control plane: tests/run"]
fn all_volumes_are_deleted_over_a_slow_line() {
    let ground = Ground::open();
    let _controller = ground.cluster.start_controller();
    let count = sample::rounds(300, 60);
    let work = Work::create(&ground, Subcommand::Reclaim, count);
    let began = Instant::now();
    let passed = work.run(RoundTrip(ROUND_TRIP), &[], |_| {});
    let (seconds, log) = (began.elapsed().as_secs_f64(), passed.proxy.show());
    let conflicts = log.matches("Answered(409)").count();
    println!("{count} volumes in {seconds:.0} s, {conflicts} conflicts");
    let ended = &passed.ended;
    assert_eq!(ended.status, Some(0), "{}\n{log}", ended.stderr);
    assert_eq!(work.open(), [""; 0], "{}", ended.stderr);
    assert_eq!(work.false_report(&passed, &[]), [""; 0], "{}", ended.stdout);
    work.clear();
}
