//! The Go types of the API as data: which fields there are and what each may hold. Fields are those of k8s.io/api v0.36;
//! the volume, whose type is as long as all others together, is in `volume.rs`, and our own kind in `volume_set.rs`.

mod volume;
mod volume_set;

pub(super) use volume::VOLUME;
pub(super) use volume_set::{DECODED_OF_SET, VOLUME_SET};

/// What a field may hold. Null fits everywhere.
#[derive(Debug)]
pub(super) enum Shape {
    /// A string.
    Text,
    /// A boolean.
    Bool,
    /// A whole number of 32 bits.
    Int32,
    /// A whole number of 64 bits.
    Int64,
    /// A quantity, written as a string or as a number.
    Quantity,
    /// A time as RFC 3339 has it.
    Time,
    /// Bytes: base64, or a list of small numbers.
    Bytes,
    /// Anything at all.
    Anything,
    /// A list of one shape.
    List(&'static Shape),
    /// Any keys, values of one shape.
    Map(&'static Shape),
    /// Known fields.
    Object(&'static [(&'static str, Shape)]),
}

use Shape::{Anything, Bool, Bytes, Int64, List, Map, Object, Quantity, Text, Time};

const TEXTS: Shape = List(&Text);
const TEXT_MAP: Shape = Map(&Text);
const QUANTITIES: Shape = Map(&Quantity);

const OWNER_REFERENCE: Shape = Object(&[
    ("apiVersion", Text),
    ("kind", Text),
    ("name", Text),
    ("uid", Text),
    ("controller", Bool),
    ("blockOwnerDeletion", Bool),
]);

const MANAGED_FIELDS_ENTRY: Shape = Object(&[
    ("manager", Text),
    ("operation", Text),
    ("apiVersion", Text),
    ("time", Time),
    ("fieldsType", Text),
    ("fieldsV1", Anything),
    ("subresource", Text),
]);

const METADATA: Shape = Object(&[
    ("name", Text),
    ("generateName", Text),
    ("namespace", Text),
    ("selfLink", Text),
    ("uid", Text),
    ("resourceVersion", Text),
    ("generation", Int64),
    ("creationTimestamp", Time),
    ("deletionTimestamp", Time),
    ("deletionGracePeriodSeconds", Int64),
    ("labels", TEXT_MAP),
    ("annotations", TEXT_MAP),
    ("ownerReferences", List(&OWNER_REFERENCE)),
    ("finalizers", TEXTS),
    ("managedFields", List(&MANAGED_FIELDS_ENTRY)),
]);

/// An expression over labels, of claims and of nodes.
const REQUIREMENT: Shape = Object(&[("key", Text), ("operator", Text), ("values", TEXTS)]);

const LABEL_SELECTOR: Shape = Object(&[
    ("matchLabels", TEXT_MAP),
    ("matchExpressions", List(&REQUIREMENT)),
]);

const CLAIM_SPEC: Shape = Object(&[
    ("accessModes", TEXTS),
    ("selector", LABEL_SELECTOR),
    (
        "resources",
        Object(&[("limits", QUANTITIES), ("requests", QUANTITIES)]),
    ),
    ("volumeName", Text),
    ("storageClassName", Text),
    ("volumeMode", Text),
    (
        "dataSource",
        Object(&[("apiGroup", Text), ("kind", Text), ("name", Text)]),
    ),
    (
        "dataSourceRef",
        Object(&[
            ("apiGroup", Text),
            ("kind", Text),
            ("name", Text),
            ("namespace", Text),
        ]),
    ),
    ("volumeAttributesClassName", Text),
]);

const CLAIM_CONDITION: Shape = Object(&[
    ("type", Text),
    ("status", Text),
    ("lastProbeTime", Time),
    ("lastTransitionTime", Time),
    ("reason", Text),
    ("message", Text),
]);

const CLAIM_STATUS: Shape = Object(&[
    ("phase", Text),
    ("accessModes", TEXTS),
    ("capacity", QUANTITIES),
    ("conditions", List(&CLAIM_CONDITION)),
    ("allocatedResources", QUANTITIES),
    ("allocatedResourceStatuses", TEXT_MAP),
    ("currentVolumeAttributesClassName", Text),
    (
        "modifyVolumeStatus",
        Object(&[("targetVolumeAttributesClassName", Text), ("status", Text)]),
    ),
]);

pub(super) static CLAIM: Shape = Object(&[
    ("kind", Text),
    ("apiVersion", Text),
    ("metadata", METADATA),
    ("spec", CLAIM_SPEC),
    ("status", CLAIM_STATUS),
]);

const TOPOLOGY_TERM: Shape = Object(&[(
    "matchLabelExpressions",
    List(&Object(&[("key", Text), ("values", TEXTS)])),
)]);

pub(super) static CLASS: Shape = Object(&[
    ("kind", Text),
    ("apiVersion", Text),
    ("metadata", METADATA),
    ("provisioner", Text),
    ("parameters", TEXT_MAP),
    ("reclaimPolicy", Text),
    ("mountOptions", TEXTS),
    ("allowVolumeExpansion", Bool),
    ("volumeBindingMode", Text),
    ("allowedTopologies", List(&TOPOLOGY_TERM)),
]);

pub(super) static CONFIG_MAP: Shape = Object(&[
    ("kind", Text),
    ("apiVersion", Text),
    ("metadata", METADATA),
    ("immutable", Bool),
    ("data", TEXT_MAP),
    ("binaryData", Map(&Bytes)),
]);
