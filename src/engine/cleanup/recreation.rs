//! The command that creates a PersistentVolume for a leaked asset again, from what its record states. It is one line for a POSIX
//! shell; `cleanup` prints it, and no part of this program runs it.

use super::found_asset::{AssetOwner, FoundAsset};
use crate::conventions::annotations::{HOSTNAME, MADE_ONCE, PROVISIONED_BY};
use crate::conventions::command_line::CommandLine;
use crate::conventions::object_command::manifest_command;
use serde_json::{Value, json};

/// The source field whose assets only one node reaches.
const OF_ONE_NODE: &str = "hostPath";

/// The command; `None` if the asset does not exist, or the record does not state what a volume needs.
pub(super) fn find_command(asset: &FoundAsset) -> Option<CommandLine> {
    let object = find_object(asset)?.to_string();
    let words = ["kubectl", "create", "-f", "-"];
    Some(manifest_command(&[&asset.name], object, &words))
}

/// Retain, so that neither Kubernetes nor kubectl pv deletes the data. The claimRef keeps it from other claims.
fn find_object(asset: &FoundAsset) -> Option<Value> {
    if !asset.exists {
        return None;
    }
    let modes = if asset.access_modes.is_empty() {
        vec!["ReadWriteOnce".to_owned()]
    } else {
        asset.access_modes.clone()
    };
    let mut spec = json!({
        "capacity": { "storage": asset.size.as_ref()? },
        "accessModes": modes,
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": asset.class.as_deref().unwrap_or_default(),
    });
    if let Some(AssetOwner::Claim { key, .. }) = &asset.owner {
        spec["claimRef"] = json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "namespace": key.namespace, "name": key.name });
    }
    if asset.field == OF_ONE_NODE {
        spec["nodeAffinity"] = json!({ "required": { "nodeSelectorTerms": [ { "matchExpressions": [
            { "key": HOSTNAME, "operator": "In", "values": [asset.node.as_ref()?] } ] } ] } });
    }
    let source = asset.volume_source.as_object()?;
    spec.as_object_mut()?.extend(source.clone());
    let metadata = json!({
        "name": asset.name,
        "annotations": { PROVISIONED_BY: asset.backend, MADE_ONCE: "yes" },
    });
    Some(
        json!({ "apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec }),
    )
}
