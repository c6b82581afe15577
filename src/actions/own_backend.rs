//! Whose a volume is on this machine: its `provisioned-by` says, or, without one, where its source lies. Never its class.

use crate::conventions::annotations::{SET_ORDINAL, SET_UID};
use crate::engine::{OwnBackend, OwnSource};
use crate::model::{Volume, VolumeSet, VolumeSource};
use crate::storage::backend::Place;
use crate::storage::{AssetName, Backend, Backends, Owner};
use serde_json::{Value, json};

/// The backend a volume belongs to, and what it can do; or why that cannot be told.
pub(super) fn find(backends: &Backends, volume: &Volume) -> Result<Option<OwnBackend>, String> {
    let source = spelled_out(&volume.source);
    let backend = match volume.provisioned_by() {
        Some(name) => backends.find(name),
        None => backends.find_by_source(&source).map(|(backend, _)| backend),
    };
    let Some(backend) = backend else {
        return Ok(None);
    };
    let name = backend.provisioner();
    let unknown = |error| format!("backend {name} does not say what it can do: {error}");
    Ok(Some(OwnBackend {
        provisioner: name.to_owned(),
        can_delete: backend.deleter().map_err(unknown)?.is_some(),
        can_recycle: backend.recycler().map_err(unknown)?.is_some(),
        source: look_at(backend, &source),
    }))
}

/// What is no directory of ours, only the program knows that made it.
fn look_at(backend: &Backend, source: &Value) -> OwnSource {
    let is_asset = !backend.keeps_records() || matches!(backend.place(source), Place::Asset(_));
    match (is_asset, backend.is_made_here(source)) {
        (false, _) => OwnSource::NoAsset,
        (true, false) => OwnSource::Asset,
        (true, true) => OwnSource::MadeHere,
    }
}

/// The source as the object has it, as far as backends look at it.
fn spelled_out(source: &VolumeSource) -> Value {
    let location = source.location.as_deref().unwrap_or_default();
    match source.field.as_str() {
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

/// Whether nothing is in the asset behind a member of a set; `None` where that cannot be told.
pub(super) fn is_empty(backends: &Backends, set: &VolumeSet, volume: &Volume) -> Option<bool> {
    let backend = backends.find(volume.provisioned_by()?)?;
    let made = made_for(set, volume);
    let made = made.as_ref().map(|(name, owner)| (name, owner));
    backend.is_empty(&spelled_out(&volume.source), made)
}

/// Under which name, and for whom, a member was made, as it says itself.
fn made_for(set: &VolumeSet, volume: &Volume) -> Option<(AssetName, Owner)> {
    let owner = Owner::Set {
        name: set.name.clone(),
        uid: volume.annotations.get(SET_UID)?.clone(),
        ordinal: volume.annotations.get(SET_ORDINAL)?.parse().ok()?,
    };
    Some((AssetName::find(&volume.name)?, owner))
}
