//! `provision` on files: a whole scenario played without a cluster, and without a trace on this machine.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Ran, TemporaryFile, kubectl_pv};

const CLUSTER: &str = r#"
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: scratch}
provisioner: example.com/scratch
parameters: {mode: "0700", labels: "tier=gold"}
reclaimPolicy: Delete
volumeBindingMode: Immediate
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default}
spec:
  storageClassName: scratch
  accessModes: [ReadWriteOnce]
  selector: {matchLabels: {tier: gold}}
  resources: {requests: {storage: 3Gi}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: block, namespace: default}
spec:
  storageClassName: scratch
  volumeMode: Block
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 3Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: host-1}}
"#;

/// A base directory, gone with its value, and the flag that names it.
struct Base {
    file: TemporaryFile,
}

impl Base {
    fn new() -> Self {
        let file = TemporaryFile::new("cluster.yaml", CLUSTER);
        let base = Self { file };
        fs::create_dir(base.path()).unwrap();
        base
    }

    fn path(&self) -> PathBuf {
        Path::new(self.file.path()).with_file_name("base")
    }

    fn is_empty(&self) -> bool {
        fs::read_dir(self.path()).unwrap().count() == 0
    }

    fn provision(&self, arguments: &[&str], input: Option<&str>) -> Ran {
        let backend = format!("example.com/scratch=hostpath:{}", self.path().display());
        let file = if input.is_some() {
            "-"
        } else {
            self.file.path()
        };
        let mut all = vec![
            "provision",
            "-f",
            file,
            "--backend",
            &backend,
            "--node",
            "n1",
        ];
        all.extend(arguments);
        let run = kubectl_pv(&all);
        match input {
            Some(text) => run.stdin(text).ran(),
            None => run.ran(),
        }
    }
}

fn items(list: &str) -> Vec<Value> {
    let list: Value = serde_json::from_str(list).unwrap();
    assert_eq!(list["kind"], "List");
    list["items"].as_array().unwrap().clone()
}

fn find<'a>(items: &'a [Value], kind: &str, name: Option<&str>) -> &'a Value {
    let is = |object: &&Value| {
        object["kind"] == kind && name.is_none_or(|name| object["metadata"]["name"] == name)
    };
    items
        .iter()
        .find(is)
        .unwrap_or_else(|| panic!("no {kind} {name:?}: {items:?}"))
}

#[test]
fn the_new_state_is_printed_and_nothing_is_made() {
    let base = Base::new();
    let ran = base.provision(&["data", "-o", "json"], None);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let items = items(&ran.stdout);
    assert_eq!(items.len(), 5, "what was read, and the volume");
    let claim = find(&items, "PersistentVolumeClaim", Some("data"));
    let volume = find(&items, "PersistentVolume", None);
    let uid = claim["metadata"]["uid"].as_str().expect("it exists now");
    assert_eq!(volume["metadata"]["name"], format!("pvc-{uid}"));
    assert_eq!(volume["spec"]["claimRef"]["uid"], uid);
    assert_eq!(volume["spec"]["storageClassName"], "scratch");
    assert_eq!(volume["spec"]["capacity"]["storage"], "3Gi");
    assert_eq!(volume["spec"]["persistentVolumeReclaimPolicy"], "Delete");
    assert_eq!(volume["metadata"]["labels"]["tier"], "gold");
    let by = &volume["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"];
    assert_eq!(by, "example.com/scratch");
    let path = base.path().join(format!("pvc-{uid}"));
    assert_eq!(volume["spec"]["hostPath"]["path"], path.to_str().unwrap());
    assert_eq!(
        volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"][0]["matchExpressions"][0]["values"],
        json!(["host-1"])
    );
    assert_eq!(volume["status"]["phase"], "Bound");
    assert_eq!(claim["spec"]["volumeName"], volume["metadata"]["name"]);
    assert_eq!(claim["status"]["phase"], "Bound");
    assert!(base.is_empty(), "no directory, no record");
}

#[test]
fn what_comes_out_is_a_cluster_in_which_nothing_is_left_to_do() {
    let base = Base::new();
    let ran = base.provision(&[], None);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let explained = kubectl_pv(&["explain", "data", "-f", "-", "-o", "json"])
        .stdin(&ran.stdout)
        .json();
    assert_eq!(explained["verdict"], "Bound");
    let again = base.provision(&[], Some(&ran.stdout));
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert_eq!(again.stdout, ran.stdout);
    let plan = base.provision(&["data", "--dry-run", "-o", "json"], Some(&ran.stdout));
    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
    assert_eq!(plan["changes"], json!([]));
    assert_eq!(plan["skipped"][0]["code"], "AlreadyBound");
    assert!(base.is_empty());
}

#[test]
fn the_plan_says_what_is_made_where() {
    let base = Base::new();
    let ran = base.provision(&["data", "--dry-run", "-o", "json"], None);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let plan: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&plan["kind"], &plan["command"]),
        (&json!("Plan"), &json!("provision"))
    );
    let changes = plan["changes"].as_array().unwrap();
    let actions: Vec<&str> = changes
        .iter()
        .filter_map(|change| change["action"].as_str())
        .collect();
    let position = |action: &str| actions.iter().position(|one| *one == action);
    let (asset, volume) = (position("CreateAsset"), position("Create"));
    assert!(asset.is_some() && asset < volume, "{actions:?}");
    for change in changes {
        assert!(
            change["why"].as_str().is_some_and(|why| !why.is_empty()),
            "{change}"
        );
    }
    assert!(base.is_empty());
}

#[test]
fn how_it_ends_says_what_became_of_what_was_named() {
    let base = Base::new();
    let status = |arguments: &[&str]| base.provision(arguments, None).status;
    assert_eq!(status(&["data"]), 0);
    assert_eq!(status(&["block"]), 1);
    assert_eq!(status(&["data", "block"]), 1);
    assert_eq!(status(&[]), 0, "what cannot be served is only found");
    assert_eq!(status(&["gone"]), 3);
    assert_eq!(status(&["pv/data"]), 2);
    assert_eq!(status(&["data", "--dry-run=server"]), 2);
    assert_eq!(status(&["data", "-A"]), 2);
    assert_eq!(status(&["data", "--backend", "nonsense"]), 2);
    assert_eq!(status(&["data", "--backend", "a.b/c=hostpath:relative"]), 2);
    assert!(base.is_empty());
}
