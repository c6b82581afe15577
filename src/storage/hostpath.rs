//! Directories of this machine, as `hostPath` volumes. They are tied to their node, so only what happens on one node at a time
//! can be asked of them.

use super::backend::Place;
use super::directories::Directories;
use super::parameters::directory_keys;
use super::{
    Asset, CreateRequest, Creator, Deleted, Deleter, KnownKeys, Labels, LeakedAsset, Recycler,
    StorageError, VolumeAsset, labels,
};
use crate::conventions::access_mode::AccessMode;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The backend `hostpath:/base/dir`.
#[derive(Debug)]
pub(super) struct HostPath {
    /// The base directory as volumes spell it.
    pub(super) base: String,
    pub(super) directories: Directories,
}

impl HostPath {
    fn source(&self, name: &str) -> Value {
        json!({"hostPath": {"path": format!("{}/{name}", self.base), "type": "Directory"}})
    }

    /// The asset of a request that can be met.
    fn asset(&self, request: &CreateRequest) -> Result<Asset, StorageError> {
        self.check(request)?;
        Ok(Asset {
            adopted: false,
            source: self.source(request.name.as_str()),
            capacity: Directories::capacity(request),
            labels: self.labels(request)?,
            node: request.node.as_ref().map(|node| node.name.clone()),
        })
    }

    /// Where a source lies, seen from the base directory.
    pub(super) fn place(&self, source: &Value) -> Place {
        match source["hostPath"]["path"].as_str() {
            Some(path) => Place::of_path(&self.base, path),
            None => Place::Elsewhere,
        }
    }
}

impl Creator for HostPath {
    fn known_keys(&self) -> Result<KnownKeys, StorageError> {
        Ok(directory_keys())
    }

    fn check(&self, request: &CreateRequest) -> Result<(), StorageError> {
        let many = request
            .access_modes
            .iter()
            .find(|mode| matches!(mode, AccessMode::ReadOnlyMany | AccessMode::ReadWriteMany));
        if let Some(mode) = many {
            let reason = format!("a directory of one node cannot be {}", mode.name());
            return Err(StorageError::Refused(reason));
        }
        if request.node.is_none() {
            let reason = "a directory of this machine needs to know which node this is".to_owned();
            return Err(StorageError::Refused(reason));
        }
        labels::of_node_directory(request)?;
        Directories::check(request).map(drop)
    }

    fn labels(&self, request: &CreateRequest) -> Result<Labels, StorageError> {
        labels::of_node_directory(request)
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

impl Deleter for HostPath {
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

impl Recycler for HostPath {
    fn scrub(&self, volume: &VolumeAsset) -> Result<(), StorageError> {
        self.directories
            .scrub(&self.place(&volume.source).asset_of(volume)?)
    }
}
