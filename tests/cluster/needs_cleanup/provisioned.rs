//! A claim whose volume this program provisions in the base directory of a scene, with something in it.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::scene::{OURS, Scene};
use crate::support::{Ran, kubectl_pv};

pub(super) struct Provisioned {
    pub(super) claim: Value,
    pub(super) volume: Value,
    /// Its directory.
    pub(super) asset: PathBuf,
}

/// Runs the program with the backend of the scene, in its namespace.
pub(super) fn run(scene: &Scene<'_>, words: &[&str]) -> Ran {
    let backend = scene.backend();
    let mut all = words.to_vec();
    all.extend(["-n", &scene.place.name, "--backend", &backend]);
    kubectl_pv(&all)
        .env("KUBECONFIG", &scene.kubeconfig())
        .ran()
}

impl Provisioned {
    /// The class has this reclaim policy, and so has the volume.
    pub(super) fn create(scene: &Scene<'_>, policy: &str) -> Self {
        let place = &scene.place.name;
        let class = json!({ "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": place }, "provisioner": OURS, "reclaimPolicy": policy });
        if scene.api.find(&class).is_none() {
            scene.add(&class);
        }
        let claim = scene.place.claim("data", "1Gi");
        scene.api.create(&claim);
        let made = run(
            scene,
            &["provision", "data", "--node", &scene.node(), "--yes"],
        );
        assert_eq!(made.status, 0, "{}{}", made.stdout, made.stderr);
        let found = scene.api.find(&claim).expect("the claim");
        let name = found["spec"]["volumeName"].as_str().expect("a volume");
        let volume =
            json!({ "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": name } });
        let asset = scene.base().join(name);
        fs::write(asset.join("file"), "data").expect("fill it");
        Self {
            claim,
            volume,
            asset,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.volume["metadata"]["name"].as_str().expect("a name")
    }

    pub(super) fn has_data(&self) -> bool {
        fs::read_to_string(self.asset.join("file")).is_ok_and(|text| text == "data")
    }

    pub(super) fn delete(&self, scene: &Scene<'_>) {
        scene.api.delete(&self.claim);
        scene.api.delete(&self.volume);
    }
}
