//! `convert`: what was rewritten in a manifest, and why.

use crate::model::manifest::Place;

/// One thing that was rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionChange {
    /// The field as it was written.
    pub field: String,
    /// Where it stands.
    pub place: Place,
    /// What became of it: `is now storageClassName`.
    pub done: String,
    /// Why; a clause that stands alone.
    pub why: String,
    /// Whether today's API server drops or refuses the old form; otherwise it is only made clear.
    pub is_dropped: bool,
}
