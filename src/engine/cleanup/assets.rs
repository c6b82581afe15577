//! `leaked-assets`: what this machine has made and no volume stands for. The assets are handed in; nothing is read here.

use super::asset_holder::{AssetHolder, OwnedAsset};
use super::found_asset::{AssetOwner, FoundAsset};
use super::row::{Finding, Row, Subject};
use super::{Search, recreation};
use crate::conventions::command_line::CommandLine;
use crate::conventions::object_command::command;
use crate::conventions::quantity::Quantity;
use crate::model::ClusterState;
use crate::report::{Code, Confidence};

/// What a record of the older layout says about the policy.
const UNKNOWN_POLICY: &str = "Unknown";

pub(super) fn search<'a>(search: &Search<'a>) -> Vec<Row<'a>> {
    let assets = search.question.assets.found.iter();
    assets.map(|asset| row(search, asset)).collect()
}

/// What has an asset; only volumes are asked about where its record names no claim.
fn find_holder<'a>(state: &'a ClusterState, asset: &FoundAsset) -> Option<AssetHolder<'a>> {
    if let Some(owned) = OwnedAsset::of(asset) {
        return owned.find_holder(state);
    }
    let sharer = state.find_sharer(&asset.source(), "")?;
    Some(AssetHolder::Volume(&sharer.name))
}

fn row<'a>(search: &Search<'a>, asset: &'a FoundAsset) -> Row<'a> {
    let state = search.state;
    let subject = Subject::Asset(asset);
    match find_holder(state, asset) {
        Some(AssetHolder::Volume(volume)) => {
            let why = format!("volume {volume} is at the same place");
            return Row::kept(subject, Code::SharedAsset, why);
        }
        Some(AssetHolder::Claim) => {
            let why = "the claim that it was provisioned for exists and may still get it";
            return Row::kept(subject, Code::ClaimExists, why.to_owned());
        }
        None => {}
    }
    let (whom, confidence) = match &asset.owner {
        Some(AssetOwner::Claim { key, uid }) => {
            let claim = state.find_claim(key);
            let exists = claim.is_some_and(|claim| claim.uid.as_ref() == Some(uid));
            let whom = match claim {
                Some(_) if exists => {
                    format!("for {key}, whose volume another machine provisioned first")
                }
                Some(_) => format!("for a deleted claim {key}"),
                None => format!("for {key}, which does not exist"),
            };
            let confidence = if asset.is_current {
                Confidence::Certain
            } else {
                Confidence::Unsure
            };
            (whom, confidence)
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
    let contents = match asset.is_empty {
        Some(true) => "empty",
        Some(false) => "holds data",
        None => "may hold data",
    };
    let policy = asset.policy.as_deref().unwrap_or(UNKNOWN_POLICY);
    // What may be deleted without being named has nothing in it.
    let recreation = recreation::find_command(asset).filter(|_| !asset.is_disposable());
    let finding = Finding {
        reason: format!(
            "provisioned by {} {whom}; no volume stands for it{left}; {contents}, policy {policy}",
            asset.backend
        ),
        confidence,
        since: None,
        frees: size_of(asset),
        recreates: recreation.is_some(),
        commands: vec![recreation.unwrap_or_else(|| deletion(search, asset))],
    };
    Row::found(subject, finding)
}

/// The size in its record, under its name.
fn size_of(asset: &FoundAsset) -> Option<(String, Quantity)> {
    let size = Quantity::parse(asset.size.as_ref()?).ok()?;
    asset.exists.then(|| (asset.name.clone(), size))
}

/// The command that deletes an asset; one that is deleted only if it is named is shown first.
fn deletion(search: &Search<'_>, asset: &FoundAsset) -> CommandLine {
    let mut words = vec!["kubectl", "pv", "cleanup", "--category", "leaked-assets"];
    if !asset.is_disposable() {
        words.extend(["--asset", &asset.name]);
    }
    words.extend(search.question.assets.flags.iter().map(String::as_str));
    words.push(if asset.is_disposable() {
        "--yes"
    } else {
        "--dry-run"
    });
    command(&words)
}
