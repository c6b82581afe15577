//! Names that cannot be the name of an object: they are not requested, and the claims that have them are about nothing.

use serde_json::{Value, json};

use super::scene::{Scene, on_a_scene};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::support::kubectl_pv;

/// What the API server accepts as a `volumeName` and refuses in a field selector or in a request of that length.
fn hostile_names() -> Vec<String> {
    let mut names = [
        "a=b",
        "a,b",
        "a\\b",
        "../../secrets",
        "a%2Fb",
        "..",
        "A",
        " ",
    ]
    .map(String::from)
    .to_vec();
    names.push("n".repeat(70_000));
    names
}

fn create_hostile_claims(scene: &Scene) {
    for (number, name) in hostile_names().iter().enumerate() {
        let mut claim = scene.hostile_claim(&format!("volume-name-{number}"));
        claim["spec"]["volumeName"] = json!(name);
        scene.create_as_attacker(&claim);
        let mut claim = scene.hostile_claim(&format!("options-{number}"));
        claim["metadata"]["annotations"] =
            json!({ "volume.alpha.kubernetes.io/provisioning-options": name });
        scene.create_as_attacker(&claim);
        let mut claim = scene.hostile_claim(&format!("source-{number}"));
        claim["spec"]["dataSource"] = json!({ "apiGroup": "snapshot.storage.k8s.io",
            "kind": "VolumeSnapshot", "name": name });
        scene.create_as_attacker(&claim);
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_name_that_cannot_exist_moves_no_other_answer() {
    on_a_scene("names", |scene| {
        scene.assert_unmoved_by(|| create_hostile_claims(scene));
        // For its own claim such a volume is absent.
        for number in 0..hostile_names().len() {
            let claim = format!("volume-name-{number}");
            let words = [
                "explain",
                &claim,
                "-n",
                &scene.attacker.place.name,
                "-o",
                "json",
            ];
            let told = scene.cluster.kubectl_pv("admin", &words).json();
            assert_eq!(told["verdict"], "Blocked", "{claim}");
            assert_eq!(told["causes"][0]["code"], "NamedVolumeNotFound", "{claim}");
        }
    });
}

/// How many requests `explain` of the tenant's claims sends.
fn count_requests(scene: &Scene) -> usize {
    let proxy = Proxy::start(scene.cluster.proxy_address(), Pass);
    let words = ["explain", "pvc", "-n", &scene.place.name, "-o", "json"];
    let ran = kubectl_pv(&words)
        .env("KUBECONFIG", proxy.kubeconfig())
        .ran();
    assert!(ran.stdout.starts_with('{'), "{}", ran.stderr);
    proxy.log().len()
}

/// The number of requests does not grow with the number of volumes that claims of others name and that do not exist.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn many_missing_volumes_cost_one_more_list() {
    on_a_scene("many", |scene| {
        let before = count_requests(scene);
        scene.assert_unmoved_by(|| {
            let claims = (0..250).map(|number| {
                let mut claim = scene.hostile_claim(&format!("claim-{number}"));
                claim["spec"]["volumeName"] = json!(format!("aaa-missing-{number}"));
                claim
            });
            let items: Vec<Value> = claims.collect();
            let list = json!({ "apiVersion": "v1", "kind": "List", "items": items });
            scene.create_as_attacker(&list);
        });
        let after = count_requests(scene);
        assert!(after <= before + 1, "{before} requests, then {after}");
    });
}
