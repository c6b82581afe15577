//! Whatever `provision` tidies up, it never touches what somebody has used: a claim that was bound, written
//! to, deleted and made again gets a new volume, and the old one stays for `reclaim`, data and all.

use std::fs;

use serde_json::json;

use super::judge::not_served;
use super::scene::{Kind, Scene, TrialNode};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;

fn recreate(kind: Kind, policy: &str, has_data: bool, names: &[&str]) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let proxy = Proxy::start(upstream.address, Pass);
    let scene = Scene::bare(upstream.api(), "data", kind);
    let mut class = scene.class();
    class["reclaimPolicy"] = json!(policy);
    scene.api.create(&class);
    scene.api.create(&scene.claim());
    let first = scene.provision(proxy.kubeconfig(), &["data"]).ran();
    assert_eq!(first.status, 0, "{}", first.stderr);
    let asset = format!("pvc-{}", scene.uid());
    let file = scene.yard.base().join(&asset).join("precious");
    if has_data {
        fs::write(&file, "years of work").unwrap();
    }
    scene.api.delete(&scene.claim());
    scene.api.create(&scene.claim());
    let before = scene.made();
    let second = scene.provision(proxy.kubeconfig(), names).ran();
    assert_eq!(second.status, 0, "{}{}", second.stdout, second.stderr);
    assert_eq!(not_served(&scene), [""; 0]);
    if has_data {
        let text = fs::read_to_string(&file);
        assert_eq!(
            text.unwrap_or_default(),
            "years of work",
            "{}",
            proxy.show()
        );
    }
    if has_data || policy == "Retain" {
        let same = |volume: &serde_json::Value| volume["metadata"]["name"] == *asset;
        let old: Vec<_> = scene.made().into_iter().filter(same).collect();
        assert_eq!(old.len(), 1, "the old volume is still there");
        let gone = &old[0]["metadata"]["deletionTimestamp"];
        assert!(gone.is_null(), "{before:?}");
        assert!(scene.yard.assets().contains(&asset));
    }
    scene.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn of_a_volume_that_was_used() {
    for kind in Kind::ALL {
        recreate(kind, "Delete", true, &["data"]);
    }
    recreate(Kind::Nfs, "Delete", true, &[]);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn of_a_volume_that_is_to_be_kept() {
    recreate(Kind::Nfs, "Retain", true, &["data"]);
    recreate(Kind::Nfs, "Retain", false, &["data"]);
}
