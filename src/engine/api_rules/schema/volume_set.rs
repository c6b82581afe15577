//! The type of a set of volumes. Whatever a volume's spec may hold its template may hold, and nothing else: the schema that
//! the API server gets is made from this.

use super::Shape::{self, Int32, Int64, List, Object, Text, Time};
use super::volume::SPEC as VOLUME_SPEC;
use super::{METADATA, TEXT_MAP};

const TEMPLATE: Shape = Object(&[
    (
        "metadata",
        Object(&[
            ("name", Text),
            ("labels", TEXT_MAP),
            ("annotations", TEXT_MAP),
        ]),
    ),
    ("spec", VOLUME_SPEC),
]);

const SPEC: Shape = Object(&[
    ("minimumReplicas", Int32),
    ("maximumReplicas", Int32),
    ("selector", TEXT_MAP),
    ("template", TEMPLATE),
]);

const IN_PROGRESS: Shape = Object(&[
    ("action", Text),
    ("volume", Text),
    ("ordinal", Int64),
    ("until", Time),
    ("by", Text),
]);

const CONDITION: Shape = Object(&[
    ("type", Text),
    ("status", Text),
    ("reason", Text),
    ("message", Text),
    ("lastTransitionTime", Time),
    ("observedGeneration", Int64),
]);

const STATUS: Shape = Object(&[
    ("boundReplicas", Int32),
    ("unboundReplicas", Int32),
    ("totalReplicas", Int32),
    ("observedGeneration", Int64),
    ("nextOrdinal", Int64),
    ("inProgress", IN_PROGRESS),
    ("conditions", List(&CONDITION)),
]);

pub(in crate::engine::api_rules) static VOLUME_SET: Shape = Object(&[
    ("kind", Text),
    ("apiVersion", Text),
    ("metadata", METADATA),
    ("spec", SPEC),
    ("status", STATUS),
]);

/// What of a set is decoded into Go types; the rest is held against the schema, where a wrong type is one error of many.
pub(in crate::engine::api_rules) static DECODED_OF_SET: Shape =
    Object(&[("kind", Text), ("apiVersion", Text), ("metadata", METADATA)]);
