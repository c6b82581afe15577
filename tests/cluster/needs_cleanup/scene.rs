//! Where one `cleanup` takes place: a namespace, a class of the same name that everything is found by, a node, and a base directory
//! with one directory for each volume of ours.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Api;
use crate::cluster::faults::place::Place;
use crate::cluster::needs_provision::yard::stamp;
use crate::cluster::report_check::{OtherWrite, Site};
use crate::support::{Ran, Run, TemporaryFile, kubectl_pv};

pub(super) const OURS: &str = "trial.example.com/dirs";
const OLD: &str = "00000000-0000-4000-8000-000000000001";

pub(super) struct Scene<'a> {
    pub(super) place: Place,
    pub(super) api: Api,
    cluster: &'a ControlPlane,
    /// The base directory lies beside it.
    file: TemporaryFile,
    /// What lives in no namespace, and claims and volumes of the place.
    others: std::cell::RefCell<Vec<Value>>,
}

impl<'a> Scene<'a> {
    pub(super) fn create(cluster: &'a ControlPlane, api: Api, what: &str) -> Self {
        let scene = Self {
            place: Place::create(api, what),
            api,
            cluster,
            file: TemporaryFile::new("scene", ""),
            others: std::cell::RefCell::default(),
        };
        fs::create_dir(scene.base()).expect("make a base directory");
        stamp(&scene.base());
        let name = scene.node();
        scene.add(
            &json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name,
            "labels": { "kubernetes.io/hostname": name } } }),
        );
        let namespace = &scene.place.name;
        api.create(&json!({ "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": { "namespace": namespace, "name": "default" } }));
        scene
    }

    pub(super) fn node(&self) -> String {
        format!("{}-node", self.place.name)
    }

    pub(super) fn base(&self) -> PathBuf {
        Path::new(self.file.path()).with_file_name("base")
    }

    /// Whether the file in the directory behind a volume is there.
    pub(super) fn has_data(&self, name: &str) -> bool {
        self.base().join(name).join("file").exists()
    }

    /// Creates what is taken away at the end.
    pub(super) fn add(&self, object: &Value) -> Value {
        let made = self.api.create(object);
        self.others.borrow_mut().push(object.clone());
        made
    }

    /// A volume of ours with a file in it, the claim of its claimRef gone; not yet created.
    pub(super) fn volume(&self, name: &str, policy: &str) -> Value {
        fs::create_dir_all(self.base().join(name)).expect("make a directory");
        fs::write(self.base().join(name).join("file"), "data").expect("fill it");
        let mut volume = self.place.volume(name, "1Gi");
        volume["metadata"]["annotations"] = json!({ "pv.kubernetes.io/provisioned-by": OURS });
        volume["spec"]["persistentVolumeReclaimPolicy"] = json!(policy);
        volume["spec"]["hostPath"] = json!({ "path": self.base().join(name) });
        volume["spec"]["claimRef"] = json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "namespace": self.place.name, "name": format!("claim-of-{name}"), "uid": OLD });
        volume
    }

    pub(super) fn put(&self, volume: &Value, phase: &str) -> Value {
        self.api.create(volume);
        self.api.patch_status(volume, &json!({ "phase": phase }))
    }

    /// A claim that is bound to a volume of ours of the same name, with a file in it.
    pub(super) fn bound_claim(&self, name: &str, policy: &str) -> Value {
        let mut claim = self.place.claim(name, "1Gi");
        claim["metadata"]["annotations"] = json!({ "pv.kubernetes.io/bind-completed": "yes" });
        claim["spec"]["volumeName"] = json!(format!("{}-{name}", self.place.name));
        let made = self.api.create(&claim);
        self.api.patch_status(&claim, &json!({ "phase": "Bound" }));
        let mut volume = self.volume(name, policy);
        volume["spec"]["claimRef"]["name"] = json!(name);
        volume["spec"]["claimRef"]["uid"] = made["metadata"]["uid"].clone();
        self.put(&volume, "Bound");
        claim
    }

    /// A claim whose volume is gone.
    pub(super) fn lost_claim(&self, name: &str) -> Value {
        let mut claim = self.place.claim(name, "1Gi");
        claim["metadata"]["annotations"] = json!({ "pv.kubernetes.io/bind-completed": "yes" });
        claim["spec"]["volumeName"] = json!(format!("{}-vanished", self.place.name));
        self.api.create(&claim);
        self.api.patch_status(&claim, &json!({ "phase": "Lost" }));
        claim
    }

    pub(super) fn backend(&self) -> String {
        format!("{OURS}=hostpath:{}", self.base().display())
    }

    /// `kubectl pv cleanup …` of this class, with the backend.
    pub(super) fn command(&self, arguments: &[&str]) -> Run {
        let class = self.place.name.clone();
        let backend = self.backend();
        let mut all = vec!["cleanup", "--class", &class, "--backend", &backend];
        all.extend(["-o", "json"]);
        all.extend(arguments);
        kubectl_pv(&all)
    }

    pub(super) fn kubeconfig(&self) -> String {
        let path = self.cluster.kubeconfig("admin");
        path.to_str().expect("a path in plain text").to_owned()
    }

    /// Where reports of runs here are checked.
    pub(super) fn site(&self) -> Site {
        self.place.site(&[self.base()])
    }

    /// Runs it; with `--yes` and without `--dry-run` its report is true.
    pub(super) fn cleanup(&self, arguments: &[&str]) -> Ran {
        let site = self.site();
        let before = site.read();
        let run = self.command(arguments);
        let ran = run.env("KUBECONFIG", &self.kubeconfig()).ran();
        if arguments.contains(&"--yes") && !arguments.contains(&"--dry-run") {
            let untrue = site.false_report(&before, &ran, &OtherWrite::of_controller());
            assert_eq!(untrue, [""; 0], "{}{}", ran.stdout, ran.stderr);
        }
        ran
    }

    /// Whether it is gone, or would be if somebody took the finalizers of Kubernetes off.
    pub(super) fn is_going(&self, object: &Value) -> bool {
        let found = self.api.find(object);
        found.is_none_or(|found| found["metadata"]["deletionTimestamp"].is_string())
    }

    pub(super) fn clear(self) {
        for object in self.others.borrow().iter().rev() {
            self.api.delete(object);
        }
        self.place.clear();
    }
}

