//! Another user of this machine, beside a base directory that is shared and inside an asset that was given to that user.

use super::permissions::{NOBODY, become_nobody, chmod};
use super::*;
use crate::storage::beneath::crash;
use rustix::fs::{XattrFlags, listxattr, setxattr};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::sync::atomic::AtomicBool;
use std::thread;

/// 100 with `tests/run --full`.
fn rounds() -> u32 {
    let is_full = std::env::vars_os().any(|(name, _)| name == "KUBECTL_PV_TESTS_FULL");
    if is_full { 100 } else { 10 }
}

/// Whether the test can have a second user; says so where it cannot.
fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        let notice = b"**** NOT TESTED: only root can act as another user ****\n";
        std::io::Write::write_all(&mut std::io::stderr(), notice).unwrap();
    }
    is_root
}

/// Lets the other user act, again and again, while the work is done.
fn beside_nobody<T>(act: impl Fn(u32) + Sync, work: impl FnOnce() -> T) -> T {
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let end = End(&stop);
        scope.spawn(|| {
            become_nobody();
            for turn in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                act(turn);
            }
        });
        let result = work();
        drop(end);
        result
    })
}

/// The base directory, writable by everybody, with the sticky bit.
fn shared() -> (Scratch, Backend) {
    let scratch = Scratch::new();
    chmod(&scratch.base(), 0o1777);
    let backend = scratch.shared_hostpath();
    (scratch, backend)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_directory_that_appears_between_its_record_and_its_creation_is_not_reused() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let planted = scratch.asset("pvc-1");
    crash::before_opening(Some(Box::new({
        let planted = planted.clone();
        move |name| {
            if name == "pvc-1" {
                let _ = fs::create_dir(&planted);
            }
        }
    })));
    let created = create(&backend, &request("pvc-1", "u1"));
    crash::before_opening(None);
    let error = created.unwrap_err();
    assert!(matches!(error, StorageError::NotOurs { .. }), "{error}");
    assert!(planted.is_dir());
    assert!(records(&scratch).is_empty(), "its record is taken back");
}

#[test]
fn a_directory_of_another_user_than_its_record_is_not_reused() {
    if !is_root() {
        return;
    }
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    chown(scratch.asset("pvc-1"), Some(NOBODY), Some(NOBODY)).unwrap();
    let error = create(&backend, &request("pvc-1", "u1")).unwrap_err();
    assert!(matches!(error, StorageError::NotOurs { .. }), "{error}");
    assert!(
        error.to_string().contains("belongs to user 65534"),
        "{error}"
    );
}

/// Its class gave it to that user, so a run that was killed goes on. Where others can write, they could have created it.
#[test]
fn a_directory_of_the_user_that_its_class_names_is_reused_unless_the_base_directory_is_shared() {
    if !is_root() {
        return;
    }
    let mut wanted = request("pvc-1", "u1");
    wanted.parameters = set(&[("uid", "65534")]);
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    assert!(!create(&backend, &wanted).unwrap().adopted);
    assert!(create(&backend, &wanted).unwrap().adopted);
    let (scratch, backend) = shared();
    assert!(!create(&backend, &wanted).unwrap().adopted);
    let error = create(&backend, &wanted).unwrap_err();
    assert!(matches!(error, StorageError::NotOurs { .. }), "{error}");
    let obstacle = backend.find_obstacle(&wanted.name, &wanted.owner).unwrap();
    assert!(obstacle.is_some());
    drop(scratch);
}

/// A user who knows the uid of a claim knows the name of its directory.
#[test]
fn a_directory_of_another_user_never_becomes_an_asset() {
    if !is_root() {
        return;
    }
    let (scratch, backend) = shared();
    let (mut made, mut refused) = (0, 0);
    for round in 0..rounds() {
        let name = format!("pvc-{round}");
        let asset = scratch.asset(&name);
        let plant = |_| {
            if fs::create_dir(&asset).is_ok() {
                thread::yield_now();
                let _ = fs::remove_dir(&asset);
            }
        };
        let wanted = request(&name, "u1");
        match beside_nobody(plant, || create(&backend, &wanted)) {
            Ok(_) => {
                assert_eq!(fs::metadata(&asset).unwrap().uid(), 0, "round {round}");
                made += 1;
            }
            Err(StorageError::NotOurs { .. }) => refused += 1,
            Err(error) => panic!("round {round}: {error}"),
        }
    }
    assert_eq!(made + refused, rounds());
    scratch.assert_bystander_untouched();
}

