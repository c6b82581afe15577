//! Each list that is forbidden in turn: what depends on it is refused, and said; what does not is done.

use serde_json::{Value, json};

use super::scene::{Scene, refused};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;

/// Resource, group, and what cannot be decided without its list.
const LISTS: [(&str, &str, &[&str]); 12] = [
    ("cronjobs", "batch", &["unused-claims"]),
    ("daemonsets", "apps", &["unused-claims"]),
    ("deployments", "apps", &["unused-claims"]),
    ("jobs", "batch", &["unused-claims"]),
    ("nodes", "", &["leftover-attachments", "unreachable"]),
    (
        "persistentvolumeclaims",
        "",
        &["failed", "lost-claims", "released", "unused-claims"],
    ),
    (
        "persistentvolumes",
        "",
        &[
            "failed",
            "leftover-attachments",
            "lost-claims",
            "released",
            "unreachable",
        ],
    ),
    ("pods", "", &["leftover-attachments", "unused-claims"]),
    ("replicasets", "apps", &["unused-claims"]),
    ("replicationcontrollers", "", &["unused-claims"]),
    ("statefulsets", "apps", &["unused-claims"]),
    (
        "volumeattachments",
        "storage.k8s.io",
        &["leftover-attachments"],
    ),
];

/// A user that may do all of it, and list all but one.
fn account(name: &str, without: &str) -> [Value; 2] {
    let lists = LISTS.iter().filter(|(resource, ..)| *resource != without);
    let mut rules: Vec<Value> = lists
        .map(|(resource, group, _)| json!({ "apiGroups": [group], "resources": [resource], "verbs": ["list"] }))
        .collect();
    rules.push(json!({ "apiGroups": ["storage.k8s.io"], "resources": ["csidrivers", "csinodes"], "verbs": ["list"] }));
    rules.push(json!({ "apiGroups": [""], "resources": ["events"], "verbs": ["list"] }));
    rules.push(json!({ "apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"] }));
    rules.push(json!({ "apiGroups": [""], "resources": ["persistentvolumes", "persistentvolumeclaims", "persistentvolumes/status"],
        "verbs": ["get", "patch", "delete"] }));
    let group = "rbac.authorization.k8s.io";
    [
        json!({ "apiVersion": format!("{group}/v1"), "kind": "ClusterRole", "metadata": { "name": name }, "rules": rules }),
        json!({ "apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding", "metadata": { "name": name },
            "roleRef": { "apiGroup": group, "kind": "ClusterRole", "name": name },
            "subjects": [{ "apiGroup": group, "kind": "User", "name": name }] }),
    ]
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_depends_on_a_forbidden_list_is_refused() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), "blind");
    for (resource, ..) in LISTS {
        let name = format!("sweeper-without-{resource}");
        for object in account(&name, resource) {
            scene.add(&object);
        }
    }
    // The authorizer learns of roles in the order they were made.
    let newest = format!("sweeper-without-{}", LISTS[LISTS.len() - 1].0);
    let began = std::time::Instant::now();
    let asked = ["auth", "can-i", "list", "pods", "-A", "-q", "--as", &newest];
    while !cluster.kubectl(&asked).status.success() {
        assert!(began.elapsed().as_secs() < 20);
    }
    let unused = scene.bound_claim("unused", "Delete");
    let categories = "failed,leftover-attachments,lost-claims,released,unreachable,unused-claims";
    let arguments = [
        "--yes",
        "--include-likely",
        "-A",
        "--category",
        categories,
        "--as",
    ];
    for (resource, _, expected) in LISTS {
        let is_needed = expected.contains(&"unused-claims") || resource == "persistentvolumes";
        let lost = scene.lost_claim("lost");
        let user = format!("sweeper-without-{resource}");
        let user_flag = [user.as_str()];
        let dry = if is_needed { &[][..] } else { &["--dry-run"] };
        let ran = scene.cleanup(&[&arguments[..], &user_flag, dry].concat());
        assert_eq!(refused(&ran), expected, "{resource}: {}", ran.stderr);
        for category in expected {
            let told = format!("not decided: {category}: it needs {resource}");
            assert!(ran.stderr.contains(&told), "{told}: {}", ran.stderr);
        }
        assert!(!scene.is_going(&unused), "{resource}: {}", ran.stdout);
        // What does not depend on it was done; what was not decided is reported, and does not change the status.
        let is_done = is_needed && !expected.contains(&"lost-claims");
        assert_eq!(scene.is_going(&lost), is_done, "{resource}: {}", ran.stdout);
        // Whether the data of an unused claim would be lost is not known without its volume.
        let status = if resource == "persistentvolumes" {
            3
        } else {
            0
        };
        assert_eq!(ran.status, status, "{resource}: {}", ran.stderr);
        scene.api.delete(&lost);
    }
    let ran = scene.cleanup(&arguments[..arguments.len() - 1]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(scene.is_going(&unused), "{}", ran.stdout);
    scene.clear();
}
