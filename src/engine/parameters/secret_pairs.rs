//! The name of a Secret and its namespace come in pairs: with only one of them the external-provisioner gives up.
//! Upstream: external-provisioner, pkg/controller/controller.go, verifyAndGetSecretNameAndNamespaceTemplate.

use super::finding;
use crate::model::Class;
use crate::model::catalogue::CSI_PREFIX;
use crate::report::{Finding, FindingCode};

/// The operations whose Secrets are looked up for every volume, with their older spelling where they have one.
const OPERATIONS: [(&str, Option<&str>); 5] = [
    ("provisioner", Some("csiProvisioner")),
    ("controller-publish", Some("csiControllerPublish")),
    ("node-stage", Some("csiNodeStage")),
    ("node-publish", Some("csiNodePublish")),
    ("controller-expand", None),
];

/// Secrets without a namespace, and namespaces without a Secret, by key.
pub(super) fn findings(class: &Class) -> Vec<Finding> {
    // An older spelling alone may be a stranger's own parameter.
    let is_reserved = |key: &String| key.starts_with(CSI_PREFIX);
    let lone = OPERATIONS.iter().filter_map(|(operation, older)| {
        let spell = |newer: &str, end: &str| {
            let older = older.map(|older| format!("{older}Secret{end}"));
            let newer = format!("{CSI_PREFIX}{operation}-secret-{newer}");
            (newer, older)
        };
        let (name, namespace) = (spell("name", "Name"), spell("namespace", "Namespace"));
        match (given(class, &name), given(class, &namespace)) {
            (Some(key), None) if is_reserved(&key) => Some(half(class, &key, &namespace.0)),
            (None, Some(key)) if is_reserved(&key) => Some(half(class, &key, &name.0)),
            _ => None,
        }
    });
    lone.collect()
}

/// Which spelling of a key the class has.
fn given(class: &Class, (newer, older): &(String, Option<String>)) -> Option<String> {
    let mut keys = [Some(newer), older.as_ref()].into_iter().flatten();
    keys.find(|key| class.parameters.contains_key(*key))
        .cloned()
}

fn half(class: &Class, key: &str, missing: &str) -> Finding {
    let message =
        format!("{key} is there without {missing}, and with only one nothing is provisioned");
    finding(FindingCode::ParameterValueInvalid, class, key, message)
        .hint(format!("set {missing} too"))
}
