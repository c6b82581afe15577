//! Which node a directory of this machine belongs to: the one that is named, else the one that was selected,
//! else the one that is this machine; and if there is none, nothing is made. Nothing is made for another node than
//! this machine either; if this machine is not a Node, only for a node that is named, with a warning.

use std::process::Command;

use serde_json::{Value, json};

use super::judge::not_served;
use super::scene::{HOST, Kind, NODE, Scene, TrialNode};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::support::{Ran, kubectl_pv};

/// Without a node being said.
fn provision(scene: &Scene, proxy: &Proxy) -> Ran {
    let (namespace, backend) = (&scene.place.name, scene.backend());
    let arguments = [
        "provision",
        "data",
        "-n",
        namespace,
        "--backend",
        &backend,
        "--yes",
    ];
    kubectl_pv(&arguments)
        .env("KUBECONFIG", proxy.kubeconfig())
        .ran()
}

fn tied_to(scene: &Scene) -> Value {
    let volume = scene.made().pop().unwrap_or_default();
    let terms = &volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"];
    terms[0]["matchExpressions"][0]["values"].clone()
}

fn node(name: &str, host: &str) -> Value {
    let labels = json!({ "kubernetes.io/hostname": host });
    json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name, "labels": labels } })
}

/// What this machine calls itself.
fn this_host() -> String {
    let output = Command::new("uname").arg("-n").output().expect("uname");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

struct Guard(Api, Value);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.delete(&self.1);
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_node_that_was_selected() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let proxy = Proxy::start(upstream.address, Pass);
    let scene = Scene::bare(upstream.api(), "selected", Kind::HostPath);
    let mut class = scene.class();
    class["volumeBindingMode"] = json!("WaitForFirstConsumer");
    scene.api.create(&class);
    let mut claim = scene.claim();
    claim["metadata"]["annotations"] = json!({ "volume.kubernetes.io/selected-node": NODE });
    scene.api.create(&claim);
    let before = scene.normal_form();
    let ran = provision(&scene, &proxy);
    assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("NodeAffinityMismatch"),
        "{}",
        ran.stdout
    );
    assert_eq!(scene.normal_form(), before);
    let ran = on(NODE, &scene, &proxy, &["--yes"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(not_served(&scene), [""; 0]);
    assert_eq!(tied_to(&scene), json!([HOST]));
    scene.clear();
}

/// `provision` of the claim in a pod on that node.
fn on(node: &str, scene: &Scene, proxy: &Proxy, arguments: &[&str]) -> Ran {
    let (namespace, backend) = (&scene.place.name, scene.backend());
    let mut all = vec!["provision", "data", "-n", namespace, "--backend", &backend];
    all.extend(arguments);
    kubectl_pv(&all)
        .env("KUBECONFIG", proxy.kubeconfig())
        .env("KUBECTL_PV_NODE_NAME", node)
        .ran()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn another_node_than_this_machine() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let _node = TrialNode::create(api);
    let here = node("this-node", "this-node");
    api.create(&here);
    let _guard = Guard(api, here);
    let proxy = Proxy::start(upstream.address, Pass);
    let scene = Scene::create(api, "another", Kind::HostPath);
    let before = scene.normal_form();
    for arguments in [
        &["--node", NODE, "--yes", "-o", "json"][..],
        &["--node", NODE, "--dry-run", "-o", "json"],
    ] {
        let ran = on("this-node", &scene, &proxy, arguments);
        assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
        let printed: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!(printed["skipped"][0]["code"], "NodeAffinityMismatch");
        assert_eq!(printed["changes"], json!([]));
        assert_eq!(printed["warnings"], json!([]));
    }
    assert_eq!(scene.normal_form(), before);
    assert!(scene.yard.inside().is_empty() && scene.events().is_empty());
    scene.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_node_that_is_named_on_a_machine_that_is_not_a_node() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let proxy = Proxy::start(upstream.address, Pass);
    let scene = Scene::create(upstream.api(), "desk", Kind::HostPath);
    let base = scene.yard.base().display().to_string();
    let expected = [this_host(), base, NODE.to_owned()];
    let names_all = |text: &str| expected.iter().all(|named| text.contains(named));
    let text = scene.ask(proxy.kubeconfig(), &["data", "--dry-run"]).ran();
    let mut lines = text.stdout.lines();
    let warning = lines.position(|line| line.starts_with("Warning: "));
    assert!(warning.is_some(), "{}", text.stdout);
    assert!(text.stdout.contains("(NotThisNode)"), "{}", text.stdout);
    let planned = scene.ask(proxy.kubeconfig(), &["data", "--dry-run", "-o", "json"]);
    let done = scene.provision(proxy.kubeconfig(), &["data"]);
    for run in [planned, done] {
        let printed = run.json();
        let warnings = printed["warnings"].as_array().expect("a list");
        assert_eq!(warnings.len(), 1, "{printed}");
        assert_eq!(warnings[0]["code"], "NotThisNode");
        assert_eq!(warnings[0]["target"]["name"], "data");
        let message = warnings[0]["message"].as_str().expect("a text");
        assert!(names_all(message), "{message}");
    }
    assert_eq!(not_served(&scene), [""; 0]);
    scene.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_node_that_is_this_machine() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let proxy = Proxy::start(upstream.address, Pass);
    let host = this_host();
    for name in [host.to_lowercase(), "another-name".to_owned()] {
        let object = node(&name, &host);
        api.create(&object);
        let _guard = Guard(api, object);
        let scene = Scene::create(api, "this", Kind::HostPath);
        let ran = provision(&scene, &proxy);
        assert_eq!(ran.status, 0, "{name}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(tied_to(&scene), json!([host]), "{name}");
        scene.clear();
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn no_node_at_all() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let proxy = Proxy::start(upstream.address, Pass);
    let scene = Scene::create(upstream.api(), "nowhere", Kind::HostPath);
    let ran = provision(&scene, &proxy);
    assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("node") || ran.stdout.contains("node"));
    assert!(scene.volumes().is_empty() && scene.yard.inside().is_empty());
    scene.clear();
}
