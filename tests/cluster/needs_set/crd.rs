//! The CustomResourceDefinition: it installs, its columns show, it refuses what is wrong and keeps what is right, and
//! `validate` says the same without a server. `KUBECTL_PV_VALIDATION_SETS` says how many sets are mutated,
//! `KUBECTL_PV_VALIDATION_SEED` which.

mod bad_sets;
mod good_sets;
mod mutations;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use kube::Client;
use serde_json::{Value, json};

use super::install_crd;
use crate::cluster::control_plane::{ControlPlane, runtime};
use crate::cluster::validation::ours;
use crate::cluster::validation::server::{Answer, ask_at};
use crate::sample;

const COLLECTION: &str = "/apis/kubectl-pv.dev/v1alpha1/persistentvolumesets";

/// The fields the server names. Where it names none, it says `<nil>`.
fn fields(answer: &Answer) -> BTreeSet<String> {
    let causes = answer.causes.iter().map(|cause| cause.field.clone());
    causes.filter(|field| field != "<nil>").collect()
}

/// The server's answer, waited for while it still takes in a definition that has just come.
async fn ask(client: &Client, set: &Value) -> Answer {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let answer = ask_at(client, COLLECTION, &set.to_string()).await;
        if answer.status != 404 || Instant::now() > deadline {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn it_installs_by_either_way_of_applying() {
    let plane = ControlPlane::connect();
    install_crd(&plane);
    let definition = plane
        .kubectl_pv("admin", &["set", "crd", "-o", "json"])
        .ran();
    let again = ["apply", "--server-side", "--force-conflicts", "-f", "-"];
    let output = plane.kubectl_with_stdin(&again, &definition.stdout);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // Discovery and the published schema follow a little later.
    let explained = wait_for(|| {
        let output = plane.kubectl(&["explain", "pvs.spec"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.contains("How many unbound volumes are to be ready")
            .then_some(text)
    });
    assert!(explained.contains("selector"), "{explained}");
    let shown = plane.kubectl(&[
        "get",
        "crd",
        "persistentvolumesets.kubectl-pv.dev",
        "-o",
        "json",
    ]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let conditions = shown["status"]["conditions"].as_array().unwrap();
    let holds = |kind: &str| {
        conditions
            .iter()
            .find(|it| it["type"] == kind)
            .map(|it| it["status"] == "True")
    };
    assert_eq!(
        (holds("Established"), holds("NamesAccepted")),
        (Some(true), Some(true))
    );
    // The server would say here that the schema is not structural.
    assert_eq!(holds("NonStructuralSchema"), None);
}

fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "it did not come within a minute");
        std::thread::sleep(Duration::from_millis(300));
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn its_columns_show_and_its_status_is_kept() {
    let plane = ControlPlane::connect();
    install_crd(&plane);
    let mut set = good_sets::base();
    set["metadata"]["name"] = json!("crd-columns");
    // What is in the status of a manifest is not taken.
    set["status"] = json!({"totalReplicas": 99});
    plane.apply(&set.to_string());
    let status = json!({
        "totalReplicas": 5, "unboundReplicas": 2, "boundReplicas": 3, "observedGeneration": 1, "nextOrdinal": 5_000_000_000_i64,
        "inProgress": {"action": "Create", "volume": "fast-5", "ordinal": 5, "until": "2026-01-01T00:00:00Z"},
        "conditions": [
            {"type": "Ready", "status": "True", "reason": "Settled", "message": "all there",
             "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1},
            {"type": "Valid", "status": "Unknown"},
        ],
    });
    let patch = json!({ "status": status }).to_string();
    let written = [
        "patch",
        "pvs",
        "crd-columns",
        "--subresource=status",
        "--type=merge",
        "-p",
        &patch,
    ];
    let output = plane.kubectl(&written);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let shown = plane.kubectl(&["get", "pvs", "crd-columns", "-o", "json"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["status"], status);
    let table = plane.kubectl(&["get", "pvs", "crd-columns"]);
    let table = String::from_utf8(table.stdout).unwrap();
    let mut lines = table
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(
        lines.next().unwrap(),
        ["NAME", "MIN", "MAX", "TOTAL", "UNBOUND", "BOUND", "AGE"]
    );
    let row = lines.next().unwrap();
    assert_eq!(row[..6], ["crd-columns", "1", "3", "5", "2", "3"]);
    plane.kubectl(&["delete", "pvs", "crd-columns"]);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn bad_sets_are_refused_and_validate_names_the_same_fields() {
    let plane = ControlPlane::connect();
    install_crd(&plane);
    let bad = bad_sets::all();
    assert!(bad.len() >= 40, "only {} bad sets", bad.len());
    runtime().block_on(async {
        let client = plane.client().await;
        for case in &bad {
            let answer = ask(&client, &case.set).await;
            let told = format!("{}: {} {}", case.what, answer.status, answer.message);
            assert_eq!(answer.status, 422, "{told}");
            assert!(
                answer.message.contains(case.says),
                "{told}\nshould say: {}",
                case.says
            );
            let ours = ours::ask(&case.set.to_string());
            assert_eq!(ours.malformed, None, "{told}\n{}", ours.shown);
            let server = fields(&answer);
            assert!(
                ours.refuses && server.is_subset(&ours.fields),
                "{told}\nserver names {server:?}, we name {:?}",
                ours.fields
            );
        }
    });
    println!(
        "{:6}  bad sets, each refused by the server for the fault, under fields that validate names",
        bad.len()
    );
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn good_sets_are_taken_and_kept_whole() {
    let plane = ControlPlane::connect();
    install_crd(&plane);
    let good = good_sets::all();
    let api = plane.api();
    for set in &good {
        let text = set.to_string();
        let ours = ours::ask(&text);
        assert!(
            !ours.refuses && ours.malformed.is_none(),
            "{text}\n{}",
            ours.shown
        );
        // Strictly: a field that the schema does not have is an error.
        let path = format!("{COLLECTION}?fieldValidation=Strict");
        let answer = api.send("POST", &path, "application/json", set);
        let Ok((201, kept)) = answer else {
            panic!("{text}\n{answer:?}");
        };
        assert_eq!(kept["spec"], set["spec"], "{text}");
        api.delete(set);
    }
    println!("{:6}  good sets, taken and kept whole", good.len());
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn mutated_sets_get_the_same_verdict() {
    let plane = ControlPlane::connect();
    install_crd(&plane);
    let seed = sample::seed_of("KUBECTL_PV_VALIDATION_SEED");
    let count = sample::rounds_of("KUBECTL_PV_VALIDATION_SETS", 400, 60);
    let mut tally = mutations::Tally::default();
    runtime().block_on(async {
        let client = plane.client().await;
        for (index, set) in mutations::generate(seed, count).iter().enumerate() {
            let answer = ask(&client, set).await;
            let ours = ours::ask(&set.to_string());
            assert_eq!(ours.malformed, None, "{set}\n{}", ours.shown);
            // Of a set that it takes, the server is asked about the first volume as well.
            let made = if answer.is_taken() {
                let volume = mutations::first_volume(set).to_string();
                Some(ask_at(&client, "/api/v1/persistentvolumes", &volume).await)
            } else {
                None
            };
            let case = mutations::Case {
                index,
                set,
                answer: &answer,
                made: made.as_ref(),
                ours: &ours,
            };
            tally.add(&case, &fields(&answer));
        }
    });
    println!("{tally}");
    tally.judge();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn sets_of_the_cluster_are_judged_by_name() {
    let plane = ControlPlane::connect();
    install_crd(&plane);
    let named = |name: &str, change: fn(&mut Value)| {
        let mut set = good_sets::base();
        set["metadata"]["name"] = json!(name);
        set["spec"]["selector"] = json!({"pool": name});
        set["spec"]["template"]["metadata"]["labels"] = json!({"pool": name});
        change(&mut set);
        plane.apply(&set.to_string());
        set
    };
    let good = named("crd-live-good", |_| {});
    // The server knows nothing of what a volume's source needs.
    named("crd-live-bad", |set| {
        set["spec"]["template"]["spec"]["nfs"] = json!({"server": "filer"});
    });
    let judge = |arguments: &[&str]| {
        let all = [&["validate"], arguments, &["-o", "json"]].concat();
        plane.kubectl_pv("admin", &all).json()
    };
    let spelled = |report: &Value| {
        let findings = report["findings"].as_array().unwrap().iter();
        let spell = |it: &Value| format!("{} {}", it["code"], it["field"]).replace('"', "");
        findings.map(spell).collect::<Vec<_>>()
    };
    assert_eq!(spelled(&judge(&["pvs/crd-live-good"])), [""; 0]);
    let missing = "InvalidVolumeSet spec.template.spec.nfs.path";
    assert_eq!(spelled(&judge(&["set/crd-live-bad"])), [missing, missing]);

    // A set in a file is held against those of the cluster, and takes the place of its own.
    let file = |set: &Value| {
        let run = plane.kubectl_pv("admin", &["validate", "-f", "-", "-o", "json"]);
        run.stdin(&set.to_string()).json()
    };
    assert_eq!(spelled(&file(&good)), [""; 0]);
    let mut rival = good.clone();
    rival["metadata"]["name"] = json!("crd-live-rival");
    let report = file(&rival);
    assert_eq!(
        spelled(&report),
        ["InvalidVolumeSet spec.template.metadata.labels"]
    );
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("crd-live-good"), "{message}");

    let absent = plane
        .kubectl_pv("admin", &["validate", "pvs/crd-live-god"])
        .ran();
    assert_eq!(absent.status, 3);
    assert!(absent.stderr.contains("crd-live-good"), "{}", absent.stderr);
    plane.kubectl(&["delete", "pvs", "crd-live-good", "crd-live-bad"]);
}
