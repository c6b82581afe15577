//! `reclaim` on files: what becomes of volumes, without a cluster and without a trace on this machine.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Ran, TemporaryFile, kubectl_pv};

/// Volumes in every state a claim leaves behind; `BASE` is where their directories are.
const CLUSTER: &str = r#"
apiVersion: v1
kind: PersistentVolume
metadata:
  name: gone
  uid: uid-pv-gone
  labels: {tier: gold}
  annotations: {pv.kubernetes.io/provisioned-by: example.com/scratch}
  finalizers: [kubernetes.io/pv-protection]
spec:
  capacity: {storage: 3Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: scratch
  persistentVolumeReclaimPolicy: Delete
  hostPath: {path: BASE/gone}
  claimRef: {namespace: prod, name: data, uid: uid-old}
status: {phase: Released}
---
apiVersion: v1
kind: PersistentVolume
metadata:
  name: emptied
  uid: uid-pv-emptied
  annotations: {pv.kubernetes.io/bound-by-controller: "yes"}
spec:
  capacity: {storage: 2Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: scratch
  persistentVolumeReclaimPolicy: Recycle
  hostPath: {path: BASE/emptied}
  claimRef: {namespace: prod, name: logs, uid: uid-logs}
status: {phase: Released}
---
apiVersion: v1
kind: PersistentVolume
metadata:
  name: kept
  uid: uid-pv-kept
  annotations: {kubectl-pv.dev/keep: ""}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: manual
  persistentVolumeReclaimPolicy: Retain
  nfs: {server: nas, path: /kept}
  claimRef: {namespace: prod, name: old, uid: uid-kept, resourceVersion: "12"}
status: {phase: Released}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: mine, uid: uid-pv-mine}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: manual
  persistentVolumeReclaimPolicy: Delete
  hostPath: {path: BASE/mine}
  claimRef: {namespace: prod, name: data, uid: uid-data}
status: {phase: Bound}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  namespace: prod
  uid: uid-data
  annotations: {pv.kubernetes.io/bind-completed: "yes"}
spec:
  storageClassName: manual
  volumeName: mine
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
status: {phase: Bound}
---
apiVersion: v1
kind: Pod
metadata: {name: app, namespace: prod}
spec:
  containers: [{name: app, image: app}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
---
apiVersion: v1
kind: Node
metadata: {name: n1}
"#;

/// A base directory with data in it, gone with its value, and a cluster of volumes there.
struct Base {
    file: TemporaryFile,
}

impl Base {
    fn new() -> Self {
        let file = TemporaryFile::new("cluster.yaml", "");
        let base = Self { file };
        for name in ["gone", "emptied", "mine"] {
            fs::create_dir_all(base.path().join(name)).unwrap();
            fs::write(base.path().join(name).join("file"), "data").unwrap();
        }
        let text = CLUSTER.replace("BASE", &base.path().display().to_string());
        fs::write(base.file.path(), text).unwrap();
        base
    }

    fn path(&self) -> PathBuf {
        Path::new(self.file.path()).with_file_name("base")
    }

    fn is_untouched(&self) -> bool {
        ["gone", "emptied", "mine"]
            .iter()
            .all(|name| self.path().join(name).join("file").exists())
    }

    fn reclaim(&self, arguments: &[&str]) -> Ran {
        let backend = format!("example.com/scratch=hostpath:{}", self.path().display());
        let mut all = vec!["reclaim", "-f", self.file.path(), "--backend", &backend];
        all.extend(arguments);
        let ran = kubectl_pv(&all).ran();
        assert!(self.is_untouched(), "files are no reason to touch anything");
        ran
    }

    /// The text, wherever the directory is.
    fn shown(&self, ran: &Ran) -> String {
        let told = format!("{}{}", ran.stdout, ran.stderr);
        told.replace(&self.path().display().to_string(), "BASE")
    }
}

fn items(ran: &Ran) -> Vec<Value> {
    let list: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(list["kind"], "List");
    list["items"].as_array().unwrap().clone()
}

fn find<'a>(items: &'a [Value], name: &str) -> Option<&'a Value> {
    let is = |object: &&Value| {
        object["kind"] == "PersistentVolume" && object["metadata"]["name"] == name
    };
    items.iter().find(is)
}

