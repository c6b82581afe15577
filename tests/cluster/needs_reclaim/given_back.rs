//! Policy Retain: nothing happens, until somebody gives the volume back with its data, to all or to one claim.

use super::scene::code;
use super::stage::on_a_scene;

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_retained_volume_is_left_until_somebody_gives_it_back() {
    on_a_scene("reused", |scene| {
        let before = scene.released("v", "Retain");
        assert_eq!(code(&scene.reclaim_one("v", &[])), "PolicyRetain");
        assert_eq!(scene.find("v"), Some(before));
        assert!(scene.has_data("v"));
        let ran = scene.reclaim_one("v", &["--reuse"]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        let volume = scene.find("v").expect("it stays");
        assert_eq!(volume["status"]["phase"], "Available");
        assert!(volume["spec"]["claimRef"].is_null());
        assert!(scene.has_data("v"));
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn it_is_kept_for_one_claim() {
    on_a_scene("kept", |scene| {
        scene.released("w", "Retain");
        let key = format!("{}/next", scene.place.name);
        let ran = scene.reclaim_one("w", &["--reuse", "--for", &key]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        let reference = &scene.find("w").expect("it stays")["spec"]["claimRef"];
        assert_eq!(reference["name"], "next");
        assert!(reference["uid"].is_null() && scene.has_data("w"));
    });
}
