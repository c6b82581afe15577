//! What each change of a plan concerns, for the person who reviews it: claim, size, path, node and policy of its volume, and the
//! values that a patch replaces. Added to a finished plan, from the state that it was made of.

use super::operation::Operation;
use super::plan::{Deed, Errand, Plan, Target};
use crate::conventions::object_kind::ObjectKind;
use crate::model::{Claim, ClaimRef, ClusterState, Volume};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The volume that a change concerns; absent is what does not apply.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Concern {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) claim: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) node: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) policy: Option<String>,
}

/// Adds what each change concerns, and what it replaces.
pub(crate) fn add_details(plan: &mut Plan, state: &ClusterState) {
    let created = created_volumes(plan);
    let concerns: Vec<Concern> = plan
        .errands
        .iter()
        .map(|errand| concern_of(errand, state, &created))
        .collect();
    let mut current: HashMap<Target, Value> = HashMap::new();
    for change in &mut plan.changes {
        if let Some(concern) = concerns.get(change.errand) {
            change.concern = concern.clone();
        }
        if let Operation::Patch(patch) = &mut change.operation {
            let target = change.target.clone();
            let object = current
                .entry(target)
                .or_insert_with_key(|target| stored(target, state));
            let written = without_guards(&patch.body);
            patch.before = replaced(object, &written);
            merge(object, &written);
        }
    }
}

/// The bodies of volumes that the plan creates, by name.
fn created_volumes(plan: &Plan) -> HashMap<String, Value> {
    let created = plan.changes.iter().filter_map(|change| {
        let target = &change.target;
        match &change.operation {
            Operation::Create(creation) if target.kind == ObjectKind::PersistentVolume => {
                Some((target.name.clone(), creation.object.clone()))
            }
            _ => None,
        }
    });
    created.collect()
}

fn concern_of(errand: &Errand, state: &ClusterState, created: &HashMap<String, Value>) -> Concern {
    if errand.deed.is_aside() {
        return Concern::default();
    }
    let own = errand.claim.as_ref().map(ToString::to_string);
    let mut concern = match (
        state.find_volume(&errand.volume),
        created.get(&errand.volume),
    ) {
        (Some(volume), _) => Concern::of_volume(volume),
        (None, Some(body)) => Concern::of_body(body),
        (None, None) => Concern::default(),
    };
    if let Deed::DeleteAsset(Some(loss)) = &errand.deed {
        concern.size = Some(loss.size.clone()).filter(|size| !size.is_empty());
        concern.claim = loss.of.as_ref().map(ToString::to_string);
    }
    concern.claim = own.or(concern.claim);
    concern
}

impl Concern {
    fn of_volume(volume: &Volume) -> Self {
        let owner = volume.claim_ref.as_ref().filter(|it| !it.is_empty());
        Self {
            claim: owner.map(|owner| owner.key().to_string()),
            size: Some(volume.capacity.to_string()),
            path: volume.source.path(),
            node: volume.only_node().map(str::to_owned),
            policy: Some(volume.reclaim_policy.to_string()),
        }
    }

    fn of_body(body: &Value) -> Self {
        let spec = &body["spec"];
        let text = |place: &str| spec.pointer(place).and_then(Value::as_str);
        let paths = [
            "/hostPath/path",
            "/local/path",
            "/nfs/path",
            "/csi/volumeHandle",
        ];
        let path = paths.into_iter().find_map(text);
        let terms = "/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0";
        let key = text(&format!("{terms}/key"));
        let node = text(&format!("{terms}/values/0"));
        Self {
            claim: None,
            size: text("/capacity/storage").map(str::to_owned),
            path: path.filter(|path| !path.is_empty()).map(str::to_owned),
            node: node.filter(|_| key == Some(HOSTNAME)).map(str::to_owned),
            policy: text("/persistentVolumeReclaimPolicy").map(str::to_owned),
        }
    }
}

const HOSTNAME: &str = "kubernetes.io/hostname";

