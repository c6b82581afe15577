//! A directory of this machine for one run: the base directory a backend works in, and things beside it
//! that are nobody's business. What is there can be written down, and compared later.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::cluster::control_plane::cluster_uid;

/// Names in a base directory that are records, ours and the example program's.
const RECORDS: [&str; 2] = [".kubectl-pv", ".owners"];
const STAMP: &str = "cluster";

pub(in crate::cluster) struct Yard {
    root: PathBuf,
}

impl Yard {
    /// An empty base directory, and a neighbour with something in it.
    pub(in crate::cluster) fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let own = format!("kubectl-pv-yard-{}-{number}z", std::process::id());
        let yard = Self {
            root: std::env::temp_dir().join(own),
        };
        fs::create_dir_all(yard.base()).expect("make a base directory");
        fs::create_dir_all(yard.neighbour()).expect("make a neighbour");
        fs::write(yard.neighbour().join("treasure"), "untouched").expect("fill the neighbour");
        yard
    }

    pub(in crate::cluster) fn root(&self) -> &Path {
        &self.root
    }

    /// Where the backend may work.
    pub(in crate::cluster) fn base(&self) -> PathBuf {
        self.root.join("base")
    }

    /// Where it may not.
    pub(in crate::cluster) fn neighbour(&self) -> PathBuf {
        self.root.join("neighbour")
    }

    /// A program in the yard, beside the base directory.
    pub(in crate::cluster) fn program(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root.join(name);
        fs::write(&path, text).expect("write a program");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("make it executable");
        path
    }

    pub(in crate::cluster) fn stamp(&self) -> PathBuf {
        stamp(&self.base())
    }

    /// The directory of a file server that is mounted as the base directory; no two yards have the same.
    pub(in crate::cluster) fn export(&self) -> String {
        let own = self.root.file_name().unwrap_or_default();
        format!("/srv/{}", own.to_string_lossy())
    }

    /// Everything in the base directory, by path.
    pub(in crate::cluster) fn inside(&self) -> BTreeMap<String, String> {
        describe(&self.base())
    }

    /// Everything in the neighbour.
    pub(in crate::cluster) fn outside(&self) -> BTreeMap<String, String> {
        describe(&self.neighbour())
    }

    /// The names in the base directory that are no records.
    pub(in crate::cluster) fn assets(&self) -> Vec<String> {
        let names = self.inside().into_keys();
        names
            .filter(|name| !name.contains('/') && !RECORDS.contains(&name.as_str()))
            .collect()
    }

    /// The assets there are records of; what a record never became is shown as it is.
    pub(in crate::cluster) fn records(&self) -> Vec<String> {
        let names = self.inside().into_keys();
        names
            .filter_map(|name| {
                let (folder, record) = name.split_once('/')?;
                let record = record.strip_suffix(".json").unwrap_or(record);
                let is_record = RECORDS.contains(&folder) && record != STAMP;
                is_record.then(|| record.to_owned())
            })
            .collect()
    }
}

/// Gives a base directory to this cluster, as the first asset does; answers where its records are.
pub(in crate::cluster) fn stamp(base: &Path) -> PathBuf {
    let records = base.join(".kubectl-pv");
    fs::create_dir_all(&records).expect("make a folder of records");
    fs::set_permissions(&records, fs::Permissions::from_mode(0o700)).expect("for us only");
    fs::write(records.join(STAMP), cluster_uid()).expect("write the stamp");
    records
}

impl Drop for Yard {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// What is below a directory: kind, permissions and contents of each, no link followed.
fn describe(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    walk(folder, "", &mut found);
    found
}

/// A record without the time at which it was written, which differs from run to run.
fn without_time(text: &[u8]) -> String {
    match serde_json::from_slice::<Value>(text) {
        Ok(Value::Object(mut record)) if record.contains_key("updatedAt") => {
            record.remove("updatedAt");
            Value::Object(record).to_string()
        }
        _ => String::from_utf8_lossy(text).into_owned(),
    }
}

fn walk(folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        let mode = metadata.permissions().mode() & 0o7777;
        let what = if metadata.is_symlink() {
            format!("link to {:?}", fs::read_link(&path).ok())
        } else if metadata.is_dir() {
            walk(&path, &format!("{name}/"), found);
            format!("directory {mode:o}")
        } else {
            let text = fs::read(&path).unwrap_or_default();
            format!("file {mode:o}: {}", without_time(&text))
        };
        found.insert(name, what);
    }
}
