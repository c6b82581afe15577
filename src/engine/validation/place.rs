//! Where in the files a finding stands.

use super::{ValidationQuestion, manifest, templates};
use crate::conventions::annotations::{
    ALLOWED_OPTIONS, BETA_CLASS, BETA_DEFAULT_CLASS, DEFAULT_CLASS, OPTIONS,
};
use crate::model::manifest::{Manifest, Node, Place, SourceFile};
use crate::report::{Finding, FindingObject};
use std::collections::{HashMap, HashSet};

/// Places findings that came of this manifest. Of claims that its templates would make, one stands for all.
pub(super) fn place_in(findings: &mut Vec<Finding>, manifest: &Manifest) {
    for finding in findings.iter_mut().filter(|finding| finding.file.is_none()) {
        let below = templates::find(manifest, &finding.object);
        place(finding, manifest, below.as_deref());
    }
    let mut seen = HashSet::new();
    findings.retain(|finding| {
        let is_of_template = finding.object.kind != manifest.kind;
        let key = (
            finding.code,
            finding.line,
            finding.column,
            finding.field.clone(),
        );
        !is_of_template || seen.insert(key)
    });
}

/// Places findings about objects that may stand in the files; the last of several is what counts in the end.
pub(super) fn place_among(findings: &mut [Finding], question: &ValidationQuestion<'_>) {
    let manifests = question.written.iter();
    let by_object: HashMap<FindingObject, &Manifest> = manifests
        .filter_map(|candidate| candidate.manifest.as_ref())
        .map(|written| (manifest::object(written, question.namespace), written))
        .collect();
    for finding in findings {
        if let Some(written) = by_object.get(&finding.object) {
            place(finding, written, None);
        }
    }
}

fn place(finding: &mut Finding, manifest: &Manifest, below: Option<&str>) {
    let field = finding.field.clone().unwrap_or_default();
    let (place, name) = find(&manifest.root, &field, below);
    set(finding, &manifest.source, place);
    // The options of a class keep their name; anything else is named as it stands there.
    if let Some(name) = name.filter(|_| !field.starts_with("allowedProvisioningOptions")) {
        finding.field = Some(name);
    }
}

/// Gives a finding its place, and the part of the line around it.
pub(super) fn set(finding: &mut Finding, source: &SourceFile, place: Place) {
    finding.file = Some(source.name.clone());
    finding.line = Some(place.line.max(1));
    finding.column = Some(place.column.max(1));
    finding.excerpt = source.excerpt(place);
}

/// The place of a field under whichever of its names it stands, and that name if it is another.
fn find(root: &Node, field: &str, below: Option<&str>) -> (Place, Option<String>) {
    let inside = |field: &str| match below {
        Some(below) => format!("{below}.{field}"),
        None => field.to_owned(),
    };
    let others = other_names(field);
    let (first, last) = if field == format!("metadata.annotations[{OPTIONS}]") {
        // The field of seed 003 counts before its annotation.
        (others, vec![])
    } else {
        (vec![], others)
    };
    for other in &first {
        if let Ok(place) = root.find_place(&inside(other)) {
            return (place, Some(inside(other)));
        }
    }
    let own = below.is_some().then(|| inside(field));
    let nearest = match root.find_place(&inside(field)) {
        Ok(place) => return (place, own),
        Err(nearest) => nearest,
    };
    for other in &last {
        if let Ok(place) = root.find_place(&inside(other)) {
            return (place, Some(inside(other)));
        }
    }
    (nearest, own)
}

/// What the file may call a field that a finding names: by an old name, by an annotation, or as the server does.
fn other_names(field: &str) -> Vec<String> {
    let annotation = |key: &str| format!("metadata.annotations[{key}]");
    if field.starts_with("allowedProvisioningOptions") {
        return vec![annotation(ALLOWED_OPTIONS)];
    }
    if field == annotation(OPTIONS) {
        return vec!["spec.provisioningOptions".to_owned()];
    }
    if field == annotation(DEFAULT_CLASS) {
        return vec![annotation(BETA_DEFAULT_CLASS)];
    }
    if field == "spec.storageClassName" {
        return vec!["spec.class".to_owned(), annotation(BETA_CLASS)];
    }
    let pairs = [
        ("spec.gcePersistentDisk", "spec.persistentDisk"),
        ("spec.persistentDisk", "spec.gcePersistentDisk"),
        ("spec.resources[", "spec.resources.requests["),
    ];
    let renamed =
        |(name, other): (&str, &str)| Some(format!("{other}{}", field.strip_prefix(name)?));
    pairs.into_iter().filter_map(renamed).collect()
}
