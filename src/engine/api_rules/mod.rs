//! Would the API server (v1.36) accept this manifest? Every error it would answer with, in its order and under its field
//! names, for claims, volumes, storage classes and `ConfigMap`s; and the fields it would drop because it has never heard of
//! them.
//!
//! The server takes three steps, and so does this: the text is decoded into Go types (`schema*.rs` and `decoding.rs`; what
//! does not fit is a 400 without a field), then defaulted and cleaned up, then validated (one file per kind; a 422 with a
//! field for each error). Here defaults are applied where a rule reads the field. Admission that looks at other objects
//! (quota, limits, namespaces that are not there) is left to others.

mod claim;
mod class;
mod config_map;
mod decoding;
mod forms;
mod metadata;
mod node_affinity;
mod quantities;
mod refusals;
mod schema;
mod schema_volume;
mod sources;
#[cfg(test)]
mod testing;
mod values;
mod volume;

use crate::model::manifest::Node;
use refusals::Refusals;
use schema::Shape;

/// The kinds whose rules are known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judged {
    /// `PersistentVolumeClaim`.
    Claim,
    /// `PersistentVolume`.
    Volume,
    /// `StorageClass`.
    Class,
    /// `ConfigMap`.
    ConfigMap,
}

impl Judged {
    fn shape(self) -> &'static Shape {
        match self {
            Self::Claim => &schema::CLAIM,
            Self::Volume => &schema_volume::VOLUME,
            Self::Class => &schema::CLASS,
            Self::ConfigMap => &schema::CONFIG_MAP,
        }
    }
}

/// One error of the server's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The field as the server spells it; of the object as a whole there is none. The server names no field in a 400, there
    /// it is where the bad value stands.
    pub field: Option<String>,
    /// The server's words after the field: `Required value: at least 1 access mode is required`. For a 400 the words are
    /// ours.
    pub message: String,
    /// Whether it is a 400: the value has the wrong type, so that nothing else was looked at.
    pub malformed: bool,
}

/// A field that the server's type does not have, and therefore does not keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownField {
    /// The whole path, the key included.
    pub path: String,
    /// The key.
    pub key: String,
    /// Fields that do exist there and have a similar name.
    pub nearest: Vec<String>,
}

/// All errors the server would answer with, in its order; none when it would accept the manifest. What is malformed hides
/// everything else, as it does there.
///
/// `namespace` is where the object goes when its manifest does not say: without either, a kind that lives in a namespace is
/// refused.
pub(crate) fn refusals(kind: Judged, root: &Node, namespace: Option<&str>) -> Vec<Refusal> {
    let malformed = decoding::malformed(kind.shape(), root);
    if !malformed.is_empty() {
        return malformed;
    }
    let mut refusals = Refusals::default();
    match kind {
        Judged::Claim => claim::check(&mut refusals, root, namespace),
        Judged::Volume => volume::check(&mut refusals, root),
        Judged::Class => class::check(&mut refusals, root),
        Judged::ConfigMap => config_map::check(&mut refusals, root, namespace),
    }
    refusals.into_list()
}

/// The fields that the server's types do not have, at any depth, in the order of the text.
pub(crate) fn unknown_fields(kind: Judged, root: &Node) -> Vec<UnknownField> {
    decoding::unknown_fields(kind.shape(), root)
}
