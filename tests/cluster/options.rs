//! Options against a real API server, seen by an account that may read classes and the ConfigMaps of
//! one namespace, and nothing else: what it can know is told, what it cannot see is named.

use serde_json::{Value, json};

use super::control_plane::ControlPlane;
use crate::support::{Ran, TemporaryFile, kubectl_pv};

const ACCOUNT: &str = "
apiVersion: v1
kind: ServiceAccount
metadata: {name: chooser, namespace: options}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: options-classes}
rules:
- {apiGroups: [storage.k8s.io], resources: [storageclasses], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: options-classes}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: options-classes}
subjects: [{kind: ServiceAccount, name: chooser, namespace: options}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: options-maps, namespace: options}
rules:
- {apiGroups: [\"\"], resources: [configmaps], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: options-maps, namespace: options}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: options-maps}
subjects: [{kind: ServiceAccount, name: chooser, namespace: options}]
";

/// The class, the ConfigMap and the claim of seed 003, with the options as the alpha keeps them: as
/// annotations.
const OBJECTS: &str = r#"
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: options-slow
  annotations:
    volume.alpha.kubernetes.io/allowed-provisioning-options: |
      [{"key": "zone",
        "allowedValues": ["us-east-1a", "us-east-1b", "us-east-1c", "us-east-2a", "us-east-2b", "us-east-2c"],
        "description": "Requested AWS availability zone"},
       {"key": "encryption", "defaultValue": "false", "allowedValues": ["true", "false"],
        "description": "Request volume encryption"},
       {"key": "kmsKeyId", "description": "ID of AWS encryption key"}]
provisioner: kubernetes.io/aws-ebs
parameters:
  type: gp2
  zones: us-east-1a, us-east-1b, us-east-1c, us-east-2a, us-east-2b, us-east-2c
---
apiVersion: v1
kind: ConfigMap
metadata: {name: my-provisioning-config, namespace: options}
data:
  zone: us-east-1d
  type: gp2
  encrypted: "true"
  kmsKeyId: arn:aws:kms:us-east-1:123456789012:key/12345678-1234-1234-1234-123456789012
---
apiVersion: v1
kind: ConfigMap
metadata: {name: good, namespace: options}
data: {zone: us-east-1a}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: myclaim
  namespace: options
  annotations: {volume.alpha.kubernetes.io/provisioning-options: my-provisioning-config}
spec: {accessModes: [ReadWriteOnce], storageClassName: options-slow, resources: {requests: {storage: 1500Mi}}}
"#;

/// The account with its token, and nothing of any other user's.
struct Chooser<'a> {
    cluster: &'a ControlPlane,
    token: String,
}

impl<'a> Chooser<'a> {
    fn of(cluster: &'a ControlPlane) -> Self {
        let output = cluster.kubectl(&["create", "token", "chooser", "-n", "options"]);
        assert!(
            output.status.success(),
            "create a token: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let token = String::from_utf8(output.stdout).expect("a token is text");
        Self {
            cluster,
            token: token.trim().to_owned(),
        }
    }

    fn asks(&self, arguments: &[&str]) -> Ran {
        let kubeconfig = self.cluster.kubeconfig("nobody");
        let kubeconfig = kubeconfig.to_str().expect("a path in plain text");
        let mut all = arguments.to_vec();
        all.extend(["--kubeconfig", kubeconfig, "--token", &self.token]);
        kubectl_pv(&all).ran()
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn an_account_that_reads_classes_and_config_maps_gets_all_it_needs() {
    let cluster = ControlPlane::connect();
    cluster.namespace("options");
    cluster.apply(ACCOUNT);
    cluster.apply(OBJECTS);
    let chooser = Chooser::of(&cluster);

    describes_the_class(&chooser);
    finds_what_is_wrong(&chooser);
    says_what_it_may_not_see(&chooser);
    holds_files_against_the_cluster(&chooser);

    let removed = cluster.kubectl(&[
        "delete",
        "storageclass/options-slow",
        "namespace/options",
        "--wait=false",
    ]);
    assert!(
        removed.status.success(),
        "{}",
        String::from_utf8_lossy(&removed.stderr)
    );
}

fn describes_the_class(chooser: &Chooser) {
    let ran = chooser.asks(&["describe-class", "options-slow", "-o", "json"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let class = parsed(&ran);
    assert_eq!(class["kind"], "ClassDescription", "{class:#}");
    assert_eq!(class["class"]["name"], "options-slow");
    let keys: Vec<&Value> = listed(&class["options"])
        .map(|option| &option["key"])
        .collect();
    assert_eq!(keys, ["zone", "encryption", "kmsKeyId"], "{class:#}");
    let zones = [
        "us-east-1a",
        "us-east-1b",
        "us-east-1c",
        "us-east-2a",
        "us-east-2b",
        "us-east-2c",
    ];
    assert_eq!(class["options"][0]["allowedValues"], json!(zones));
    assert_eq!(
        class["options"][0]["description"],
        "Requested AWS availability zone"
    );
    assert_eq!(class["options"][1]["defaultValue"], "false");
    assert_eq!(class["options"][2]["required"], false);
    // Neither drivers nor volumes were readable: that is not "there is none".
    assert_eq!(class["driver"]["presence"], "Unknown", "{class:#}");
    let unknowns = unknowns(&class);
    for what in ["persistentvolumes", "persistentvolumeclaims", "csidrivers"] {
        assert!(unknowns.contains(&what), "{what}: {unknowns:?}");
    }

    let shown = chooser.asks(&["describe-class", "options-slow"]);
    assert_eq!(shown.status, 0, "{}", shown.stderr);
    for line in ["us-east-2c", "false (default)", "ID of AWS encryption key"] {
        assert!(shown.stdout.contains(line), "{line}\n{}", shown.stdout);
    }
}

fn finds_what_is_wrong(chooser: &Chooser) {
    let validate = |name: &str| {
        let target = format!("configmap/{name}");
        chooser.asks(&[
            "validate",
            &target,
            "--class",
            "options-slow",
            "-n",
            "options",
            "-o",
            "json",
        ])
    };
    let ran = validate("my-provisioning-config");
    assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
    let report = parsed(&ran);
    assert_eq!(report["kind"], "ValidationReport");
    assert!(
        unknowns(&report).contains(&"persistentvolumeclaims"),
        "which claims use it was not to be seen: {report:#}"
    );
    let mut errors: Vec<(&str, &str)> = listed(&report["findings"])
        .filter(|finding| finding["severity"] == "Error")
        .map(|finding| (text(&finding["code"]), text(&finding["field"])))
        .collect();
    errors.sort_unstable();
    assert_eq!(
        errors,
        [
            ("OptionUnknown", "data.encrypted"),
            ("OptionUnknown", "data.type"),
            ("OptionValueNotAllowed", "data.zone"),
        ],
        "{report:#}"
    );
    for finding in listed(&report["findings"]).filter(|finding| finding["severity"] == "Error") {
        let object = json!({ "kind": "ConfigMap", "namespace": "options", "name": "my-provisioning-config" });
        assert_eq!(finding["object"], object, "{finding:#}");
        assert!(finding.get("file").is_none(), "{finding:#}");
    }
    let offered = listed(&report["findings"]).any(|finding| {
        finding["field"] == "data.encrypted" && text(&finding["hint"]).contains("encryption")
    });
    assert!(offered, "{report:#}");

    let good = validate("good");
    assert_eq!(good.status, 0, "{}{}", good.stdout, good.stderr);
    let report = parsed(&good);
    let notes: Vec<&str> = listed(&report["findings"])
        .map(|finding| text(&finding["code"]))
        .collect();
    assert_eq!(notes, ["OptionDefaultApplies"], "{report:#}");
}

fn says_what_it_may_not_see(chooser: &Chooser) {
    // The claim itself is out of its sight.
    let ran = chooser.asks(&["validate", "pvc/myclaim", "-n", "options", "-o", "json"]);
    assert_eq!(ran.status, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("persistentvolumeclaims"),
        "{}",
        ran.stderr
    );
    // And so are the ConfigMaps of everybody else.
    let ran = chooser.asks(&[
        "validate",
        "configmap/x",
        "--class",
        "options-slow",
        "-n",
        "default",
        "-o",
        "json",
    ]);
    assert_eq!(ran.status, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("configmaps"), "{}", ran.stderr);
}

/// A claim in a file, its class and its ConfigMap in the cluster.
fn holds_files_against_the_cluster(chooser: &Chooser) {
    let claim = OBJECTS
        .rsplit("---")
        .next()
        .expect("the claim")
        .replace("myclaim", "mine");
    let file = TemporaryFile::new("claim.yaml", &claim);
    let validate = ["validate", "-f", file.path(), "-n", "options", "-o", "json"];
    let ran = chooser.asks(&validate);
    assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
    let report = parsed(&ran);
    let found: Vec<(&str, bool)> = listed(&report["findings"])
        .map(|finding| (text(&finding["code"]), finding.get("file").is_some()))
        .collect();
    // The ConfigMap is live and has no place in a file; the claim has one.
    assert!(found.contains(&("OptionUnknown", false)), "{report:#}");
    assert!(
        found.contains(&("OptionValueNotAllowed", false)),
        "{report:#}"
    );
    assert!(
        found.contains(&("OptionsIgnoredByCluster", true)),
        "{report:#}"
    );
    assert!(
        unknowns(&report).contains(&"persistentvolumes"),
        "{report:#}"
    );
    // Alone, the file says nothing of what the cluster has.
    let alone = chooser.asks(&[&validate[..], &["--offline"]].concat());
    let codes: Vec<String> = listed(&parsed(&alone)["findings"])
        .map(|finding| text(&finding["code"]).to_owned())
        .collect();
    assert_eq!(codes, ["OptionsConfigMapNotFound", "ClassNotFound"]);
}

fn parsed(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr))
}

fn unknowns(report: &Value) -> Vec<&str> {
    listed(&report["unknowns"])
        .map(|unknown| text(&unknown["what"]))
        .collect()
}

fn listed(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