pub(super) fn pod(namespace: &str, name: &str, node: &str, claim: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": namespace, "name": name },
        "spec": { "nodeName": node, "containers": [{ "name": "c", "image": "c" }],
            "volumes": [{ "name": "data", "persistentVolumeClaim": { "claimName": claim } }] } })
}

/// A pod template that names a claim.
pub(super) fn template(claim: &str, restart: &str) -> Value {
    json!({ "metadata": { "labels": { "app": "x" } }, "spec": { "restartPolicy": restart,
        "containers": [{ "name": "c", "image": "c" }],
        "volumes": [{ "name": "data", "persistentVolumeClaim": { "claimName": claim } }] } })
}

/// The categories of what was not decided.
pub(super) fn refused(ran: &Ran) -> Vec<String> {
    let outcome: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let refused = outcome["refused"].as_array().cloned().unwrap_or_default();
    let category = |refused: &Value| refused["category"].as_str().unwrap_or_default().to_owned();
    refused.iter().map(category).collect()
}

/// `name code` of what was left alone.
pub(super) fn skipped(ran: &Ran) -> Vec<String> {
    let outcome: Value = serde_json::from_str(&ran.stdout).expect("an outcome");
    let skipped = outcome["skipped"].as_array().expect("a list").iter();
    let told = |left: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!("{} {}", text(&left["target"]["name"]), text(&left["code"]))
    };
    skipped.map(told).collect()
}
