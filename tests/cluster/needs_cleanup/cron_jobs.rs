//! The CronJobs that are shipped: the server takes them, and their accounts may do what their arguments ask for.

use serde_json::Value;

use super::scene::{Scene, pod};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::roles::account::install;

pub(super) const MANIFEST: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/cleanup-cronjob.yaml");
/// What the manifest offers to add to the categories of `cleanup-act` where a backend is configured.
pub(super) const OFFERED_CATEGORIES: &str = "released,failed,leaked-assets";

/// A CronJob of the manifest, as the file has it.
pub(super) struct ShippedJob {
    pub(super) arguments: Vec<String>,
    account: String,
    is_suspended: bool,
}

impl ShippedJob {
    /// The user that its service account is.
    pub(super) fn user(&self) -> String {
        format!("system:serviceaccount:kubectl-pv:{}", self.account)
    }
}

fn shipped_jobs() -> Vec<ShippedJob> {
    let text = std::fs::read_to_string(MANIFEST).expect("read the manifest");
    let documents: Vec<Value> = serde_saphyr::from_multiple(&text).expect("read YAML");
    let jobs = documents.into_iter().filter(|it| it["kind"] == "CronJob");
    jobs.map(|job| {
        let pod = &job["spec"]["jobTemplate"]["spec"]["template"]["spec"];
        let arguments = pod["containers"][0]["args"].as_array().expect("arguments");
        let arguments = arguments.iter().filter_map(Value::as_str);
        ShippedJob {
            arguments: arguments.map(str::to_owned).collect(),
            account: pod["serviceAccountName"]
                .as_str()
                .expect("an account")
                .to_owned(),
            is_suspended: job["spec"]["suspend"] == true,
        }
    })
    .collect()
}

/// The job of this name, which is also that of its account.
pub(super) fn shipped_job(name: &str) -> ShippedJob {
    let mut jobs = shipped_jobs().into_iter();
    jobs.find(|job| job.account == name).expect("such a job")
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_shipped_jobs_are_accepted_and_their_accounts_are_allowed_to_run_them() {
    let cluster = ControlPlane::connect();
    install(&cluster);
    let applied = cluster.kubectl(&["apply", "-f", MANIFEST]);
    assert!(applied.status.success(), "{applied:?}");
    let jobs = shipped_jobs();
    assert_eq!(jobs.len(), 2);
    for job in jobs {
        let user = job.user();
        let mut arguments: Vec<&str> = job.arguments.iter().map(String::as_str).collect();
        let acts = arguments.iter_mut().find(|argument| **argument == "--yes");
        assert_eq!(acts.is_some(), job.is_suspended, "{user}");
        if let Some(acts) = acts {
            *acts = "--dry-run";
        }
        arguments.extend(["-o", "json", "--as", &user]);
        let ran = cluster.kubectl_pv("admin", &arguments).ran();
        assert_eq!(ran.status, 0, "{user}: {}{}", ran.stdout, ran.stderr);
        let answer: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        // Plans list only the categories that were refused.
        let refused = answer["refused"].as_array().map_or(0, Vec::len);
        assert_eq!(refused, 0, "{user}: {answer:#}");
    }
    delete_shipped(&cluster, MANIFEST);
}

/// Volumes and claims of every sort that a healthy cluster has, all of them minutes old: used, unused, released and retained,
/// available and Pending.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_report_ends_with_0_on_a_healthy_cluster() {
    let cluster = ControlPlane::connect();
    install(&cluster);
    let applied = cluster.kubectl(&["apply", "-f", MANIFEST]);
    assert!(applied.status.success(), "{applied:?}");
    let job = shipped_job("cleanup-report");
    let scene = Scene::create(&cluster, cluster.api(), "healthy");
    let place = scene.place.name.as_str();
    scene.bound_claim("used", "Delete");
    scene.api.create(&pod(place, "user", &scene.node(), "used"));
    scene.bound_claim("unused", "Delete");
    scene.put(&scene.volume("retained", "Retain"), "Released");
    scene.put(&scene.volume("released", "Delete"), "Released");
    scene.put(&scene.place.volume("free", "1Gi"), "Available");
    scene.api.create(&scene.place.claim("waits", "5Gi"));
    let user = job.user();
    let report = |words: &[&str]| {
        let words = [words, &["--as", &user]].concat();
        cluster.kubectl_pv("admin", &words).ran()
    };
    let arguments: Vec<&str> = job.arguments.iter().map(String::as_str).collect();
    let ran = report(&arguments);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    // Without the age it has findings.
    let age = arguments.iter().position(|word| *word == "--older-than");
    let age = age.expect("an age");
    let without_age = [&arguments[..age], &arguments[age + 2..]].concat();
    let ran = report(&without_age);
    assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
    scene.clear();
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
