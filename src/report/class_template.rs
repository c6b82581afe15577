//! A claim to start from: the ConfigMap and the claim that `describe-class --template` prints.

use super::OptionDescription;
use crate::conventions::access_mode::AccessMode;

/// A claim of a class, with the options it may set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimTemplate {
    /// The class.
    pub class: String,
    /// The namespace of both objects; without one, that in force when they are applied.
    pub namespace: Option<String>,
    /// The name of the claim.
    pub claim: String,
    /// How much it asks for.
    pub size: String,
    /// How it is to be mounted.
    pub access_mode: AccessMode,
    /// The options of the class, in declared order. Without any there is no ConfigMap.
    pub entries: Vec<TemplateEntry>,
    /// Whether somebody answered for it, so that nothing is left to explain.
    pub is_filled: bool,
}

/// One option in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateEntry {
    /// The option.
    pub option: OptionDescription,
    /// What stands in the ConfigMap.
    pub value: TemplateValue,
}

/// What stands in the ConfigMap for an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateValue {
    /// This.
    Chosen(String),
    /// Something must, and only the user knows what.
    FillIn,
    /// Nothing need.
    LeftOut,
    /// Nothing can: no ConfigMap may have this key.
    NoKey,
    /// Nothing more: the option was declared before.
    Repeated,
}

impl ClaimTemplate {
    /// The name of the ConfigMap. Claims and ConfigMaps may have the same name, which is never too long.
    pub fn config_map(&self) -> &str {
        &self.claim
    }
}
