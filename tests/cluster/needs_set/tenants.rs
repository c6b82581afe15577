//! Nothing that an earlier tenant left behind is handed on: directories that hold something are passed over, and an empty one is
//! taken up only where our record names the same set, by uid, and the same number.

use std::fs;

use serde_json::Value;

use super::scene::{Made, Scene, name_of, on_a_scene, volume_called};

const NONE: [String; 0] = [];

/// Deletes the object behind our back; what it stood for stays.
fn forget(scene: &Scene<'_>, set: &Value, ordinal: u64) {
    let volume = volume_called(&format!("{}-{ordinal}", name_of(set)));
    scene.api.delete(&volume);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_holds_something_is_passed_over() {
    on_a_scene("left", |scene| {
        let set = scene.set("pool", (3, 6), Made::ByBackend);
        scene.reconciled(&set);
        let file = scene.directory(&set, 1).join("file");
        fs::write(&file, "of an earlier tenant").expect("fill it");
        forget(scene, &set, 1);
        let ran = scene.reconcile(&set, &["--yes"]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(scene.names(&set), ["0", "2", "3"]);
        assert!(ran.stdout.contains("AssetTaken"), "{}", ran.stdout);
        // As often as anybody asks, and however many are wanted.
        scene.resize(&set, (6, 6));
        scene.reconciled(&set);
        assert_eq!(scene.names(&set), ["0", "2", "3", "4", "5", "6"]);
        let left = fs::read_to_string(&file).expect("it is where it was");
        assert_eq!(left, "of an earlier tenant");
        assert_eq!(scene.duplicates(&set), NONE);
        assert_eq!(scene.misstated(&set), NONE);
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_empty_and_recorded_for_the_same_number_is_taken_up() {
    on_a_scene("adopted", |scene| {
        let set = scene.set("pool", (3, 3), Made::ByBackend);
        scene.reconciled(&set);
        forget(scene, &set, 1);
        scene.reconciled(&set);
        assert_eq!(scene.names(&set), ["0", "1", "2"]);
        assert_eq!(scene.leaks(&set), NONE);
        assert_eq!(scene.misstated(&set), NONE);
        // Where none is needed, what is left of it goes.
        forget(scene, &set, 1);
        scene.resize(&set, (1, 3));
        scene.reconciled(&set);
        assert_eq!(scene.names(&set), ["0", "2"]);
        assert_eq!(scene.leaks(&set), NONE);
    });
}

/// Empty directories that somebody else made, or that our records know of another set, are left.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_of_somebody_else_is_left() {
    on_a_scene("foreign", |scene| {
        let set = scene.draft("pool", (2, 4), Made::ByBackend);
        fs::create_dir(scene.directory(&set, 0)).expect("somebody makes a directory");
        let first = scene.api.create(&set);
        scene.reconciled(&set);
        assert_eq!(scene.names(&set), ["1", "2"]);
        // The same name, another uid.
        scene.api.delete(&set);
        forget(scene, &set, 1);
        forget(scene, &set, 2);
        let second = scene.api.create(&set);
        assert_ne!(first["metadata"]["uid"], second["metadata"]["uid"]);
        scene.reconciled(&set);
        assert_eq!(scene.names(&set), ["3", "4"]);
        for ordinal in 0..3 {
            assert!(scene.directory(&set, ordinal).is_dir(), "{ordinal}");
        }
        assert_eq!(scene.records().len(), 4);
        assert_eq!(scene.misstated(&set), NONE);
    });
}

/// Nobody can look what is behind a number of a template, so none is given twice.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn numbers_of_templates_are_given_once() {
    on_a_scene("once", |scene| {
        let set = scene.set("pool", (2, 4), Made::FromTemplate);
        scene.reconciled(&set);
        assert_eq!(scene.names(&set), ["0", "1"]);
        forget(scene, &set, 1);
        scene.reconciled(&set);
        assert_eq!(scene.names(&set), ["0", "2"]);
        for ordinal in [0, 2] {
            forget(scene, &set, ordinal);
        }
        assert_eq!(scene.names(&set), NONE);
        scene.reconciled(&set);
        assert_eq!(scene.names(&set), ["3", "4"]);
        assert_eq!(scene.misstated(&set), NONE);
    });
}
