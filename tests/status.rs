//! `status`: one screen for the cluster or a namespace, and the labels of the volumes.

use crate::support::kubectl_pv;
use insta::assert_snapshot;

fn shown(arguments: &[&str]) -> String {
    kubectl_pv(&[&["status"], arguments].concat()).shown()
}

#[test]
fn a_cluster_with_one_of_everything() {
    assert_snapshot!(shown(&["-f", "status.yaml"]));
}

#[test]
fn a_namespace_has_its_claims_and_the_volumes_they_hold() {
    assert_snapshot!(shown(&["-f", "status.yaml", "-n", "team-a"]));
    assert_eq!(
        shown(&["-f", "status.yaml", "-n", "team-a", "-A"]),
        shown(&["-f", "status.yaml"])
    );
}

#[test]
fn the_json_is_fixed() {
    assert_snapshot!(shown(&["-f", "status.yaml", "-o", "json"]));
}

#[test]
fn the_taxonomy_of_the_volumes() {
    assert_snapshot!(shown(&["-f", "labels.yaml", "--labels"]));
    let json = kubectl_pv(&["status", "-f", "labels.yaml", "--labels", "-o", "json"]).json();
    assert_snapshot!(serde_json::to_string_pretty(&json["taxonomy"]).unwrap());
    let json = kubectl_pv(&["status", "-f", "labels.yaml", "-o", "json"]).json();
    assert!(json.get("taxonomy").is_none());
}

#[test]
fn what_if_changes_the_screen_too() {
    let before = shown(&["-f", "whatif.yaml"]);
    assert!(
        before.starts_with("1 volume: 1 Bound     3 claims: 1 Bound, 2 Pending\n"),
        "{before}"
    );
    let after = shown(&[
        "-f",
        "whatif.yaml",
        "--with",
        "whatif-volume.yaml",
        "--without",
        "pvc/old",
    ]);
    assert!(
        after.starts_with("2 volumes: 1 Available, 1 Released     2 claims: 2 Pending\n"),
        "{after}"
    );
    assert!(after.contains("will bind to pv-new"), "{after}");
}

#[test]
fn nothing_to_do_is_said() {
    let bound = "
apiVersion: v1
kind: PersistentVolume
metadata: {name: v, uid: u-v}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], nfs: {server: s, path: /v}}
";
    let text = kubectl_pv(&["status", "-f", "-"]).stdin(bound).shown();
    assert_snapshot!(text);
}

/// Forty claims that nothing fits, and thirty released volumes.
fn many() -> String {
    let claim = |n: usize| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: c-{n:02}, namespace: ns, uid: u-{n}}}\nspec: {{accessModes: [ReadWriteOnce], storageClassName: none, resources: {{requests: {{storage: 1Gi}}}}}}\n---\n"
        )
    };
    let volume = |n: usize| {
        format!(
            "apiVersion: v1\nkind: PersistentVolume\nmetadata: {{name: v-{n:02}, uid: v-{n}, labels: {{disk: d-{n:02}}}}}\nspec: {{capacity: {{storage: 1Gi}}, accessModes: [ReadWriteOnce], nfs: {{server: s, path: /v}}, claimRef: {{namespace: ns, name: gone-{n}, uid: g-{n}}}}}\nstatus: {{phase: Released}}\n---\n"
        )
    };
    (0..40).map(claim).chain((0..30).map(volume)).collect()
}

#[test]
fn one_screen_is_one_screen_and_all_is_all() {
    let run = |arguments: &[&str]| {
        kubectl_pv(&[&["status", "-f", "-"], arguments].concat())
            .stdin(&many())
            .ran()
            .stdout
    };
    let short = run(&[]);
    assert!(
        short.contains("\n20 more: ClassNotFound (20) (--all lists them)\n"),
        "{short}"
    );
    assert!(
        short.contains("\n25 more: Released (25) (--all lists them)\n"),
        "{short}"
    );
    assert!(short.lines().count() < 45, "{short}");
    let all = run(&["--all"]);
    assert!(
        all.contains("ns/c-39") && all.contains("v-29") && !all.contains("more:"),
        "{all}"
    );
    let labels = run(&["--labels"]);
    assert!(
        labels.contains("20 more values (--all lists them)"),
        "{labels}"
    );
    assert!(run(&["--labels", "--all"]).contains("d-29"));
}

#[test]
fn names_are_made_safe() {
    let text = kubectl_pv(&["status", "--labels", "-f", "hostile.json"])
        .ran()
        .stdout
        + &kubectl_pv(&["status", "-f", "hostile.json"]).ran().stdout;
    assert!(
        !text.contains('\u{1b}') && !text.contains('\u{202e}'),
        "{text:?}"
    );
}
