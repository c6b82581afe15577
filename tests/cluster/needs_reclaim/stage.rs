//! What most of these tests share besides their scene: how one is set up, how somebody else takes a volume, and patience.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::scene::Scene;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};

const LIMIT: Duration = Duration::from_secs(60);

/// Our lock while a volume is emptied.
pub(super) const MARK: &str = "kubectl-pv.dev/recycling";
/// Our lock while one is deleted.
pub(super) const FINALIZER: &str = "kubectl-pv.dev/asset";

/// A test on a scene of its own; what starts the controller is told when to.
pub(super) fn on_a_scene(what: &str, test: impl FnOnce(&Scene<'_>)) {
    on_a_plane(what, |scene, _, _| test(scene));
}

pub(super) fn on_a_plane(what: &str, test: impl FnOnce(&Scene<'_>, &ControlPlane, &Upstream)) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), what);
    test(&scene, &cluster, &upstream);
    scene.clear();
}

pub(super) fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < LIMIT, "{what}");
        sleep(Duration::from_millis(20));
    }
}

/// Whether the phase of an object is this one.
pub(super) fn is_in(api: Api, object: &Value, phase: &str) -> bool {
    let found = api.find(object).unwrap_or_default();
    found["status"]["phase"] == phase
}

/// Whose the volume is: the uid of its claimRef.
pub(super) fn owner(volume: &Value) -> &Value {
    &volume["spec"]["claimRef"]["uid"]
}

/// Writes the claimRef of a volume as it was read, with the claim's uid or without, if nobody wrote it since.
pub(super) fn reserve(api: Api, found: &Value, claim: &Value, by_uid: bool) -> bool {
    let uid = if by_uid {
        claim["metadata"]["uid"].clone()
    } else {
        Value::Null
    };
    let metadata = &found["metadata"];
    let change = json!({
        "metadata": { "uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"] },
        "spec": { "claimRef": { "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "namespace": claim["metadata"]["namespace"], "name": claim["metadata"]["name"], "uid": uid } },
    });
    let mut volume = found.clone();
    volume["apiVersion"] = json!("v1");
    volume["kind"] = json!("PersistentVolume");
    matches!(api.try_patch(&volume, &change), Ok((200, _)))
}
