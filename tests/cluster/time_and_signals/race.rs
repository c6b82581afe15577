//! A run that takes longer than `--timeout`, and one harmless race in it: a claim gets a label just before it is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::work::{Ground, Subcommand, Work};
use crate::cluster::faults::message::Request;
use crate::cluster::faults::script::{Action, Before, Number, Script};
use crate::cluster::faults::slow_line::RoundTrip;
use crate::cluster::report_check::OtherWrite;
use crate::sample;

const TIMEOUT: Duration = Duration::from_secs(3);
const ROUND_TRIP: Duration = Duration::from_millis(60);

#[test]
#[ignore = "needs a control plane: tests/run"]
fn many_claims_are_provisioned_despite_one_race() {
    let ground = Ground::open();
    let count = sample::rounds(200, 30);
    let work = Work::create(&ground, Subcommand::Provision, count);
    let (claim, api) = (work.claim(count / 2), ground.api());
    let name = claim["metadata"]["name"]
        .as_str()
        .expect("a name")
        .to_owned();
    let path = format!("/persistentvolumeclaims/{name}");
    let has_raced = AtomicBool::new(false);
    let race = move |_: Number, request: &Request| {
        let is_it = request.method == "PATCH" && request.path.ends_with(&path);
        if is_it && !has_raced.swap(true, Ordering::SeqCst) {
            api.patch(
                &claim,
                &json!({ "metadata": { "labels": { "raced": "yes" } } }),
            );
        }
        Action::Forward
    };
    let scripts: Vec<Arc<dyn Script>> =
        vec![Arc::new(RoundTrip(ROUND_TRIP)), Arc::new(Before(race))];
    let began = Instant::now();
    let timeout = format!("{}s", TIMEOUT.as_secs());
    let passed = work.run(scripts, &["--timeout", &timeout], |_| {});
    let took = began.elapsed();
    let (ended, log) = (&passed.ended, passed.proxy.show());
    println!("{count} claims in {:.0} s", took.as_secs_f64());
    assert!(took > TIMEOUT, "{took:?}");
    assert!(log.contains("Answered(409)"), "{log}");
    assert_eq!(ended.status, Some(0), "{}{log}", ended.stderr);
    assert_eq!(work.open(), [""; 0]);
    let label = OtherWrite::field("PersistentVolumeClaim", &name, "/metadata/labels");
    assert_eq!(
        work.false_report(&passed, &[label]),
        [""; 0],
        "{}",
        ended.stdout
    );
    work.clear();
}
