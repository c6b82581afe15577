//! What YAML can do beyond lists and maps: anchors, aliases and merges.

use serde_json::json;

use super::bases::Kind;
use super::tree::Node;
use crate::random::Random;

/// Writes a part of the manifest with one of them.
pub(super) fn use_features(manifest: &mut Node, kind: Kind, random: &mut Random) {
    match random.below(4) {
        0 => shared_scalar(manifest, kind, random),
        1 => shared_map(manifest, kind, random),
        _ => merged(manifest, kind, random),
    }
}

/// A map of texts that stands behind the metadata.
fn later_map(kind: Kind) -> &'static str {
    match kind {
        Kind::Claim => "spec|selector|matchLabels",
        Kind::Volume => "spec|csi|volumeAttributes",
        Kind::Class => "parameters",
        Kind::Map => "metadata|annotations",
    }
}

/// A name given once and used again.
fn shared_scalar(manifest: &mut Node, kind: Kind, random: &mut Random) {
    let value = random.pick(&["fast", "\"fast\"", "yes", "5", "Bad_Name", "~"]);
    manifest.set(
        "metadata|labels|class",
        Node::Anchor("class", Box::new(Node::raw(value))),
    );
    let path = match kind {
        Kind::Claim | Kind::Volume => "spec|storageClassName",
        Kind::Class => "provisioner",
        Kind::Map => "metadata|annotations|class",
    };
    // A provisioner is written before the labels, where the name is not known yet.
    if kind == Kind::Class {
        manifest.remove("provisioner");
    }
    manifest.set(
        path,
        Node::Alias(if random.chance(90) {
            "class"
        } else {
            "missing"
        }),
    );
}

fn shared_map(manifest: &mut Node, kind: Kind, random: &mut Random) {
    anchored_labels(manifest, random);
    manifest.set(later_map(kind), Node::Alias("labels"));
}

fn anchored_labels(manifest: &mut Node, random: &mut Random) {
    let mut labels = Node::from(json!({ "app": "db", "tier": "1" }));
    if random.chance(25) {
        labels.set("odd", Node::raw(random.pick(&["yes", "5", "a b", "\"\""])));
    }
    manifest.remove("metadata|labels");
    manifest.remove("metadata|annotations");
    manifest.set("metadata|labels", Node::Anchor("labels", Box::new(labels)));
}

/// A map that takes in another; what it says itself comes before or after.
fn merged(manifest: &mut Node, kind: Kind, random: &mut Random) {
    anchored_labels(manifest, random);
    let taken_in = match random.below(6) {
        0 => Node::raw("{zone: a}"),
        1 => Node::raw("[*labels, {zone: a}]"),
        2 => Node::raw(random.pick(&["text", "~", "[]", "5", "[a]"])),
        _ => Node::Alias("labels"),
    };
    let key = Node::raw(random.pick(&["<<", "<<", "<<", "\"<<\""]));
    // A key of its own that the other map has as well would be a repeated one to the server.
    let value = random.pick(&["web", "\"-bad-\"", "yes", "~", "5", "\"5\""]);
    let own = (Node::text("own"), Node::raw(value));
    let mut entries = vec![(key, taken_in), own];
    if random.chance(30) {
        entries.reverse();
    }
    manifest.set(later_map(kind), Node::Map(entries));
}
