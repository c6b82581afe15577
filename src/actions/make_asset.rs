//! The making of an asset by a backend of this machine, as a change.

use super::asset_work::AssetWork;
use super::backend_facts::KnownBackend;
use super::draft::Draft;
use super::operation::AssetStep;
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
    let shown = json!({
        "provisioner": backend.provisioner,
        "backend": backend.target,
        "owner": request.owner,
        "size": request.size.to_string(),
        "accessModes": request.access_modes.iter().collect::<Vec<_>>(),
        "volumeMode": request.volume_mode,
        "parameters": shown_values(&request.parameters),
        "options": shown_values(&request.options),
        "node": request.node.as_ref().map(|node| &node.name),
    });
    let work = AssetWork::Create {
        provisioner: backend.provisioner.clone(),
        request: Box::new(request.clone()),
    };
    let step = AssetStep {
        work,
        shown,
        source_of: None,
    };
    let why = format!("the volume stands for it, in {}", backend.target);
    let index = draft.plan.changes.len();
    draft.work(request.name.as_str(), step, why);
    index
}

/// Secrets go to the backend and nowhere else.
fn shown_values(values: &BTreeMap<String, String>) -> Value {
    let shown = values
        .iter()
        .map(|(key, value)| (key.clone(), json!(shown_value(key, value))));
    Value::Object(shown.collect())
}
