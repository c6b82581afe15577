//! `--save DIR`: every object that a run changes or deletes, as it was before the run's first write, in files from which
//! `kubectl create` restores it. A restored volume has policy Retain, so that nothing deletes its data before a person has
//! decided.

use crate::actions::operation::Operation;
use crate::actions::plan::{Plan, Target};
use crate::cluster::Cluster;
use crate::conventions::annotations::{
    BIND_COMPLETED, BOUND_BY_CONTROLLER, OWN_DELETION, RECYCLER_POD, RECYCLING, SAVED_POLICY,
};
use crate::conventions::fingerprint::fingerprint;
use crate::conventions::object_command::command;
use crate::conventions::object_kind::ObjectKind;
use crate::error::CommandError;
use crate::render::{ManifestFormat, write_manifest};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// File systems take names of 255 bytes.
const LONGEST_NAME: usize = 200;

/// Saves objects before they are written.
pub(in crate::commands) struct Saver {
    directory: PathBuf,
    saved: HashSet<Target>,
}

impl Saver {
    /// Refuses a directory that is not empty. Nothing is created before the first save.
    pub(super) fn new(directory: &Path) -> Result<Self, CommandError> {
        let shown = directory.display();
        match fs::read_dir(directory) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    let message = format!("--save: \"{shown}\" is not empty");
                    return Err(CommandError::usage(message));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let message = format!("--save: \"{shown}\" is not readable");
                return Err(CommandError::usage(message).because(error));
            }
        }
        Ok(Self {
            directory: directory.to_owned(),
            saved: HashSet::new(),
        })
    }

    /// Saves the objects of a plan that were not saved yet.
    pub(super) fn save(&mut self, plan: &Plan, cluster: &Cluster) -> Result<(), CommandError> {
        let failed = |error: io::Error| {
            let shown = self.directory.display();
            CommandError::unanswered(format!("--save: cannot write to \"{shown}\"")).because(error)
        };
        let targets = targets_of(plan, &self.saved);
        if targets.is_empty() {
            return Ok(());
        }
        let objects = cluster.read_objects(&targets)?;
        let deleted: HashSet<&Target> = deletions_of(plan).collect();
        for (target, object) in targets.iter().zip(objects) {
            let Some(object) = object else {
                continue;
            };
            let folder = if deleted.contains(target) {
                "deleted"
            } else {
                "changed"
            };
            let folder = self.directory.join(folder);
            create_folder(&self.directory).map_err(failed)?;
            create_folder(&folder).map_err(failed)?;
            write_file(&folder.join(file_name(target)), target, object).map_err(failed)?;
        }
        self.saved.extend(targets);
        Ok(())
    }
}

/// The name of a directory that the next run can use: this one is not empty any more.
pub(super) fn next_directory(directory: &Path) -> PathBuf {
    let name = directory.as_os_str().to_string_lossy();
    let name = name.trim_end_matches('/');
    let names = (2..).map(|number| PathBuf::from(format!("{name}-{number}")));
    names
        .into_iter()
        .find(|path| !path.exists())
        .unwrap_or_else(|| directory.to_owned())
}

/// The objects that exist and are patched or deleted.
fn targets_of(plan: &Plan, saved: &HashSet<Target>) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    let mut seen = HashSet::new();
    for change in &plan.changes {
        let target = &change.target;
        let is_written = matches!(change.operation, Operation::Patch(_) | Operation::Delete(_));
        if is_written && target.uid.is_some() && !saved.contains(target) && seen.insert(target) {
            targets.push(target.clone());
        }
    }
    targets
}

fn deletions_of(plan: &Plan) -> impl Iterator<Item = &Target> {
    let deletions = plan.changes.iter();
    let deletions = deletions.filter(|change| matches!(change.operation, Operation::Delete(_)));
    deletions.map(|change| &change.target)
}

