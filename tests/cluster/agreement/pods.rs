//! Pods that use the claim under test: what a claim of a class with WaitForFirstConsumer waits for.

use serde_json::{Value, json};

use super::case::{Case, FINISHES, TERMINATES, set_fate};
use crate::random::Random;

#[derive(Clone, Copy)]
enum Use {
    Unscheduled,
    /// Its claim is derived from the names of pod and volume.
    Ephemeral,
    /// Placed by its author, past the scheduler.
    Placed,
    Finished,
    Terminating,
    /// Its claim has the same name and is another one.
    Elsewhere,
}

const USES: &[(usize, Use)] = &[
    (50, Use::Unscheduled),
    (10, Use::Ephemeral),
    (20, Use::Placed),
    (10, Use::Finished),
    (10, Use::Terminating),
    (6, Use::Elsewhere),
];

/// None, one or several pods.
pub(super) fn add_pods(random: &mut Random, case: &mut Case) {
    let number = random.weighted(&[(40, 0), (40, 1), (12, 2), (8, 3)]);
    for index in 0..number {
        let how = random.weighted(USES);
        let pod = pod(case, index, how);
        let same_name = |other: &Value| other["metadata"]["name"] == pod["metadata"]["name"];
        if !case.pods.iter().any(same_name) {
            case.pods.push(pod);
        }
    }
}

fn pod(case: &Case, index: usize, how: Use) -> Value {
    let claim = json!({ "name": "data", "persistentVolumeClaim": { "claimName": case.claim } });
    let template = json!({ "spec": {
        "accessModes": ["ReadWriteOnce"],
        "resources": { "requests": { "storage": "1Gi" } },
    }});
    let (name, volume) = match how {
        // The claims of cases are called like this pod and this volume.
        Use::Ephemeral => (
            case.name.clone(),
            json!({ "name": "data", "ephemeral": { "volumeClaimTemplate": template } }),
        ),
        _ => (format!("{}-pod{index}", case.name), claim),
    };
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": case.namespaced(&name),
        "spec": { "containers": [{ "name": "c", "image": "none" }], "volumes": [volume] },
    });
    match how {
        Use::Unscheduled | Use::Ephemeral => {}
        Use::Placed => pod["spec"]["nodeName"] = json!("somewhere"),
        Use::Finished => set_fate(&mut pod, FINISHES),
        Use::Terminating => set_fate(&mut pod, TERMINATES),
        Use::Elsewhere => pod["metadata"]["namespace"] = json!("default"),
    }
    pod
}
