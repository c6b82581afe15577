//! A plan of 200 deletions can be reviewed: each with claim, size, path, node and policy, on narrow and wide terminals and in JSON.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::{TemporaryFolder, kubectl_pv};
use crate::terminal::on_terminal;

const VOLUMES: usize = 200;

/// Names and sizes as clusters have them.
fn manifests(base: &str) -> String {
    let mut text = String::new();
    for number in 0..VOLUMES {
        let name = format!("pvc-9f2e77aa-5c1b-4a8e-9d3f-0c2b6a7e{number:04}");
        let namespace = ["team-a", "team-b-staging", "data-platform"][number % 3];
        let claim = format!("data-postgresql-{number}");
        let size = ["8Gi", "100Gi", "2Ti"][number % 3];
        write!(
            text,
            "---\napiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: {name}\n  uid: u-{number}\n  annotations: {{pv.kubernetes.io/provisioned-by: example.com/scratch}}\nspec:\n  capacity: {{storage: {size}}}\n  accessModes: [ReadWriteOnce]\n  persistentVolumeReclaimPolicy: Delete\n  storageClassName: scratch\n  hostPath: {{path: {base}/{name}}}\n  claimRef: {{namespace: {namespace}, name: {claim}, uid: gone-{number}}}\n  nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: kubernetes.io/hostname, operator: In, values: [worker-{}]}}]}}]}}}}\nstatus: {{phase: Released}}\n",
            number % 4
        )
        .expect("text grows");
    }
    // Pods, nodes and claims are among the input, so that nothing about users is unknown.
    text.push_str("---\napiVersion: v1\nkind: PersistentVolumeClaimList\nitems: []\n");
    text.push_str("---\napiVersion: v1\nkind: Pod\nmetadata: {name: other, namespace: other, uid: p-1}\nspec: {nodeName: worker-0, containers: [{name: c, image: i}]}\n");
    for node in 0..4 {
        write!(text, "---\napiVersion: v1\nkind: Node\nmetadata: {{name: worker-{node}, uid: n-{node}, labels: {{kubernetes.io/hostname: worker-{node}}}}}\n").expect("text grows");
    }
    text
}

#[test]
fn two_hundred_deletions() {
    let folder = TemporaryFolder::new();
    // The layout depends on the length of the path.
    let directory = format!("/tmp/kpv-{:08}", std::process::id());
    std::fs::create_dir(&directory).expect("make a base directory");
    let base = directory.as_str();
    let file = folder.path().join("volumes.yaml");
    std::fs::write(&file, manifests(base)).expect("write manifests");
    let file = file.to_str().expect("a plain path");
    let backend = format!("example.com/scratch=hostpath:{base}");
    let words = [
        "reclaim",
        "--all-released",
        "-f",
        file,
        "--dry-run",
        "--backend",
        &backend,
    ];
    let shortened = |text: &str| text.replace(base, "/srv/volumes");
    for columns in [80, 100] {
        let shown = on_terminal(columns, &words.join(" "));
        let shown = shortened(&shown);
        insta::assert_snapshot!(format!("two_hundred_deletions_{columns}"), shown);
        for number in 0..VOLUMES {
            let claim = format!("data-postgresql-{number}");
            assert!(shown.contains(&claim), "{columns}: {claim}");
        }
    }
    let plan: Value = serde_json::from_str(
        &kubectl_pv(&[&words[..], &["-o", "json"]].concat())
            .ran()
            .stdout,
    )
    .expect("a plan");
    let changes = plan["changes"].as_array().expect("changes");
    let deletions = changes
        .iter()
        .filter(|change| change["action"] == "DeleteAsset");
    let deletions: Vec<&Value> = deletions.collect();
    assert_eq!(deletions.len(), VOLUMES);
    for (number, change) in deletions.iter().enumerate() {
        assert_eq!(change["policy"], "Delete");
        assert_eq!(change["node"], format!("worker-{}", number % 4));
        let claim = change["claim"].as_str().unwrap_or_default();
        assert!(
            claim.ends_with(&format!("/data-postgresql-{number}")),
            "{change}"
        );
        let path = change["path"].as_str().unwrap_or_default();
        assert!(path.starts_with(base), "{change}");
        assert!(change["size"].is_string(), "{change}");
    }
    std::fs::remove_dir(base).expect("it is empty");
}