/// The object as far as plans patch it.
fn stored(target: &Target, state: &ClusterState) -> Value {
    match target.kind {
        ObjectKind::PersistentVolume => state.find_volume(&target.name).map(of_volume),
        ObjectKind::PersistentVolumeClaim => {
            let namespace = target.namespace.clone().unwrap_or_default();
            let key = crate::conventions::object_ref::ObjectKey::new(namespace, &*target.name);
            state.find_claim(&key).map(of_claim)
        }
        ObjectKind::Event
        | ObjectKind::Pod
        | ObjectKind::VolumeAttachment
        | ObjectKind::PersistentVolumeSet
        | ObjectKind::Lease
        | ObjectKind::Asset => None,
    }
    .unwrap_or(Value::Null)
}

fn of_volume(volume: &Volume) -> Value {
    json!({
        "metadata": {
            "finalizers": volume.finalizers, "annotations": volume.annotations,
            "labels": volume.labels,
        },
        "spec": {
            "claimRef": volume.claim_ref.as_ref().map(of_reference),
            "persistentVolumeReclaimPolicy": volume.reclaim_policy.to_string(),
            "capacity": { "storage": volume.capacity.to_string() },
            "storageClassName": volume.class(),
        },
        "status": { "phase": volume.phase.name() },
    })
}

fn of_reference(reference: &ClaimRef) -> Value {
    json!({ "namespace": reference.namespace, "name": reference.name, "uid": reference.uid })
}

fn of_claim(claim: &Claim) -> Value {
    json!({
        "metadata": { "annotations": claim.annotations, "labels": claim.labels },
        "spec": {
            "volumeName": claim.volume_name,
            "storageClassName": claim.class.resolved(),
        },
        "status": { "phase": claim.phase.name() },
    })
}

/// The shape of the patch, with the values that it replaces.
fn replaced(object: &Value, patch: &Value) -> Value {
    match patch {
        Value::Object(fields) if object.is_object() => {
            let fields = fields.iter();
            let of = |key: &String| object.get(key).unwrap_or(&Value::Null);
            fields
                .map(|(key, value)| (key.clone(), replaced(of(key), value)))
                .collect()
        }
        _ => object.clone(),
    }
}

/// The patch without uid and version, which only guard it.
fn without_guards(body: &Value) -> Value {
    let mut patch = body.clone();
    let metadata = patch.get_mut("metadata").and_then(Value::as_object_mut);
    if let Some(metadata) = metadata {
        metadata.remove("uid");
        metadata.remove("resourceVersion");
        if metadata.is_empty()
            && let Some(patch) = patch.as_object_mut()
        {
            patch.remove("metadata");
        }
    }
    patch
}

/// RFC 7386.
fn merge(object: &mut Value, patch: &Value) {
    let Value::Object(fields) = patch else {
        object.clone_from(patch);
        return;
    };
    if !object.is_object() {
        *object = json!({});
    }
    for (key, value) in fields {
        if value.is_null() {
            if let Some(object) = object.as_object_mut() {
                object.remove(key);
            }
        } else {
            merge(&mut object[key], value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_shows_the_values_that_it_replaces() {
        let mut object = json!({
            "metadata": { "finalizers": ["a"], "annotations": { "x": "1" } },
            "spec": { "claimRef": { "namespace": "n", "name": "c", "uid": "u" },
                "persistentVolumeReclaimPolicy": "Delete" },
        });
        let lock = json!({ "metadata": { "uid": "v", "resourceVersion": "7",
            "finalizers": ["a", "ours"], "annotations": { "y": "2" } } });
        let before = json!({ "metadata": { "finalizers": ["a"], "annotations": { "y": null } } });
        let lock = without_guards(&lock);
        assert_eq!(replaced(&object, &lock), before);
        merge(&mut object, &lock);
        let unlock = json!({ "metadata": { "uid": "v", "finalizers": ["a"] },
            "spec": { "claimRef": null } });
        let before = json!({ "metadata": { "finalizers": ["a", "ours"] },
            "spec": { "claimRef": { "namespace": "n", "name": "c", "uid": "u" } } });
        let unlock = without_guards(&unlock);
        assert_eq!(replaced(&object, &unlock), before);
        merge(&mut object, &unlock);
        assert!(object["spec"].get("claimRef").is_none());
    }
}