#[test]
fn a_base_directory_that_others_can_write_to_is_refused() {
    let open = |scratch: &Scratch, path: &str, is_shared: bool| {
        let text = format!("{PROVISIONER}=hostpath:{}", scratch.path(path).display());
        let settings = Settings {
            is_base_shared: is_shared,
            ..settings()
        };
        Backend::open(Configuration::parse(&text).unwrap(), &settings).map(drop)
    };
    let refused = |result: Result<(), ConfigurationError>, path: &Path| {
        let error = result.unwrap_err();
        let shown = path.display().to_string();
        assert!(error.to_string().contains(&shown), "{error}");
        assert!(error.hints[0].contains("chmod go-w"), "{:?}", error.hints);
        error
    };
    let scratch = Scratch::new();
    let base = scratch.base();
    for (mode, is_shared, is_fine) in [
        (0o755, false, true),
        (0o750, false, true),
        (0o775, false, false),
        (0o757, true, false),
        (0o777, true, false),
        (0o1777, false, false),
        (0o1777, true, true),
        (0o1775, true, true),
    ] {
        chmod(&base, mode);
        let opened = open(&scratch, "base", is_shared);
        if is_fine {
            opened.unwrap();
            continue;
        }
        let error = refused(opened, &base);
        let offers_sharing = error
            .hints
            .iter()
            .any(|hint| hint.contains("--shared-base"));
        let is_sticky = mode & 0o1000 != 0;
        assert_eq!(offers_sharing, is_sticky, "{:?}", error.hints);
        // `chmod go-w /tmp` would break other programs.
        let changes_it = error.hints[0].ends_with(&format!("chmod go-w {}", base.display()));
        assert_eq!(changes_it, !is_sticky, "{:?}", error.hints);
    }
    chmod(&base, 0o755);
    // A parent: a user who can rename in it puts another directory in the place of the base directory.
    fs::create_dir_all(scratch.path("parent/inner")).unwrap();
    chmod(&scratch.path("parent"), 0o777);
    let parent = scratch.path("parent");
    refused(open(&scratch, "parent/inner", true), &parent);
    // A parent is on the way too where a link leads through it, and the link itself is in one.
    symlink(scratch.path("parent/inner"), scratch.path("link")).unwrap();
    refused(open(&scratch, "link", false), &parent);
    symlink(scratch.path("base"), scratch.path("parent/link")).unwrap();
    refused(open(&scratch, "parent/link", false), &parent);
    symlink("parent/link", scratch.path("second")).unwrap();
    refused(open(&scratch, "second", false), &parent);
    chmod(&parent, 0o1777);
    open(&scratch, "parent/inner", false).unwrap();
}

