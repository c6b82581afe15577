//! Policies that are flipped, and what a run that died behind its lock has left.

use serde_json::json;

use super::stage::{FINALIZER, on_a_scene};

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
        begun["metadata"]["finalizers"] = json!([FINALIZER]);
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