#[test]
fn the_plan_says_of_each_volume_what_becomes_of_it() {
    let base = Base::new();
    let ran = base.reclaim(&["--all-released", "--dry-run"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    insta::assert_snapshot!(base.shown(&ran));
}

#[test]
fn the_new_state_is_printed() {
    let base = Base::new();
    let ran = base.reclaim(&["--all-released", "-o", "json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let items = items(&ran);
    assert!(find(&items, "gone").is_none(), "it was deleted");
    let emptied = find(&items, "emptied").unwrap();
    assert_eq!(emptied["spec"]["claimRef"], Value::Null);
    let policy = &emptied["spec"]["persistentVolumeReclaimPolicy"];
    assert_eq!(*policy, "Recycle", "as it was");
    assert_eq!(emptied["metadata"]["annotations"], Value::Null);
    assert_eq!(emptied["status"]["phase"], "Available");
    let mine = find(&items, "mine").unwrap();
    assert_eq!(mine["spec"]["claimRef"]["uid"], "uid-data");
    assert!(ran.stderr.contains("pv/kept: OptOut"), "{}", ran.stderr);
}

#[test]
fn a_lock_of_ours_on_what_somebody_else_has_freed_goes() {
    const LOCKED: &str = "
apiVersion: v1
kind: PersistentVolume
metadata:
  name: free
  uid: uid-free
  annotations: {kubectl-pv.dev/recycling: Recycle/5}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: manual
  persistentVolumeReclaimPolicy: Retain
  nfs: {server: nas, path: /free}
status: {phase: Available}
";
    let file = TemporaryFile::new("locked.yaml", LOCKED);
    let ran = kubectl_pv(&["reclaim", "--all-released", "-f", file.path(), "-o", "json"]).ran();
    let items = items(&ran);
    let free = find(&items, "free").unwrap();
    assert_eq!(free["spec"]["persistentVolumeReclaimPolicy"], "Recycle");
    assert_eq!(free["metadata"]["annotations"], Value::Null);
    let ran = kubectl_pv(&["reclaim", "--all-released", "--reuse", "-f", file.path()]).ran();
    assert!(!ran.stderr.contains("pv/free"), "{}", ran.stderr);
}

#[test]
fn what_was_named_and_is_left_alone_is_a_no() {
    let base = Base::new();
    for (name, code) in [("kept", "PolicyRetain"), ("mine", "ClaimExists")] {
        let ran = base.reclaim(&[name, "--dry-run", "-o", "json"]);
        assert_eq!(ran.status, 1, "{name}: {}", ran.stderr);
        let plan: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(plan["command"], "reclaim");
        assert_eq!(plan["changes"], json!([]));
        assert_eq!(plan["skipped"][0]["code"], code);
    }
    // Without its backend the directory is nobody's to delete.
    let file = base.file.path();
    let ran = kubectl_pv(&["reclaim", "gone", "-f", file, "--dry-run", "-o", "json"]).ran();
    let plan: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(plan["changes"], json!([]));
    assert_eq!(plan["skipped"][0]["code"], "ForeignDeleter");
}

#[test]
fn the_plan_in_json_says_what_loses_data() {
    let base = Base::new();
    let ran = base.reclaim(&["pv/gone", "emptied", "--dry-run", "-o", "json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let plan: Value = serde_json::from_str(&ran.stdout).unwrap();
    let changes = plan["changes"].as_array().unwrap().iter();
    let told: Vec<String> = changes
        .map(|change| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            format!(
                "{} {} {}",
                text(&change["action"]),
                text(&change["target"]["name"]),
                text(&change["danger"])
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "Patch emptied Reversible",
            "Wait recycler-for-emptied Harmless",
            "Wait emptied Harmless",
            "ScrubAsset emptied LosesData",
            "Wait recycler-for-emptied Harmless",
            "Patch emptied Harmless",
            "Patch emptied Harmless",
            "Patch gone Harmless",
            "Delete gone LosesData",
            "DeleteAsset gone LosesData",
            "Patch gone Harmless",
        ]
    );
}

#[test]
fn a_volume_is_given_back_to_anybody_or_to_one() {
    let base = Base::new();
    let ran = base.reclaim(&["kept", "--reuse", "-o", "json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let all = items(&ran);
    let volume = find(&all, "kept").unwrap();
    assert_eq!(volume["spec"]["claimRef"], Value::Null);
    assert_eq!(volume["status"]["phase"], "Available");

    let ran = base.reclaim(&["kept", "--reuse", "--for", "prod/new", "-o", "json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let all = items(&ran);
    let reference = &find(&all, "kept").unwrap()["spec"]["claimRef"];
    let expected = json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "namespace": "prod", "name": "new" });
    assert_eq!(*reference, expected);

    let ran = base.reclaim(&["kept", "--reuse", "--for", "prod/new", "--dry-run"]);
    insta::assert_snapshot!(base.shown(&ran));
}

#[test]
fn policies_are_flipped_by_class_and_label() {
    let base = Base::new();
    let ran = base.reclaim(&["--class", "manual", "--set-policy", "Retain", "-o", "json"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let all = items(&ran);
    let policy =
        |name: &str| find(&all, name).unwrap()["spec"]["persistentVolumeReclaimPolicy"].clone();
    assert_eq!(policy("mine"), "Retain");
    assert_eq!(policy("gone"), "Delete", "another class");
    let ran = base.reclaim(&[
        "-l",
        "tier=gold",
        "--set-policy",
        "Retain",
        "--dry-run",
        "-o",
        "name",
    ]);
    assert_eq!(ran.stdout, "persistentvolume/gone\n");
}

#[test]
fn what_makes_no_sense_is_wrong_usage() {
    let base = Base::new();
    for arguments in [
        &[][..],
        &["gone", "--all-released"],
        &["pvc/data"],
        &["gone", "--for", "prod/x"],
        &["gone", "--reuse", "--for", "x"],
        &["--all-released", "--reuse", "--for", "prod/x"],
        &["gone", "--set-policy", "Recycle"],
        &["gone", "--reuse", "--set-policy", "Retain"],
        &["gone", "--recycler-image", ""],
        &["gone", "--dry-run=server"],
        &["gone", "--take-over-directory", "/tmp=none"],
        &["gone", "--save", "/tmp/never"],
    ] {
        let ran = base.reclaim(arguments);
        assert_eq!(ran.status, 2, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(base.reclaim(&["gon"]).status, 3);
    assert!(base.reclaim(&["gon"]).stderr.contains("gone"));
}

#[test]
fn a_namespace_has_the_volumes_of_its_claims() {
    let base = Base::new();
    let names = |namespace: &str| {
        let words = ["--all-released", "-n", namespace, "--dry-run", "-o", "name"];
        let ran = base.reclaim(&words);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout
    };
    let all = names("prod");
    assert!(all.contains("gone") && all.contains("emptied"), "{all}");
    assert_eq!(names("team-b"), "");
    let ran = base.reclaim(&["gone", "-n", "team-b", "--dry-run", "-o", "json"]);
    assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
    let plan: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(plan["skipped"][0]["code"], "OtherNamespace");
    assert_eq!(plan["changes"], json!([]));
}

#[test]
fn excluded_namespaces_and_several_classes() {
    let base = Base::new();
    let names = |words: &[&str]| {
        let ran = base.reclaim(&[words, &["--dry-run", "-o", "name"]].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout
    };
    let all = names(&["--all-released"]);
    assert_eq!(
        names(&["--all-released", "--exclude-namespace", "team-b"]),
        all
    );
    let none = names(&["--all-released", "--exclude-namespace", "prod"]);
    assert!(!none.contains("gone"), "{none}");
    let classes = ["--all-released", "--class", "manuel", "--class", "scratch"];
    assert_eq!(
        names(&classes),
        names(&["--all-released", "--class", "scratch"])
    );
    let refused = base.reclaim(&["gone", "--exclude-namespace", "prod", "--dry-run"]);
    assert_eq!(refused.status, 1, "{}", refused.stdout);
    assert!(refused.stdout.contains("OtherNamespace"));
    for words in [&["gone", "--class", "scratch"][..], &["gone", "-l", "a=b"]] {
        assert_eq!(base.reclaim(words).status, 2, "{words:?}");
    }
}

/// A script that protects volumes must notice that it protected none.
#[test]
fn a_selection_that_matches_nothing_is_no_success() {
    let base = Base::new();
    let retain = ["--set-policy", "Retain", "--dry-run"];
    for selection in [
        &["--class", "manuel"][..],
        &["-l", "tier=platinum"],
        &["-l", "tier=gold", "-n", "team-b"],
    ] {
        let ran = base.reclaim(&[selection, &retain].concat());
        assert_eq!(ran.status, 1, "{selection:?}: {}", ran.stdout);
        assert!(
            ran.stdout.starts_with("Nothing was changed: no volume"),
            "{}",
            ran.stdout
        );
        let ran = base.reclaim(&[selection, &retain[..2]].concat());
        assert!(
            ran.stderr.contains("selection: NothingSelected: no"),
            "{}",
            ran.stderr
        );
        let ran = base.reclaim(&[selection, &retain, &["-o", "json"]].concat());
        let plan: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(plan["skipped"][0]["code"], "NothingSelected");
        assert_eq!(ran.status, 1);
    }
    // Where something matches and nothing needs a change, all is well.
    let ran = base.reclaim(&[&["--class", "scratch", "-n", "prod"], &retain[..]].concat());
    assert_eq!(ran.status, 0, "{}", ran.stdout);
}
