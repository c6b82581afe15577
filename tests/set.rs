//! `set status` and `set reconcile` on files: counts, what is next and why, and the objects as they would be.

use crate::support::{TemporaryFile, kubectl_pv};
use insta::assert_snapshot;
use serde_json::Value;

const POOLS: &str = "../../examples/pools/cluster.yaml";

fn json(arguments: &[&str]) -> Value {
    let ran = kubectl_pv(arguments).ran();
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr))
}

#[test]
fn pools_are_told_at_a_glance() {
    assert_snapshot!(kubectl_pv(&["set", "status", "-f", POOLS]).shown());
}

#[test]
fn one_pool_is_told_in_full() {
    assert_snapshot!(kubectl_pv(&["set", "status", "databases", "-f", POOLS]).shown());
}

#[test]
fn the_json_contract() {
    assert_snapshot!(kubectl_pv(&["set", "status", "-f", POOLS, "-o", "json"]).shown());
}

#[test]
fn a_plan_says_what_would_be_made_and_what_cannot() {
    assert_snapshot!(kubectl_pv(&["set", "reconcile", "-f", POOLS, "--dry-run"]).shown());
}

#[test]
fn the_plan_in_json() {
    let arguments = ["set", "reconcile", "-f", POOLS, "--dry-run", "-o", "json"];
    assert_snapshot!(kubectl_pv(&arguments).shown());
}

#[test]
fn files_come_out_as_they_would_be_and_then_nothing_is_left_to_do() {
    let ran = kubectl_pv(&["set", "reconcile", "-f", POOLS]).ran();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let file = TemporaryFile::new("after.yaml", &ran.stdout);
    let plan = json(&[
        "set",
        "reconcile",
        "-f",
        file.path(),
        "--dry-run",
        "-o",
        "json",
    ]);
    assert_eq!(plan["changes"], Value::Array(vec![]));
    let report = json(&[
        "set",
        "status",
        "databases",
        "-f",
        file.path(),
        "-o",
        "json",
    ]);
    let set = &report["sets"][0];
    assert_eq!((&set["unbound"], &set["total"]), (&2.into(), &4.into()));
    assert_eq!(
        (&set["canServe"], &set["next"]),
        (&2.into(), &Value::Array(vec![]))
    );
}

/// A set of volumes on NFS; `{}` stands for what differs.
fn set(name: &str, spec: &str, template: &str) -> String {
    format!(
        "apiVersion: kubectl-pv.dev/v1alpha1\nkind: PersistentVolumeSet\nmetadata: {{name: {name}}}\n\
         spec:\n  {spec}\n  template:\n    metadata: {{labels: {{pool: {name}}}}}\n    spec:\n      \
         capacity: {{storage: 1Gi}}\n      accessModes: [ReadWriteOnce]\n      {template}\n"
    )
}

const NFS: &str = "nfs: {server: filer, path: \"/{set}/{ordinal}\"}";

#[test]
fn sets_that_cannot_be_kept_are_told_and_left_alone() {
    let good = "minimumReplicas: 1\n  maximumReplicas: 2\n  selector: {pool: a}";
    let cases = [
        set(
            "a",
            "minimumReplicas: 3\n  maximumReplicas: 2\n  selector: {pool: a}",
            NFS,
        ),
        set(
            "a",
            "minimumReplicas: -1\n  maximumReplicas: 2\n  selector: {pool: a}",
            NFS,
        ),
        set(
            "a",
            "minimumReplicas: 1\n  maximumReplicas: 2\n  selector: {}",
            NFS,
        ),
        set(
            "a",
            "minimumReplicas: 1\n  maximumReplicas: 2\n  selector: {pool: b}",
            NFS,
        ),
        set("a", good, "claimRef: {}"),
        // Two sets that count the same volumes.
        format!(
            "{}---\n{}",
            set("a", good, NFS),
            set("a", good, NFS).replace("name: a}", "name: b}")
        ),
    ];
    for manifest in cases {
        let file = TemporaryFile::new("set.yaml", &manifest);
        let plan = json(&[
            "set",
            "reconcile",
            "-f",
            file.path(),
            "--dry-run",
            "-o",
            "json",
        ]);
        let creates = plan["changes"].as_array().unwrap().iter();
        assert_eq!(
            creates
                .filter(|change| change["action"] == "Create")
                .count(),
            0,
            "{manifest}"
        );
        assert_eq!(plan["skipped"][0]["code"], "InvalidVolumeSet", "{manifest}");
        let named = kubectl_pv(&["set", "reconcile", "a", "-f", file.path(), "--dry-run"]).ran();
        assert_eq!(named.status, 1, "{manifest}");
        let all = kubectl_pv(&["set", "reconcile", "-f", file.path(), "--dry-run"]).ran();
        assert_eq!(all.status, 0, "{manifest}");
        let status = json(&["set", "status", "a", "-f", file.path(), "-o", "json"]);
        assert_eq!(
            status["sets"][0]["findings"][0]["code"], "InvalidVolumeSet",
            "{manifest}"
        );
        let validated = kubectl_pv(&["validate", "--offline", "-f", file.path()]).ran();
        assert_eq!(validated.status, 1, "{manifest}");
    }
}

#[test]
fn what_was_asked_for_and_is_not_there() {
    let unknown = kubectl_pv(&["set", "status", "databsaes", "-f", POOLS]);
    assert_snapshot!(unknown.shown());
    let volume = kubectl_pv(&["set", "status", "pv/databases-0", "-f", POOLS]).ran();
    assert_eq!(volume.status, 2);
    let named = kubectl_pv(&["set", "status", "pvs/archive", "-f", POOLS, "-o", "name"]).ran();
    assert_eq!(named.stdout, "persistentvolumeset.kubectl-pv.dev/archive\n");
    let watched = kubectl_pv(&["set", "reconcile", "--watch", "-f", POOLS]).ran();
    assert_eq!(watched.status, 2);
    let leased = kubectl_pv(&["set", "reconcile", "--lease-namespace", "x", "-f", POOLS]).ran();
    assert_eq!(leased.status, 2);
    let server = kubectl_pv(&["set", "reconcile", "-f", POOLS, "--dry-run=server"]).ran();
    assert_eq!(server.status, 2);
}

#[test]
fn a_what_if_shows_what_another_volume_would_change() {
    let volume = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: more, labels: {pool: databases}}\n\
        spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], nfs: {server: s, path: /more}}\n";
    let file = TemporaryFile::new("more.yaml", volume);
    let report = json(&[
        "set",
        "status",
        "databases",
        "-f",
        POOLS,
        "--with",
        file.path(),
        "-o",
        "json",
    ]);
    assert_eq!(
        (&report["sets"][0]["unbound"], &report["sets"][0]["next"]),
        (&2.into(), &Value::Array(vec![]))
    );
    let report = json(&[
        "set",
        "status",
        "-f",
        POOLS,
        "--without",
        "pvs/archive",
        "-o",
        "json",
    ]);
    assert_eq!(report["sets"].as_array().unwrap().len(), 1);
}
