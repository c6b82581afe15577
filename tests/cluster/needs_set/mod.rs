//! `kubectl pv set` and PersistentVolumeSets against the real API server and the real controller: the kind itself, pools that fill,
//! refill and shrink, several at work at once, watchers over time, and what becomes of it all while things go wrong.

mod at_once;
mod crd;
mod endurance;
mod faulty;
mod kept_late;
mod killed;
mod levels;
mod meddled;
mod meddler;
mod members;
mod noted;
mod other_cluster;
mod planted;
mod programs;
mod roles;
mod scene;
mod shrinking;
mod stage;
mod strings;
mod tenants;
mod unready;
mod watching;

use super::control_plane::ControlPlane;
use super::faults::api::Api;
use super::objects::path_of;
use serde_json::Value;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Makes the API server know sets, if it does not yet.
pub(super) fn install_crd(plane: &ControlPlane) {
    let definition = plane.kubectl_pv("admin", &["set", "crd"]).ran();
    assert_eq!(definition.status, 0, "{}", definition.stderr);
    plane.apply(&definition.stdout);
    let name = "crd/persistentvolumesets.kubectl-pv.dev";
    let established = ["wait", "--for=condition=Established", "--timeout=60s", name];
    let output = plane.kubectl(&established);
    assert!(output.status.success(), "{output:?}");
    // Established is said before the server serves it.
    let began = Instant::now();
    while !plane
        .kubectl(&["get", "persistentvolumesets"])
        .status
        .success()
    {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "sets are not served"
        );
        sleep(Duration::from_millis(50));
    }
}

/// A node of one test. It goes also when the test fails: to others this machine would be that node, and the scheduler would see it.
struct OwnNode {
    api: Api,
    path: String,
}

impl OwnNode {
    fn create(api: Api, node: &Value) -> Self {
        api.create(node);
        let path = path_of(node);
        Self { api, path }
    }
}

impl Drop for OwnNode {
    fn drop(&mut self) {
        let none = &Value::Null;
        let _ = self
            .api
            .send("DELETE", &self.path, "application/json", none);
    }
}
