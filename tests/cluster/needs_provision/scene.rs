//! Where one `provision` takes place: a place in the cluster, a yard on this machine and a backend
//! that serves the place's class.

use serde_json::{Value, json};

use super::yard::Yard;
use crate::cluster::faults::api::Api;
use crate::cluster::faults::normal_form::normal_form;
use crate::cluster::faults::place::Place;
use crate::cluster::report_check::Site;
use crate::support::{Run, kubectl_pv};

pub(super) const NODE: &str = "trial-node";
/// What a node is called by its label need not be its name.
pub(super) const HOST: &str = "trial-host";
/// What the NFS backend is told of the server's side.
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/backends/directories");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cluster) enum Kind {
    HostPath,
    Nfs,
    Exec,
}

impl Kind {
    pub(in crate::cluster) const ALL: [Self; 3] = [Self::HostPath, Self::Nfs, Self::Exec];

    pub(in crate::cluster) fn provisioner(self) -> &'static str {
        match self {
            Self::HostPath => "trial.example.com/hostpath",
            Self::Nfs => "trial.example.com/nfs",
            Self::Exec => "trial.example.com/exec",
        }
    }
}

pub(super) struct Scene {
    pub(super) place: Place,
    pub(super) yard: Yard,
    pub(super) kind: Kind,
    pub(super) api: Api,
    /// Another program than the example.
    pub(super) program: Option<String>,
}

impl Scene {
    /// A place with its class, and a claim called `data`.
    pub(super) fn create(api: Api, what: &str, kind: Kind) -> Self {
        let scene = Self::bare(api, what, kind);
        api.create(&scene.class());
        api.create(&scene.claim());
        scene
    }

    /// A place without anything in it.
    pub(super) fn bare(api: Api, what: &str, kind: Kind) -> Self {
        Self {
            place: Place::create(api, what),
            yard: Yard::new(),
            kind,
            api,
            program: None,
        }
    }

    /// The class that chooses the backend.
    pub(super) fn class(&self) -> Value {
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": self.place.name }, "provisioner": self.kind.provisioner(),
        })
    }

    pub(super) fn claim(&self) -> Value {
        self.place.claim("data", "1Gi")
    }

    /// The claim `data` as it is now.
    pub(super) fn found_claim(&self) -> Value {
        self.api.find(&self.claim()).unwrap_or_default()
    }

    pub(super) fn uid(&self) -> String {
        let claim = self.found_claim();
        let uid = claim["metadata"]["uid"].as_str();
        uid.expect("a claim that is there").to_owned()
    }

    pub(super) fn volumes(&self) -> Vec<Value> {
        let mut storage = self.place.storage();
        storage.retain(|object| object["kind"] == "PersistentVolume");
        storage
    }

    /// Volumes made by provisioners, not by tests.
    pub(super) fn made(&self) -> Vec<Value> {
        let mut volumes = self.volumes();
        let by = |volume: &Value| volume["metadata"]["annotations"].clone();
        volumes.retain(|volume| by(volume)["pv.kubernetes.io/provisioned-by"].is_string());
        volumes
    }

    /// The events about the claim `data`, of any uid.
    pub(super) fn events(&self) -> Vec<Value> {
        let mut events = self.api.list("v1", "Event", Some(&self.place.name));
        events.retain(|event| event["involvedObject"]["name"] == "data");
        events
    }

    pub(super) fn backend(&self) -> String {
        let base = self.yard.base();
        let base = base.display();
        let target = match self.kind {
            Kind::HostPath => format!("hostpath:{base}"),
            Kind::Nfs => format!("nfs:filer.example.com:{}@{base}", self.yard.export()),
            Kind::Exec => format!("exec:{}", self.program.as_deref().unwrap_or(EXAMPLE)),
        };
        format!("{}={target}", self.kind.provisioner())
    }

    /// `kubectl pv provision …` here, with nothing decided but the backend and, where it matters, the node.
    pub(super) fn ask(&self, kubeconfig: &str, arguments: &[&str]) -> Run {
        let backend = self.backend();
        let mut all = vec!["provision"];
        all.extend(arguments);
        all.extend(["-n", &self.place.name, "--backend", &backend]);
        if self.kind == Kind::HostPath && !arguments.contains(&"--node") {
            all.extend(["--node", NODE]);
        }
        let base = self.yard.base();
        kubectl_pv(&all)
            .env("KUBECONFIG", kubeconfig)
            .env("KUBECTL_PV_POOL", base.to_str().expect("a plain path"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
    }

    /// The same in earnest, for a program to read.
    pub(super) fn provision(&self, kubeconfig: &str, arguments: &[&str]) -> Run {
        let mut all = arguments.to_vec();
        all.extend(["--yes", "-o", "json"]);
        self.ask(kubeconfig, &all)
    }

    /// Where reports of runs here are checked.
    pub(super) fn site(&self) -> Site {
        self.place.site(&[self.yard.base()])
    }

    /// Objects and assets, comparable with those of another scene.
    pub(super) fn normal_form(&self) -> Value {
        let mut all = self.place.storage();
        all.push(json!({
            "kind": "Yard", "metadata": { "name": "base" }, "files": self.yard.inside(),
        }));
        let root = self.yard.root().display().to_string();
        let export = self.yard.export();
        let named = [
            (self.place.name.as_str(), "place"),
            (&root, "yard"),
            (&export, "export"),
        ];
        normal_form(&all, &named)
    }

    pub(super) fn clear(self) {
        self.place.clear();
        self.api.delete(&self.class());
    }
}

/// A node for as long as this lives.
pub(super) struct TrialNode {
    api: Api,
}

impl TrialNode {
    pub(super) fn create(api: Api) -> Self {
        let node = Self { api };
        if api.find(&Self::object()).is_none() {
            api.create(&Self::object());
        }
        node
    }

    fn object() -> Value {
        let labels = json!({ "kubernetes.io/hostname": HOST });
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": NODE, "labels": labels } })
    }
}

impl Drop for TrialNode {
    fn drop(&mut self) {
        let path = format!("/api/v1/nodes/{NODE}");
        let _ = self
            .api
            .send("DELETE", &path, "application/json", &Value::Null);
    }
}
