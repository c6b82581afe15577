//! Events: what the components of the cluster said.

use super::Time;
use crate::conventions::object_ref::ObjectKey;

/// An event on a claim, volume or pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The kind of the object it is about.
    pub about_kind: String,
    /// The object it is about; the namespace is empty for volumes.
    pub about: ObjectKey,
    /// The uid of that object.
    pub about_uid: Option<String>,
    /// `Normal` or `Warning`.
    pub kind: String,
    /// The reason, a word.
    pub reason: String,
    /// The sentence.
    pub message: String,
    /// Who said it.
    pub component: String,
    /// When it was said last.
    pub last_seen: Option<Time>,
}
