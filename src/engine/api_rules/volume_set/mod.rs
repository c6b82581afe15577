//! Sets of volumes, our own kind: what the API server keeps of them is what `crd.rs` tells it. The same schema (`schema.rs`)
//! and the same rules (`rules.rs`) are what a set is held against here; then the first volume it would make is judged as any
//! volume is (`member.rs`).

mod crd;
mod member;
mod rules;
mod schema;
mod structure;

pub use crd::volume_set_crd;

use super::FieldError;
use super::field_errors::FieldErrors;
use super::metadata;
use super::values::text;
use crate::conventions::field_error::FieldErrorKind;
use crate::model::manifest::{Content, Node};
use crd::API_VERSION;
use rules::RULES;

pub(super) fn check(errors: &mut FieldErrors, root: &Node) {
    let root = &without_nulls(root);
    let version = text(root, "apiVersion");
    if !version.is_empty() && version != API_VERSION {
        errors.invalid(
            "apiVersion",
            version,
            format!("there is only {API_VERSION}"),
        );
    }
    metadata::check_custom(errors, root);
    structure::check(errors, &schema::SCHEMA, root);
    check_rules(errors, root);
    member::check(errors, root);
}

/// The server asks about no rule once a type is wrong; here only those are left out that would repeat it.
fn check_rules(errors: &mut FieldErrors, root: &Node) {
    let blocking = errors
        .list()
        .iter()
        .filter(|error| structure::is_blocking(error));
    let blocking: Vec<FieldError> = blocking.cloned().collect();
    for rule in &RULES {
        let mut steps = rule.at.split('.');
        let Some(part) = steps.try_fold(root, |node, step| node.get(step)) else {
            continue;
        };
        let field = rule.field();
        let is_said = blocking.iter().any(|error| member::concerns(error, &field));
        if !is_said && (rule.is_broken)(part) {
            errors.report(field, FieldErrorKind::BrokenRule(rule.message));
        }
    }
}

