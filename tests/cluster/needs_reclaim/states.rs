//! Volumes in every state, one test each, data on disk checked. Where only the controller could interfere it does not run.

use serde_json::json;

use super::scene::{Scene, code};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;

fn on_a_scene(what: &str, test: impl FnOnce(&Scene<'_>)) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::start(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), what);
    test(&scene);
    scene.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_ours_is_deleted_asset_and_object() {
    on_a_scene("deleted", |scene| {
        scene.released("v", "Delete");
        let ran = scene.reclaim_one("v", &[]);
        // Nobody takes pv-protection off without a controller.
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(!scene.directory("v").exists());
        if let Some(volume) = scene.find("v") {
            assert!(volume["metadata"]["deletionTimestamp"].is_string());
            let held = &volume["metadata"]["finalizers"];
            assert_eq!(*held, json!(["kubernetes.io/pv-protection"]));
        }
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_failed_volume_is_deleted_too() {
    on_a_scene("failed", |scene| {
        scene.put(&scene.volume("v", "Delete"), "Failed");
        let ran = scene.reclaim_one("v", &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(!scene.directory("v").exists());
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_to_be_recycled_is_emptied_and_available_again() {
    on_a_scene("recycled", |scene| {
        scene.released("v", "Recycle");
        let ran = scene.reclaim_one("v", &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(scene.directory("v").exists() && !scene.has_data("v"));
        let volume = scene.find("v").expect("it stays");
        assert_eq!(volume["status"]["phase"], "Available");
        assert!(volume["spec"]["claimRef"].is_null());
        let policy = &volume["spec"]["persistentVolumeReclaimPolicy"];
        assert_eq!(*policy, "Recycle");
        assert!(volume["metadata"]["annotations"].is_null(), "{volume}");
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_volume_is_given_back_with_its_data() {
    on_a_scene("reused", |scene| {
        scene.released("v", "Retain");
        assert_eq!(code(&scene.reclaim_one("v", &[])), "PolicyRetain");
        let ran = scene.reclaim_one("v", &["--reuse"]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        let volume = scene.find("v").expect("it stays");
        assert_eq!(volume["status"]["phase"], "Available");
        assert!(volume["spec"]["claimRef"].is_null());
        assert!(scene.has_data("v"));

        scene.released("w", "Retain");
        let key = format!("{}/next", scene.place.name);
        let ran = scene.reclaim_one("w", &["--reuse", "--for", &key]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        let reference = &scene.find("w").expect("it stays")["spec"]["claimRef"];
        assert_eq!(reference["name"], "next");
        assert!(reference["uid"].is_null() && scene.has_data("w"));
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_foreign_provisioner_a_claim_and_a_pod_are_left_alone() {
    on_a_scene("left", |scene| {
        let mut foreign = scene.volume("foreign", "Delete");
        let by = "pv.kubernetes.io/provisioned-by";
        foreign["metadata"]["annotations"][by] = json!("other.example.com/x");
        scene.put(&foreign, "Released");
        assert_eq!(code(&scene.reclaim_one("foreign", &[])), "ForeignDeleter");

        // A pod that still names the claim that is gone.
        scene.released("used", "Delete");
        scene
            .api
            .create(&json!({ "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": { "namespace": scene.place.name, "name": "default" } }));
        scene.api.create(&json!({ "apiVersion": "v1", "kind": "Pod",
            "metadata": { "namespace": scene.place.name, "name": "user" },
            "spec": { "containers": [{ "name": "c", "image": "c" }], "volumes": [{ "name": "data",
                "persistentVolumeClaim": { "claimName": "claim-of-used" } }] } }));
        assert_eq!(code(&scene.reclaim_one("used", &[])), "InUse");

        // The claim is there, whatever the phase says.
        let claim = scene
            .api
            .create(&scene.place.claim("claim-of-owned", "1Gi"));
        let mut owned = scene.volume("owned", "Delete");
        owned["spec"]["claimRef"]["uid"] = claim["metadata"]["uid"].clone();
        scene.put(&owned, "Released");
        assert_eq!(code(&scene.reclaim_one("owned", &[])), "ClaimExists");

        // Attached to a node.
        scene.released("attached", "Delete");
        let attachment = json!({ "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
            "metadata": { "name": scene.place.name },
            "spec": { "attacher": "x.example.com", "nodeName": "n", "source": {
                "persistentVolumeName": format!("{}-attached", scene.place.name) } } });
        scene.api.create(&attachment);
        assert_eq!(code(&scene.reclaim_one("attached", &[])), "Attached");
        scene.api.delete(&attachment);
        for name in ["foreign", "used", "owned", "attached"] {
            assert!(scene.has_data(name), "{name}");
        }
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_policy_is_flipped_and_what_was_begun_is_finished() {
    on_a_scene("flipped", |scene| {
        let class = scene.place.name.clone();
        scene.released("v", "Delete");
        let ran = scene.reclaim(&["--class", &class, "--set-policy", "Retain"]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        let policy = |name: &str| {
            scene.find(name).expect("it stays")["spec"]["persistentVolumeReclaimPolicy"].clone()
        };
        assert_eq!(policy("v"), "Retain");
        assert!(scene.has_data("v"));

        // A run that died behind its lock.
        let mut begun = scene.volume("w", "Delete");
        begun["metadata"]["finalizers"] = json!(["kubectl-pv.dev/asset"]);
        scene.put(&begun, "Released");
        let path = format!("/api/v1/persistentvolumes/{class}-w");
        let deleted = scene
            .api
            .send("DELETE", &path, "application/json", &json!(null));
        assert!(deleted.is_ok_and(|(status, _)| status == 200));
        let ran = scene.reclaim(&["--all-released", "--class", &class]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(!scene.directory("w").exists());
        assert!(scene.has_data("v"), "policy Retain");
    });
}
