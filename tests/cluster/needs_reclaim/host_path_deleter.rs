//! The controller's own deleter of host paths, which takes what lies in /tmp and was made by nobody else: what is not ours is left
//! to it, and where it and we both want a volume nothing goes wrong.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::scene::{Scene, code};
use super::stage::{on_a_plane, wait_for};

/// A volume in /tmp, beside our base directory.
fn beside_the_base(scene: &Scene<'_>, name: &str) -> (Value, PathBuf) {
    let mut volume = scene.volume(name, "Delete");
    let directory = scene.base().with_file_name(format!("beside-{name}"));
    assert!(directory.starts_with("/tmp/"));
    fs::rename(scene.directory(name), &directory).expect("put it elsewhere");
    volume["spec"]["hostPath"]["path"] = json!(directory);
    volume["metadata"]["annotations"] = json!({});
    (volume, directory)
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_its_own_is_left_to_it() {
    on_a_plane("its", |scene, cluster, _| {
        let (nobodys, first) = beside_the_base(scene, "nobodys");
        let (mut its, second) = beside_the_base(scene, "its");
        its["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"] =
            json!("kubernetes.io/host-path");
        for (name, volume) in [("nobodys", &nobodys), ("its", &its)] {
            scene.put(volume, "Released");
            let before = scene.find(name);
            let ran = scene.reclaim_one(name, &[]);
            assert_eq!((code(&ran).as_str(), ran.status), ("ForeignDeleter", 0));
            assert_eq!(scene.find(name), before);
        }
        assert!(first.join("file").exists() && second.join("file").exists());
        let _controller = cluster.start_controller();
        for (name, directory) in [("nobodys", first), ("its", second)] {
            wait_for("the controller deletes it", || scene.find(name).is_none());
            assert!(!directory.exists());
        }
    });
}

/// Without a maker, below our base directory, which is in /tmp: it is ours by the contract, and the controller's by its own rules.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn where_both_want_it_nothing_goes_wrong() {
    on_a_plane("both", |scene, cluster, _| {
        let _controller = cluster.start_controller();
        let class = scene.place.name.clone();
        // Where the controller is faster, no volume of the class is left.
        scene.api.create(
            &json!({ "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": class }, "provisioner": "kubernetes.io/no-provisioner" }),
        );
        assert!(scene.base().starts_with("/tmp/"));
        // An empty base directory might be one that nothing is mounted on, where nothing counts as gone.
        fs::create_dir(scene.directory("another")).expect("make a directory");
        for round in 0..12 {
            let name = &format!("v{round}");
            let mut volume = scene.volume(name, "Delete");
            volume["metadata"]["annotations"] = json!({});
            scene.api.create(&volume);
            sleep(Duration::from_millis(4 * round));
            let ran = scene.reclaim(&["--all-released", "--class", &class]);
            let said = format!("round {round}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.status, 0, "{said}");
            wait_for(&said, || scene.find(name).is_none());
            assert!(!scene.directory(name).exists(), "{said}");
        }
    });
}
