//! Text of other people never stands where advice stands, whatever the width of the terminal, and shows what it holds.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{TemporaryFolder, kubectl_pv};
use crate::terminal::on_terminal;

/// What a namespace user would like an administrator to paste.
fn bait() -> String {
    format!("x{}kubectl delete pv --all", " ".repeat(60))
}

fn claim(name: &str, spec: &Value) -> Value {
    let mut claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": { "namespace": "prod", "name": name, "uid": format!("u-{name}"), "annotations": {} },
        "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
            "storageClassName": "fast" },
        "status": { "phase": "Pending" },
    });
    for (field, value) in spec.as_object().unwrap() {
        claim["spec"][field] = value.clone();
    }
    claim
}

fn annotated(name: &str, key: &str, value: &str) -> Value {
    let mut claim = claim(name, &json!({}));
    claim["metadata"]["annotations"][key] = json!(value);
    claim
}

fn event(name: &str, kind: &str, namespace: &str, about: &str, reason: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": { "namespace": namespace, "name": name },
        "involvedObject": { "kind": kind, "namespace": namespace, "name": about, "uid": format!("u-{about}") },
        "type": "Warning", "reason": reason, "message": bait(),
        "source": { "component": "disk.example.com_pod_1" }, "reportingComponent": "disk.example.com",
    })
}

/// One claim per field, and the objects around them.
fn state() -> Value {
    let bait = bait();
    let unbindable = json!([{ "matchExpressions": [
        { "key": "kubernetes.io/hostname", "operator": "In", "values": [&bait] } ] }]);
    let volume = |name: &str, spec: Value, phase: &str| {
        let mut volume = json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": { "name": name, "uid": format!("u-{name}") },
            "spec": { "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"],
                "storageClassName": "other", "persistentVolumeReclaimPolicy": "Retain",
                "nfs": { "server": "filer", "path": format!("/{bait}") } },
            "status": { "phase": phase, "reason": &bait, "message": &bait },
        });
        for (field, value) in spec.as_object().unwrap() {
            volume["spec"][field] = value.clone();
        }
        volume
    };
    let mut bound = claim("grown", &json!({ "volumeName": "pv-bound" }));
    bound["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] = json!("yes");
    bound["spec"]["resources"]["requests"]["storage"] = json!("2Gi");
    bound["status"] = json!({ "phase": "Bound", "capacity": { "storage": "1Gi" },
        "conditions": [{ "type": "Resizing", "status": "True", "message": &bait }] });
    json!({ "apiVersion": "v1", "kind": "List", "items": [
        claim("named", &json!({ "volumeName": &bait })),
        annotated("beta-class", "volume.beta.kubernetes.io/storage-class", &bait),
        annotated("selected-node", "volume.kubernetes.io/selected-node", &bait),
        annotated("options", "volume.alpha.kubernetes.io/provisioning-options", "options"),
        annotated("no-options", "volume.alpha.kubernetes.io/provisioning-options", &bait),
        claim("event", &json!({})),
        claim("labels", &json!({ "storageClassName": "", "selector": { "matchLabels": { "a": &bait } } })),
        claim("source", &json!({ "dataSource": { "kind": "PersistentVolumeClaim", "name": &bait } })),
        bound,
        { "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "namespace": "prod", "name": "options" },
            "data": { "zone": &bait, "size": "x" } },
        { "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": "fast", "uid": "u-fast", "annotations": {
                "volume.alpha.kubernetes.io/allowed-provisioning-options":
                    json!([{ "key": "zone", "allowedValues": ["a", &bait], "description": &bait }]).to_string() } },
            "provisioner": "disk.example.com", "parameters": { "type": &bait }, "mountOptions": [&bait],
            "volumeBindingMode": "Immediate" },
        volume("pv-bound", json!({ "storageClassName": "fast",
            "claimRef": { "namespace": "prod", "name": "grown", "uid": "u-grown" } }), "Bound"),
        volume("pv-failed", json!({ "claimRef": { "namespace": &bait, "name": &bait, "uid": "gone" } }), "Failed"),
        volume("pv-pinned", json!({ "nodeAffinity": { "required": { "nodeSelectorTerms": unbindable } } }), "Available"),
        event("e1", "PersistentVolumeClaim", "prod", "event", "ProvisioningFailed"),
        event("e2", "Pod", "prod", "web", "FailedMount"),
        { "apiVersion": "v1", "kind": "Pod", "metadata": { "namespace": "prod", "name": "web", "uid": "u-web" },
            "spec": { "nodeName": "n1", "containers": [{ "name": "c", "image": "i" }],
                "volumes": [{ "name": "v", "persistentVolumeClaim": { "claimName": "event" } }] },
            "status": { "phase": "Pending", "conditions": [
                { "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": &bait }] } },
        { "apiVersion": "v1", "kind": "Node", "metadata": { "name": "n1", "uid": "u-n1",
            "labels": { "kubernetes.io/hostname": "n1" } },
            "spec": { "taints": [{ "key": "a", "value": &bait, "effect": "NoSchedule" }] } },
    ] })
}

