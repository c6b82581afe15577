//! Good sets that something happened to, at a place that chance picks; and what the server and `validate` made of them.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Value, json};

use super::good_sets;
use crate::cluster::validation::ours::Findings;
use crate::cluster::validation::server::Answer;
use crate::random::Random;

/// What is put in place of what was there.
fn values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(5),
        json!(300),
        json!(1.5),
        json!(2.0),
        json!(2_147_483_648_u32),
        json!(9_300_000_000_000_000_000_u64),
        json!(""),
        json!("text"),
        json!("{ordinal}"),
        json!("{set}-{ordinal}"),
        json!("Upper"),
        json!("a b"),
        json!("-"),
        json!("1Gi"),
        json!("0"),
        json!("1gi"),
        json!("9300000001G"),
        json!("-5"),
        json!("1e100"),
        json!("0.0000000001"),
        json!("ReadWriteOncePod"),
        json!("ReadWriteMany"),
        json!("Block"),
        json!("Delete"),
        json!("kubernetes.io/x"),
        json!("example.com/y"),
        json!("/"),
        json!(".."),
        json!("ü"),
        json!("x".repeat(64)),
        json!("x".repeat(300)),
        json!([]),
        json!({}),
        json!([null]),
        json!(["text"]),
        json!([{}]),
        json!({"key": "text"}),
        json!({"key": null}),
        json!({"storage": "2Gi"}),
        json!(["ReadWriteOnce", "ReadWriteOnce"]),
    ]
}

const KEYS: &[&str] = &[
    "extra",
    "storage",
    "cpu",
    "csi",
    "nfs",
    "claimRef",
    "name",
    "a b",
    "",
    "example.com/x",
    "Example.com/x",
    "namespace",
    "pv.kubernetes.io/provisioned-by",
    "labels",
    "annotations",
    "nodeAffinity",
    "volumeMode",
    "pool",
    "metadata",
    "finalizers",
    "volume.beta.kubernetes.io/mount-options",
    "volumeAttributesClassName",
];

/// So many sets, each with up to three mutations.
pub(super) fn generate(seed: u64, count: usize) -> Vec<Value> {
    let mut random = Random::new(seed);
    let good = good_sets::all();
    let values = values();
    let mut mutated = || {
        let mut set = good[random.below(good.len())].clone();
        for _ in 0..random.weighted(&[(70, 1), (20, 2), (10, 3)]) {
            mutate(&mut set, &values, &mut random);
        }
        set
    };
    (0..count).map(|_| mutated()).collect()
}

fn mutate(set: &mut Value, values: &[Value], random: &mut Random) {
    let places = places(set);
    let place = &places[random.below(places.len())];
    let value = values[random.below(values.len())].clone();
    let Some((parent, last)) = place.rsplit_once('\n') else {
        return;
    };
    match random.below(10) {
        0 | 1 => {
            if let Some(Value::Object(fields)) = reach(set, parent) {
                fields.remove(last);
            }
        }
        2 => {
            if let Some(Value::Object(fields)) = reach(set, place) {
                fields.insert(random.pick(KEYS).to_owned(), value);
            }
        }
        3 => {
            // What it was called is then missing, and what it is called is unknown.
            if let Some(Value::Object(fields)) = reach(set, parent)
                && let Some(old) = fields.remove(last)
            {
                fields.insert(random.pick(KEYS).to_owned(), old);
            }
        }
        _ => {
            if let Some(there) = reach(set, place) {
                *there = value;
            }
        }
    }
}

/// Every place but what says which kind it is; the steps of a path end in line ends, which no key has.
fn places(set: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for part in ["metadata", "spec"] {
        collect(&set[part], &format!("\n{part}"), &mut found);
    }
    found
}

fn collect(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                collect(value, &format!("{path}\n{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                collect(value, &format!("{path}\n{index}"), found);
            }
        }
        _ => {}
    }
}

fn reach<'a>(set: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    path.split('\n')
        .skip(1)
        .try_fold(set, |node, step| match node {
            Value::Object(fields) => fields.get_mut(step),
            Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
            _ => None,
        })
}

/// The volume that a set would make first, with some source where a backend makes it.
pub(super) fn first_volume(set: &Value) -> Value {
    let name = set["metadata"]["name"].as_str().unwrap_or_default();
    let template = set["spec"]["template"].to_string();
    let filled = template.replace("{set}", name).replace("{ordinal}", "0");
    let mut volume: Value = serde_json::from_str(&filled).expect("names need no quoting");
    volume["apiVersion"] = json!("v1");
    volume["kind"] = json!("PersistentVolume");
    if volume["metadata"]["name"].is_null() {
        volume["metadata"]["name"] = json!(format!("{name}-0"));
    }
    if volume["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"].is_string() {
        let (key, source) = if volume["spec"]["volumeAttributesClassName"].is_null() {
            ("nfs", json!({"server": "filer", "path": "/x"}))
        } else {
            (
                "csi",
                json!({"driver": "csi.example.com", "volumeHandle": "x"}),
            )
        };
        volume["spec"][key] = source;
    }
    volume
}

/// What came of them.
#[derive(Default)]
pub(super) struct Tally {
    taken: usize,
    stricter: usize,
    refused: usize,
    fields_alike: usize,
    disagreements: Vec<String>,
}

/// One set, what the server says to it and to the first volume it would make, and what we say.
pub(super) struct Case<'a> {
    pub(super) index: usize,
    pub(super) set: &'a Value,
    pub(super) answer: &'a Answer,
    pub(super) made: Option<&'a Answer>,
    pub(super) ours: &'a Findings,
}

impl Tally {
    pub(super) fn add(&mut self, case: &Case<'_>, named: &BTreeSet<String>) {
        let what = match (
            case.answer.is_taken(),
            case.made.is_some_and(Answer::is_taken),
            case.ours.refuses,
        ) {
            (true, true, false) => {
                self.taken += 1;
                return;
            }
            (true, false, true) => {
                self.stricter += 1;
                return;
            }
            (false, _, true) => {
                self.refused += 1;
                self.fields_alike += usize::from(named.is_subset(&case.ours.fields));
                return;
            }
            (false, _, false) => "the server refuses it, we find nothing",
            (true, false, false) => "the server refuses the volume, we find nothing",
            (true, true, true) => "the server takes set and volume, we refuse it",
        };
        let said = case.made.unwrap_or(case.answer);
        self.disagreements.push(format!(
            "DISAGREEMENT, mutation {}: {what}\n{} {}\n{}\n{}",
            case.index, said.status, said.message, case.set, case.ours.shown
        ));
    }

    pub(super) fn judge(&self) {
        assert!(self.disagreements.is_empty(), "see above");
        assert!(
            self.taken > 0 && self.refused > 0 && self.stricter > 0,
            "chance has shown too little: {self}"
        );
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for disagreement in &self.disagreements {
            writeln!(f, "{disagreement}")?;
        }
        writeln!(
            f,
            "{:6}  taken by both, and so is the volume they would make",
            self.taken
        )?;
        writeln!(
            f,
            "{:6}  taken by the server, which refuses the volume they would make, as we do",
            self.stricter
        )?;
        writeln!(
            f,
            "{:6}  refused by both, in {} of them every field of the server's is ours",
            self.refused, self.fields_alike
        )?;
        write!(f, "{:6}  disagreements", self.disagreements.len())
    }
}
