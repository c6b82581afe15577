//! The making of an asset by a backend of this machine, as a change.

use super::asset_work::AssetWork;
use super::backend_facts::KnownBackend;
use super::draft::Draft;
use super::plan::Action;
use crate::conventions::secrets::shown_value;
use crate::model::asset::CreateRequest;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Plans an asset, and says which change makes it.
pub(super) fn make_asset(
    draft: &mut Draft,
    backend: &KnownBackend,
    request: &CreateRequest,
) -> usize {
    let body = json!({
        "provisioner": backend.provisioner,
        "backend": backend.target,
        "owner": request.owner,
        "size": request.size.to_string(),
        "accessModes": request.access_modes.iter().collect::<Vec<_>>(),
        "volumeMode": request.volume_mode,
        "parameters": shown(&request.parameters),
        "options": shown(&request.options),
        "node": request.node.as_ref().map(|node| &node.name),
    });
    let work = AssetWork::Create {
        provisioner: backend.provisioner.clone(),
        request: Box::new(request.clone()),
    };
    let why = format!("the volume stands for it, in {}", backend.target);
    draft.work(Action::CreateAsset, request.name.as_str(), body, work, why)
}

/// Secrets go to the backend and nowhere else.
fn shown(values: &BTreeMap<String, String>) -> Value {
    let shown = values
        .iter()
        .map(|(key, value)| (key.clone(), json!(shown_value(key, value))));
    Value::Object(shown.collect())
}
