//! Several answers of one kind.

use super::API_VERSION;
use serde::Serialize;

/// Several answers, or several objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct List<T> {
    /// See [`API_VERSION`]; of objects it is that of Kubernetes.
    pub api_version: &'static str,
    /// The kind of the list, e.g. `ExplanationList`.
    pub kind: &'static str,
    /// The answers, in order.
    pub items: Vec<T>,
}

impl<T> List<T> {
    /// Answers of ours.
    pub fn of(kind: &'static str, items: Vec<T>) -> Self {
        Self {
            api_version: API_VERSION,
            kind,
            items,
        }
    }
}
