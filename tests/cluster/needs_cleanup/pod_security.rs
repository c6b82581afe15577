//! The pod security levels of the API server, and the pods that are shipped: those of the CronJobs pass `restricted`. That of
//! `set reconcile` mounts a directory of its node, which needs `privileged`, and its file says so.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use super::cron_jobs::MANIFEST;
use crate::cluster::control_plane::ControlPlane;

const SET_RECONCILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/set-reconcile.yaml");

/// The pods that a shipped manifest would start.
fn pods(manifest: &str) -> Vec<Value> {
    let text = fs::read_to_string(manifest).expect("what is shipped");
    let documents: Vec<Value> = serde_saphyr::from_multiple(&text).expect("read YAML");
    let paths = [
        "/spec/template/spec",
        "/spec/jobTemplate/spec/template/spec",
    ];
    let specs = documents
        .iter()
        .flat_map(|document| paths.iter().filter_map(|path| document.pointer(path)));
    specs
        .map(|spec| {
            json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "shipped" }, "spec": spec })
        })
        .collect()
}

fn try_in(cluster: &ControlPlane, level: &str, pod: &Value) -> Output {
    let namespace = format!("level-{level}");
    cluster.apply(&format!(
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {namespace}\n  labels: {{pod-security.kubernetes.io/enforce: {level}}}\n"
    ));
    let arguments = ["create", "--dry-run=server", "-n", &namespace, "-f", "-"];
    cluster.kubectl_with_stdin(&arguments, &pod.to_string())
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_shipped_pods_pass_the_level_that_their_files_name() {
    let cluster = ControlPlane::connect();
    let jobs = pods(MANIFEST);
    assert_eq!(jobs.len(), 2);
    for pod in &jobs {
        for level in ["restricted", "baseline", "privileged"] {
            let tried = try_in(&cluster, level, pod);
            assert!(tried.status.success(), "{level}: {tried:?}");
        }
    }
    let watchers = pods(SET_RECONCILE);
    assert_eq!(watchers.len(), 1);
    for level in ["restricted", "baseline"] {
        let tried = try_in(&cluster, level, &watchers[0]);
        let told = String::from_utf8_lossy(&tried.stderr);
        assert!(!tried.status.success(), "{level}: {tried:?}");
        // Nothing else is in its way.
        assert!(
            told.contains("hostPath volumes") || told.contains("restricted volume types"),
            "{told}"
        );
        assert!(!told.contains("seccompProfile"), "{told}");
    }
    assert!(
        try_in(&cluster, "privileged", &watchers[0])
            .status
            .success()
    );
    let text = fs::read_to_string(SET_RECONCILE).expect("what is shipped");
    for word in ["hostPath", "`baseline`", "`restricted`", "`privileged`"] {
        assert!(text.contains(word), "{word}");
    }
}
