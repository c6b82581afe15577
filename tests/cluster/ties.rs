//! Where Kubernetes itself does not determine the volume, we name every possible one, and reality
//! takes now this one and now that one: the same small cluster many times over, at once.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::control_plane::{ControlPlane, QUIET, runtime};
use super::objects::{create_all, delete_all, list, settle};

/// Not determined does not mean evenly spread: Go walks a map of up to eight entries from one of
/// eight places, so of two entries the first comes first in seven of eight walks. That all of so
/// many copies go the same way has a chance of (7/8)^120, one in nine million.
const COPIES: usize = 120;
const LIMIT: Duration = Duration::from_secs(60);
const RWO: &[&str] = &["ReadWriteOnce"];
const RWO_ROX: &[&str] = &["ReadWriteOnce", "ReadOnlyMany"];
const RWO_RWX: &[&str] = &["ReadWriteOnce", "ReadWriteMany"];

/// One volume of a tie: its last name, size and access modes.
type Candidate = (&'static str, &'static str, &'static [&'static str]);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reserved {
    No,
    /// By name, for the claim of the same copy.
    Yes,
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn equal_sizes_leave_the_choice_to_chance() {
    let equal = [
        ("a", "1Gi", RWO),
        ("b", "1024Mi", RWO),
        ("c", "1073741824", RWO),
    ];
    assert_undetermined("ties-sizes", &equal, Reserved::No);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn equal_numbers_of_access_modes_leave_the_choice_to_chance() {
    // The smaller size does not count across groups.
    let equal = [("a", "100Gi", RWO_ROX), ("b", "1Gi", RWO_RWX)];
    assert_undetermined("ties-modes", &equal, Reserved::No);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn several_reservations_leave_the_choice_to_chance() {
    let equal = [("a", "1Gi", RWO), ("b", "2Gi", RWO), ("c", "3Gi", RWO)];
    assert_undetermined("ties-reserved", &equal, Reserved::Yes);
}

/// Every copy is predicted with all candidates, gets one of them, and not all get the same.
fn assert_undetermined(test: &str, candidates: &[Candidate], reserved: Reserved) {
    let plane = ControlPlane::connect();
    plane.namespace(test);
    let seen = runtime().block_on(async {
        let client = plane.client().await;
        let controller = plane.start_controller();
        let volumes = copies(|copy| {
            let one = |candidate: &Candidate| volume(test, copy, candidate, reserved);
            candidates.iter().map(one).collect()
        });
        create_all(&client, volumes).await;
        settle(&client, QUIET, LIMIT).await;
        drop(controller);
        create_all(&client, copies(|copy| vec![claim(test, copy)])).await;
        let predictions = explain(&plane, test);
        let controller = plane.start_controller();
        settle(&client, QUIET, LIMIT).await;
        let claims = list(&client, "v1", "PersistentVolumeClaim", Some(test)).await;
        let seen = compare(&predictions, &claims, candidates);
        delete_all(
            &client,
            "v1",
            "PersistentVolumeClaim",
            &format!("test={test}"),
        )
        .await;
        settle(&client, QUIET, LIMIT).await;
        delete_all(&client, "v1", "PersistentVolume", &format!("test={test}")).await;
        settle(&client, QUIET, LIMIT).await;
        drop(controller);
        seen
    });
    assert!(seen.len() >= 2, "of {COPIES} copies all got {seen:?}");
}

/// The last names of the volumes that claims really got.
fn compare(predictions: &[Value], claims: &[Value], candidates: &[Candidate]) -> BTreeSet<String> {
    assert_eq!((predictions.len(), claims.len()), (COPIES, COPIES));
    let mut seen = BTreeSet::new();
    for claim in claims {
        let class = claim["spec"]["storageClassName"].as_str().expect("a class");
        let is_of_claim =
            |explanation: &&Value| explanation["claim"]["uid"] == claim["metadata"]["uid"];
        let predicted = predictions.iter().find(is_of_claim).expect("a prediction");
        let all: Vec<_> = candidates
            .iter()
            .map(|(name, ..)| format!("{class}-{name}"))
            .collect();
        assert_eq!(predicted["verdict"], "WillBind", "{predicted}");
        assert_eq!(predicted["outcomes"], json!(all), "{predicted}");
        assert_eq!(claim["status"]["phase"], "Bound", "{claim}");
        let volume = claim["spec"]["volumeName"].as_str().expect("a volume");
        assert!(all.iter().any(|name| name == volume), "{claim}");
        seen.insert(volume[class.len() + 1..].to_owned());
    }
    seen
}

fn copies(one: impl Fn(usize) -> Vec<Value>) -> Vec<Value> {
    (0..COPIES).flat_map(one).collect()
}

fn volume(test: &str, copy: usize, candidate: &Candidate, reserved: Reserved) -> Value {
    let (name, size, modes) = candidate;
    let class = format!("{test}-{copy}");
    let mut volume = json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": { "name": format!("{class}-{name}"), "labels": { "test": test } },
        "spec": {
            "storageClassName": class,
            "capacity": { "storage": size },
            "accessModes": modes,
            "hostPath": { "path": "/nowhere" },
        },
    });
    if reserved == Reserved::Yes {
        volume["spec"]["claimRef"] = json!({ "namespace": test, "name": class });
    }
    volume
}

fn claim(test: &str, copy: usize) -> Value {
    let class = format!("{test}-{copy}");
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": { "namespace": test, "name": class, "labels": { "test": test } },
        "spec": {
            "storageClassName": class,
            "accessModes": RWO,
            "resources": { "requests": { "storage": "1Gi" } },
        },
    })
}

fn explain(plane: &ControlPlane, namespace: &str) -> Vec<Value> {
    let question = ["explain", "pvc", "-n", namespace, "-o", "json"];
    let ran = plane.kubectl_pv("admin", &question).ran();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let answer: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    answer["items"].as_array().expect("items").clone()
}
