//! A pod comes between what was read and what is done: before our last look its claim stays; after it Kubernetes itself keeps the
//! claim for as long as the pod is there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::scene::{Scene, pod, skipped};
use crate::cluster::control_plane::{ControlPlane, QUIET};
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Action, Before, Script};
use crate::cluster::report_check::OtherWrite;
use crate::support::Ran;

const ARGUMENTS: [&str; 6] = [
    "--yes",
    "--include-likely",
    "--category",
    "unused-claims",
    "--timeout",
    "5s",
];

/// Before the first request of that method and path the pod is created.
fn create_pod_before(
    api: Api,
    scene: &Scene<'_>,
    method: &'static str,
    path: String,
) -> (impl Script + 'static, Arc<AtomicBool>) {
    let came = Arc::new(AtomicBool::new(false));
    let (namespace, node) = (scene.place.name.clone(), scene.node());
    let is_there = Arc::clone(&came);
    let script = Before(move |_, request: &Request| {
        let is_it = request.method == method && request.path == path;
        if is_it && !is_there.swap(true, Ordering::SeqCst) {
            api.create(&pod(&namespace, "late", &node, "data"));
        }
        Action::Forward
    });
    (script, came)
}

fn run(scene: &Scene<'_>, upstream: &Upstream, script: impl Script + 'static) -> Ran {
    let proxy = Proxy::start(upstream.address, script);
    let site = scene.site();
    let before = site.read();
    let ran = scene
        .command(&ARGUMENTS)
        .env("KUBECONFIG", proxy.kubeconfig())
        .ran();
    let others = [OtherWrite::object("Pod", "late")];
    let untrue = site.false_report(&before, &ran, &others);
    assert_eq!(untrue, [""; 0], "{}{}", ran.stdout, ran.stderr);
    ran
}

/// At once: no kubelet is there to say that it has ended.
fn end_pod(api: Api, scene: &Scene<'_>) {
    let path = format!("/api/v1/namespaces/{}/pods/late", scene.place.name);
    let at_once = json!({ "apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0 });
    let ended = api.send("DELETE", &path, "application/json", &at_once);
    assert!(matches!(ended, Ok((200, _))), "{ended:?}");
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_claim_that_gets_a_pod_is_left() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let scene = Scene::create(&cluster, api, "late");
    let claim = scene.bound_claim("data", "Delete");
    let place = &scene.place.name;
    let path = format!("/api/v1/namespaces/{place}/pods");
    let (script, came) = create_pod_before(api, &scene, "GET", path);
    let ran = run(&scene, &upstream, script);
    assert!(came.load(Ordering::SeqCst), "no last look: {}", ran.stdout);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(skipped(&ran), ["data InUse"], "{}", ran.stdout);
    assert!(!scene.is_going(&claim) && scene.has_data("data"));
    end_pod(api, &scene);
    scene.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_pod_after_the_last_look_keeps_its_claim() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let scene = Scene::create(&cluster, api, "later");
    let claim = scene.bound_claim("data", "Retain");
    let place = scene.place.name.clone();
    let path = format!("/api/v1/namespaces/{place}/persistentvolumeclaims/data");
    let (script, came) = create_pod_before(api, &scene, "DELETE", path);
    let ran = run(&scene, &upstream, script);
    assert!(came.load(Ordering::SeqCst), "{}", ran.stdout);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let _controller = cluster.start_controller();
    std::thread::sleep(QUIET);
    let held = api.find(&claim).expect("the pod holds its claim");
    assert!(held["metadata"]["deletionTimestamp"].is_string());
    end_pod(api, &scene);
    let began = Instant::now();
    while api.find(&claim).is_some() {
        assert!(began.elapsed() < Duration::from_secs(20), "it goes then");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(scene.has_data("data"));
    scene.clear();
}