fn file_name(target: &Target) -> String {
    let parts = [
        Some(target.kind.name()),
        target.namespace.as_deref(),
        Some(&target.name),
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    let name = parts.join(".").replace('/', "_");
    if name.len() <= LONGEST_NAME {
        return format!("{name}.yaml");
    }
    let mut cut = LONGEST_NAME - 17;
    while !name.is_char_boundary(cut) {
        cut -= 1;
    }
    format!("{}-{:016x}.yaml", &name[..cut], fingerprint(&name))
}

#[cfg(unix)]
fn create_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    if path.is_dir() {
        return Ok(());
    }
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

#[cfg(not(unix))]
fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Written and synced, so that it is there whatever happens next.
fn write_file(path: &Path, target: &Target, object: Value) -> io::Result<()> {
    let object = restorable(object);
    let mut text = Vec::new();
    if let Some(comment) = comment_for(target, &object) {
        writeln!(text, "# {comment}")?;
    }
    write_manifest(&mut text, &object, ManifestFormat::Yaml)?;
    let mut file = File::create_new(path)?;
    file.write_all(&text)?;
    file.sync_all()?;
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// How the claim gets the volume back.
fn comment_for(target: &Target, object: &Value) -> Option<String> {
    let reference = &object["spec"]["claimRef"];
    let (namespace, name) = (
        reference["namespace"].as_str()?,
        reference["name"].as_str()?,
    );
    if target.kind != ObjectKind::PersistentVolume {
        return None;
    }
    let claim = format!("{namespace}/{name}");
    let words = [
        "kubectl",
        "pv",
        "reclaim",
        &target.name,
        "--reuse",
        "--for",
        &claim,
    ];
    let reuse = command(&words);
    // A comment ends with its line.
    let reuse = reuse.to_string().replace(['\n', '\r'], " ");
    Some(format!("To give this volume to its claim again: {reuse}"))
}

/// The object without everything that only the cluster sets.
fn restorable(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    let is_volume = object["kind"] == ObjectKind::PersistentVolume.name();
    let is_claim = object["kind"] == ObjectKind::PersistentVolumeClaim.name();
    let metadata = &mut object["metadata"];
    if let Some(metadata) = metadata.as_object_mut() {
        for field in SET_BY_THE_SERVER {
            metadata.remove(field);
        }
    }
    if let Some(finalizers) = metadata["finalizers"].as_array_mut() {
        finalizers.retain(|name| name != OWN_DELETION);
    }
    remove_if_empty(metadata, "finalizers");
    let saved_policy = object["spec"]["persistentVolumeReclaimPolicy"].clone();
    let lock = object["metadata"]["annotations"][RECYCLING].clone();
    let annotations = object["metadata"]["annotations"].as_object_mut();
    if let Some(annotations) = annotations {
        annotations.remove(RECYCLING);
        annotations.remove(RECYCLER_POD);
        if is_claim {
            annotations.remove(BIND_COMPLETED);
            annotations.remove(BOUND_BY_CONTROLLER);
        }
    }
    remove_if_empty(&mut object["metadata"], "annotations");
    if is_volume {
        // Our lock hides the policy of before.
        let before = lock.as_str().and_then(|lock| lock.split('/').next());
        let policy = before.map_or(saved_policy, |before| json!(before));
        object["metadata"]["annotations"][SAVED_POLICY] = policy;
        object["spec"]["persistentVolumeReclaimPolicy"] = json!("Retain");
    }
    object
}

const SET_BY_THE_SERVER: [&str; 7] = [
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "generation",
];

/// Reading an absent field leaves null behind.
fn remove_if_empty(object: &mut Value, field: &str) {
    let is_empty = match &object[field] {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    if let Some(fields) = object.as_object_mut()
        && is_empty
    {
        fields.remove(field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_is_saved_with_policy_retain_and_without_our_lock() {
        let volume = json!({ "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {
                "name": "v", "uid": "u", "resourceVersion": "7", "managedFields": [],
                "finalizers": ["kubernetes.io/pv-protection", OWN_DELETION],
                "annotations": { RECYCLING: "Recycle/7/run", "a": "b" } },
            "spec": { "persistentVolumeReclaimPolicy": "Retain", "claimRef": { "uid": "c" } },
            "status": { "phase": "Released" } });
        let saved = json!({ "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {
                "name": "v", "finalizers": ["kubernetes.io/pv-protection"],
                "annotations": { SAVED_POLICY: "Recycle", "a": "b" } },
            "spec": { "persistentVolumeReclaimPolicy": "Retain", "claimRef": { "uid": "c" } } });
        assert_eq!(restorable(volume), saved);
        let claim = json!({ "kind": "PersistentVolumeClaim", "metadata": { "name": "c", "annotations": {
            BIND_COMPLETED: "yes", BOUND_BY_CONTROLLER: "yes" } }, "spec": { "volumeName": "v" } });
        let saved = json!({ "kind": "PersistentVolumeClaim", "metadata": { "name": "c" },
            "spec": { "volumeName": "v" } });
        assert_eq!(restorable(claim), saved);
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let of = |name: &str| file_name(&Target::volume(name, None));
        assert_eq!(of("pv-a"), "PersistentVolume.pv-a.yaml");
        let (one, other) = (of(&format!("{}1", "x".repeat(250))), of(&"x".repeat(251)));
        assert!(one.len() <= LONGEST_NAME + 5 && one != other, "{one}");
        let key = crate::conventions::object_ref::ObjectKey::new("ns", "c");
        let claim = file_name(&Target::claim(&key, None));
        assert_eq!(claim, "PersistentVolumeClaim.ns.c.yaml");
    }
}
