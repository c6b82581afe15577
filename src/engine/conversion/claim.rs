//! Claims, and templates of claims.

use super::{Rewriting, join};
use crate::conventions::annotations::OPTIONS;
use crate::model::manifest::{Content, Node};

/// Rewrites the claim whose `metadata` and `spec` are below this path.
pub(super) fn rewrite(rewriting: &mut Rewriting, below: &str) {
    rename_class(rewriting, &join(below, "spec"));
    move_options(rewriting, below);
    spell_out_bytes(rewriting, &join(below, "spec.resources.requests"));
}

/// `class` was to be the field; it became `storageClassName`. Where both stand, the one of today counts.
pub(super) fn rename_class(rewriting: &mut Rewriting, spec: &str) {
    let field = join(spec, "class");
    let place = rewriting.place_of(&field);
    let Some(node) = rewriting.at(spec) else {
        return;
    };
    if node.entry("class").is_none() {
        return;
    }
    let done = if node.get("storageClassName").is_some() {
        node.remove("class");
        "left out, as storageClassName is there already"
    } else {
        node.remove("storageClassName");
        node.rename("class", "storageClassName");
        "is now storageClassName"
    };
    rewriting.dropped(field, place, done, "claims and volumes have no field class");
}

fn move_options(rewriting: &mut Rewriting, below: &str) {
    let spec = join(below, "spec");
    let field = join(&spec, "provisioningOptions");
    let place = rewriting.place_of(&field);
    let Some(options) = rewriting
        .at(&spec)
        .and_then(|spec| spec.remove("provisioningOptions"))
    else {
        return;
    };
    if let Some(name) = options.value.get_text("name") {
        rewriting.annotate(below, OPTIONS, name.to_owned());
    }
    rewriting.dropped(
        field,
        place,
        format!("moved into the annotation {OPTIONS}"),
        "a claim has no field provisioningOptions",
    );
}

/// A bare number is bytes, which few people mean.
fn spell_out_bytes(rewriting: &mut Rewriting, map: &str) {
    let field = join(map, "storage");
    let place = rewriting.place_of(&field);
    let Some(requests) = rewriting.at(map) else {
        return;
    };
    let Some(Content::Number(digits)) = requests.get("storage").map(|node| node.content.clone())
    else {
        return;
    };
    requests.set("storage", Node::text(digits.clone()));
    rewriting.cleared(
        field,
        place,
        format!("{digits} is now \"{digits}\""),
        format!("a bare number is bytes; write {digits}Gi if that is meant"),
    );
}
