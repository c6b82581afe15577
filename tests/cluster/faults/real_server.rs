//! The same machinery in front of the real API server, with `kubectl` as the program under test: it
//! applies, is killed at every request, is meddled with and gets its faults.

use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};

use super::api::{Api, Upstream};
use super::chance::Chance;
use super::consistency::contradictions;
use super::kill_matrix::{self, Scenario};
use super::meddlers::{Meddled, Meddler, Meddling, Stage, at_every_write};
use super::place::Place;
use super::proxy::Proxy;
use super::script::{Counted, Pass};
use super::subject::Ended;
use crate::cluster::control_plane::ControlPlane;
use crate::support::TemporaryFile;

/// `kubectl apply` of a volume and a claim: several requests, and it can be repeated.
struct Apply<'a> {
    plane: &'a ControlPlane,
    api: Api,
}

struct Applied {
    place: Place,
    manifests: TemporaryFile,
}

impl Scenario for Apply<'_> {
    type Place = Applied;

    fn set_up(&self) -> Applied {
        let place = Place::create(self.api, "apply");
        let list = json!({
            "apiVersion": "v1", "kind": "List",
            "items": [place.volume("one", "1Gi"), place.claim("data", "1Gi")],
        });
        let manifests = TemporaryFile::new("list.json", &list.to_string());
        Applied { place, manifests }
    }

    fn program(&self, applied: &Applied, proxy: &Proxy) -> Command {
        let mut kubectl = Command::new(self.plane.asset("kubectl"));
        kubectl
            .args(["apply", "--server-side", "--validate=false", "-f"])
            .arg(applied.manifests.path())
            .args(["--kubeconfig", proxy.kubeconfig()])
            .env(
                "KUBECACHEDIR",
                self.plane.kubeconfig("admin").with_file_name("cache"),
            )
            .env("KUBERC", "off");
        kubectl
    }

    fn end_state(&self, applied: &Applied) -> Value {
        applied.place.normal_form()
    }

    fn clear(&self, applied: Applied) {
        applied.place.clear();
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn kubectl_apply_survives_the_kill_matrix() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let apply = Apply {
        plane: &cluster,
        api: upstream.api(),
    };
    let report = kill_matrix::run(upstream.address, &apply, Counted::All);
    println!("{report}");
    report.assert_clean();
    assert!(
        report.existing >= 8,
        "two objects are several requests: {report}"
    );
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_program_of_ours_reads_through_the_proxy_and_through_faults() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let place = Place::create(upstream.api(), "read");
    let stage = Stage::create(upstream.api(), &place);
    let name = stage.volume["metadata"]["name"].as_str().unwrap();
    let explain = |proxy: &Proxy| {
        let arguments = ["explain", "data", "-n", &place.name, "-o", "json"];
        let mut arguments = arguments.to_vec();
        arguments.extend(["--kubeconfig", proxy.kubeconfig()]);
        crate::support::kubectl_pv(&arguments).ran()
    };
    let proxy = Proxy::start(upstream.address, Pass);
    let ran = explain(&proxy);
    assert_eq!(ran.status, 0, "{}{}", ran.stderr, proxy.show());
    assert!(ran.stdout.contains(name), "{}", ran.stdout);
    assert!(!proxy.log().is_empty());

    let chance = Arc::new(Chance::new(20, 3));
    let proxy = Proxy::start(upstream.address, Arc::clone(&chance));
    let statuses: Vec<i32> = (0..10).map(|_| explain(&proxy).status).collect();
    println!("explain with faults: {statuses:?}, {:?}", chance.counts());
    assert!(
        statuses.iter().all(|status| [0, 3].contains(status)),
        "{}",
        proxy.show()
    );
    assert!(chance.counts().values().sum::<usize>() > 0);
    place.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_watch_goes_through_the_proxy() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let place = Place::create(upstream.api(), "watch");
    upstream.api().create(&place.claim("data", "1Gi"));
    let proxy = Proxy::start(upstream.address, Pass);
    let path = format!(
        "/api/v1/namespaces/{}/persistentvolumeclaims?watch=true&timeoutSeconds=2",
        place.name
    );
    let (status, events) = Api::new(proxy.address())
        .send("GET", &path, "application/json", &Value::Null)
        .expect("a watch that the server ends");
    assert_eq!(status, 200);
    assert_eq!(events["type"], "ADDED", "{events}");
    place.clear();
}

