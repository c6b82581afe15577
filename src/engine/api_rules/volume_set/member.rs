//! The first volume that a template would make, and what the API server would say to it.

use super::super::field_errors::FieldErrors;
use super::super::schema::VOLUME;
use super::super::values::{as_text, child};
use super::super::{FieldError, Judged, decoding, field_errors, metadata};
use super::rules::template_provisioner;
use crate::conventions::field_error::{FieldErrorKind, ForbiddenRule};
use crate::conventions::names::name_problems;
use crate::model::manifest::{Content, Node};
use crate::model::{DEFAULT_MEMBER_NAME, ORDINAL_PLACEHOLDER, SET_PLACEHOLDER};
use serde_json::json;

/// Where the template stands.
pub(super) const TEMPLATE: &str = "spec.template";

/// Whatever is wrong with the volume and was not said of its template in other words.
pub(super) fn check(found: &mut FieldErrors, root: &Node) {
    let Some(template) = child(root, "spec").get("template") else {
        return;
    };
    if child(template, "spec").entries().is_empty() {
        return;
    }
    let below = |path: String| format!("{TEMPLATE}.{path}");
    let volume = first_member(root, template);
    let mut list = decoding::malformed(&VOLUME, &volume);
    // What is malformed hides nothing here: the server sees the template first, and tells all of it.
    list.extend(field_errors(
        Judged::Volume,
        &decoding::fitting(&VOLUME, &volume),
        None,
    ));
    let said = found.list().to_vec();
    for error in list {
        let field = error.field.map(below);
        let is_said = field
            .as_deref()
            .is_some_and(|field| said.iter().any(|said| concerns(said, field)));
        // Of several sources the template's own rule speaks.
        let is_of_sources = error.kind == FieldErrorKind::Forbidden(ForbiddenRule::SecondSource);
        if !is_said && !is_of_sources {
            found.add(FieldError {
                field,
                at: error.at.map(below),
                ..error
            });
        }
    }
}

/// Whether an error is about this field, something in it or something around it; everything is in the template's spec.
pub(super) fn concerns(error: &FieldError, field: &str) -> bool {
    let plain = |path: &str| path.replace('[', ".").replace(']', "");
    let (one, other) = (plain(error.field.as_deref().unwrap_or("")), plain(field));
    let whole = format!("{TEMPLATE}.spec");
    let is_in = |inner: &str, outer: &str| {
        outer.starts_with(TEMPLATE)
            && outer != whole
            && inner
                .strip_prefix(outer)
                .is_some_and(|rest| rest.starts_with('.'))
    };
    one == other || is_in(&one, &other) || is_in(&other, &one)
}

fn first_member(root: &Node, template: &Node) -> Node {
    let own = metadata::name_of(root);
    // A set with a bad name has been told so.
    let set = if name_problems(&own).is_empty() {
        own
    } else {
        "set".to_owned()
    };
    let mut volume = template.clone();
    let name = child(template, "metadata")
        .get("name")
        .map_or(DEFAULT_MEMBER_NAME, as_text);
    let name = filled(name, &set);
    if let Some(metadata) = volume.map_at("metadata") {
        metadata.set("name", Node::text(name));
    }
    let Some(spec) = volume.map_at("spec") else {
        return volume;
    };
    fill(spec, &set);
    if template_provisioner(template).is_some() {
        let (source, stand_in) = stand_in(spec);
        spec.set(source, Node::of_json(&stand_in));
    }
    volume
}

/// A source for what a backend makes: one that stands in the way of nothing else in the spec.
fn stand_in(spec: &Node) -> (&'static str, serde_json::Value) {
    if spec.get("volumeAttributesClassName").is_some() {
        (
            "csi",
            json!({"driver": "example.com", "volumeHandle": "asset"}),
        )
    } else {
        ("nfs", json!({"server": "example.com", "path": "/asset"}))
    }
}

fn filled(text: &str, set: &str) -> String {
    text.replace(SET_PLACEHOLDER, set)
        .replace(ORDINAL_PLACEHOLDER, "0")
}

/// Fills in every text.
fn fill(node: &mut Node, set: &str) {
    match &mut node.content {
        Content::Text(text) => *text = filled(text, set),
        Content::List(items) => items.iter_mut().for_each(|item| fill(item, set)),
        Content::Map(entries) => {
            for entry in entries {
                fill(&mut entry.value, set);
            }
        }
        Content::Null | Content::Bool(_) | Content::Number(_) => {}
    }
}
