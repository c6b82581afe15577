//! A manifest as such: what today's API server drops from it, and what it refuses.

use super::super::api_rules::{self, Judged};
use super::super::conversion::understand;
use super::advice::advise;
use super::{ValidationQuestion, place};
use crate::conventions::shell::command;
use crate::model::manifest::{Candidate, Manifest};
use crate::report::{Finding, FindingCode, FindingObject, join_or};

pub(super) fn findings(
    question: &ValidationQuestion<'_>,
    candidate: &Candidate,
    manifest: &Manifest,
) -> Vec<Finding> {
    let conversion = understand(manifest);
    let object = object(manifest, question.namespace);
    let file = match manifest.source.name.as_str() {
        "stdin" => "-",
        name => name,
    };
    let mut found: Vec<Finding> = conversion
        .changes
        .iter()
        .filter(|change| change.is_dropped)
        .map(|change| {
            let convert = command(&["kubectl", "pv", "convert", "-f", file]);
            Finding::new(FindingCode::DroppedByServer, object.clone(), &*change.why)
                .at(&*change.field)
                .hint(format!(
                    "{convert} rewrites it: {} {}",
                    change.field, change.done
                ))
        })
        .collect();
    let today = &conversion.manifest;
    let Some((judged, code)) = judged(today) else {
        found.extend(misunderstood(candidate, &object));
        return found;
    };
    for field in api_rules::unknown_fields(judged, &today.root) {
        let message = format!(
            "a {} has no field {}: the API server drops it, and kubectl apply refuses it",
            today.kind, field.path
        );
        let finding =
            Finding::new(FindingCode::DroppedByServer, object.clone(), message).at(field.path);
        found.push(match field.nearest.as_slice() {
            [] => finding.hint("leave it out"),
            nearest => finding.hint(format!("did you mean {}?", join_or(nearest))),
        });
    }
    let namespace = manifest.namespace().unwrap_or(question.namespace);
    let refusals = api_rules::refusals(judged, &today.root, Some(namespace));
    if refusals.is_empty() {
        found.extend(misunderstood(candidate, &object));
    }
    for refusal in refusals {
        let place = refusal.place(&today.root);
        let hint = advise(refusal.field.as_deref(), &refusal.message);
        let mut finding = Finding::new(code, object.clone(), refusal.message);
        finding.hint = hint;
        finding.field = refusal.field;
        // What conversion put in stands nowhere.
        if place.line > 0 {
            place::set(&mut finding, &manifest.source, place);
        }
        found.push(finding);
    }
    found
}

/// What the server would refuse, and what that is called.
fn judged(manifest: &Manifest) -> Option<(Judged, FindingCode)> {
    match (manifest.group(), manifest.kind.as_str()) {
        ("", "PersistentVolumeClaim") => Some((Judged::Claim, FindingCode::InvalidClaim)),
        ("", "PersistentVolume") => Some((Judged::Volume, FindingCode::InvalidVolume)),
        ("storage.k8s.io", "StorageClass") => Some((Judged::Class, FindingCode::InvalidClass)),
        ("", "ConfigMap") => Some((Judged::ConfigMap, FindingCode::InvalidConfigMap)),
        _ => None,
    }
}

/// A field that does not hold what it must, in an object of a kind whose every rule we do not know.
fn misunderstood(candidate: &Candidate, object: &FindingObject) -> Option<Finding> {
    let (field, message) = candidate.misunderstood.as_ref()?;
    let finding = Finding::new(FindingCode::Unreadable, object.clone(), message.clone());
    Some(finding.at(field))
}

pub(super) fn object(manifest: &Manifest, namespace: &str) -> FindingObject {
    let is_in_namespace = !matches!(
        manifest.kind.as_str(),
        "PersistentVolume"
            | "StorageClass"
            | "VolumeAttributesClass"
            | "Node"
            | "CSIDriver"
            | "CSINode"
            | "VolumeAttachment"
    );
    FindingObject {
        kind: manifest.kind.clone(),
        namespace: is_in_namespace.then(|| {
            let own = manifest.namespace().unwrap_or(namespace);
            own.to_owned()
        }),
        name: manifest.name().to_owned(),
    }
}
