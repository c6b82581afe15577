//! What is said of parameters, on a small catalogue of its own; what the real one says is tested beside its files.

use super::*;
use crate::model::catalogue::{Deprecation, KnownProvisioner};
use crate::testing::class;
use std::collections::BTreeMap;

fn parameter(key: &str, kind: ValueKind) -> KnownParameter {
    KnownParameter {
        key: key.to_owned(),
        key_ignores_case: false,
        meaning: format!("what {key} is for"),
        kind,
        default: None,
        deprecated: None,
        deprecated_values: BTreeMap::new(),
        is_secret: false,
    }
}

fn choice(values: &[&str]) -> ValueKind {
    ValueKind::Choice(Choice {
        values: values.iter().map(|value| (*value).to_owned()).collect(),
        complete: true,
        exact_case: true,
    })
}

fn small() -> Catalogue {
    let old = KnownParameter {
        deprecated: Some(Deprecation {
            since: Some("v2".to_owned()),
            instead: "type".to_owned(),
        }),
        ..parameter("oldType", ValueKind::Text)
    };
    let password = KnownParameter {
        is_secret: true,
        ..parameter(
            "key",
            ValueKind::Integer {
                min: None,
                max: None,
            },
        )
    };
    let kind = KnownParameter {
        deprecated_values: BTreeMap::from([("slow".to_owned(), "fast".to_owned())]),
        default: Some("fast".to_owned()),
        ..parameter("type", choice(&["fast", "slow"]))
    };
    let reserved = parameter("csi.storage.k8s.io/fstype", ValueKind::Text);
    let provisioner = |name: &str, unknown_keys| KnownProvisioner {
        name: name.to_owned(),
        documentation: String::new(),
        unknown_keys,
        options: None,
        served_here: None,
        parameters: vec![
            kind.clone(),
            old.clone(),
            password.clone(),
            parameter("encrypted", ValueKind::Bool { short_forms: false }),
            reserved.clone(),
        ],
    };
    Catalogue::new(
        vec![
            provisioner("strict.example.com", UnknownKeys::Refused),
            provisioner("lenient.example.com", UnknownKeys::Ignored),
            provisioner("open.example.com", UnknownKeys::Used),
        ],
        vec![reserved.clone()],
    )
}

fn with(provisioner: &str, parameters: &[(&str, &str)]) -> Class {
    let parameters = parameters.iter();
    Class {
        parameters: parameters
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
        ..class("gold", provisioner)
    }
}

fn said(provisioner: &str, parameters: &[(&str, &str)]) -> Vec<String> {
    let found = findings(&small(), &with(provisioner, parameters));
    let said = |finding: Finding| {
        let hint = finding
            .hint
            .map_or_else(String::new, |hint| format!(" → {hint}"));
        format!("{}: {}{hint}", finding.code.name(), finding.message)
    };
    found.into_iter().map(said).collect()
}

#[test]
fn what_is_wrong_is_said_with_what_to_do() {
    let strict = |parameters: &[(&str, &str)]| said("strict.example.com", parameters);
    assert_eq!(strict(&[("type", "fast"), ("encrypted", "")]), [""; 0]);
    assert_eq!(
        strict(&[("typ", "fast")]),
        [
            "ParameterUnknown: strict.example.com has no parameter typ and provisions nothing with it → did you mean type?"
        ]
    );
    assert_eq!(
        strict(&[("zzz", "1")]),
        [
            "ParameterUnknown: strict.example.com has no parameter zzz and provisions nothing with it → take it out"
        ]
    );
    assert_eq!(
        strict(&[("FSTYPE", "xfs")]),
        [
            "ParameterUnknown: strict.example.com has no parameter FSTYPE and provisions nothing with it → did you mean csi.storage.k8s.io/fstype?"
        ]
    );
    assert_eq!(
        said("lenient.example.com", &[("typ", "fast")]),
        [
            "ParameterUnknown: lenient.example.com has no parameter typ and takes no notice of it → did you mean type?"
        ]
    );
    assert_eq!(
        strict(&[("type", "Fast")]),
        [
            "ParameterValueInvalid: type is Fast, and strict.example.com takes fast or slow → did you mean fast?"
        ]
    );
    assert_eq!(
        strict(&[("encrypted", "yes")]),
        [
            "ParameterValueInvalid: encrypted is yes, and strict.example.com takes true or false → did you mean true?"
        ]
    );
    assert_eq!(
        strict(&[("oldType", "x")]),
        ["ParameterDeprecated: oldType is deprecated since v2 → use type instead"]
    );
    assert_eq!(
        strict(&[("type", "slow")]),
        ["ParameterDeprecated: slow as type is deprecated → use fast instead"]
    );
}

