//! The scene that reading is tried on: `scene.yaml`, gone with its value.

use serde_json::Value;

use super::account::install;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::support::Ran;

const OBJECTS: &str = include_str!("scene.yaml");
pub(super) const NODE: &str = "roles-node";

pub(super) struct Scene {
    pub(super) cluster: ControlPlane,
    pub(super) upstream: Upstream,
    objects: Vec<Value>,
}

impl Scene {
    pub(super) fn set() -> Self {
        let cluster = ControlPlane::connect();
        let upstream = Upstream::of(&cluster);
        install(&cluster);
        cluster.apply(OBJECTS);
        let made = cluster.kubectl_with_stdin(&["get", "-f", "-", "-o", "json"], OBJECTS);
        let made: Value = serde_json::from_slice(&made.stdout).expect("what was applied");
        let is_kept = |object: &&Value| object["kind"] != "Namespace";
        let objects = made["items"].as_array().expect("a list").iter();
        let objects = objects.filter(is_kept).cloned().collect();
        Self {
            cluster,
            upstream,
            objects,
        }
    }

    pub(super) fn api(&self) -> Api {
        self.upstream.api()
    }

    /// The program as somebody.
    pub(super) fn run_as(&self, user: &str, arguments: &[&str]) -> Ran {
        let mut all = arguments.to_vec();
        all.extend(["--as", user]);
        self.cluster.kubectl_pv("admin", &all).ran()
    }
}

/// The namespace stays: without a controller it would for ever be about to go.
impl Drop for Scene {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let api = self.api();
            self.objects.iter().for_each(|object| api.delete(object));
        }
    }
}
