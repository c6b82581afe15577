//! Several processes of `provision` for the same claim, with and without the real controller. All have
//! decided what to write before any of them writes: then they are let go at once.

use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::judge::{not_served, wrongs};
use super::scene::{Kind, Scene, TrialNode};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::gate::Gate;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::subject::Subject;
use crate::cluster::report_check::{OtherWrite, Report};

const PROCESSES: usize = 3;
const ROUNDS_OF_EACH: usize = 3;
const LIMIT: Duration = Duration::from_secs(30);

fn race(upstream: &Upstream, others: &[OtherWrite], problems: &mut Vec<String>) {
    for round in 0..ROUNDS_OF_EACH {
        for kind in Kind::ALL {
            let scene = Scene::create(upstream.api(), "once", kind);
            let gate = Arc::new(Gate::default());
            let proxy = Proxy::start(upstream.address, Arc::clone(&gate));
            let site = scene.site();
            let before = site.read();
            let command = || scene.provision(proxy.kubeconfig(), &["data"]).command();
            let processes: Vec<Arc<Subject>> =
                (0..PROCESSES).map(|_| Subject::start(command())).collect();
            let waiting = gate.wait_for(PROCESSES, LIMIT);
            gate.open();
            let mut said = Vec::new();
            if waiting < PROCESSES {
                said.push(format!("only {waiting} wanted to write"));
            }
            let mut reports: Vec<Report> = Vec::new();
            for process in processes {
                let ended = process.wait();
                reports.push((&ended).into());
                let has_reason = matches!(ended.status, Some(1 | 4)) && !ended.stderr.is_empty();
                if ended.status != Some(0) && !has_reason {
                    said.push(format!("{ended:?}"));
                }
            }
            said.extend(site.false_reports(&before, &reports, others));
            said.extend(unsettled(&scene));
            if !said.is_empty() {
                let said = said.join("\n  ");
                problems.push(format!(
                    "round {round}, {kind:?}:\n  {said}\n{}",
                    proxy.show()
                ));
            }
            scene.clear();
        }
    }
}

/// What is wrong once the controller has had its time, too.
fn unsettled(scene: &Scene) -> Vec<String> {
    let started = Instant::now();
    loop {
        let mut found = wrongs(scene);
        found.extend(not_served(scene));
        let (volumes, assets) = (scene.made().len(), scene.yard.assets().len());
        if (volumes, assets) != (1, 1) {
            found.push(format!("{volumes} volumes, {assets} assets"));
        }
        if found.is_empty() || started.elapsed() > LIMIT / 3 {
            return found;
        }
        sleep(Duration::from_millis(100));
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn one_volume_and_one_asset() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let mut problems = Vec::new();
    race(&upstream, &[], &mut problems);
    let _controller = cluster.start_controller();
    race(&upstream, &OtherWrite::of_controller(), &mut problems);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
