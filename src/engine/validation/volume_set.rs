//! Sets of volumes: what a live one is refused for, who else has its members, and what becomes of the volumes it makes.

use super::super::{volume_set_overlap, volume_set_problems};
use super::advice::{TEMPLATE, advise_set};
use super::volume;
use crate::conventions::command_line::Sentence;
use crate::model::manifest::Candidate;
use crate::model::{ClusterState, VolumeSet};
use crate::report::{Finding, FindingCode, FindingObject};

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
        found.extend(volume_set_problems(set).into_iter().map(|error| {
            let code = FindingCode::InvalidVolumeSet;
            let mut finding = Finding::new(code, object.clone(), error.kind.to_string());
            finding.hint = advise_set(&error).map(Sentence::from);
            finding.field = error.field;
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
                    .into(),
            );
        }
    }
    found
}
