//! A pool fills to its minimum, refills when claims have taken some, and ends at its maximum; whoever only asks changes nothing.

use serde_json::{Value, json};

use super::scene::{Made, ORDINAL, SET_UID, Scene, is_going, name_of, on_a_scene, wait_for};
use crate::cluster::control_plane::QUIET_TWICE;

const MAKING: [&str; 3] = ["Create", "CreateAsset", "Patch"];

fn ordinals(count: usize) -> Vec<String> {
    (0..count).map(|ordinal| ordinal.to_string()).collect()
}

/// Everything that is to hold of a set at rest.
fn check_at_rest(scene: &Scene<'_>, set: &Value) {
    let none: [String; 0] = [];
    assert_eq!(scene.misstated(set), none);
    assert_eq!(scene.leaks(set), none);
    assert_eq!(scene.duplicates(set), none);
    assert_eq!(scene.condition(set, "Valid"), "True Valid");
    let before = scene.versions(set);
    let outcome = scene.reconciled(set);
    assert_eq!(outcome["changes"], json!([]));
    assert_eq!(
        before,
        scene.versions(set),
        "a second reconcile wrote something"
    );
}

/// What `set status` says agrees with the cluster.
fn check_status(scene: &Scene<'_>, set: &Value) -> Value {
    let status = scene.status(set);
    let members = scene.members(set);
    assert_eq!(status["name"], name_of(set));
    assert_eq!(status["total"], members.len());
    assert_eq!(
        status["members"].as_array().map(Vec::len),
        Some(members.len())
    );
    let mut counts = [0, 0, 0];
    for (told, found) in status["members"].as_array().unwrap().iter().zip(&members) {
        assert_eq!(told["name"], name_of(found));
        assert_eq!(told["capacity"], found["spec"]["capacity"]["storage"]);
        let wanted = if is_going(found) {
            "Other"
        } else if found["spec"]["claimRef"].is_null() {
            "Unbound"
        } else if found["status"]["phase"] == "Bound" {
            "Bound"
        } else {
            "Other"
        };
        assert_eq!(told["countsAs"], wanted, "{found}");
        counts[["Unbound", "Bound", "Other"]
            .iter()
            .position(|it| *it == wanted)
            .unwrap()] += 1;
    }
    assert_eq!(status["unbound"], counts[0]);
    assert_eq!(status["bound"], counts[1]);
    status
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn from_nothing_to_the_minimum() {
    on_a_scene("fill", |scene| {
        for made in Made::EACH {
            let set = scene.set(&format!("{made:?}").to_lowercase(), (3, 5), made);
            let status = check_status(scene, &set);
            assert_eq!(status["minimumReplicas"], 3);
            assert_eq!(status["maximumReplicas"], 5);
            let foretold = status["next"].as_array().unwrap().clone();
            let creates = |it: &&Value| it["action"] == "Create";
            assert_eq!(foretold.iter().filter(creates).count(), 3);

            let outcome = scene.reconciled(&set);
            assert_eq!(outcome["kind"], "Outcome");
            assert_eq!(outcome["finishWith"], Value::Null);
            for change in outcome["changes"].as_array().unwrap() {
                assert_eq!(change["result"], "Done", "{change}");
            }
            assert_eq!(scene.names(&set), ordinals(3));
            let uid = scene.found(&set)["metadata"]["uid"].clone();
            for (ordinal, member) in scene.members(&set).iter().enumerate() {
                let annotations = &member["metadata"]["annotations"];
                assert_eq!(annotations[ORDINAL], ordinal.to_string());
                assert_eq!(annotations[SET_UID], uid);
                assert_eq!(member["spec"]["capacity"]["storage"], "1Gi");
                assert!(member["spec"]["claimRef"].is_null());
                check_source(scene, &set, member, ordinal, made);
            }
            assert_eq!(scene.condition(&set, "Ready"), "True MinimumReached");
            assert_eq!(scene.told(&set, "SuccessfulCreate"), 3);
            assert_eq!(scene.told(&set, "SuccessfulDelete"), 0);
            assert_eq!(check_status(scene, &set)["next"], json!([]));
            check_at_rest(scene, &set);
        }
    });
}

fn check_source(scene: &Scene<'_>, set: &Value, member: &Value, ordinal: usize, made: Made) {
    if made == Made::FromTemplate {
        let path = format!("/pools/{}/{ordinal}", name_of(set));
        assert_eq!(member["spec"]["nfs"]["path"], path);
        return;
    }
    let directory = scene.directory(set, ordinal as u64);
    assert!(directory.is_dir());
    assert_eq!(member["spec"]["hostPath"]["path"], json!(directory));
    assert!(member["spec"]["nodeAffinity"]["required"].is_object());
}

/// Claims take what is there, by the real controller; the pool refills, and ends at its maximum though more claims wait.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn claims_take_some_and_the_pool_refills_up_to_the_maximum() {
    on_a_scene("refill", |scene| {
        let _controller = scene.cluster.start_controller();
        for made in Made::EACH {
            let kind = format!("{made:?}").to_lowercase();
            let set = scene.set(&kind, (2, 4), made);
            scene.reconciled(&set);
            assert_eq!(scene.names(&set), ordinals(2));
            scene.bound_claim(&set, &format!("{kind}-first"), "1Gi");
            let status = check_status(scene, &set);
            assert_eq!(
                (&status["bound"], &status["unbound"]),
                (&json!(1), &json!(1))
            );
            scene.reconciled(&set);
            assert_eq!(scene.names(&set), ordinals(3));
            assert_eq!(scene.condition(&set, "Ready"), "True MinimumReached");
            check_at_rest(scene, &set);

            scene.bound_claim(&set, &format!("{kind}-second"), "1Gi");
            scene.reconciled(&set);
            assert_eq!(scene.names(&set), ordinals(4));
            // Two more are taken, and there is no room for others; three claims wait for ever.
            for number in 0..5 {
                let claim = scene.claim(&set, &format!("{kind}-{number}"), "1Gi");
                scene.api.create(&claim);
            }
            wait_for("all are bound", || scene.count(&set, "Bound") == 4);
            for _ in 0..2 {
                let outcome = scene.reconciled(&set);
                let making = |it: &&Value| {
                    it["action"] != "Patch" && MAKING.contains(&it["action"].as_str().unwrap())
                };
                assert_eq!(
                    outcome["changes"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .filter(making)
                        .count(),
                    0
                );
                assert_eq!(scene.names(&set), ordinals(4));
            }
            assert_eq!(scene.condition(&set, "Ready"), "False MaximumReached");
            assert_eq!(check_status(scene, &set)["canServe"], 0);
            check_at_rest(scene, &set);
        }
    });
}

/// `canServe` is what the real controller then binds.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn as_many_claims_are_served_as_is_foretold() {
    on_a_scene("serve", |scene| {
        let controller = scene.cluster.start_controller();
        let set = scene.set("pool", (3, 4), Made::ByBackend);
        scene.retemplate(&set, "5Gi");
        scene.resize(&set, (1, 4));
        scene.reconciled(&set);
        scene.retemplate(&set, "1Gi");
        scene.resize(&set, (3, 4));
        scene.reconciled(&set);
        wait_for("all are Available", || scene.count(&set, "Available") == 3);
        controller.signal("STOP");
        // One of 5Gi and two of 1Gi are there: of two claims for 3Gi one waits, and one is too large for any.
        let sizes = ["3Gi", "4Gi", "9Gi", "1Gi"];
        let claims = sizes.iter().enumerate();
        let claims: Vec<Value> = claims
            .map(|(number, size)| scene.claim(&set, &format!("c-{number}"), size))
            .collect();
        for claim in &claims {
            scene.api.create(claim);
        }
        let status = check_status(scene, &set);
        assert_eq!(status["canServe"], 2, "{status}");
        controller.signal("CONT");
        wait_for("they are bound", || scene.count(&set, "Bound") == 2);
        std::thread::sleep(QUIET_TWICE);
        let bound = claims.iter().filter(|claim| scene.is_in(claim, "Bound"));
        assert_eq!(bound.count(), 2);
        assert_eq!(check_status(scene, &set)["canServe"], 0);
    });
}

