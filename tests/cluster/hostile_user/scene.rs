//! Where an attack takes place: the namespace and the volumes of a tenant, the namespace of the attacker, and what every command
//! answers for the tenant.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::place::Place;
use crate::cluster::needs_provision::yard::stamp;
use crate::cluster::needs_set::install_crd;
use crate::cluster::roles::account::wait_until;
use crate::support::TemporaryFile;

/// The provisioner name that the administrator's backend is configured for.
pub(super) const OURS: &str = "hostile.example.com/dirs";
/// A provisioner that shows no sign of life.
pub(super) const SILENT: &str = "hostile.example.com/silent";
/// A CSI driver that is not registered.
pub(super) const DRIVER: &str = "csi.hostile.example.com";
/// Whose token the attacker has.
const USER: &str = "developer";
const OLD: &str = "00000000-0000-4000-8000-000000000002";
/// Without the controller that aggregates roles, `edit` is these.
const ROLES: [&str; 3] = ["edit", "admin", "view"];

pub(super) struct Scene {
    pub(super) cluster: ControlPlane,
    pub(super) api: Api,
    /// The tenant's.
    pub(super) place: Place,
    pub(super) attacker: Attacker,
    classes: Vec<Value>,
    /// The base directory is beside it.
    file: TemporaryFile,
}

/// The namespace of a user with the rights of `edit` and `admin` there and none elsewhere.
pub(super) struct Attacker {
    pub(super) place: Place,
}

/// A test on a scene of its own.
pub(super) fn on_a_scene(what: &str, test: impl FnOnce(&Scene)) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    install_crd(&cluster);
    let mut scene = Scene {
        place: Place::create(api, what),
        attacker: Attacker::create(&cluster, api, &format!("{what}-evil")),
        cluster,
        api,
        classes: vec![],
        file: TemporaryFile::new("scene", ""),
    };
    fs::create_dir(scene.base()).expect("create a base directory");
    stamp(&scene.base());
    scene.add_classes();
    scene.add_claims();
    scene.add_volumes();
    scene.add_set();
    test(&scene);
    scene.clear();
}

impl Attacker {
    fn create(cluster: &ControlPlane, api: Api, what: &str) -> Self {
        let place = Place::create(api, what);
        grant(cluster, api, &place.name);
        Self { place }
    }
}

/// The rights of an ordinary developer in a namespace.
fn bindings(namespace: &str) -> Vec<Value> {
    let binding = |role: &&str| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
            "metadata": { "namespace": namespace, "name": format!("developer-{role}") },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                "name": format!("system:aggregate-to-{role}") },
            "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": USER }],
        })
    };
    ROLES.iter().map(binding).collect()
}

/// Takes the rights back, in a namespace that other tests use too.
pub(super) fn revoke(api: Api, namespace: &str) {
    for binding in bindings(namespace) {
        api.delete(&binding);
    }
}

/// Gives the user the rights of an ordinary developer in a namespace.
pub(super) fn grant(cluster: &ControlPlane, api: Api, namespace: &str) {
    for binding in bindings(namespace) {
        api.apply(&binding);
    }
    wait_until("the developer has rights", || {
        let asked = [
            "auth", "can-i", "create", "pods", "-n", namespace, "-q", "--as", USER,
        ];
        let reads = [
            "auth", "can-i", "list", "leases", "-n", namespace, "-q", "--as", USER,
        ];
        cluster.kubectl(&asked).status.success() && cluster.kubectl(&reads).status.success()
    });
}

impl Scene {
    pub(super) fn base(&self) -> PathBuf {
        Path::new(self.file.path()).with_file_name("base")
    }

    /// `--backend` of the administrator: a share that every node reaches.
    pub(super) fn backend(&self) -> String {
        let (base, export) = (self.base().display().to_string(), self.export());
        format!("{OURS}=nfs:filer.example.com:{export}@{base}")
    }

    pub(super) fn export(&self) -> String {
        format!("/srv/{}", self.place.name)
    }

    fn class_name(&self, what: &str) -> String {
        format!("{}-{what}", self.place.name)
    }

    fn add_classes(&mut self) {
        let ours = self.place.name.clone();
        for (name, provisioner) in [
            (ours, OURS),
            (self.class_name("silent"), SILENT),
            (self.class_name("driver"), DRIVER),
            (self.class_name("static"), "kubernetes.io/no-provisioner"),
        ] {
            let class = json!({ "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
                "metadata": { "name": name }, "provisioner": provisioner });
            self.api.create(&class);
            self.classes.push(class);
        }
    }

