//! The running controller empties volumes itself, by a pod; here no node runs it, so that a test says what becomes of it. Its
//! recycler and ours are never both at one volume, and no file of the next owner is lost.

use std::fs;
use std::thread::{self, sleep};
use std::time::Duration;

use serde_json::{Value, json};

use super::scene::{Scene, code};
use super::stage::{is_in, on_a_plane, owner, wait_for};
use crate::cluster::control_plane::QUIET_TWICE;

/// How many volumes at once.
const LANES: usize = 4;

/// When we come to a volume the controller wants to empty.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Timing {
    /// So long after the volume was created, whatever the controller does by then.
    After(u64),
    /// Its pod is there, and waits for a node.
    PodWaits,
    /// Its pod was placed: it is at work.
    PodWorks,
}

/// Whatever the controller does, and several volumes at once.
const AT_ONCE: [Timing; 6] = [
    Timing::After(0),
    Timing::After(10),
    Timing::After(20),
    Timing::After(40),
    Timing::After(80),
    Timing::After(160),
];
/// One volume at a time: upstream mixes up the pods of several (R81a).
const ALONE: [Timing; 8] = [
    Timing::PodWaits,
    Timing::PodWorks,
    Timing::PodWaits,
    Timing::PodWorks,
    Timing::PodWaits,
    Timing::PodWorks,
    Timing::PodWaits,
    Timing::PodWorks,
];

fn recycler(scene: &Scene<'_>, name: &str) -> Option<Value> {
    let name = format!("recycler-for-{}-{name}", scene.place.name);
    let mut pods = scene.api.list("v1", "Pod", None).into_iter();
    pods.find(|pod| pod["metadata"]["name"] == name.as_str())
}

fn path(pod: &Value) -> String {
    let of = |field: &str| pod["metadata"][field].as_str().unwrap_or_default();
    format!("/api/v1/namespaces/{}/pods/{}", of("namespace"), of("name"))
}

/// As the scheduler would.
fn place(scene: &Scene<'_>, pod: &Value) {
    let binding = json!({ "apiVersion": "v1", "kind": "Binding",
        "metadata": { "name": pod["metadata"]["name"] },
        "target": { "apiVersion": "v1", "kind": "Node", "name": "somewhere" } });
    let target = format!("{}/binding", path(pod));
    let placed = scene
        .api
        .send("POST", &target, "application/json", &binding);
    assert!(matches!(placed, Ok((201, _))), "{placed:?}");
}

/// As a node would that has run it: the directory is empty.
fn finish(scene: &Scene<'_>, name: &str, pod: &Value) {
    fs::remove_file(scene.directory(name).join("file")).expect("it was not emptied before");
    scene
        .api
        .patch_status(pod, &json!({ "phase": "Succeeded" }));
    wait_for("the controller is done with its pod", || {
        recycler(scene, name).is_none()
    });
}

/// Its pod is at work: we leave the volume to it, and it empties it.
fn leave_to_the_controller(scene: &Scene<'_>, name: &str) {
    wait_for("the controller begins", || recycler(scene, name).is_some());
    let pod = recycler(scene, name).expect("it was there");
    place(scene, &pod);
    let before = scene.find(name);
    assert_eq!(code(&scene.reclaim_one(name, &[])), "InUse");
    assert_eq!(scene.find(name), before);
    assert!(scene.has_data(name));
    finish(scene, name, &pod);
}

fn empty_beside(scene: &Scene<'_>, name: &str, timing: Timing) {
    match timing {
        Timing::PodWorks => return leave_to_the_controller(scene, name),
        Timing::PodWaits => {
            wait_for("the controller begins", || recycler(scene, name).is_some());
        }
        Timing::After(milliseconds) => sleep(Duration::from_millis(milliseconds)),
    }
    let ran = scene.reclaim_one(name, &[]);
    let said = format!("{timing:?}: {}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.status, 0, "{said}");
    assert!(!scene.has_data(name), "{said}");
}

fn round(scene: &Scene<'_>, name: &str, timing: Timing) {
    let volume = scene.volume(name, "Recycle");
    scene.api.create(&volume);
    let claim = scene.place.claim(&format!("next-{name}"), "1Gi");
    empty_beside(scene, name, timing);
    let next = scene.api.create(&claim);
    wait_for("the next claim has it", || {
        is_in(scene.api, &claim, "Bound")
    });
    fs::write(scene.directory(name).join("file"), "mine").expect("the next owner writes");
    // Whatever the controller has begun before shows now.
    sleep(Duration::from_millis(300));
    assert!(scene.has_data(name), "{timing:?}");
    let found = scene.find(name).expect("it stays");
    assert_eq!(*owner(&found), next["metadata"]["uid"], "{timing:?}");
    let policy = &found["spec"]["persistentVolumeReclaimPolicy"];
    assert_eq!(*policy, "Recycle", "{timing:?}");
}

/// The controller's next rounds find nothing to empty either.
fn assert_all_is_kept(scene: &Scene<'_>, volumes: usize) {
    sleep(QUIET_TWICE);
    for number in 0..volumes {
        assert!(scene.has_data(&format!("v{number}")), "{number}");
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn its_recycler_and_ours_are_never_both_at_it() {
    on_a_plane("alone", |scene, cluster, _| {
        let _controller = cluster.start_controller();
        for (number, timing) in ALONE.into_iter().enumerate() {
            let name = &format!("v{number}");
            round(scene, name, timing);
            assert!(recycler(scene, name).is_none(), "{timing:?}");
        }
        assert_all_is_kept(scene, ALONE.len());
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn whenever_we_come_the_next_owner_keeps_its_files() {
    on_a_plane("lane", |first, cluster, upstream| {
        let _controller = cluster.start_controller();
        let others = [(); LANES - 1].map(|()| Scene::create(cluster, upstream.api(), "lane"));
        thread::scope(|scope| {
            for scene in others.iter().chain([first]) {
                scope.spawn(move || {
                    for (number, timing) in AT_ONCE.into_iter().enumerate() {
                        round(scene, &format!("v{number}"), timing);
                    }
                    assert_all_is_kept(scene, AT_ONCE.len());
                });
            }
        });
        for scene in others {
            scene.clear();
        }
    });
}