/// Everything that JSON calls a command.
fn commands(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                if ["commands", "finishWith", "remedy"].contains(&key.as_str()) {
                    let lines = value
                        .as_array()
                        .cloned()
                        .unwrap_or_else(|| vec![value.clone()]);
                    found.extend(lines.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                commands(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| commands(item, found)),
        _ => {}
    }
}

const QUESTIONS: [&str; 12] = [
    "explain -A",
    "explain -A -o wide",
    "explain pv",
    "explain pv/pv-failed pv/pv-pinned pv/pv-bound",
    "explain pod/web -n prod",
    "explain named beta-class selected-node options no-options event labels source grown -n prod",
    "plan",
    "status",
    "describe-class fast",
    "validate --offline",
    "cleanup",
    "reclaim pv-failed --dry-run",
];

#[test]
fn no_folded_line_is_a_command() {
    let folder = TemporaryFolder::new();
    let file = folder.path().join("state.json");
    fs::write(&file, state().to_string()).unwrap();
    for question in QUESTIONS {
        let mut known = BTreeSet::new();
        let words: Vec<&str> = question
            .split(' ')
            .filter(|word| *word != "-o" && *word != "wide")
            .collect();
        let machine = [&words[..], &["-o", "json", "-f", file.to_str().unwrap()]].concat();
        let printed = kubectl_pv(&machine).ran().stdout;
        commands(
            &serde_json::from_str(&printed).unwrap_or_default(),
            &mut known,
        );
        for columns in [60, 80, 100, 120] {
            let shown = on_terminal(columns, &format!("{question} -f '{}'", file.display()));
            assert!(shown.len() > 20, "{question}: {shown}");
            for line in shown.lines().map(str::trim) {
                let is_known = known.contains(line);
                assert!(
                    !line.starts_with("kubectl") || is_known,
                    "{question}, {columns} columns: {line}\n{shown}"
                );
            }
            // A terminal would go on with a longer line at its left edge.
            let is_value = |line: &&str| {
                let line = line.trim_start();
                line.starts_with("\"x kubectl") || line.starts_with("| x kubectl")
            };
            let is_cell = |line: &str| line.starts_with(&" ".repeat(20));
            let long = shown
                .lines()
                .filter(is_value)
                .filter(|line| !is_cell(line))
                .find(|line| line.chars().count() > columns);
            assert_eq!(long, None, "{question}, {columns} columns: {shown}");
        }
    }
}

#[test]
fn values_are_quoted_with_one_blank_for_many() {
    let folder = TemporaryFolder::new();
    let file = folder.path().join("state.json");
    fs::write(&file, state().to_string()).unwrap();
    let explain = |name: &str, more: &[&str]| {
        let words = [
            &["explain", name, "-n", "prod", "-f", file.to_str().unwrap()],
            more,
        ]
        .concat();
        kubectl_pv(&words).ran().stdout
    };
    for name in ["named", "beta-class", "selected-node", "options", "event"] {
        let shown = explain(name, &[]);
        assert!(
            shown.contains("\"x kubectl delete pv --all\""),
            "{name}: {shown}"
        );
        let is_block = |line: &&str| line.starts_with("  | ");
        let mut sentences = shown.lines().filter(|line| !is_block(line));
        let bare = sentences.find(|line| line.contains(" x kubectl"));
        assert_eq!(bare, None, "{name}: {shown}");
        // JSON carries the value whole.
        let printed = explain(name, &["-o", "json"]);
        assert!(printed.contains(&bait()), "{name}: {printed}");
    }
}

#[test]
fn what_cannot_be_seen_is_escaped_in_every_format() {
    let hidden = "a\u{ad}b\u{3164}c\u{e0041}d\u{202e}e\u{200b}f";
    let state = json!({ "apiVersion": "v1", "kind": "List", "items": [claim("c", &json!({ "volumeName": hidden }))] });
    let shown = |format: &str| {
        let words = ["explain", "c", "-n", "prod", "-f", "-", "-o", format];
        kubectl_pv(&words).stdin(&state.to_string()).ran().stdout
    };
    for format in ["table", "wide", "json", "yaml"] {
        let text = shown(format);
        for c in hidden.chars().filter(|c| !c.is_ascii()) {
            assert!(!text.contains(c), "{format}: {:x}", u32::from(c));
        }
    }
    assert!(shown("table").contains("\"a\\u{ad}b\\u{3164}c\\u{e0041}d\\u{202e}e\\u{200b}f\""));
    let read: Value = serde_json::from_str(&shown("json")).unwrap();
    assert!(
        read["causes"][0]["message"]
            .as_str()
            .unwrap()
            .contains("\\u{ad}")
    );
}

#[test]
fn completion_prints_context_names_safely() {
    let folder = TemporaryFolder::new();
    let config = folder.path().join("config");
    let contexts = json!({ "apiVersion": "v1", "kind": "Config", "contexts": [
        { "name": "evil\u{1b}]0;owned\u{7}\n:0\nrm", "context": { "cluster": "c", "user": "u" } } ] });
    fs::write(&config, contexts.to_string()).unwrap();
    let completer = folder.path().join("kubectl_complete-pv");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kubectl-pv"), &completer).unwrap();
    let output = Command::new(&completer)
        .args(["explain", "--context", ""])
        .env("KUBECONFIG", &config)
        .output()
        .unwrap();
    let offered = String::from_utf8(output.stdout).unwrap();
    assert_eq!(offered, "evil^[]0;owned\\u{7}\\n:0\\nrm\n:4\n");
}

#[test]
fn describe_class_prints_no_secret() {
    let secrets = [
        ("clientSecret", "value-of-1"),
        ("secret", "value-of-2"),
        ("pwd", "value-of-3"),
        ("privateKey", "value-of-4"),
        ("accountKey", "value-of-5"),
        ("connectionString", "Server=db;Password=value-of-6"),
        ("password", "value-of-7"),
        ("apiToken", "value-of-8"),
        ("endpoint", "https://admin:value-of-9@storage.example.com/"),
        ("resturl", "http://user:value-of-10@10.0.0.1:8080"),
        ("adminCredential", "value-of-11"),
        ("accessKey", "value-of-12"),
    ];
    let parameters: serde_json::Map<String, Value> = secrets
        .iter()
        .map(|(key, value)| ((*key).to_owned(), json!(value)))
        .collect();
    let class = json!({ "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": { "name": "fast", "uid": "u" }, "provisioner": "csi.example.com",
        "parameters": parameters });
    for format in ["", "-o=wide", "-o=json", "-o=yaml"] {
        let mut words = vec!["describe-class", "fast", "-f", "-"];
        words.extend((!format.is_empty()).then_some(format));
        let ran = kubectl_pv(&words).stdin(&class.to_string()).ran();
        let printed = format!("{}{}", ran.stdout, ran.stderr);
        assert!(printed.contains("clientSecret"), "{printed}");
        assert!(!printed.contains("value-of-"), "{format}: {printed}");
    }
}
