//! A provisioner has a distinct name: what is not VENDOR/NAME is wrong usage, what the class does not
//! choose is not ours, and a name that somebody else serves is left to them.

use serde_json::{Value, json};

use super::judge::not_served;
use super::scene::{Kind, Scene};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::support::{TemporaryFile, kubectl_pv};

fn assert_untouched(scene: &Scene, before: &[Value]) {
    assert_eq!(scene.place.storage(), before);
    assert!(scene.yard.inside().is_empty(), "{:?}", scene.yard.inside());
}

/// Refused before any write, and not ours to send events about.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_class_without_a_provisioner() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let scene = Scene::bare(upstream.api(), "none", Kind::Nfs);
    let mut class = scene.class();
    class["provisioner"] = json!("kubernetes.io/no-provisioner");
    scene.api.create(&class);
    scene.api.create(&scene.claim());
    let before = scene.place.storage();
    for _ in 0..2 {
        let ran = scene.provision(proxy.kubeconfig(), &["data"]).ran();
        assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
        let outcome: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(outcome["skipped"][0]["code"], "NoProvisioner", "{outcome}");
    }
    assert_untouched(&scene, &before);
    assert_eq!(scene.events(), Vec::<Value>::new());
    let writes = proxy
        .log()
        .iter()
        .filter(|entry| entry.number.of_writes.is_some())
        .count();
    assert_eq!(writes, 0, "{}", proxy.show());
    scene.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn names_that_are_not_ours_to_take() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let scene = Scene::create(upstream.api(), "names", Kind::Nfs);
    let before = scene.place.storage();
    let base = scene.yard.base();
    let base = base.display();
    for backend in [
        format!("csi.trial.example.com=hostpath:{base}"),
        format!("kubernetes.io/host-path=hostpath:{base}"),
        format!("x.kubernetes.io/y=hostpath:{base}"),
        format!("trial.example.com/x=hostpath:{base}/missing"),
        format!("trial.example.com/x=exec:{base}"),
        format!("trial.example.com/x=directory:{base}"),
        "trial.example.com/x".to_owned(),
    ] {
        let namespace = &scene.place.name;
        let arguments = [
            "provision",
            "data",
            "-n",
            namespace,
            "--backend",
            &backend,
            "--yes",
        ];
        let ran = kubectl_pv(&arguments)
            .env("KUBECONFIG", proxy.kubeconfig())
            .ran();
        assert_eq!(ran.status, 2, "{backend}: {}", ran.stderr);
    }
    assert!(
        proxy.log().is_empty(),
        "before anything is read: {}",
        proxy.show()
    );
    assert_untouched(&scene, &before);
    scene.clear();
}

/// Events that are signed with the name are reported; any user with rights in a namespace can write them, so they decide nothing.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_name_that_events_are_signed_with() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let scene = Scene::bare(upstream.api(), "served", Kind::Nfs);
    let name = "served.example.com/nfs";
    let mut class = scene.class();
    class["provisioner"] = json!(name);
    scene.api.create(&class);
    let claim = scene.api.create(&scene.claim());
    let other = scene.api.create(&scene.place.claim("other", "1Gi"));
    let event = json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": { "namespace": scene.place.name, "name": "other.1" },
        "involvedObject": {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": scene.place.name,
            "name": "other", "uid": other["metadata"]["uid"],
        },
        "type": "Normal", "reason": "Provisioning",
        "message": "External provisioner is provisioning volume for claim",
        "source": { "component": format!("{name}_host-1_0a0b0c0d-0000-4000-8000-000000000000") },
        "firstTimestamp": claim["metadata"]["creationTimestamp"],
        "lastTimestamp": claim["metadata"]["creationTimestamp"], "count": 1,
    });
    scene.api.create(&event);
    let base = scene.yard.base();
    let backend = format!("{name}=nfs:filer.example.com:/x@{}", base.display());
    let namespace = &scene.place.name;
    let arguments = [
        "provision",
        "data",
        "-n",
        namespace,
        "--backend",
        &backend,
        "--yes",
        "-o",
        "json",
    ];
    let ran = kubectl_pv(&arguments)
        .env("KUBECONFIG", proxy.kubeconfig())
        .ran();
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let outcome: Value = serde_json::from_str(&ran.stdout).expect("an outcome");
    let warning = &outcome["warnings"][0];
    assert_eq!(warning["code"], "RivalReported", "{outcome:#}");
    let message = warning["message"].as_str().expect("a text");
    assert!(
        message.contains(name) && message.contains(namespace),
        "{message}"
    );
    assert_eq!(scene.made().len(), 1);
    scene.clear();
}

/// The same configuration in a file, named by a flag or by the environment.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn backends_may_stand_in_a_file() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    for by_flag in [true, false] {
        let scene = Scene::create(upstream.api(), "file", Kind::Nfs);
        let backend = scene.backend();
        let (name, target) = backend.split_once('=').unwrap();
        let file = TemporaryFile::new("backends.yaml", &format!("{name}: {target}\n"));
        let mut arguments = vec!["provision", "data", "-n", &scene.place.name, "--yes"];
        if by_flag {
            arguments.extend(["--backends", file.path()]);
        }
        let mut run = kubectl_pv(&arguments).env("KUBECONFIG", proxy.kubeconfig());
        if !by_flag {
            run = run.env("KUBECTL_PV_BACKENDS", file.path());
        }
        let ran = run.ran();
        assert_eq!(ran.status, 0, "{by_flag}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(not_served(&scene), [""; 0]);
        scene.clear();
    }
}
