//! Is the control plane what the other tests take it for? One claim is bound, one pod is placed,
//! and users have the rights they should have.

use std::time::Duration;

use serde_json::{Value, json};

use super::control_plane::{ControlPlane, QUIET, runtime};
use super::objects::{create_all, create_nodes, delete_all, list, settle};

const LIMIT: Duration = Duration::from_secs(60);

fn volume(name: &str, class: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": { "name": name, "labels": { "test": class } },
        "spec": {
            "storageClassName": class,
            "capacity": { "storage": "1Gi" },
            "accessModes": ["ReadWriteOnce"],
            "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": { "path": "/nowhere" },
        },
    })
}

fn claim(namespace: &str, name: &str, class: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": { "namespace": namespace, "name": name, "labels": { "test": class } },
        "spec": {
            "storageClassName": class,
            "accessModes": ["ReadWriteOnce"],
            "resources": { "requests": { "storage": "1Gi" } },
        },
    })
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn controller_binds_a_claim_only_while_it_runs() {
    let plane = ControlPlane::connect();
    plane.namespace("smoke-claim");
    runtime().block_on(async {
        let client = plane.client().await;
        let objects = vec![
            volume("smoke-claim", "smoke-claim"),
            claim("smoke-claim", "data", "smoke-claim"),
        ];
        let created = create_all(&client, objects).await;
        assert_eq!(created[1]["status"]["phase"], "Pending");

        let controller = plane.start_controller();
        settle(&client, QUIET, LIMIT).await;
        let claims = list(&client, "v1", "PersistentVolumeClaim", Some("smoke-claim")).await;
        assert_eq!(claims.len(), 1);
        assert_eq!(claims[0]["kind"], "PersistentVolumeClaim");
        assert_eq!(claims[0]["status"]["phase"], "Bound");
        assert_eq!(claims[0]["spec"]["volumeName"], "smoke-claim");

        drop(controller);
        create_all(
            &client,
            vec![
                volume("smoke-late", "smoke-claim"),
                claim("smoke-claim", "late", "smoke-claim"),
            ],
        )
        .await;
        settle(&client, QUIET, LIMIT).await;
        let late = plane.kubectl(&[
            "get",
            "pvc",
            "-n",
            "smoke-claim",
            "late",
            "-o",
            "jsonpath={.status.phase}",
        ]);
        assert_eq!(String::from_utf8_lossy(&late.stdout), "Pending");

        // With the controllers back, which take the protecting finalizers away, all of it goes.
        let _controller = plane.start_controller();
        delete_all(
            &client,
            "v1",
            "PersistentVolumeClaim",
            "test in (smoke-claim)",
        )
        .await;
        delete_all(&client, "v1", "PersistentVolume", "test=smoke-claim").await;
        settle(&client, QUIET, LIMIT).await;
        assert_eq!(
            list(&client, "v1", "PersistentVolumeClaim", Some("smoke-claim")).await,
            Vec::<Value>::new()
        );
        let volumes = list(&client, "v1", "PersistentVolume", None).await;
        assert!(
            !volumes
                .iter()
                .any(|volume| volume["metadata"]["labels"]["test"] == "smoke-claim")
        );
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn scheduler_places_a_pod_on_a_node_that_is_only_an_object() {
    let plane = ControlPlane::connect();
    plane.namespace("smoke-pod");
    runtime().block_on(async {
        let client = plane.client().await;
        let node = json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": { "name": "smoke-pod", "labels": { "test": "smoke-pod" } },
            "status": {
                "capacity": { "cpu": "4", "memory": "8Gi", "pods": "110" },
                "allocatable": { "cpu": "4", "memory": "8Gi", "pods": "110" },
                "conditions": [{ "type": "Ready", "status": "True" }],
            },
        });
        create_nodes(&client, vec![node]).await;
        plane.apply(
            "{apiVersion: v1, kind: Pod, metadata: {namespace: smoke-pod, name: p, labels: {test: smoke-pod}}, \
             spec: {nodeSelector: {test: smoke-pod}, containers: [{name: c, image: none}]}}",
        );
        let _scheduler = plane.start_scheduler();
        let wait = [
            "wait",
            "-n",
            "smoke-pod",
            "pod/p",
            "--for=condition=PodScheduled",
            "--timeout=30s",
        ];
        let waited = plane.kubectl(&wait);
        assert!(
            waited.status.success(),
            "{}",
            String::from_utf8_lossy(&waited.stderr)
        );
        let pods = list(&client, "v1", "Pod", Some("smoke-pod")).await;
        assert_eq!(pods[0]["spec"]["nodeName"], "smoke-pod");
        delete_all(&client, "v1", "Pod", "test=smoke-pod").await;
        delete_all(&client, "v1", "Node", "test=smoke-pod").await;
        assert_eq!(list(&client, "v1", "Pod", Some("smoke-pod")).await, Vec::<Value>::new());
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn only_the_administrator_may_list_volumes() {
    let plane = ControlPlane::connect();
    for (user, may) in [
        ("admin", "yes"),
        ("developer", "no"),
        ("reader", "no"),
        ("nobody", "no"),
    ] {
        let kubeconfig = plane.kubeconfig(user);
        let kubeconfig = kubeconfig.to_str().expect("a folder with a plain name");
        let answer = plane.kubectl(&[
            "--kubeconfig",
            kubeconfig,
            "auth",
            "can-i",
            "list",
            "persistentvolumes",
        ]);
        assert_eq!(
            String::from_utf8_lossy(&answer.stdout).trim(),
            may,
            "{user}"
        );
    }
}
