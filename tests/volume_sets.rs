//! PersistentVolumeSets from files: the definition that is printed, and what `validate` says of sets.
//!
//! After a change of the schema: `UPDATE_CRD=1 cargo test --test main volume_sets`.

use crate::support::{TemporaryFile, kubectl_pv};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A set of two NFS volumes.
fn set(name: &str) -> Value {
    json!({"apiVersion": "kubectl-pv.dev/v1alpha1", "kind": "PersistentVolumeSet", "metadata": {"name": name}, "spec": {
        "minimumReplicas": 1, "maximumReplicas": 2, "selector": {"pool": name},
        "template": {
            "metadata": {"labels": {"pool": name}},
            "spec": {
                "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                "nfs": {"server": "filer", "path": "/pools/{set}/{ordinal}"},
            },
        },
    }})
}

fn documents(objects: &[Value]) -> String {
    objects
        .iter()
        .map(|object| format!("---\n{object}\n"))
        .collect()
}

/// `CODE name field` of every finding.
fn found(text: &str) -> Vec<String> {
    let report = kubectl_pv(&["validate", "--offline", "-f", "-", "-o", "json"])
        .stdin(text)
        .json();
    let spell = |finding: &Value| {
        let part = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (code, field) = (part(&finding["code"]), part(&finding["field"]));
        format!("{code} {} {field}", part(&finding["object"]["name"]))
    };
    report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(spell)
        .collect()
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "whoever changes the schema asks for a new file this way"
)]
fn the_definition_in_deploy_is_the_one_that_is_printed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/persistentvolumeset-crd.yaml");
    let printed = kubectl_pv(&["set", "crd"]).ran().stdout;
    if std::env::var_os("UPDATE_CRD").is_some() {
        fs::write(&path, &printed).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == printed,
        "deploy/persistentvolumeset-crd.yaml is out of step; run: UPDATE_CRD=1 cargo test --test main volume_sets"
    );
}

#[test]
fn the_definition_is_small_and_explains_itself() {
    let definition = kubectl_pv(&["set", "crd", "-o", "json"]).json();
    // What client-side apply keeps of it in an annotation must fit into 256 KiB.
    assert!(definition.to_string().len() < 64 * 1024);
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let volume = &schema["properties"]["spec"]["properties"]["template"]["properties"]["spec"];
    for own in [
        "/properties/spec",
        "/properties/spec/properties/minimumReplicas",
        "/properties/spec/properties/maximumReplicas",
        "/properties/spec/properties/selector",
        "/properties/spec/properties/template",
        "/properties/spec/properties/template/properties/metadata/properties/name",
        "/properties/status/properties/nextOrdinal",
        "/properties/status/properties/inProgress/properties/until",
        "/properties/status/properties/conditions",
    ] {
        assert!(
            schema.pointer(own).unwrap()["description"].is_string(),
            "{own}"
        );
    }
    assert_eq!(volume["properties"].as_object().unwrap().len(), 31);
    let rules = definition.to_string().matches("\"rule\":").count();
    assert_eq!(
        rules,
        definition.to_string().matches("\"message\":\"").count()
    );
}

#[test]
fn what_is_wrong_with_a_set_is_shown() {
    let text = "apiVersion: kubectl-pv.dev/v1alpha1
kind: PersistentVolumeSet
metadata:
  name: fast
spec:
  minimumReplicas: 5
  maximumReplicas: 3
  selector:
    pool: fast
  template:
    metadata:
      name: fast
      labels: {pool: slow}
      namespace: default
    spec:
      capacity: {storage: 10gb}
      accessModes: [RWO]
      storageClassName: Fast
      gcePersistentDisk: {}
";
    let file = TemporaryFile::new("set.yaml", text);
    let shown = kubectl_pv(&["validate", "--offline", "-f", file.path()]).shown();
    assert_snapshot!(shown.replace(file.path(), "set.yaml"));
}

