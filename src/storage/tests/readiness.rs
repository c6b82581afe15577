//! Whether an asset can be deleted, emptied or created, asked without changing anything.

use super::permissions::{as_nobody, chmod};
use super::*;
use crate::model::asset::{AssetObstacle, Readiness};
use std::os::unix::fs::symlink;

const READY: Readiness = Readiness::Ready { free: None };

fn of(backend: &Backend, scratch: &Scratch, name: &str) -> Readiness {
    backend.readiness(&scratch.volume(name).source)
}

fn obstacle(readiness: &Readiness) -> Option<AssetObstacle> {
    match readiness {
        Readiness::Refused { obstacle, .. } => Some(*obstacle),
        _ => None,
    }
}

fn is_of_another_cluster(readiness: &Readiness) -> bool {
    matches!(readiness, Readiness::OfAnotherCluster { .. })
}

#[test]
fn an_asset_that_is_as_it_was_created_is_ready() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    fs::write(scratch.asset("pvc-1").join("file"), "data").unwrap();
    let before = names(&scratch.asset(".kubectl-pv"));
    assert_eq!(of(&backend, &scratch, "pvc-1"), READY);
    assert_eq!(names(&scratch.asset(".kubectl-pv")), before);
    let room = backend.readiness_to_create();
    assert!(
        matches!(room, Readiness::Ready { free: Some(_) }),
        "{room:?}"
    );
}

#[test]
fn what_is_missing_is_told_with_its_record() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    fs::remove_dir(scratch.asset("pvc-1")).unwrap();
    for (name, expected) in [("pvc-1", true), ("pvc-2", false)] {
        let found = of(&backend, &scratch, name);
        let Readiness::Missing { is_recorded, path } = &found else {
            panic!("{found:?}");
        };
        assert_eq!(*is_recorded, expected, "{name}");
        assert_eq!(*path, scratch.asset(name).display().to_string());
    }
}

#[test]
fn links_and_files_in_its_place_are_refused() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    fs::remove_dir(scratch.asset("pvc-1")).unwrap();
    symlink(scratch.path("bystander"), scratch.asset("pvc-1")).unwrap();
    fs::write(scratch.asset("pvc-2"), "data").unwrap();
    let link = of(&backend, &scratch, "pvc-1");
    assert_eq!(obstacle(&link), Some(AssetObstacle::Link), "{link:?}");
    let file = of(&backend, &scratch, "pvc-2");
    assert_eq!(obstacle(&file), Some(AssetObstacle::Missing), "{file:?}");
    scratch.assert_bystander_untouched();
}

#[test]
fn another_directory_under_the_path_of_the_base_is_refused() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    fs::rename(scratch.base(), scratch.path("away")).unwrap();
    fs::create_dir(scratch.base()).unwrap();
    let found = of(&backend, &scratch, "pvc-1");
    assert_eq!(obstacle(&found), Some(AssetObstacle::Missing), "{found:?}");
    let created = obstacle(&backend.readiness_to_create());
    assert_eq!(created, Some(AssetObstacle::Missing));
    // Opened now, it is a directory that no cluster has used.
    let found = of(&scratch.hostpath(), &scratch, "pvc-1");
    assert!(is_of_another_cluster(&found), "{found:?}");
}

#[test]
fn a_base_directory_of_another_cluster_is_told() {
    let scratch = Scratch::new();
    create(&scratch.hostpath(), &request("pvc-1", "u1")).unwrap();
    let target = format!("{PROVISIONER}=hostpath:{}", scratch.base().display());
    let found = of(&open_for(&target, "other"), &scratch, "pvc-1");
    assert!(is_of_another_cluster(&found), "{found:?}");
}

#[test]
fn without_the_right_to_write_it_is_refused() {
    let scratch = Scratch::new();
    let found = as_nobody(&scratch, || {
        let backend = scratch.hostpath();
        create(&backend, &request("pvc-1", "u1")).unwrap();
        create(&backend, &request("pvc-2", "u2")).unwrap();
        fs::write(scratch.asset("pvc-2").join("file"), "data").unwrap();
        let ask = |name: &str| obstacle(&of(&backend, &scratch, name));
        let mut found = vec![];
        chmod(&scratch.base(), 0o555);
        found.push(ask("pvc-1"));
        found.push(obstacle(&backend.readiness_to_create()));
        chmod(&scratch.base(), 0o755);
        chmod(&scratch.asset("pvc-2"), 0o500);
        found.push(ask("pvc-2"));
        chmod(&scratch.asset("pvc-2"), 0o755);
        chmod(&scratch.asset(".kubectl-pv"), 0o500);
        found.push(ask("pvc-2"));
        chmod(&scratch.asset(".kubectl-pv"), 0o700);
        found.push(ask("pvc-2"));
        found
    });
    let denied = Some(AssetObstacle::PermissionDenied);
    assert_eq!(found, [denied, denied, denied, denied, None]);
}
