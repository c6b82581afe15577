//! What happens to a volume and its data when its claim is deleted, as values, and their words. The engine decides it
//! (`engine/lifecycle.rs`); reports, suggestions and plans use it.

use super::Says;
use super::volume::DataFate;
use crate::conventions::class_name::HOST_PATH;
use crate::conventions::spoken::spoken;
use crate::model::VolumePhase;
use serde::{Serialize, Serializer};
use std::fmt;

/// What happens to a volume when its claim is deleted, and who does it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Policy Retain: no component touches it.
    Retained,
    /// Left to the CSI driver that took over an in-tree name.
    LeftToMigratedDriver {
        /// The driver.
        driver: String,
        /// Whether the policy is Delete, the only one that drivers carry out.
        deletes: bool,
    },
    /// Its provisioner deletes it.
    LeftToProvisioner {
        /// The provisioner.
        name: String,
    },
    /// The CSI driver of its source deletes it.
    LeftToCsiDriver {
        /// The driver, if the source names it.
        driver: Option<String>,
    },
    /// The controller removes its directory.
    DirectoryRemoved,
    /// The controller removes what is in it and offers it again.
    Recycled,
    /// The controller tries, cannot, and reports it in an event and in the status.
    Failed(ReclaimError),
}

/// Why the controller cannot carry out a reclaim policy. Its words are Kubernetes' own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReclaimError {
    /// A policy that is none of the three.
    UnknownPolicy,
    /// Policy Recycle for storage that has no recycler.
    NoRecycler,
    /// The provisioner of NFS volumes in the controller cannot delete.
    NotDeletable,
    /// An in-tree provisioner that is not part of the controller.
    NoPluginNamed(String),
    /// No provisioner is named, and no plugin deletes such storage.
    NoDeleter {
        /// The volume.
        volume: String,
        /// Whether a plugin for such storage exists.
        has_plugin: bool,
    },
    /// The host-path provisioner is to delete other storage.
    NotHostPath {
        /// The volume.
        volume: String,
    },
    /// The host-path provisioner deletes below `/tmp/` only.
    PathNotAllowed {
        /// The path.
        path: String,
    },
}

/// Who reclaims a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reclaimer {
    /// The controller itself.
    Controller,
    /// A provisioner or CSI driver, by its name.
    Component(String),
}

/// What happens to a volume, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[expect(
    missing_docs,
    reason = "the names say it; they are those of the contract"
)]
pub enum FateResult {
    Retained,
    Deleted,
    Recycled,
    Failed,
    LeftToProvisioner,
}

impl FateResult {
    /// The phase the controller leaves the volume in; none where the volume itself is deleted.
    pub fn phase(self) -> Option<VolumePhase> {
        match self {
            Self::Retained | Self::LeftToProvisioner => Some(VolumePhase::Released),
            Self::Recycled => Some(VolumePhase::Available),
            Self::Failed => Some(VolumePhase::Failed),
            Self::Deleted => None,
        }
    }
}

impl Fate {
    /// In one word.
    pub fn result(&self) -> FateResult {
        match self {
            Self::Retained => FateResult::Retained,
            Self::LeftToMigratedDriver { .. }
            | Self::LeftToProvisioner { .. }
            | Self::LeftToCsiDriver { .. } => FateResult::LeftToProvisioner,
            Self::DirectoryRemoved => FateResult::Deleted,
            Self::Recycled => FateResult::Recycled,
            Self::Failed(_) => FateResult::Failed,
        }
    }

    /// Whether the controller fails to reclaim it.
    pub fn fails(&self) -> bool {
        matches!(self, Self::Failed(_))
    }

    /// Who does it, if a component does and its name is known.
    pub fn by(&self) -> Option<Reclaimer> {
        match self {
            Self::Retained => None,
            Self::LeftToMigratedDriver { driver: name, .. } | Self::LeftToProvisioner { name } => {
                Some(Reclaimer::Component(name.clone()))
            }
            Self::LeftToCsiDriver { driver } => driver.clone().map(Reclaimer::Component),
            Self::DirectoryRemoved | Self::Recycled | Self::Failed(_) => {
                Some(Reclaimer::Controller)
            }
        }
    }

    /// Who does it, with these words where its name is not known.
    pub fn by_or(&self, unnamed: &str) -> String {
        let by = self.by();
        by.map_or_else(|| unnamed.to_owned(), |by| by.to_string())
    }

    /// What happens to the data.
    pub fn data(&self) -> DataFate {
        match self {
            Self::Retained
            | Self::Failed(_)
            | Self::LeftToMigratedDriver { deletes: false, .. } => DataFate::Kept,
            _ => DataFate::Destroyed,
        }
    }

    /// Why, as a clause; for a failure the message of Kubernetes, which is also its `status.message`.
    fn clause_words(&self) -> String {
        match self {
            Self::Retained => {
                "policy Retain: the volume stays Released, data and all, until somebody acts"
            }
            Self::LeftToMigratedDriver { deletes: true, .. } => {
                "policy Delete: the CSI driver that took the volume over destroys the data"
            }
            Self::LeftToMigratedDriver { .. } => {
                "the CSI driver that took the volume over decides, and drivers only delete"
            }
            Self::LeftToProvisioner { .. } => "policy Delete: its provisioner destroys the data",
            Self::LeftToCsiDriver { .. } => "policy Delete: its CSI driver destroys the data",
            Self::DirectoryRemoved => "policy Delete: the controller removes the directory",
            Self::Recycled => "policy Recycle: everything in it is removed, then it is Available",
            Self::Failed(error) => return error.to_string(),
        }
        .to_owned()
    }

