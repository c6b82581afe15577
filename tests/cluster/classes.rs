//! `describe-class` against the real API server: options in the annotation, and people who may read very little.

use super::control_plane::ControlPlane;
use serde_json::{Value, json};

const OBJECTS: &str = r#"
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: dc-zoned
  annotations:
    storageclass.kubernetes.io/is-default-class: "true"
    volume.alpha.kubernetes.io/allowed-provisioning-options: |
      [{"key": "zone", "allowedValues": ["a", "b"], "description": "where\nhttps://example.com/zones"},
       {"key": "iops", "required": true},
       {"key": "encrypted", "defaultValue": "false"}]
provisioner: csi.dc.example
reclaimPolicy: Retain
volumeBindingMode: WaitForFirstConsumer
allowedTopologies:
- matchLabelExpressions:
  - {key: topology.kubernetes.io/zone, values: [dc-a]}
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: csi.dc.example}
spec: {storageCapacity: true}
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttributesClass
metadata: {name: dc-silver}
driverName: csi.dc.example
parameters: {iops: "4000"}
---
apiVersion: storage.k8s.io/v1
kind: CSIStorageCapacity
metadata: {name: dc-room, namespace: classes}
storageClassName: dc-zoned
nodeTopology: {matchLabels: {topology.kubernetes.io/zone: dc-a}}
capacity: 100Gi
---
apiVersion: v1
kind: Node
metadata: {name: dc-node, labels: {topology.kubernetes.io/zone: dc-a}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: classes}
spec: {accessModes: [ReadWriteOnce], storageClassName: dc-zoned, resources: {requests: {storage: 1Gi}}}
---
# One user may list classes and nothing else, one may get them by name, one has claims of a namespace besides.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: dc-lister}
rules: [{apiGroups: [storage.k8s.io], resources: [storageclasses], verbs: [list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: dc-getter}
rules: [{apiGroups: [storage.k8s.io], resources: [storageclasses], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: dc-lister}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: dc-lister}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: dc-lister}
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: dc-tenant}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: dc-getter}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: dc-getter}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: dc-getter}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: dc-tenant, namespace: classes}
rules: [{apiGroups: [""], resources: [persistentvolumeclaims], verbs: [list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: dc-tenant, namespace: classes}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: dc-tenant}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: dc-tenant}]
"#;

