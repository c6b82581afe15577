//! `kubectl pv explain`, through kubectl itself, with the program on the PATH.

use super::control_plane::ControlPlane;

#[test]
#[ignore = "needs a control plane: tests/run"]
fn kubectl_finds_and_completes_the_plugin() {
    let cluster = ControlPlane::connect();
    cluster.namespace("plugin");
    cluster.apply(
        "
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: myclaim, namespace: plugin}
spec: {accessModes: [ReadWriteOnce], storageClassName: no-such-class, resources: {requests: {storage: 1Gi}}}
",
    );
    let (stdout, stderr, status) =
        cluster.kubectl_with_plugin(&["pv", "explain", "myclaim", "-n", "plugin"]);
    assert!(
        stdout.starts_with("plugin/myclaim stays Pending: "),
        "{stdout}{stderr}"
    );
    assert!(stdout.contains("ClassNotFound"), "{stdout}");
    // kubectl hands our exit status on.
    assert_eq!(status, 1, "{stderr}");

    let (offered, _, _) =
        cluster.kubectl_with_plugin(&["__complete", "pv", "explain", "-n", "plugin", ""]);
    assert!(offered.lines().any(|line| line == "myclaim"), "{offered}");
    let (offered, _, _) =
        cluster.kubectl_with_plugin(&["__complete", "pv", "explain", "-n", "plug"]);
    assert!(offered.lines().any(|line| line == "plugin"), "{offered}");
    cluster.apply("{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: plugin-class}, provisioner: x.example}");
    let (offered, _, _) =
        cluster.kubectl_with_plugin(&["__complete", "pv", "explain", "--class", "plug"]);
    assert!(
        offered.lines().any(|line| line == "plugin-class"),
        "{offered}"
    );
    let (offered, _, _) = cluster.kubectl_with_plugin(&["__complete", "pv", "exp"]);
    assert!(
        offered.lines().any(|line| line.starts_with("explain")),
        "{offered}"
    );
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn completion_answers_within_a_second() {
    let cluster = ControlPlane::connect();
    let started = std::time::Instant::now();
    cluster.kubectl_with_plugin(&["__complete", "pv", "explain", ""]);
    // The promise to people is a second; this is the one place where a clock is part of the promise.
    assert!(
        started.elapsed() < std::time::Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
}
