//! `set reconcile --watch`: it works for as long as it runs, alone, and through trouble; when nothing changes it writes nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::scene::{Made, Scene, name_of, on_a_scene, wait_for};
use crate::cluster::control_plane::QUIET;
use crate::cluster::faults::subject::Subject;

const LEASE: &str = "kubectl-pv-set-reconcile";
const NONE: [String; 0] = [];
/// Longer than any interval of a watcher that has nothing to do; the longest is that between two renewals of its lease.
const UNCHANGED: Duration = Duration::from_secs(6);

/// Watches this set; whoever names the same namespace works in turn.
fn watch(scene: &Scene<'_>, set: &Value, namespace: &str, flags: &[&str]) -> Arc<Subject> {
    let mut words = vec!["set", "reconcile", name_of(set), "--watch"];
    words.extend(["--lease-namespace", namespace]);
    words.extend(flags);
    Subject::start(scene.run(&words).command())
}

fn lease(namespace: &str) -> Value {
    json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": { "namespace": namespace, "name": LEASE } })
}

fn holder(scene: &Scene<'_>) -> String {
    let found = scene.api.find(&lease(&scene.place.name));
    let holder = found.map(|it| it["spec"]["holderIdentity"].clone());
    let holder = holder.unwrap_or_default();
    holder.as_str().unwrap_or_default().to_owned()
}

fn wait_until_at_rest(scene: &Scene<'_>, set: &Value, total: usize) {
    let mut why = String::new();
    wait_for(&format!("{total} members and no more to do"), || {
        let (members, wrong) = (scene.members(set).len(), scene.misstated(set));
        let now = format!("{members} {wrong:?}");
        if now != why {
            println!("  {now}");
            why = now;
        }
        members == total && wrong.is_empty()
    });
}

