//! `cleanup`: a cluster with every kind of leftover and its look-alikes, filters, partial files, hostile names.

use crate::support::{TemporaryFolder, kubectl_pv};
use insta::assert_snapshot;
use serde_json::Value;

const FILE: [&str; 3] = ["cleanup", "-f", "cleanup.yaml"];

fn shown(arguments: &[&str]) -> String {
    kubectl_pv(&[&FILE, arguments].concat()).shown()
}

fn json(arguments: &[&str]) -> Value {
    kubectl_pv(&[&FILE[..], arguments, &["-o", "json"]].concat()).json()
}

/// `category kind/namespace/name` of each finding.
fn found(report: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|found| {
            let object = &found["object"];
            format!(
                "{} {}/{}",
                text(&found["category"]),
                text(&object["namespace"]),
                text(&object["name"])
            )
        })
        .collect()
}

#[test]
fn exactly_the_right_rows() {
    let report = json(&[]);
    assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
    let rows = found(&report);
    assert!(rows.is_sorted(), "{rows:?}");
}

#[test]
fn as_people_see_it() {
    assert_snapshot!(shown(&[]));
    assert_snapshot!(shown(&["--show-kept", "--category", "unused-claims"]));
    assert_snapshot!(shown(&["-o", "wide", "--category", "released,failed"]));
    assert_snapshot!(shown(&["-o", "name"]));
}

#[test]
fn every_volume_is_counted_once() {
    let report = json(&[
        "--category",
        "released",
        "--category",
        "unreachable",
        "-l",
        "!tier",
    ]);
    // local-released is both.
    let twice = found(&report);
    assert_eq!(
        twice
            .iter()
            .filter(|row| row.ends_with("/local-released"))
            .count(),
        2
    );
    // 10 + 5 + 3 + 4 + 11 Gi and 1G released, 8 + 9 + 1 + 1 Gi besides unreachable.
    let sum = 52 * (1_i64 << 30) + 1_000_000_000;
    assert_eq!(report["frees"].as_str().unwrap(), sum.to_string());
}

#[test]
fn filters_narrow() {
    let old = found(&json(&["--older-than", "30d"]));
    let all = found(&json(&[]));
    let gone: Vec<&String> = all.iter().filter(|row| !old.contains(row)).collect();
    assert_eq!(
        gone,
        ["released -/pv-released-lately", "unused-claims batch/tmp-4"]
    );
    let fast = json(&["--class", "fast"]);
    assert_eq!(
        found(&fast),
        [
            "duplicate-volumes -/pvc-duplicate",
            "released -/pv-released-delete",
            "unused-claims batch/tmp-4"
        ]
    );
    assert_eq!(fast["frees"], "18Gi");
    let cold = json(&["-l", "tier=cold"]);
    assert_eq!(found(&cold), ["released -/pv-released-retain"]);
    assert_eq!(cold["kept"], serde_json::json!([]));
}

#[test]
fn a_volume_without_a_claim_is_in_no_namespace() {
    let report = json(&["-n", "batch"]);
    assert_eq!(
        found(&report),
        ["unused-claims batch/tmp-3", "unused-claims batch/tmp-4"]
    );
    assert_eq!(report["namespace"], "batch");
    let everything = found(&json(&[]));
    assert_eq!(found(&json(&["-n", "batch", "-A"])), everything);
    let without = found(&json(&["--exclude-namespace", "batch"]));
    assert!(without.contains(&"unreachable -/local-free".to_owned()));
    let is_batch = |row: &&String| row.contains(" batch/");
    assert_eq!(without.iter().filter(is_batch).count(), 0, "{without:?}");
}

#[test]
fn several_classes_and_labels() {
    let of = |class: &str| found(&json(&["--class", class]));
    let mut both = [of("fast"), of("slow")].concat();
    both.sort();
    assert_eq!(found(&json(&["--class", "fast", "--class", "slow"])), both);
    let cold = json(&["-l", "tier=cold", "-l", "tier!=hot"]);
    assert_eq!(found(&cold), ["released -/pv-released-retain"]);
    let none = ["-l", "tier=cold", "-l", "tier=hot"];
    assert_eq!(found(&json(&none)), [""; 0]);
}

