//! Storage on real files and real programs. Every test has a directory of its own, with a bystander beside the base directory
//! that nothing may ever touch.

mod backends;
mod crashes;
mod creation;
mod deletion;
mod exec;
mod formats;
mod hostile;
mod mounts;
mod other_users;
mod ownership;
mod permissions;
mod readiness;
mod rolling_back;
mod strings;

use super::*;
use crate::conventions::access_mode::AccessModes;
use crate::conventions::quantity::Quantity;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::ReclaimPolicy;
use crate::model::asset::NodeName;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const PROVISIONER: &str = "example.com/scratch";
const CLUSTER: &str = "cluster-1";

/// A directory that is gone with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!(
            "kubectl-pv-storage-{}-{number}",
            std::process::id()
        ));
        // Of a process of that number that was killed.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("base")).unwrap();
        fs::create_dir(path.join("bystander")).unwrap();
        fs::write(path.join("bystander/precious"), "data").unwrap();
        Self(path.canonicalize().unwrap())
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.join(below)
    }

    fn base(&self) -> PathBuf {
        self.path("base")
    }

    fn asset(&self, name: &str) -> PathBuf {
        self.base().join(name)
    }

    /// The backend `hostpath` on the base directory.
    fn hostpath(&self) -> Backend {
        open(&format!("{PROVISIONER}=hostpath:{}", self.base().display()))
    }

    /// The same where other users can write to it.
    fn shared_hostpath(&self) -> Backend {
        let settings = Settings {
            is_base_shared: true,
            ..settings()
        };
        self.hostpath_with(&settings)
    }

    fn hostpath_with(&self, settings: &Settings) -> Backend {
        let text = format!("{PROVISIONER}=hostpath:{}", self.base().display());
        open_with(&text, CLUSTER, settings)
    }

    /// Gives the base directory to the cluster of the tests, as the first asset does.
    fn stamp(&self) {
        use std::os::unix::fs::PermissionsExt;
        let folder = self.asset(".kubectl-pv");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(folder.join("cluster"), CLUSTER).unwrap();
    }

    fn nfs(&self) -> Backend {
        open(&format!(
            "{PROVISIONER}=nfs:filer:/export@{}",
            self.base().display()
        ))
    }

    /// A volume whose source is that directory of the base directory.
    fn volume(&self, name: &str) -> VolumeAsset {
        host_path(&self.asset(name).display().to_string())
    }

    fn assert_bystander_untouched(&self) {
        assert_eq!(
            fs::read_to_string(self.path("bystander/precious")).unwrap(),
            "data"
        );
        assert_eq!(names(&self.path("bystander")), ["precious"]);
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn settings() -> Settings {
    Settings {
        environment: std::env::vars_os().collect(),
        timeout: Duration::from_secs(60),
        is_base_shared: false,
    }
}

fn open(text: &str) -> Backend {
    open_for(text, CLUSTER)
}

fn open_for(text: &str, cluster: &str) -> Backend {
    open_with(text, cluster, &settings())
}

fn open_with(text: &str, cluster: &str, settings: &Settings) -> Backend {
    let backend = Backend::open(Configuration::parse(text).unwrap(), settings).unwrap();
    backend.work_for(&RunFacts {
        cluster: cluster.to_owned(),
        now: "2026-11-18T00:00:00Z".to_owned(),
    });
    backend
}

fn host_path(path: &str) -> VolumeAsset {
    VolumeAsset {
        volume: "a-volume".to_owned(),
        source: json!({"hostPath": {"path": path}}),
    }
}

/// 1Gi for claim ns/data.
fn request(name: &str, uid: &str) -> CreateRequest {
    CreateRequest {
        name: AssetName::find(name).unwrap(),
        owner: claim(uid),
        size: Quantity::parse("1Gi").unwrap(),
        policy: ReclaimPolicy::Delete,
        class: "scratch".to_owned(),
        access_modes: AccessModes::of_names(["ReadWriteOnce"]),
        volume_mode: VolumeMode::Filesystem,
        parameters: BTreeMap::new(),
        options: BTreeMap::new(),
        node: Some(node("node-1")),
    }
}

/// A node whose label says something else than its name.
fn node(name: &str) -> NodeName {
    NodeName {
        name: name.to_owned(),
        hostname: format!("{name}.example"),
    }
}

fn claim(uid: &str) -> Owner {
    Owner::Claim {
        namespace: "ns".to_owned(),
        name: "data".to_owned(),
        uid: uid.to_owned(),
    }
}

fn create(backend: &Backend, request: &CreateRequest) -> Result<Asset, StorageError> {
    backend.creator().unwrap().unwrap().create(request)
}

fn foresee(backend: &Backend, request: &CreateRequest) -> Result<Option<Asset>, StorageError> {
    backend.creator().unwrap().unwrap().foresee(request)
}

fn roll_back(
    backend: &Backend,
    request: &CreateRequest,
    made: Option<&Asset>,
) -> Result<Deleted, StorageError> {
    backend.deleter().unwrap().unwrap().roll_back(request, made)
}

fn delete(backend: &Backend, volume: &VolumeAsset) -> Result<Deleted, StorageError> {
    backend.deleter().unwrap().unwrap().delete(volume)
}

fn scrub(backend: &Backend, volume: &VolumeAsset) -> Result<(), StorageError> {
    backend.recycler().unwrap().unwrap().scrub(volume)
}

fn leaked(backend: &Backend, known: &[&str]) -> Vec<LeakedAsset> {
    let known = known.iter().map(|name| (*name).to_owned()).collect();
    backend
        .deleter()
        .unwrap()
        .unwrap()
        .leaked(&known)
        .unwrap()
        .unwrap()
}

/// The names in a directory, sorted.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The files of records; beside them there may be the stamp of the cluster.
fn records(scratch: &Scratch) -> Vec<String> {
    let mut files = names(&scratch.asset(".kubectl-pv"));
    files.retain(|name| name != "cluster");
    files
}

fn set(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}
