//! Storage assets outside Kubernetes: the directories, and whatever an administrator's program makes, that volumes stand for.
//!
//! Nothing here knows the API server; callers hand in names and sources and get sources back. What may be touched is decided
//! by the backends configured on this machine ([`backend`]), never by an object of the cluster. Three small traits, of which
//! a backend implements what it can: [`Creator`], [`Deleter`], [`Recycler`]. All of it blocks.
//!
//! ```text
//! Backends ─▶ Backend ─▶ hostpath, nfs ─▶ served ─▶ directories ─▶ records   who an asset was made for
//!                   ├──▶ base_rights who else can write there
//!                   │                                    ├────────▶ readiness whether it can be deleted, without changing anything
//!                   │                                    └────────▶ removal   trees, emptied from the inside
//!                   └──▶ exec ─▶ program                              └────▶ beneath   every access to a file below a base directory
//! ```
//!
//! Every call may be made again after a crash anywhere within it, and ends where one call would have ended.

pub(crate) mod backend;
mod backends;
mod error;
mod labels;
mod parameters;
mod target;

#[cfg(target_os = "linux")]
mod base_rights;
#[cfg(target_os = "linux")]
mod beneath;
#[cfg(target_os = "linux")]
mod directories;
#[cfg(target_os = "linux")]
mod exec;
#[cfg(target_os = "linux")]
mod hostpath;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod nfs;
#[cfg(test)]
pub(crate) mod own_ground;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod readiness;
#[cfg(target_os = "linux")]
mod records;
#[cfg(target_os = "linux")]
mod removal;
#[cfg(target_os = "linux")]
mod served;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

pub(crate) use crate::model::asset::{Asset, AssetName, CreateRequest, Labels, Owner};

pub(crate) use {
    backend::{Backend, Settings},
    backends::Backends,
    error::StorageError,
    parameters::KnownKey,
    target::{Configuration, ConfigurationError, Target},
};

#[cfg(test)]
pub(crate) use {
    backend::Place,
    parameters::{directory_keys, takes_parameter},
};

#[cfg(target_os = "linux")]
pub(crate) use program::end_all as end_programs;

/// Elsewhere no backend runs one.
#[cfg(not(target_os = "linux"))]
pub(crate) fn end_programs() {}

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Makes assets.
pub(crate) trait Creator: Send + Sync {
    /// The parameters a class, and the options a claim, may set here. Any other key is refused.
    fn known_keys(&self) -> Result<KnownKeys, StorageError>;

    /// Whether [`create`](Self::create) would take the request; touches nothing.
    fn check(&self, request: &CreateRequest) -> Result<(), StorageError>;

    /// Labels that the volume will carry whatever else it carries, so that a selector can be judged before anything is made.
    fn labels(&self, request: &CreateRequest) -> Result<Labels, StorageError>;

    /// The asset as [`create`](Self::create) would make it, touching nothing; `None` where only making it tells. Fails
    /// where [`check`](Self::check) does. Whether an earlier call made it is not looked at: `adopted` is false.
    fn foresee(&self, request: &CreateRequest) -> Result<Option<Asset>, StorageError>;

    /// Makes the asset, or finds the one that an earlier call made for the same owner.
    fn create(&self, request: &CreateRequest) -> Result<Asset, StorageError>;
}

/// Deletes assets.
pub(crate) trait Deleter: Send + Sync {
    /// Deletes the asset behind a volume; one that is gone already is fine.
    fn delete(&self, volume: &VolumeAsset) -> Result<Deleted, StorageError>;

    /// Deletes the asset behind a volume if it is empty, and refuses otherwise, also where that cannot be determined. `made` is
    /// its name and owner, as far as the volume states them.
    fn delete_empty(
        &self,
        volume: &VolumeAsset,
        made: Option<&(AssetName, Owner)>,
    ) -> Result<Deleted, StorageError>;

