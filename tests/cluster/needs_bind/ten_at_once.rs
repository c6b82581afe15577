//! Ten processes of `bind` on the same claims and volumes, beside the real controller. In every other
//! round all ten have decided what to write before any of them or the controller writes: then they
//! are let go at once.

use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{bind, unbound};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::consistency::contradictions;
use crate::cluster::faults::gate::Gate;
use crate::cluster::faults::place::Place;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::subject::Subject;
use crate::cluster::report_check::{OtherWrite, Report};
use crate::sample;

const PROCESSES: usize = 10;
const PAIRS: usize = 5;
const HEAD_START: Duration = Duration::from_millis(8);
const LIMIT: Duration = Duration::from_secs(30);

#[test]
#[ignore = "needs a control plane: tests/run"]
fn no_volume_with_two_claims_and_no_claim_lost() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let controller = cluster.start_controller();
    let mut problems = Vec::new();
    for round in 0..sample::rounds(50, 4) {
        let place = Place::create(api, "ten");
        let gate = Arc::new(Gate::default());
        let proxy = Proxy::start(upstream.address, Arc::clone(&gate));
        let is_together = round % 2 == 0;
        if is_together {
            controller.signal("STOP");
        } else {
            gate.open();
        }
        let volumes = (0..PAIRS).map(|index| place.volume(&format!("v{index}"), "1Gi"));
        let claims = (0..PAIRS).map(|index| place.claim(&format!("c{index}"), "1Gi"));
        let mut objects: Vec<_> = volumes.chain(claims).collect();
        // Volumes first in some rounds, claims in others.
        if round % 4 < 2 {
            objects.reverse();
        }
        for object in &objects {
            api.create(object);
        }
        let site = place.site(&[]);
        let before = site.read();
        let processes: Vec<Arc<Subject>> = (0..PROCESSES)
            .map(|_| Subject::start(bind(&place, &proxy, &[])))
            .collect();
        if is_together {
            let waiting = gate.wait_for(PROCESSES, LIMIT);
            controller.signal("CONT");
            // From before its first write to after its last.
            sleep(HEAD_START * u32::try_from(round % 10).expect("a digit"));
            gate.open();
            if waiting < PROCESSES {
                problems.push(format!("round {round}: only {waiting} wanted to write"));
            }
        }
        let mut reports: Vec<Report> = Vec::new();
        for process in processes {
            let ended = process.wait();
            reports.push((&ended).into());
            let has_reason = matches!(ended.status, Some(1 | 4)) && !ended.stderr.is_empty();
            if ended.status != Some(0) && !has_reason {
                problems.push(format!("round {round}: {ended:?}"));
            }
        }
        let untrue = site.false_reports(&before, &reports, &OtherWrite::of_controller());
        problems.extend(
            untrue
                .into_iter()
                .chain(unsettled(&place))
                .map(|what| format!("round {round}: {what}")),
        );
        place.clear();
    }
    drop(controller);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What is wrong once the controller has had its time, too.
fn unsettled(place: &Place) -> Vec<String> {
    let started = Instant::now();
    loop {
        let storage = place.storage();
        let mut found = contradictions(&storage);
        found.extend(unbound(&storage));
        if found.is_empty() || started.elapsed() > LIMIT {
            return found;
        }
        sleep(Duration::from_millis(100));
    }
}
