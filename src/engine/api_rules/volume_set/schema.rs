//! The structural schema of a set: its [`Shape`] in the words of OpenAPI, with what each field means and may hold.

use super::super::schema::{Shape, VOLUME_SET};
use super::rules;
use crate::conventions::access_mode::AccessMode;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// What the API server holds sets against, and we too.
pub(super) static SCHEMA: LazyLock<Value> = LazyLock::new(|| spell(&VOLUME_SET, ""));

/// A quantity, and not one whose exponent would keep a server busy for minutes.
pub(super) const QUANTITY: &str =
    r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?$";
/// The value of a label.
pub(super) const LABEL_VALUE: &str = "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$";

fn spell(shape: &Shape, path: &str) -> Value {
    let mut schema = Map::new();
    if path == "metadata" {
        // Everything in it is the server's own, which knows it.
        schema.insert("type".to_owned(), json!("object"));
        return Value::Object(schema);
    }
    let own = match shape {
        Shape::Text | Shape::Bytes => json!({"type": "string"}),
        Shape::Bool => json!({"type": "boolean"}),
        Shape::Int32 => json!({"type": "integer", "format": "int32"}),
        Shape::Int64 => json!({"type": "integer", "format": "int64"}),
        Shape::Quantity => {
            json!({"x-kubernetes-int-or-string": true, "pattern": QUANTITY, "maxLength": 64})
        }
        Shape::Time => json!({"type": "string", "format": "date-time"}),
        Shape::Anything => json!({"x-kubernetes-preserve-unknown-fields": true}),
        Shape::List(item) => json!({"type": "array", "items": spell(item, &format!("{path}[]"))}),
        Shape::Map(value) => {
            json!({"type": "object", "additionalProperties": spell(value, &format!("{path}[*]"))})
        }
        Shape::Object(fields) => {
            let properties: Map<String, Value> = fields
                .iter()
                .map(|(key, shape)| ((*key).to_owned(), spell(shape, &below(path, key))))
                .collect();
            json!({"type": "object", "properties": properties})
        }
    };
    for more in [own, limits(path)] {
        if let Value::Object(more) = more {
            schema.extend(more);
        }
    }
    if let Some(text) = description(path) {
        schema.insert("description".to_owned(), json!(text));
    }
    let rules = rules::spelled(path);
    if !rules.is_empty() {
        schema.insert("x-kubernetes-validations".to_owned(), json!(rules));
    }
    Value::Object(schema)
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// What a field may hold beyond its type. Upper limits are far above what anybody needs: the server foresees what a rule
/// costs at worst, and takes none that could cost too much.
fn limits(path: &str) -> Value {
    match path {
        "" | "spec.template" => json!({"required": ["spec"]}),
        "spec" => {
            json!({"required": ["minimumReplicas", "maximumReplicas", "selector", "template"]})
        }
        "spec.minimumReplicas" | "spec.maximumReplicas" => json!({"minimum": 0}),
        "spec.selector" => json!({"minProperties": 1, "maxProperties": 32}),
        "spec.template.metadata.labels" => json!({"maxProperties": 128}),
        "spec.selector[*]" | "spec.template.metadata.labels[*]" => {
            json!({"maxLength": 63, "pattern": LABEL_VALUE})
        }
        "spec.template.metadata.name" => json!({"minLength": 1, "maxLength": 253}),
        "spec.template.spec" => json!({"required": ["capacity", "accessModes"]}),
        "spec.template.spec.capacity" => json!({"required": ["storage"], "maxProperties": 16}),
        "spec.template.spec.accessModes" => json!({"minItems": 1, "maxItems": 16}),
        "spec.template.spec.accessModes[]" => {
            json!({"enum": AccessMode::ALL.map(AccessMode::name)})
        }
        "spec.template.spec.volumeMode" => json!({"enum": ["Filesystem", "Block"]}),
        "spec.template.spec.persistentVolumeReclaimPolicy" => {
            json!({"enum": ["Retain", "Delete", "Recycle"]})
        }
        "status.conditions" => {
            json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]})
        }
        "status.conditions[]" => json!({"required": ["type", "status"]}),
        _ => Value::Null,
    }
}

/// What a field means, for `kubectl explain`. The fields of a volume are explained by `kubectl explain pv.spec`.
#[rustfmt::skip]
fn description(path: &str) -> Option<&'static str> {
    Some(match path {
        "" => "A pool of volumes: it keeps a minimum of unbound volumes ready, made from a template, up to a maximum.",
        "spec" => "How many volumes there are to be, which are its members, and what new ones are made from.",
        "spec.minimumReplicas" => "How many unbound volumes are to be ready for claims.",
        "spec.maximumReplicas" => "How many members there may be at most, whatever their phase.",
        "spec.selector" => "Every volume that carries all these labels is a member, also one made by hand.",
        "spec.template" => "What new members are made from.",
        "spec.template.metadata" => "The metadata of new members.",
        "spec.template.metadata.name" => "What new members are called, {set} and {ordinal} standing for the name of the set and the number of the member; {set}-{ordinal} if left out.",
        "spec.template.metadata.labels" => "The labels of new members, those of the selector among them.",
        "spec.template.metadata.annotations" => "The annotations of new members; pv.kubernetes.io/provisioned-by names the backend that makes and deletes them.",
        "spec.template.spec" => "The spec of new members, in whose texts {set} and {ordinal} are filled in: see kubectl explain pv.spec. It has one source, or none if a backend makes it.",
        "spec.template.spec.capacity" => "The size of each member: storage, and nothing else.",
        "spec.template.spec.accessModes" => "How members may be mounted, at least one way.",
        "spec.template.spec.claimRef" => "Not allowed: whoever claims a new member has it.",
        "spec.template.spec.persistentVolumeReclaimPolicy" => "What becomes of a member whose claim is gone; Retain if left out.",
        "spec.template.spec.storageClassName" => "The class that claims ask for to get a member.",
        "spec.template.spec.volumeMode" => "Whether members are file systems or block devices; Filesystem if left out.",
        "spec.template.spec.nodeAffinity" => "The nodes that members can be reached from.",
        "status" => "What kubectl pv set reconcile has seen and done.",
        "status.boundReplicas" => "How many members were bound to claims.",
        "status.unboundReplicas" => "How many members were there for a claim to take.",
        "status.totalReplicas" => "How many members there were.",
        "status.observedGeneration" => "The generation of the spec that the status is about.",
        "status.nextOrdinal" => "The first number that was never given to a member.",
        "status.inProgress" => "The step that somebody is at, or was when they were cut short.",
        "status.inProgress.action" => "Create or Delete.",
        "status.inProgress.volume" => "The name of the member.",
        "status.inProgress.ordinal" => "The number of the member, if it is being made.",
        "status.inProgress.until" => "When whoever began the step will have stopped.",
        "status.inProgress.by" => "The run that began the step.",
        "status.conditions" => "What holds of the set.",
        "status.conditions[].type" => "What it is about: Ready or Valid.",
        "status.conditions[].status" => "True, False or Unknown.",
        "status.conditions[].reason" => "Why, in a word.",
        "status.conditions[].message" => "Why, in a sentence.",
        "status.conditions[].lastTransitionTime" => "Since when.",
        "status.conditions[].observedGeneration" => "The generation of the spec that it is about.",
        _ => return None,
    })
}
