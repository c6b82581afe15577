//! Is the claim valid? R7, by the rules that manifests are judged by: the claim is written down again as one.

use super::super::Rules;
use super::super::api_rules::{self, Judged};
use crate::conventions::selector::{LabelSelector, Requirement};
use crate::model::manifest::{Content, Entry, Node};
use crate::model::{Claim, DataSource};
use std::collections::BTreeMap;

/// The field errors of a claim, each `path: kind: detail`. `written` is the claim before anything was filled in.
pub(super) fn errors(claim: &Claim, written: &Claim, rules: Rules) -> Vec<String> {
    // Which namespaces there are is not for a claim to say: the server looks for the namespace before it looks at the claim.
    let found = api_rules::field_errors(Judged::Claim, &manifest(claim), Some("default"));
    let mut errors: Vec<String> = found
        .into_iter()
        .map(|error| {
            let field = error.field.unwrap_or_default();
            format!("{field}: {}", error.kind)
        })
        .collect();
    if rules.selector_excludes_class()
        && written.selector.is_some()
        && !written.class.resolved().is_empty()
    {
        errors.push(
            "spec.selector: Forbidden: may not be used together with a storage class (rules v1.4)"
                .to_owned(),
        );
    }
    errors
}

/// Several errors as the server prints them.
pub(super) fn aggregate(errors: &[String]) -> String {
    let mut unique: Vec<&str> = Vec::new();
    for error in errors {
        if !unique.contains(&error.as_str()) {
            unique.push(error);
        }
    }
    match unique[..] {
        [only] => only.to_owned(),
        _ => format!("[{}]", unique.join(", ")),
    }
}

/// The claim as a manifest, as far as the server validates it.
fn manifest(claim: &Claim) -> Node {
    let requests = claim
        .requested
        .as_ref()
        .map(|requested| Node::text(requested.as_str()));
    map([
        (
            "metadata",
            Some(map([
                ("name", Some(Node::text(&*claim.key.name))),
                ("labels", Some(strings(&claim.labels))),
                ("annotations", Some(strings(&claim.annotations))),
            ])),
        ),
        (
            "spec",
            Some(map([
                ("accessModes", Some(texts(&claim.access_mode_names))),
                (
                    "resources",
                    Some(map([("requests", Some(map([("storage", requests)])))])),
                ),
                ("selector", claim.selector.as_ref().map(selector)),
                (
                    "storageClassName",
                    claim.class.field.as_deref().map(Node::text),
                ),
                (
                    "volumeMode",
                    claim.volume_mode_name.as_deref().map(Node::text),
                ),
                ("dataSource", claim.data_source.as_ref().map(data_source)),
                (
                    "dataSourceRef",
                    claim.data_source_ref.as_ref().map(data_source),
                ),
                (
                    "volumeAttributesClassName",
                    claim.attributes_class.as_deref().map(Node::text),
                ),
            ])),
        ),
    ])
}

fn selector(selector: &LabelSelector) -> Node {
    let expression = |requirement: &Requirement| {
        map([
            ("key", Some(Node::text(&*requirement.key))),
            ("operator", Some(Node::text(requirement.operator.name()))),
            ("values", Some(texts(&requirement.values))),
        ])
    };
    let expressions = selector.match_expressions.iter().map(expression).collect();
    map([
        ("matchLabels", Some(strings(&selector.match_labels))),
        (
            "matchExpressions",
            Some(Node::new(Content::List(expressions))),
        ),
    ])
}

fn data_source(source: &DataSource) -> Node {
    map([
        ("apiGroup", source.group.as_deref().map(Node::text)),
        ("kind", Some(Node::text(&*source.kind))),
        ("name", Some(Node::text(&*source.name))),
        ("namespace", source.namespace.as_deref().map(Node::text)),
    ])
}

/// A map of the fields that are there.
fn map<const N: usize>(fields: [(&str, Option<Node>); N]) -> Node {
    let fields = fields.into_iter();
    entries(fields.filter_map(|(key, value)| Some((key, value?))))
}

fn strings(all: &BTreeMap<String, String>) -> Node {
    entries(
        all.iter()
            .map(|(key, value)| (key.as_str(), Node::text(value))),
    )
}

fn texts(all: &[String]) -> Node {
    Node::new(Content::List(all.iter().map(Node::text).collect()))
}

fn entries<'a>(all: impl Iterator<Item = (&'a str, Node)>) -> Node {
    let entry = |(key, value): (&str, Node)| Entry {
        key: key.to_owned(),
        value,
        ..Entry::default()
    };
    Node::new(Content::Map(all.map(entry).collect()))
}
