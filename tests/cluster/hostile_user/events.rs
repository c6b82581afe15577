//! Events of a namespace user: about claims that do not exist, about other people's claims by uid, and about volumes by name.

use serde_json::{Value, json};

use super::scene::{DRIVER, OURS, SILENT, Scene, on_a_scene};

/// An event in the attacker's namespace.
fn event(scene: &Scene, name: &str, about: Value, reason: &str, component: &str) -> Value {
    let namespace = &scene.attacker.place.name;
    let mut about = about;
    about["namespace"] = json!(namespace);
    json!({ "apiVersion": "v1", "kind": "Event",
        "metadata": { "namespace": namespace, "name": name },
        "involvedObject": about, "type": "Warning", "reason": reason,
        "message": format!("forged: {name}"), "source": { "component": component },
        "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2099-01-01T00:00:00Z" })
}

fn about(kind: &str, object: &Value) -> Value {
    let metadata = &object["metadata"];
    json!({ "apiVersion": "v1", "kind": kind, "name": metadata["name"], "uid": metadata["uid"] })
}

/// Events about a claim that does not exist, and about the attacker's own claim, in the name of every provisioner.
fn forge_signs_of_life(scene: &Scene) {
    let own = scene.hostile_claim("own");
    scene.create_as_attacker(&own);
    let own = about(
        "PersistentVolumeClaim",
        &scene.api.find(&own).expect("the claim"),
    );
    let none = json!({ "kind": "PersistentVolumeClaim", "name": "none", "uid": "no-such-uid" });
    for (number, provisioner) in [OURS, SILENT, DRIVER].iter().enumerate() {
        let signed = format!("{provisioner}_pod-1_0000");
        for (what, object) in [("none", &none), ("own", &own)] {
            let name = format!("life-{what}-{number}");
            let life = event(scene, &name, object.clone(), "Provisioning", &signed);
            scene.create_as_attacker(&life);
        }
    }
}

/// Events that put words on the tenant's claims and volumes.
fn forge_words(scene: &Scene) {
    for (claim, component) in [
        ("data", OURS),
        ("silent", SILENT),
        ("driver", DRIVER),
        ("static", "persistentvolume-controller"),
        ("named", "persistentvolume-controller"),
    ] {
        let found = about("PersistentVolumeClaim", &scene.claim(claim));
        let name = format!("claim-{claim}");
        let words = event(scene, &name, found, "ProvisioningFailed", component);
        scene.create_as_attacker(&words);
    }
    for volume in ["free", "deleted", "recycled", "foreign"] {
        let found = about("PersistentVolume", &scene.volume(volume));
        let mut unnamed = found.clone();
        unnamed.as_object_mut().expect("an object").remove("uid");
        for (what, object) in [("uid", found), ("name", unnamed)] {
            let name = format!("volume-{volume}-{what}");
            let words = event(scene, &name, object, "VolumeFailedDelete", DRIVER);
            scene.create_as_attacker(&words);
        }
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_forged_sign_of_life_moves_no_other_answer() {
    on_a_scene("life", |scene| {
        scene.assert_unmoved_by(|| forge_signs_of_life(scene));
        let backend = scene.backend();
        let words = [
            "provision",
            "-n",
            &scene.place.name,
            "--backend",
            &backend,
            "--dry-run",
        ];
        let words: Vec<&str> = words.into_iter().chain(["-o", "json"]).collect();
        let plan = scene.cluster.kubectl_pv("admin", &words).json();
        let warnings = plan["warnings"].as_array().expect("a list");
        let is_rival = |warning: &&Value| warning["code"] == "RivalReported";
        assert!(
            warnings.iter().any(|warning| is_rival(&warning)),
            "{plan:#}"
        );
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn forged_words_about_other_objects_move_no_answer() {
    on_a_scene("words", |scene| {
        scene.assert_unmoved_by(|| forge_words(scene));
    });
}
