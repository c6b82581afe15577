//! What really became of competing claims, against what `plan` had allowed, and the oracle.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Value, json};

use super::say;
use crate::plan_exact::draw::WORLD;
use crate::plan_exact::forecast::Forecast;
use crate::plan_exact::oracle::{End, Ending, Oracle};
use crate::plan_exact::{refusals, yaml};

/// A forecast, and the cluster before and after the controller had its way.
pub(super) struct Judgement<'a> {
    before: &'a [Value],
    after: &'a [Value],
    forecast: &'a Forecast,
}

/// What was compared so far.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) claims: u64,
    worlds: usize,
    /// Worlds in which Kubernetes had a choice.
    open_worlds: usize,
    bound: u64,
    made: u64,
    disagreements: usize,
}

impl<'a> Judgement<'a> {
    pub(super) fn new(before: &'a [Value], after: &'a [Value], forecast: &'a Forecast) -> Self {
        Self {
            before,
            after,
            forecast,
        }
    }

    /// Compares every world, and shows those that went otherwise.
    pub(super) fn add_to(&self, tally: &mut Tally, worlds: &[&str]) {
        for world in worlds {
            let objects = objects_of(self.before, world);
            let oracle = Oracle::new(&objects);
            let real = self.real_ending(&oracle);
            tally.claims += u64::try_from(real.len()).expect("few claims");
            tally.worlds += 1;
            tally.bound += count(&real, |end| matches!(end, End::Volume(_)));
            tally.made += count(&real, |end| *end == End::New);
            let endings = oracle.explore().endings;
            tally.open_worlds += usize::from(endings.len() > 1);
            let mut found = refusals(&oracle, &real, self.forecast);
            if !endings.contains_key(&real) {
                found.push("the oracle knows of no order that leads there".to_owned());
            }
            if !found.is_empty() {
                tally.disagreements += 1;
                let claims: Vec<&str> = oracle.claims().collect();
                say(&format!(
                    "DISAGREEMENT in world {world}\n{}\nafter:\n{}\n{claims:?} really ended with {real:?}\n  {}",
                    yaml(&objects),
                    yaml(&objects_of(self.after, world)),
                    found.join("\n  ")
                ));
            }
        }
    }

    /// What the claims of a world have got.
    pub(super) fn real_ending(&self, oracle: &Oracle) -> Ending {
        let volumes = self
            .before
            .iter()
            .filter(|object| object["kind"] == "PersistentVolume");
        let known: BTreeSet<&str> = volumes
            .filter_map(|volume| volume["metadata"]["name"].as_str())
            .collect();
        let real: BTreeMap<String, End> = self
            .after
            .iter()
            .filter(|object| object["kind"] == "PersistentVolumeClaim")
            .map(|claim| {
                let end = match claim["spec"]["volumeName"].as_str() {
                    Some(name) if claim["status"]["phase"] == "Bound" => {
                        let is_known = known.contains(name);
                        if is_known {
                            End::Volume(name.to_owned())
                        } else {
                            End::New
                        }
                    }
                    _ => End::Nothing,
                };
                (key_of(claim), end)
            })
            .collect();
        oracle.claims().map(|claim| real[claim].clone()).collect()
    }
}

fn count(ending: &Ending, is_so: impl Fn(&End) -> bool) -> u64 {
    ending.iter().map(|end| u64::from(is_so(end))).sum()
}

/// A claim as `namespace/name`.
pub(super) fn key_of(claim: &Value) -> String {
    let part = |key: &str| claim["metadata"][key].as_str().unwrap_or_default();
    format!("{}/{}", part("namespace"), part("name"))
}

/// The claims of a world, its volumes with those made for it, and the classes that concern it.
fn objects_of(objects: &[Value], world: &str) -> Vec<Value> {
    let is_labelled = |object: &Value| object["metadata"]["labels"][WORLD] == world;
    let claims: BTreeSet<String> = objects
        .iter()
        .filter(|object| object["kind"] == "PersistentVolumeClaim" && is_labelled(object))
        .map(key_of)
        .collect();
    let is_default = |class: &Value| {
        let annotations = &class["metadata"]["annotations"];
        annotations["storageclass.kubernetes.io/is-default-class"] == "true"
    };
    let belongs = |object: &&Value| {
        is_labelled(object)
            || match object["kind"].as_str().unwrap_or_default() {
                "PersistentVolume" => {
                    let claim = &object["spec"]["claimRef"];
                    claims.contains(&key_of(&json!({ "metadata": claim })))
                }
                "StorageClass" => is_default(object),
                kind => kind == "CSIDriver",
            }
    };
    let mut found: Vec<Value> = objects.iter().filter(belongs).cloned().collect();
    for object in &mut found {
        let metadata = object["metadata"].as_object_mut().expect("metadata");
        metadata.remove("managedFields");
    }
    found
}

impl Tally {
    /// Everything was as allowed, and enough was left open for that to mean something.
    pub(super) fn assert_agreement(&self, seed: u64) {
        assert_eq!(self.disagreements, 0, "seed {seed}, see above: {self}");
        assert!(self.bound * 4 > self.claims, "{self}");
        assert!(self.open_worlds * 4 > self.worlds, "{self}");
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            to,
            "{} claims in {} worlds ({} of them open), {} bound, {} provisioned, {} disagreements",
            self.claims, self.worlds, self.open_worlds, self.bound, self.made, self.disagreements
        )
    }
}
