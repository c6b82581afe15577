//! Directories of an NFS export, as `nfs` volumes. The export is mounted on this machine, by somebody else; volumes name it as
//! the nodes will mount it.

use super::backend::Place;
use super::directories::Directories;
use super::served::Served;
use super::{CreateRequest, Labels, StorageError, labels};
use serde_json::{Value, json};

/// What the kernel calls an NFS mount in `statfs`.
const NFS_MAGIC: u64 = 0x6969;

/// The backend `nfs:SERVER:/export@/mounted`.
#[derive(Debug)]
pub(super) struct Nfs {
    pub(super) server: String,
    /// The path the server exports.
    pub(super) export: String,
    pub(super) directories: Directories,
}

impl Nfs {
    /// A directory that nothing is mounted on takes everything, and no node ever sees it.
    pub(super) fn warning(&self) -> Option<String> {
        let base = self.directories.base();
        let is_nfs = base.file_system().is_ok_and(|kind| kind == NFS_MAGIC);
        (!is_nfs).then(|| {
            format!(
                "`{}` is not an NFS mount: nodes find there what this machine writes only if {}:{} is the same directory",
                base.path().display(),
                self.server,
                self.export
            )
        })
    }
}

impl Served for Nfs {
    fn directories(&self) -> &Directories {
        &self.directories
    }

    fn source(&self, name: &str) -> Value {
        let export = self.export.trim_end_matches('/');
        json!({"nfs": {"server": self.server, "path": format!("{export}/{name}")}})
    }

    fn place(&self, source: &Value) -> Place {
        let nfs = &source["nfs"];
        match (nfs["server"].as_str(), nfs["path"].as_str()) {
            (Some(server), Some(path)) if server == self.server => {
                Place::of_path(&self.export, path)
            }
            _ => Place::Elsewhere,
        }
    }

    fn labels(&self, request: &CreateRequest) -> Result<Labels, StorageError> {
        labels::of_request(request)
    }

    /// Whoever can mount the export can have it, any number of them.
    fn check_use(&self, _: &CreateRequest) -> Result<(), StorageError> {
        Ok(())
    }

    fn node(&self, _: &CreateRequest) -> Option<String> {
        None
    }
}
