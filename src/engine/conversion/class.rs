//! Classes: the options of seed 003 go into the annotation the API server keeps.

use super::Rewriting;
use crate::conventions::annotations::ALLOWED_OPTIONS;
use crate::model::manifest::Node;

const FIELD: &str = "allowedProvisioningOptions";

pub(super) fn rewrite(rewriting: &mut Rewriting) {
    let place = rewriting.place_of(FIELD);
    let Some(options) = rewriting.root.remove(FIELD) else {
        return;
    };
    // Null says nothing, and then the annotation stands.
    let done = if options.value.is_null() {
        "left out: it says nothing".to_owned()
    } else {
        let instead = rewriting.annotate("", ALLOWED_OPTIONS, spell(&options.value));
        format!("moved into the annotation {ALLOWED_OPTIONS}{instead}")
    };
    rewriting.dropped(
        FIELD.to_owned(),
        place,
        done,
        format!("a StorageClass has no field {FIELD}"),
    );
}

/// A value as JSON.
fn spell(node: &Node) -> String {
    serde_json::to_string(node).unwrap_or_default()
}
