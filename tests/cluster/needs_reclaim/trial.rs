//! Where one `reclaim` is disturbed: a place in the cluster, a yard with the assets behind its volumes, and a backend of any kind.
//! Assets are as `provision` leaves them, with a record of whom they were made for.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::cluster::faults::api::Api;
use crate::cluster::faults::normal_form::normal_form;
use crate::cluster::faults::place::Place;
use crate::cluster::faults::subject::{Ended, Subject};
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_provision::yard::Yard;
use crate::cluster::report_check::Site;
use crate::support::{Run, kubectl_pv};

/// The claim that every volume belonged to, and that is gone.
const GONE: &str = "00000000-0000-4000-8000-000000000001";
pub(in crate::cluster) const OUR_LOCK: &str = "kubectl-pv.dev/asset";
pub(in crate::cluster) const OUR_MARK: &str = "kubectl-pv.dev/recycling";
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/backends/directories");
const PROGRAM: &str = env!("CARGO_BIN_EXE_kubectl-pv");

pub(in crate::cluster) struct Trial {
    pub(in crate::cluster) place: Place,
    pub(in crate::cluster) yard: Yard,
    pub(in crate::cluster) kind: Kind,
    pub(in crate::cluster) api: Api,
    /// Another program than the example.
    pub(in crate::cluster) program: Option<String>,
}

impl Trial {
    pub(in crate::cluster) fn create(api: Api, what: &str, kind: Kind) -> Self {
        let trial = Self {
            place: Place::create(api, what),
            yard: Yard::new(),
            kind,
            api,
            program: None,
        };
        trial.api.create(&trial.class());
        trial
    }

