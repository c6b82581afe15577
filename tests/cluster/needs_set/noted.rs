//! Sets that cannot be kept as they are written: they are told so, by a condition and an event, and nothing is made.

use serde_json::{Value, json};

use super::scene::{Made, Scene, name_of, on_a_scene, skipped};

fn check_refused(scene: &Scene<'_>, set: &Value, members: usize) {
    let ran = scene.reconcile(set, &["--yes"]);
    assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
    let outcome: Value = serde_json::from_str(&ran.stdout).expect("an outcome");
    let invalid = format!("{} InvalidVolumeSet", name_of(set));
    assert_eq!(skipped(&outcome), [invalid]);
    assert_eq!(scene.members(set).len(), members);
    assert_eq!(scene.condition(set, "Valid"), "False InvalidVolumeSet");
    assert_eq!(scene.condition(set, "Ready"), "False InvalidVolumeSet");
    assert_eq!(scene.told(set, "InvalidVolumeSet"), 1);
    let findings = scene.status(set)["findings"].clone();
    assert_eq!(findings[0]["code"], "InvalidVolumeSet");
    // It is told once.
    let before = scene.versions(set);
    assert_eq!(scene.reconcile(set, &["--yes"]).status, 1);
    assert_eq!(before, scene.versions(set));
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_the_server_does_not_see_is_refused() {
    on_a_scene("invalid", |scene| {
        let mut set = scene.draft("pool", (2, 3), Made::FromTemplate);
        set["spec"]["template"]["spec"]["nfs"] = json!({ "path": "{set}/{ordinal}" });
        scene.api.create(&set);
        check_refused(scene, &set, 0);
        // Once it is mended it is kept, and says so.
        let source = json!({ "server": "filer", "path": "/{set}/{ordinal}" });
        let template = json!({ "template": { "spec": { "nfs": source } } });
        scene.api.patch(&set, &json!({ "spec": template }));
        scene.reconciled(&set);
        assert_eq!(scene.members(&set).len(), 2);
        assert_eq!(scene.condition(&set, "Valid"), "True Valid");
        assert_eq!(scene.condition(&set, "Ready"), "True MinimumReached");
        let none: [String; 0] = [];
        assert_eq!(scene.misstated(&set), none);
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn two_sets_that_count_the_same_volumes_are_refused() {
    on_a_scene("overlap", |scene| {
        let one = scene.draft("one", (2, 3), Made::ByBackend);
        let mut other = scene.draft("other", (2, 3), Made::FromTemplate);
        let labels = json!({ "pool": name_of(&one), "more": "yes" });
        other["spec"]["template"]["metadata"]["labels"] = labels.clone();
        other["spec"]["selector"] = labels;
        for set in [&one, &other] {
            scene.api.create(set);
        }
        check_refused(scene, &one, 0);
        check_refused(scene, &other, 0);
        assert!(scene.assets().is_empty() && scene.records().is_empty());
        // All at once: the sets of others do not matter, and without a name it is no failure.
        scene.api.delete(&other);
        scene.reconciled(&one);
        assert_eq!(scene.names(&one), ["0", "1"]);
        assert_eq!(scene.condition(&one, "Valid"), "True Valid");
        // One volume in common is enough.
        let mut by_hand = scene.hand_made(&one, "both", "1Gi");
        by_hand["metadata"]["labels"]["extra"] = json!(name_of(&one));
        scene.api.create(&by_hand);
        let mut third = scene.draft("third", (1, 1), Made::FromTemplate);
        third["spec"]["selector"] = json!({ "extra": name_of(&one) });
        third["spec"]["template"]["metadata"]["labels"] = json!({ "extra": name_of(&one) });
        scene.api.create(&third);
        let ran = scene.reconcile(&one, &["--yes"]);
        assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(scene.names(&one), ["both", "0", "1"]);
        assert_eq!(scene.condition(&one, "Valid"), "False InvalidVolumeSet");
    });
}

/// Without names every set there is is seen to; one that cannot be kept keeps nobody else from it.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn an_invalid_set_is_in_nobodys_way() {
    on_a_scene("beside", |scene| {
        let mut invalid = scene.draft("a", (2, 3), Made::FromTemplate);
        invalid["spec"]["template"]["spec"]["nfs"] = json!({ "path": "relative" });
        scene.api.create(&invalid);
        let good = scene.set("b", (2, 3), Made::ByBackend);
        let ran = scene
            .run(&["set", "reconcile", "--yes", "-o", "json"])
            .ran();
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(scene.names(&good), ["0", "1"]);
        assert_eq!(scene.members(&invalid).len(), 0);
        assert_eq!(scene.condition(&invalid, "Valid"), "False InvalidVolumeSet");
    });
}