#[test]
fn a_selection_that_matches_nothing_is_no_success() {
    for selection in [&["--class", "typo"][..], &["-l", "tier=platinum"]] {
        let ran = kubectl_pv(&[&FILE, selection].concat()).ran();
        assert_eq!(ran.status, 1, "{selection:?}: {}", ran.stdout);
        let first = ran.stdout.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("Nothing is selected: no volume"),
            "{first}"
        );
        assert!(
            !ran.stdout.contains("nothing to clean up"),
            "{}",
            ran.stdout
        );
        let report = kubectl_pv(&[&FILE, selection, &["-o", "json"]].concat()).ran();
        let report: Value = serde_json::from_str(&report.stdout).unwrap();
        assert_eq!(report["skipped"][0]["code"], "NothingSelected");
        let plan = kubectl_pv(&[&FILE, selection, &["--dry-run", "-o", "json"]].concat()).ran();
        assert_eq!(plan.status, 1, "{}", plan.stdout);
        let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
        assert_eq!(plan["skipped"][0]["code"], "NothingSelected");
    }
    assert_eq!(json(&[])["skipped"], serde_json::json!([]));
}

#[test]
fn findings_fail_only_if_that_is_asked_for() {
    let status = |arguments: &[&str]| kubectl_pv(&[&FILE, arguments].concat()).ran().status;
    assert_eq!(status(&[]), 0);
    assert_eq!(status(&["--fail-on-findings"]), 1);
    assert_eq!(status(&["--fail-on-findings", "-o", "json"]), 1);
    assert_eq!(
        status(&["--fail-on-findings", "--category", "leaked-assets"]),
        0
    );
    assert_eq!(status(&["--category", "nonsense"]), 2);
    assert_eq!(status(&["--older-than", "30"]), 2);
    assert_eq!(status(&["--yes", "--with", "cleanup.yaml"]), 2);
    assert_eq!(status(&["--dry-run=server"]), 2);
    assert_eq!(status(&["--dry-run"]), 0);
    // What was found is still there.
    assert_eq!(status(&["--dry-run", "--fail-on-findings"]), 1);
    let lost = ["--category", "lost-claims", "--yes", "--fail-on-findings"];
    assert_eq!(status(&lost), 1);
    assert_eq!(status(&[&lost[..], &["--include-likely"]].concat()), 0);
}

/// The documents of the scenario without those of some kinds.
fn without(kinds: &[&str]) -> String {
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clusters/cleanup.yaml");
    let text = std::fs::read_to_string(scenario).unwrap();
    let (head, items) = text.split_once("items:\n").unwrap();
    let is_left = |item: &&str| {
        let is = |kind: &&str| item.contains(&format!("\n  kind: {kind}\n"));
        !kinds.iter().any(is)
    };
    let items = items.split("- apiVersion:").skip(1).filter(is_left);
    let items: String = items.map(|item| format!("- apiVersion:{item}")).collect();
    format!("{head}items:\n{items}")
}

fn reported(text: &str) -> Value {
    let run = kubectl_pv(&["cleanup", "-f", "-", "-o", "json"]).stdin(text);
    run.json()
}

