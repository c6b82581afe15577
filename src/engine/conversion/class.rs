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
    if !options.value.is_null() {
        let json = spell(&options.value);
        rewriting.annotate("", ALLOWED_OPTIONS, json);
    }
    rewriting.dropped(
        FIELD.to_owned(),
        place,
        format!("moved into the annotation {ALLOWED_OPTIONS}"),
        format!("a StorageClass has no field {FIELD}"),
    );
}

/// A value as JSON.
fn spell(node: &Node) -> String {
    serde_json::to_string(node).unwrap_or_default()
}
