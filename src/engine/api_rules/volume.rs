//! Volumes: R10 and what R10d has seen. Their status is dropped before anybody looks; of `claimRef` nothing is checked.
//!
//! Upstream: pkg/apis/core/validation, ValidatePersistentVolumeSpec; pkg/volume/validation for mount options.

use super::claim::{check_access_modes, check_class_name, check_volume_mode};
use super::field_errors::FieldErrors;
use super::forms::is_root;
use super::metadata::{self, Scope};
use super::values::{as_text, child, quantity, text, texts};
use super::{node_affinity, quantities, sources};
use crate::conventions::field_error::{FieldErrorKind, InvalidRule, Value};
use crate::conventions::names::{go_quote, name_problems};
use crate::model::manifest::{Content, Node};

const MOUNT_OPTIONS: &str = "volume.beta.kubernetes.io/mount-options";
/// Sources whose volumes may have the annotation. All may have `spec.mountOptions`.
const WITH_MOUNT_OPTIONS: [&str; 13] = [
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "cinder",
    "cephfs",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
];

pub(super) fn check(errors: &mut FieldErrors, root: &Node) {
    metadata::check(errors, root, Scope::Cluster);
    let spec = child(root, "spec");
    if texts(spec, "accessModes").is_empty() {
        errors.required("spec.accessModes", "");
    }
    check_access_modes(errors, spec);
    check_capacity(errors, spec);
    let policy = text(spec, "persistentVolumeReclaimPolicy");
    let policies = ["Delete", "Recycle", "Retain"];
    if !policy.is_empty() && !policies.contains(&policy) {
        errors.unsupported("spec.persistentVolumeReclaimPolicy", policy, &policies);
    }
    node_affinity::check(errors, spec);
    sources::check(errors, spec, &metadata::name_of(root));
    let path = text(child(spec, "hostPath"), "path");
    if policy == "Recycle" && is_root(path) {
        errors.forbidden(
            "spec.persistentVolumeReclaimPolicy",
            "may not be 'recycle' for a hostPath mount of '/'",
        );
    }
    check_class_name(errors, spec, "storageClassName");
    check_volume_mode(errors, spec);
    check_attributes_class(errors, spec);
    check_mount_options(errors, root, spec);
}

fn check_capacity(errors: &mut FieldErrors, spec: &Node) {
    const FIELD: &str = "spec.capacity";
    let entries = child(spec, "capacity").entries();
    if entries.is_empty() {
        errors.required(FIELD, "");
    }
    if entries.len() != 1 || entries[0].key != "storage" {
        let given = shown_capacity(child(spec, "capacity"));
        let kind = FieldErrorKind::NotSupported {
            value: Value::Json(given),
            supported: vec!["storage".to_owned()],
        };
        errors.report(FIELD, kind);
    }
    for entry in entries {
        let field = format!("{FIELD}[{}]", entry.key);
        let capacity = quantity(&entry.value);
        // What is too large for 64 bits may come out negative, which a claim is not asked about.
        let value = match &entry.value.content {
            Content::Text(text) | Content::Number(text) => quantities::value(text),
            _ => 0,
        };
        if value < 0 {
            errors.invalid_as(&field, value.to_string(), InvalidRule::ValidQuantity);
        }
        if !capacity.is_positive() {
            errors.invalid(&field, &capacity.canonical(), InvalidRule::Positive);
        }
    }
}

/// The capacity as JSON, keys sorted.
fn shown_capacity(node: &Node) -> String {
    if node.is_null() {
        return "null".to_owned();
    }
    let entries = node.entries().iter();
    let mut pairs: Vec<String> = entries
        .map(|entry| {
            let value = quantity(&entry.value).canonical();
            format!("{}:{}", go_quote(&entry.key), go_quote(&value))
        })
        .collect();
    pairs.sort_unstable();
    format!("{{{}}}", pairs.join(","))
}

/// Unlike on a claim, an empty name is wrong.
fn check_attributes_class(errors: &mut FieldErrors, spec: &Node) {
    const FIELD: &str = "spec.volumeAttributesClassName";
    let Some(name) = spec.get("volumeAttributesClassName").map(as_text) else {
        return;
    };
    if name.is_empty() {
        errors.required(FIELD, "an empty string is disallowed");
    } else {
        errors.invalid_each(FIELD, name, &name_problems(name));
    }
    if spec.get("csi").is_none() {
        errors.required(
            "spec.csi",
            "has to be specified when using volumeAttributesClassName",
        );
    }
}

