//! What plans know of the backends of this machine, as plain data: how each is configured, and its answers so far. Commands
//! ask the backends (`commands/backend_answers.rs`) and hand the answers in; planners read them through `inquiry.rs`.

use super::asset_check::AssetCheck;
use crate::engine::OwnBackend;
use crate::model::asset::{Asset, AssetName, CreateRequest, Labels, Owner, Readiness};
use crate::model::{Volume, VolumeSource};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// A backend as it was configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownBackend {
    /// The provisioner name that it serves.
    pub(crate) provisioner: String,
    /// `KIND:TARGET`, as it was configured.
    pub(crate) target: String,
    /// Whether its assets are on one node only.
    pub(crate) needs_node: bool,
    /// Whether it records the owners of its assets.
    pub(crate) keeps_records: bool,
}

impl KnownBackend {
    /// The target without its kind: of a backend that creates directories, the base directory.
    pub(super) fn directory(&self) -> &str {
        let target = self.target.split_once(':');
        target.map_or(&*self.target, |(_, directory)| directory)
    }
}

/// A question that only a backend can answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BackendQuestion {
    /// Which backend holds the storage of a volume, and what can it do with it?
    Holder(StoragePlace),
    /// Can this backend create assets?
    CanCreate { provisioner: String },
    /// What would it create for this request?
    Offer {
        provisioner: String,
        request: Box<CreateRequest>,
    },
    /// What prevents it from creating an asset of this name for this owner?
    Obstacle(AssetOf),
    /// Was this asset created for this owner, and is it unused?
    IsUnused(AssetOf),
    /// Which of its assets are unused?
    UnusedAssets { provisioner: String },
    /// Is the asset behind a volume empty?
    IsEmpty(AssetBehind),
    /// Can this be done now?
    Readiness(AssetCheck),
}

/// Everything by which a volume belongs to a backend.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StoragePlace {
    /// The annotation of that name.
    pub(crate) provisioned_by: Option<String>,
    /// The kind of source.
    pub(crate) field: String,
    /// Where it is.
    pub(crate) location: Option<String>,
}

/// An asset, by its backend, its name and its owner.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct AssetOf {
    pub(crate) provisioner: String,
    pub(crate) name: AssetName,
    pub(crate) owner: Owner,
}

/// The asset behind a volume.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct AssetBehind {
    pub(crate) provisioner: String,
    pub(crate) place: StoragePlace,
    /// Its name and its owner, as far as the volume states them.
    pub(crate) made: Option<(AssetName, Owner)>,
}

/// What a backend would create.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Offer {
    /// Labels of the volume.
    pub(crate) labels: Labels,
    /// The asset; absent where only creating it shows.
    pub(crate) asset: Option<Asset>,
}

/// An asset that is as it was created.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UnusedAsset {
    pub(crate) name: AssetName,
    pub(crate) owner: Owner,
    /// The source of a volume for it; absent where only its program knows.
    pub(crate) source: Option<Value>,
}

/// A request, and what the backend offers for it.
type Offered = (CreateRequest, Result<Offer, String>);

/// The backends and their answers so far. An error is the text of what went wrong.
#[derive(Debug, Default)]
pub(crate) struct BackendFacts {
    /// In the order in which they were configured.
    pub(crate) backends: Vec<KnownBackend>,
    pub(crate) holders: BTreeMap<StoragePlace, Result<Option<OwnBackend>, String>>,
    /// By provisioner name.
    pub(crate) creators: BTreeMap<String, Result<bool, String>>,
    pub(crate) offers: HashMap<AssetOf, Vec<Offered>>,
    pub(crate) obstacles: HashMap<AssetOf, Result<Option<String>, String>>,
    pub(crate) is_unused: HashMap<AssetOf, bool>,
    /// By provisioner name.
    pub(crate) unused_assets: BTreeMap<String, Vec<UnusedAsset>>,
    /// `None` where it cannot be determined.
    pub(crate) is_empty: HashMap<AssetBehind, Option<bool>>,
    pub(crate) readiness: HashMap<AssetCheck, Readiness>,
}

/// How far a planner got with the answers that it had.
#[derive(Debug)]
pub(crate) enum Planned<T> {
    /// It had all that it needs.
    Done(T),
    /// It needs these answers first.
    Asks(Vec<BackendQuestion>),
}

impl<T> Planned<T> {
    /// The same with something else made of the result.
    pub(crate) fn map<U>(self, make: impl FnOnce(T) -> U) -> Planned<U> {
        match self {
            Self::Done(done) => Planned::Done(make(done)),
            Self::Asks(questions) => Planned::Asks(questions),
        }
    }
}

impl BackendFacts {
    /// The answer to a request, if this very request was asked.
    pub(super) fn find_offer(
        &self,
        asset: &AssetOf,
        request: &CreateRequest,
    ) -> Option<&Result<Offer, String>> {
        let mut offers = self.offers.get(asset)?.iter();
        let offer = offers.find(|(asked, _)| asked == request)?;
        Some(&offer.1)
    }

    /// Whether a question has its answer.
    pub(crate) fn answers(&self, question: &BackendQuestion) -> bool {
        match question {
            BackendQuestion::Holder(place) => self.holders.contains_key(place),
            BackendQuestion::CanCreate { provisioner } => self.creators.contains_key(provisioner),
            BackendQuestion::Offer {
                provisioner,
                request,
            } => {
                let asset = AssetOf::of_request(provisioner, request);
                self.find_offer(&asset, request).is_some()
            }
            BackendQuestion::Obstacle(asset) => self.obstacles.contains_key(asset),
            BackendQuestion::IsUnused(asset) => self.is_unused.contains_key(asset),
            BackendQuestion::UnusedAssets { provisioner } => {
                self.unused_assets.contains_key(provisioner)
            }
            BackendQuestion::IsEmpty(asset) => self.is_empty.contains_key(asset),
            BackendQuestion::Readiness(check) => self.readiness.contains_key(check),
        }
    }
}

impl AssetOf {
    /// The asset that a request is for.
    pub(crate) fn of_request(provisioner: &str, request: &CreateRequest) -> Self {
        Self {
            provisioner: provisioner.to_owned(),
            name: request.name.clone(),
            owner: request.owner.clone(),
        }
    }
}

impl StoragePlace {
    /// The place of a volume's storage.
    pub(crate) fn of_volume(volume: &Volume) -> Self {
        let VolumeSource {
            field, location, ..
        } = &volume.source;
        Self {
            provisioned_by: volume.provisioned_by().map(str::to_owned),
            field: field.clone(),
            location: location.clone(),
        }
    }

    /// The source as the object has it, as far as backends read it.
    pub(crate) fn source(&self) -> Value {
        let location = self.location.as_deref().unwrap_or_default();
        match self.field.as_str() {
            "nfs" => match location.split_once(":/") {
                Some((server, path)) => {
                    json!({ "nfs": { "server": server, "path": format!("/{path}") } })
                }
                None => Value::Null,
            },
            "hostPath" => json!({ "hostPath": { "path": location } }),
            _ => Value::Null,
        }
    }
}
