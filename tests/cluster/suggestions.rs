//! What we suggest works: the commands are run by a shell as they are printed, and the real controller binds the claim.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::control_plane::{ControlPlane, QUIET, runtime};
use super::objects::{create_all, list, settle};

const NAMESPACE: &str = "suggestions";

/// A claim that is stuck, the objects around it, and the volume that it gets by the first suggestion with commands.
struct Stuck {
    name: &'static str,
    claim: Value,
    volumes: Vec<Value>,
    gets: &'static str,
}

fn claim(name: &str, spec: Value) -> Value {
    let mut whole = json!({
        "accessModes": ["ReadWriteOnce"], "storageClassName": format!("sg-{name}"), "resources": {"requests": {"storage": "10Gi"}},
    });
    merge(&mut whole, spec);
    json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": NAMESPACE}, "spec": whole})
}

fn volume(name: &str, class: &str, spec: Value) -> Value {
    let mut whole = json!({
        "accessModes": ["ReadWriteOnce"], "storageClassName": class, "capacity": {"storage": "10Gi"},
        "hostPath": {"path": format!("/nowhere/{name}")}, "persistentVolumeReclaimPolicy": "Retain",
    });
    merge(&mut whole, spec);
    json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name, "labels": {"suggestions": "yes"}}, "spec": whole})
}

fn merge(into: &mut Value, from: Value) {
    if let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) {
        into.extend(from);
    }
}

fn cases() -> Vec<Stuck> {
    let dead = |name: &str| {
        json!({"claimRef": {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": NAMESPACE, "name": name,
            "uid": "00000000-0000-0000-0000-000000000000",
        }})
    };
    vec![
        Stuck {
            name: "namesake",
            claim: claim("namesake", json!({})),
            volumes: vec![volume("sg-old", "sg-namesake", dead("namesake"))],
            gets: "sg-old",
        },
        Stuck {
            name: "class",
            claim: claim("class", json!({})),
            volumes: vec![
                // No volume is moved to a class that does not exist.
                json!({
                    "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
                    "metadata": {"name": "sg-class"}, "provisioner": "kubernetes.io/no-provisioner",
                }),
                volume("sg-other-class", "sg-elsewhere", json!({})),
            ],
            gets: "sg-other-class",
        },
        Stuck {
            name: "modes",
            claim: claim("modes", json!({"accessModes": ["ReadWriteMany"]})),
            volumes: vec![volume("sg-few-modes", "sg-modes", json!({}))],
            gets: "sg-few-modes",
        },
        Stuck {
            name: "labels",
            claim: claim(
                "labels",
                json!({"selector": {"matchLabels": {"tier": "it's gold".replace(['\'', ' '], "-")}}}),
            ),
            volumes: vec![volume("sg-unlabelled", "sg-labels", json!({}))],
            gets: "sg-unlabelled",
        },
        Stuck {
            name: "units",
            claim: claim("units", json!({})),
            volumes: vec![volume(
                "sg-ten-g",
                "sg-units",
                json!({"capacity": {"storage": "10G"}}),
            )],
            gets: "sg-ten-g",
        },
        Stuck {
            name: "named",
            claim: claim("named", json!({"volumeName": "sg-named-pv"})),
            volumes: vec![volume("sg-named-pv", "sg-by-another-name", json!({}))],
            gets: "sg-named-pv",
        },
        Stuck {
            name: "typo",
            claim: claim("typo", json!({"volumeName": "sg-the-volum"})),
            volumes: vec![volume("sg-the-volume", "sg-typo", json!({}))],
            gets: "sg-the-volume",
        },
        Stuck {
            name: "restored",
            claim: claim("restored", json!({"volumeName": "sg-left"})),
            volumes: vec![volume("sg-left-behind", "sg-restored", dead("restored"))],
            gets: "sg-left-behind",
        },
        Stuck {
            name: "waste",
            claim: claim("waste", json!({})),
            volumes: vec![
                volume(
                    "sg-huge",
                    "sg-waste",
                    json!({"capacity": {"storage": "1Ti"}}),
                ),
                volume(
                    "sg-enough",
                    "sg-waste",
                    json!({"accessModes": ["ReadWriteOnce", "ReadWriteMany"]}),
                ),
            ],
            gets: "sg-enough",
        },
        Stuck {
            name: "draw",
            claim: claim("draw", json!({})),
            volumes: vec![
                volume("sg-draw-1", "sg-draw", json!({})),
                volume("sg-draw-2", "sg-draw", json!({})),
            ],
            gets: "sg-draw-1",
        },
    ]
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn suggested_commands_bind_the_claim() {
    let cluster = ControlPlane::connect();
    cluster.namespace(NAMESPACE);
    // One after the other: what is free in one case would be offered in the next.
    for case in cases() {
        mend(&cluster, &case);
    }
}

fn mend(cluster: &ControlPlane, case: &Stuck) {
    let objects: Vec<Value> = case.volumes.iter().chain([&case.claim]).cloned().collect();
    runtime().block_on(async { create_all(&cluster.client().await, objects).await });
    let explanation = cluster
        .kubectl_pv(
            "admin",
            &["explain", case.name, "-n", NAMESPACE, "-o", "json"],
        )
        .json();
    let suggestions = explanation["suggestions"].as_array();
    let mut commands = suggestions.into_iter().flatten().filter_map(|suggestion| {
        let commands = suggestion["commands"].as_array()?;
        (!commands.is_empty()).then(|| commands.clone())
    });
    let commands = commands.next().unwrap_or_default();
    assert!(
        !commands.is_empty(),
        "nothing is suggested for {}: {explanation:#}",
        case.name
    );
    let commands: Vec<&str> = commands.iter().filter_map(Value::as_str).collect();
    // A claim is made anew with the help of the controller, which lets the old one go; a draw is settled before it is there.
    let mut commands_left = commands.iter().peekable();
    while let Some(command) = commands_left.next_if(|command| !command.contains(" replace ")) {
        run(cluster, command);
    }
    let _controller = cluster.start_controller();
    for command in commands_left {
        run(cluster, command);
    }
    runtime().block_on(async {
        let client = cluster.client().await;
        settle(&client, QUIET, Duration::from_secs(60)).await;
        let claims = list(&client, "v1", "PersistentVolumeClaim", Some(NAMESPACE)).await;
        let claim = claims
            .iter()
            .find(|claim| claim["metadata"]["name"] == case.name)
            .expect(case.name);
        let bound = (
            claim["status"]["phase"].as_str(),
            claim["spec"]["volumeName"].as_str(),
        );
        assert_eq!(
            bound,
            (Some("Bound"), Some(case.gets)),
            "{}: {commands:?}",
            case.name
        );
    });
}

/// Runs a command as somebody would who pastes it.
pub(super) fn run(cluster: &ControlPlane, command: &str) {
    let kubectl = cluster.asset("kubectl");
    let folder = kubectl.parent().expect("a folder of programs");
    let plugin = Path::new(env!("CARGO_BIN_EXE_kubectl-pv"));
    let plugin = plugin.parent().expect("the folder of the plugin");
    let path = format!("{}:{}:/usr/bin:/bin", folder.display(), plugin.display());
    // Whoever pastes it on a terminal says yes there.
    let answer = if command.starts_with("kubectl pv ") {
        " --yes"
    } else {
        ""
    };
    let output = Command::new("sh")
        .args(["-c", &format!("{command}{answer}")])
        .env("PATH", path)
        .env("KUBECONFIG", cluster.kubeconfig("admin"))
        .env("KUBERC", "off")
        .output()
        .expect("run a shell");
    assert!(
        output.status.success(),
        "{command}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
