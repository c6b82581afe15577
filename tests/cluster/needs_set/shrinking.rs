//! Too many members: the largest that is Available and ours goes, one at a time, and nothing else.

use std::fs;

use serde_json::{Value, json};

use super::scene::{Made, name_of, on_a_scene, skipped, wait_for};

/// Every sort of member at once: bound, released, reserved, made by hand, with another policy, of other sizes.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_largest_that_is_available_goes_and_nothing_else() {
    on_a_scene("shrink", |scene| {
        let _controller = scene.cluster.start_controller();
        let set = scene.set("pool", (1, 20), Made::ByBackend);
        // 0: 9Gi, to be bound. 1: 9Gi, to be released. 2: 9Gi, to be reserved. 3: 9Gi, Retain. 4: 8Gi. 5, 6: 2Gi. 7: 4Gi.
        let mut unbound = 0;
        for (size, count) in [("9Gi", 4), ("8Gi", 1), ("2Gi", 2), ("4Gi", 1)] {
            scene.retemplate(&set, size);
            unbound += count;
            scene.resize(&set, (unbound, 20));
            scene.reconciled(&set);
        }
        let member = |ordinal: u64| {
            let mut volume = scene.members(&set)[0].clone();
            volume["metadata"] = json!({ "name": format!("{}-{ordinal}", name_of(&set)) });
            volume
        };
        wait_for("all are Available", || scene.count(&set, "Available") == 8);
        let reserved =
            json!({ "spec": { "claimRef": { "namespace": scene.place.name, "name": "to-come" } } });
        let retained = json!({ "spec": { "persistentVolumeReclaimPolicy": "Retain" } });
        scene.api.patch(&member(2), &reserved);
        scene.api.patch(&member(3), &retained);
        for (claim, ordinal) in [("bound", 0), ("released", 1)] {
            let mut object = scene.claim(&set, claim, "1Gi");
            object["spec"]["volumeName"] = json!(name_of(&member(ordinal)));
            scene.api.create(&object);
            wait_for("it is bound", || scene.is_in(&object, "Bound"));
        }
        scene.release("released", name_of(&member(1)));
        scene.api.create(&scene.hand_made(&set, "by-hand", "10Gi"));
        // By hand as well, where our backend would find it; and one that says that it is ours, of policy Retain.
        let mut inside = scene.hand_made(&set, "inside", "11Gi");
        let directory = scene.base().join("inside");
        fs::create_dir(&directory).expect("make a directory");
        inside["spec"]["hostPath"]["path"] = json!(directory);
        inside["spec"]["persistentVolumeReclaimPolicy"] = json!("Delete");
        scene.api.create(&inside);
        wait_for("all are seen", || {
            scene
                .members(&set)
                .iter()
                .all(|it| it["status"]["phase"] != "Pending")
        });
        let total = 10;
        assert_eq!(scene.members(&set).len(), total);

        // One too many: 4 goes, the largest that may.
        scene.resize(&set, (1, 9));
        let plan = scene.reconcile(&set, &["--dry-run"]).stdout;
        let plan: Value = serde_json::from_str(&plan).expect("a plan");
        let left = skipped(&plan);
        for (name, code) in [
            (format!("{}-by-hand", scene.place.name), "NoDeleter"),
            (format!("{}-inside", scene.place.name), "NoDeleter"),
            (name_of(&member(3)).to_owned(), "PolicyRetain"),
        ] {
            assert!(left.contains(&format!("{name} {code}")), "{code}: {plan}");
        }
        let goes = |it: &&Value| it["action"] == "DeleteAsset";
        let changes = plan["changes"].as_array().unwrap().iter();
        let gone: Vec<&Value> = changes.filter(goes).collect();
        assert_eq!(gone.len(), 1, "{plan}");
        assert_eq!(gone[0]["target"]["name"], name_of(&member(4)));
        scene.reconciled(&set);
        let rest = ["by-hand", "inside", "0", "1", "2", "3", "5", "6", "7"];
        assert_eq!(scene.names(&set), rest);
        assert!(!scene.directory(&set, 4).exists());
        assert!(!scene.records().contains(name_of(&member(4))));
        assert_eq!(scene.told(&set, "SuccessfulDelete"), 1);
        let none: [String; 0] = [];
        assert_eq!(scene.misstated(&set), none);

        // Two more: 7 (4Gi), then of the equals the first by name.
        scene.resize(&set, (1, 7));
        scene.reconciled(&set);
        let rest = ["by-hand", "inside", "0", "1", "2", "3", "6"];
        assert_eq!(scene.names(&set), rest);
        assert_eq!(scene.told(&set, "SuccessfulDelete"), 3);

        // More than there are of those: what may not go stays, and it is said.
        scene.resize(&set, (0, 0));
        let ran = scene.reconcile(&set, &["--yes"]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        let outcome: Value = serde_json::from_str(&ran.stdout).expect("an outcome");
        let above = format!("{} AboveMaximum", name_of(&set));
        assert!(skipped(&outcome).contains(&above), "{outcome}");
        assert_eq!(scene.names(&set), ["by-hand", "inside", "0", "1", "2", "3"]);
        for ordinal in 0..4 {
            assert!(scene.directory(&set, ordinal).is_dir(), "{ordinal}");
            assert!(scene.records().contains(name_of(&member(ordinal))));
        }
        assert!(directory.is_dir());
        assert_eq!(scene.assets().len(), 5);
        assert_eq!(scene.misstated(&set), none);
        let before = scene.versions(&set);
        assert_eq!(scene.reconcile(&set, &["--yes"]).status, 0);
        assert_eq!(before, scene.versions(&set));
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn equals_go_by_name() {
    on_a_scene("equals", |scene| {
        // Whoever protects volumes lets them go.
        let _controller = scene.cluster.start_controller();
        let set = scene.set("pool", (12, 12), Made::ByBackend);
        scene.reconciled(&set);
        scene.resize(&set, (0, 8));
        let outcome = scene.reconciled(&set);
        // As text: 10 and 11 are before 2.
        let rest = ["2", "3", "4", "5", "6", "7", "8", "9"];
        assert_eq!(scene.names(&set), rest, "{outcome}");
        let none: [String; 0] = [];
        assert_eq!(scene.leaks(&set), none);
        assert_eq!(scene.misstated(&set), none);
        // A number is free again once nothing is left behind it.
        scene.resize(&set, (9, 9));
        scene.reconciled(&set);
        assert_eq!(
            scene.names(&set),
            ["0", "2", "3", "4", "5", "6", "7", "8", "9"]
        );
        assert_eq!(scene.leaks(&set), none);
    });
}

/// What somebody put into a volume without claiming it is not the set's to delete.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_member_with_files_in_it_stays() {
    on_a_scene("holds", |scene| {
        // Whoever protects volumes lets them go.
        let _controller = scene.cluster.start_controller();
        let set = scene.set("pool", (4, 4), Made::ByBackend);
        scene.reconciled(&set);
        let file = scene.directory(&set, 0).join("file");
        fs::write(&file, "data").expect("fill it");
        scene.resize(&set, (0, 3));
        let plan = scene.reconcile(&set, &["--dry-run"]).stdout;
        let plan: Value = serde_json::from_str(&plan).expect("a plan");
        let held = format!("{}-0 HoldsData", name_of(&set));
        assert!(skipped(&plan).contains(&held), "{plan}");
        scene.reconciled(&set);
        assert_eq!(scene.names(&set), ["0", "2", "3"]);
        scene.resize(&set, (0, 0));
        let ran = scene.reconcile(&set, &["--yes"]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(scene.names(&set), ["0"]);
        assert!(file.exists());
        let findings = scene.status(&set)["findings"].clone();
        assert!(findings.to_string().contains("HoldsData"), "{findings}");
        let none: [String; 0] = [];
        assert_eq!(scene.leaks(&set), none);
        fs::remove_file(&file).expect("take it out");
        scene.reconciled(&set);
        assert_eq!(scene.names(&set), none);
        assert_eq!(scene.leaks(&set), none);
    });
}

/// A template without a backend is nobody's to delete from.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_no_backend_made_is_never_deleted() {
    on_a_scene("undeleted", |scene| {
        let set = scene.set("pool", (3, 3), Made::FromTemplate);
        scene.reconciled(&set);
        scene.api.patch(
            &set,
            &json!({ "spec": { "minimumReplicas": 0, "maximumReplicas": 1,
            "template": { "spec": { "persistentVolumeReclaimPolicy": "Delete" } } } }),
        );
        for volume in scene.members(&set) {
            let policy = json!({ "spec": { "persistentVolumeReclaimPolicy": "Delete" } });
            scene.api.patch(&volume, &policy);
        }
        let ran = scene.reconcile(&set, &["--yes"]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        let outcome: Value = serde_json::from_str(&ran.stdout).expect("an outcome");
        for ordinal in 0..3 {
            let left = format!("{}-{ordinal} NoDeleter", name_of(&set));
            assert!(skipped(&outcome).contains(&left), "{outcome}");
        }
        assert_eq!(scene.names(&set), ["0", "1", "2"]);
    });
}