/// Whoever only asks changes nothing, and nobody agrees in somebody's stead.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn nothing_is_changed_by_asking() {
    on_a_scene("asked", |scene| {
        for made in Made::EACH {
            let set = scene.set(&format!("{made:?}").to_lowercase(), (2, 3), made);
            let before = scene.versions(&set);
            for flags in [
                &["--dry-run"][..],
                &["--dry-run=server"],
                &["--dry-run", "--yes"],
            ] {
                let ran = scene.reconcile(&set, flags);
                assert_eq!(ran.status, 0, "{flags:?}: {}{}", ran.stdout, ran.stderr);
                let plan: Value = serde_json::from_str(&ran.stdout).expect("a plan");
                let creates = |it: &&Value| it["action"] == "Create";
                let changes = plan["changes"].as_array().unwrap();
                assert_eq!(changes.iter().filter(creates).count(), 2, "{flags:?}");
                assert_eq!(before, scene.versions(&set), "{flags:?}");
            }
            let ran = scene.reconcile(&set, &[]);
            assert_eq!(ran.status, 2, "{}{}", ran.stdout, ran.stderr);
            assert!(ran.stderr.contains("--yes"), "{}", ran.stderr);
            assert_eq!(before, scene.versions(&set));
            // What would be deleted is asked about as well.
            scene.reconciled(&set);
            scene.resize(&set, (0, 0));
            let before = scene.versions(&set);
            for (flags, status) in [
                (&["--dry-run"][..], 0),
                (&["--dry-run=server"], 0),
                (&[], 2),
            ] {
                // Nothing of it is ever deleted, so nobody need be asked.
                let status = if made == Made::FromTemplate {
                    0
                } else {
                    status
                };
                let ran = scene.reconcile(&set, flags);
                assert_eq!(
                    ran.status, status,
                    "{made:?} {flags:?}: {}{}",
                    ran.stdout, ran.stderr
                );
                if made == Made::ByBackend {
                    assert_eq!(before, scene.versions(&set), "{made:?} {flags:?}");
                }
            }
            assert_eq!(scene.names(&set), ordinals(2));
            assert_eq!(scene.assets().len(), 2);
            assert_eq!(scene.records().len(), 2);
        }
    });
}