/// The server takes what is null out of maps before it looks; in lists it stays.
fn without_nulls(node: &Node) -> Node {
    let content = match &node.content {
        Content::Map(entries) => {
            let kept = entries.iter().filter(|entry| !entry.value.is_null());
            let mut kept: Vec<_> = kept.cloned().collect();
            for entry in &mut kept {
                entry.value = without_nulls(&entry.value);
            }
            Content::Map(kept)
        }
        Content::List(items) => Content::List(items.iter().map(without_nulls).collect()),
        other => other.clone(),
    };
    Node {
        content,
        ..node.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Judged;
    use super::super::testing::{fields, judge, with};
    use super::*;
    use crate::conventions::annotations::PROVISIONED_BY;
    use serde_json::{Value, json};

    fn set() -> Value {
        json!({"apiVersion": API_VERSION, "kind": "PersistentVolumeSet", "metadata": {"name": "fast"}, "spec": {
            "minimumReplicas": 1, "maximumReplicas": 3, "selector": {"pool": "fast"},
            "template": {
                "metadata": {"labels": {"pool": "fast"}},
                "spec": {
                    "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                    "nfs": {"server": "filer", "path": "/pools/{set}/{ordinal}"},
                },
            },
        }})
    }

    fn check(cases: Vec<(&str, Value, &[&str])>) {
        for (pointer, value, expected) in cases {
            let manifest = with(set(), pointer, value.clone());
            assert_eq!(
                fields(Judged::VolumeSet, &manifest),
                expected,
                "{pointer} {value}"
            );
        }
    }

    #[test]
    fn a_good_set_is_good() {
        assert!(judge(Judged::VolumeSet, &set()).is_empty());
    }

    #[test]
    fn numbers_and_selectors() {
        check(vec![
            ("/spec", json!(null), &["spec"]),
            (
                "/spec/minimumReplicas",
                json!(null),
                &["spec.minimumReplicas"],
            ),
            ("/spec/minimumReplicas", json!(4), &["spec.minimumReplicas"]),
            (
                "/spec/minimumReplicas",
                json!("1"),
                &["spec.minimumReplicas"],
            ),
            (
                "/spec/minimumReplicas",
                json!(-1),
                &["spec.minimumReplicas"],
            ),
            ("/spec/minimumReplicas", json!(3), &[]),
            (
                "/spec/maximumReplicas",
                json!(3_000_000_000_u32),
                &["spec.maximumReplicas"],
            ),
            ("/spec/selector", json!({}), &["spec.selector"]),
            ("/spec/selector", json!({"pool": null}), &["spec.selector"]),
            (
                "/spec/selector/pool",
                json!("slow"),
                &["spec.template.metadata.labels"],
            ),
            ("/spec/selector/pool", json!(5), &["spec.selector.pool"]),
            (
                "/spec/template/metadata/labels/more",
                json!("-"),
                &["spec.template.metadata.labels.more"],
            ),
            (
                "/spec/template/metadata/labels/a b",
                json!(""),
                &["spec.template.metadata.labels"],
            ),
            ("/spec/template", json!(null), &["spec.template"]),
            ("/spec/template/spec", json!([]), &["spec.template.spec"]),
            ("/metadata/name", json!("Fast"), &["metadata.name"]),
            ("/metadata/finalizers", json!(["mine"]), &[]),
            ("/metadata/labels", json!([]), &["?metadata.labels"]),
            ("/apiVersion", json!("kubectl-pv.dev/v1"), &["apiVersion"]),
        ]);
    }

    #[test]
    fn names_of_members() {
        const NAME: &str = "spec.template.metadata.name";
        check(vec![
            (
                "/spec/template/metadata/name",
                json!("{ordinal}.{set}"),
                &[],
            ),
            ("/spec/template/metadata/name", json!("fast"), &[NAME]),
            (
                "/spec/template/metadata/name",
                json!("Fast-{ordinal}"),
                &[NAME],
            ),
            (
                "/spec/template/metadata/name",
                json!("{ordinals}"),
                &[NAME, NAME],
            ),
            ("/metadata/name", json!("a".repeat(253)), &[NAME]),
        ]);
    }

    #[test]
    fn templates() {
        check(vec![
            (
                "/spec/template/spec/capacity",
                json!({}),
                &["spec.template.spec.capacity.storage"],
            ),
            (
                "/spec/template/spec/capacity/cpu",
                json!(1),
                &["spec.template.spec.capacity"],
            ),
            (
                "/spec/template/spec/capacity/storage",
                json!("0"),
                &["spec.template.spec.capacity[storage]"],
            ),
            (
                "/spec/template/spec/capacity/storage",
                json!(-5),
                &["spec.template.spec.capacity[storage]"],
            ),
            (
                "/spec/template/spec/capacity/storage",
                json!("1gi"),
                &["spec.template.spec.capacity.storage"],
            ),
            ("/spec/template/spec/capacity/storage", json!(5), &[]),
            (
                "/spec/template/spec/accessModes",
                json!([]),
                &["spec.template.spec.accessModes"],
            ),
            (
                "/spec/template/spec/accessModes",
                json!(["RWO"]),
                &["spec.template.spec.accessModes[0]"],
            ),
            (
                "/spec/template/spec/accessModes",
                json!(["ReadWriteOncePod", "ReadWriteOnce"]),
                &["spec.template.spec.accessModes"],
            ),
            (
                "/spec/template/spec/volumeMode",
                json!("Raw"),
                &["spec.template.spec.volumeMode"],
            ),
            (
                "/spec/template/spec/claimRef",
                json!({"name": "x"}),
                &["spec.template.spec.claimRef"],
            ),
            (
                "/spec/template/spec/nfs",
                json!(null),
                &["spec.template.spec"],
            ),
            (
                "/spec/template/spec/hostPath",
                json!({"path": "/x"}),
                &["spec.template.spec"],
            ),
            // What only the volume's own rules know.
            (
                "/spec/template/spec/nfs/path",
                json!("{ordinal}"),
                &["spec.template.spec.nfs.path"],
            ),
            (
                "/spec/template/spec/storageClassName",
                json!("A"),
                &["spec.template.spec.storageClassName"],
            ),
            (
                "/spec/template/spec/nodeAffinity",
                json!({}),
                &["spec.template.spec.nodeAffinity.required"],
            ),
        ]);
    }

    #[test]
    fn a_backend_makes_the_source() {
        let by = |name: &str| {
            let mut set = set();
            set["spec"]["template"]["metadata"]["annotations"] = json!({PROVISIONED_BY: name});
            set
        };
        assert_eq!(
            fields(Judged::VolumeSet, &by("example.com/disks")),
            ["spec.template.spec"]
        );
        let without = |name: &str| with(by(name), "/spec/template/spec/nfs", json!(null));
        let annotation = format!("spec.template.metadata.annotations[{PROVISIONED_BY}]");
        assert!(fields(Judged::VolumeSet, &without("example.com/disks")).is_empty());
        assert_eq!(
            fields(Judged::VolumeSet, &without("")),
            [annotation.as_str()]
        );
        assert_eq!(
            fields(Judged::VolumeSet, &without("kubernetes.io/nfs")),
            [annotation]
        );
        let class = with(
            without("example.com/disks"),
            "/spec/template/spec/volumeAttributesClassName",
            json!("gold"),
        );
        assert!(fields(Judged::VolumeSet, &class).is_empty());
    }

    #[test]
    fn an_error_stands_where_the_field_is_written() {
        let mut disk = set();
        disk["spec"]["template"]["spec"]["nfs"] = json!(null);
        disk["spec"]["template"]["spec"]["gcePersistentDisk"] = json!({});
        let found = judge(Judged::VolumeSet, &disk);
        assert_eq!(
            found[0].field.as_deref(),
            Some("spec.template.spec.persistentDisk.pdName")
        );
        assert_eq!(
            found[0].at.as_deref(),
            Some("spec.template.spec.gcePersistentDisk.pdName")
        );
    }
}
