//! What a claim is filled from, named in two fields. Both are cleaned up before they are validated (R8), so that an error may
//! be named after the field that was not written.
//!
//! Upstream: pkg/api/persistentvolumeclaim/util.go; pkg/apis/core/validation, validateDataSource.

use super::field_errors::FieldErrors;
use super::values::{as_text, text};
use crate::conventions::names::name_problems;
use crate::model::manifest::Node;

const DEFAULT_GROUP_KIND: &str = "PersistentVolumeClaim";

pub(super) fn check(errors: &mut FieldErrors, spec: &Node) {
    errors.located(
        |errors| check_both(errors, spec),
        |field| written_source(spec, field),
    );
}

/// A reference to what a claim is filled from. A group that is absent and one that is empty are two groups.
#[derive(Clone, Copy, PartialEq)]
struct DataSource<'a> {
    group: Option<&'a str>,
    kind: &'a str,
    name: &'a str,
}

impl<'a> DataSource<'a> {
    fn read(node: &'a Node) -> Self {
        Self {
            group: node.get("apiGroup").map(as_text),
            kind: text(node, "kind"),
            name: text(node, "name"),
        }
    }

    /// All that `dataSource` could ever name; anything else in it is dropped.
    fn is_claim_or_snapshot(&self) -> bool {
        let group = self.group.unwrap_or("");
        (group, self.kind) == ("", DEFAULT_GROUP_KIND)
            || (group, self.kind) == ("snapshot.storage.k8s.io", "VolumeSnapshot")
    }
}

/// The two data sources after the clean-up (R8): whichever is left out is filled from the other.
fn cleaned_up(spec: &Node) -> Option<(DataSource<'_>, DataSource<'_>)> {
    let other_namespace = |node: &&Node| !text(node, "namespace").is_empty();
    let reference = spec
        .get("dataSourceRef")
        .filter(|node| !other_namespace(node))
        .map(DataSource::read);
    let source = spec.get("dataSource").map(DataSource::read);
    match (source, reference) {
        (None, None) => None,
        (Some(source), None) => source.is_claim_or_snapshot().then_some((source, source)),
        (None, Some(reference)) => Some((reference, reference)),
        (Some(source), Some(reference)) => Some((source, reference)),
    }
}

/// Where an error about a data source stands: in the other one, if this one was filled from it.
fn written_source(spec: &Node, field: &str) -> Option<String> {
    let (source, reference) = ("spec.dataSource", "spec.dataSourceRef");
    if field == "spec" {
        return Some(source.to_owned());
    }
    let inside = field
        .strip_prefix(reference)
        .or_else(|| field.strip_prefix(source))?;
    match (spec.get("dataSource"), spec.get("dataSourceRef")) {
        (Some(_), None) => Some(format!("{source}{inside}")),
        (None, Some(_)) => Some(format!("{reference}{inside}")),
        _ => None,
    }
}

fn check_both(errors: &mut FieldErrors, spec: &Node) {
    let Some((source, reference)) = cleaned_up(spec) else {
        return;
    };
    check_data_source(errors, "spec.dataSource", source);
    check_data_source(errors, "spec.dataSourceRef", reference);
    if source != reference {
        errors.invalid_as("spec", "{}", "must match dataSourceRef");
    }
}

fn check_data_source(errors: &mut FieldErrors, field: &str, source: DataSource) {
    for (key, value) in [("name", source.name), ("kind", source.kind)] {
        if value.is_empty() {
            errors.required(format!("{field}.{key}"), "");
        }
    }
    let group = source.group.unwrap_or("");
    if !group.is_empty() {
        errors.invalid_each(&format!("{field}.apiGroup"), group, &name_problems(group));
    } else if source.kind != DEFAULT_GROUP_KIND {
        errors.invalid(
            field,
            source.kind,
            "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::Judged;
    use super::super::testing::fields;
    use serde_json::{Value, json};

    fn claim() -> Value {
        json!({"metadata": {"name": "data"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
        }})
    }

    #[test]
    fn data_sources_are_cleaned_up_first() {
        let cases = [
            (json!({"dataSource": {"kind": "Pod", "name": ""}}), vec![]),
            (
                json!({"dataSourceRef": {"kind": "Pod", "name": "p"}}),
                vec!["spec.dataSource", "spec.dataSourceRef"],
            ),
            (
                json!({"dataSourceRef": {"kind": "Pod", "name": "p", "namespace": "n"}}),
                vec![],
            ),
            (
                json!({"dataSource": {"kind": "PersistentVolumeClaim"}}),
                vec!["spec.dataSource.name", "spec.dataSourceRef.name"],
            ),
            (
                json!({
                    "dataSource": {"kind": "PersistentVolumeClaim", "name": "a", "apiGroup": ""},
                    "dataSourceRef": {"kind": "PersistentVolumeClaim", "name": "a"},
                }),
                vec!["spec"],
            ),
            (
                json!({"dataSourceRef": {"kind": "K", "name": "a", "apiGroup": "G"}}),
                vec!["spec.dataSource.apiGroup", "spec.dataSourceRef.apiGroup"],
            ),
        ];
        for (sources, expected) in cases {
            let mut manifest = claim();
            for (key, value) in sources.as_object().expect("a map") {
                manifest["spec"][key] = value.clone();
            }
            assert_eq!(fields(Judged::Claim, &manifest), expected, "{sources}");
        }
    }
}
