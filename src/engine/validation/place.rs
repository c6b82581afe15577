//! Where in the files a finding stands.

use super::{ValidationQuestion, manifest};
use crate::conventions::annotations::{
    ALLOWED_OPTIONS, BETA_CLASS, BETA_DEFAULT_CLASS, DEFAULT_CLASS, OPTIONS,
};
use crate::model::manifest::{Manifest, Node, Place, SourceFile};
use crate::report::Finding;

/// Places findings that came of this manifest.
pub(super) fn place_in(findings: &mut [Finding], manifest: &Manifest) {
    for finding in findings.iter_mut().filter(|finding| finding.file.is_none()) {
        let place = find(&manifest.root, finding.field.as_deref().unwrap_or(""));
        set(finding, &manifest.source, place);
    }
}

/// Places findings about objects that may be among the candidates; the last of several is what counts in the end.
pub(super) fn place_among(findings: &mut [Finding], question: &ValidationQuestion<'_>) {
    for finding in findings {
        let manifests = question.candidates.iter().rev();
        let found = manifests
            .filter_map(|candidate| candidate.manifest.as_ref())
            .find(|written| manifest::object(written, question.namespace) == finding.object);
        if let Some(written) = found {
            let place = find(&written.root, finding.field.as_deref().unwrap_or(""));
            set(finding, &written.source, place);
        }
    }
}

/// Gives a finding its place, and the line that stands there.
pub(super) fn set(finding: &mut Finding, source: &SourceFile, place: Place) {
    finding.file = Some(source.name.clone());
    finding.line = Some(place.line.max(1));
    finding.column = Some(place.column.max(1));
    finding.excerpt = source.line(place.line.max(1)).map(str::to_owned);
}

/// The place of a field, under whichever of its names it stands.
fn find(root: &Node, field: &str) -> Place {
    let nearest = match root.find_place(field) {
        Ok(place) => return place,
        Err(nearest) => nearest,
    };
    let mut others = other_names(field).into_iter();
    others
        .find_map(|other| root.find_place(&other).ok())
        .unwrap_or(nearest)
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
