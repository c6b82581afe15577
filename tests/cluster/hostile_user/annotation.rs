//! A storage-provisioner annotation is the claim owner's text: it never makes a backend serve a class that names another
//! provisioner.

use serde_json::{Value, json};

use super::scene::{OURS, Scene, on_a_scene};

const KEYS: [&str; 2] = [
    "volume.kubernetes.io/storage-provisioner",
    "volume.beta.kubernetes.io/storage-provisioner",
];

fn annotated(scene: &Scene, name: &str, class: &str, keys: &[&str]) -> Value {
    // More than any volume of the tenant holds.
    let mut claim = scene.attacker.place.claim(name, "5Gi");
    claim["spec"]["storageClassName"] = json!(format!("{}-{class}", scene.place.name));
    for key in keys {
        claim["metadata"]["annotations"][*key] = json!(OURS);
    }
    claim
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_forged_annotation_gets_no_volume() {
    on_a_scene("forged", |scene| {
        let classes = ["silent", "driver", "static"];
        scene.assert_unmoved_by(|| {
            for class in classes {
                for (number, keys) in [&KEYS[..1], &KEYS[1..], &KEYS].into_iter().enumerate() {
                    let name = format!("{class}-{number}");
                    scene.create_as_attacker(&annotated(scene, &name, class, keys));
                }
            }
        });
        let (backend, namespace) = (scene.backend(), &scene.attacker.place.name);
        let words = [
            "provision",
            "-n",
            namespace,
            "--backend",
            &backend,
            "--yes",
            "-o",
            "json",
        ];
        let outcome = scene.cluster.kubectl_pv("admin", &words).json();
        assert_eq!(outcome["changes"], json!([]), "{outcome:#}");
        let skipped = outcome["skipped"].as_array().expect("a list");
        assert_eq!(skipped.len(), 9, "{outcome:#}");
        let is_refused = |entry: &Value| entry["code"] == "NoProvisioner";
        assert!(skipped.iter().all(is_refused), "{outcome:#}");
    });
}
