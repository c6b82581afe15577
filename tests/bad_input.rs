//! Bad input: each a one-line error that names the thing, a hint, and the right exit status. Never a panic.

use crate::support::kubectl_pv;
use insta::assert_snapshot;

fn from_stdin(text: &str) -> String {
    kubectl_pv(&["explain", "-f", "-"]).stdin(text).shown()
}

#[test]
fn broken_yaml_names_file_document_and_line() {
    assert_snapshot!(from_stdin(
        "apiVersion: v1\nkind: Pod\n---\nkind: PersistentVolume\nspec:\n  capacity: {storage: 1Gi\n"
    ));
}

#[test]
fn broken_json_names_the_line() {
    assert_snapshot!(from_stdin(
        "{\"kind\": \"PersistentVolume\",\n \"spec\": {},,}"
    ));
}

#[test]
fn a_repeated_key_is_refused() {
    assert_snapshot!(from_stdin(
        "kind: PersistentVolume\nmetadata: {name: a}\nmetadata: {name: b}\n"
    ));
}

#[test]
fn a_bad_quantity_names_the_field() {
    let text = "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: a\nspec:\n  capacity:\n    storage: 10GB\n";
    assert_snapshot!(from_stdin(text));
}

#[test]
fn a_wrong_type_names_the_field() {
    let text = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec:\n  accessModes: ReadWriteOnce\n";
    assert_snapshot!(from_stdin(text));
}

