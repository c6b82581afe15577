//! What is taken back because nobody used it, and what is not; and what can be said before anything is made.

use super::*;
use std::os::unix::fs::symlink;

#[test]
fn what_is_foreseen_is_what_is_made() {
    let scratch = Scratch::new();
    for backend in [scratch.hostpath(), scratch.nfs()] {
        let mut wanted = request("pvc-1", "u1");
        wanted.size = Quantity::parse("1.5").unwrap();
        wanted.parameters = set(&[("labels", "tier=gold, region=east"), ("mode", "0700")]);
        let foreseen = foresee(&backend, &wanted).unwrap().unwrap();
        assert!(!scratch.asset("pvc-1").exists());
        let labels = backend.creator().unwrap().unwrap().labels(&wanted).unwrap();
        assert_eq!(labels, foreseen.labels);
        assert_eq!(
            (labels["tier"].as_str(), labels["region"].as_str()),
            ("gold", "east")
        );
        let made = create(&backend, &wanted).unwrap();
        assert_eq!(format!("{foreseen:?}"), format!("{made:?}"));
        assert_eq!(made.capacity.as_str(), "2");
        let made = Some(&made);
        assert_eq!(
            roll_back(&backend, &wanted, made).unwrap(),
            Deleted::Removed
        );
    }
    assert_eq!(names(&scratch.base()), [".kubectl-pv"]);
}

#[test]
fn what_would_be_refused_is_not_foreseen() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let mut wanted = request("pvc-1", "u1");
    wanted.parameters = set(&[("zone", "east")]);
    let error = foresee(&backend, &wanted).unwrap_err().to_string();
    assert_eq!(error, create(&backend, &wanted).unwrap_err().to_string());
    assert!(names(&scratch.base()).is_empty());
}

#[test]
fn an_unused_directory_goes_with_its_record_and_twice_is_fine() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let wanted = request("pvc-1", "u1");
    // Before anything was ever made.
    let nothing = || roll_back(&backend, &wanted, None).unwrap();
    assert_eq!(nothing(), Deleted::AlreadyGone);
    assert!(names(&scratch.base()).is_empty());
    create(&backend, &wanted).unwrap();
    create(&backend, &request("pvc-2", "u2")).unwrap();
    assert_eq!(nothing(), Deleted::Removed);
    assert_eq!(nothing(), Deleted::AlreadyGone);
    assert_eq!(names(&scratch.base()), [".kubectl-pv", "pvc-2"]);
    assert_eq!(records(&scratch), ["pvc-2.json"]);
    // A record whose directory was never made.
    create(&backend, &wanted).unwrap();
    fs::remove_dir(scratch.asset("pvc-1")).unwrap();
    assert_eq!(nothing(), Deleted::AlreadyGone);
    assert_eq!(records(&scratch), ["pvc-2.json"]);
}

#[test]
fn what_is_used_or_not_the_owners_is_left() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let wanted = request("pvc-1", "u1");
    let left = |wanted: &CreateRequest, part: &str| {
        let error = roll_back(&backend, wanted, None).unwrap_err();
        assert!(matches!(error, StorageError::NotOurs { .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    // Nobody's, with and without records.
    fs::create_dir(scratch.asset("pvc-1")).unwrap();
    left(&wanted, "not made by us");
    fs::remove_dir(scratch.asset("pvc-1")).unwrap();
    create(&backend, &wanted).unwrap();
    fs::create_dir(scratch.asset("pvc-2")).unwrap();
    left(&request("pvc-2", "u1"), "not made by us");
    // Another claim's, of the same name or not; and a claim that nobody can tell.
    left(
        &request("pvc-1", "u2"),
        "was made for claim ns/data (uid u1)",
    );
    left(&request("pvc-1", ""), "was made for");
    // In use.
    fs::create_dir(scratch.asset("pvc-1/lost+found")).unwrap();
    left(&wanted, "is not empty");
    fs::remove_dir(scratch.asset("pvc-1/lost+found")).unwrap();
    fs::write(scratch.asset("pvc-1/.hidden"), "").unwrap();
    left(&wanted, "is not empty");
    // Replaced.
    fs::remove_dir_all(scratch.asset("pvc-1")).unwrap();
    symlink(scratch.path("bystander"), scratch.asset("pvc-1")).unwrap();
    left(&wanted, "is a link to one");
    fs::remove_file(scratch.asset("pvc-1")).unwrap();
    fs::write(scratch.asset("pvc-1"), "data").unwrap();
    left(&wanted, "not a directory");
    assert_eq!(fs::read_to_string(scratch.asset("pvc-1")).unwrap(), "data");
    assert_eq!(records(&scratch), ["pvc-1.json"]);
    // A record that cannot be believed.
    fs::write(scratch.asset(".kubectl-pv/pvc-1.json"), "{}").unwrap();
    left(&wanted, "cannot be understood");
    scratch.assert_bystander_untouched();
}
