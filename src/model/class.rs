//! StorageClasses, with the provisioning options of seed 003.

use super::Time;
use crate::conventions::topology::TopologyTerm;
use serde::Serialize;
use std::collections::BTreeMap;

/// A storage class.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// The name.
    pub name: String,
    /// Who makes volumes of this class.
    pub provisioner: String,
    /// What the provisioner is told.
    pub parameters: BTreeMap<String, String>,
    /// When a volume is bound.
    pub binding_mode: BindingMode,
    /// The reclaim policy its volumes get.
    pub reclaim_policy: String,
    /// The mount options its volumes get.
    pub mount_options: Vec<String>,
    /// Whether bound claims may ask for more.
    pub allow_expansion: bool,
    /// The nodes it may provision for.
    pub allowed_topologies: Vec<TopologyTerm>,
    /// Whether an annotation marks it as the default (R16).
    pub marked_default: bool,
    /// When it was created: of several defaults the newest wins.
    pub created: Option<Time>,
    /// The options its claims may use.
    pub options: Options,
}

/// When a volume is bound or made for a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
pub enum BindingMode {
    /// At once.
    #[default]
    Immediate,
    /// When a pod that uses the claim is scheduled (R17).
    WaitForFirstConsumer,
}

/// The provisioning options a class allows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Options {
    /// It says nothing of options.
    #[default]
    None,
    /// These, in declared order.
    Declared(Vec<AllowedOption>),
    /// It says something that cannot be understood; nothing is concluded from it.
    Malformed(String),
}

/// One option that a claim's ConfigMap may set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowedOption {
    /// The key in the ConfigMap.
    pub key: String,
    /// The value that applies when none is given.
    pub default_value: Option<String>,
    /// Whether a value must be given.
    pub required: bool,
    /// The values allowed; none listed restricts nothing.
    pub allowed_values: Vec<String>,
    /// What it is for.
    pub description: Option<String>,
}