fn check_mount_options(errors: &mut FieldErrors, root: &Node, spec: &Node) {
    let annotations = child(child(root, "metadata"), "annotations");
    let may = WITH_MOUNT_OPTIONS
        .iter()
        .any(|source| spec.get(source).is_some());
    if !may && annotations.entry(MOUNT_OPTIONS).is_some() {
        errors.forbidden(
            format!("metadata.annotations.{MOUNT_OPTIONS}"),
            "may not specify mount options for this volume type",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::Judged;
    use super::super::testing::{fields, with};
    use serde_json::{Value, json};

    fn volume() -> Value {
        json!({"metadata": {"name": "disk"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/data"},
        }})
    }

    #[test]
    fn each_rule_names_its_field() {
        const MOUNT: &str = "/metadata/annotations/volume.beta.kubernetes.io~1mount-options";
        let cases = [
            ("/spec/accessModes", json!(null), vec!["spec.accessModes"]),
            (
                "/spec/accessModes",
                json!(["ReadWriteOncePod", "ReadOnlyMany"]),
                vec!["spec.accessModes"],
            ),
            (
                "/spec/capacity",
                json!({}),
                vec!["spec.capacity", "spec.capacity"],
            ),
            (
                "/spec/capacity",
                json!({"storage": "1Gi", "cpu": "0"}),
                vec!["spec.capacity", "spec.capacity[cpu]"],
            ),
            (
                "/spec/capacity/storage",
                json!("9300000001G"),
                vec!["spec.capacity[storage]"],
            ),
            ("/spec/capacity/storage", json!("1e100"), vec![]),
            (
                "/spec/capacity/storage",
                json!("-1Gi"),
                vec!["spec.capacity[storage]"; 2],
            ),
            (
                "/spec/persistentVolumeReclaimPolicy",
                json!("Keep"),
                vec!["spec.persistentVolumeReclaimPolicy"],
            ),
            ("/spec/persistentVolumeReclaimPolicy", json!(""), vec![]),
            (
                "/spec/storageClassName",
                json!("A"),
                vec!["spec.storageClassName"],
            ),
            ("/spec/volumeMode", json!("Raw"), vec!["spec.volumeMode"]),
            (
                "/spec/volumeAttributesClassName",
                json!(""),
                vec!["spec.volumeAttributesClassName", "spec.csi"],
            ),
            (
                MOUNT,
                json!(""),
                vec!["metadata.annotations.volume.beta.kubernetes.io/mount-options"],
            ),
            ("/metadata/namespace", json!("Dropped"), vec![]),
            ("/spec/claimRef", json!({"name": "Anything goes"}), vec![]),
            (
                "/spec/nodeAffinity",
                json!({}),
                vec!["spec.nodeAffinity.required"],
            ),
            (
                "/spec/nodeAffinity/required",
                json!({}),
                vec!["spec.nodeAffinity.required.nodeSelectorTerms"],
            ),
            (
                "/spec/nodeAffinity/required/nodeSelectorTerms",
                json!([{}]),
                vec![],
            ),
            (
                "/spec/nodeAffinity/required/nodeSelectorTerms",
                json!([{"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["text"]},
                    {"key": "a b", "operator": "Lt"}, {"key": "a", "operator": "Exists", "values": ["_"]}]}]),
                vec![
                    "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[1].values",
                    "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[1].key",
                    "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[2].values",
                    "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[2].values[0]",
                ],
            ),
            (
                "/spec/nodeAffinity/required/nodeSelectorTerms",
                json!([{"matchFields": [{"key": "a", "operator": "Exists"},
                    {"key": "metadata.name", "operator": "In", "values": ["A", "b"]}]}]),
                vec![
                    "spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].operator",
                    "spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].key",
                    "spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[1].values",
                    "spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[1].values[0]",
                ],
            ),
        ];
        for (pointer, value, expected) in cases {
            let manifest = with(volume(), pointer, value);
            assert_eq!(fields(Judged::Volume, &manifest), expected, "{manifest}");
        }
    }

    #[test]
    fn the_root_of_a_node_is_not_recycled() {
        let recycled = with(
            volume(),
            "/spec/persistentVolumeReclaimPolicy",
            json!("Recycle"),
        );
        assert!(fields(Judged::Volume, &recycled).is_empty());
        let root = with(recycled, "/spec/hostPath/path", json!("//."));
        assert_eq!(
            fields(Judged::Volume, &root),
            ["spec.persistentVolumeReclaimPolicy"]
        );
    }
}
