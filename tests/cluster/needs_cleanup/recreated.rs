//! A leaked asset that holds data: the command that `cleanup` prints, run in a shell as printed, creates a volume for it again. A
//! claim of the recorded name then binds it and has the data.

use std::path::Path;
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::provisioned::Provisioned;
use super::scene::Scene;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::support::kubectl_pv;

const LIMIT: Duration = Duration::from_secs(60);

/// Runs a command line as a person does; the kubeconfig is in the line itself.
fn run_in_shell(cluster: &ControlPlane, line: &str) -> Output {
    let kubectl = cluster.asset("kubectl");
    let folder = kubectl.parent().unwrap_or(Path::new("/"));
    Command::new("sh")
        .args(["-c", line])
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
        .env("KUBERC", "off")
        .env_remove("KUBECONFIG")
        .output()
        .expect("run a shell")
}

/// `cleanup --category leaked-assets` with the kubeconfig as a flag, which the printed commands repeat.
fn report(scene: &Scene<'_>, words: &[&str]) -> String {
    let (backend, kubeconfig) = (scene.backend(), scene.kubeconfig());
    let place = scene.place.name.as_str();
    let all = ["cleanup", "--category", "leaked-assets", "-n", place];
    let flags = ["--backend", &backend, "--kubeconfig", &kubeconfig];
    let ran = kubectl_pv(&[&all[..], &flags, words].concat()).ran();
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    ran.stdout
}

fn findings(scene: &Scene<'_>) -> Vec<Value> {
    let report: Value = serde_json::from_str(&report(scene, &["-o", "json"])).expect("JSON");
    report["findings"].as_array().expect("a list").clone()
}

/// What is to be as before.
fn restored(volume: &Value) -> Value {
    let spec = &volume["spec"];
    json!({
        "name": volume["metadata"]["name"],
        "by": volume["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"],
        "source": spec["hostPath"],
        "size": spec["capacity"],
        "modes": spec["accessModes"],
        "class": spec["storageClassName"],
        "affinity": spec["nodeAffinity"],
        "claim": [spec["claimRef"]["namespace"], spec["claimRef"]["name"]],
    })
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_printed_command_creates_a_volume_that_binds_with_its_data() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _controller = cluster.start_controller();
    for policy in ["Retain", "Delete"] {
        let scene = Scene::create(&cluster, upstream.api(), "again");
        let made = Provisioned::create(&scene, policy);
        let before = scene.api.find(&made.volume).expect("the volume");
        let deleted = cluster.kubectl(&["delete", "pv", made.name(), "--wait=false"]);
        assert!(deleted.status.success(), "{deleted:?}");
        made.delete(&scene);

        let found = findings(&scene);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(found[0]["frees"], "1Gi");
        assert_eq!(found[0]["policy"], policy);
        let commands = found[0]["commands"].as_array().expect("commands");
        let line = commands[0].as_str().expect("a command");
        assert_eq!(commands.len(), 1, "{found:#?}");
        let text = report(&scene, &[]);
        assert!(
            text.lines().any(|printed| printed.trim() == line),
            "{line}\n{text}"
        );
        let ran = run_in_shell(&cluster, line);
        assert!(ran.status.success(), "{line}\n{ran:?}");

        let after = scene.api.find(&made.volume).expect("the volume");
        assert_eq!(restored(&after), restored(&before), "{line}");
        assert_eq!(after["spec"]["persistentVolumeReclaimPolicy"], "Retain");
        assert_eq!(findings(&scene), [json!(null); 0], "a volume stands for it");
        scene.api.create(&made.claim);
        let started = Instant::now();
        let bound = || {
            let claim = scene.api.find(&made.claim).unwrap_or_default();
            claim["status"]["phase"] == "Bound" && claim["spec"]["volumeName"] == made.name()
        };
        while !bound() {
            assert!(started.elapsed() < LIMIT, "the claim binds it");
            sleep(Duration::from_millis(50));
        }
        assert!(made.has_data());
        scene.clear();
    }
}