    /// What the controller reports of it on the volume.
    pub fn says(&self) -> Vec<Says> {
        match self {
            Self::Recycled => vec![Says::new("Normal", "VolumeRecycled", "Volume recycled")],
            Self::Failed(error) => {
                vec![Says::new(
                    "Warning",
                    error.event_reason(),
                    error.to_string(),
                )]
            }
            _ => vec![],
        }
    }
}

impl ReclaimError {
    /// The reason of the event.
    pub fn event_reason(&self) -> &'static str {
        match self {
            Self::UnknownPolicy => "VolumeUnknownReclaimPolicy",
            Self::NoRecycler => "VolumeFailedRecycle",
            _ => "VolumeFailedDelete",
        }
    }
}

/// Upstream: pv_controller.go, reclaimVolume, findDeletablePlugin; pkg/volume/hostpath/host_path.go, newDeleter and Delete.
impl fmt::Display for ReclaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPolicy => {
                f.write_str("Volume has unrecognized PersistentVolumeReclaimPolicy")
            }
            Self::NoRecycler => f.write_str("No recycler plugin found for the volume!"),
            Self::NotDeletable => f.write_str("no deletable volume plugin matched"),
            Self::NoPluginNamed(name) => write!(f, "no volume plugin matched name: {name}"),
            Self::NoDeleter { volume, has_plugin } => {
                let detail = if *has_plugin {
                    "no deletable volume plugin matched"
                } else {
                    "no volume plugin matched"
                };
                write!(
                    f,
                    "error getting deleter volume plugin for volume \"{volume}\": {detail}"
                )
            }
            Self::NotHostPath { volume } => write!(
                f,
                "failed to create deleter for volume \"{volume}\": spec.PersistentVolumeSource.HostPath is nil"
            ),
            Self::PathNotAllowed { path } => write!(
                f,
                "host_path deleter only supports /tmp/.+ but received provided {path}"
            ),
        }
    }
}

impl Reclaimer {
    /// As the subject of a sentence.
    pub fn subject(&self) -> &str {
        match self {
            Self::Controller => "the controller",
            Self::Component(name) => name,
        }
    }
}

impl fmt::Display for Reclaimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Controller => "controller",
            Self::Component(name) => name,
        })
    }
}

impl Serialize for Reclaimer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Why no component deletes a volume whose policy is Delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoDeleter {
    /// One run of kubectl pv provisioned it, and no controller acts on it.
    Unwatched {
        /// The provisioner that deletes it when kubectl pv is run.
        by: String,
    },
    /// The controller deletes hostPath volumes below `/tmp/` only.
    PathNotAllowed {
        /// The path, if it has one.
        path: Option<String>,
    },
    /// The host-path provisioner is to delete other storage.
    NotHostPath {
        /// The field of the source.
        field: String,
    },
    /// An in-tree name that is not part of Kubernetes any more.
    NotImplemented {
        /// The name.
        name: String,
    },
    /// No provisioner is named, and the controller does not delete such storage.
    NoProvisioner {
        /// The field of the source.
        field: String,
    },
}

impl fmt::Display for NoDeleter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("policy Delete, but ")?;
        match self {
            Self::Unwatched { by } => write!(
                f,
                "nobody watches what kubectl pv has made: {by} deletes it when it is told to"
            ),
            Self::PathNotAllowed { path } => write!(
                f,
                "the controller deletes hostPath volumes in a /tmp/ only, not {}",
                path.as_deref().unwrap_or("nowhere")
            ),
            Self::NotHostPath { field } => write!(
                f,
                "{HOST_PATH} is to delete it, which deletes no {field} volumes"
            ),
            Self::NotImplemented { name } => {
                write!(f, "{name} is to delete it, which nothing implements")
            }
            Self::NoProvisioner { field } => write!(
                f,
                "no provisioner made it and the controller deletes no {field} volumes"
            ),
        }
    }
}

/// Why no component empties a volume whose policy is Recycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRecycler {
    /// The controller does not empty such storage.
    Source {
        /// The field of the source.
        field: String,
    },
    /// CSI drivers delete and do not recycle.
    CsiDriver,
}

impl fmt::Display for NoRecycler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("policy Recycle, but ")?;
        match self {
            Self::Source { field } => write!(
                f,
                "the controller empties hostPath and nfs volumes only, not {field}"
            ),
            Self::CsiDriver => f.write_str("CSI drivers only delete: nobody empties it"),
        }
    }
}

/// Why reclaiming a volume failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReclaimFailure {
    /// The message that the controller left in its status.
    Reported(String),
    /// It left none.
    NotReported,
    /// The policy is none of the three.
    UnknownPolicy(String),
}

impl fmt::Display for ReclaimFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reported(message) => f.write_str(message),
            Self::NotReported => f.write_str("it does not say why"),
            Self::UnknownPolicy(name) => write!(f, "policy {name} is none that Kubernetes knows"),
        }
    }
}

impl Fate {
    /// As a clause.
    pub fn clause(&self) -> String {
        spoken(self.clause_words())
    }
}
