//! What-ifs against the real thing: what we say the API server would refuse it refuses, what we take over it takes over, and
//! what we say would then be bound is bound when the file is applied. And the screen of somebody who may see little.

use super::control_plane::{ControlPlane, QUIET, runtime};
use super::objects::settle;
use std::time::Duration;

const OBJECTS: &str = "
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: wi-fixed}
provisioner: wi.example.com
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: wi-grows}
provisioner: wi.example.com
allowVolumeExpansion: true
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: wi-fixed, labels: {tier: gold}}
spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteOnce], storageClassName: wi-fixed, hostPath: {path: /tmp/wi-fixed}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: wi-grows}
spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteOnce], storageClassName: wi-grows, hostPath: {path: /tmp/wi-grows}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: wi-local}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: wi-none
  local: {path: /tmp/wi-local}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: host, operator: In, values: [a]}]}]}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: fixed, namespace: whatif}
spec: {accessModes: [ReadWriteOnce], storageClassName: wi-fixed, resources: {requests: {storage: 2Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: grows, namespace: whatif}
spec: {accessModes: [ReadWriteOnce], storageClassName: wi-grows, resources: {requests: {storage: 2Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: open, namespace: whatif}
spec: {accessModes: [ReadWriteOnce], storageClassName: wi-later, selector: {matchLabels: {tier: gold}}, resources: {requests: {storage: 2Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: bare, namespace: whatif}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}
";

/// The manifest of one object, with one thing changed.
fn changed(kind: &str, name: &str, from: &str, to: &str) -> String {
    let is_meant = |text: &&str| {
        text.contains(&format!("kind: {kind}\n")) && text.contains(&format!("name: {name}"))
    };
    let text = OBJECTS.split("---\n").find(is_meant).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    text.replacen(from, to, 1)
}

fn settled(cluster: &ControlPlane) {
    let _controller = cluster.start_controller();
    runtime().block_on(async {
        let client = cluster.client().await;
        settle(&client, QUIET, Duration::from_secs(60)).await;
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
#[expect(clippy::too_many_lines, reason = "one table")]
fn the_server_refuses_what_we_refuse_and_takes_what_we_take() {
    let cluster = ControlPlane::connect();
    cluster.namespace("whatif");
    cluster.apply(OBJECTS);
    settled(&cluster);
    let pvc = |name, from, to| changed("PersistentVolumeClaim", name, from, to);
    let pv = |name, from, to| changed("PersistentVolume", name, from, to);
    let class = |name, from, to| changed("StorageClass", name, from, to);
    let table = [
        ("unchanged", pvc("open", "2Gi", "2Gi")),
        ("unchanged and bound", pvc("fixed", "2Gi", "2Gi")),
        (
            "labels",
            pvc(
                "open",
                "namespace: whatif",
                "namespace: whatif, labels: {a: b}",
            ),
        ),
        ("selector", pvc("open", "tier: gold", "tier: silver")),
        ("modes", pvc("open", "ReadWriteOnce", "ReadWriteMany")),
        ("size of an unbound claim", pvc("open", "2Gi", "3Gi")),
        ("another class", pvc("open", "wi-later", "wi-fixed")),
        (
            "the first class",
            pvc(
                "bare",
                "resources:",
                "storageClassName: wi-fixed, resources:",
            ),
        ),
        (
            "the first volume",
            pvc("bare", "resources:", "volumeName: wi-local, resources:"),
        ),
        (
            "another volume",
            pvc("fixed", "resources:", "volumeName: wi-local, resources:"),
        ),
        ("growth", pvc("grows", "2Gi", "3Gi")),
        (
            "growth where the class has none",
            pvc("fixed", "2Gi", "3Gi"),
        ),
        ("shrinking", pvc("grows", "2Gi", "1Gi")),
        (
            "volume: size, class, modes, labels",
            pv(
                "wi-fixed",
                "{storage: 5Gi}, accessModes: [ReadWriteOnce], storageClassName: wi-fixed",
                "{storage: 6Gi}, accessModes: [ReadWriteMany], storageClassName: wi-other",
            ),
        ),
        (
            "volume: source",
            pv("wi-fixed", "path: /tmp/wi-fixed", "path: /tmp/other"),
        ),
        (
            "volume: mode",
            pv("wi-fixed", "hostPath:", "volumeMode: Block, hostPath:"),
        ),
        (
            "volume: affinity",
            pv("wi-local", "values: [a]", "values: [b]"),
        ),
        (
            "volume: policy",
            pv(
                "wi-fixed",
                "hostPath:",
                "persistentVolumeReclaimPolicy: Delete, hostPath:",
            ),
        ),
        (
            "class: expansion",
            class(
                "wi-fixed",
                "provisioner: wi.example.com",
                "provisioner: wi.example.com\nallowVolumeExpansion: true",
            ),
        ),
        (
            "class: provisioner",
            class("wi-fixed", "wi.example.com", "other.example.com"),
        ),
        (
            "class: binding mode",
            class(
                "wi-fixed",
                "provisioner: wi.example.com",
                "provisioner: wi.example.com\nvolumeBindingMode: WaitForFirstConsumer",
            ),
        ),
        (
            "class: policy",
            class(
                "wi-fixed",
                "provisioner: wi.example.com",
                "provisioner: wi.example.com\nreclaimPolicy: Retain",
            ),
        ),
        (
            "class: parameters",
            class(
                "wi-fixed",
                "provisioner: wi.example.com",
                "provisioner: wi.example.com\nparameters: {a: b}",
            ),
        ),
    ];
    let (mut refused, mut taken) = (0, 0);
    for (what, manifest) in table {
        let server =
            cluster.kubectl_with_stdin(&["apply", "--dry-run=server", "-f", "-"], &manifest);
        let ours = cluster
            .kubectl_pv(
                "admin",
                &["explain", "-n", "whatif", "--with", "-", "-o", "name"],
            )
            .stdin(&manifest)
            .ran();
        let we_refuse = ours
            .stderr
            .contains("the API server would refuse the change");
        assert_eq!(
            we_refuse,
            !server.status.success(),
            "{what}: the server says {}{}, we say {}",
            String::from_utf8_lossy(&server.stdout),
            String::from_utf8_lossy(&server.stderr),
            ours.stderr
        );
        *(if we_refuse { &mut refused } else { &mut taken }) += 1;
    }
    println!("what-if: {taken} changes taken and {refused} refused, all as the API server does");
}

const LATER: &str = "
apiVersion: v1
kind: PersistentVolume
metadata: {name: wil-new, labels: {tier: gold}}
spec: {capacity: {storage: 3Gi}, accessModes: [ReadWriteOnce], storageClassName: wil, hostPath: {path: /tmp/wil-new}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: second, namespace: whatif-later}
spec: {accessModes: [ReadWriteOnce], storageClassName: wil, resources: {requests: {storage: 9Gi}}}
";

const EARLIER: &str = "
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: first, namespace: whatif-later}
spec: {accessModes: [ReadWriteOnce], storageClassName: wil, selector: {matchLabels: {tier: gold}}, resources: {requests: {storage: 2Gi}}}
";

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_we_say_would_happen_happens_when_the_file_is_applied() {
    let cluster = ControlPlane::connect();
    cluster.namespace("whatif-later");
    cluster.apply(EARLIER);
    let asked = |arguments: &[&str]| {
        let all = [&["explain", "-n", "whatif-later", "-o", "json"], arguments].concat();
        cluster.kubectl_pv("admin", &all).stdin(LATER).json()
    };
    let before = asked(&[]);
    assert_eq!(before["items"][0]["verdict"], "Blocked", "{before:#}");
    let after = asked(&["--with", "-"]);
    let told: Vec<(&str, &str)> = after["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            (
                item["claim"]["name"].as_str().unwrap(),
                item["verdict"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [("first", "WillBind"), ("second", "Blocked")],
        "{after:#}"
    );
    assert_eq!(
        after["items"][0]["outcomes"],
        serde_json::json!(["wil-new"])
    );

    cluster.apply(LATER);
    settled(&cluster);
    let bound = |name: &str| {
        let output = cluster.kubectl(&[
            "get",
            "pvc",
            name,
            "-n",
            "whatif-later",
            "-o",
            "jsonpath={.spec.volumeName}",
        ]);
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(
        (bound("first").as_str(), bound("second").as_str()),
        ("wil-new", "")
    );

    // And back: without the claim the volume is Released, and nobody else gets it.
    let gone = cluster
        .kubectl_pv(
            "admin",
            &[
                "status",
                "-n",
                "whatif-later",
                "--without",
                "pvc/first",
                "-o",
                "json",
            ],
        )
        .json();
    assert_eq!(
        gone["volumes"]["byPhase"],
        serde_json::json!({"Released": 1}),
        "{gone:#}"
    );
}

const SOMEBODY: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: screen, namespace: screen}
rules: [{apiGroups: [\"\"], resources: [persistentvolumeclaims, pods, events], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: screen, namespace: screen}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: screen}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: developer}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: stuck, namespace: screen}
spec: {accessModes: [ReadWriteOnce], storageClassName: screen-missing, resources: {requests: {storage: 1Gi}}}
";

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_screen_shows_what_may_be_seen_and_names_the_rest() {
    let cluster = ControlPlane::connect();
    cluster.namespace("screen");
    cluster.apply(SOMEBODY);
    settled(&cluster);
    let own = cluster
        .kubectl_pv("developer", &["status", "-n", "screen", "-o", "json"])
        .json();
    assert_eq!(own["volumes"], serde_json::Value::Null, "{own:#}");
    assert_eq!(own["claims"]["byPhase"], serde_json::json!({"Pending": 1}));
    assert_eq!(own["pending"][0]["cause"], "ClassNotFound", "{own:#}");
    let unknowns = own["unknowns"].to_string();
    assert!(unknowns.contains("persistentvolumes"), "{own:#}");

    // The namespace of the context, which this user may not read.
    let refused = cluster.kubectl_pv("developer", &["status"]).ran();
    assert_eq!(refused.status, 3, "{}{}", refused.stdout, refused.stderr);
    assert!(
        refused.stderr.contains("you can list neither"),
        "{}",
        refused.stderr
    );

    let all = cluster
        .kubectl_pv("admin", &["status", "-o", "json"])
        .json();
    let is_stuck =
        |claim: &serde_json::Value| claim["namespace"] == "screen" && claim["name"] == "stuck";
    assert!(
        all["pending"].as_array().unwrap().iter().any(is_stuck),
        "{all:#}"
    );
    assert!(all["capturedAt"].is_string());
    let text = cluster
        .kubectl_pv("admin", &["status", "-n", "screen"])
        .ran()
        .stdout;
    assert!(text.contains("UNBOUND CLAIM   FOR"), "{text}");
}
