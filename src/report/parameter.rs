//! One parameter of a class, with what is known of it.

use serde::Serialize;

/// A parameter as `describe-class` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ParameterDescription {
    /// The key.
    pub key: String,
    /// The value; null where it is hidden.
    pub value: Option<String>,
    /// Whether the provisioner takes it; null when nobody here can say.
    pub known: Option<bool>,
    /// What it is for, one clause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// What kind of value it takes, in words.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Values to choose from; the provisioner may take others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// What applies when it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// What to use instead, where it or its value is deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// Whether the value is left out because it is, or may be, a secret.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}
