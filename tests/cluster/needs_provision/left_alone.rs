//! Claims that are not this provisioner's to serve: the seed's steps 1 and 2. They are left exactly as
//! they were, whether they are named or not.

use serde_json::{Value, json};

use super::scene::{Kind, Scene};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;

const ANNOTATION: &str = "volume.kubernetes.io/storage-provisioner";
const BETA_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-provisioner";

fn assert_left_alone(
    change: impl Fn(&Scene, &mut Value),
    all_end_with: &[i32],
    named_ends_with: &[i32],
) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let scene = Scene::bare(upstream.api(), "alone", Kind::Nfs);
    scene.api.create(&scene.class());
    let mut claim = scene.claim();
    change(&scene, &mut claim);
    scene.api.create(&claim);
    let before = scene.place.storage();
    for (arguments, expected) in [
        (&["--timeout", "2s"][..], all_end_with),
        (&["data", "--timeout", "2s"], named_ends_with),
    ] {
        let ran = scene.provision(proxy.kubeconfig(), arguments).ran();
        let (status, said) = (ran.status, ran.stdout + &ran.stderr);
        assert!(
            expected.contains(&status),
            "{arguments:?}: {status}: {said}"
        );
    }
    assert_eq!(scene.place.storage(), before, "{}", proxy.show());
    assert!(scene.yard.inside().is_empty(), "{:?}", scene.yard.inside());
    scene.clear();
}

/// The annotation of another, whatever the class says.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_claim_of_another_provisioner() {
    assert_left_alone(
        |_, claim| {
            claim["metadata"]["annotations"] = json!({
                ANNOTATION: "other.example.com/x", BETA_ANNOTATION: "other.example.com/x",
            });
        },
        &[0, 3, 4],
        &[1, 3, 4],
    );
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_claim_that_names_a_volume() {
    assert_left_alone(
        |_, claim| claim["spec"]["volumeName"] = json!("a-volume-to-come"),
        &[0],
        &[1],
    );
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_claim_of_another_class() {
    assert_left_alone(
        |_, claim| claim["spec"]["storageClassName"] = json!("there-is-no-such-class"),
        &[0],
        &[1],
    );
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_claim_without_a_class() {
    assert_left_alone(
        |_, claim| claim["spec"]["storageClassName"] = json!(""),
        &[0],
        &[1],
    );
}

/// An existing volume fits: the seed's controller looks there first, and nothing is to be made.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_claim_that_an_existing_volume_serves() {
    assert_left_alone(
        |scene, _| {
            scene.api.create(&scene.place.volume("spare", "5Gi"));
        },
        &[0],
        &[0, 1],
    );
}

/// Somebody has deleted it, and somebody else holds it: nothing is to be made for it any more.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_claim_that_is_going() {
    assert_left_alone(
        |scene, claim| {
            let mut held = scene.place.claim("data", "1Gi");
            held["metadata"]["finalizers"] = json!(["trial.example.com/held"]);
            let held = scene.api.create(&held);
            // Without the finalizer that the protection controller would remove while the test runs.
            let alone = json!({ "metadata": { "finalizers": ["trial.example.com/held"] } });
            scene.api.patch(&held, &alone);
            let path = crate::cluster::objects::path_of(&held);
            let gone = scene
                .api
                .send("DELETE", &path, "application/json", &Value::Null);
            assert!(matches!(gone, Ok((200 | 202, _))), "{gone:?}");
            // Another one in its stead, so that the name is free to be created by the test.
            claim["metadata"]["name"] = json!("other");
            claim["spec"]["storageClassName"] = json!("");
        },
        &[0],
        &[0, 1],
    );
}

/// What is served already is left as it is.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_claim_that_is_bound() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let scene = Scene::create(upstream.api(), "twice", Kind::Nfs);
    let first = scene.provision(proxy.kubeconfig(), &["data"]).ran();
    assert_eq!(first.status, 0, "{}", first.stderr);
    let before = (scene.place.storage(), scene.yard.inside());
    let again = scene.provision(proxy.kubeconfig(), &["data"]).ran();
    assert_eq!(again.status, 0, "{}", again.stderr);
    let outcome: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(outcome["skipped"][0]["code"], "AlreadyBound", "{outcome}");
    assert_eq!((scene.place.storage(), scene.yard.inside()), before);
    scene.clear();
}

/// The class decides, and an annotation in either spelling must agree with it: the claim's owner writes it.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_claim_whose_annotation_names_us_and_whose_class_does_not() {
    for key in [ANNOTATION, BETA_ANNOTATION] {
        assert_left_alone(
            |scene, claim| {
                let mut class = scene.class();
                class["metadata"]["name"] = json!(format!("{}-other", scene.place.name));
                class["provisioner"] = json!("other.example.com/x");
                scene.api.create(&class);
                claim["spec"]["storageClassName"] = class["metadata"]["name"].clone();
                claim["metadata"]["annotations"] = json!({ key: scene.kind.provisioner() });
            },
            &[0],
            &[1],
        );
    }
}

/// Nothing is written without being told to: no object, no asset, no event.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn nobody_said_yes() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    for kind in [Kind::Nfs, Kind::Exec] {
        let scene = Scene::create(upstream.api(), "unasked", kind);
        let before = scene.place.storage();
        let unasked = scene.ask(proxy.kubeconfig(), &["data"]).ran();
        assert_eq!(unasked.status, 2, "{}", unasked.stderr);
        for dry in ["--dry-run", "--dry-run=client", "--dry-run=server"] {
            for format in ["json", "yaml", "name", "table"] {
                let shown = scene
                    .ask(proxy.kubeconfig(), &["data", dry, "-o", format])
                    .ran();
                assert_eq!(shown.status, 0, "{dry} {format}: {}", shown.stderr);
                assert!(!shown.stdout.is_empty(), "{dry} {format}");
            }
        }
        let plan = scene
            .ask(proxy.kubeconfig(), &["data", "--dry-run", "-o", "json"])
            .json();
        assert_eq!(plan["kind"], "Plan");
        let actions: Vec<&str> = plan["changes"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|change| change["action"].as_str())
            .collect();
        assert!(actions.contains(&"CreateAsset"), "{actions:?}");
        assert!(actions.contains(&"Create"), "{actions:?}");
        assert_eq!(scene.place.storage(), before, "no dry run writes");
        assert!(scene.yard.inside().is_empty(), "{:?}", scene.yard.inside());
        assert_eq!(scene.events(), Vec::<Value>::new());
        scene.clear();
    }
}
