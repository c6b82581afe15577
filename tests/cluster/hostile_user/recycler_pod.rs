//! A pod called `recycler-for-VOLUME` in the attacker's namespace does not keep `reclaim` from the volume.

use serde_json::{Value, json};

use super::scene::{Scene, on_a_scene};

fn recycler(scene: &Scene, volume: &str, node: Option<&str>) -> Value {
    let spec = &scene.volume(volume)["spec"];
    let mut pod = json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": scene.attacker.place.name,
            "name": format!("recycler-for-{}-{volume}", scene.place.name) },
        "spec": { "containers": [{ "name": "c", "image": "none" }],
            "volumes": [{ "name": "vol", "nfs": spec["nfs"] }] } });
    if let Some(node) = node {
        pod["spec"]["nodeName"] = json!(node);
    }
    pod
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_pod_called_like_a_recycler_blocks_nothing() {
    on_a_scene("recycler", |scene| {
        scene.assert_unmoved_by(|| {
            scene.create_as_attacker(&recycler(scene, "recycled", Some("some-node")));
            scene.create_as_attacker(&recycler(scene, "deleted", None));
        });
        let (backend, place) = (scene.backend(), &scene.place.name);
        let words = [
            "reclaim",
            "--all-released",
            "-n",
            place,
            "--backend",
            &backend,
            "--yes",
        ];
        let words: Vec<&str> = words.into_iter().chain(["-o", "json"]).collect();
        let ran = scene.cluster.kubectl_pv("admin", &words).ran();
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(
            !scene.base().join("recycled/file").exists(),
            "{}",
            ran.stdout
        );
        assert!(!scene.base().join("deleted").exists(), "{}", ran.stdout);
    });
}
