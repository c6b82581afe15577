//! Policy Recycle and our backend: files of every kind go, the directory stays, and the volume is anybody's again.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::scene::OURS;
use super::stage::on_a_scene;

#[test]
#[ignore = "needs a control plane: tests/run"]
fn it_is_emptied_and_available_again() {
    on_a_scene("recycled", |scene| {
        scene.released("v", "Recycle");
        let (inside, outside) = (scene.directory("v"), scene.directory("of-others"));
        fs::create_dir_all(inside.join("deep/.hidden")).expect("a directory in it");
        fs::write(inside.join("deep/.hidden/file"), "data").expect("a file in that");
        fs::create_dir(&outside).expect("a directory beside it");
        fs::write(outside.join("file"), "data").expect("a file in that");
        symlink(&outside, inside.join("link")).expect("a link out of it");
        let ran = scene.reclaim_one("v", &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        let mut left = fs::read_dir(&inside).expect("the directory stays");
        assert!(left.next().is_none());
        assert!(outside.join("file").exists());
        let volume = scene.find("v").expect("it stays");
        assert_eq!(volume["status"]["phase"], "Available");
        assert!(volume["spec"]["claimRef"].is_null());
        let policy = &volume["spec"]["persistentVolumeReclaimPolicy"];
        assert_eq!(*policy, "Recycle");
        assert!(volume["metadata"]["annotations"].is_null(), "{volume}");
    });
}

/// `provision` writes the claimRef itself, so that `bound-by-controller` is absent as on a volume that a person reserved.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn one_that_a_backend_provisioned_is_not_reserved_for_the_deleted_claim() {
    on_a_scene("provisioned", |scene| {
        let mut volume = scene.volume("v", "Recycle");
        volume["metadata"]["annotations"] = json!({ "pv.kubernetes.io/provisioned-by": OURS });
        scene.put(&volume, "Released");
        let ran = scene.reclaim_one("v", &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        let volume = scene.find("v").expect("it stays");
        assert_eq!(volume["status"]["phase"], "Available");
        assert!(volume["spec"]["claimRef"].is_null(), "{volume}");
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_failed_volume_is_emptied_too() {
    on_a_scene("failed", |scene| {
        scene.put(&scene.volume("v", "Recycle"), "Failed");
        let ran = scene.reclaim_one("v", &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(scene.directory("v").exists() && !scene.has_data("v"));
        let volume = scene.find("v").expect("it stays");
        assert_eq!(volume["status"]["phase"], "Available");
    });
}
