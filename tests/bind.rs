//! `bind` on files: what it would do, what it makes of them, and how it ends.

use crate::support::{Ran, kubectl_pv};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn bind(arguments: &[&str]) -> Ran {
    let mut all = vec!["bind", "-f", "binding.yaml"];
    all.extend(arguments);
    kubectl_pv(&all).ran()
}

fn plan(arguments: &[&str]) -> Value {
    let mut all = vec!["--dry-run", "-o", "json"];
    all.extend(arguments);
    let ran = bind(&all);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr))
}

#[test]
fn what_would_be_done() {
    assert_snapshot!(kubectl_pv(&["bind", "-f", "binding.yaml", "--dry-run"]).shown());
}

#[test]
fn the_json_contract() {
    let arguments = [
        "bind",
        "fresh",
        "waits",
        "-f",
        "binding.yaml",
        "--dry-run=client",
        "-o",
        "json",
    ];
    assert_snapshot!(kubectl_pv(&arguments).shown());
}

/// What comes out is a cluster again, in which nothing is left to do.
#[test]
fn files_come_out_as_they_would_be_afterwards() {
    let ran = bind(&[]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_snapshot!(ran.stdout);
    let again = kubectl_pv(&["bind", "-f", "-", "--dry-run", "-o", "json"])
        .stdin(&ran.stdout)
        .json();
    assert_eq!(again["changes"], json!([]));
    let explained = kubectl_pv(&["explain", "fresh", "-f", "-", "-o", "json"])
        .stdin(&ran.stdout)
        .json();
    assert_eq!(
        (&explained["verdict"], &explained["outcomes"]),
        (&json!("Bound"), &json!(["pv-1"]))
    );
    let list = bind(&["-o", "json"]);
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    assert_eq!(
        (&list["kind"], list["items"].as_array().map(Vec::len)),
        (&json!("List"), Some(13))
    );
}

#[test]
fn how_it_ends_says_what_became_of_what_was_named() {
    let status = |arguments: &[&str]| bind(arguments).status;
    assert_eq!(status(&["fresh"]), 0);
    assert_eq!(status(&["bound"]), 0);
    assert_eq!(status(&["waits"]), 5);
    assert_eq!(status(&["huge"]), 1);
    assert_eq!(status(&["huge", "waits", "fresh"]), 1);
    assert_eq!(status(&["-n", "prod"]), 0);
    assert_eq!(status(&["gone"]), 3);
    assert_eq!(status(&["fresh", "--volume", "gone"]), 3);
    assert_eq!(status(&["bound", "--volume", "pv-bound"]), 0);
    assert_eq!(status(&["bound", "--volume", "pv-2"]), 1);
    for wrong in [
        &["--volume", "pv-1"][..],
        &["fresh", "half", "--volume", "pv-1"],
        &["fresh", "--force"],
        &["fresh", "-A"],
        &["pod/web"],
        &["fresh", "--dry-run=server"],
        &["fresh", "--dry-run=maybe"],
    ] {
        assert_eq!(status(wrong), 2, "{wrong:?}");
    }
}

#[test]
fn a_volume_by_name_is_checked_and_force_has_its_limits() {
    let writes = |arguments: &[&str]| plan(arguments)["changes"].as_array().map(Vec::len);
    let code = |arguments: &[&str]| plan(arguments)["skipped"][0]["code"].clone();
    assert_eq!(writes(&["fresh", "--volume", "pv-2"]), Some(4));
    assert_eq!(
        code(&["fresh", "--volume", "pv-half"]),
        "ReservedForOtherClaim"
    );
    assert_eq!(
        code(&["fresh", "--volume", "pv-local", "--force"]),
        "TooSmall"
    );
    assert_eq!(
        code(&["waits", "--volume", "pv-local"]),
        "WaitsForScheduler"
    );
    assert_eq!(bind(&["waits", "--volume", "pv-local"]).status, 5);
    assert_eq!(
        writes(&["waits", "--volume", "pv-local", "--force"]),
        Some(4)
    );
}

/// A name that cannot be one is answered with what to type instead.
#[test]
fn what_is_no_claim_of_the_namespace_is_pointed_to() {
    for (word, meant) in [
        ("prod/fresh", "kubectl pv bind fresh -n prod"),
        ("pv/pv-1", "kubectl pv bind CLAIM --volume pv-1"),
    ] {
        let ran = bind(&[word]);
        assert_eq!(ran.status, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(meant), "{}", ran.stderr);
        assert!(!ran.stderr.contains("explain"), "{}", ran.stderr);
    }
}

#[test]
fn equals_are_named_and_the_first_is_taken() {
    let ran = kubectl_pv(&["bind", "-f", "ties.yaml", "--dry-run", "-o", "json"]).json();
    let why = ran["changes"][0]["why"].as_str().unwrap();
    assert!(
        why.contains("are equal") && why.ends_with("is the first by name"),
        "{why}"
    );
}

/// A claim that only stands in a file is created first, with a default class where it names none.
#[test]
fn a_scenario_can_be_played_without_a_cluster() {
    let scenario = r#"
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: kubernetes.io/no-provisioner
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  nfs: {server: s, path: /}
"#;
    let ran = kubectl_pv(&["bind", "-f", "-"]).stdin(scenario).ran();
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    assert_snapshot!(ran.stdout);
    let again = kubectl_pv(&["bind", "data", "-f", "-", "--dry-run", "-o", "json"])
        .stdin(&ran.stdout)
        .json();
    assert_eq!(again["skipped"][0]["code"], "AlreadyBound");
}

#[test]
fn hostile_names_cannot_do_harm() {
    for format in ["table", "yaml", "name"] {
        let arguments = ["bind", "-f", "hostile.json", "--dry-run", "-o", format];
        let ran = kubectl_pv(&arguments).ran();
        for text in [&ran.stdout, &ran.stderr] {
            assert!(
                !text.contains('\u{1b}') && !text.contains('\u{7}'),
                "{text}"
            );
        }
    }
}