    fn add_claims(&self) {
        self.api.create(&self.place.claim("data", "1Gi"));
        for what in ["silent", "driver", "static"] {
            let mut claim = self.place.claim(what, "1Gi");
            claim["spec"]["storageClassName"] = json!(self.class_name(what));
            self.api.create(&claim);
        }
        let mut named = self.place.claim("named", "1Gi");
        named["spec"]["volumeName"] = json!(self.class_name("missing"));
        self.api.create(&named);
    }

    fn add_volumes(&self) {
        let mut free = self.place.volume("free", "2Gi");
        free["spec"]["storageClassName"] = json!(self.class_name("static"));
        free["metadata"]["labels"] = json!({ "tier": "gold" });
        self.put(&free, "Available");
        self.put(&self.released("deleted", "Delete", Some(OURS)), "Released");
        self.put(&self.released("recycled", "Recycle", None), "Released");
        let mut foreign = self.released("foreign", "Delete", Some(DRIVER));
        let spec = foreign["spec"].as_object_mut().expect("a spec");
        spec.remove("nfs");
        spec.insert(
            "csi".to_owned(),
            json!({ "driver": DRIVER, "volumeHandle": "h" }),
        );
        self.put(&foreign, "Released");
    }

    /// A volume in the base directory with a file in it; its claim does not exist.
    fn released(&self, name: &str, policy: &str, provisioner: Option<&str>) -> Value {
        let directory = self.base().join(name);
        fs::create_dir_all(&directory).expect("create a directory");
        fs::write(directory.join("file"), "data").expect("fill it");
        let mut volume = self.place.volume(name, "1Gi");
        let spec = volume["spec"].as_object_mut().expect("a spec");
        spec.remove("hostPath");
        spec.insert("persistentVolumeReclaimPolicy".to_owned(), json!(policy));
        let path = format!("{}/{name}", self.export());
        spec.insert(
            "nfs".to_owned(),
            json!({ "server": "filer.example.com", "path": path }),
        );
        let claim = json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "namespace": self.place.name, "name": format!("claim-of-{name}"), "uid": OLD });
        spec.insert("claimRef".to_owned(), claim);
        volume["metadata"]["annotations"] =
            json!({ "pv.kubernetes.io/bound-by-controller": "yes" });
        if let Some(provisioner) = provisioner {
            volume["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"] =
                json!(provisioner);
        }
        volume
    }

    fn put(&self, volume: &Value, phase: &str) {
        self.api.create(volume);
        // So long ago that no age changes while the test runs.
        let since = "2020-01-01T00:00:00Z";
        let status = json!({ "phase": phase, "lastPhaseTransitionTime": since });
        self.api.patch_status(volume, &status);
    }

    fn set(&self) -> Value {
        let name = self.class_name("pool");
        json!({ "apiVersion": "kubectl-pv.dev/v1alpha1", "kind": "PersistentVolumeSet",
            "metadata": { "name": name },
            "spec": { "minimumReplicas": 1, "maximumReplicas": 2, "selector": { "pool": name },
                "template": {
                    "metadata": { "labels": { "pool": name },
                        "annotations": { "pv.kubernetes.io/provisioned-by": OURS } },
                    "spec": { "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"],
                        "persistentVolumeReclaimPolicy": "Delete", "storageClassName": name } } } })
    }

    fn add_set(&self) {
        self.api.create(&self.set());
    }

    /// A volume of the tenant, as it is in the cluster.
    pub(super) fn volume(&self, name: &str) -> Value {
        let found = self.api.find(&self.place.volume(name, "1Gi"));
        found.expect("a volume of the tenant")
    }

    /// A claim of the tenant, as it is in the cluster.
    pub(super) fn claim(&self, name: &str) -> Value {
        let found = self.api.find(&self.place.claim(name, "1Gi"));
        found.expect("a claim of the tenant")
    }

    /// Creates an object with the attacker's token.
    pub(super) fn create_as_attacker(&self, object: &Value) {
        let kubeconfig = self.cluster.kubeconfig(USER);
        let kubeconfig = kubeconfig.to_str().expect("a path in plain text");
        let arguments = [
            "--kubeconfig",
            kubeconfig,
            "create",
            "--validate=false",
            "-f",
            "-",
        ];
        let output = self
            .cluster
            .kubectl_with_stdin(&arguments, &object.to_string());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
    }

    /// A claim of the attacker.
    pub(super) fn hostile_claim(&self, name: &str) -> Value {
        self.attacker.place.claim(name, "1Gi")
    }

    /// Runs every command for the tenant before and after the attack.
    pub(super) fn assert_unmoved_by(&self, attack: impl FnOnce()) {
        let before = self.answers();
        attack();
        let after = self.answers();
        for ((command, before), (_, after)) in before.iter().zip(&after) {
            let differences = different_lines(before, after);
            assert!(before == after, "kubectl pv {command}:\n{differences}");
        }
    }

    /// What every command answers for the tenant (`describe-class` answers for all namespaces), without what an attacker is allowed to add.
    fn answers(&self) -> Vec<(String, String)> {
        let run = |words: &Vec<String>| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let ran = self.cluster.kubectl_pv("admin", &words).ran();
            let printed: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| {
                panic!(
                    "{words:?} ended with {}: {}{}",
                    ran.status, ran.stdout, ran.stderr
                )
            });
            let judged = self.without_what_is_allowed(printed);
            let text = format!("[exit {}]\n{:#}\n{}", ran.status, judged, ran.stderr);
            (words.join(" "), text)
        };
        self.commands().iter().map(run).collect()
    }

    fn commands(&self) -> Vec<Vec<String>> {
        let (place, backend) = (self.place.name.as_str(), self.backend());
        let serving = |words: &[&'static str]| {
            let mut all = words.to_vec();
            all.extend(["-n", place, "--backend", &backend, "--dry-run"]);
            all.iter().map(ToString::to_string).collect::<Vec<String>>()
        };
        let plain = |words: &[&str]| words.iter().map(ToString::to_string).collect();
        let mut commands: Vec<Vec<String>> = vec![
            plain(&["explain", "pvc", "-n", place, "--all"]),
            plain(&["plan", "-n", place]),
            plain(&["status", "-n", place]),
            plain(&["bind", "-n", place, "--dry-run"]),
            plain(&["cleanup", "-n", place]),
            serving(&["provision"]),
            serving(&["reclaim", "--all-released"]),
            serving(&["cleanup", "--yes"]),
        ];
        let pool = self.class_name("pool");
        for words in [&["set", "status"][..], &["set", "reconcile", "--dry-run"]] {
            let mut all: Vec<String> = plain(words);
            all.extend([pool.clone(), "--backend".to_owned(), backend.clone()]);
            commands.push(all);
        }
        for name in ["free", "deleted", "recycled", "foreign"] {
            let volume = format!("pv/{place}-{name}");
            commands.push(plain(&["explain", &volume, "--all"]));
        }
        for command in &mut commands {
            command.extend(["-o".to_owned(), "json".to_owned()]);
        }
        commands
    }

    /// An attacker may add the warning `RivalReported`, unknowns with `NotObservable`, and their own claims in `explain pv`.
    fn without_what_is_allowed(&self, value: Value) -> Value {
        let is_kept = |field: &str, entry: &Value| match field {
            "warnings" => entry["code"] != "RivalReported",
            "unknowns" => entry["why"] != "NotObservable",
            "claims" => entry["namespace"] != self.attacker.place.name.as_str(),
            _ => true,
        };
        match value {
            Value::Object(fields) => fields
                .into_iter()
                .filter(|(field, value)| !is_of_run(field, value))
                .map(|(field, value)| {
                    let value = match value {
                        Value::Array(entries) => {
                            let entries = entries.into_iter();
                            entries.filter(|entry| is_kept(&field, entry)).collect()
                        }
                        other => other,
                    };
                    let judged = self.without_what_is_allowed(value);
                    (field, judged)
                })
                .collect(),
            Value::Array(entries) => {
                let entries = entries.into_iter();
                entries
                    .map(|entry| self.without_what_is_allowed(entry))
                    .collect()
            }
            other => other,
        }
    }

    fn clear(self) {
        self.place.clear();
        self.attacker.place.clear();
        self.api.delete(&self.set());
        self.classes.iter().for_each(|class| self.api.delete(class));
        for place in [&self.place, &self.attacker.place] {
            for event in self.api.list("v1", "Event", Some(&place.name)) {
                self.api.delete(&event);
            }
        }
    }
}

/// The time of a run, and what it calls itself in the status of a set.
fn is_of_run(field: &str, value: &Value) -> bool {
    let is_random = |text: &str| text.len() == 16 && text.bytes().all(|it| it.is_ascii_hexdigit());
    field == "capturedAt" || field == "by" && value.as_str().is_some_and(is_random)
}

/// The first lines that two answers do not share, one pair below the other.
fn different_lines(before: &str, after: &str) -> String {
    let pairs = before.lines().zip(after.lines());
    let different = pairs.filter(|(before, after)| before != after);
    let shown = different.map(|(before, after)| format!("- {before}\n+ {after}\n"));
    shown.take(5).collect()
}
