//! Volumes that somebody else has, uses or sees to: neither the object nor a byte of its directory changes.

use serde_json::{Value, json};

use super::scene::{Scene, code};
use super::stage::on_a_scene;

/// Nothing of it changes, and this is why.
fn assert_left(scene: &Scene<'_>, name: &str, expected: &str) {
    let before = scene.find(name).expect("it was created");
    for _ in 0..2 {
        assert_eq!(code(&scene.reclaim_one(name, &[])), expected);
    }
    let class = scene.place.name.clone();
    assert_eq!(
        code(&scene.reclaim(&["--all-released", "--class", &class])),
        expected
    );
    assert_eq!(scene.find(name), Some(before));
    assert!(scene.has_data(name));
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_a_foreign_provisioner_made() {
    on_a_scene("foreign", |scene| {
        let mut foreign = scene.volume("v", "Delete");
        let by = "pv.kubernetes.io/provisioned-by";
        foreign["metadata"]["annotations"][by] = json!("other.example.com/x");
        scene.put(&foreign, "Released");
        assert_left(scene, "v", "ForeignDeleter");
    });
}

/// A pod that still names the claim that is gone.
fn user(scene: &Scene<'_>) -> Value {
    let namespace = &scene.place.name;
    scene
        .api
        .create(&json!({ "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": { "namespace": namespace, "name": "default" } }));
    scene.api.create(&json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": namespace, "name": "user" },
        "spec": { "containers": [{ "name": "c", "image": "c" }], "volumes": [{ "name": "data",
            "persistentVolumeClaim": { "claimName": "claim-of-v" } }] } }))
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_a_pod_uses() {
    on_a_scene("used", |scene| {
        for (name, policy) in [("v", "Delete"), ("w", "Recycle")] {
            let mut volume = scene.volume(name, policy);
            volume["spec"]["claimRef"]["name"] = json!("claim-of-v");
            scene.put(&volume, "Released");
        }
        let pod = user(scene);
        assert_left(scene, "v", "InUse");
        assert_left(scene, "w", "InUse");
        // It is free when the pod is gone.
        scene.api.delete(&pod);
        let ran = scene.reclaim_one("v", &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(!scene.directory("v").exists());
    });
}

/// Whatever the phase says.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_a_claim_owns() {
    on_a_scene("owned", |scene| {
        let claim = scene.api.create(&scene.place.claim("claim-of-v", "1Gi"));
        let mut owned = scene.volume("v", "Delete");
        owned["spec"]["claimRef"]["uid"] = claim["metadata"]["uid"].clone();
        scene.put(&owned, "Released");
        let before = scene.find("v");
        assert_eq!(code(&scene.reclaim_one("v", &[])), "ClaimExists");
        assert_eq!(scene.find("v"), before);
        assert!(scene.has_data("v"));
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_attached_to_a_node() {
    on_a_scene("attached", |scene| {
        let volume = scene.released("v", "Delete");
        let attachment = json!({ "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
            "metadata": { "name": scene.place.name },
            "spec": { "attacher": "x.example.com", "nodeName": "n", "source": {
                "persistentVolumeName": volume["metadata"]["name"] } } });
        scene.api.create(&attachment);
        assert_left(scene, "v", "Attached");
        scene.api.delete(&attachment);
    });
}
