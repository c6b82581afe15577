//! What goes, what stays, and what is told of it.

use super::*;

#[test]
fn deleted_with_all_that_is_in_it_and_twice_is_fine() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    create(&backend, &request("pvc-2", "u2")).unwrap();
    fs::create_dir_all(scratch.asset("pvc-1/a/b/c")).unwrap();
    fs::write(scratch.asset("pvc-1/a/b/file"), "data").unwrap();
    fs::write(scratch.asset("pvc-2/file"), "data").unwrap();
    assert_eq!(
        delete(&backend, &scratch.volume("pvc-1")).unwrap(),
        Deleted::Removed
    );
    assert_eq!(
        delete(&backend, &scratch.volume("pvc-1")).unwrap(),
        Deleted::AlreadyGone
    );
    assert_eq!(names(&scratch.base()), [".kubectl-pv", "pvc-2"]);
    assert_eq!(records(&scratch), ["pvc-2.json"]);
    assert_eq!(names(&scratch.asset("pvc-2")), ["file"]);
}

#[test]
fn an_administrators_directory_goes_too_and_twice_is_fine() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    scratch.stamp();
    fs::create_dir_all(scratch.asset("by-hand/a")).unwrap();
    scrub(&backend, &scratch.volume("by-hand")).unwrap();
    assert_eq!(names(&scratch.base()), [".kubectl-pv", "by-hand"]);
    assert_eq!(
        delete(&backend, &scratch.volume("by-hand")).unwrap(),
        Deleted::Removed
    );
    assert_eq!(
        delete(&backend, &scratch.volume("by-hand")).unwrap(),
        Deleted::AlreadyGone
    );
}

#[test]
fn an_empty_base_directory_may_be_one_that_nothing_is_mounted_on() {
    let scratch = Scratch::new();
    let error = delete(&scratch.hostpath(), &scratch.volume("pvc-1")).unwrap_err();
    assert!(
        matches!(error, StorageError::OtherCluster { stamp: None, .. }),
        "{error}"
    );
}

#[test]
fn scrubbed_is_empty_and_still_there() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    fs::create_dir_all(scratch.asset("pvc-1/.hidden/b")).unwrap();
    fs::write(scratch.asset("pvc-1/file"), "data").unwrap();
    scrub(&backend, &scratch.volume("pvc-1")).unwrap();
    scrub(&backend, &scratch.volume("pvc-1")).unwrap();
    assert!(names(&scratch.asset("pvc-1")).is_empty());
    assert_eq!(records(&scratch), ["pvc-1.json"]);
    let error = scrub(&backend, &scratch.volume("pvc-9"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("is not there"), "{error}");
}

#[test]
fn paths_that_are_no_assets_are_not_touched() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    fs::create_dir_all(scratch.asset("pvc-1/inner")).unwrap();
    let base = scratch.base().display().to_string();
    let outside = scratch.path("bystander").display().to_string();
    for path in [
        base.clone(),
        format!("{base}/"),
        format!("{base}/."),
        format!("{base}/.."),
        format!("{base}/../bystander"),
        format!("{base}/pvc-1/.."),
        format!("{base}/pvc-1/../../bystander"),
        format!("{base}/pvc-1/inner"),
        format!("{base}/pvc-1/"),
        format!("{base}//pvc-1"),
        format!("{base}/./pvc-1"),
        format!("{base}/.kubectl-pv"),
        format!("{base}/.kubectl-pv/pvc-1.json"),
        format!("{base}/a\nb"),
        format!("{base}/$(touch x)"),
        format!("{base}2/pvc-1"),
        outside.clone(),
        "/".to_owned(),
        String::new(),
        "pvc-1".to_owned(),
        "../bystander".to_owned(),
    ] {
        for result in [
            delete(&backend, &host_path(&path)).map(drop),
            scrub(&backend, &host_path(&path)),
        ] {
            assert!(
                matches!(result, Err(StorageError::Refused(_))),
                "{path:?}: {result:?}"
            );
        }
    }
    for source in [
        json!({}),
        json!(null),
        json!({"hostPath": "x"}),
        json!({"local": {"path": format!("{base}/pvc-1")}}),
    ] {
        let volume = VolumeAsset {
            volume: "v".to_owned(),
            source,
        };
        assert!(matches!(
            delete(&backend, &volume),
            Err(StorageError::Refused(_))
        ));
    }
    assert_eq!(names(&scratch.asset("pvc-1")), ["inner"]);
    scratch.assert_bystander_untouched();
}

#[test]
fn assets_that_no_volume_is_known_for() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    assert!(leaked(&backend, &[]).is_empty());
    for number in 1..=3 {
        create(&backend, &request(&format!("pvc-{number}"), "u1")).unwrap();
    }
    fs::create_dir(scratch.asset("by-hand")).unwrap();
    fs::remove_dir(scratch.asset("pvc-3")).unwrap();
    fs::write(scratch.asset(".kubectl-pv/pvc-4.json"), "{").unwrap();
    fs::write(scratch.asset(".kubectl-pv/.hidden.json"), "{").unwrap();
    let found = leaked(&backend, &["pvc-1"]);
    let seen: Vec<_> = found
        .iter()
        .map(|asset| (asset.name.as_str(), asset.owner.is_some(), asset.exists))
        .collect();
    assert_eq!(
        seen,
        [
            ("pvc-2", true, true),
            ("pvc-3", true, false),
            ("pvc-4", false, false)
        ]
    );
    for asset in &found {
        delete(&backend, &asset.asset).unwrap();
    }
    assert!(leaked(&backend, &["pvc-1"]).is_empty());
    assert_eq!(names(&scratch.base()), [".kubectl-pv", "by-hand", "pvc-1"]);
}

#[test]
fn what_nobody_recorded_is_emptied_by_one_at_a_time() {
    use crate::storage::beneath::Directory;
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    scratch.stamp();
    fs::create_dir(scratch.asset("by-hand")).unwrap();
    fs::write(scratch.asset("by-hand/file"), "data").unwrap();
    let base = Directory::open_base(&scratch.base()).unwrap();
    let other = base.open_directory("by-hand").unwrap();
    assert!(!other.is_anothers());
    let error = scrub(&backend, &scratch.volume("by-hand")).unwrap_err();
    assert!(error.is_temporary(), "{error}");
    assert_eq!(names(&scratch.asset("by-hand")), ["file"]);
    drop(other);
    scrub(&backend, &scratch.volume("by-hand")).unwrap();
    assert!(names(&scratch.asset("by-hand")).is_empty());
}

#[test]
fn nobody_works_on_what_somebody_else_holds() {
    use crate::storage::{beneath::Directory, records::Records};
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    fs::write(scratch.asset("pvc-1/file"), "data").unwrap();
    let base = Directory::open_base(&scratch.base()).unwrap();
    let records = Records::find(&base).unwrap().unwrap();
    let held = records
        .hold(&AssetName::find("pvc-1").unwrap())
        .unwrap()
        .unwrap();
    let error = delete(&backend, &scratch.volume("pvc-1")).unwrap_err();
    assert!(error.is_temporary(), "{error}");
    assert_eq!(names(&scratch.asset("pvc-1")), ["file"]);
    drop(held);
    delete(&backend, &scratch.volume("pvc-1")).unwrap();
}
