//! Two machines that serve one provisioner name: the PersistentVolume object decides. The machine that finds another source in it
//! deletes its own directory, reports its changes as AlreadyDone and ends with 0.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::judge::not_served;
use super::scene::{Kind, Scene};
use super::yard::Yard;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::gate::Gate;
use crate::cluster::faults::kill_point::{KillPoint, Moment};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Counted, Pass};
use crate::cluster::faults::subject::Subject;
use crate::cluster::report_check::{Report, Site};
use crate::sample;
use crate::support::{Ran, kubectl_pv};

const LIMIT: Duration = Duration::from_secs(30);

/// A machine: its node, and its own base directory.
struct Machine {
    node: String,
    yard: Yard,
    api: Api,
}

impl Machine {
    fn create(api: Api, scene: &Scene, name: &str) -> Self {
        let node = format!("{}-{name}", scene.place.name);
        let labels = json!({ "kubernetes.io/hostname": node });
        let object = json!({ "apiVersion": "v1", "kind": "Node",
            "metadata": { "name": node, "labels": labels } });
        api.create(&object);
        Self {
            node,
            yard: Yard::new(),
            api,
        }
    }

    fn clean_up(&self, scene: &Scene, kubeconfig: &str) -> Ran {
        let base = self.yard.base();
        let backend = format!("{}=hostpath:{}", scene.kind.provisioner(), base.display());
        let (category, namespace) = ("leaked-assets", &*scene.place.name);
        let words = [
            "cleanup",
            "--category",
            category,
            "-n",
            namespace,
            "--backend",
            &backend,
            "--yes",
        ];
        kubectl_pv(&words).env("KUBECONFIG", kubeconfig).ran()
    }

    fn provision(&self, scene: &Scene, kubeconfig: &str) -> Arc<Subject> {
        let base = self.yard.base();
        let backend = format!("{}=hostpath:{}", scene.kind.provisioner(), base.display());
        let words = [
            "provision",
            "data",
            "-n",
            &scene.place.name,
            "--backend",
            &backend,
            "--node",
            &self.node,
            "--yes",
            "-o",
            "json",
        ];
        Subject::start(kubectl_pv(&words).env("KUBECONFIG", kubeconfig).command())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let path = format!("/api/v1/nodes/{}", self.node);
        let none = &serde_json::Value::Null;
        let _ = self.api.send("DELETE", &path, "application/json", none);
    }
}

/// Killed after the other machine created the volume, the second one leaves its directory. `cleanup` finds it and deletes it.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn cleanup_deletes_the_directory_of_the_second() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scene = Scene::create(upstream.api(), "second", Kind::HostPath);
    let machines = ["one", "two"].map(|name| Machine::create(upstream.api(), &scene, name));
    let pass = Proxy::start(upstream.address, Pass);
    // The first write is to the claim, the second creates the volume.
    let point = KillPoint::new(Moment::Before, Counted::Writes, 2);
    let proxy = Proxy::start(upstream.address, Arc::clone(&point));
    let killed = machines[1].provision(&scene, proxy.kubeconfig());
    point.aim(&killed);
    killed.wait();
    let first = machines[0].provision(&scene, pass.kubeconfig()).wait();
    assert_eq!(first.status, Some(0), "{first:?}");
    let count = |machine: &Machine| machine.yard.assets().len();
    assert_eq!(machines.each_ref().map(count), [1, 1]);
    for machine in &machines {
        let cleaned = machine.clean_up(&scene, pass.kubeconfig());
        assert_eq!(cleaned.status, 0, "{}{}", cleaned.stdout, cleaned.stderr);
    }
    assert_eq!(machines.each_ref().map(count), [1, 0]);
    assert_eq!(not_served(&scene), [""; 0]);
    scene.clear();
}

/// What is wrong after both have run, a sentence each.
fn race(upstream: &Upstream) -> Vec<String> {
    let scene = Scene::create(upstream.api(), "machines", Kind::HostPath);
    let machines = ["one", "two"].map(|name| Machine::create(upstream.api(), &scene, name));
    let bases = machines.each_ref().map(|machine| machine.yard.base());
    let site = Site::new(upstream.api(), &scene.place.name, &bases);
    let before = site.read();
    let gate = Arc::new(Gate::default());
    let proxy = Proxy::start(upstream.address, Arc::clone(&gate));
    let runs = machines
        .each_ref()
        .map(|machine| machine.provision(&scene, proxy.kubeconfig()));
    gate.wait_for(runs.len(), LIMIT);
    gate.open();
    let ended = runs.map(|run| run.wait());
    let mut found = not_served(&scene);
    for one in &ended {
        if one.status != Some(0) {
            found.push(format!("{one:?}"));
        }
    }
    let both = ended.iter().zip(bases);
    let reports: Vec<Report> = both
        .map(|(one, base)| Report::from(one).in_base(base))
        .collect();
    found.extend(site.false_reports(&before, &reports, &[]));
    if !found.is_empty() {
        found.push(format!("{ended:#?}\n{}", proxy.show()));
    }
    scene.clear();
    found
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn one_volume_and_one_directory() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let rounds = sample::rounds(50, 5);
    let found: Vec<String> = (0..rounds).flat_map(|_| race(&upstream)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
