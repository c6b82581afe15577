//! A base directory of another cluster: `set reconcile` changes no byte of it, neither to create members nor to delete them. The
//! directory is this cluster's own, with the stamp of another one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::scene::{Made, on_a_scene};
use crate::cluster::control_plane::cluster_uid;

const OTHER: &str = "11111111-2222-3333-4444-555555555555";

#[test]
#[ignore = "needs a control plane: tests/run"]
fn nothing_is_changed_in_a_directory_of_another_cluster() {
    on_a_scene("other", |scene| {
        let set = scene.set("pool", (3, 9), Made::ByBackend);
        scene.reconciled(&set);
        let phase = json!({ "phase": "Available" });
        for member in scene.members(&set) {
            scene.api.patch_status(&member, &phase);
        }
        fs::write(scene.directory(&set, 0).join("file"), "data").expect("fill a member");
        let stamp = scene.base().join(".kubectl-pv/cluster");
        assert_eq!(fs::read_to_string(&stamp).expect("a stamp"), cluster_uid());
        fs::write(&stamp, OTHER).expect("as another cluster left it");
        let before = bytes_in(&scene.base());
        let members = scene.members(&set);
        let name = set["metadata"]["name"].as_str().expect("a name");
        let is_refused = |words: &[&str]| {
            let of_set = scene.found(&set)["status"].clone();
            let words = [&["set", "reconcile", name], words].concat();
            let ran = scene.run(&words).ran();
            assert_eq!(ran.status, 2, "{words:?}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.stdout, "", "{words:?}");
            let parts = [
                "WrongCluster",
                OTHER,
                cluster_uid(),
                "--take-over-directory",
            ];
            for part in parts {
                assert!(ran.stderr.contains(part), "{words:?}: {}", ran.stderr);
            }
            assert!(!ran.stderr.contains("Usage"), "{}", ran.stderr);
            assert_eq!(bytes_in(&scene.base()), before, "{words:?}");
            assert_eq!(scene.members(&set), members, "{words:?}");
            assert_eq!(scene.found(&set)["status"], of_set, "{words:?}");
        };
        // One more is needed; then two are above the maximum.
        for levels in [(4, 9), (1, 1)] {
            scene.resize(&set, levels);
            for how in ["--yes", "--dry-run", "--dry-run=server"] {
                is_refused(&[how]);
                for format in ["wide", "name", "json", "yaml"] {
                    is_refused(&[how, "-o", format]);
                }
            }
        }
        is_refused(&["--watch", "--yes"]);
        fs::write(&stamp, cluster_uid()).expect("give it back");
    });
}

/// Every entry under a directory with the bytes of it; directories have none.
fn bytes_in(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("read a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(bytes_in(&path));
        }
        let bytes = fs::read(&path).unwrap_or_default();
        found.insert(path, bytes);
    }
    found
}
