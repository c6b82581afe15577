//! `provision` that leaves the work to the real controller is killed before and after every write, and run
//! again: the same volume, the same claim.

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::scene::{NODE, TrialNode};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::consistency::contradictions;
use crate::cluster::faults::kill_matrix::{self, Scenario};
use crate::cluster::faults::place::Place;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Counted;
use crate::cluster::report_check::{OtherWrite, Site};
use crate::support::kubectl_pv;

const LIMIT: Duration = Duration::from_secs(20);

struct Delegated {
    api: Api,
    mode: &'static str,
}

impl Delegated {
    fn class(&self, place: &Place) -> Value {
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": place.name }, "provisioner": "kubernetes.io/host-path",
            "volumeBindingMode": self.mode,
        })
    }
}

impl Scenario for Delegated {
    type Place = Place;

    fn set_up(&self) -> Place {
        let place = Place::create(self.api, "killed");
        self.api.create(&self.class(&place));
        self.api.create(&place.claim("data", "1Gi"));
        place
    }

    fn program(&self, place: &Place, proxy: &Proxy) -> Command {
        let arguments = [
            "provision",
            "data",
            "-n",
            &place.name,
            "--node",
            NODE,
            "--yes",
            "-o",
            "json",
        ];
        kubectl_pv(&arguments)
            .env("KUBECONFIG", proxy.kubeconfig())
            .command()
    }

    fn end_state(&self, place: &Place) -> Value {
        let storage = place.storage();
        let phases: Vec<Value> = storage
            .iter()
            .map(|object| json!([object["kind"], object["status"]["phase"]]))
            .collect();
        json!({ "phases": phases, "contradictions": contradictions(&storage) })
    }

    fn site(&self, place: &Place) -> Option<Site> {
        Some(place.site(&[]))
    }

    /// The controller provisions the volume that the run asks for.
    fn other_writes(&self) -> Vec<OtherWrite> {
        let mut others = OtherWrite::of_controller();
        others.push(OtherWrite::new_objects("PersistentVolume"));
        others
    }

    fn clear(&self, place: Place) {
        self.api.delete(&place.claim("data", "1Gi"));
        let started = Instant::now();
        while !place.storage().is_empty() && started.elapsed() < LIMIT {
            sleep(Duration::from_millis(50));
        }
        place.clear();
        self.api.delete(&self.class(&place));
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn at_every_write() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let _node = TrialNode::create(api);
    let _controller = cluster.start_controller();
    let scenario = Delegated {
        api,
        mode: "WaitForFirstConsumer",
    };
    let report = kill_matrix::run(upstream.address, &scenario, Counted::Writes);
    println!("delegated: {report}");
    report.assert_clean();
}