    /// Takes back an asset that was made for an owner and never used, or what an unfinished [`Creator::create`] left of it.
    ///
    /// `made` is what `create` answered, where it did. A directory goes only if our record gives it to that owner, by uid, and
    /// it is empty. A program is asked to delete; without `made` it is first asked to create once more, which
    /// finds what there is and refuses what is in use: only it knows the source.
    fn roll_back(
        &self,
        request: &CreateRequest,
        made: Option<&Asset>,
    ) -> Result<Deleted, StorageError>;

    /// Deletes an asset that no volume stands for, if our record still gives it to that owner, by uid.
    fn delete_leaked(
        &self,
        name: &str,
        owner: &Owner,
        contents: Contents,
    ) -> Result<Deleted, StorageError>;

    /// The assets that were made here and are not among those `known`, by name; `None` where that cannot be told.
    ///
    /// An asset whose volume is being made this moment is among them: its owner says whether somebody still waits for it.
    fn leaked(&self, known: &BTreeSet<String>) -> Result<Option<Vec<LeakedAsset>>, StorageError>;
}

/// Empties assets, so that somebody else may have them.
pub(crate) trait Recycler: Send + Sync {
    /// Removes everything in the asset behind a volume, and keeps the asset.
    fn scrub(&self, volume: &VolumeAsset) -> Result<(), StorageError>;
}

/// The keys a [`Creator`] knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KnownKeys {
    /// What a class may set.
    pub(crate) parameters: Vec<KnownKey>,
    /// What a claim may set, as far as its class allows it.
    pub(crate) options: Vec<KnownKey>,
}

/// An asset as a volume describes it.
#[derive(Debug, Clone)]
pub(crate) struct VolumeAsset {
    /// The name of the volume.
    pub(crate) volume: String,
    /// Its source, `{"hostPath": {"path": "/srv/volumes/pvc-1"}}`.
    pub(crate) source: Value,
}

/// What happens to the contents of an asset that is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    /// An asset with contents is not deleted.
    MustBeNone,
    AreDeleted,
}

/// What backends need to know about the run that they work for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunFacts {
    /// The uid of the namespace kube-system, by which a cluster is known.
    pub(crate) cluster: String,
    /// The time, as records state it.
    pub(crate) now: String,
}

/// What a base directory shows of the cluster that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaseFacts {
    pub(crate) path: PathBuf,
    /// The uid of that cluster.
    pub(crate) stamp: Option<String>,
    /// Whether there is a place for records.
    pub(crate) has_folder: bool,
    /// Whether there is a record.
    pub(crate) has_records: bool,
}

/// What a volume states about its asset, for the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StatedVolume {
    pub(crate) policy: String,
    pub(crate) size: String,
    /// Empty for none.
    pub(crate) class: String,
    pub(crate) access_modes: Vec<String>,
    /// The hostname of the only node that reaches it.
    pub(crate) node: Option<String>,
}

/// How a deletion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deleted {
    /// It was there and is gone.
    Removed,
    /// There was nothing any more.
    AlreadyGone,
}

/// An asset that no volume is known for.
#[derive(Debug, Clone)]
pub(crate) struct LeakedAsset {
    /// Its name.
    pub(crate) name: String,
    /// Whom it was made for; `None` where our record of it cannot be read.
    pub(crate) owner: Option<Owner>,
    /// The reclaim policy that its volume had last; `None` where the record does not state it.
    pub(crate) policy: Option<String>,
    /// The size that its volume had last.
    pub(crate) size: Option<String>,
    /// The class that its volume had last; empty for none.
    pub(crate) class: Option<String>,
    /// The access modes that its volume had last; none where the record does not state them.
    pub(crate) access_modes: Vec<String>,
    /// The hostname of the node that its volume was pinned to.
    pub(crate) node: Option<String>,
    /// Whether the record is of the current version.
    pub(crate) is_current: bool,
    /// What to hand to [`Deleter::delete`].
    pub(crate) asset: VolumeAsset,
    /// Whether there is more left of it than our record.
    pub(crate) exists: bool,
    /// Whether it is empty; `None` where that cannot be determined.
    pub(crate) is_empty: Option<bool>,
}
