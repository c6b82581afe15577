//! What is: the objects of the cluster and the base directories of the backends, read at one time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::report::{Key, text};
use crate::cluster::faults::api::Api;

/// Where a command works: the cluster, the place whose objects belong to the test, and the base directories.
pub(crate) struct Site {
    pub(super) api: Api,
    place: String,
    bases: Vec<PathBuf>,
}

/// Objects by key, and assets by base directory and name.
#[derive(Clone, Default)]
pub(crate) struct Reading {
    pub(super) objects: BTreeMap<Key, Value>,
    pub(super) bases: BTreeMap<PathBuf, Directory>,
    pub(super) place: String,
}

/// A base directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Directory {
    /// Each asset, with the names in it.
    pub(super) assets: BTreeMap<String, Vec<String>>,
    /// The assets that have a record.
    pub(super) records: Vec<String>,
}

/// All kinds that a writing command changes, events aside.
const KINDS: [(&str, &str); 6] = [
    ("v1", "PersistentVolume"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "Pod"),
    ("storage.k8s.io/v1", "VolumeAttachment"),
    ("kubectl-pv.dev/v1alpha1", "PersistentVolumeSet"),
    ("storage.k8s.io/v1", "StorageClass"),
];

/// Folders of records: those of the program, and those of the example of an exec backend.
const RECORDS: [&str; 2] = [".kubectl-pv", ".owners"];
const STAMP: &str = "cluster";
/// An empty directory that was to take the place of an emptied asset when its run was killed.
const REPLACEMENT: &str = ".directory";

impl Site {
    pub(crate) fn new(api: Api, place: &str, bases: &[PathBuf]) -> Self {
        Self {
            api,
            place: place.to_owned(),
            bases: bases.to_vec(),
        }
    }

    pub(crate) fn read(&self) -> Reading {
        let mut reading = Reading {
            place: self.place.clone(),
            ..Reading::default()
        };
        for (version, kind) in KINDS {
            for mut object in self.api.list_if_served(version, kind) {
                object["metadata"]["managedFields"].take();
                reading.objects.insert(Key::of_object(&object), object);
            }
        }
        for base in &self.bases {
            reading.bases.insert(base.clone(), Directory::read(base));
        }
        reading
    }
}

impl Reading {
    /// Whether nothing was changed between the two.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        self.objects == other.objects && self.bases == other.bases
    }

    pub(super) fn find(&self, key: &Key) -> Option<&Value> {
        self.objects.get(key)
    }

    pub(super) fn find_uid(&self, kind: &str, uid: &str) -> Option<&Value> {
        let mut objects = self.objects.iter();
        let found = objects.find(|(key, object)| key.kind == kind && uid_of(object) == Some(uid));
        found.map(|(_, object)| object)
    }

    /// Whether an object belongs to the place of the test.
    pub(super) fn owns(&self, key: &Key, object: &Value) -> bool {
        let place = self.place.as_str();
        let is_named = key.name == place || key.name.starts_with(&format!("{place}-"));
        is_named
            || key.namespace.as_deref() == Some(place)
            || object["spec"]["storageClassName"] == place
            || object["spec"]["claimRef"]["namespace"] == place
    }

    /// The base directories that a report can be about.
    pub(super) fn directories<'a>(
        &'a self,
        base: Option<&'a PathBuf>,
    ) -> impl Iterator<Item = (&'a PathBuf, &'a Directory)> {
        let all = self.bases.iter();
        all.filter(move |(path, _)| base.is_none_or(|base| base == *path))
    }
}

impl Directory {
    fn read(base: &Path) -> Self {
        let mut found = Self::default();
        for name in names_in(base) {
            let path = base.join(&name);
            if !RECORDS.contains(&name.as_str()) {
                found.assets.insert(name, names_in(&path));
                continue;
            }
            let mut records = names_in(&path);
            records.retain(|name| name != STAMP && !name.ends_with(REPLACEMENT));
            let plain = |name: String| name.strip_suffix(".json").unwrap_or(&name).to_owned();
            found.records.extend(records.into_iter().map(plain));
        }
        found
    }
}

pub(super) fn uid_of(object: &Value) -> Option<&str> {
    object["metadata"]["uid"].as_str()
}

pub(super) fn is_terminating(object: &Value) -> bool {
    object["metadata"]["deletionTimestamp"].is_string()
}

/// Finalizers that the protection controllers remove from an object that is being deleted (`protection.rs`).
const PROTECTION: [&str; 2] = [
    "kubernetes.io/pv-protection",
    "kubernetes.io/pvc-protection",
];

/// The same fields without the protection finalizers.
pub(super) fn without_protection(fields: &Value) -> Value {
    let mut fields = fields.clone();
    let finalizers = fields.pointer_mut("/metadata/finalizers");
    if let Some(finalizers) = finalizers.and_then(Value::as_array_mut) {
        finalizers.retain(|name| !PROTECTION.iter().any(|own| name == own));
    }
    if fields.pointer("/metadata/finalizers") == Some(&Value::Array(vec![]))
        && let Some(metadata) = fields["metadata"].as_object_mut()
    {
        metadata.remove("finalizers");
    }
    fields
}

/// Whether only the protection controllers keep an object that is being deleted.
pub(super) fn is_going(object: &Value) -> bool {
    let is_protection = |name: &String| PROTECTION.contains(&name.as_str());
    is_terminating(object) && finalizers_of(object).iter().all(is_protection)
}

pub(super) fn finalizers_of(object: &Value) -> Vec<String> {
    let finalizers = object["metadata"]["finalizers"].as_array();
    finalizers.into_iter().flatten().filter_map(text).collect()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
