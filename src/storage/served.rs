//! Directories of a base directory, as volumes: everything that is the same whichever way the nodes reach them.

use super::backend::Place;
use super::directories::Directories;
use super::parameters::directory_keys;
use super::{
    Asset, AssetName, Contents, CreateRequest, Creator, Deleted, Deleter, KnownKeys, Labels,
    LeakedAsset, Owner, Recycler, StorageError, VolumeAsset,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// A way in which the nodes reach the directories.
pub(super) trait Served: Send + Sync {
    /// The directories, as this machine sees them.
    fn directories(&self) -> &Directories;

    /// The source of the volume that stands for one of them.
    fn source(&self, name: &str) -> Value;

    /// Where a source lies, seen from the base directory.
    fn place(&self, source: &Value) -> Place;

    /// The labels of a volume, or what is wrong with them.
    fn labels(&self, request: &CreateRequest) -> Result<Labels, StorageError>;

    /// What a directory served in this way cannot be.
    fn check_use(&self, request: &CreateRequest) -> Result<(), StorageError>;

    /// The only node that reaches it.
    fn node(&self, request: &CreateRequest) -> Option<String>;
}

/// The asset of a request that can be met.
fn asset(served: &impl Served, request: &CreateRequest) -> Result<Asset, StorageError> {
    Ok(Asset {
        adopted: false,
        source: served.source(request.name.as_str()),
        capacity: Directories::capacity(request),
        labels: served.labels(request)?,
        node: served.node(request),
    })
}

impl<S: Served> Creator for S {
    fn known_keys(&self) -> Result<KnownKeys, StorageError> {
        Ok(directory_keys())
    }

    fn check(&self, request: &CreateRequest) -> Result<(), StorageError> {
        self.check_use(request)?;
        Served::labels(self, request)?;
        Directories::check(request).map(drop)
    }

    fn labels(&self, request: &CreateRequest) -> Result<Labels, StorageError> {
        Served::labels(self, request)
    }

    fn foresee(&self, request: &CreateRequest) -> Result<Option<Asset>, StorageError> {
        self.check(request)?;
        asset(self, request).map(Some)
    }

    fn create(&self, request: &CreateRequest) -> Result<Asset, StorageError> {
        self.check(request)?;
        let asset = asset(self, request)?;
        let adopted = self.directories().create(request)?;
        Ok(Asset { adopted, ..asset })
    }
}

impl<S: Served> Deleter for S {
    fn delete(&self, volume: &VolumeAsset) -> Result<Deleted, StorageError> {
        let asset = self.place(&volume.source).asset_of(volume)?;
        self.directories().delete(&asset)
    }

    fn delete_empty(
        &self,
        volume: &VolumeAsset,
        _: Option<&(AssetName, Owner)>,
    ) -> Result<Deleted, StorageError> {
        let asset = self.place(&volume.source).asset_of(volume)?;
        self.directories().delete_empty(&asset)
    }

    fn roll_back(
        &self,
        request: &CreateRequest,
        _: Option<&Asset>,
    ) -> Result<Deleted, StorageError> {
        self.directories().roll_back(&request.name, &request.owner)
    }

    fn delete_leaked(
        &self,
        name: &str,
        owner: &Owner,
        contents: Contents,
    ) -> Result<Deleted, StorageError> {
        self.directories().delete_leaked(name, owner, contents)
    }

    fn leaked(&self, known: &BTreeSet<String>) -> Result<Option<Vec<LeakedAsset>>, StorageError> {
        let recorded = self.directories().recorded()?.into_iter();
        let leaked = recorded.filter(|asset| !known.contains(asset.name.as_str()));
        let leaked = leaked.map(|asset| asset.leaked(self.source(asset.name.as_str())));
        Ok(Some(leaked.collect()))
    }
}

impl<S: Served> Recycler for S {
    fn scrub(&self, volume: &VolumeAsset) -> Result<(), StorageError> {
        let asset = self.place(&volume.source).asset_of(volume)?;
        self.directories().scrub(&asset)
    }
}