#[test]
fn two_gigabytes_by_aliases_are_refused() {
    let ten = |item: &str| [item; 10].join(",");
    let level = |n: usize| format!("a{n}: &a{n} [{}]\n", ten(&format!("*a{}", n - 1)));
    let text = format!(
        "a0: &a0 [{}]\n{}",
        ten("xxxxxxxxxxxxxxxxxxxx"),
        (1..10).map(level).collect::<String>()
    );
    let ran = kubectl_pv(&["explain", "-f", "-"]).stdin(&text).ran();
    assert!(
        ran.stderr.contains("repeats itself too often"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.status, 3);
    assert!(
        ran.stderr.starts_with("error: stdin, document 1, line "),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
}

#[test]
fn a_thousand_brackets_are_refused() {
    for text in [
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        "a:\n".repeat(3) + &"- ".repeat(100_000),
    ] {
        let ran = kubectl_pv(&["explain", "-f", "-"]).stdin(&text).ran();
        assert_eq!(ran.status, 3, "{}", ran.stderr);
    }
}

#[test]
fn what_is_no_object_is_said() {
    assert_snapshot!(from_stdin("just: values\n"));
    assert_snapshot!(from_stdin("- a\n- b\n"));
}

#[test]
fn an_object_without_a_name_is_said() {
    assert_snapshot!(from_stdin(
        "apiVersion: v1\nkind: PersistentVolume\nspec: {}\n"
    ));
}

#[test]
fn a_file_that_is_not_there() {
    assert_snapshot!(kubectl_pv(&["explain", "-f", "no-such-file.yaml"]).shown());
}

#[test]
fn bytes_that_are_no_text() {
    let folder = std::env::temp_dir().join(format!("kubectl-pv-bytes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("bytes.yaml");
    std::fs::write(&file, [0xff, 0xfe, 0x00, 0x80]).unwrap();
    let ran = kubectl_pv(&["explain", "-f", file.to_str().unwrap()]).ran();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(ran.status, 3);
    assert!(ran.stderr.contains("bytes.yaml"), "{}", ran.stderr);
}

#[test]
fn a_claim_that_does_not_exist_offers_similar_names() {
    assert_snapshot!(
        kubectl_pv(&[
            "explain",
            "dtaa-0",
            "-n",
            "prod",
            "-f",
            "../../examples/stuck-claim.yaml"
        ])
        .shown()
    );
    assert_snapshot!(
        kubectl_pv(&[
            "explain",
            "data-0",
            "-n",
            "elsewhere",
            "-f",
            "../../examples/stuck-claim.yaml"
        ])
        .shown()
    );
}

#[test]
fn an_unreachable_server() {
    assert_snapshot!(kubectl_pv(&["explain", "x", "-s", "https://127.0.0.1:1"]).shown());
}

#[test]
fn no_cluster_and_no_files() {
    assert_snapshot!(kubectl_pv(&["explain", "x"]).shown());
}

#[test]
fn wrong_usage_ends_with_2() {
    for arguments in [
        &["explain", "--no-such-flag"][..],
        &["explian"],
        &[],
        &[
            "explain",
            "secret/x",
            "-f",
            "../../examples/stuck-claim.yaml",
        ],
        &[
            "explain",
            "data-0",
            "-A",
            "-f",
            "../../examples/stuck-claim.yaml",
        ],
        &["explain", "-o", "xml"],
        &["explain", "-o", "jsonpath={.x}"],
        &["explain", "-l", "a b"],
        &["explain", "--rules", "v9"],
    ] {
        let ran = kubectl_pv(arguments).ran();
        assert_eq!(ran.status, 2, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stdout.is_empty() && !ran.stderr.is_empty(),
            "{arguments:?}"
        );
    }
}

#[test]
fn help_and_version_are_answers() {
    for arguments in [
        &["--help"][..],
        &["-h"],
        &["explain", "--help"],
        &["--version"],
        &["version"],
    ] {
        let ran = kubectl_pv(arguments).ran();
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{arguments:?}");
    }
    assert_snapshot!("help", kubectl_pv(&["--help"]).shown());
    assert_snapshot!("help_explain", kubectl_pv(&["explain", "--help"]).shown());
    assert_snapshot!("help_bind", kubectl_pv(&["bind", "--help"]).shown());
    assert_snapshot!(
        "help_provision",
        kubectl_pv(&["provision", "--help"]).shown()
    );
    assert_snapshot!("help_reclaim", kubectl_pv(&["reclaim", "--help"]).shown());
    assert_snapshot!("help_cleanup", kubectl_pv(&["cleanup", "--help"]).shown());
    assert_snapshot!(
        "help_set_reconcile",
        kubectl_pv(&["set", "reconcile", "--help"]).shown()
    );
    assert_snapshot!(
        "help_set_status",
        kubectl_pv(&["set", "status", "--help"]).shown()
    );
    assert_snapshot!("help_status", kubectl_pv(&["status", "--help"]).shown());
    assert_snapshot!("help_validate", kubectl_pv(&["validate", "--help"]).shown());
    assert_snapshot!("help_convert", kubectl_pv(&["convert", "--help"]).shown());
    assert_snapshot!(
        "help_describe_class",
        kubectl_pv(&["describe-class", "--help"]).shown()
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-pv"))
        .args([
            "explain",
            "--all",
            "-o",
            "json",
            "-f",
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clusters/ties.yaml"),
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success(), "{:?}", output.status);
}

/// Not a stack overflow: such an object has no kind.
#[test]
fn an_empty_kind_is_none() {
    let alone = "apiVersion: v1\nkind: \"\"\nmetadata: {name: x}\n";
    let listed = r#"{"apiVersion": "v1", "kind": "List", "items": [{"kind": "", "metadata": {"name": "x"}}]}"#;
    for words in [
        &["validate", "--offline", "-f", "-"][..],
        &["convert", "-f", "-"],
        &["bind", "-f", "-"],
        &["provision", "--dry-run", "-f", "-"],
        &["reclaim", "--all-released", "-f", "-"],
        &["cleanup", "--yes", "-f", "-"],
        &["set", "reconcile", "-f", "-"],
        &["explain", "-f", "-"],
    ] {
        for text in [alone, listed] {
            let ran = kubectl_pv(words).stdin(text).ran();
            assert!([0, 1, 3].contains(&ran.status), "{words:?}: {}", ran.stderr);
            let said = format!("{}{}", ran.stdout, ran.stderr);
            if words[0] == "validate" {
                assert_eq!(ran.status, 1, "{said}");
                assert!(said.contains("has no kind"), "{said}");
            }
        }
    }
}
