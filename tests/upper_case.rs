//! Nothing in the program reads its own English: with every sentence in upper case, no decision, exit status, plan or code
//! changes.

use crate::support::kubectl_pv;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::{fs, thread};

/// The fields that hold sentences, or words of which sentences are made.
const SENTENCES: [&str; 11] = [
    "because",
    "error",
    "hint",
    "keptFor",
    "meaning",
    "message",
    "onDeletionText",
    "reason",
    "summary",
    "waitsFor",
    "why",
];

const QUESTIONS: [&[&str]; 12] = [
    &["explain", "-A", "--all"],
    &["explain", "pv", "--all"],
    &["explain", "pods", "-A"],
    &["plan", "-A"],
    &["status", "--all-namespaces", "--labels"],
    &["describe-class"],
    &["validate", "--offline"],
    &["cleanup"],
    &[
        "cleanup",
        "--dry-run",
        "--include-likely",
        "--category",
        "unused-claims,lost-claims,unreachable",
    ],
    &["bind", "-A", "--dry-run"],
    &["provision", "-A", "--dry-run"],
    &["reclaim", "--all-released", "--dry-run"],
];

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clusters");
    let mut found = Vec::new();
    for folder in [folder.clone(), folder.join("problems")] {
        let entries = fs::read_dir(&folder).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        found.extend(paths.filter(|path| path.extension().is_some_and(|it| it == "yaml")));
    }
    found.sort();
    assert!(found.len() > 30, "{}", found.len());
    found
}

/// Where two answers differ; sentences are compared without regard to case. Counts the sentences that were in upper case.
fn differences(place: &str, plain: &Value, upper: &Value, spoken: &mut usize) -> Vec<String> {
    match (plain, upper) {
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => a
            .iter()
            .flat_map(|(key, value)| {
                let other = b.get(key).unwrap_or(&Value::Null);
                differences(&format!("{place}.{key}"), value, other, spoken)
            })
            .collect(),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .flat_map(|(a, b)| differences(&format!("{place}[]"), a, b, spoken))
            .collect(),
        (Value::String(a), Value::String(b)) if a != b => {
            let key = place
                .trim_end_matches("[]")
                .rsplit('.')
                .next()
                .unwrap_or_default();
            let is_same = a.to_uppercase() == b.to_uppercase();
            if is_same && SENTENCES.contains(&key) {
                *spoken += 1;
                return vec![];
            }
            vec![format!("{place}: {a:?} is {b:?}")]
        }
        (a, b) if a == b => vec![],
        (a, b) => vec![format!("{place}: {a} is {b}")],
    }
}

/// What differs for one fixture, and how many sentences were in upper case.
fn compare(path: &Path) -> (Vec<String>, usize) {
    let (mut found, mut spoken) = (Vec::new(), 0);
    let file = path.display().to_string();
    for question in QUESTIONS {
        let words = [question, &["-o", "json", "-f", &file]].concat();
        let plain = kubectl_pv(&words).ran();
        let upper = kubectl_pv(&words)
            .env("KUBECTL_PV_TESTS_UPPER_CASE", "yes")
            .ran();
        let place = format!("{file} {}", question.join(" "));
        if plain.status != upper.status {
            found.push(format!(
                "{place}: status {} is {}",
                plain.status, upper.status
            ));
        }
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let (plain, upper) = (read(&plain.stdout), read(&upper.stdout));
        found.extend(differences(&place, &plain, &upper, &mut spoken));
    }
    (found, spoken)
}

#[test]
fn sentences_in_upper_case_change_no_decision() {
    let fixtures = fixtures();
    let (first, second) = fixtures.split_at(fixtures.len() / 2);
    let all = |paths: &[PathBuf]| paths.iter().map(|path| compare(path)).collect::<Vec<_>>();
    let compared = thread::scope(|scope| {
        let other = scope.spawn(|| all(second));
        let mut compared = all(first);
        compared.extend(other.join().unwrap());
        compared
    });
    let spoken: usize = compared.iter().map(|(_, spoken)| spoken).sum();
    let found: Vec<String> = compared.into_iter().flat_map(|(found, _)| found).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(spoken > 1000, "only {spoken} sentences were in upper case");
}
