//! Whose a volume is on this machine: its `provisioned-by` says, or, without one, where its source lies. Never its class.

use crate::engine::{OwnBackend, OwnSource};
use crate::model::{Volume, VolumeSource};
use crate::storage::backend::Place;
use crate::storage::{Backend, Backends};
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

/// Whether nothing is in the asset behind a volume; `None` where that cannot be told.
pub(super) fn is_empty(backends: &Backends, provisioner: &str, volume: &Volume) -> Option<bool> {
    let backend = backends.find(provisioner)?;
    backend.is_empty(&spelled_out(&volume.source))
}
