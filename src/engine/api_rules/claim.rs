//! Claims: R7, after the clean-up of data sources (R8). Their status is dropped before anybody looks.
//!
//! Upstream: pkg/apis/core/validation, ValidatePersistentVolumeClaim; pkg/registry/core/persistentvolumeclaim.

use super::metadata::{self, Scope};
use super::refusals::Refusals;
use super::values::{as_text, child, items, pairs, quantity, text, texts};
use crate::conventions::access_mode::AccessMode;
use crate::conventions::names::name_problems;
use crate::conventions::selector::{LabelSelector, Operator, Requirement};
use crate::conventions::volume_mode::VolumeMode;
use crate::model::manifest::Node;

const DEFAULT_GROUP_KIND: &str = "PersistentVolumeClaim";

pub(super) fn check(refusals: &mut Refusals, root: &Node, namespace: Option<&str>) {
    metadata::check(refusals, root, Scope::Namespaced(namespace));
    let spec = child(root, "spec");
    if texts(spec, "accessModes").is_empty() {
        refusals.required("spec.accessModes", "at least 1 access mode is required");
    }
    check_selector(refusals, spec);
    check_access_modes(refusals, spec);
    refusals.at("spec.resources.requests[storage]", |refusals| {
        check_request(refusals, spec);
    });
    check_class_name(refusals, spec, "storageClassName");
    check_volume_mode(refusals, spec);
    refusals.located(
        |refusals| check_data_sources(refusals, spec),
        |field| written_source(spec, field),
    );
    check_class_name(refusals, spec, "volumeAttributesClassName");
}

fn check_selector(refusals: &mut Refusals, spec: &Node) {
    let selector = read_selector(child(spec, "selector"));
    for problem in selector.problems() {
        refusals.worded(format!("spec.selector.{}", problem.path), &problem.message);
    }
}

fn read_selector(node: &Node) -> LabelSelector {
    let labels = pairs(node, "matchLabels").into_iter();
    let expressions = items(node, "matchExpressions").iter();
    LabelSelector {
        match_labels: labels
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
        match_expressions: expressions
            .map(|node| Requirement {
                key: text(node, "key").to_owned(),
                operator: Operator::of_name(text(node, "operator")),
                values: texts(node, "values")
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
            })
            .collect(),
    }
}

/// Which modes there are, and which of them stands alone; the same for volumes.
pub(super) fn check_access_modes(refusals: &mut Refusals, spec: &Node) {
    const FIELD: &str = "spec.accessModes";
    const SUPPORTED: [&str; 4] = [
        "ReadOnlyMany",
        "ReadWriteMany",
        "ReadWriteOnce",
        "ReadWriteOncePod",
    ];
    let mut known = Vec::new();
    for (index, name) in texts(spec, "accessModes").into_iter().enumerate() {
        match AccessMode::find(name) {
            Some(mode) => known.push(mode),
            None => refusals.at(&format!("{FIELD}[{index}]"), |refusals| {
                refusals.unsupported(FIELD, name, &SUPPORTED);
            }),
        }
    }
    let alone = |mode: &AccessMode| *mode == AccessMode::ReadWriteOncePod;
    if known.iter().any(alone) && !known.iter().all(alone) {
        refusals.forbidden(
            FIELD,
            "may not use ReadWriteOncePod with other access modes",
        );
    }
}

fn check_request(refusals: &mut Refusals, spec: &Node) {
    const FIELD: &str = "spec.resources[storage]";
    let requests = child(child(spec, "resources"), "requests");
    let Some(entry) = requests.entry("storage") else {
        refusals.required(FIELD, "");
        return;
    };
    let requested = quantity(&entry.value);
    if !requested.is_positive() {
        refusals.invalid(FIELD, &requested.canonical(), "must be greater than zero");
    }
}

/// The name of a class, where empty means none; the same for volumes.
pub(super) fn check_class_name(refusals: &mut Refusals, spec: &Node, field: &str) {
    let name = text(spec, field);
    if !name.is_empty() {
        refusals.invalid_each(&format!("spec.{field}"), name, &name_problems(name));
    }
}

