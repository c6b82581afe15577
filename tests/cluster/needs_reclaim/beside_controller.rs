//! `reclaim` beside the real controller, which protects volumes, marks phases and binds whatever is free.

use std::fs;
use std::thread::sleep;

use super::stage::{is_in, on_a_plane, owner, wait_for};
use crate::cluster::control_plane::QUIET_TWICE;
use crate::cluster::report_check::OtherWrite;

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_ours_is_really_gone() {
    on_a_plane("beside", |scene, cluster, _| {
        let _controller = cluster.start_controller();
        let volume = scene.volume("v", "Delete");
        scene.api.create(&volume);
        wait_for("it is Released", || is_in(scene.api, &volume, "Released"));
        let ran = scene.reclaim_one("v", &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        wait_for("the object is gone", || scene.find("v").is_none());
        assert!(!scene.directory("v").exists());
    });
}

/// A claim waits for a volume: it gets the one that is emptied in the very moment that is free again, and keeps its files.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_was_emptied_is_bound_again_by_a_claim_that_waits() {
    on_a_plane("again", |scene, cluster, _| {
        let _controller = cluster.start_controller();
        let claim = scene.place.claim("next", "1Gi");
        let waiting = scene.api.create(&claim);
        let volume = scene.volume("v", "Recycle");
        scene.api.create(&volume);
        wait_for("it is Released", || is_in(scene.api, &volume, "Released"));
        let ran = scene.reclaim_one("v", &[]);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.status, 0, "{said}");
        wait_for("the next claim has it", || {
            is_in(scene.api, &claim, "Bound")
        });
        assert!(!scene.has_data("v"), "{said}");
        fs::write(scene.directory("v").join("file"), "mine").expect("the next owner writes");
        // Two of the controller's rounds, and one more of ours.
        sleep(QUIET_TWICE);
        let class = scene.place.name.clone();
        let others = OtherWrite::of_controller();
        let ran = scene.reclaim_beside(&["--all-released", "--class", &class], &others);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(scene.has_data("v"));
        let found = scene.find("v").expect("it stays");
        assert_eq!(*owner(&found), waiting["metadata"]["uid"]);
        assert_eq!(found["status"]["phase"], "Bound");
        assert_eq!(found["spec"]["persistentVolumeReclaimPolicy"], "Recycle");
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_given_back_is_bound_again_with_its_data() {
    on_a_plane("given", |scene, cluster, _| {
        let _controller = cluster.start_controller();
        let claim = scene.place.claim("next", "1Gi");
        scene.api.create(&claim);
        let volume = scene.volume("v", "Retain");
        scene.api.create(&volume);
        wait_for("it is Released", || is_in(scene.api, &volume, "Released"));
        let ran = scene.reclaim_one("v", &["--reuse"]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        wait_for("the next claim has it", || {
            is_in(scene.api, &claim, "Bound")
        });
        assert!(scene.has_data("v"));
    });
}