#[test]
fn files_without_pods_or_nodes_decide_less_and_everything_else_alike() {
    let refused = |report: &Value| -> Vec<String> {
        let refused = report["refused"].as_array().unwrap().iter();
        refused
            .map(|refused| refused["category"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = found(&json(&[]));
    for (kind, expected) in [
        ("Pod", ["leftover-attachments", "unused-claims"]),
        ("Node", ["leftover-attachments", "unreachable"]),
    ] {
        let text = without(&[kind]);
        let report = reported(&text);
        assert_eq!(refused(&report), expected, "{kind}");
        let undecided = |row: &&String| expected.iter().any(|category| row.starts_with(category));
        let left: Vec<&String> = all.iter().filter(|row| !undecided(row)).collect();
        let rows = found(&report);
        let rows: Vec<&String> = rows
            .iter()
            // A pod that is not seen does not hold it.
            .filter(|row| *row != "released -/pv-wanted")
            .collect();
        assert_eq!(rows, left, "{kind}");
        let run = kubectl_pv(&[
            "cleanup",
            "-f",
            "-",
            "--fail-on-findings",
            "--category",
            expected[0],
        ]);
        let ran = run.stdin(&text).ran();
        assert_eq!(ran.status, 0, "{}", ran.stdout);
    }
    let run = kubectl_pv(&["cleanup", "-f", "-"]);
    assert_snapshot!(
        run.stdin(&without(&["Pod", "Node", "VolumeAttachment"]))
            .shown()
    );
    // Any other kind that is missing means: none.
    let report = reported(&without(&["VolumeAttachment", "StatefulSet", "CronJob"]));
    assert!(refused(&report).is_empty());
    let rows = found(&report);
    assert!(rows.contains(&"unused-claims batch/report".to_owned()));
    assert!(rows.contains(&"unused-claims web/data-sleepy-0".to_owned()));
}

#[test]
fn files_say_nothing_of_what_this_machine_has_made() {
    let folder = TemporaryFolder::new();
    let backend = format!("example.com/here=hostpath:{}", folder.path().display());
    let refused = |arguments: &[&str]| json(arguments)["refused"].clone();
    let said = refused(&["--backend", &backend]);
    assert_eq!(said[0]["category"], "leaked-assets");
    assert_eq!(said[1], Value::Null);
    assert_eq!(
        refused(&["--backend", &backend, "--category", "released"]),
        serde_json::json!([])
    );
}

#[test]
fn nothing_to_clean_up_is_said() {
    let empty = "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, metadata: {name: p}}, {apiVersion: v1, kind: Node, metadata: {name: node-1}}]}";
    let ran = kubectl_pv(&["cleanup", "-f", "-"]).stdin(empty).ran();
    assert_eq!(
        (ran.stdout.as_str(), ran.status),
        ("There is nothing to clean up.\n", 0)
    );
    assert_eq!(reported(empty)["frees"], "0");
}

#[test]
fn hostile_names_do_no_harm() {
    let text = r#"
apiVersion: v1
kind: PersistentVolume
metadata: {name: "a; rm -rf / \u001b[2J\n", uid: u}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Delete
  nfs: {server: s, path: /x}
  claimRef: {namespace: "$(id)", name: "`id`", uid: gone}
status: {phase: Failed, message: "\u202egnirts \u001b]0;x\u0007"}
"#;
    for format in ["table", "wide", "name", "json", "yaml"] {
        let run = kubectl_pv(&["cleanup", "-f", "-", "--show-kept", "-o", format]);
        let ran = run.stdin(text).ran();
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}');
        let is_unsafe = |c: char| (c.is_control() && c != '\n') || turns(c);
        assert!(
            !ran.stdout.contains(is_unsafe),
            "{format}: {:?}",
            ran.stdout
        );
    }
    let report = reported(text);
    // No object of that name can exist, so there is no command for it.
    assert_eq!(report["findings"][0]["commands"], serde_json::json!([]));
}

/// What a plan does, and what it leaves with which code.
fn planned(arguments: &[&str]) -> (Vec<String>, Vec<String>) {
    let plan = json(&[&["--dry-run"], arguments].concat());
    assert_eq!(plan["kind"], "Plan");
    assert_eq!(plan["command"], "cleanup");
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let changes = plan["changes"].as_array().unwrap().iter();
    let changes = changes
        .filter(|change| change["action"] != "Wait")
        .map(|change| {
            let target = &change["target"];
            assert_eq!(change["preconditions"]["uid"], target["uid"], "{change}");
            format!(
                "{} {} {}",
                text(&change["action"]),
                text(&target["name"]),
                text(&change["danger"])
            )
        });
    let skipped = plan["skipped"].as_array().unwrap().iter();
    let skipped =
        skipped.map(|left| format!("{} {}", text(&left["target"]["name"]), text(&left["code"])));
    (changes.collect(), skipped.collect())
}

#[test]
fn claims_and_the_like_go_only_when_they_are_named_and_certain() {
    let (changes, skipped) = planned(&[]);
    assert_eq!(changes, [""; 0], "no backend, no name, no deed");
    for left in [
        "tmp-3 NotNamed",
        "local-free NotNamed",
        "pv-released-retain PolicyRetain",
        "pvc-duplicate ForeignDeleter",
    ] {
        assert!(skipped.contains(&left.to_owned()), "{left}: {skipped:?}");
    }
    let (changes, skipped) = planned(&["--category", "lost-claims"]);
    assert_eq!(changes, ["Delete lost Reversible"]);
    assert_eq!(skipped, ["lost-used NotCertain", "misbound NotCertain"]);
    let (changes, skipped) = planned(&["--category", "unused-claims"]);
    assert_eq!(changes, [""; 0], "{skipped:?}");
    let (changes, skipped) = planned(&["--category", "unused-claims", "--include-likely"]);
    let names = ["tmp-3", "tmp-4", "report", "data-late-0", "data-web-2"];
    assert_eq!(
        changes,
        names.map(|name| format!("Delete {name} Reversible"))
    );
    assert_eq!(skipped, ["pg-1 NotCertain"], "what is unsure never goes");
    let (changes, _) = planned(&["--category", "leftover-attachments"]);
    let names = ["va-no-node", "va-no-volume"];
    assert_eq!(
        changes,
        names.map(|name| format!("Delete {name} Reversible"))
    );
    let (changes, skipped) = planned(&["--category", "unreachable", "--include-likely"]);
    assert_eq!(changes, ["Delete local-free Reversible"]);
    for left in ["local-bound ClaimExists", "local-released PolicyRetain"] {
        assert!(skipped.contains(&left.to_owned()), "{left}: {skipped:?}");
    }
    let (changes, skipped) = planned(&["--category", "duplicate-volumes", "--include-likely"]);
    assert_eq!(changes, [""; 0]);
    assert_eq!(skipped, ["pvc-duplicate ForeignDeleter"]);
}

#[test]
fn nothing_outside_the_filters_is_touched() {
    let unused = ["--category", "unused-claims", "--include-likely"];
    let with = |more: &[&str]| planned(&[&unused, more].concat());
    assert_eq!(with(&["-n", "web"]).0.len(), 2);
    assert_eq!(with(&["--class", "fast"]).0, ["Delete tmp-4 Reversible"]);
    assert_eq!(with(&["-l", "tier=cold"]).0, [""; 0]);
    // An age that is not known is only likely to be old.
    let names = ["tmp-3", "report", "data-late-0", "data-web-2"];
    assert_eq!(
        with(&["--older-than", "30d"]).0,
        names.map(|name| format!("Delete {name} Reversible"))
    );
    let (changes, skipped) = planned(&["--category", "unused-claims", "--older-than", "30d"]);
    assert_eq!(changes, [""; 0]);
    assert!(
        skipped.contains(&"report AgeUnknown".to_owned()),
        "{skipped:?}"
    );
}

#[test]
fn files_come_out_as_they_would_be() {
    let run = [
        &FILE[..],
        &[
            "--yes",
            "--category",
            "lost-claims,unreachable",
            "--include-likely",
            "-o",
            "json",
        ],
    ];
    let ran = kubectl_pv(&run.concat()).ran();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let list: Value = serde_json::from_str(&ran.stdout).unwrap();
    let items = list["items"].as_array().unwrap();
    let has = |kind: &str, name: &str| {
        let is = |item: &&Value| item["kind"] == kind && item["metadata"]["name"] == name;
        items.iter().any(|item| is(&item))
    };
    for (kind, name, is_left) in [
        ("PersistentVolumeClaim", "lost", false),
        ("PersistentVolumeClaim", "lost-used", false),
        ("PersistentVolumeClaim", "tmp-3", true),
        ("PersistentVolume", "local-free", false),
        ("PersistentVolume", "local-bound", true),
        ("PersistentVolume", "local-here", true),
        ("PersistentVolume", "pv-released-retain", true),
    ] {
        assert_eq!(has(kind, name), is_left, "{kind} {name}");
    }
    // Files without pods do not tell what is unused.
    let all = [
        "cleanup",
        "-f",
        "-",
        "--yes",
        "--category",
        "unused-claims,lost-claims",
    ];
    let ran = kubectl_pv(&all).stdin(&without(&["Pod"])).ran();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("not decided: unused-claims: it needs pods"),
        "{}",
        ran.stderr
    );
}

#[test]
fn deleting_a_claim_says_what_becomes_of_its_data() {
    let text = r"
{apiVersion: v1, kind: List, items: [
{apiVersion: v1, kind: Node, metadata: {name: node-1}}, {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: x}, spec: {containers: []}},
{apiVersion: v1, kind: PersistentVolume, metadata: {name: v, uid: uv, annotations: {pv.kubernetes.io/provisioned-by: d.example.com}},
 spec: {capacity: {storage: 3Gi}, accessModes: [ReadWriteOnce], storageClassName: c, persistentVolumeReclaimPolicy: Delete,
  csi: {driver: d.example.com, volumeHandle: h}, claimRef: {namespace: prod, name: data, uid: uc}}, status: {phase: Bound}},
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: prod, uid: uc, annotations: {pv.kubernetes.io/bind-completed: 'yes'}},
 spec: {accessModes: [ReadWriteOnce], storageClassName: c, volumeName: v, resources: {requests: {storage: 3Gi}}}, status: {phase: Bound}}]}";
    let arguments = [
        "cleanup",
        "-f",
        "-",
        "--category",
        "unused-claims",
        "--include-likely",
        "--dry-run",
    ];
    let ran = kubectl_pv(&arguments).stdin(text).ran();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_snapshot!(ran.stdout);
}