    /// The class of all volumes, so that a selection by class is never a misspelt one.
    fn class(&self) -> Value {
        json!({ "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": self.place.name }, "provisioner": "kubernetes.io/no-provisioner" })
    }

    /// No two trials name the same directory of a server.
    fn asset_name(&self, name: &str) -> String {
        format!("{}-{name}", self.place.name)
    }

    /// The directory behind a volume.
    pub(in crate::cluster) fn asset(&self, name: &str) -> PathBuf {
        self.yard.base().join(self.asset_name(name))
    }

    /// What was in it before anything happened.
    pub(in crate::cluster) fn has_data(&self, name: &str) -> bool {
        fs::read_to_string(self.asset(name).join("deep/file")).is_ok_and(|text| text == "data")
    }

    fn make_asset(&self, name: &str) {
        fs::create_dir_all(self.asset(name).join("deep")).expect("make an asset");
        fs::write(self.asset(name).join("deep/file"), "data").expect("fill it");
        fs::write(self.asset(name).join("other"), "data").expect("fill it");
        let name = self.asset_name(name);
        let (folder, file, text) = if self.kind == Kind::Exec {
            let owners = self.yard.base().join(".owners");
            (owners, name, format!("{GONE}\n"))
        } else {
            let claim = json!({ "namespace": self.place.name, "name": "gone", "uid": GONE });
            let record = json!({ "version": 1, "asset": name, "owner": { "claim": claim } });
            (
                self.yard.stamp(),
                format!("{name}.json"),
                record.to_string(),
            )
        };
        fs::create_dir_all(&folder).expect("make a folder of records");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("for us only");
        fs::write(folder.join(file), text).expect("write a record");
    }

    /// A volume whose claim is gone, as it is created.
    pub(in crate::cluster) fn volume(&self, name: &str, policy: &str) -> Value {
        let mut volume = self.place.volume(name, "1Gi");
        volume["metadata"]["annotations"] = json!({
            "pv.kubernetes.io/bound-by-controller": "yes",
            "pv.kubernetes.io/provisioned-by": self.kind.provisioner(),
        });
        volume["spec"]["persistentVolumeReclaimPolicy"] = json!(policy);
        volume["spec"]["claimRef"] = json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "namespace": self.place.name, "name": format!("claim-of-{name}"), "uid": GONE });
        let path = self.asset(name);
        if self.kind == Kind::Nfs {
            let spec = volume["spec"].as_object_mut().expect("a spec");
            spec.remove("hostPath");
            let path = format!("{}/{}", self.yard.export(), self.asset_name(name));
            volume["spec"]["nfs"] = json!({ "server": "filer.example.com", "path": path });
        } else {
            volume["spec"]["hostPath"] = json!({ "path": path });
        }
        volume
    }

    /// A Released volume with an asset that has something in it.
    pub(in crate::cluster) fn released(&self, name: &str, policy: &str) -> Value {
        self.make_asset(name);
        let volume = self.volume(name, policy);
        self.api.create(&volume);
        let phase = json!({ "phase": "Released" });
        self.api.patch_status(&volume, &phase)
    }

    /// A volume as it is now, without what is only noise.
    pub(in crate::cluster) fn find(&self, name: &str) -> Option<Value> {
        let mut found = self.api.find(&self.place.volume(name, "1Gi"))?;
        found["metadata"]["managedFields"].take();
        Some(found)
    }

    pub(in crate::cluster) fn volumes(&self) -> Vec<Value> {
        let mut storage = self.place.storage();
        storage.retain(|object| object["kind"] == "PersistentVolume");
        storage
    }

    pub(in crate::cluster) fn backend(&self) -> String {
        let base = self.yard.base();
        let base = base.display();
        let target = match self.kind {
            Kind::HostPath => format!("hostpath:{base}"),
            Kind::Nfs => format!("nfs:filer.example.com:{}@{base}", self.yard.export()),
            Kind::Exec => format!("exec:{}", self.program.as_deref().unwrap_or(EXAMPLE)),
        };
        format!("{}={target}", self.kind.provisioner())
    }

    /// `kubectl pv reclaim …` in earnest, with the backend, for a program to read.
    pub(in crate::cluster) fn reclaim(&self, kubeconfig: &str, arguments: &[String]) -> Run {
        let mut all = arguments.to_vec();
        all.extend(["-o", "json"].map(str::to_owned));
        self.reclaim_in_text(kubeconfig, &all)
    }

    /// The same for people.
    pub(in crate::cluster) fn reclaim_in_text(
        &self,
        kubeconfig: &str,
        arguments: &[String],
    ) -> Run {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.run(kubeconfig, "reclaim", &arguments)
    }

    /// Any command, with the backend of this trial and `--yes`.
    pub(in crate::cluster) fn run(
        &self,
        kubeconfig: &str,
        command: &str,
        arguments: &[&str],
    ) -> Run {
        let backend = self.backend();
        let mut all = vec![command];
        all.extend(arguments);
        all.extend(["--backend", &backend, "--yes"]);
        let base = self.yard.base();
        kubectl_pv(&all)
            .env("KUBECONFIG", kubeconfig)
            .env("KUBECTL_PV_POOL", base.to_str().expect("a plain path"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
    }

    /// Runs a printed command as a person who pastes it, with our program as `kubectl pv`; it prints its Outcome.
    pub(in crate::cluster) fn paste(&self, command: &str, kubeconfig: &str) -> Ended {
        let mut shell = Command::new("bash");
        shell
            .arg("-c")
            .arg(format!(
                "kubectl() {{ shift; \"$PROGRAM\" \"$@\" -o json --yes; }}\n{command}"
            ))
            .env("PROGRAM", Path::new(PROGRAM))
            .env("KUBECONFIG", kubeconfig)
            .env("KUBECTL_PV_POOL", self.yard.base());
        Subject::start(shell).wait()
    }

    /// Where reports of runs here are checked.
    pub(in crate::cluster) fn site(&self) -> Site {
        self.place.site(&[self.yard.base()])
    }

    /// Objects and assets, comparable with those of another trial.
    pub(in crate::cluster) fn normal_form(&self) -> Value {
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

    pub(in crate::cluster) fn clear(self) {
        self.api.delete(&self.class());
        self.place.clear();
    }
}
