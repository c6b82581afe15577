//! Values of a manifest as the Go types hold them after decoding: absent and null are the zero value. Only for manifests
//! that [`decoding`](super::decoding) has found in order.

use super::quantities::as_read;
use crate::conventions::quantity::Quantity;
use crate::model::manifest::{Content, Node, Place};

static NOTHING: Node = Node {
    content: Content::Null,
    place: Place { line: 0, column: 0 },
};

/// The value of a field, absent or not.
pub(super) fn child<'a>(node: &'a Node, key: &str) -> &'a Node {
    node.get(key).unwrap_or(&NOTHING)
}

/// The text a value is.
pub(super) fn as_text(node: &Node) -> &str {
    node.as_text().unwrap_or("")
}

/// A text; absent is empty.
pub(super) fn text<'a>(node: &'a Node, key: &str) -> &'a str {
    as_text(child(node, key))
}

/// A list of texts.
pub(super) fn texts<'a>(node: &'a Node, key: &str) -> Vec<&'a str> {
    items(node, key).iter().map(as_text).collect()
}

/// A map of texts, in the order of the text.
pub(super) fn pairs<'a>(node: &'a Node, key: &str) -> Vec<(&'a str, &'a str)> {
    let entries = child(node, key).entries().iter();
    entries
        .map(|entry| (entry.key.as_str(), as_text(&entry.value)))
        .collect()
}

/// The items of a list.
pub(super) fn items<'a>(node: &'a Node, key: &str) -> &'a [Node] {
    child(node, key).items()
}

/// A whole number, if it is there.
pub(super) fn number(node: &Node, key: &str) -> Option<i64> {
    match &child(node, key).content {
        Content::Number(digits) => digits.parse().ok(),
        _ => None,
    }
}

/// A boolean, if it is there.
pub(super) fn flag(node: &Node, key: &str) -> Option<bool> {
    match child(node, key).content {
        Content::Bool(value) => Some(value),
        _ => None,
    }
}

/// A quantity as the server stores it: rounded up to thousandths, null as zero.
pub(super) fn quantity(node: &Node) -> Quantity {
    let parsed = match &node.content {
        Content::Text(text) | Content::Number(text) => Quantity::parse(&as_read(text)).ok(),
        _ => None,
    };
    parsed.map_or_else(Quantity::zero, |quantity| quantity.rounded_up_to_milli())
}
