//! A base directory of another cluster: no command changes a byte of it. The directory is this cluster's own, with the stamp of
//! another one: that is what a rebuilt cluster, or a wrong context, looks like.

use std::fs;

use serde_json::{Value, json};

use super::provisioned::{Provisioned, run};
use super::scene::Scene;
use crate::cluster::control_plane::{ControlPlane, cluster_uid};
use crate::cluster::faults::api::Upstream;

const OTHER: &str = "11111111-2222-3333-4444-555555555555";

#[test]
#[ignore = "needs a control plane: tests/run"]
fn nothing_is_changed_in_a_directory_of_another_cluster() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), "other");
    let made = Provisioned::create(&scene, "Delete");
    let (name, stamp) = (made.name(), scene.base().join(".kubectl-pv/cluster"));
    assert_eq!(fs::read_to_string(&stamp).unwrap(), cluster_uid());
    fs::write(&stamp, OTHER).expect("as another cluster left it");
    let record = scene.base().join(format!(".kubectl-pv/{name}.json"));
    let before = fs::read(&record).expect("a record");
    let is_unchanged = |what: &str| {
        assert!(made.has_data(), "{what}");
        assert_eq!(fs::read(&record).expect(what), before, "{what}");
        assert_eq!(fs::read_to_string(&stamp).expect(what), OTHER, "{what}");
        let names = fs::read_dir(scene.base()).expect("read it").count();
        assert_eq!(names, 2, "{what}: the asset and the records");
    };
    let refuses = |words: &[&str]| {
        for more in [&["--yes"][..], &["--yes", "-o", "json"], &["--dry-run"]] {
            let ran = run(&scene, &[words, more].concat());
            assert_eq!(ran.status, 2, "{words:?} {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.stdout, "", "{words:?}");
            for part in [
                "WrongCluster",
                OTHER,
                cluster_uid(),
                "--take-over-directory",
            ] {
                assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
            }
            assert!(!ran.stderr.contains("Usage"), "{}", ran.stderr);
            is_unchanged(&format!("{words:?} {more:?}"));
        }
    };

    let second = scene.place.claim("second", "1Gi");
    scene.api.create(&second);
    refuses(&["provision", "second", "--node", &scene.node()]);
    scene.api.delete(&second);

    scene.api.delete(&made.claim);
    let released = json!({ "phase": "Released" });
    scene.api.patch_status(&made.volume, &released);
    refuses(&["reclaim", name]);
    refuses(&["cleanup"]);

    // Without a volume it is a leaked asset, which no report of this cluster lists.
    scene.api.delete(&made.volume);
    let words = ["cleanup", "--category", "leaked-assets", "-o", "json"];
    for more in [&[][..], &["--yes"]] {
        let ran = run(&scene, &[&words, more].concat());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let said: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let undecided = said["refused"].to_string();
        assert!(undecided.contains("leaked-assets"), "{undecided}");
        assert!(undecided.contains("WrongCluster"), "{undecided}");
        is_unchanged("a report");
    }
    take_over(&scene);
    assert!(made.has_data());
    scene.clear();
}

/// The directory is given to this cluster only by the uid of its owner.
fn take_over(scene: &Scene<'_>) {
    let stamp = scene.base().join(".kubectl-pv/cluster");
    let base = scene.base().display().to_string();
    for (asked, status) in [
        (base.clone(), 2),
        (format!("{base}=none"), 1),
        (format!("{base}={}", cluster_uid()), 1),
        (format!("/nowhere={OTHER}"), 2),
    ] {
        let ran = run(
            scene,
            &["cleanup", "--yes", "--take-over-directory", &asked],
        );
        assert_eq!(ran.status, status, "{asked}: {}", ran.stderr);
        assert_eq!(fs::read_to_string(&stamp).unwrap(), OTHER, "{asked}");
    }
    let asked = format!("{base}={OTHER}");
    let ran = run(scene, &["reclaim", "--take-over-directory", &asked]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("1 asset, 1 of them with data"),
        "{}",
        ran.stderr
    );
    assert_eq!(fs::read_to_string(&stamp).unwrap(), cluster_uid());
}

/// The disk is not mounted: the directory below it is empty.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn an_empty_directory_in_place_of_the_disk_is_refused() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), "unmounted");
    let volume = scene.volume("gone", "Delete");
    scene.put(&volume, "Released");
    let name = volume["metadata"]["name"].as_str().expect("a name");
    let away = scene.base().with_file_name("away");
    fs::rename(scene.base(), &away).expect("unmount");
    fs::create_dir(scene.base()).expect("the mount point");
    for words in [
        &["reclaim", name, "--yes"][..],
        &["cleanup", "--yes"],
        &[
            "cleanup",
            "--take-over-directory",
            &format!("{}=none", scene.base().display()),
        ],
    ] {
        let ran = run(&scene, words);
        assert_eq!(ran.status, 2, "{words:?}: {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stderr.contains("is the disk mounted?"),
            "{}",
            ran.stderr
        );
        assert!(!ran.stderr.contains("--take-over"), "{}", ran.stderr);
        let found = scene.api.find(&volume).expect("the volume");
        assert!(
            found["metadata"]["deletionTimestamp"].is_null(),
            "not locked"
        );
        assert_eq!(fs::read_dir(scene.base()).expect("read it").count(), 0);
    }
    scene.clear();
}
