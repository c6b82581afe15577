//! The CustomResourceDefinition, which makes the API server know sets.

use super::schema::SCHEMA;
use serde_json::{Value, json};

const GROUP: &str = "kubectl-pv.dev";
const VERSION: &str = "v1alpha1";
/// The only version there is.
pub(super) const API_VERSION: &str = "kubectl-pv.dev/v1alpha1";
const PLURAL: &str = "persistentvolumesets";

/// The CustomResourceDefinition of sets of volumes, to be applied.
pub fn volume_set_crd() -> Value {
    let column = |name: &str, kind: &str, path: &str, description: &str| json!({"name": name, "type": kind, "jsonPath": path, "description": description});
    let columns = [
        column(
            "Min",
            "integer",
            ".spec.minimumReplicas",
            "Unbound volumes that are to be ready",
        ),
        column(
            "Max",
            "integer",
            ".spec.maximumReplicas",
            "Members there may be",
        ),
        column(
            "Total",
            "integer",
            ".status.totalReplicas",
            "Members there were",
        ),
        column(
            "Unbound",
            "integer",
            ".status.unboundReplicas",
            "Members there for a claim to take",
        ),
        column(
            "Bound",
            "integer",
            ".status.boundReplicas",
            "Members bound to claims",
        ),
        column(
            "Age",
            "date",
            ".metadata.creationTimestamp",
            "How long the set has been there",
        ),
    ];
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{PLURAL}.{GROUP}")},
        "spec": {
            "group": GROUP,
            "scope": "Cluster",
            "names": {
                "kind": "PersistentVolumeSet",
                "listKind": "PersistentVolumeSetList",
                "plural": PLURAL,
                "singular": "persistentvolumeset",
                "shortNames": ["pvs"],
            },
            "versions": [{
                "name": VERSION,
                "served": true,
                "storage": true,
                "subresources": {"status": {}},
                "additionalPrinterColumns": columns,
                "schema": {"openAPIV3Schema": *SCHEMA},
            }],
        },
    })
}
