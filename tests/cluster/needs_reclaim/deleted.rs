//! Policy Delete and our backend: the directory goes, and the object after it. The controller, which would take the last finalizer
//! off, runs in `beside_controller.rs`.

use super::stage::on_a_scene;

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_ours_goes_asset_and_object() {
    on_a_scene("deleted", |scene| {
        scene.released("v", "Delete");
        let ran = scene.reclaim_one("v", &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(!scene.directory("v").exists());
        assert_eq!(scene.find("v"), None);
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_failed_volume_goes_too() {
    on_a_scene("failed", |scene| {
        scene.put(&scene.volume("v", "Delete"), "Failed");
        let ran = scene.reclaim_one("v", &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(!scene.directory("v").exists());
    });
}
