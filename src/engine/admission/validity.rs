//! Is the claim valid? R7, in the server's order and words.

use super::super::Rules;
use crate::conventions::access_mode::AccessMode;
use crate::conventions::names::{
    go_quote, label_key_problems, label_value_problems, name_problems, subdomain_problems,
};
use crate::conventions::volume_mode::VolumeMode;
use crate::model::{Claim, DataSource};

/// The field errors of a claim, each `path: kind: detail`. `written` is the claim before anything was filled in.
pub(super) fn errors(claim: &Claim, written: &Claim, rules: Rules) -> Vec<String> {
    let mut errors = metadata_errors(claim);
    errors.extend(access_mode_presence(claim));
    if let Some(selector) = &claim.selector {
        errors.extend(
            selector
                .problems()
                .into_iter()
                .map(|problem| format!("spec.selector.{}: {}", problem.path, problem.message)),
        );
    }
    errors.extend(access_mode_errors(claim));
    errors.extend(request_error(claim));
    errors.extend(class_name_errors(
        "storageClassName",
        claim.class.field.as_deref(),
    ));
    if let Some(mode) = claim
        .volume_mode_name
        .as_deref()
        .filter(|mode| VolumeMode::find(mode).is_none())
    {
        errors.push(format!(
            "spec.volumeMode: Unsupported value: {}: supported values: \"Block\", \"Filesystem\"",
            go_quote(mode)
        ));
    }
    errors.extend(data_source_errors(claim));
    errors.extend(class_name_errors(
        "volumeAttributesClassName",
        claim.attributes_class.as_deref(),
    ));
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

fn invalid(path: &str, value: &str, problem: &str) -> String {
    format!("{path}: Invalid value: {}: {problem}", go_quote(value))
}

fn metadata_errors(claim: &Claim) -> Vec<String> {
    let name = name_problems(&claim.key.name)
        .into_iter()
        .map(|problem| invalid("metadata.name", &claim.key.name, &problem));
    let mut errors: Vec<String> = name.collect();
    for (key, value) in &claim.labels {
        errors.extend(
            label_key_problems(key)
                .iter()
                .map(|problem| invalid("metadata.labels", key, problem)),
        );
        errors.extend(
            label_value_problems(value)
                .iter()
                .map(|problem| invalid("metadata.labels", value, problem)),
        );
    }
    for key in claim.annotations.keys() {
        // Keys of annotations may have capital letters in their prefix.
        errors.extend(
            label_key_problems(&key.to_lowercase())
                .iter()
                .map(|problem| invalid("metadata.annotations", key, problem)),
        );
    }
    let size: usize = claim
        .annotations
        .iter()
        .map(|(key, value)| key.len() + value.len())
        .sum();
    if size > 262_144 {
        errors.push("metadata.annotations: Too long: may not be more than 262144 bytes".to_owned());
    }
    errors
}

fn access_mode_presence(claim: &Claim) -> Option<String> {
    let none = claim.access_mode_names.is_empty();
    none.then(|| "spec.accessModes: Required value: at least 1 access mode is required".to_owned())
}

fn access_mode_errors(claim: &Claim) -> Vec<String> {
    let unknown = claim.access_mode_names.iter().filter(|name| AccessMode::find(name).is_none()).map(|name| {
        format!(
            "spec.accessModes: Unsupported value: {}: supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \
             \"ReadWriteOnce\", \"ReadWriteOncePod\"",
            go_quote(name)
        )
    });
    let mut errors: Vec<String> = unknown.collect();
    let modes = claim.access_modes();
    if modes.len() > 1
        && modes
            .iter()
            .any(|mode| mode == AccessMode::ReadWriteOncePod)
    {
        errors.push(
            "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"
                .to_owned(),
        );
    }
    errors
}

fn request_error(claim: &Claim) -> Option<String> {
    match &claim.requested {
        None => Some("spec.resources[storage]: Required value".to_owned()),
        Some(requested) if !requested.is_positive() => Some(invalid(
            "spec.resources[storage]",
            &requested.canonical(),
            "must be greater than zero",
        )),
        Some(_) => None,
    }
}

fn class_name_errors(field: &str, name: Option<&str>) -> Vec<String> {
    let name = name.unwrap_or("");
    if name.is_empty() {
        return vec![];
    }
    name_problems(name)
        .into_iter()
        .map(|problem| invalid(&format!("spec.{field}"), name, &problem))
        .collect()
}

fn data_source_errors(claim: &Claim) -> Vec<String> {
    let mut errors = Vec::new();
    if let Some(source) = &claim.data_source {
        errors.extend(one_source_errors("spec.dataSource", source));
    }
    if let Some(source) = &claim.data_source_ref {
        errors.extend(one_source_errors("spec.dataSourceRef", source));
    }
    if let (Some(source), Some(reference)) = (&claim.data_source, &claim.data_source_ref) {
        let same = source.group == reference.group
            && source.kind == reference.kind
            && source.name == reference.name;
        if !same {
            errors.push("spec: Invalid value: {}: must match dataSourceRef".to_owned());
        }
    }
    errors
}

fn one_source_errors(path: &str, source: &DataSource) -> Vec<String> {
    let mut errors = Vec::new();
    if source.name.is_empty() {
        errors.push(format!("{path}.name: Required value"));
    }
    if source.kind.is_empty() {
        errors.push(format!("{path}.kind: Required value"));
    }
    let group = source.group.as_deref().unwrap_or("");
    if group.is_empty() && source.kind != "PersistentVolumeClaim" {
        errors.push(invalid(
            path,
            &source.kind,
            "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
        ));
    }
    if !group.is_empty() {
        errors.extend(
            subdomain_problems(group)
                .iter()
                .map(|problem| invalid(&format!("{path}.apiGroup"), group, problem)),
        );
    }
    errors
}
