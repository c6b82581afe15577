//! The power is cut before every single change to the disk, and the same call is made again: the end is the same, nothing is
//! made twice and nothing is left behind.

use super::*;
use crate::storage::beneath::crash;

/// Cuts the power before step 0, 1, 2, … of `call`, each time on a world of its own, until it gets through; hands each world
/// that was cut short to `after`. Says how many there were.
fn at_every_step(
    prepare: impl Fn(&Scratch, &Backend),
    call: impl Fn(&Scratch, &Backend) -> Result<(), StorageError>,
    after: impl Fn(&Scratch, &Backend),
) -> u32 {
    for steps in 0..1000 {
        let scratch = Scratch::new();
        let backend = scratch.hostpath();
        prepare(&scratch, &backend);
        crash::after(Some(steps));
        let result = call(&scratch, &backend);
        let happened = crash::happened();
        crash::after(None);
        if result.is_ok() {
            assert!(!happened, "success after the power was cut at step {steps}");
            return steps;
        }
        assert!(happened, "failed without a cause: {result:?}");
        after(&scratch, &backend);
    }
    panic!("it never gets through");
}

#[test]
fn creation_is_finished_by_the_same_call() {
    let steps = at_every_step(
        |_, _| {},
        |_, backend| create(backend, &request("pvc-1", "u1")).map(drop),
        |scratch, backend| {
            let asset = create(backend, &request("pvc-1", "u1")).unwrap();
            assert_eq!(
                asset.source["hostPath"]["path"],
                json!(scratch.asset("pvc-1"))
            );
            assert_eq!(names(&scratch.base()), [".kubectl-pv", "pvc-1"]);
            assert_eq!(records(scratch), ["pvc-1.json"]);
            assert!(leaked(backend, &["pvc-1"]).is_empty());
        },
    );
    assert!(steps >= 10, "{steps} steps");
}

#[test]
fn creation_is_undone_by_a_deletion() {
    at_every_step(
        |_, backend| drop(create(backend, &request("other", "u2")).unwrap()),
        |_, backend| create(backend, &request("pvc-1", "u1")).map(drop),
        |scratch, backend| {
            // An asset that was made has a record, or nobody would ever find it.
            let found = leaked(backend, &["other"]);
            assert_eq!(
                found.iter().any(|asset| asset.exists),
                scratch.asset("pvc-1").exists()
            );
            for asset in found {
                delete(backend, &asset.asset).unwrap();
            }
            assert_eq!(names(&scratch.base()), [".kubectl-pv", "other"]);
        },
    );
}

/// Whatever of a creation got done is taken back, however often that is cut short itself.
#[test]
fn creation_is_rolled_back() {
    let wanted = request("pvc-1", "u1");
    at_every_step(
        |_, backend| drop(create(backend, &request("other", "u2")).unwrap()),
        |_, backend| create(backend, &wanted).map(drop),
        |scratch, backend| {
            roll_back(backend, &wanted, None).unwrap();
            assert_eq!(names(&scratch.base()), [".kubectl-pv", "other"]);
            assert!(leaked(backend, &["other"]).is_empty());
        },
    );
    let steps = at_every_step(
        |_, backend| drop(create(backend, &wanted).unwrap()),
        |_, backend| roll_back(backend, &wanted, None).map(drop),
        |scratch, backend| {
            roll_back(backend, &wanted, None).unwrap();
            assert_eq!(names(&scratch.base()), [".kubectl-pv"]);
            assert!(records(scratch).is_empty());
        },
    );
    assert!(steps >= 4, "{steps} steps");
}

#[test]
fn deletion_is_finished_by_the_same_call() {
    let prepare = |scratch: &Scratch, backend: &Backend| {
        create(backend, &request("pvc-1", "u1")).unwrap();
        fs::create_dir_all(scratch.asset("pvc-1/a/b")).unwrap();
        fs::write(scratch.asset("pvc-1/a/file"), "data").unwrap();
        fs::write(scratch.asset("pvc-1/file"), "data").unwrap();
    };
    let steps = at_every_step(
        prepare,
        |scratch, backend| delete(backend, &scratch.volume("pvc-1")).map(drop),
        |scratch, backend| {
            // As long as anything is there, so is the record.
            assert!(!scratch.asset("pvc-1").exists() || leaked(backend, &[]).len() == 1);
            delete(backend, &scratch.volume("pvc-1")).unwrap();
            assert_eq!(names(&scratch.base()), [".kubectl-pv"]);
            assert!(records(scratch).is_empty());
        },
    );
    assert!(steps >= 8, "{steps} steps");
}

#[test]
fn scrubbing_is_finished_by_the_same_call() {
    at_every_step(
        |scratch, backend| {
            create(backend, &request("pvc-1", "u1")).unwrap();
            fs::create_dir_all(scratch.asset("pvc-1/a/b")).unwrap();
            fs::write(scratch.asset("pvc-1/file"), "data").unwrap();
        },
        |scratch, backend| scrub(backend, &scratch.volume("pvc-1")),
        |scratch, backend| {
            scrub(backend, &scratch.volume("pvc-1")).unwrap();
            assert!(names(&scratch.asset("pvc-1")).is_empty());
            assert!(create(backend, &request("pvc-1", "u1")).unwrap().adopted);
        },
    );
}

#[test]
fn an_error_says_what_could_not_be_undone() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("other", "u2")).unwrap();
    // Record made, written, synced, named, second name gone, synced; the directory: then the cut.
    crash::after(Some(7));
    let error = create(&backend, &request("pvc-1", "u1")).unwrap_err();
    crash::after(None);
    let StorageError::LeftBehind { left, .. } = &error else {
        panic!("{error}");
    };
    assert!(
        left.contains(&scratch.asset("pvc-1").display().to_string()),
        "{error}"
    );
    assert!(scratch.asset("pvc-1").is_dir());
}