#[test]
fn good_sets_are_good() {
    let mut made = set("made");
    let template = &mut made["spec"]["template"];
    template["metadata"]["annotations"] =
        json!({"pv.kubernetes.io/provisioned-by": "example.com/disks"});
    template["spec"].as_object_mut().unwrap().remove("nfs");
    template["spec"]["persistentVolumeReclaimPolicy"] = json!("Delete");
    let none: [String; 0] = [];
    assert_eq!(found(&documents(&[set("fast"), made])), none);
}

#[test]
fn unknown_fields_are_dropped() {
    let mut typo = set("fast");
    typo["spec"]["minReplicas"] = json!(1);
    typo["spec"]["template"]["spec"]["nfs"]["sever"] = json!("x");
    assert_eq!(
        found(&documents(&[typo])),
        [
            "DroppedByServer fast spec.minReplicas",
            "DroppedByServer fast spec.template.spec.nfs.sever",
        ]
    );
}

#[test]
fn a_set_of_another_group_or_version_is_none() {
    let of = |version: &str| {
        let mut set = set("fast");
        set["apiVersion"] = json!(version);
        found(&documents(&[set]))
    };
    assert_eq!(of("v1"), ["DroppedByServer fast apiVersion"]);
    assert_eq!(
        of("kubectl-pv.dev/v1"),
        ["InvalidVolumeSet fast apiVersion"]
    );
}

#[test]
fn sets_with_members_in_common() {
    let mut wide = set("wide");
    wide["spec"]["selector"] = json!({"tier": "any"});
    wide["spec"]["template"]["metadata"]["labels"] = json!({"tier": "any"});
    let shared = json!({"apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": "pv-1", "labels": {"pool": "fast", "tier": "any"}},
        "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}});
    let apart = documents(&[set("fast"), wide.clone()]);
    let none: [String; 0] = [];
    assert_eq!(found(&apart), none);
    assert_eq!(
        found(&documents(&[set("fast"), wide.clone(), shared])),
        [
            "InvalidVolumeSet fast spec.selector",
            "InvalidVolumeSet wide spec.selector",
        ]
    );
    let mut both = set("fast");
    both["spec"]["template"]["metadata"]["labels"]["tier"] = json!("any");
    assert_eq!(
        found(&documents(&[both.clone(), wide.clone()])),
        [
            "InvalidVolumeSet fast spec.template.metadata.labels",
            "InvalidVolumeSet wide spec.selector",
        ]
    );
    wide["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    assert_eq!(found(&documents(&[both, wide])), none);
}

#[test]
fn a_set_is_judged_by_name_against_all_of_them() {
    let text = documents(&[set("fast"), set("slow")]);
    for target in ["pvs/fast", "set/fast", "persistentvolumeset/fast"] {
        let arguments = ["validate", "--offline", "-f", "-", target, "-o", "json"];
        assert_eq!(kubectl_pv(&arguments).stdin(&text).json()["checked"], 1);
    }
    let mut same = set("slow");
    same["spec"]["selector"] = json!({"pool": "fast"});
    same["spec"]["template"]["metadata"]["labels"] = json!({"pool": "fast"});
    let arguments = ["validate", "--offline", "-f", "-", "pvs/fast", "-o", "json"];
    let report = kubectl_pv(&arguments)
        .stdin(&documents(&[set("fast"), same]))
        .json();
    assert_eq!(report["checked"], 1);
    assert!(
        report["findings"][0]["message"]
            .as_str()
            .unwrap()
            .contains("set slow")
    );
}

#[test]
fn what_is_said_of_volumes_is_said_of_templates() {
    let mut lost = set("fast");
    lost["spec"]["template"]["spec"]["persistentVolumeReclaimPolicy"] = json!("Delete");
    lost["spec"]["template"]["metadata"]["annotations"] =
        json!({"volume.beta.kubernetes.io/storage-class": "x"});
    assert_eq!(
        found(&documents(&[lost])),
        [
            "BetaClassAnnotation fast spec.template.metadata.annotations[volume.beta.kubernetes.io/storage-class]",
            "NotDeletable fast spec.template.spec.persistentVolumeReclaimPolicy",
        ]
    );
}
