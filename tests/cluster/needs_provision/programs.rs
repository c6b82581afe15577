//! What an `exec` program answers is not believed blindly: an asset that does not fit is given back, and
//! one that cannot be given back is named.

use std::fs;

use serde_json::Value;

use super::judge::not_served;
use super::scene::{Kind, Scene};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::chance::refusal;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Action, Before, Number, Pass};
use crate::support::Ran;

const SOURCE: &str = r#""source": {"nfs": {"server": "appliance", "path": "/made"}}"#;

/// Answers `create` and `delete` as it is told, and notes both.
fn program(scene: &Scene, create: &str, delete: &str) -> String {
    let root = scene.yard.root().display();
    let text = format!(
        r#"#!/bin/sh
request=$(cat)
case $request in
*'"operation":"capabilities"'*)
    echo '{{"protocol": "kubectl-pv.dev/exec/v1", "operations": ["create", "delete"], "parameters": {{}}, "options": {{}}}}' ;;
*'"operation":"create"'*) echo create >>{root}/asked; {create} ;;
*'"operation":"delete"'*) echo delete >>{root}/asked; {delete} ;;
esac
"#
    );
    let path = scene.yard.program("appliance", &text);
    path.to_str().unwrap().to_owned()
}

fn asked(scene: &Scene) -> Vec<String> {
    let text = fs::read_to_string(scene.yard.root().join("asked")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn run(create: &str, delete: &str, look: impl FnOnce(&Scene, &Ran)) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let mut scene = Scene::create(upstream.api(), "program", Kind::Exec);
    scene.program = Some(program(&scene, create, delete));
    let ran = scene.provision(proxy.kubeconfig(), &["data"]).ran();
    look(&scene, &ran);
    scene.clear();
}

fn failed_events(scene: &Scene) -> Vec<Value> {
    let mut events = scene.events();
    events.retain(|event| event["reason"] == "ProvisioningFailed");
    events
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn more_than_asked_for_is_welcome() {
    let create =
        format!(r#"echo '{{{SOURCE}, "capacityBytes": 2147483648, "labels": {{"pool": "a"}}}}'"#);
    run(&create, "echo '{}'", |scene, ran| {
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(not_served(scene), [""; 0]);
        let volume = &scene.made()[0];
        assert_eq!(volume["spec"]["capacity"]["storage"], "2Gi");
        assert_eq!(volume["metadata"]["labels"]["pool"], "a");
        assert_eq!(scene.found_claim()["status"]["capacity"]["storage"], "2Gi");
        assert_eq!(asked(scene), ["create"]);
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn less_than_asked_for_is_given_back() {
    let create = format!(r#"echo '{{{SOURCE}, "capacityBytes": 1073741823}}'"#);
    run(&create, "echo '{}'", |scene, ran| {
        assert!([1, 4].contains(&ran.status), "{}{}", ran.stdout, ran.stderr);
        assert!(scene.volumes().is_empty());
        let asked = asked(scene);
        assert_eq!(
            asked.last().map(String::as_str),
            Some("delete"),
            "{asked:?}"
        );
        assert_eq!(failed_events(scene).len(), 1, "{:?}", scene.events());
    });
}

/// Tenants read events: what a program writes to stderr is for the administrator's terminal only.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_a_program_writes_to_stderr_is_in_no_event() {
    let create = "echo 'login to 10.0.0.7 with hunter2 failed' >&2; exit 3";
    run(create, "echo '{}'", |scene, ran| {
        assert!(ran.stderr.contains("hunter2"), "{}", ran.stderr);
        assert!(!ran.stdout.contains("hunter2"), "{}", ran.stdout);
        let events = format!("{:?}", scene.events());
        assert!(
            !events.contains("hunter2") && !events.contains("10.0.0.7"),
            "{events}"
        );
        assert!(events.contains("exit status: 3"), "{events}");
    });
}

/// What the API server would not take as a volume must not cost an asset.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_no_volume_is_given_back() {
    for source in [
        r#""source": {"nfs": {"server": "appliance", "path": "../up"}}"#,
        r#""source": {"teleport": {"to": "moon"}}"#,
        r#""source": {"nfs": {"server": "appliance", "path": "/a"}}, "labels": {"bad key!": "x"}"#,
    ] {
        let create = format!("echo '{{{source}}}'");
        run(&create, "echo '{}'", |scene, ran| {
            assert!(
                [1, 4].contains(&ran.status),
                "{source}: {}{}",
                ran.stdout,
                ran.stderr
            );
            assert!(scene.volumes().is_empty(), "{source}");
            let asked = asked(scene);
            assert_eq!(
                asked.last().map(String::as_str),
                Some("delete"),
                "{source}: {asked:?}"
            );
            assert_eq!(
                failed_events(scene).len(),
                1,
                "{source}: {:?}",
                scene.events()
            );
        });
    }
}

/// The volume cannot be saved, ever: the asset is deleted. If that fails too, what is left is named.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_volume_that_cannot_be_saved_costs_its_asset() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    for (kind, delete) in [
        (Kind::Nfs, ""),
        (Kind::Exec, "echo '{}'"),
        (Kind::Exec, "echo stuck >&2; exit 9"),
    ] {
        // As an admission webhook would.
        let no_volumes = Before(|_: Number, request: &Request| {
            let is_volume = request.method == "POST" && request.path == "/api/v1/persistentvolumes";
            if is_volume {
                Action::Answer(refusal(403, "Forbidden"))
            } else {
                Action::Forward
            }
        });
        let proxy = Proxy::start(upstream.address, no_volumes);
        let mut scene = Scene::create(upstream.api(), "unsaved", kind);
        if kind == Kind::Exec {
            scene.program = Some(program(&scene, &format!("echo '{{{SOURCE}}}'"), delete));
        }
        let site = scene.site();
        let before = site.read();
        let ran = scene
            .provision(proxy.kubeconfig(), &["data", "--timeout", "10s"])
            .ran();
        // The programs of this test only say that they create a directory.
        if kind == Kind::Nfs {
            let untrue = site.false_report(&before, &ran, &[]);
            assert_eq!(untrue, [""; 0], "{}{}", ran.stdout, ran.stderr);
        }
        assert!([1, 4].contains(&ran.status), "{}{}", ran.stdout, ran.stderr);
        assert!(scene.volumes().is_empty());
        assert!(scene.yard.assets().is_empty(), "{:?}", scene.yard.inside());
        assert!(scene.yard.records().is_empty(), "{:?}", scene.yard.inside());
        let failed = failed_events(&scene);
        assert!(!failed.is_empty(), "{:?}", scene.events());
        if kind == Kind::Exec {
            let asked = asked(&scene);
            assert_eq!(
                asked.last().map(String::as_str),
                Some("delete"),
                "{asked:?}"
            );
        }
        if delete.contains("stuck") {
            let left = format!("pvc-{}", scene.uid());
            assert!(
                ran.stderr.contains(&left) && ran.stderr.contains("/made"),
                "{}",
                ran.stderr
            );
        }
        scene.clear();
    }
}
