//! What we say the API server would refuse, it refuses, in the very words; what we let pass, it takes. Every claim goes
//! to the server as a dry run and to us as a file, with the objects that decide (classes, LimitRanges, quotas) beside it.

use super::control_plane::ControlPlane;
use super::objects::collection;
use crate::support::kubectl_pv;
use serde_json::{Value, json};

const AROUND: &str = "
apiVersion: v1
kind: LimitRange
metadata: {name: bounds, namespace: admission-limits}
spec: {limits: [{type: PersistentVolumeClaim, min: {storage: 1Gi}, max: {storage: 10Gi}}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: space, namespace: admission-quota}
spec:
  hard:
    requests.storage: 20Gi
    persistentvolumeclaims: \"5\"
    gold.storageclass.storage.k8s.io/requests.storage: 5Gi
";

/// A claim that is taken, changed by `change`.
fn claim(namespace: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "asked", "namespace": namespace},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "any", "resources": {"requests": {"storage": "2Gi"}}},
    });
    change(&mut claim);
    claim
}

fn with(path: &str, value: Value) -> Value {
    claim("admission", |claim| set(claim, path, value))
}

fn set(object: &mut Value, path: &str, value: Value) {
    let mut at = object;
    for step in path.split('/') {
        at = &mut at[step];
    }
    *at = value;
}

