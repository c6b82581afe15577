//! The manifests of the design documents, most of which today's API server would not take, go through
//! `convert`: the server then takes every one, strictly, and our answers stay what they were.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::control_plane::ControlPlane;
use crate::seeds::two_objects;
use crate::support::{TemporaryFile, kubectl_pv};

/// What belongs together in a document: a small cluster each. Three blocks hold two objects with nothing
/// between them: `convert` cuts them by itself, for the others the first line of an object says where.
const DOCUMENTS: &[&[(&str, Option<&str>)]] = &[
    &[
        ("000-external-claim", None),
        ("000-external-volume", None),
        ("000-classes", Some("apiVersion: v1\nkind: StorageClass\n")),
    ],
    &[("001-volume", None), ("001-claim", None), ("001-pod", None)],
    &[
        ("003-class", None),
        ("003-config-map", None),
        ("003-claim", None),
    ],
    &[
        ("003-typo-class", None),
        ("003-config-map", None),
        ("003-claim", None),
    ],
    &[
        ("004-labelled-volume", None),
        (
            "004-volumes",
            Some("apiVersion: v1\nkind: PersistentVolume\n"),
        ),
        (
            "004-claims",
            Some("kind: PersistentVolumeClaim\napiVersion: v1\n"),
        ),
    ],
];

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_server_takes_every_converted_manifest() {
    let cluster = ControlPlane::connect();
    let (mut taken, mut refused) = (0, Vec::new());
    for (name, _) in DOCUMENTS.iter().copied().flatten() {
        let original = manifest(name, None);
        let converted = convert(&original);
        let create = [
            "create",
            "--dry-run=server",
            "--validate=strict",
            "-o",
            "name",
            "-f",
            "-",
        ];
        let output = cluster.kubectl_with_stdin(&create, &converted);
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            refused.push(format!("{name}: {why}\n{converted}"));
            continue;
        }
        let created = String::from_utf8_lossy(&output.stdout).lines().count();
        assert_eq!(created, objects_in(&original), "{name}\n{converted}");
        taken += created;
    }
    println!("{taken} objects of the documents taken");
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_converted_already_stays_as_it_is() {
    for (name, _) in DOCUMENTS.iter().copied().flatten() {
        let once = convert(&manifest(name, None));
        assert_eq!(convert(&once), once, "{name}");
        let file = TemporaryFile::new("converted.yaml", &once);
        let report = kubectl_pv(&["validate", "-f", file.path(), "--offline", "-o", "json"]).json();
        let left: Vec<&Value> = report["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .filter(|finding| {
                let code = finding["code"].as_str().unwrap_or_default();
                code == "DroppedByServer" || code == "Unreadable" || code.starts_with("Invalid")
            })
            .collect();
        assert!(left.is_empty(), "{name}: {left:#?}\n{once}");
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn answers_are_the_same_before_and_after() {
    for document in DOCUMENTS {
        let manifests: Vec<String> = document
            .iter()
            .map(|(name, cut)| manifest(name, *cut))
            .collect();
        let before = manifests.join("\n---\n");
        let after = convert(&before);
        for question in [["explain", "--all"].as_slice(), &["describe-class"]] {
            assert_eq!(
                answer(question, &before),
                answer(question, &after),
                "{question:?} of {document:?}\n{after}"
            );
        }
    }
}

/// The program's answer from this file, and its exit code.
fn answer(question: &[&str], text: &str) -> (Value, i32) {
    let file = TemporaryFile::new("cluster.yaml", text);
    let mut arguments = question.to_vec();
    arguments.extend(["-f", file.path(), "-o", "json"]);
    let ran = kubectl_pv(&arguments).ran();
    let answer: Value = serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|error| panic!("{question:?}: {error}\n{}{}", ran.stdout, ran.stderr));
    (answer, ran.status)
}

fn convert(text: &str) -> String {
    let file = TemporaryFile::new("document.yaml", text);
    let ran = kubectl_pv(&["convert", "-f", file.path()]).ran();
    assert_eq!(ran.status, 0, "{}\n{text}", ran.stderr);
    ran.stdout
}

fn manifest(name: &str, cut: Option<&str>) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeds");
    let text = fs::read_to_string(folder.join(format!("{name}.yaml"))).expect(name);
    cut.map_or(text.clone(), |first_line| two_objects(&text, first_line))
}

fn objects_in(manifest: &str) -> usize {
    let is_kind = |line: &&str| line.trim_start_matches("  ").starts_with("kind: ");
    // A claimRef has a kind as well, further in.
    let depth = |line: &&str| line.len() - line.trim_start().len() <= 2;
    manifest.lines().filter(is_kind).filter(depth).count()
}
