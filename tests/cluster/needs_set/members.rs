//! Who is a member: whoever carries the labels, made by hand or not, new or given back; and what becomes of members without
//! their set.

use std::fs;

use serde_json::json;

use super::scene::{Made, name_of, on_a_scene, volume_called, wait_for};

#[test]
#[ignore = "needs a control plane: tests/run"]
fn those_made_by_hand_are_counted() {
    on_a_scene("by-hand", |scene| {
        for made in Made::EACH {
            let kind = format!("{made:?}").to_lowercase();
            let set = scene.set(&kind, (3, 5), made);
            let volume = |name: &str| scene.hand_made(&set, &format!("{kind}-h{name}"), "7Gi");
            scene.api.create(&volume("0"));
            scene.api.create(&volume("1"));
            // Reserved: it is one of all, and none of those that are free.
            let mut reserved = volume("2");
            reserved["spec"]["claimRef"] =
                json!({ "namespace": scene.place.name, "name": "to-come" });
            scene.api.create(&reserved);
            scene.reconciled(&set);
            assert_eq!(scene.members(&set).len(), 4);
            assert_eq!(scene.told(&set, "SuccessfulCreate"), 1);
            let status = scene.status(&set);
            assert_eq!(
                (&status["total"], &status["unbound"]),
                (&json!(4), &json!(3))
            );
            // One that has a name the set would give is a member like any other.
            let mut namesake = volume("3");
            namesake["metadata"]["name"] = json!(format!("{}-1", name_of(&set)));
            scene.api.create(&namesake);
            scene.resize(&set, (9, 9));
            scene.reconciled(&set);
            assert_eq!(scene.members(&set).len(), 9);
            let none: [String; 0] = [];
            assert_eq!(scene.duplicates(&set), none);
            assert_eq!(scene.misstated(&set), none);
            assert_eq!(scene.condition(&set, "Ready"), "False MaximumReached");
        }
    });
}

/// Volumes that come back may be more than the minimum, and are kept.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn recycled_volumes_are_kept_above_the_minimum() {
    on_a_scene("recycled", |scene| {
        let _controller = scene.cluster.start_controller();
        let mut set = scene.draft("pool", (1, 4), Made::ByBackend);
        set["spec"]["template"]["spec"]["persistentVolumeReclaimPolicy"] = json!("Recycle");
        scene.api.create(&set);
        let mut taken = Vec::new();
        for number in 0..3 {
            scene.reconciled(&set);
            let claim = format!("claim-{number}");
            let volume = scene.bound_claim(&set, &claim, "1Gi");
            fs::write(scene.base().join(&volume).join("file"), "data").expect("use it");
            taken.push((claim, volume));
        }
        scene.reconciled(&set);
        assert_eq!(scene.members(&set).len(), 4);
        for (claim, volume) in &taken {
            scene.release(claim, volume);
        }
        // Released ones are neither free nor bound, and nobody makes others in their stead.
        scene.reconciled(&set);
        let status = scene.status(&set);
        let levels = (&status["total"], &status["unbound"], &status["bound"]);
        assert_eq!(levels, (&json!(4), &json!(1), &json!(0)));
        for (_, volume) in &taken {
            let ran = scene.run(&["reclaim", volume, "--yes", "-o", "json"]).ran();
            assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
            let object = volume_called(volume);
            wait_for("it is Available again", || {
                scene.is_in(&object, "Available")
            });
            assert!(!scene.base().join(volume).join("file").exists());
        }
        let before = scene.members(&set);
        scene.reconciled(&set);
        assert_eq!(scene.members(&set), before, "they are left as they are");
        let status = scene.status(&set);
        let levels = (&status["total"], &status["unbound"], &status["next"]);
        assert_eq!(levels, (&json!(4), &json!(4), &json!([])));
        let none: [String; 0] = [];
        assert_eq!(scene.misstated(&set), none);
        assert_eq!(scene.leaks(&set), none);
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_set_that_goes_leaves_its_volumes() {
    on_a_scene("gone", |scene| {
        let _controller = scene.cluster.start_controller();
        for made in Made::EACH {
            let set = scene.set(&format!("{made:?}").to_lowercase(), (2, 3), made);
            scene.reconciled(&set);
            wait_for("they are Available", || scene.count(&set, "Available") == 2);
            let (before, assets) = (scene.members(&set), scene.assets());
            let deleted = scene.cluster.kubectl(&["delete", "pvs", name_of(&set)]);
            assert!(deleted.status.success(), "{deleted:?}");
            assert!(scene.api.find(&set).is_none());
            // Asked by name it is not found; the others are seen to without it.
            assert_eq!(scene.reconcile(&set, &["--yes"]).status, 3);
            assert_eq!(scene.members(&set), before);
            assert_eq!(scene.assets(), assets);
        }
    });
}
