//! Policy Retain, the lock while a volume is emptied, keeps nobody from taking the volume by hand, who knows nothing of our mark: a
//! live claim's volume is not emptied all the same, nor taken from it, and gets its policy back. Another run of ours is somebody
//! else, too: it may have emptied the volume and given it back while this one waits.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::moment::{self, Moment, last_look, look_at_pods, unlocking};
use super::scene::Scene;
use super::stage::{MARK, on_a_plane, owner, reserve};
use crate::cluster::faults::api::Api;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::report_check::OtherWrite;

/// The claim takes the volume as it is, and writes its first file.
fn take(api: Api, volume: &Value, claim: &Value, file: &PathBuf, by_uid: bool) -> bool {
    let found = api.find(volume).unwrap_or_default();
    reserve(api, &found, claim, by_uid) && fs::write(file, "of the next owner").is_ok()
}

fn assert_is_theirs(scene: &Scene<'_>, claim: &Value, by_uid: bool, said: &str) {
    let found = scene.find("v").expect("it stays");
    assert_eq!(found["spec"]["claimRef"]["name"], "next", "{said}{found}");
    if by_uid {
        assert_eq!(*owner(&found), claim["metadata"]["uid"], "{said}{found}");
    }
    let text = fs::read_to_string(scene.directory("v").join("file"));
    assert_eq!(text.ok().as_deref(), Some("of the next owner"), "{said}");
}

fn taken_at(moment: fn(&Request) -> bool, by_uid: bool) {
    on_a_plane("late", |scene, _, upstream| {
        let (api, volume) = (scene.api, scene.released("v", "Recycle"));
        let claim = api.create(&scene.place.claim("next", "1Gi"));
        let file = scene.directory("v").join("file");
        let taken = {
            let claim = claim.clone();
            Moment::new(moment, move || take(api, &volume, &claim, &file, by_uid))
        };
        let proxy = Proxy::start(upstream.address, taken.clone());
        let ran = moment::run(scene, &proxy, "v", &[], &scene.taking("v"));
        let said = format!("{}{}{}", ran.stdout, ran.stderr, proxy.show());
        assert!(taken.went_well(), "{said}");
        assert_is_theirs(scene, &claim, by_uid, &said);
        if by_uid {
            let found = scene.find("v").unwrap_or_default();
            let policy = &found["spec"]["persistentVolumeReclaimPolicy"];
            assert_eq!(*policy, "Recycle", "{said}{found}");
            assert_eq!(found["metadata"]["annotations"][MARK], json!(null));
        }
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn while_the_controller_is_looked_for() {
    taken_at(look_at_pods, true);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn just_before_it_is_emptied() {
    taken_at(last_look, true);
    taken_at(last_look, false);
}

/// What comes after is theirs, and is not unbound.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn just_before_it_is_given_back() {
    taken_at(unlocking, true);
    taken_at(unlocking, false);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn another_run_has_given_it_back() {
    for moment in [look_at_pods, last_look] {
        on_a_plane("two-runs", |scene, cluster, upstream| {
            let (api, volume) = (scene.api, scene.released("v", "Recycle"));
            let claim = api.create(&scene.place.claim("next", "1Gi"));
            let file = scene.directory("v").join("file");
            let kubeconfig = cluster.kubeconfig("admin");
            let backend = scene.backend();
            let overtaken = {
                let (volume, claim) = (volume.clone(), claim.clone());
                Moment::new(moment, move || {
                    let name = volume["metadata"]["name"].as_str().unwrap_or_default();
                    let words = ["reclaim", name, "--backend", &backend, "--yes"];
                    let path = kubeconfig.to_str().unwrap_or_default();
                    let ran = crate::support::kubectl_pv(&words)
                        .env("KUBECONFIG", path)
                        .ran();
                    let is_empty = !file.exists();
                    ran.status == 0 && is_empty && take(api, &volume, &claim, &file, true)
                })
            };
            let proxy = Proxy::start(upstream.address, overtaken.clone());
            let mut others = scene.taking("v");
            let name = format!("{}-v", scene.place.name);
            // The other run locks the volume and restores its policy.
            let restored = [
                "/metadata/annotations/kubectl-pv.dev~1recycling",
                "/spec/persistentVolumeReclaimPolicy",
            ];
            let fields = restored.map(|field| OtherWrite::field("PersistentVolume", &name, field));
            others.extend(fields);
            let ran = moment::run(scene, &proxy, "v", &[], &others);
            let said = format!("{}{}{}", ran.stdout, ran.stderr, proxy.show());
            assert!(overtaken.went_well(), "{said}");
            assert_is_theirs(scene, &claim, true, &said);
        });
    }
}

/// `--reuse --for` a claim that gets another volume after the plan was shown.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_claim_it_is_for_is_bound_to_another_volume() {
    on_a_plane("elsewhere", |scene, _, upstream| {
        let api = scene.api;
        let before = scene.released("v", "Retain");
        let claim = api.create(&scene.place.claim("next", "1Gi"));
        let is_look = |request: &Request| {
            request.method == "GET"
                && request.path.ends_with("/persistentvolumeclaims")
                && request.query.contains("fieldSelector")
        };
        let other = format!("{}-other", scene.place.name);
        let bound = Moment::new(is_look, move || {
            let completed = json!({ "pv.kubernetes.io/bind-completed": "yes" });
            let change = json!({ "metadata": { "annotations": completed },
                "spec": { "volumeName": other } });
            let status = json!({ "phase": "Bound" });
            api.patch(&claim, &change);
            api.patch_status(&claim, &status)["status"]["phase"] == "Bound"
        });
        let proxy = Proxy::start(upstream.address, bound.clone());
        let key = format!("{}/next", scene.place.name);
        let others = OtherWrite::binding_of_claim("next");
        let ran = moment::run(scene, &proxy, "v", &["--reuse", "--for", &key], &others);
        let said = format!("{}{}{}", ran.stdout, ran.stderr, proxy.show());
        assert!(bound.went_well(), "{said}");
        assert_eq!(ran.status, 1, "{said}");
        assert!(ran.stdout.contains("AlreadyBound"), "{said}");
        let after = scene.find("v").unwrap_or_default();
        assert_eq!(
            after["spec"]["claimRef"], before["spec"]["claimRef"],
            "{said}"
        );
    });
}
