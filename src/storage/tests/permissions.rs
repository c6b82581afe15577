//! Without the right to remove something: it is told, the rest goes, and the same call goes on later. Root may do everything,
//! so the work is done by a thread that has become nobody.

use super::*;
use rustix::fs::{Gid, Uid};
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Command;
use std::thread;

pub(super) const NOBODY: u32 = 65534;

/// Runs something on a thread without rights; what it is about must belong to nobody.
pub(super) fn as_nobody<T: Send>(scratch: &Scratch, work: impl FnOnce() -> T + Send) -> T {
    if !rustix::process::geteuid().is_root() {
        return work();
    }
    for path in [scratch.base(), scratch.0.clone()] {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            become_nobody();
            work()
        });
        thread.join().unwrap()
    })
}

/// Gives up the rights of this thread.
pub(super) fn become_nobody() {
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    rustix::thread::set_thread_groups(&[]).unwrap();
    rustix::thread::set_thread_res_gid(group, group, group).unwrap();
    rustix::thread::set_thread_res_uid(user, user, user).unwrap();
}

pub(super) fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_may_not_be_removed_is_told_and_the_rest_goes() {
    let scratch = Scratch::new();
    let asset = scratch.asset("pvc-1");
    let told = as_nobody(&scratch, || {
        let backend = scratch.hostpath();
        create(&backend, &request("pvc-1", "u1")).unwrap();
        for name in [
            "locked/inside",
            "closed/inside",
            "empty-closed",
            "open/inside",
        ] {
            fs::create_dir_all(asset.join(name)).unwrap();
        }
        for number in 0..30 {
            fs::write(asset.join(format!("locked/file-{number:02}")), "data").unwrap();
        }
        chmod(&asset.join("locked"), 0o500);
        chmod(&asset.join("closed"), 0o000);
        chmod(&asset.join("empty-closed"), 0o000);
        delete(&backend, &scratch.volume("pvc-1")).unwrap_err()
    });
    let StorageError::Remains { left, total, .. } = &told else {
        panic!("{told}");
    };
    // 30 files and a directory in one, and one that cannot be looked into.
    assert_eq!(*total, 32, "{told}");
    assert_eq!(left.0.len(), 20);
    assert!(told.to_string().contains("Permission denied"), "{told}");
    assert_eq!(names(&asset), ["closed", "locked"]);
    assert_eq!(records(&scratch), ["pvc-1.json"]);
    chmod(&asset.join("locked"), 0o700);
    chmod(&asset.join("closed"), 0o700);
    as_nobody(&scratch, || {
        delete(&scratch.hostpath(), &scratch.volume("pvc-1")).unwrap()
    });
    assert_eq!(names(&scratch.base()), [".kubectl-pv"]);
}

/// What even root may not remove.
#[test]
fn an_immutable_file_is_told_and_the_rest_goes() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    let (asset, fixed) = (scratch.asset("pvc-1"), scratch.asset("pvc-1/a/fixed"));
    fs::create_dir(asset.join("a")).unwrap();
    fs::write(&fixed, "data").unwrap();
    fs::write(asset.join("a/file"), "data").unwrap();
    fs::write(asset.join("file"), "data").unwrap();
    let attribute = |change: &str| {
        let ran = Command::new("chattr").arg(change).arg(&fixed).output();
        ran.is_ok_and(|ran| ran.status.success())
    };
    if !attribute("+i") {
        // Not by `eprintln!`, which nobody sees of a test that passes.
        let notice =
            b"**** NOT TESTED: chattr +i is not possible here (rights, or the file system) ****\n";
        std::io::Write::write_all(&mut std::io::stderr(), notice).unwrap();
        return;
    }
    let results = [
        scrub(&backend, &scratch.volume("pvc-1")),
        delete(&backend, &scratch.volume("pvc-1")).map(drop),
    ];
    let left = (names(&asset), names(&asset.join("a")));
    assert!(attribute("-i"));
    for result in results {
        let told = result.unwrap_err();
        let StorageError::Remains { total: 1, .. } = &told else {
            panic!("{told}");
        };
        let said = told.to_string();
        assert!(said.contains("a/fixed` (Operation not permitted"), "{said}");
    }
    assert_eq!(left, (vec!["a".to_owned()], vec!["fixed".to_owned()]));
    assert_eq!(leaked(&backend, &[]).len(), 1, "its record stays");
    delete(&backend, &scratch.volume("pvc-1")).unwrap();
    assert_eq!(names(&scratch.base()), [".kubectl-pv"]);
}

#[test]
fn what_may_not_be_made_leaves_nothing() {
    let scratch = Scratch::new();
    let error = as_nobody(&scratch, || {
        let backend = scratch.hostpath();
        chmod(&scratch.base(), 0o500);
        create(&backend, &request("pvc-1", "u1")).unwrap_err()
    });
    assert!(error.to_string().contains("Permission denied"), "{error}");
    assert!(names(&scratch.base()).is_empty());
}

#[test]
fn a_directory_that_cannot_be_given_away_is_undone() {
    let scratch = Scratch::new();
    let error = as_nobody(&scratch, || {
        let mut wanted = request("pvc-1", "u1");
        wanted.parameters = set(&[("uid", "0")]);
        create(&scratch.hostpath(), &wanted).unwrap_err()
    });
    assert!(
        matches!(
            &error,
            StorageError::Io {
                act: "set the permissions of",
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(names(&scratch.base()), [".kubectl-pv"]);
    assert!(records(&scratch).is_empty());
}

#[test]
fn records_of_somebody_else_are_not_believed() {
    if !rustix::process::geteuid().is_root() {
        // Only root can make a directory of somebody else's; `tests/run` runs as root.
        return;
    }
    let scratch = Scratch::new();
    fs::create_dir(scratch.asset(".kubectl-pv")).unwrap();
    chmod(&scratch.asset(".kubectl-pv"), 0o755);
    chown(scratch.asset(".kubectl-pv"), Some(NOBODY), None).unwrap();
    let error = create(&scratch.hostpath(), &request("pvc-1", "u1"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("belongs to user 65534"), "{error}");
    assert_eq!(names(&scratch.base()), [".kubectl-pv"]);
    assert!(records(&scratch).is_empty());
}

/// Also one that says what we want to hear: the directory it gives us would be somebody else's to the end.
#[test]
fn a_planted_record_is_not_believed() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    for path in [".kubectl-pv", ".kubectl-pv/pvc-1.json", "pvc-1"] {
        chown(scratch.asset(path), Some(NOBODY), None).unwrap();
    }
    let results = [
        create(&backend, &request("pvc-1", "u1")).map(drop),
        roll_back(&backend, &request("pvc-1", "u1"), None).map(drop),
        delete(&backend, &scratch.volume("pvc-1")).map(drop),
        scrub(&backend, &scratch.volume("pvc-1")),
        backend
            .deleter()
            .unwrap()
            .unwrap()
            .leaked(&BTreeSet::new())
            .map(drop),
    ];
    for result in results {
        let error = result.unwrap_err().to_string();
        assert!(error.contains("belongs to user 65534"), "{error}");
    }
    assert_eq!(names(&scratch.base()), [".kubectl-pv", "pvc-1"]);
    assert_eq!(records(&scratch), ["pvc-1.json"]);
}
