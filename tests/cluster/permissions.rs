//! What a user may not read is unknown, and what can be known all the same is told.

use super::control_plane::{ControlPlane, QUIET, runtime};
use super::objects::settle;
use std::time::Duration;

/// An application developer: the own namespace, no volumes, no classes, nothing of the cluster.
const DEVELOPER: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: developer, namespace: team}
rules:
- apiGroups: [\"\"]
  resources: [persistentvolumeclaims, pods, events, limitranges, resourcequotas, configmaps]
  verbs: [get, list]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: developer, namespace: team}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: developer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: developer}]
---
# Somebody who may see volumes and claims of the whole cluster, but no classes.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules:
- {apiGroups: [\"\"], resources: [persistentvolumes, persistentvolumeclaims], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: reader}]
";

const CLAIMS: &str = "
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: team-late}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: no-class, namespace: team}
spec: {accessModes: [ReadWriteOnce], storageClassName: team-missing, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: empty, namespace: team}
spec: {accessModes: [ReadWriteOnce], storageClassName: \"\", selector: {matchLabels: {team: none}}, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: late, namespace: team}
spec: {accessModes: [ReadWriteOnce], storageClassName: team-late, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: team-pv}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: team-bound, hostPath: {path: /tmp/team-pv}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: bound, namespace: team}
spec: {accessModes: [ReadWriteOnce], storageClassName: team-bound, resources: {requests: {storage: 1Gi}}}
";

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_developer_gets_a_useful_answer() {
    let cluster = ControlPlane::connect();
    cluster.namespace("team");
    cluster.apply(DEVELOPER);
    cluster.apply(CLAIMS);
    {
        let _controller = cluster.start_controller();
        runtime().block_on(async {
            settle(&cluster.client().await, QUIET, Duration::from_secs(60)).await;
        });
    }

    let explain = |claim: &str| {
        cluster
            .kubectl_pv("developer", &["explain", claim, "-n", "team", "-o", "json"])
            .json()
    };
    for (claim, verdict, code) in [
        ("no-class", "Blocked", "ClassNotFound"),
        ("empty", "Blocked", "ClassExplicitlyEmpty"),
        ("late", "Waiting", "NoConsumer"),
    ] {
        let explanation = explain(claim);
        assert_eq!(
            (
                explanation["verdict"].as_str(),
                explanation["causes"][0]["code"].as_str()
            ),
            (Some(verdict), Some(code)),
            "{explanation:#}"
        );
        assert_eq!(
            explanation["kubernetesSays"].as_array().map(Vec::len),
            Some(1),
            "{explanation:#}"
        );
        let unknowns: Vec<&str> = explanation["unknowns"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|unknown| unknown["what"].as_str())
            .collect();
        assert!(unknowns.contains(&"persistentvolumes"), "{unknowns:?}");
    }
    let bound = explain("bound");
    assert_eq!(
        (bound["verdict"].as_str(), &bound["outcomes"]),
        (Some("Bound"), &serde_json::json!(["team-pv"])),
        "{bound:#}"
    );

    let shown = cluster
        .kubectl_pv("developer", &["explain", "no-class", "-n", "team"])
        .ran();
    assert_eq!(shown.status, 1);
    assert!(
        shown
            .stdout
            .starts_with("team/no-class stays Pending: class team-missing does not exist"),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.contains("To an administrator: please run `kubectl pv explain no-class -n team` for me, or let me list persistentvolumes"), "{}", shown.stdout);

    // Somebody who has never been told anything by the controller gets "unknown", not "none".
    let reader = cluster.kubectl_pv("reader", &["explain", "late", "-n", "team", "-o", "json"]);
    let explanation = reader.json();
    assert_eq!(
        (
            explanation["verdict"].as_str(),
            explanation["causes"][0]["code"].as_str()
        ),
        (Some("Unknown"), Some("NotReadable")),
        "{explanation:#}"
    );

    // The other tests count on a reader who may read nothing.
    let removed = cluster.kubectl(&["delete", "clusterrolebinding/reader", "clusterrole/reader"]);
    assert!(
        removed.status.success(),
        "{}",
        String::from_utf8_lossy(&removed.stderr)
    );

    let nobody = cluster
        .kubectl_pv("nobody", &["explain", "late", "-n", "team"])
        .ran();
    assert_eq!(nobody.status, 3);
    assert!(
        nobody
            .stderr
            .contains("you cannot list persistentvolumeclaims in namespace team"),
        "{}",
        nobody.stderr
    );
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_token_that_is_not_valid_any_more_is_an_error() {
    let cluster = ControlPlane::connect();
    let ran = cluster
        .kubectl_pv("admin", &["explain", "x", "--token", "expired"])
        .ran();
    assert_eq!(ran.status, 3);
    assert_eq!(
        ran.stderr.lines().next(),
        Some(
            "error: list persistentvolumes: the server does not accept your credentials (401 Unauthorized)"
        )
    );
    assert!(
        ran.stderr
            .lines()
            .nth(1)
            .is_some_and(|line| line.starts_with("hint: ")),
        "{}",
        ran.stderr
    );
}

/// Reads everything of one namespace, and nothing of the others.
const ONE_TEAM: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: one-team}
rules:
- {apiGroups: [\"\", apps], resources: [\"*\"], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: one-team, namespace: one-team}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: one-team}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: one-team}]
---
# Reads volumes and sets, but neither claims nor classes.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: no-claims}
rules:
- {apiGroups: [\"\"], resources: [persistentvolumes, nodes], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: no-claims}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: no-claims}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: no-claims}]
---
# Reads claims of one namespace, but no workloads.
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: claims-alone, namespace: one-team}
rules:
- {apiGroups: [\"\"], resources: [persistentvolumeclaims], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: claims-alone, namespace: one-team}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: claims-alone}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: claims-alone}]
---
# Reads sets, but not their members.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: sets-alone}
rules:
- {apiGroups: [kubectl-pv.dev], resources: [persistentvolumesets], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: sets-alone}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: sets-alone}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: sets-alone}]
";

/// A user, a command, and the list that the user cannot read.
const UNREADABLE: [(&str, &[&str], &str); 16] = [
    (
        "one-team",
        &["explain", "-A"],
        "persistentvolumeclaims in all namespaces",
    ),
    (
        "one-team",
        &["explain", "pods", "-A"],
        "pods in all namespaces",
    ),
    ("one-team", &["explain", "pv"], "persistentvolumes"),
    (
        "one-team",
        &["plan", "-A"],
        "persistentvolumeclaims in all namespaces",
    ),
    (
        "one-team",
        &["status", "-A"],
        "persistentvolumeclaims in all namespaces",
    ),
    ("one-team", &["describe-class"], "storageclasses"),
    (
        "one-team",
        &["bind", "-A"],
        "persistentvolumeclaims in all namespaces",
    ),
    (
        "one-team",
        &["provision", "-A"],
        "persistentvolumeclaims in all namespaces",
    ),
    (
        "one-team",
        &["reclaim", "--all-released"],
        "persistentvolumes",
    ),
    ("one-team", &["set", "status"], "persistentvolumesets"),
    (
        "no-claims",
        &["explain", "-n", "one-team"],
        "persistentvolumeclaims in namespace one-team",
    ),
    (
        "no-claims",
        &["status", "-A"],
        "persistentvolumeclaims in all namespaces",
    ),
    (
        "no-claims",
        &["status", "-n", "one-team"],
        "persistentvolumeclaims in namespace one-team",
    ),
    (
        "no-claims",
        &["explain", "pods", "-n", "one-team"],
        "pods in namespace one-team",
    ),
    (
        "claims-alone",
        &["explain", "sts/db", "-n", "one-team"],
        "statefulsets in namespace one-team",
    ),
    ("sets-alone", &["set", "status"], "persistentvolumes"),
];

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_list_that_cannot_be_read_is_never_an_empty_one() {
    let cluster = ControlPlane::connect();
    cluster.namespace("one-team");
    cluster.apply(ONE_TEAM);
    let definition = cluster.kubectl_pv("admin", &["set", "crd"]).ran();
    let applied = cluster.kubectl_with_stdin(&["apply", "-f", "-"], &definition.stdout);
    assert!(applied.status.success());
    for (user, arguments, missing) in UNREADABLE {
        let arguments = [arguments, &["--as", user]].concat();
        let ran = cluster.kubectl_pv("admin", &arguments).ran();
        let told = format!("error: you cannot list {missing}\n");
        assert_eq!(
            (ran.status, ran.stdout.as_str()),
            (3, ""),
            "{arguments:?}: {}",
            ran.stderr
        );
        // `status` of a user who can read neither list names both.
        let neither = "error: you can list neither persistentvolumes nor persistentvolumeclaims";
        let is_named = ran.stderr.contains(&told) || ran.stderr.contains(neither);
        assert!(is_named, "{arguments:?}: {}", ran.stderr);
        assert!(
            !ran.stderr.contains("found"),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
    // What can be read is answered.
    let own = ["explain", "-n", "one-team", "--as", "one-team"];
    let ran = cluster.kubectl_pv("admin", &own).ran();
    assert_eq!(
        (ran.status, ran.stderr.contains("no claims found")),
        (0, true),
        "{}",
        ran.stderr
    );
    let removed = cluster.kubectl(&[
        "delete",
        "clusterrolebinding/no-claims",
        "clusterrolebinding/sets-alone",
        "clusterrole/no-claims",
        "clusterrole/sets-alone",
        "clusterrole/one-team",
    ]);
    assert!(removed.status.success());
}
