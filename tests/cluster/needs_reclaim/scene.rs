//! Where one `reclaim` takes place: a place in the cluster, and a base directory with one directory for each volume, with a file in
//! it.

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
}

impl<'a> Scene<'a> {
    pub(super) fn create(cluster: &'a ControlPlane, api: Api, what: &str) -> Self {
        let scene = Self {
            place: Place::create(api, what),
            api,
            cluster,
            file: TemporaryFile::new("scene", ""),
        };
        fs::create_dir(scene.base()).expect("make a base directory");
        stamp(&scene.base());
        scene
    }

    pub(super) fn base(&self) -> PathBuf {
        Path::new(self.file.path()).with_file_name("base")
    }

    /// The directory behind a volume.
    pub(super) fn directory(&self, name: &str) -> PathBuf {
        self.base().join(name)
    }

    /// Whether the file in it is there.
    pub(super) fn has_data(&self, name: &str) -> bool {
        self.directory(name).join("file").exists()
    }

    /// A volume of ours with a file in it, and the claim of its claimRef gone; not yet created.
    pub(super) fn volume(&self, name: &str, policy: &str) -> Value {
        fs::create_dir_all(self.directory(name)).expect("make a directory");
        fs::write(self.directory(name).join("file"), "data").expect("fill it");
        let mut volume = self.place.volume(name, "1Gi");
        volume["metadata"]["annotations"] =
            json!({ "pv.kubernetes.io/bound-by-controller": "yes" });
        if policy == "Delete" {
            volume["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"] = json!(OURS);
        }
        volume["spec"]["persistentVolumeReclaimPolicy"] = json!(policy);
        volume["spec"]["hostPath"] = json!({ "path": self.directory(name) });
        volume["spec"]["claimRef"] = json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "namespace": self.place.name, "name": format!("claim-of-{name}"), "uid": OLD });
        volume
    }

    /// Creates it in a phase, as the controller would have written it.
    pub(super) fn put(&self, volume: &Value, phase: &str) -> Value {
        self.api.create(volume);
        self.api.patch_status(volume, &json!({ "phase": phase }))
    }

    /// A volume that is Released.
    pub(super) fn released(&self, name: &str, policy: &str) -> Value {
        self.put(&self.volume(name, policy), "Released")
    }

    /// What `--backend` says.
    pub(super) fn backend(&self) -> String {
        format!("{OURS}=hostpath:{}", self.base().display())
    }

    /// `kubectl pv reclaim …` with the backend; which cluster is meant the environment says.
    pub(super) fn command(&self, arguments: &[&str]) -> Run {
        let backend = self.backend();
        let mut all = vec!["reclaim"];
        all.extend(arguments);
        all.extend(["--backend", &backend, "--yes", "-o", "json"]);
        kubectl_pv(&all)
    }

    /// What another actor writes who takes a volume for a claim and puts a file into its directory.
    pub(super) fn taking(&self, name: &str) -> Vec<OtherWrite> {
        let volume = format!("{}-{name}", self.place.name);
        let mut writes = OtherWrite::binding_of_volume(&volume);
        writes.push(OtherWrite::asset(name));
        writes
    }

    /// Where reports of runs here are checked.
    pub(super) fn site(&self) -> Site {
        self.place.site(&[self.base()])
    }

    /// The same while other actors write what they are said to write; its report is true.
    pub(super) fn reclaim_beside(&self, arguments: &[&str], others: &[OtherWrite]) -> Ran {
        let site = self.site();
        let before = site.read();
        let ran = self.reclaim(arguments);
        let untrue = site.false_report(&before, &ran, others);
        assert_eq!(untrue, [""; 0], "{}{}", ran.stdout, ran.stderr);
        ran
    }

    pub(super) fn reclaim(&self, arguments: &[&str]) -> Ran {
        let kubeconfig = self.cluster.kubeconfig("admin");
        let path = kubeconfig.to_str().expect("a path in plain text");
        self.command(arguments).env("KUBECONFIG", path).ran()
    }

    /// The same for one volume of this place, beside the real controller or without it.
    pub(super) fn reclaim_one(&self, name: &str, arguments: &[&str]) -> Ran {
        let name = format!("{}-{name}", self.place.name);
        let mut all = vec![name.as_str()];
        all.extend(arguments);
        self.reclaim_beside(&all, &OtherWrite::of_controller())
    }

    pub(super) fn find(&self, name: &str) -> Option<Value> {
        self.api.find(&self.place.volume(name, "1Gi"))
    }

    pub(super) fn clear(self) {
        self.place.clear();
    }
}

/// Why the only volume asked about was left alone.
pub(super) fn code(ran: &Ran) -> String {
    let outcome: Value = serde_json::from_str(&ran.stdout).expect("an outcome");
    assert_eq!(outcome["changes"], json!([]), "{}", ran.stdout);
    let code = outcome["skipped"][0]["code"].as_str();
    code.unwrap_or_default().to_owned()
}
