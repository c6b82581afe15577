//! ConfigMaps, as far as provisioning options read them.

use crate::conventions::object_ref::ObjectKey;
use std::collections::BTreeMap;

/// A ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigMap {
    /// Namespace and name.
    pub key: ObjectKey,
    /// `data`.
    pub data: BTreeMap<String, String>,
    /// The keys of `binaryData`, which no option can use.
    pub binary_keys: Vec<String>,
}