#[test]
fn a_secret_is_never_repeated() {
    let class = with(
        "strict.example.com",
        &[("key", "hunter2"), ("password", "hunter2")],
    );
    let found = findings(&small(), &class);
    let codes: Vec<FindingCode> = found.iter().map(|finding| finding.code).collect();
    assert_eq!(
        codes,
        [
            FindingCode::SecretInParameters,
            FindingCode::ParameterValueInvalid,
            FindingCode::SecretInParameters,
            FindingCode::ParameterUnknown
        ]
    );
    let described = describe(&small(), &class);
    assert!(
        described
            .iter()
            .all(|one| one.hidden && one.value.is_none())
    );
    assert!(!format!("{found:?}{described:?}").contains("hunter2"));
}

#[test]
fn who_takes_more_than_is_listed_is_not_judged() {
    assert_eq!(said("open.example.com", &[("typ", "x")]), [""; 0]);
    assert_eq!(
        said("nobody.example.com", &[("type", "x"), ("typ", "x")]),
        [""; 0]
    );
    let reserved = [("csi.storage.k8s.io/fsType", "xfs")];
    let expected = [
        "ParameterUnknown: csi.storage.k8s.io/fsType is none of the reserved parameters, and with it nothing is provisioned → did you mean csi.storage.k8s.io/fstype?",
    ];
    assert_eq!(said("open.example.com", &reserved), expected);
    assert_eq!(said("nobody.example.com", &reserved), expected);
}

#[test]
fn a_description_says_what_is_known_and_what_is_not() {
    let parameters = [("typ", "1"), ("type", "slow")];
    let strict = describe(&small(), &with("strict.example.com", &parameters));
    assert_eq!(strict[0].known, Some(false));
    assert_eq!(strict[0].meaning, None);
    assert_eq!(
        serde_json::to_value(&strict[1]).unwrap(),
        serde_json::json!({
            "key": "type", "value": "slow", "known": true, "meaning": "what type is for", "type": "choice",
            "allowed": ["fast", "slow"], "default": "fast", "deprecated": "fast",
        })
    );
    let open = describe(&small(), &with("open.example.com", &parameters));
    assert_eq!((open[0].known, open[1].known), (None, Some(true)));
    let nobody = describe(&small(), &with("nobody.example.com", &parameters));
    assert_eq!((nobody[0].known, nobody[1].known), (None, None));
    assert_eq!(
        serde_json::to_value(&nobody[0]).unwrap(),
        serde_json::json!({"key": "typ", "value": "1", "known": null})
    );
    assert_eq!(
        meaning_of(&small(), "strict.example.com", "type"),
        Some("what type is for")
    );
    assert_eq!(meaning_of(&small(), "nobody.example.com", "type"), None);
}

#[test]
fn a_secret_and_its_namespace_come_together() {
    let name = ("csi.storage.k8s.io/provisioner-secret-name", "creds");
    let namespace = ("csi.storage.k8s.io/provisioner-secret-namespace", "ns");
    let lone = |parameters: &[(&str, &str)]| {
        let found = findings(&small(), &with("nobody.example.com", parameters));
        let is_pair = |finding: &Finding| finding.code == FindingCode::ParameterValueInvalid;
        let found: Vec<Finding> = found.into_iter().filter(is_pair).collect();
        found
            .into_iter()
            .filter_map(|finding| Some(finding.hint?.to_string()))
            .collect::<Vec<String>>()
    };
    assert_eq!(lone(&[name, namespace]), [""; 0]);
    assert_eq!(lone(&[name]), [format!("set {} too", namespace.0)]);
    assert_eq!(lone(&[namespace]), [format!("set {} too", name.0)]);
    assert_eq!(
        lone(&[name, ("csiProvisionerSecretNamespace", "ns")]),
        [""; 0]
    );
    assert_eq!(lone(&[("csiProvisionerSecretNamespace", "ns")]), [""; 0]);
}