#[expect(clippy::too_many_lines, reason = "one list")]
fn cases() -> Vec<Value> {
    let expression = |value: Value| json!({"matchExpressions": [value]});
    let mut cases = vec![
        with("spec/accessModes", json!([])),
        with(
            "spec/accessModes",
            json!(["ReadWriteOnce", "ReadWriteNever"]),
        ),
        with(
            "spec/accessModes",
            json!(["ReadWriteOncePod", "ReadWriteOnce"]),
        ),
        with(
            "spec/accessModes",
            json!(["ReadWriteOncePod", "ReadWriteOncePod"]),
        ),
        with(
            "spec/accessModes",
            json!(["Odd \"quotes\"", "ReadWriteOncePod"]),
        ),
        with("spec/resources", json!({})),
        with("spec/resources/requests/storage", json!("0")),
        with("spec/resources/requests/storage", json!("-1Gi")),
        with("spec/resources/requests/storage", json!("1e100")),
        with("spec/resources/requests/storage", json!(" 1Gi ")),
        with("spec/resources/requests/storage", json!(5)),
        with("spec/resources/requests/storage", json!("1.5")),
        with("spec/resources/requests/storage", json!("9300000001G")),
        with(
            "spec/resources/requests/storage",
            json!("9223372036854775808"),
        ),
        with("spec/resources/requests/storage", json!("200E")),
        with("spec/resources/requests/storage", json!("2E9")),
        with("spec/storageClassName", json!("Capital")),
        with("spec/storageClassName", json!("a".repeat(254))),
        with("spec/storageClassName", json!("")),
        with("spec/volumeMode", json!("Tape")),
        with("spec/volumeMode", json!("Block")),
        with("spec/volumeName", json!("Any/Thing")),
        with("spec/volumeAttributesClassName", json!("Bad_Name")),
        with("spec/volumeAttributesClassName", json!("good-name")),
        with("spec/selector", json!({})),
        with("spec/selector", json!({"matchLabels": {"ok": "not ok"}})),
        with("spec/selector", json!({"matchLabels": {"a/b/c": "x"}})),
        with(
            "spec/selector",
            expression(json!({"key": "a", "operator": "In"})),
        ),
        with(
            "spec/selector",
            expression(json!({"key": "a", "operator": "Exists", "values": ["b"]})),
        ),
        with(
            "spec/selector",
            expression(json!({"key": "a", "operator": "Near", "values": ["b"]})),
        ),
        with(
            "spec/selector",
            expression(json!({"key": "", "operator": "Exists"})),
        ),
        with(
            "spec/selector",
            expression(json!({"key": "/x", "operator": "NotIn", "values": ["-b"]})),
        ),
        with(
            "spec/dataSource",
            json!({"kind": "PersistentVolumeClaim", "name": "other"}),
        ),
        with(
            "spec/dataSource",
            json!({"kind": "PersistentVolumeClaim", "name": ""}),
        ),
        with(
            "spec/dataSource",
            json!({"apiGroup": "example.com", "kind": "Thing", "name": "x"}),
        ),
        with("spec/dataSourceRef", json!({"kind": "Secret", "name": "x"})),
        with(
            "spec/dataSourceRef",
            json!({"apiGroup": "Bad_Group", "kind": "Thing", "name": "x"}),
        ),
        with("metadata/name", json!("Not_A_Name")),
        with("metadata/name", json!("n".repeat(254))),
        with("metadata/labels", json!({"long": "v".repeat(64)})),
        with("metadata/labels", json!({"k".repeat(64): "x"})),
        with(
            "metadata/labels",
            json!({format!("{}/x", "p".repeat(254)): "x"}),
        ),
        with("metadata/labels", json!({"tab": "a\tb", "quote": "\"é\""})),
        with(
            "metadata/labels",
            json!({"bad key": "x", "ok": "bad value!"}),
        ),
        with("metadata/annotations", json!({"a b": "x"})),
        with(
            "metadata/annotations",
            json!({"volume.beta.kubernetes.io/storage-class": "Any Thing"}),
        ),
        with("metadata/annotations", json!({"big": "x".repeat(262_145)})),
        claim("admission", |claim| {
            set(
                claim,
                "spec/dataSource",
                json!({"kind": "PersistentVolumeClaim", "name": "one"}),
            );
            set(
                claim,
                "spec/dataSourceRef",
                json!({"kind": "PersistentVolumeClaim", "name": "two"}),
            );
        }),
        claim("admission", |claim| {
            set(claim, "spec/accessModes", json!([]));
            set(claim, "spec/volumeMode", json!("Tape"));
            set(claim, "spec/resources", json!({}));
        }),
    ];
    for size in ["1Gi", "1023Mi", "10Gi", "10241Mi", "11G", "0.9999Gi"] {
        cases.push(claim("admission-limits", |claim| {
            set(claim, "spec/resources/requests/storage", json!(size));
        }));
    }
    for (class, size) in [
        ("silver", "20Gi"),
        ("silver", "21Gi"),
        ("gold", "6Gi"),
        ("gold", "5Gi"),
        ("gold", "25Gi"),
        ("silver", "20.5Gi"),
    ] {
        cases.push(claim("admission-quota", |claim| {
            set(claim, "spec/storageClassName", json!(class));
            set(claim, "spec/resources/requests/storage", json!(size));
        }));
    }
    cases
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn refusals_are_the_server_s_own_words() {
    let cluster = ControlPlane::connect();
    for namespace in ["admission", "admission-limits", "admission-quota"] {
        cluster.namespace(namespace);
    }
    cluster.apply(AROUND);
    let quota = {
        // The quota counts once the controller has looked at it.
        let _controller = cluster.start_controller();
        wait_for_quota(&cluster)
    };
    let limits = dump(&cluster, "limitrange", "admission-limits");
    let (mut refused, mut wrong) = (0, Vec::new());
    let cases = cases();
    for case in &cases {
        let server = server_says(&cluster, case);
        refused += usize::from(server.is_some());
        let state = format!("{limits}\n---\n{quota}\n---\n{case}");
        let ours = kubectl_pv(&["explain", "-o", "json", "-f", "-"])
            .stdin(&state)
            .json();
        let ours = ours["items"][0]["refusal"].as_str().map(str::to_owned);
        if comparable(ours.clone()) != comparable(server.clone()) {
            wrong.push(format!(
                "{case:.300}\n  server {server:?}\n  ours   {ours:?}"
            ));
        }
    }
    println!("{} claims, {refused} refused by the server", cases.len());
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

fn server_says(cluster: &ControlPlane, claim: &Value) -> Option<String> {
    let namespace = claim["metadata"]["namespace"].as_str().unwrap_or("default");
    let path = format!(
        "{}?dryRun=All&fieldValidation=Ignore",
        collection("v1", "PersistentVolumeClaim", Some(namespace))
    );
    let answer = cluster.api().send("POST", &path, "application/json", claim);
    let (status, answer) = answer.expect("the API server answers");
    if (200..300).contains(&status) {
        return None;
    }
    let text = answer["message"].as_str().expect("a message").to_owned();
    // The server puts who says it, and about which input, in front.
    let start = ["PersistentVolumeClaim \"", "persistentvolumeclaims \""]
        .iter()
        .filter_map(|word| text.find(word))
        .min();
    Some(start.map_or(text.clone(), |start| text[start..].trim().to_owned()))
}

/// The errors of a refusal, sorted: maps have no order, and kubectl prints several errors a line each.
fn comparable(refusal: Option<String>) -> Option<Vec<String>> {
    let refusal = refusal?;
    let (head, errors) = refusal
        .split_once(" is invalid: ")
        .unwrap_or(("", &refusal));
    let listed = errors
        .strip_prefix('[')
        .and_then(|errors| errors.strip_suffix(']'));
    let mut errors: Vec<String> = match listed {
        Some(listed) => {
            let marked = ["spec", "metadata"]
                .iter()
                .fold(listed.to_owned(), |text, word| {
                    text.replace(&format!(", {word}."), &format!("\n{word}."))
                });
            marked.split('\n').map(str::to_owned).collect()
        }
        None => errors
            .split("\n* ")
            .filter(|error| !error.trim().is_empty())
            .map(str::to_owned)
            .collect(),
    };
    errors.sort();
    errors.insert(0, head.to_owned());
    Some(errors)
}

fn dump(cluster: &ControlPlane, kind: &str, namespace: &str) -> String {
    let output = cluster.kubectl(&["get", kind, "-n", namespace, "-o", "json"]);
    String::from_utf8(output.stdout).expect("kubectl prints text")
}

fn wait_for_quota(cluster: &ControlPlane) -> String {
    for _ in 0..100 {
        let quota = dump(cluster, "resourcequota", "admission-quota");
        if quota.contains("\"used\"") {
            return quota;
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    panic!("the quota was never counted");
}
