//! Directories of an NFS export, as `nfs` volumes. The export is mounted on this machine, by somebody else; volumes name it as
//! the nodes will mount it.

use super::backend::Place;
use super::directories::Directories;
use super::parameters::directory_keys;
use super::{
    Asset, CreateRequest, Creator, Deleted, Deleter, KnownKeys, Labels, LeakedAsset, Recycler,
    StorageError, VolumeAsset, labels,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

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
    fn source(&self, name: &str) -> Value {
        let export = self.export.trim_end_matches('/');
        json!({"nfs": {"server": self.server, "path": format!("{export}/{name}")}})
    }

    /// The asset of a request that can be met.
    fn asset(&self, request: &CreateRequest) -> Result<Asset, StorageError> {
        self.check(request)?;
        Ok(Asset {
            adopted: false,
            source: self.source(request.name.as_str()),
            capacity: Directories::capacity(request),
            labels: self.labels(request)?,
            node: None,
        })
    }

    /// Where a source lies, seen from the export.
    pub(super) fn place(&self, source: &Value) -> Place {
        let nfs = &source["nfs"];
        match (nfs["server"].as_str(), nfs["path"].as_str()) {
            (Some(server), Some(path)) if server == self.server => {
                Place::of_path(&self.export, path)
            }
            _ => Place::Elsewhere,
        }
    }

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

impl Creator for Nfs {
    fn known_keys(&self) -> Result<KnownKeys, StorageError> {
        Ok(directory_keys())
    }

    fn check(&self, request: &CreateRequest) -> Result<(), StorageError> {
        labels::of_request(request)?;
        Directories::check(request).map(drop)
    }

    fn labels(&self, request: &CreateRequest) -> Result<Labels, StorageError> {
        labels::of_request(request)
    }

    fn foresee(&self, request: &CreateRequest) -> Result<Option<Asset>, StorageError> {
        self.asset(request).map(Some)
    }

    fn create(&self, request: &CreateRequest) -> Result<Asset, StorageError> {
        let asset = self.asset(request)?;
        let adopted = self.directories.create(request)?;
        Ok(Asset { adopted, ..asset })
    }
}

impl Deleter for Nfs {
    fn delete(&self, volume: &VolumeAsset) -> Result<Deleted, StorageError> {
        self.directories
            .delete(&self.place(&volume.source).asset_of(volume)?)
    }

    fn roll_back(
        &self,
        request: &CreateRequest,
        _: Option<&Asset>,
    ) -> Result<Deleted, StorageError> {
        self.directories.roll_back(&request.name, &request.owner)
    }

    fn leaked(&self, known: &BTreeSet<String>) -> Result<Option<Vec<LeakedAsset>>, StorageError> {
        let recorded = self.directories.recorded()?.into_iter();
        let leaked = recorded.filter(|asset| !known.contains(asset.name.as_str()));
        Ok(Some(
            leaked
                .map(|asset| asset.leaked(self.source(asset.name.as_str())))
                .collect(),
        ))
    }
}

impl Recycler for Nfs {
    fn scrub(&self, volume: &VolumeAsset) -> Result<(), StorageError> {
        self.directories
            .scrub(&self.place(&volume.source).asset_of(volume)?)
    }
}
