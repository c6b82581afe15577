//! The CronJobs that are shipped: the server takes them, and their accounts may do what their arguments ask for.

use serde_json::Value;

use crate::cluster::control_plane::ControlPlane;
use crate::cluster::roles::account::install;

const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/cleanup-cronjob.yaml");

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_shipped_is_taken_and_may_do_what_it_is_for() {
    let cluster = ControlPlane::connect();
    install(&cluster);
    let applied = cluster.kubectl(&["apply", "-f", MANIFEST]);
    assert!(applied.status.success(), "{applied:?}");
    let found = cluster.kubectl(&["get", "cronjobs", "-n", "kubectl-pv", "-o", "json"]);
    let found: Value = serde_json::from_slice(&found.stdout).expect("CronJobs");
    let jobs = found["items"].as_array().expect("a list");
    assert_eq!(jobs.len(), 2);
    for job in jobs {
        let pod = &job["spec"]["jobTemplate"]["spec"]["template"]["spec"];
        let account = pod["serviceAccountName"].as_str().expect("an account");
        let user = format!("system:serviceaccount:kubectl-pv:{account}");
        let arguments = pod["containers"][0]["args"].as_array().expect("arguments");
        let mut arguments: Vec<&str> = arguments.iter().filter_map(Value::as_str).collect();
        // Other tests have left claims whose volumes are gone, and may want to see them.
        let acts = arguments.iter_mut().find(|argument| **argument == "--yes");
        assert_eq!(acts.is_some(), job["spec"]["suspend"] == true, "{job:#}");
        if let Some(acts) = acts {
            *acts = "--dry-run";
        }
        arguments.extend(["-o", "json", "--as", &user]);
        let ran = cluster.kubectl_pv("admin", &arguments).ran();
        assert!([0, 1].contains(&ran.status), "{account}: {}", ran.stderr);
        let answer: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        // Plans tell only of what was refused.
        let refused = answer["refused"].as_array().map_or(0, Vec::len);
        assert_eq!(refused, 0, "{account}: {answer:#}");
    }
    delete_shipped(&cluster, MANIFEST);
}

/// Deletes what a shipped manifest holds but for its namespace: without a controller that would for ever be about to go, and
/// nobody else could use it.
pub(in crate::cluster) fn delete_shipped(cluster: &ControlPlane, manifest: &str) {
    let text = std::fs::read_to_string(manifest).expect("what is shipped");
    let documents = text.split("\n---\n");
    let kept = documents.filter(|document| !document.contains("\nkind: Namespace\n"));
    let kept = kept.collect::<Vec<_>>().join("\n---\n");
    let deleted = cluster.kubectl_with_stdin(&["delete", "--wait=false", "-f", "-"], &kept);
    assert!(deleted.status.success(), "{deleted:?}");
}