/// A careful writer: it has read the volume, and writes it with a precondition.
fn guarded_label(api: Api, volume: &Value) -> u16 {
    let change = json!({ "metadata": {
        "labels": { "ours": "yes" },
        "uid": volume["metadata"]["uid"], "resourceVersion": volume["metadata"]["resourceVersion"],
    } });
    api.try_patch(volume, &change).expect("an answer").0
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn each_meddler_does_its_deed_just_before_the_write() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    for (meddler, expected) in Meddler::ALL.into_iter().zip([409, 409, 200, 200]) {
        let place = Place::create(api, "meddle");
        let stage = Stage::create(api, &place);
        let volume = api.find(&stage.volume).unwrap();
        let before = api.find(&stage.claim).unwrap();
        let meddling = Meddling::new(meddler, 2, stage.clone(), api);
        let proxy = Proxy::start(upstream.address, Arc::clone(&meddling));
        let through = Api::new(proxy.address());
        through.patch(
            &stage.spare,
            &json!({ "metadata": { "labels": { "first": "yes" } } }),
        );
        assert!(!meddling.was_reached(), "write 1 is let through");
        assert_eq!(
            guarded_label(through, &volume),
            expected,
            "{meddler:?}: {:?}",
            meddling.deed()
        );
        assert!(meddling.was_reached());

        let claim = api.find(&stage.claim).unwrap();
        let rival = api.find(&stage.rival).unwrap();
        let volume = api.find(&stage.volume).unwrap();
        match meddler {
            Meddler::Labels => assert_eq!(volume["metadata"]["labels"]["meddled"], "yes"),
            Meddler::TakesVolume | Meddler::StealsVolume => {
                assert_eq!(volume["spec"]["claimRef"]["uid"], rival["metadata"]["uid"]);
                assert_eq!(rival["status"]["phase"], "Bound");
            }
            Meddler::BindsClaimElsewhere => {
                assert_eq!(claim["spec"]["volumeName"], stage.spare["metadata"]["name"]);
                assert_eq!(claim["status"]["capacity"]["storage"], "2Gi");
            }
            Meddler::RecreatesClaim => {
                assert_ne!(claim["metadata"]["uid"], before["metadata"]["uid"]);
            }
        }
        assert_eq!(contradictions(&place.storage()), [""; 0], "{meddler:?}");
        place.clear();
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn every_meddler_is_let_loose_at_every_write() {
    let cluster = ControlPlane::connect();
    // kubectl reads a claim that a rival has deleted.
    let upstream = Upstream::without_protection(&cluster);
    let annotate = |place: &Place, proxy: &Proxy| {
        let mut kubectl = Command::new(cluster.asset("kubectl"));
        kubectl
            .args([
                "annotate",
                "pvc",
                "data",
                "rival",
                "ours=yes",
                "-n",
                &place.name,
            ])
            .args(["--kubeconfig", proxy.kubeconfig()])
            .env(
                "KUBECACHEDIR",
                cluster.kubeconfig("admin").with_file_name("cache"),
            )
            .env("KUBERC", "off");
        kubectl
    };
    let judge = |place: &Place, meddling: &Meddling, ended: &Ended| {
        let mut found = contradictions(&place.storage());
        if ended.status != Some(0) {
            found.push(format!("{:?} {}", meddling.deed(), ended.stderr));
        }
        found
    };
    let meddled = Meddled {
        upstream: upstream.address,
        what: "annotate",
        meddlers: &Meddler::ALL,
        set_up: &|_, _| {},
        program: &annotate,
        reports: false,
        judge: &judge,
    };
    let (acted, failures) = at_every_write(&meddled);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(acted, 8, "four meddlers, two writes");
}
