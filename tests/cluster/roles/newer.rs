//! A volume that is made after the volumes were listed, and before the claims: whoever may only list volumes finds it all
//! the same, and calls no claim lost.

use serde_json::json;
use std::sync::Mutex;

use super::account::{Accounts, VIEW, rules_of};
use super::errand::{OWN, Site};
use super::scene::Scene;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Action, Before, Number};
use crate::support::kubectl_pv;

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_volume_newer_than_the_list_is_found_by_whoever_may_only_list() {
    let scene = Scene::set();
    let view = vec![("roles-viewer".to_owned(), rules_of(&scene.cluster, VIEW))];
    let _accounts = Accounts::create(&scene.cluster, scene.api(), &view);
    let site = Site::open(&scene, OWN);
    let volume = site.place.volume("late", "1Gi");
    let mut claim = site.place.claim("data", "1Gi");
    claim["spec"]["volumeName"] = volume["metadata"]["name"].clone();
    scene.api().create(&claim);

    let (api, unmade) = (scene.api(), Mutex::new(Some(volume.clone())));
    let make = Before(move |_: Number, request: &Request| {
        if request.path == "/api/v1/persistentvolumeclaims"
            && let Some(volume) = unmade.lock().unwrap().take()
        {
            api.create(&volume);
        }
        Action::Forward
    });
    let proxy = Proxy::start(scene.upstream.address, make);
    let mut explain = vec!["explain", "data", "-n", &site.place.name, "-o", "json"];
    explain.extend(["--as", "roles-viewer"]);
    let explained = kubectl_pv(&explain)
        .env("KUBECONFIG", proxy.kubeconfig())
        .json();
    let name = &volume["metadata"]["name"];
    assert_eq!(explained["verdict"], "WillBind", "{explained:#}");
    assert_eq!(explained["outcomes"], json!([name]), "{explained:#}");
    let log = proxy.show();
    assert!(log.contains("fieldSelector=metadata.name"), "{log}");
}
