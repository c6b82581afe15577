//! `leaked-assets`: what this machine has made and no volume stands for. The assets are handed in; nothing is read here.

use super::Search;
use super::row::{Finding, Row, Subject};
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::shell::command;
use crate::model::Volume;
use crate::report::{Confidence, KeptCode};

/// What the backends of this machine told.
#[derive(Debug, Clone, Default)]
pub struct Assets {
    /// What no volume is called after.
    pub found: Vec<FoundAsset>,
    /// Why not all of it could be told, as clauses.
    pub unread: Vec<String>,
    /// The flags that configure the backends, for a command to paste.
    pub flags: Vec<String>,
}

/// An asset that no volume is called after.
#[derive(Debug, Clone)]
pub struct FoundAsset {
    /// The provisioner name it was made under.
    pub backend: String,
    /// Its name.
    pub name: String,
    /// Whom it was made for, where that is known.
    pub owner: Option<AssetOwner>,
    /// The kind of source its volume would have, such as `hostPath`.
    pub field: String,
    /// Where it lies, as a volume would say it.
    pub location: Option<String>,
    /// Whether there is more left of it than our record.
    pub exists: bool,
}

/// Whom an asset was made for.
#[derive(Debug, Clone)]
pub enum AssetOwner {
    /// A claim.
    Claim {
        /// Namespace and name.
        key: ObjectKey,
        /// The uid, by which it is known.
        uid: String,
    },
    /// Somebody we cannot look for, in words.
    Other(String),
}

pub(super) fn search<'a>(search: &Search<'a>) -> Vec<Row<'a>> {
    let assets = search.question.assets.found.iter();
    assets.map(|asset| row(search, asset)).collect()
}

fn row<'a>(search: &Search<'a>, asset: &'a FoundAsset) -> Row<'a> {
    let state = search.state;
    let subject = Subject::Asset(asset);
    let mut volumes = state.volumes().iter();
    if let Some(volume) = volumes.find(|volume| lies_at(volume, asset)) {
        let why = format!("volume {} lies in the same place", volume.name);
        return Row::kept(subject, KeptCode::SharedAsset, why);
    }
    let (whom, confidence) = match &asset.owner {
        Some(AssetOwner::Claim { key, uid }) => {
            let claim = state.find_claim(key);
            if claim.is_some_and(|claim| claim.uid.as_ref() == Some(uid)) {
                let why = format!("made for {key}, which is there and may be about to get it");
                return Row::kept(subject, KeptCode::ClaimExists, why);
            }
            let whom = match claim {
                Some(_) => format!("for an earlier {key}, which is gone"),
                None => format!("for {key}, which is gone"),
            };
            (whom, Confidence::Certain)
        }
        Some(AssetOwner::Other(owner)) => (format!("for {owner}"), Confidence::Unsure),
        None => (
            "for nobody knows whom: our record of it cannot be read".to_owned(),
            Confidence::Unsure,
        ),
    };
    let left = if asset.exists {
        ""
    } else {
        "; only our record of it is left"
    };
    let mut words = vec!["kubectl", "pv", "cleanup", "--category", "leaked-assets"];
    words.extend(search.question.assets.flags.iter().map(String::as_str));
    words.push("--yes");
    let finding = Finding {
        reason: format!(
            "made by {} {whom}; no volume stands for it{left}",
            asset.backend
        ),
        confidence,
        since: None,
        frees: None,
        commands: vec![command(&words)],
    };
    Row::found(subject, finding)
}

/// Whether a volume lies where the asset does, above it or below it.
fn lies_at(volume: &Volume, asset: &FoundAsset) -> bool {
    let (Some(one), Some(other)) = (&volume.source.location, &asset.location) else {
        return false;
    };
    // A local volume and a hostPath are told apart by their kind, and may be one directory.
    let is_here = |field: &str| matches!(field, "hostPath" | "local");
    let same_kind = volume.source.field == asset.field
        || (is_here(&volume.source.field) && is_here(&asset.field));
    let parts = |path: &str| -> Vec<String> {
        let parts = path
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".");
        parts.map(str::to_owned).collect()
    };
    let (one, other) = (parts(one), parts(other));
    same_kind && one.iter().zip(&other).all(|(a, b)| a == b)
}
