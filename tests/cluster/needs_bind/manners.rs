//! What `bind` does not do: write without being told to, or twice.

use serde_json::{Value, json};

use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::place::Place;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::support::{Ran, kubectl_pv};

#[test]
#[ignore = "needs a control plane: tests/run"]
fn nothing_is_written_unasked_and_nothing_twice() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let place = Place::create(api, "manners");
    for object in [
        place.volume("one", "1Gi"),
        place.claim("data", "1Gi"),
        place.claim("huge", "1Ti"),
    ] {
        api.create(&object);
    }
    let proxy = Proxy::start(upstream.address, Pass);
    let bind = |arguments: &[&str]| -> Ran {
        let mut all = vec!["bind", "-n", &place.name];
        all.extend(arguments);
        kubectl_pv(&all).env("KUBECONFIG", proxy.kubeconfig()).ran()
    };
    let parsed = |ran: &Ran| -> Value {
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr))
    };
    let before = place.storage();

    let unasked = bind(&["data"]);
    assert_eq!(unasked.status, 2, "{}", unasked.stderr);
    assert!(unasked.stderr.contains("--yes"), "{}", unasked.stderr);
    let shown = bind(&["data", "--dry-run", "-o", "json"]);
    assert_eq!((shown.status, &parsed(&shown)["kind"]), (0, &json!("Plan")));
    let tried = parsed(&bind(&["data", "--dry-run=server", "-o", "json"]));
    let results: Vec<&Value> = tried["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| &change["result"])
        .collect();
    assert_eq!(results, ["Done", "NotReached", "Done", "NotReached"]);
    assert_eq!(place.storage(), before, "no dry run writes");

    let bound = bind(&["--yes", "--show-skipped"]);
    assert_eq!(bound.status, 0, "{}", bound.stderr);
    assert!(bound.stdout.contains("data") && bound.stdout.contains("done"));
    assert!(bound.stdout.contains("huge"), "{}", bound.stdout);
    let after = place.storage();
    let again = bind(&["data", "--yes", "--wait", "-o", "json"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert_eq!(parsed(&again)["skipped"][0]["code"], "AlreadyBound");
    assert_eq!(bind(&["huge", "--yes"]).status, 1);
    assert_eq!(place.storage(), after, "what is bound is left alone");
    place.clear();
}
