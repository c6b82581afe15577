//! `bind` is killed before and after every request, and run again.

use std::process::Command;

use serde_json::{Value, json};

use super::bind;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::consistency::contradictions;
use crate::cluster::faults::kill_matrix::{self, Scenario};
use crate::cluster::faults::place::Place;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Counted;
use crate::cluster::report_check::Site;

/// What there is and what is asked for.
struct Bind {
    api: Api,
    objects: fn(&Place) -> Vec<Value>,
    arguments: &'static [&'static str],
}

impl Scenario for Bind {
    type Place = Place;

    fn set_up(&self) -> Place {
        let place = Place::create(self.api, "killed");
        for object in (self.objects)(&place) {
            self.api.create(&object);
        }
        place
    }

    fn program(&self, place: &Place, proxy: &Proxy) -> Command {
        bind(place, proxy, self.arguments)
    }

    fn end_state(&self, place: &Place) -> Value {
        let contradictions = contradictions(&place.storage());
        json!({ "objects": place.normal_form(), "contradictions": contradictions })
    }

    fn site(&self, place: &Place) -> Option<Site> {
        Some(place.site(&[]))
    }

    fn clear(&self, place: Place) {
        place.clear();
    }
}

fn kill_everywhere(objects: fn(&Place) -> Vec<Value>, arguments: &'static [&'static str]) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scenario = Bind {
        api: upstream.api(),
        objects,
        arguments,
    };
    let report = kill_matrix::run(upstream.address, &scenario, Counted::All);
    println!("{report}");
    report.assert_clean();
}

/// Volumes of different sizes: which claim gets which is determined.
fn two_pairs(place: &Place) -> Vec<Value> {
    vec![
        place.volume("small", "1Gi"),
        place.volume("large", "5Gi"),
        place.claim("data", "1Gi"),
        place.claim("logs", "4Gi"),
    ]
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn everything_in_a_namespace() {
    kill_everywhere(two_pairs, &[]);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn one_claim_by_name() {
    kill_everywhere(two_pairs, &["data"]);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_reserved_volume() {
    let reserved = |place: &Place| {
        let mut objects = two_pairs(place);
        objects[1]["spec"]["claimRef"] = json!({ "namespace": place.name, "name": "data" });
        objects
    };
    kill_everywhere(reserved, &["data"]);
}
