//! `reclaim --recycler-image` on the real API server: a pod of ours empties a volume behind its lock, and nobody else's. No node is
//! there to run it, so `kubelet.rs` plays one, with the real command on the real directory.

mod emptied;
mod killed;
mod kubelet;
mod not_let_loose;
mod overtaken;
mod roles;

use std::fs;

use serde_json::{Value, json};

use super::scene::Scene;
use super::stage::MARK;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Api;
use crate::cluster::report_check::OtherWrite;
use crate::support::{Ran, Run, kubectl_pv};
use kubelet::Kubelet;

/// The annotation that says which pod may empty a volume.
const NAMED: &str = "kubectl-pv.dev/recycler-pod";

/// A scene with a Released volume `v` of policy Recycle, and a node for its pod.
struct Stage<'a> {
    scene: Scene<'a>,
    kubelet: Kubelet,
    node: Value,
}

impl<'a> Stage<'a> {
    fn create(cluster: &'a ControlPlane, api: Api) -> Self {
        let scene = Scene::create(cluster, api, "by-pod");
        let name = format!("{}-node", scene.place.name);
        let node = api.create(&json!({ "apiVersion": "v1", "kind": "Node",
            "metadata": { "name": name } }));
        let room = json!({ "cpu": "1", "memory": "1Gi", "pods": "10" });
        api.patch_status(&node, &json!({ "capacity": room, "allocatable": room }));
        let kubelet = Kubelet::start(api, &scene.place.name, &name);
        scene.released("v", "Recycle");
        Self {
            scene,
            kubelet,
            node,
        }
    }

    /// `kubectl pv reclaim …` for the volume; what is said in `more` is not said otherwise.
    fn command(&self, kubeconfig: &str, more: &[&str]) -> Run {
        let place = &self.scene.place.name;
        let (volume, node) = (format!("{place}-v"), format!("{place}-node"));
        let mut all = vec!["reclaim", &volume, "--yes", "-o", "json"];
        let usual = [
            ("--recycler-image", "busybox:1.37"),
            ("--recycler-namespace", place),
            ("--node", &node),
            ("--timeout", "30s"),
        ];
        for (flag, value) in usual {
            if !more.contains(&flag) {
                all.extend([flag, value]);
            }
        }
        all.extend(more);
        kubectl_pv(&all).env("KUBECONFIG", kubeconfig)
    }

    fn reclaim(&self, kubeconfig: &str) -> Ran {
        self.reclaim_beside(self.command(kubeconfig, &[]), &[])
    }

    /// A run beside the node and other actors; its report is true.
    fn reclaim_beside(&self, run: Run, others: &[OtherWrite]) -> Ran {
        let site = self.scene.site();
        let before = site.read();
        let ran = run.ran();
        let untrue = site.false_report(&before, &ran, &beside_node(others));
        assert_eq!(untrue, [""; 0], "{}{}", ran.stdout, ran.stderr);
        ran
    }

    fn pods(&self) -> Vec<Value> {
        let place = &self.scene.place.name;
        self.scene.api.list("v1", "Pod", Some(place))
    }

    fn volume(&self) -> Value {
        self.scene.find("v").expect("it stays")
    }

    /// Why the volume is not empty and free.
    fn unmet(&self) -> Vec<String> {
        let volume = self.volume();
        let pods = self.pods();
        let left = fs::read_dir(self.scene.directory("v")).map(Iterator::count);
        let policy = &volume["spec"]["persistentVolumeReclaimPolicy"];
        let all = [
            (left.is_ok_and(|left| left == 0), "empty"),
            (pods.is_empty(), "without a pod"),
            (volume["status"]["phase"] == "Available", "Available"),
            (volume["spec"]["claimRef"].is_null(), "free"),
            (policy == "Recycle", "of its old policy"),
            (volume["metadata"]["annotations"].is_null(), "unmarked"),
        ];
        let wrong = all.iter().filter(|(is_so, _)| !is_so);
        wrong
            .map(|(_, what)| format!("not {what}: {volume} {pods:?}"))
            .collect()
    }

    /// Whether our lock is on it, and names this pod.
    fn is_locked_for(&self, pod: &Value) -> bool {
        let volume = self.volume();
        let annotations = &volume["metadata"]["annotations"];
        volume["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
            && annotations[MARK].is_string()
            && annotations[NAMED] == pod["metadata"]["uid"]
    }

    /// Takes all away; what the node saw is said: how often it ran a pod, and what was wrong.
    fn clear(self) -> (usize, Vec<String>) {
        let seen = self.kubelet.stop();
        self.scene.api.delete(&self.node);
        self.scene.clear();
        seen
    }
}

/// What the node writes: it runs the pod, which empties the directory.
fn beside_node(others: &[OtherWrite]) -> Vec<OtherWrite> {
    let fields = ["/spec", "/status", "/metadata"];
    let fields = fields.map(|field| OtherWrite::field_of_all("Pod", field));
    let mut writes = fields.to_vec();
    writes.extend(["v", "v-mounted"].map(OtherWrite::asset));
    writes.extend(others.iter().cloned());
    writes
}
