//! `describe-class`: a storage class for people: what it lets them choose, who makes its volumes, and what is wrong with it.

use super::{Finding, ParameterDescription, Unknown};
use crate::model::BindingMode;
use serde::Serialize;
use std::collections::BTreeMap;

/// One class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassDescription {
    /// See [`super::API_VERSION`].
    pub api_version: &'static str,
    /// `ClassDescription`.
    pub kind: &'static str,
    /// What the class itself says.
    pub class: ClassFacts,
    /// Who makes its volumes.
    pub driver: ClassDriver,
    /// What its claims may choose, in declared order; null if that cannot be understood.
    pub options: Option<Vec<OptionDescription>>,
    /// Why the options cannot be understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options_malformed: Option<String>,
    /// What the provisioner is told, by key.
    pub parameters: Vec<ParameterDescription>,
    /// Where volumes may be made.
    pub topologies: ClassTopologies,
    /// The VolumeAttributesClasses of the driver; null if they could not be read.
    pub attributes_classes: Option<Vec<String>>,
    /// The room that the driver says it has; null if that could not be read.
    pub capacity: Option<Vec<PublishedCapacity>>,
    /// What there is of the class.
    pub usage: ClassUsage,
    /// What is wrong with it, or worth knowing.
    pub findings: Vec<Finding>,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
}

/// What a class says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassFacts {
    /// The name.
    pub name: String,
    /// Who is to make its volumes, as written.
    pub provisioner: String,
    /// Whether claims that name no class get it; null if it is marked and the other classes could not be read.
    pub default: Option<bool>,
    /// Whether an annotation marks it as the default.
    pub marked_default: bool,
    /// Why it is the default, or is not in spite of its mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_why: Option<String>,
    /// The policy its volumes get.
    pub reclaim_policy: String,
    /// When a claim gets its volume.
    pub binding_mode: BindingMode,
    /// Whether bound claims may ask for more.
    pub allow_expansion: bool,
    /// The mount options its volumes get.
    pub mount_options: Vec<String>,
}

/// Who makes the volumes of a class, and whether it is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassDriver {
    /// The name it answers to.
    pub name: String,
    /// The in-tree name it took over.
    pub migrated_from: Option<String>,
    /// Whether it is there.
    pub presence: Presence,
    /// Whether the scheduler makes room only where the driver says that there is some.
    pub checks_capacity: bool,
    /// What shows it.
    pub evidence: Vec<String>,
    /// The backend of this machine that serves it, as it was configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub served_here: Option<String>,
    /// What follows from that, or what to know of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// That a backend of this machine serves a provisioner's name.
pub fn served(target: &str) -> String {
    format!("served by this machine ({target})")
}

/// Whether a provisioner is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Presence {
    /// A CSIDriver object or a CSINode entry names it.
    Registered,
    /// A volume it made or an event of its own.
    Seen,
    /// All that could show it was read, and shows nothing.
    NotSeen,
    /// It is inside the controller.
    Internal,
    /// Nobody makes volumes of this class.
    None,
    /// Not all that could show it was readable, and the rest shows nothing.
    Unknown,
}

impl Presence {
    /// The word as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Registered => "Registered",
            Self::Seen => "Seen",
            Self::NotSeen => "NotSeen",
            Self::Internal => "Internal",
            Self::None => "None",
            Self::Unknown => "Unknown",
        }
    }
}

/// One option that a claim's ConfigMap may set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OptionDescription {
    /// The key in the ConfigMap.
    pub key: String,
    /// What it is for, in the class's own words.
    pub description: Option<String>,
    /// The values allowed; none listed restricts nothing.
    pub allowed_values: Vec<String>,
    /// The value that applies when none is given.
    pub default_value: Option<String>,
    /// Whether a value must be given.
    pub required: bool,
}

/// Where volumes of a class may be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassTopologies {
    /// Labels with the values allowed, one of the terms must hold; no term at all allows every node.
    pub terms: Vec<BTreeMap<String, Vec<String>>>,
    /// The nodes that satisfy them, by name; null if nodes could not be read.
    pub nodes: Option<Vec<String>>,
}

/// The room that a driver says it has for a class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PublishedCapacity {
    /// The nodes it counts for, as a label selector; empty means all, null none.
    pub topology: Option<String>,
    /// What is free.
    pub capacity: Option<String>,
    /// The largest volume that can be made.
    pub maximum_volume_size: Option<String>,
    /// How many nodes the topology selects; null if nodes could not be read.
    pub nodes: Option<usize>,
}

/// What there is of a class. Phases are those the objects settle in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassUsage {
    /// Volumes by phase; null if they could not be read.
    pub volumes: Option<BTreeMap<&'static str, usize>>,
    /// Claims by phase; null if they could not be read.
    pub claims: Option<BTreeMap<&'static str, usize>>,
    /// The one namespace whose claims were counted, where no others could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims_of_namespace: Option<String>,
}
