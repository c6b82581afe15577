//! The half of the comparison that needs `kubectl pv bind`.

use serde_json::Value;

use super::side::Side;
use super::{cases, not_bound};
use crate::cluster::control_plane::{ControlPlane, runtime};
use crate::cluster::faults::difference::differences;

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_bind_of_ours_is_what_the_controller_does_field_by_field() {
    let plane = ControlPlane::connect();
    let cases = cases();
    let mut problems = Vec::new();
    runtime().block_on(async {
        let client = plane.client().await;
        let theirs = Side::create(&plane, &client, "side-b", &cases).await;
        theirs.run_controller(&plane, &client).await;
        problems.extend(not_bound(&client, &theirs, &cases).await);
        let expected = theirs.normal_form(&client).await;
        theirs.clear(&plane, &client).await;

        let ours = Side::create(&plane, &client, "side-a", &cases).await;
        let arguments = ["bind", "-n", &ours.namespace(), "--yes", "-o", "json"];
        let ran = plane.kubectl_pv("admin", &arguments).ran();
        if ran.status != 0 {
            problems.push(format!("bind ends with {}: {}", ran.status, ran.stderr));
        }
        problems.extend(not_done(&ran.stdout));
        problems.extend(not_bound(&client, &ours, &cases).await);
        problems.extend(differences(&ours.normal_form(&client).await, &expected));

        let before = (
            ours.versions(&client).await,
            ours.normal_form(&client).await,
        );
        ours.run_controller(&plane, &client).await;
        let after = (
            ours.versions(&client).await,
            ours.normal_form(&client).await,
        );
        for (object, version) in &after.0 {
            if before.0.get(object) != Some(version) {
                problems.push(format!("the controller has written {object}"));
            }
        }
        problems.extend(differences(&before.1, &after.1));

        let again = plane.kubectl_pv("admin", &arguments).ran();
        if again.status != 0 || ours.versions(&client).await != after.0 {
            problems.push(format!("bind again: {} {}", again.stdout, again.stderr));
        }
        ours.clear(&plane, &client).await;
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What the outcome itself says was not done.
fn not_done(stdout: &str) -> Vec<String> {
    let Ok(outcome) = serde_json::from_str::<Value>(stdout) else {
        return vec![format!("no JSON: {stdout}")];
    };
    let mut problems = Vec::new();
    if outcome["kind"] != "Outcome" || !outcome["finishWith"].is_null() {
        problems.push(format!("{} {}", outcome["kind"], outcome["finishWith"]));
    }
    for part in ["changes", "skipped"] {
        let all = outcome[part].as_array().cloned().unwrap_or_default();
        let is_wrong = |entry: &&Value| {
            part == "skipped" || !(entry["result"] == "Done" || entry["result"] == "AlreadyDone")
        };
        problems.extend(
            all.iter()
                .filter(is_wrong)
                .map(|entry| format!("{part}: {entry}")),
        );
    }
    problems
}