/// An access control list with one entry for another user, as the kernel stores it.
fn access_list() -> Vec<u8> {
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in [
        (0x01_u16, 7_u16, u32::MAX),
        (0x02, 7, NOBODY),
        (0x04, 7, u32::MAX),
        (0x10, 7, u32::MAX),
        (0x20, 7, u32::MAX),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(permissions.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    list
}

fn attributes(path: &Path) -> Vec<String> {
    let mut buffer = vec![0; 4096];
    let length = listxattr(path, &mut buffer).unwrap();
    let names = buffer[..length].split(|byte| *byte == 0);
    let names = names.map(|name| String::from_utf8_lossy(name).into_owned());
    names
        .filter(|name| !name.is_empty() && !name.starts_with("security."))
        .collect()
}

/// What the last tenant did to the directory itself.
fn mark(asset: &Path) {
    let _ = fs::set_permissions(asset, fs::Permissions::from_mode(0o3777));
    let _ = setxattr(asset, "user.tenant", b"x", XattrFlags::empty());
    for list in ["system.posix_acl_access", "system.posix_acl_default"] {
        let _ = setxattr(asset, list, &access_list(), XattrFlags::empty());
    }
}

fn assert_new(asset: &Path, (mode_wanted, uid, gid): (u32, u32, u32)) {
    let found = fs::metadata(asset).unwrap();
    assert_eq!((found.uid(), found.gid()), (uid, gid));
    assert_eq!(mode(asset), mode_wanted, "{:o}", mode(asset));
    assert_eq!(attributes(asset), Vec::<String>::new());
    assert!(names(asset).is_empty());
}

#[test]
fn a_scrubbed_directory_is_as_a_new_one() {
    if !is_root() {
        return;
    }
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let asset = scratch.asset("pvc-1");
    let mut wanted = request("pvc-1", "u1");
    wanted.parameters = set(&[("mode", "2770"), ("gid", "7")]);
    // A claim's own wish ends with the claim.
    wanted.options = set(&[("uid", "65534")]);
    create(&backend, &wanted).unwrap();
    assert_eq!(fs::metadata(&asset).unwrap().uid(), NOBODY);
    fs::write(asset.join("file"), "data").unwrap();
    mark(&asset);
    assert_eq!(mode(&asset), 0o3777);
    assert!(attributes(&asset).len() > 1, "no extended attributes here");
    // What a run that was killed left.
    let left = scratch.asset(".kubectl-pv/pvc-1.directory");
    fs::create_dir(&left).unwrap();
    scrub(&backend, &scratch.volume("pvc-1")).unwrap();
    assert_new(&asset, (0o2770, 0, 7));
    assert_eq!(records(&scratch), ["pvc-1.json"]);
    // The same once a run has brought the record up to date.
    let stated = StatedVolume {
        policy: "Recycle".to_owned(),
        size: "2Gi".to_owned(),
        class: "scratch".to_owned(),
        access_modes: vec!["ReadWriteOnce".to_owned()],
        node: None,
    };
    backend.refresh(&[(wanted.name, stated)]).unwrap();
    mark(&asset);
    scrub(&backend, &scratch.volume("pvc-1")).unwrap();
    assert_new(&asset, (0o2770, 0, 7));
    // A directory without a record has no class: it gets what every asset gets by default.
    fs::create_dir(scratch.asset("by-hand")).unwrap();
    mark(&scratch.asset("by-hand"));
    scrub(&backend, &scratch.volume("by-hand")).unwrap();
    assert_new(&scratch.asset("by-hand"), (0o750, 0, 0));
    fs::create_dir(&left).unwrap();
    delete(&backend, &scratch.volume("pvc-1")).unwrap();
    assert!(records(&scratch).is_empty());
}

/// The last tenant still runs, and keeps a descriptor of the directory.
#[test]
fn the_last_tenant_keeps_nothing_of_a_scrubbed_directory() {
    if !is_root() {
        return;
    }
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let asset = scratch.asset("pvc-1");
    let mut wanted = request("pvc-1", "u1");
    wanted.options = set(&[("uid", "65534")]);
    create(&backend, &wanted).unwrap();
    for round in 0..rounds() {
        chown(&asset, Some(NOBODY), Some(NOBODY)).unwrap();
        let held = fs::File::open(&asset).unwrap();
        let meddle = |turn| {
            mark(&asset);
            let _ = rustix::fs::fchmod(&held, rustix::fs::Mode::from_raw_mode(0o3777));
            if turn % 4 == 0 {
                let file = rustix::fs::openat(
                    &held,
                    format!("file-{turn}"),
                    rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY,
                    rustix::fs::Mode::RWXU,
                );
                drop(file);
                thread::sleep(Duration::from_millis(1));
            }
        };
        let scrubbed = beside_nobody(meddle, || {
            let scrubbed = scrub(&backend, &scratch.volume("pvc-1"));
            thread::sleep(Duration::from_millis(5));
            scrubbed
        });
        scrubbed.unwrap_or_else(|error| panic!("round {round}: {error}"));
        assert_new(&asset, (0o750, 0, 0));
    }
}

/// The last tenant of an asset puts links in the place of its directories while the example, as root, deletes them.
#[test]
fn the_example_is_not_led_out_of_its_pool() {
    if !is_root() {
        return;
    }
    let scratch = Scratch::new();
    let backend = super::exec::example(&scratch);
    for round in 0..rounds() {
        create(&backend, &request("pvc-1", "u1")).unwrap();
        let asset = scratch.asset("pvc-1");
        let pairs: Vec<[PathBuf; 2]> = (0..50)
            .map(|number| ["d", "l"].map(|kind| asset.join(format!("{kind}{number}"))))
            .collect();
        for [directory, link] in &pairs {
            fs::create_dir(directory).unwrap();
            fs::write(directory.join("precious"), "bait").unwrap();
            symlink(scratch.path("bystander"), link).unwrap();
        }
        chown(&asset, Some(NOBODY), Some(NOBODY)).unwrap();
        let swap = |_| {
            for [one, other] in &pairs {
                let flags = rustix::fs::RenameFlags::EXCHANGE;
                let here = rustix::fs::CWD;
                let _ = rustix::fs::renameat_with(here, one, here, other, flags);
            }
        };
        let volume = scratch.volume("pvc-1");
        let is_scrub = round % 4 == 3;
        let result = beside_nobody(swap, || {
            if is_scrub {
                scrub(&backend, &volume)
            } else {
                delete(&backend, &volume).map(drop)
            }
        });
        scratch.assert_bystander_untouched();
        // What was swapped under its hands may be left; the next request removes it.
        if is_scrub && result.is_ok() {
            assert_new(&asset, (0o750, 0, 0));
        }
        delete(&backend, &volume).unwrap();
        assert_eq!(names(&scratch.base()), [".owners"]);
    }
}

#[test]
fn the_example_refuses_a_pool_that_others_can_write_to() {
    let scratch = Scratch::new();
    let backend = super::exec::example(&scratch);
    create(&backend, &request("pvc-1", "u1")).unwrap();
    for (path, mode, is_refused) in [
        (scratch.base(), 0o775, true),
        (scratch.base(), 0o1777, true),
        (scratch.base(), 0o755, false),
        (scratch.0.clone(), 0o777, true),
        (scratch.0.clone(), 0o1777, false),
    ] {
        chmod(&path, mode);
        let results = [
            create(&backend, &request("pvc-2", "u2")).map(drop),
            delete(&backend, &scratch.volume("pvc-2")).map(drop),
        ];
        for result in results {
            let found = matches!(result, Err(StorageError::Refused(_)));
            assert_eq!(found, is_refused, "{mode:o} {result:?}");
        }
    }
}
