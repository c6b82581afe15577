//! What is done to an asset: the part of a change that is no request.

use crate::model::asset::{Asset, AssetName, CreateRequest, Owner};

/// What a backend of this machine is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AssetWork {
    /// Makes it, or finds what an earlier run made.
    Create {
        provisioner: String,
        request: Box<CreateRequest>,
    },
    /// Deletes what is behind a volume, data and all. Where it lies only the lock's answer says.
    Delete { provisioner: String, volume: String },
    /// Deletes what is behind a volume, if nothing is in it.
    DeleteEmpty {
        provisioner: String,
        volume: String,
        /// Its name and owner, as far as the volume states them: a program knows an asset by these.
        made: Option<(AssetName, Owner)>,
    },
    /// Empties what is behind a volume, and keeps it.
    Scrub { provisioner: String, volume: String },
    /// Deletes what no volume stands for, if it is still the one that was made for this owner.
    DeleteLeaked {
        provisioner: String,
        name: String,
        owner: Owner,
        /// Whether one with contents stays.
        only_if_empty: bool,
    },
    /// Takes back what was made for somebody and never used.
    RollBack(Box<MadeAsset>),
}

impl AssetWork {
    /// Whose backend is asked.
    pub(crate) fn provisioner(&self) -> &str {
        match self {
            Self::Create { provisioner, .. }
            | Self::Delete { provisioner, .. }
            | Self::DeleteEmpty { provisioner, .. }
            | Self::Scrub { provisioner, .. }
            | Self::DeleteLeaked { provisioner, .. } => provisioner,
            Self::RollBack(made) => &made.provisioner,
        }
    }
}

/// An asset that was made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MadeAsset {
    pub(crate) provisioner: String,
    /// For whom, and under which name; what else was asked for only the run knows that made it.
    pub(crate) request: CreateRequest,
    /// What came of it, where that is known.
    pub(crate) asset: Option<Asset>,
}

impl MadeAsset {
    pub(crate) fn name(&self) -> &str {
        self.request.name.as_str()
    }
}
