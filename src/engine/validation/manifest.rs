//! A manifest as such: what today's API server drops from it, and what it refuses.

use super::super::api_rules::{self, FieldError, Judged};
use super::super::conversion::understand;
use super::advice::{advise, advise_set};
use super::{ValidationQuestion, place, templates};
use crate::conventions::command_line::{CommandLine, Sentence};
use crate::conventions::object_ref::similar_in_any_case;
use crate::model::manifest::{Candidate, Manifest, Node, Place};
use crate::report::{Finding, FindingCode, FindingObject, did_you_mean};

/// Our own kind, in a group of its own.
const VOLUME_SET: &str = "PersistentVolumeSet";

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
            let convert = CommandLine::of(&["kubectl", "pv", "convert", "-f", file]);
            let mut finding =
                Finding::new(FindingCode::DroppedByServer, object.clone(), &*change.why)
                    .at(&*change.field)
                    .hint(
                        Sentence::from(convert)
                            .text(format!(" rewrites it: {} {}", change.field, change.done)),
                    );
            place::set(&mut finding, &manifest.source, change.place);
            finding
        })
        .collect();
    let today = &conversion.manifest;
    found.extend(missing_version(manifest, &object));
    let Some((judged, code)) = judged(today) else {
        found.extend(misspelt_kind(manifest, candidate, &object));
        let refused = template_findings(question, manifest, today, &object);
        if refused.is_empty() {
            found.extend(misunderstood(candidate, &object));
        }
        found.extend(refused);
        return found;
    };
    found.extend(unknown_fields(
        judged,
        &today.kind,
        &today.root,
        &object,
        "",
    ));
    let namespace = manifest.namespace().unwrap_or(question.namespace);
    let errors = api_rules::field_errors(judged, &today.root, Some(namespace));
    if errors.is_empty() {
        found.extend(misunderstood(candidate, &object));
    }
    for error in errors {
        let place = error.place(&today.root);
        found.push(refused(error, code, &object, manifest, place));
    }
    found
}

fn refused(
    error: FieldError,
    code: FindingCode,
    object: &FindingObject,
    manifest: &Manifest,
    place: Place,
) -> Finding {
    let hint = if code == FindingCode::InvalidVolumeSet {
        advise_set(&error)
    } else {
        advise(&error)
    };
    let mut finding = Finding::new(code, object.clone(), error.kind.to_string());
    finding.hint = hint.map(Sentence::from);
    finding.field = error.field;
    // What conversion put in stands nowhere.
    if place.line > 0 {
        place::set(&mut finding, &manifest.source, place);
    }
    finding
}

fn unknown_fields(
    judged: Judged,
    kind: &str,
    root: &Node,
    object: &FindingObject,
    below: &str,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for field in api_rules::unknown_fields(judged, root) {
        let path = format!("{below}{}", field.path);
        let message = format!(
            "a {kind} has no field {}: the API server drops it, and kubectl apply refuses it",
            field.path
        );
        let finding = Finding::new(FindingCode::DroppedByServer, object.clone(), message).at(path);
        let hint = did_you_mean(&field.nearest).unwrap_or_else(|| "leave it out".to_owned());
        found.push(finding.hint(hint));
    }
    found
}

/// The claims that templates would make: the server takes the workload, and refuses them one by one later.
fn template_findings(
    question: &ValidationQuestion<'_>,
    manifest: &Manifest,
    today: &Manifest,
    object: &FindingObject,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for template in templates::all(today) {
        let mut claim = template.node.clone();
        // Its name is made from the template's and its owner's.
        if let Some(metadata) = claim.map_at("metadata") {
            metadata.set("name", Node::text("claim"));
        }
        let below = format!("{}.", template.path);
        found.extend(unknown_fields(
            Judged::Claim,
            "PersistentVolumeClaim",
            template.node,
            object,
            &below,
        ));
        for mut error in api_rules::field_errors(Judged::Claim, &claim, Some(question.namespace)) {
            let place = error.place(template.node);
            error.field = error.field.map(|field| format!("{below}{field}"));
            found.push(refused(
                error,
                FindingCode::InvalidClaim,
                object,
                manifest,
                place,
            ));
        }
    }
    found
}

/// The API server would guess it from the request; kubectl makes no request without it.
fn missing_version(manifest: &Manifest, object: &FindingObject) -> Option<Finding> {
    let is_missing = manifest
        .root
        .get_text("apiVersion")
        .is_none_or(str::is_empty);
    // An item of a list may leave it to the list.
    (is_missing && manifest.api_version == "v1").then(|| {
        let message = "kubectl takes no object without apiVersion";
        Finding::new(FindingCode::DroppedByServer, object.clone(), message)
            .at("apiVersion")
            .hint("add apiVersion")
    })
}

/// A kind that nobody knows and that is nearly one we do.
fn misspelt_kind(
    manifest: &Manifest,
    candidate: &Candidate,
    object: &FindingObject,
) -> Option<Finding> {
    let known = [
        "PersistentVolume",
        "PersistentVolumeClaim",
        "StorageClass",
        "ConfigMap",
        "StatefulSet",
        "VolumeAttributesClass",
        VOLUME_SET,
    ];
    let kind = manifest.kind.as_str();
    let is_ours = matches!(
        manifest.group(),
        "" | "storage.k8s.io" | "apps" | "kubectl-pv.dev"
    );
    if candidate.is_known || !is_ours {
        return None;
    }
    if kind == VOLUME_SET {
        let message = format!(
            "no API server knows a {kind} of {}, so that nothing in it was looked at",
            manifest.api_version
        );
        let finding = Finding::new(FindingCode::DroppedByServer, object.clone(), message);
        return Some(
            finding
                .at("apiVersion")
                .hint("write kubectl-pv.dev/v1alpha1"),
        );
    }
    let meant = *similar_in_any_case(kind, known).first()?;
    // Half a name is a name of its own: `Pod` and `PodTemplate`.
    if meant.len().abs_diff(kind.len()) > 2 {
        return None;
    }
    let message =
        format!("no API server knows the kind {kind}, so that nothing in it was looked at");
    let finding = Finding::new(FindingCode::DroppedByServer, object.clone(), message);
    Some(finding.at("kind").hint(format!("did you mean {meant}?")))
}

/// What the server would refuse, and what that is called.
fn judged(manifest: &Manifest) -> Option<(Judged, FindingCode)> {
    match (manifest.group(), manifest.kind.as_str()) {
        ("", "PersistentVolumeClaim") => Some((Judged::Claim, FindingCode::InvalidClaim)),
        ("", "PersistentVolume") => Some((Judged::Volume, FindingCode::InvalidVolume)),
        ("storage.k8s.io", "StorageClass") => Some((Judged::Class, FindingCode::InvalidClass)),
        ("", "ConfigMap") => Some((Judged::ConfigMap, FindingCode::InvalidConfigMap)),
        ("kubectl-pv.dev", VOLUME_SET) => Some((Judged::VolumeSet, FindingCode::InvalidVolumeSet)),
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
            | VOLUME_SET
    );
    FindingObject {
        kind: manifest.kind.clone(),
        namespace: is_in_namespace.then(|| {
            let own = manifest.namespace().unwrap_or(namespace);
            own.to_owned()
        }),
        name: manifest.name(),
    }
}