/// Another namespace, so that the next watcher need not wait for a lease of one that was killed.
fn another_namespace(scene: &Scene<'_>) -> String {
    let name = format!("{}-other", scene.place.name);
    scene.cluster.namespace(&name);
    name
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn it_makes_unasked_and_deletes_only_with_yes() {
    on_a_scene("watch", |scene| {
        let _controller = scene.cluster.start_controller();
        let set = scene.set("pool", (2, 4), Made::ByBackend);
        let first = watch(scene, &set, &scene.place.name, &[]);
        wait_until_at_rest(scene, &set, 2);
        // It refills as soon as something is taken.
        scene.bound_claim(&set, "one", "1Gi");
        wait_until_at_rest(scene, &set, 3);
        // Nothing changes, nothing is written.
        wait_for("all are seen", || scene.count(&set, "Available") == 2);
        let before = scene.versions(&set);
        sleep(UNCHANGED);
        assert_eq!(before, scene.versions(&set));
        // Too many: it leaves them, and says so.
        scene.resize(&set, (0, 1));
        wait_for("it has seen that", || scene.misstated(&set).is_empty());
        sleep(QUIET);
        assert_eq!(scene.names(&set), ["0", "1", "2"]);
        assert_eq!(scene.told(&set, "SuccessfulDelete"), 0);
        let before = scene.versions(&set);
        sleep(QUIET);
        assert_eq!(before, scene.versions(&set));
        first.kill();
        let other = another_namespace(scene);
        let second = watch(scene, &set, &other, &["--yes"]);
        wait_until_at_rest(scene, &set, 1);
        assert_eq!(scene.count(&set, "Bound"), 1);
        assert_eq!(scene.leaks(&set), NONE);
        assert_eq!(scene.told(&set, "SuccessfulDelete"), 2);
        second.kill();
    });
}

/// A base directory that belongs to another cluster ends it: the next watcher need not wait until the lease is over.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn it_releases_its_lease_also_when_it_ends_with_an_error() {
    on_a_scene("released", |scene| {
        let set = scene.set("pool", (1, 9), Made::ByBackend);
        let watcher = watch(scene, &set, &scene.place.name, &[]);
        wait_until_at_rest(scene, &set, 1);
        assert_ne!(holder(scene), "");
        let stamp = scene.base().join(".kubectl-pv/cluster");
        fs::write(stamp, "11111111-2222-3333-4444-555555555555").expect("of another cluster");
        scene.resize(&set, (2, 9));
        let ended = watcher.wait();
        assert_eq!(ended.status, Some(2), "{ended:?}");
        assert_eq!(holder(scene), "", "{ended:?}");
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_second_one_waits_and_takes_over() {
    on_a_scene("lease", |scene| {
        let set = scene.set("pool", (1, 9), Made::FromTemplate);
        let first = watch(scene, &set, &scene.place.name, &[]);
        wait_until_at_rest(scene, &set, 1);
        let one = holder(scene);
        assert!(!one.is_empty());
        let second = watch(scene, &set, &scene.place.name, &[]);
        scene.resize(&set, (2, 9));
        wait_until_at_rest(scene, &set, 2);
        sleep(Duration::from_secs(3));
        assert_eq!(holder(scene), one, "the second waits");
        let found = scene.api.find(&lease(&scene.place.name)).unwrap();
        assert_eq!(found["spec"]["leaseDurationSeconds"], 15);
        assert!(found["spec"]["renewTime"].is_string(), "{found}");
        first.kill();
        scene.resize(&set, (3, 9));
        wait_until_at_rest(scene, &set, 3);
        let other = holder(scene);
        assert_ne!(other, one);
        let found = scene.api.find(&lease(&scene.place.name)).unwrap();
        assert_eq!(found["spec"]["leaseTransitions"], 1, "{found}");
        // Whoever is asked to stop gives the lease back, and nobody has to wait until it is over.
        second.ask_to_stop();
        let said = second.wait();
        assert_eq!(said.status, Some(0), "{}", said.stderr);
        assert_eq!(holder(scene), "");
        let third = watch(scene, &set, &scene.place.name, &[]);
        wait_for("the third works", || !holder(scene).is_empty());
        third.ask_to_stop();
        let end = third.wait();
        assert!(!end.stderr.contains("waiting"), "{}", end.stderr);
        assert!(
            said.stderr.contains(&one),
            "it says whom it waits for: {}",
            said.stderr
        );
    });
}

/// Only the lease keeps watchers out of each other's way; that they do no harm otherwise the notes in the set see to.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn two_that_do_not_know_of_each_other_do_no_harm() {
    on_a_scene("unaware", |scene| {
        let _controller = scene.cluster.start_controller();
        let other = another_namespace(scene);
        for made in Made::EACH {
            let set = scene.set(&format!("{made:?}").to_lowercase(), (1, 4), made);
            let watchers = [
                watch(scene, &set, &scene.place.name, &["--yes"]),
                watch(scene, &set, &other, &["--yes"]),
            ];
            for levels in [(4, 4), (6, 6), (2, 9), (9, 9)] {
                scene.resize(&set, levels);
                let total = usize::try_from(levels.1).unwrap();
                wait_for("it is settled", || {
                    let members = scene.members(&set).len();
                    assert!(members <= total, "{members} of {total}");
                    let is_enough = levels.0 <= members as u64;
                    is_enough && scene.misstated(&set).is_empty()
                });
                assert_eq!(scene.duplicates(&set), NONE);
                assert_eq!(scene.leaks(&set), NONE);
            }
            assert_eq!(scene.members(&set).len(), 9);
            for watcher in watchers {
                watcher.kill();
            }
            for namespace in [&scene.place.name, &other] {
                scene.api.delete(&lease(namespace));
            }
        }
    });
}

/// A set that becomes invalid, and a base directory that cannot be trusted: both are told, and it goes on once they are mended.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn it_goes_on_after_trouble() {
    on_a_scene("trouble", |scene| {
        let _controller = scene.cluster.start_controller();
        let set = scene.set("pool", (1, 9), Made::ByBackend);
        let watcher = watch(scene, &set, &scene.place.name, &["--yes"]);
        wait_until_at_rest(scene, &set, 1);
        let rival = {
            let mut rival = scene.draft("rival", (0, 1), Made::FromTemplate);
            rival["spec"]["selector"] = set["spec"]["selector"].clone();
            rival["spec"]["template"]["metadata"]["labels"] = set["spec"]["selector"].clone();
            rival
        };
        scene.api.create(&rival);
        scene.resize(&set, (2, 9));
        wait_for("it is told", || {
            scene.condition(&set, "Valid") == "False InvalidVolumeSet"
        });
        assert_eq!(scene.told(&set, "InvalidVolumeSet"), 1);
        assert_eq!(scene.names(&set), ["0"]);
        scene.api.delete(&rival);
        wait_until_at_rest(scene, &set, 2);
        assert_eq!(scene.condition(&set, "Valid"), "True Valid");

        let records = scene.base().join(".kubectl-pv");
        fs::set_permissions(&records, fs::Permissions::from_mode(0o777)).expect("open it to all");
        scene.resize(&set, (3, 9));
        wait_for("it is told", || {
            scene.condition(&set, "Ready").starts_with("False")
        });
        println!("  {}", scene.condition(&set, "Ready"));
        assert_eq!(scene.names(&set), ["0", "1"]);
        sleep(Duration::from_secs(2));
        let before = scene.versions(&set);
        sleep(Duration::from_secs(3));
        let after = scene.versions(&set);
        let written = after
            .iter()
            .filter(|(uid, version)| before.get(*uid) != Some(version));
        assert!(
            written.count() <= 4,
            "again and again: {before:?} {after:?}"
        );
        fs::set_permissions(&records, fs::Permissions::from_mode(0o700)).expect("close it again");
        scene.resize(&set, (4, 9));
        wait_until_at_rest(scene, &set, 4);
        assert_eq!(scene.condition(&set, "Ready"), "True MinimumReached");
        assert_eq!(scene.leaks(&set), NONE);
        watcher.kill();
    });
}

/// The API server refuses the volumes for a while: what was made for them goes again, it is told, and tried less and less often.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn it_backs_off_while_volumes_are_refused() {
    on_a_scene("refused", |scene| {
        let _controller = scene.cluster.start_controller();
        let set = scene.set("pool", (0, 5), Made::ByBackend);
        let policy = format!("{}.example.com", scene.place.name);
        let refusal = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": { "name": policy }, "spec": {
                "failurePolicy": "Fail",
                "matchConstraints": { "resourceRules": [{ "apiGroups": [""], "apiVersions": ["v1"],
                    "operations": ["CREATE"], "resources": ["persistentvolumes"] }] },
                "validations": [{ "message": "not today", "expression":
                    format!("object.spec.storageClassName != '{}'", name_of(&set)) }],
            },
        });
        let binding = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": { "name": policy }, "spec": { "policyName": policy, "validationActions": ["Deny"] },
        });
        for object in [&refusal, &binding] {
            scene.cluster.apply(&object.to_string());
        }
        let probe = scene.hand_made(&set, "probe", "1Gi");
        let is_refused = || {
            let path = "/api/v1/persistentvolumes?dryRun=All";
            let answer = scene.api.send("POST", path, "application/json", &probe);
            !matches!(answer, Ok((200..=299, _)))
        };
        wait_for("the policy holds", is_refused);
        let watcher = watch(scene, &set, &scene.place.name, &["--yes"]);
        scene.resize(&set, (2, 5));
        wait_for("it is told", || scene.told(&set, "FailedCreate") >= 1);
        wait_for("it is written", || {
            scene.condition(&set, "Ready") == "False CreationFailed"
        });
        sleep(Duration::from_secs(6));
        let said = scene.events(&set, "FailedCreate");
        let times = said
            .iter()
            .map(|it| it["count"].as_u64().unwrap_or(1))
            .sum::<u64>();
        println!("  told {} times, {} events", times, said.len());
        assert!(times <= 6, "{said:?}");
        assert!(
            said[0]["message"]
                .as_str()
                .unwrap_or_default()
                .contains("not today"),
            "{said:?}"
        );
        assert_eq!(scene.names(&set), NONE);
        for object in [&binding, &refusal] {
            let kind = object["kind"].as_str().unwrap();
            scene.cluster.kubectl(&["delete", kind, &policy]);
        }
        wait_until_at_rest(scene, &set, 2);
        assert_eq!(scene.condition(&set, "Ready"), "True MinimumReached");
        assert_eq!(scene.leaks(&set), NONE);
        watcher.kill();
    });
}
