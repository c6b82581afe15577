//! The pod does its work, and the volume is anybody's again; or it fails, stays for its log, and the volume stays locked until the
//! printed command is run once nothing is in the way.

use std::process::{Command, Output};

use serde_json::Value;

use super::super::moment::Moment;
use super::super::stage::{MARK, is_in, owner, wait_for};
use super::Stage;
use super::kubelet::READ_ONLY;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;

/// The lock is about to be written.
fn locking(request: &Request) -> bool {
    let body = String::from_utf8_lossy(&request.body);
    let is_mark = body.contains(&format!("\"{MARK}\":\"Recycle"));
    request.method == "PATCH" && is_mark
}

/// With the real scheduler, and the real controller for whoever comes next.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_pod_behind_a_gate_empties_it_and_the_next_claim_gets_it() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _scheduler = cluster.start_scheduler();
    let stage = Stage::create(&cluster, upstream.api());
    stage.kubelet.leave_to_scheduler();
    let (api, place) = (upstream.api(), stage.scene.place.name.clone());
    let waits = Moment::new(locking, move || {
        // Time enough for the scheduler, were there no gate.
        std::thread::sleep(std::time::Duration::from_millis(500));
        let pods = api.list("v1", "Pod", Some(&place));
        let is_held = |pod: &Value| {
            pod["spec"]["schedulingGates"].is_array() && pod["spec"]["nodeName"].is_null()
        };
        pods.len() == 1 && pods.iter().all(is_held)
    });
    let proxy = Proxy::start(upstream.address, waits.clone());
    let ran = stage.reclaim(proxy.kubeconfig());
    let said = format!("{}{}{}", ran.stdout, ran.stderr, proxy.show());
    assert_eq!(ran.status, 0, "{said}");
    assert!(waits.went_well(), "no pod behind its gate: {said}");
    assert_eq!(stage.unmet(), [""; 0], "{said}");

    let _controller = cluster.start_controller();
    let claim = stage.scene.place.claim("next", "1Gi");
    let claim = upstream.api().create(&claim);
    wait_for("the next claim has it", || {
        is_in(upstream.api(), &claim, "Bound")
    });
    assert_eq!(*owner(&stage.volume()), claim["metadata"]["uid"]);
    assert_eq!(stage.clear(), (1, vec![]));
}

fn events(stage: &Stage<'_>) -> Vec<Value> {
    let mut events = stage.scene.api.list("v1", "Event", Some("default"));
    let name = format!("{}-v", stage.scene.place.name);
    events.retain(|event| event["involvedObject"]["name"] == name.as_str());
    events
}

/// Runs a printed command as somebody who pastes it, with `kubectl pv` being our program.
fn paste(command: &str, kubeconfig: &str) -> Output {
    Command::new("bash")
        .arg("-c")
        .arg(format!(
            "kubectl() {{ shift; \"$PROGRAM\" \"$@\"; }}\n{command} --yes"
        ))
        .env("PROGRAM", env!("CARGO_BIN_EXE_kubectl-pv"))
        .env("KUBECONFIG", kubeconfig)
        .output()
        .expect("run bash")
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_pod_that_fails_stays_and_the_next_run_begins_anew() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let stage = Stage::create(&cluster, upstream.api());
    let admin = cluster.kubeconfig("admin");
    let admin = admin.to_str().expect("a path in plain text");
    stage.kubelet.mount(Some(READ_ONLY));
    let mut uids = Vec::new();
    let mut finish_with = String::new();
    for _ in 0..2 {
        let ran = stage.reclaim(admin);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.status, 4, "{said}");
        assert!(said.contains("something could not be deleted"), "{said}");
        assert!(said.contains("kubectl logs -n "), "{said}");
        let pods = stage.pods();
        let [pod] = &pods[..] else {
            panic!("not one pod is kept: {pods:?}");
        };
        assert_eq!(pod["status"]["phase"], "Failed");
        assert!(stage.is_locked_for(pod), "{}", stage.volume());
        assert!(stage.scene.has_data("v"));
        uids.push(pod["metadata"]["uid"].clone());
        let outcome: Value = serde_json::from_str(&ran.stdout).expect("an outcome");
        let command = outcome["finishWith"].as_str().expect("a command to paste");
        command.clone_into(&mut finish_with);
        let told = events(&stage);
        let is_told = |event: &Value| {
            let message = event["message"].as_str().unwrap_or_default();
            event["reason"] == "VolumeFailedRecycle" && message.contains("could not be deleted")
        };
        assert!(told.iter().any(is_told), "{told:?}");
    }
    assert_ne!(uids[0], uids[1], "the second run begins anew");
    stage.kubelet.mount(None);
    let finished = paste(&finish_with, admin);
    assert!(finished.status.success(), "{finish_with}: {finished:?}");
    assert_eq!(stage.unmet(), [""; 0], "{finished:?}");
    for event in events(&stage) {
        stage.scene.api.delete(&event);
    }
    assert_eq!(stage.clear(), (3, vec![]));
}
