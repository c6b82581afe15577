//! Sets of volumes: what a live one is refused for, who else has its members, and what becomes of the volumes it makes.

use super::super::api_rules::is_rule_of_sets;
use super::super::{Refusal, volume_set_overlap, volume_set_problems};
use super::advice::advise;
use super::volume;
use crate::model::manifest::Candidate;
use crate::model::{ClusterState, VolumeSet};
use crate::report::{Finding, FindingCode, FindingObject};

/// Where the volume of a set stands.
const TEMPLATE: &str = "spec.template.";

pub(super) fn findings(
    state: &ClusterState,
    candidate: &Candidate,
    set: &VolumeSet,
) -> Vec<Finding> {
    let object = FindingObject {
        kind: "PersistentVolumeSet".to_owned(),
        namespace: None,
        name: set.name.clone(),
    };
    let mut found = Vec::new();
    // One that was written has been held against the rules as it was written.
    if candidate.manifest.is_none() {
        found.extend(volume_set_problems(set).into_iter().map(|refusal| {
            let hint = advise_set(&refusal);
            let mut finding = Finding::new(
                FindingCode::InvalidVolumeSet,
                object.clone(),
                refusal.message,
            );
            finding.field = refusal.field;
            finding.hint = hint;
            finding
        }));
    }
    if let Some(overlap) = volume_set_overlap(state, set) {
        let finding = Finding::new(
            FindingCode::InvalidVolumeSet,
            object.clone(),
            overlap.message,
        );
        found.push(finding.at(overlap.field).hint(format!(
            "no volume may count for two sets: give this one and set {} labels of their own",
            overlap.other
        )));
    }
    found.extend(about_members(set, &object));
    found
}

/// What is said of any volume, said of the template. What a backend makes it also deletes.
fn about_members(set: &VolumeSet, object: &FindingObject) -> Vec<Finding> {
    let Some(template) = &set.template else {
        return vec![];
    };
    let mut found = volume::findings(&template.volume);
    found
        .retain(|finding| finding.code != FindingCode::NotDeletable || set.provisioner().is_none());
    for finding in &mut found {
        finding.object = object.clone();
        finding.field = finding
            .field
            .take()
            .map(|field| format!("{TEMPLATE}{field}"));
        if finding.code == FindingCode::NotDeletable {
            finding.hint = Some(
                "set Retain, or let a backend make the volumes: name it in the template's annotation \
                 pv.kubernetes.io/provisioned-by, and leave the source out"
                    .to_owned(),
            );
        }
    }
    found
}

/// What to do about a refusal of a set.
pub(super) fn advise_set(refusal: &Refusal) -> Option<String> {
    if is_rule_of_sets(refusal) {
        return None;
    }
    let message = refusal.message.as_str();
    if let Some((_, wanted)) = message.split_once(" in body must be of type ") {
        let wanted = wanted.split(": ").next().unwrap_or(wanted);
        return Some(match wanted {
            "string" => "put it in quotes".to_owned(),
            "object" => "write a map".to_owned(),
            "array" => "write a list".to_owned(),
            "boolean" => "write true or false".to_owned(),
            "integer,string" => {
                "write a number with a unit, such as 10Gi (binary) or 10G (decimal)".to_owned()
            }
            _ => "write a whole number".to_owned(),
        });
    }
    let field = refusal.field.as_deref()?;
    if message.contains(" in body should match ") {
        return Some(if field.ends_with("capacity.storage") {
            "write a number with a unit, such as 10Gi (binary) or 10G (decimal)".to_owned()
        } else {
            "use letters, digits, '-', '_' and '.', at most 63, beginning and ending with a letter or digit".to_owned()
        });
    }
    match field.strip_prefix(TEMPLATE) {
        Some("spec") | None if message == "Required value" => Some(format!("add {field}")),
        Some(field) => advise(Some(field), message),
        None => advise(Some(field), message),
    }
}