fn not_seen(description: &Value) -> Vec<&str> {
    let unknowns = description["unknowns"].as_array().unwrap().iter();
    unknowns.filter_map(|it| it["what"].as_str()).collect()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_class_is_described_as_far_as_one_may_read() {
    let cluster = ControlPlane::connect();
    cluster.namespace("classes");
    cluster.apply(OBJECTS);
    let run = |user: &str, arguments: &[&str]| {
        let all = ["describe-class", "-n", "classes", "--as", user];
        cluster.kubectl_pv("admin", &[&all, arguments].concat())
    };
    let options = json!([
        {"key": "zone", "description": "where\nhttps://example.com/zones", "allowedValues": ["a", "b"], "defaultValue": null, "required": false},
        {"key": "iops", "description": null, "allowedValues": [], "defaultValue": null, "required": true},
        {"key": "encrypted", "description": null, "allowedValues": [], "defaultValue": "false", "required": false}
    ]);

    let all = cluster
        .kubectl_pv("admin", &["describe-class", "dc-zoned", "-o", "json"])
        .json();
    assert_eq!(all["options"], options);
    assert_eq!(all["class"]["default"], true);
    assert_eq!(all["driver"]["presence"], "Registered");
    assert_eq!(all["attributesClasses"], json!(["dc-silver"]));
    assert_eq!(all["topologies"]["nodes"], json!(["dc-node"]));
    assert_eq!(all["usage"]["claims"], json!({"Pending": 1}));
    assert_eq!(all["capacity"][0]["capacity"], "100Gi");
    assert_eq!(all["unknowns"], json!([]));

    let lister = run("dc-lister", &["dc-zoned", "-o", "json"]).json();
    assert_eq!(lister["options"], options);
    assert_eq!(lister["class"]["default"], true);
    assert_eq!(lister["driver"]["presence"], "Unknown");
    assert_eq!(lister["usage"], json!({"volumes": null, "claims": null}));
    assert_eq!(lister["topologies"]["nodes"], Value::Null);
    assert_eq!(lister["attributesClasses"], Value::Null);
    assert_eq!(lister["capacity"], Value::Null);
    let rest = [
        "csidrivers",
        "csinodes",
        "csistoragecapacities",
        "events",
        "nodes",
        "persistentvolumeclaims",
        "persistentvolumes",
        "volumeattributesclasses",
    ];
    assert_eq!(not_seen(&lister), rest);
    let table = run("dc-lister", &[]).ran();
    assert_eq!(table.status, 0, "{}", table.stderr);
    assert!(
        table.stdout.contains("dc-zoned (default)"),
        "{}",
        table.stdout
    );

    let getter = run("dc-getter", &["dc-zoned", "-o", "json"]).json();
    assert_eq!(getter["options"], options);
    assert_eq!(
        (
            &getter["class"]["default"],
            &getter["class"]["markedDefault"]
        ),
        (&Value::Null, &json!(true))
    );
    assert!(not_seen(&getter).contains(&"storageclasses"));
    for (user, name, why) in [
        ("dc-getter", "dc-zone", "class \"dc-zone\" not found"),
        ("dc-lister", "dc-zone", "class \"dc-zone\" not found"),
        (
            "dc-nobody",
            "dc-zoned",
            "you may neither list storageclasses nor get \"dc-zoned\"",
        ),
    ] {
        let ran = run(user, &[name]).ran();
        assert_eq!(ran.status, 3, "{user}: {}", ran.stdout);
        assert!(ran.stderr.contains(why), "{user}: {}", ran.stderr);
    }
    assert_eq!(run("dc-getter", &[]).ran().status, 3);

    let tenant = run("dc-tenant", &["dc-zoned", "-o", "json"]).json();
    assert_eq!(
        tenant["usage"],
        json!({"volumes": null, "claims": {"Pending": 1}, "claimsOfNamespace": "classes"})
    );
    assert!(not_seen(&tenant).contains(&"persistentvolumeclaims outside namespace classes"));

    check_template(&cluster);
    clear(&cluster);
}

/// What a template says is what the API server takes.
fn check_template(cluster: &ControlPlane) {
    let arguments = ["describe-class", "dc-zoned", "--template", "--name", "mine"];
    let own = ["-n", "classes", "--as", "dc-lister"];
    let template = cluster
        .kubectl_pv("admin", &[arguments.as_slice(), &own].concat())
        .ran();
    assert_eq!(template.status, 0, "{}", template.stderr);
    let taken = cluster.kubectl_with_stdin(
        &["apply", "--dry-run=server", "-o", "json", "-f", "-"],
        &template.stdout,
    );
    let error = String::from_utf8_lossy(&taken.stderr);
    assert!(taken.status.success(), "{error}");
    let list: Value = serde_json::from_slice(&taken.stdout).unwrap();
    assert_eq!(list["items"][0]["data"], json!({"iops": ""}));
    assert_eq!(
        list["items"][1]["metadata"]["annotations"]["volume.alpha.kubernetes.io/provisioning-options"],
        "mine"
    );
}

/// Other tests have defaults and nodes of their own.
fn clear(cluster: &ControlPlane) {
    for object in [
        "storageclass/dc-zoned",
        "node/dc-node",
        "csidriver/csi.dc.example",
        "volumeattributesclass/dc-silver",
        "clusterrolebinding/dc-lister",
        "clusterrolebinding/dc-getter",
    ] {
        // A VolumeAttributesClass is protected, and nobody here takes the protection away.
        let removed = cluster.kubectl(&["delete", object, "--wait=false"]);
        let error = String::from_utf8_lossy(&removed.stderr);
        assert!(removed.status.success(), "{error}");
    }
    let removed = cluster.kubectl(&["delete", "pvc/data", "-n", "classes", "--wait=false"]);
    assert!(removed.status.success());
}
