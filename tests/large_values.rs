//! One claim with very large values: the memory and time of a run grow with the input, not with the product of the claim's size and
//! the number of volumes.
#![cfg(target_os = "linux")]

use crate::long_lines::Used;
use crate::support::{TemporaryFile, kubectl_pv};
use serde_json::{Value, json};
use std::io::Read;
use std::process::Stdio;

fn volume(number: usize) -> Value {
    json!({ "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": { "name": format!("volume-{number:05}"), "uid": format!("v{number}"),
            "labels": { "tier": "gold" } },
        "spec": { "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"],
            "storageClassName": "static", "hostPath": { "path": "/nowhere" } },
        "status": { "phase": "Available" } })
}

fn claim(name: &str, spec: &Value) -> Value {
    let mut claim = json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": { "namespace": "ns", "name": name, "uid": name },
        "spec": { "accessModes": ["ReadWriteOnce"], "storageClassName": "static",
            "resources": { "requests": { "storage": "1Gi" } } },
        "status": { "phase": "Pending" } });
    for (field, value) in spec.as_object().cloned().unwrap_or_default() {
        claim["spec"][field] = value;
    }
    claim
}

/// What `explain -A` needs for so many volumes, some small claims and one large one.
fn explain(volumes: usize, large: &Value) -> Used {
    let mut items: Vec<Value> = (0..volumes).map(volume).collect();
    items.extend((0..40).map(|number| claim(&format!("small-{number}"), &json!({}))));
    items.push(claim("large", large));
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string();
    let file = TemporaryFile::new("state.json", &list);
    let mut command = kubectl_pv(&["explain", "-A", "-f", file.path(), "-o", "json"]).command();
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    // A pipe holds 64 KiB, and the report is longer: from here the child waits.
    let mut output = vec![0; 1];
    stdout.read_exact(&mut output).unwrap();
    let used = Used::by(&child);
    stdout.read_to_end(&mut output).unwrap();
    child.wait().unwrap();
    assert!(output.len() > 100_000, "{} bytes", output.len());
    used
}

#[test]
fn a_large_claim_does_not_grow_with_the_number_of_volumes() {
    let values: Vec<String> = (0..60_000)
        .map(|number| format!("value-{number}"))
        .collect();
    let expressions: Vec<Value> = values
        .iter()
        .take(15_000)
        .map(|value| json!({ "key": value, "operator": "Exists" }))
        .collect();
    let one = json!([{ "key": "tier", "operator": "In", "values": values }]);
    let cases = [
        ("values", json!({ "selector": { "matchExpressions": one } })),
        (
            "expressions",
            json!({ "selector": { "matchExpressions": expressions } }),
        ),
        ("volumeName", json!({ "volumeName": "v".repeat(1_000_000) })),
    ];
    for (what, large) in cases {
        // The growth that the large claim adds to a run without it, at 25 volumes and at eight times as many.
        let [few, many] = [25, 200].map(|volumes| {
            let (with, without) = (explain(volumes, &large), explain(volumes, &json!({})));
            let kilobytes = with.kilobytes.saturating_sub(without.kilobytes);
            (kilobytes, with.time.saturating_sub(without.time))
        });
        // One copy for each volume would make it eight times as much.
        assert!(
            many.0 < 2 * few.0.max(20_000),
            "{what}: {few:?}, {many:?} kB"
        );
        assert!(
            many.1 < 8 * few.1.max(30),
            "{what}: {few:?}, {many:?} of 10 ms"
        );
    }
}
