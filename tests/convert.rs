//! `convert`: the spellings of the design documents, in today's.

use crate::support::{TemporaryFile, kubectl_pv};
use insta::assert_snapshot;
use serde_json::Value;

/// Every block of the design documents.
const SEEDS: [&str; 13] = [
    "000-classes.yaml",
    "000-external-claim.yaml",
    "000-external-volume.yaml",
    "001-claim.yaml",
    "001-pod.yaml",
    "001-volume.yaml",
    "003-claim.yaml",
    "003-class.yaml",
    "003-config-map.yaml",
    "003-typo-class.yaml",
    "004-claims.yaml",
    "004-labelled-volume.yaml",
    "004-volumes.yaml",
];

fn seed(name: &str) -> String {
    format!("../seeds/{name}")
}

fn converted(text: &str) -> String {
    let ran = kubectl_pv(&["convert", "-f", "-"]).stdin(text).ran();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    ran.stdout
}

#[test]
fn the_design_documents() {
    for name in SEEDS {
        let shown = kubectl_pv(&["convert", "-f", &seed(name)]).shown();
        insta::with_settings!({ snapshot_suffix => name.trim_end_matches(".yaml") }, {
            assert_snapshot!(shown);
        });
    }
}

#[test]
fn what_is_converted_is_not_converted_again() {
    for name in SEEDS {
        let once = kubectl_pv(&["convert", "-f", &seed(name)]).ran().stdout;
        let again = kubectl_pv(&["convert", "-f", "-"]).stdin(&once).ran();
        assert_eq!(
            (again.stdout, again.stderr),
            (once, String::new()),
            "{name}"
        );
    }
}

/// Claims are explained, and classes judged, alike before and after. Blocks without a separator are no YAML before.
#[test]
fn answers_are_the_same_before_and_after() {
    let files = SEEDS.map(|name| {
        let text =
            std::fs::read_to_string(format!("{}/tests/seeds/{name}", env!("CARGO_MANIFEST_DIR")))
                .unwrap();
        // `convert` parts the objects of such a block; kubectl would not.
        if matches!(
            name,
            "000-classes.yaml" | "004-claims.yaml" | "004-volumes.yaml"
        ) {
            return text
                .replace("\n\n\napiVersion", "\n---\napiVersion")
                .replace("\n\napiVersion", "\n---\napiVersion")
                .replace("\n\nkind", "\n---\nkind");
        }
        text
    });
    let before = files.join("\n---\n");
    let after = converted(&before);
    let ask =
        |text: &str, arguments: &[&str]| -> Value { kubectl_pv(arguments).stdin(text).json() };
    let explain = ["explain", "pvc", "-A", "-f", "-", "-o", "json"];
    let explained = ask(&before, &explain);
    assert_eq!(explained, ask(&after, &explain));
    assert_eq!(explained["items"].as_array().unwrap().len(), 5);
    let pods = ["explain", "pods", "-A", "-f", "-", "-o", "json"];
    assert_eq!(ask(&before, &pods), ask(&after, &pods));
    let classes = ["describe-class", "-f", "-", "-o", "json"];
    assert_eq!(ask(&before, &classes), ask(&after, &classes));
}

#[test]
fn todays_manifests_stay_as_they_are() {
    let text = "\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  labels:
    on: \"yes\"
spec:
  accessModes:
  - ReadWriteOnce
  storageClassName: \"\"
  resources:
    requests:
      storage: 1Gi
---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  class: mine
";
    // An unquoted `on` is a key that kubectl reads as true.
    assert_eq!(converted(text), text.replace("    on:", "    \"true\":"));
}

#[test]
fn a_field_of_today_counts_before_the_old_one() {
    let text = "kind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {name: a}\nspec: {class: old, storageClassName: new}\n";
    let claim = converted(text);
    assert!(
        claim.contains("storageClassName: new") && !claim.contains("old"),
        "{claim}"
    );
    let nothing = converted(&text.replace("new", "null"));
    assert!(nothing.contains("storageClassName: old"), "{nothing}");
}

#[test]
fn templates_of_claims_are_converted() {
    let text = "
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  template:
    spec:
      volumes:
      - {name: scratch, ephemeral: {volumeClaimTemplate: {spec: {class: fast}}}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {class: slow, provisioningOptions: {name: mine}}
";
    let ran = kubectl_pv(&["convert", "-f", "-", "-o", "json"])
        .stdin(text)
        .ran();
    let list: Value = serde_json::from_str(&ran.stdout).unwrap();
    let spec = &list["items"][0]["spec"];
    let scratch = &spec["template"]["spec"]["volumes"][0]["ephemeral"]["volumeClaimTemplate"];
    assert_eq!(scratch["spec"]["storageClassName"], "fast");
    let data = &spec["volumeClaimTemplates"][0];
    assert_eq!(data["spec"]["storageClassName"], "slow");
    let annotation = "volume.alpha.kubernetes.io/provisioning-options";
    assert_eq!(data["metadata"]["annotations"][annotation], "mine");
    assert!(data["spec"].get("provisioningOptions").is_none());
    assert_eq!(ran.stderr.lines().count(), 3, "{}", ran.stderr);
}

#[test]
fn nothing_is_converted_of_what_cannot_be_read() {
    let broken = TemporaryFile::new("broken.yaml", "kind: PersistentVolume\n  x: 1\n");
    let ran = kubectl_pv(&["convert", "-f", broken.path()]).ran();
    assert_eq!((ran.status, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.contains("broken.yaml, line 2"), "{}", ran.stderr);
    assert_eq!(kubectl_pv(&["convert"]).ran().status, 2);
    assert_eq!(
        kubectl_pv(&["convert", "-f", "-", "-o", "name"])
            .ran()
            .status,
        2
    );
    assert_eq!(
        kubectl_pv(&["convert", "-f", "nowhere.yaml"]).ran().status,
        3
    );
}
