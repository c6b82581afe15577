//! What is wrong with manifests and objects, before anything is created: what the API server would refuse, what can never
//! match, and what a class's provisioning options and a claim's ConfigMap make of each other (seed 003).
//!
//! Every check gives findings about one object, by field; `place` then finds the line.

mod advice;
mod claim;
mod class;
mod config_map;
mod manifest;
mod place;
mod volume;

use super::Rules;
use super::unknowns;
use crate::conventions::object_ref::ObjectKey;
use crate::model::catalogue::Catalogue;
use crate::model::manifest::{Broken, Candidate};
use crate::model::{Class, ClusterState, ConfigMap, Kind};
use crate::report::{API_VERSION, Finding, FindingCode, FindingObject, Unknown, ValidationReport};
use std::collections::BTreeSet;

/// What is to be validated, and against what.
#[derive(Clone, Copy)]
pub struct ValidationQuestion<'a> {
    /// Everything around: the candidates laid over the cluster, or alone.
    pub state: &'a ClusterState,
    /// The objects to judge.
    pub candidates: &'a [Candidate],
    /// Documents that are no objects.
    pub broken: &'a [Broken],
    /// What is known about the parameters of provisioners.
    pub catalogue: &'a Catalogue,
    /// The class that ConfigMaps are held against, besides those of the claims that name them.
    pub class: Option<&'a Class>,
    /// The namespace of whatever names none.
    pub namespace: &'a str,
    /// By which rules claims are served.
    pub rules: Rules,
}

/// Validates everything.
pub fn validate(question: &ValidationQuestion<'_>) -> ValidationReport {
    let mut findings: Vec<Finding> = question.broken.iter().map(unreadable).collect();
    for candidate in question.candidates {
        let mut found = Vec::new();
        if let Some(written) = &candidate.manifest {
            found.extend(manifest::findings(question, candidate, written));
        }
        let objects = &candidate.objects;
        for class in &objects.classes {
            found.extend(class_findings(question.state, class, question.catalogue));
        }
        for volume in &objects.volumes {
            found.extend(volume::findings(volume));
        }
        for claim in &objects.claims {
            found.extend(claim::findings(question, claim));
        }
        if let Some(written) = &candidate.manifest {
            place::place_in(&mut found, written);
        }
        findings.extend(found);
    }
    let mut about_maps = config_map::all_findings(question);
    place::place_among(&mut about_maps, question);
    findings.extend(about_maps);
    sort(&mut findings);
    ValidationReport {
        api_version: API_VERSION,
        kind: "ValidationReport",
        findings,
        checked: question
            .candidates
            .iter()
            .filter(|candidate| candidate.is_known)
            .count(),
        unknowns: unknowns_of(question),
    }
}

/// Everything that is wrong with a class.
pub(crate) fn class_findings(
    state: &ClusterState,
    class: &Class,
    catalogue: &Catalogue,
) -> Vec<Finding> {
    class::findings(state, class, catalogue)
}

/// By file, line and code; what several claims have in common is said once.
fn sort(findings: &mut Vec<Finding>) {
    findings.sort_by(|a, b| {
        let key = |finding: &Finding| {
            (
                finding.file.clone(),
                finding.line,
                finding.code.name(),
                finding.column,
                finding.object.clone(),
                finding.field.clone(),
                finding.message.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
    findings.dedup();
}

fn unreadable(broken: &Broken) -> Finding {
    let object = FindingObject {
        kind: String::new(),
        namespace: None,
        name: String::new(),
    };
    let mut finding = Finding::new(FindingCode::Unreadable, object, &*broken.message);
    place::set(&mut finding, &broken.source, broken.place);
    if broken.message.starts_with("the key `kind`") || broken.message.contains("`apiVersion`") {
        return finding.hint("if another object begins here, put `---` in front of it");
    }
    finding
}

/// The ConfigMap of a claim's options, and the class they are for.
struct MapUse<'a> {
    map: &'a ConfigMap,
    class: &'a Class,
}

impl<'a> ValidationQuestion<'a> {
    /// The class a claim gets, if it can be seen.
    fn class_of(&self, claim: &crate::model::Claim) -> Option<&'a Class> {
        if super::classes::lacks_class(claim, self.rules) {
            return super::classes::find_default(self.state);
        }
        self.state.find_class(claim.class.resolved())
    }

    fn find_map(&self, key: &ObjectKey) -> Option<&'a ConfigMap> {
        self.state
            .objects()
            .config_maps
            .iter()
            .find(|map| map.key == *key)
    }

    fn is_candidate_claim(&self, key: &ObjectKey) -> bool {
        let mut claims = self
            .candidates
            .iter()
            .flat_map(|candidate| &candidate.objects.claims);
        claims.any(|claim| claim.key == *key)
    }

    fn is_candidate_map(&self, key: &ObjectKey) -> bool {
        let mut maps = self
            .candidates
            .iter()
            .flat_map(|candidate| &candidate.objects.config_maps);
        maps.any(|map| map.key == *key)
    }
}

/// What the findings would have needed and could not see.
fn unknowns_of(question: &ValidationQuestion<'_>) -> Vec<Unknown> {
    let objects = |has: &dyn Fn(&crate::model::Objects) -> bool| {
        question
            .candidates
            .iter()
            .any(|candidate| has(&candidate.objects))
    };
    let mut kinds: BTreeSet<Kind> = BTreeSet::new();
    if objects(&|objects| !objects.claims.is_empty()) {
        kinds.extend([Kind::Classes, Kind::Volumes]);
    }
    if objects(&|objects| objects.claims.iter().any(|claim| claim.options.is_some())) {
        kinds.insert(Kind::ConfigMaps);
    }
    if objects(&|objects| !objects.classes.is_empty()) {
        kinds.insert(Kind::Classes);
    }
    if objects(&|objects| !objects.config_maps.is_empty()) {
        kinds.insert(Kind::Claims);
    }
    let gaps = kinds
        .into_iter()
        .filter_map(|kind| question.state.find_gap(kind, Some(question.namespace)));
    gaps.map(unknowns::describe).collect()
}