/// Absent is a file system; empty is wrong. The same for volumes.
pub(super) fn check_volume_mode(refusals: &mut Refusals, spec: &Node) {
    if let Some(mode) = spec.get("volumeMode").map(as_text)
        && VolumeMode::find(mode).is_none()
    {
        refusals.unsupported("spec.volumeMode", mode, &["Block", "Filesystem"]);
    }
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

fn check_data_sources(refusals: &mut Refusals, spec: &Node) {
    let Some((source, reference)) = cleaned_up(spec) else {
        return;
    };
    check_data_source(refusals, "spec.dataSource", source);
    check_data_source(refusals, "spec.dataSourceRef", reference);
    if source != reference {
        refusals.invalid_as("spec", "{}", "must match dataSourceRef");
    }
}

fn check_data_source(refusals: &mut Refusals, field: &str, source: DataSource) {
    for (key, value) in [("name", source.name), ("kind", source.kind)] {
        if value.is_empty() {
            refusals.required(format!("{field}.{key}"), "");
        }
    }
    let group = source.group.unwrap_or("");
    if !group.is_empty() {
        refusals.invalid_each(&format!("{field}.apiGroup"), group, &name_problems(group));
    } else if source.kind != DEFAULT_GROUP_KIND {
        refusals.invalid(
            field,
            source.kind,
            "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::Judged;
    use super::super::testing::{fields, judge, with};
    use serde_json::{Value, json};

    fn claim() -> Value {
        json!({"metadata": {"name": "data"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
        }})
    }

    #[test]
    fn each_rule_names_its_field() {
        let cases = [
            ("/spec/accessModes", json!([]), vec!["spec.accessModes"]),
            ("/spec/accessModes", json!([null]), vec!["spec.accessModes"]),
            (
                "/spec/accessModes",
                json!(["ReadWriteOncePod", "ReadWriteMany", "Never"]),
                vec!["spec.accessModes", "spec.accessModes"],
            ),
            (
                "/spec/accessModes",
                json!(["ReadWriteOncePod", "ReadWriteOncePod"]),
                vec![],
            ),
            (
                "/spec/resources/requests",
                json!({"cpu": "1"}),
                vec!["spec.resources[storage]"],
            ),
            (
                "/spec/resources/requests/storage",
                json!(null),
                vec!["spec.resources[storage]"],
            ),
            (
                "/spec/resources/requests/storage",
                json!("-1"),
                vec!["spec.resources[storage]"],
            ),
            ("/spec/resources/requests/storage", json!("1n"), vec![]),
            (
                "/spec/resources/requests/storage",
                json!("9300000001G"),
                vec![],
            ),
            (
                "/spec/selector",
                json!({"matchExpressions": [{"key": "a", "operator": "In"}, null]}),
                vec![
                    "spec.selector.matchExpressions[0].values",
                    "spec.selector.matchExpressions[1].operator",
                    "spec.selector.matchExpressions[1].key",
                    "spec.selector.matchExpressions[1].key",
                ],
            ),
            (
                "/spec/storageClassName",
                json!("Fast"),
                vec!["spec.storageClassName"],
            ),
            ("/spec/storageClassName", json!(""), vec![]),
            ("/spec/volumeMode", json!(""), vec!["spec.volumeMode"]),
            ("/spec/volumeMode", json!(null), vec![]),
            (
                "/spec/volumeAttributesClassName",
                json!("a_b"),
                vec!["spec.volumeAttributesClassName"],
            ),
            ("/status", json!({"phase": "No such phase"}), vec![]),
        ];
        for (pointer, value, expected) in cases {
            let manifest = with(claim(), pointer, value);
            assert_eq!(fields(Judged::Claim, &manifest), expected, "{manifest}");
        }
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

    #[test]
    fn the_words_are_the_servers() {
        let manifest = with(claim(), "/spec/accessModes", json!([]));
        let found = judge(Judged::Claim, &manifest);
        assert_eq!(
            found[0].message,
            "Required value: at least 1 access mode is required"
        );
        let empty: Vec<String> = judge(Judged::Claim, &json!({}))
            .into_iter()
            .filter_map(|refusal| refusal.field)
            .collect();
        assert_eq!(
            empty,
            [
                "metadata.name",
                "spec.accessModes",
                "spec.resources[storage]"
            ]
        );
    }
}
