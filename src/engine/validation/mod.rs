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
mod templates;
mod volume;
mod volume_set;

use super::Rules;
use super::classes::{find_default, lacks_class};
use super::unknowns::{find_unknown, unread};
use crate::conventions::object_ref::ObjectKey;
use crate::model::catalogue::Catalogue;
use crate::model::manifest::{Broken, Candidate};
use crate::model::{Claim, Class, ClusterState, ConfigMap, Kind};
use crate::report::{API_VERSION, Finding, FindingCode, FindingObject, Unknown, ValidationReport};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What is to be validated, and against what.
#[derive(Clone, Copy)]
pub struct ValidationQuestion<'a> {
    /// Everything around: the candidates laid over the cluster, or alone.
    pub state: &'a ClusterState,
    /// The objects to judge.
    pub candidates: &'a [Candidate],
    /// All objects of the files, those that are not to be judged among them.
    pub written: &'a [Candidate],
    /// Documents that are no objects.
    pub broken: &'a [Broken],
    /// What follows the end of a document, and is not read.
    pub left_over: &'a [Broken],
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
    let review = Review::new(question);
    let mut findings: Vec<Finding> = question.broken.iter().map(unreadable).collect();
    findings.extend(question.left_over.iter().map(left_over));
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
        for set in &objects.volume_sets {
            found.extend(volume_set::findings(question.state, candidate, set));
        }
        for claim in &objects.claims {
            found.extend(claim::findings(&review, claim));
        }
        if let Some(written) = &candidate.manifest {
            place::place_in(&mut found, written);
        }
        findings.extend(found);
    }
    let mut about_maps = config_map::all_findings(&review);
    place::place_among(&mut about_maps, question);
    findings.extend(about_maps);
    sort(&mut findings);
    let known = question
        .candidates
        .iter()
        .filter(|candidate| candidate.is_known);
    ValidationReport {
        api_version: API_VERSION,
        kind: "ValidationReport",
        findings,
        checked: known.count(),
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

/// A finding about a text that is no object.
fn about_text(code: FindingCode, broken: &Broken) -> Finding {
    let object = FindingObject {
        kind: String::new(),
        namespace: None,
        name: String::new(),
    };
    let mut finding = Finding::new(code, object, broken.kind.to_string());
    place::set(&mut finding, &broken.source, broken.place);
    finding
}

fn left_over(rest: &Broken) -> Finding {
    about_text(FindingCode::DroppedByServer, rest)
        .hint("if another document begins here, put `---` in front of it")
}

fn unreadable(broken: &Broken) -> Finding {
    let finding = about_text(FindingCode::Unreadable, broken);
    if broken.kind.is_second_object() {
        return finding.hint("if another object begins here, put `---` in front of it");
    }
    finding
}

/// The ConfigMap of a claim's options, and the class they are for.
struct MapUse<'a> {
    map: &'a ConfigMap,
    class: &'a Class,
}

/// The question with what is looked up again and again.
struct Review<'a> {
    question: &'a ValidationQuestion<'a>,
    maps: HashMap<&'a ObjectKey, &'a ConfigMap>,
    claims_judged: HashSet<&'a ObjectKey>,
    maps_judged: HashSet<&'a ObjectKey>,
    /// All objects of the files, broken ones among them.
    written: HashSet<FindingObject>,
}

impl<'a> Review<'a> {
    fn new(question: &'a ValidationQuestion<'a>) -> Self {
        let judged = || {
            question
                .candidates
                .iter()
                .map(|candidate| &candidate.objects)
        };
        let maps = question.state.objects().config_maps.iter();
        Self {
            question,
            maps: maps.map(|map| (&map.key, map)).collect(),
            claims_judged: judged()
                .flat_map(|objects| &objects.claims)
                .map(|claim| &claim.key)
                .collect(),
            maps_judged: judged()
                .flat_map(|objects| &objects.config_maps)
                .map(|map| &map.key)
                .collect(),
            written: question
                .written
                .iter()
                .filter_map(|candidate| candidate.manifest.as_ref())
                .map(|written| manifest::object(written, question.namespace))
                .collect(),
        }
    }

    /// The class a claim gets, if it can be seen.
    fn class_of(&self, claim: &Claim) -> Option<&'a Class> {
        if lacks_class(claim, self.question.rules) {
            return find_default(self.question.state);
        }
        self.question.state.find_class(claim.class.resolved())
    }

    /// Whether the files have an object of this kind and name, be it as broken as it may.
    fn is_written(&self, kind: &str, namespace: Option<&str>, name: &str) -> bool {
        self.written.contains(&FindingObject {
            kind: kind.to_owned(),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        })
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
    if objects(&|objects| !objects.volume_sets.is_empty()) {
        kinds.extend([Kind::Volumes, Kind::VolumeSets]);
    }
    if objects(&|objects| !objects.config_maps.is_empty()) {
        kinds.insert(Kind::Claims);
    }
    let candidates = question.candidates.iter();
    let claims = candidates.flat_map(|candidate| &candidate.objects.claims);
    let single: Vec<Unknown> = claims
        .flat_map(|claim| unread(question.state, claim, Kind::ConfigMaps))
        .collect();
    let kinds = kinds
        .into_iter()
        .filter_map(|kind| find_unknown(question.state, kind, Some(question.namespace)));
    let mut unknowns: Vec<Unknown> = kinds.collect();
    for unknown in single {
        if !unknowns.contains(&unknown) {
            unknowns.push(unknown);
        }
    }
    unknowns
}
