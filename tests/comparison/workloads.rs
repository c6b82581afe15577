//! Pods and workloads over the claims of a generated cluster: pods on nodes or without one, StatefulSets with templates,
//! Deployments, Jobs, CronJobs and DaemonSets that name claims.

use serde_json::{Value, json};

use super::objects::{is_kind, name_of, namespace_of};
use crate::random::Random;

/// A claim that is the subject of a pod or a workload.
struct Used {
    namespace: String,
    name: String,
}

pub(super) fn add_workloads(random: &mut Random, objects: &mut Vec<Value>) {
    let claims: Vec<Used> = objects
        .iter()
        .filter(|object| is_kind(object, "PersistentVolumeClaim"))
        .map(|claim| Used {
            namespace: namespace_of(claim).to_owned(),
            name: name_of(claim).to_owned(),
        })
        .collect();
    if claims.is_empty() {
        return;
    }
    add_nodes(random, objects);
    let nodes: Vec<String> = objects
        .iter()
        .filter(|object| is_kind(object, "Node"))
        .map(|node| name_of(node).to_owned())
        .collect();
    for index in 0..random.below(4) {
        let used = &claims[random.below(claims.len())];
        objects.push(pod(random, used, &nodes, index));
    }
    for index in 0..random.weighted(&[(45, 0), (35, 1), (20, 2)]) {
        let used = &claims[random.below(claims.len())];
        objects.push(workload(random, used, index));
    }
}

/// Nodes where the cluster has none, so that volumes with a node affinity meet some.
fn add_nodes(random: &mut Random, objects: &mut Vec<Value>) {
    if objects.iter().any(|object| is_kind(object, "Node")) || random.chance(30) {
        return;
    }
    for index in 0..=random.below(3) {
        let name = format!("node-{index}");
        objects.push(json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": { "name": name, "labels": {
                "kubernetes.io/hostname": name,
                "topology.kubernetes.io/zone": random.pick(&["a", "b"]),
            } },
            "spec": { "unschedulable": random.chance(10) },
            "status": {
                "allocatable": { "cpu": "4", "memory": "8Gi", "pods": "110" },
                "conditions": [{ "type": "Ready", "status": "True" }],
            },
        }));
    }
}

fn pod(random: &mut Random, used: &Used, nodes: &[String], index: usize) -> Value {
    let phase = random.weighted(&[(50, "Pending"), (35, "Running"), (15, "Succeeded")]);
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": used.namespace, "name": format!("user-{index}") },
        "spec": spec(&used.name),
        "status": { "phase": phase },
    });
    if phase != "Pending" || random.chance(15) {
        let node = match nodes.len() {
            0 => "node-gone",
            many => &nodes[random.below(many)],
        };
        pod["spec"]["nodeName"] = json!(node);
    }
    if random.chance(20) {
        pod["spec"]["nodeSelector"] = json!({ "topology.kubernetes.io/zone": "a" });
    }
    pod
}

fn spec(claim: &str) -> Value {
    json!({
        "containers": [{ "name": "main", "image": "example.com/main" }],
        "volumes": [{ "name": "data", "persistentVolumeClaim": { "claimName": claim } }],
    })
}

fn workload(random: &mut Random, used: &Used, index: usize) -> Value {
    let kind = random.weighted(&[
        (45, "StatefulSet"),
        (25, "Deployment"),
        (10, "Job"),
        (10, "CronJob"),
        (10, "DaemonSet"),
    ]);
    let labels = json!({ "app": format!("app-{index}") });
    let template = json!({ "metadata": { "labels": labels }, "spec": spec(&used.name) });
    let metadata = json!({ "namespace": used.namespace, "name": format!("app-{index}") });
    let mut object = json!({ "apiVersion": "apps/v1", "kind": kind, "metadata": metadata });
    match kind {
        "StatefulSet" => object["spec"] = stateful_spec(random, &labels),
        "Job" => {
            object["apiVersion"] = json!("batch/v1");
            object["spec"] = json!({ "template": template });
        }
        "CronJob" => {
            object["apiVersion"] = json!("batch/v1");
            object["spec"] = json!({
                "schedule": "0 3 * * *",
                "jobTemplate": { "spec": { "template": template } },
            });
        }
        _ => {
            object["spec"] = json!({
                "replicas": random.pick(&[0, 1, 2]),
                "selector": { "matchLabels": labels }, "template": template,
            });
        }
    }
    object
}

/// A StatefulSet whose claims partly exist: `a` and `b` are names of generated claims, too.
fn stateful_spec(random: &mut Random, labels: &Value) -> Value {
    let mut claim = json!({
        "metadata": { "name": random.pick(&["data", "a"]) },
        "spec": {
            "accessModes": [random.pick(&["ReadWriteOnce", "ReadWriteMany"])],
            "resources": { "requests": { "storage": random.pick(&["1Gi", "2Gi", "1500M"]) } },
        },
    });
    if random.chance(70) {
        claim["spec"]["storageClassName"] = json!(random.pick(&["fast", "slow", "", "missing"]));
    }
    json!({
        "replicas": random.pick(&[1, 2, 3]),
        "serviceName": "app",
        "selector": { "matchLabels": labels },
        "template": {
            "metadata": { "labels": labels },
            "spec": { "containers": [{ "name": "main", "image": "example.com/main" }] },
        },
        "volumeClaimTemplates": [claim],
    })
}
