//! Trees made to mislead whoever removes them.

use super::*;
use crate::storage::beneath::crash;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::cell::Cell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::thread;

/// Tells the other thread to stop, also when this one fails: nobody would ever see why.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn asset_with(fill: impl Fn(&Scratch)) -> (Scratch, Backend) {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    fill(&scratch);
    (scratch, backend)
}

#[test]
fn links_are_removed_and_not_followed() {
    let (scratch, backend) = asset_with(|scratch| {
        let asset = scratch.asset("pvc-1");
        symlink(scratch.path("bystander"), asset.join("directory")).unwrap();
        symlink(scratch.path("bystander/precious"), asset.join("file")).unwrap();
        symlink("../../bystander", asset.join("relative")).unwrap();
        symlink("loop", asset.join("loop")).unwrap();
        symlink("/proc/self/root", asset.join("magic")).unwrap();
        fs::hard_link(scratch.path("bystander/precious"), asset.join("hard")).unwrap();
    });
    scrub(&backend, &scratch.volume("pvc-1")).unwrap();
    assert!(names(&scratch.asset("pvc-1")).is_empty());
    scratch.assert_bystander_untouched();
}

#[test]
fn an_asset_that_became_a_link_is_left() {
    let (scratch, backend) = asset_with(|scratch| {
        fs::remove_dir(scratch.asset("pvc-1")).unwrap();
        symlink(scratch.path("bystander"), scratch.asset("pvc-1")).unwrap();
    });
    for result in [
        delete(&backend, &scratch.volume("pvc-1")).map(drop),
        scrub(&backend, &scratch.volume("pvc-1")),
    ] {
        assert!(result.unwrap_err().to_string().contains("is a link to one"));
    }
    assert!(scratch.asset("pvc-1").is_symlink());
    scratch.assert_bystander_untouched();
}

#[test]
fn names_of_any_bytes_and_files_of_any_kind() {
    let (scratch, backend) = asset_with(|scratch| {
        let asset = scratch.asset("pvc-1");
        for name in [
            &b"a\nb"[..],
            b"\xff\xfe",
            b" ",
            b"-rf",
            b"*",
            b"$(id)",
            b"\x1b[31m",
            b"..a",
            b"...",
            &[b'x'; 255],
        ] {
            let name = OsStr::from_bytes(name);
            fs::create_dir(asset.join(name)).unwrap();
            fs::write(asset.join(name).join(name), "data").unwrap();
        }
        let made = Command::new("mkfifo")
            .arg(asset.join("pipe"))
            .status()
            .unwrap();
        assert!(made.success());
        std::os::unix::net::UnixListener::bind(asset.join("s")).unwrap();
        // Only root may make one, and not everywhere.
        let device = Command::new("mknod")
            .arg(asset.join("device"))
            .args(["c", "1", "3"])
            .status();
        let _ = device.expect("mknod (coreutils) is needed to test devices");
    });
    scrub(&backend, &scratch.volume("pvc-1")).unwrap();
    assert!(names(&scratch.asset("pvc-1")).is_empty());
}

/// Runs one of the tests below in a process of its own, with few descriptors.
fn with_few_descriptors(test: &str) {
    let ran = Command::new("sh")
        .args(["-c", "ulimit -n 128 && exec \"$@\"", "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("storage::tests::hostile::{test}")])
        .args(["--ignored", "--nocapture"])
        .output()
        .unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
}

/// What the kernel says of this process's memory, in kB.
fn memory(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.and_then(|number| number.parse().ok()).unwrap()
}

#[test]
fn a_hundred_thousand_files() {
    with_few_descriptors("a_hundred_thousand_files_in_little_memory");
}

#[test]
#[ignore = "run by its parent, with few descriptors and nobody else's memory"]
fn a_hundred_thousand_files_in_little_memory() {
    let (scratch, backend) = asset_with(|scratch| {
        for directory in 0..10 {
            let directory = scratch.asset("pvc-1").join(directory.to_string());
            fs::create_dir(&directory).unwrap();
            for file in 0..5_000 {
                fs::File::create(directory.join(file.to_string())).unwrap();
            }
        }
        for file in 0..50_000 {
            fs::File::create(scratch.asset("pvc-1").join(format!("file-{file}"))).unwrap();
        }
    });
    // The code of a deletion is memory too, once it has run.
    create(&backend, &request("pvc-2", "u2")).unwrap();
    fs::create_dir(scratch.asset("pvc-2").join("directory")).unwrap();
    delete(&backend, &scratch.volume("pvc-2")).unwrap();
    let before = memory("VmRSS:");
    assert_eq!(
        delete(&backend, &scratch.volume("pvc-1")).unwrap(),
        Deleted::Removed
    );
    let grown = memory("VmHWM:").saturating_sub(before);
    // The names alone would be more.
    assert!(grown < 3_000, "{grown} kB more than before");
    assert_eq!(names(&scratch.base()), [".kubectl-pv"]);
}

/// Far deeper than there are descriptors to open, or bytes in a path.
#[test]
fn very_deep() {
    with_few_descriptors("very_deep_with_few_descriptors");
}

#[test]
#[ignore = "run by its parent, with few descriptors"]
fn very_deep_with_few_descriptors() {
    let (scratch, backend) = asset_with(|scratch| {
        // Built from the inside: each finished tower becomes the inside of the next.
        let part: PathBuf = std::iter::repeat_n("deeper", 300).collect();
        let (top, built) = (scratch.asset("pvc-1").join("top"), scratch.path("built"));
        for _ in 0..20 {
            fs::create_dir_all(built.join(&part)).unwrap();
            fs::write(built.join(&part).join("file"), "data").unwrap();
            if top.exists() {
                fs::rename(&top, built.join(&part).join("inside")).unwrap();
            }
            fs::rename(&built, &top).unwrap();
        }
        // Names that our own moves would like to have.
        fs::create_dir_all(scratch.asset("pvc-1/.kubectl-pv-removal-0/full")).unwrap();
        fs::write(scratch.asset("pvc-1/.kubectl-pv-removal-1"), "").unwrap();
        symlink(
            scratch.path("bystander"),
            scratch.asset("pvc-1/.kubectl-pv-removal-2"),
        )
        .unwrap();
    });
    scrub(&backend, &scratch.volume("pvc-1")).unwrap();
    assert!(names(&scratch.asset("pvc-1")).is_empty());
    scratch.assert_bystander_untouched();
}

/// A second thread exchanges directories with links to the bystander, back and forth, as fast as it can.
#[test]
fn swapped_during_the_scrub() {
    let (scratch, backend) = asset_with(|_| {});
    let asset = scratch.asset("pvc-1");
    let pair = |number| {
        (
            asset.join(format!("d{number}")),
            asset.join(format!("l{number}")),
        )
    };
    let stop = AtomicBool::new(false);
    let swap_all = || {
        let mut swaps = 0_u32;
        while !stop.load(Ordering::Relaxed) {
            for (one, other) in (0..100).map(pair) {
                let swapped = renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
                swaps += u32::from(swapped.is_ok());
            }
        }
        swaps
    };
    let swaps = thread::scope(|scope| {
        let end = End(&stop);
        let swapper = scope.spawn(swap_all);
        for _ in 0..30 {
            for (directory, link) in (0..100).map(pair) {
                // Filled first and put there then: what is written there could go through a link.
                let bait = scratch.path("bait");
                fs::create_dir(&bait).unwrap();
                fs::write(bait.join("precious"), "bait").unwrap();
                fs::rename(&bait, &directory).unwrap();
                symlink("../../bystander", &link).unwrap();
            }
            scrub(&backend, &scratch.volume("pvc-1")).unwrap();
        }
        drop(end);
        swapper.join().unwrap()
    });
    scratch.assert_bystander_untouched();
    assert!(swaps > 1000, "only {swaps} swaps");
    assert!(names(&asset).is_empty());
}

/// The same, not left to luck: right before every look at a name, it is swapped.
#[test]
fn swapped_right_before_it_is_opened() {
    let (scratch, backend) = asset_with(|scratch| {
        for name in ["a", "b", "c"] {
            fs::create_dir_all(scratch.asset("pvc-1").join(name).join("inner")).unwrap();
            fs::write(scratch.asset("pvc-1").join(name).join("precious"), "bait").unwrap();
        }
    });
    let (asset, bystander) = (scratch.asset("pvc-1"), scratch.path("bystander"));
    let swapped = Rc::new(Cell::new(0));
    let count = Rc::clone(&swapped);
    crash::before_opening(Some(Box::new(move |name| {
        let path = asset.join(name);
        if path.is_dir() && !path.is_symlink() && ["a", "b", "c"].contains(&name) {
            fs::rename(&path, asset.join(format!("aside-{name}"))).unwrap();
            symlink(&bystander, &path).unwrap();
            count.set(count.get() + 1);
        }
    })));
    let result = scrub(&backend, &scratch.volume("pvc-1"));
    crash::before_opening(None);
    result.unwrap();
    assert_eq!(swapped.get(), 3);
    assert!(names(&scratch.asset("pvc-1")).is_empty());
    scratch.assert_bystander_untouched();
}

/// The asset itself is swapped for a link, by somebody who may write in the base directory.
#[test]
fn the_asset_is_swapped_during_scrub_and_deletion() {
    let (scratch, backend) = asset_with(|_| {});
    let asset = scratch.asset("pvc-1");
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let end = End(&stop);
        let swapper = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let _ = fs::create_dir_all(asset.join("a/b"));
                let _ = fs::rename(&asset, scratch.asset("aside"));
                let _ = symlink(scratch.path("bystander"), &asset);
                let _ = fs::remove_file(&asset);
                let _ = fs::rename(scratch.asset("aside"), &asset);
                let _ = fs::remove_dir_all(scratch.asset("aside"));
            }
        });
        for _ in 0..500 {
            let _ = scrub(&backend, &scratch.volume("pvc-1"));
            let _ = delete(&backend, &scratch.volume("pvc-1"));
            let _ = create(&backend, &request("pvc-1", "u1"));
        }
        drop(end);
        swapper.join().unwrap();
    });
    scratch.assert_bystander_untouched();
}

/// What another process does to an asset.
type Act<'a> = &'a (dyn Fn(&Path, u64) + Sync);

/// Lets another thread do something to the asset, again and again, while it is deleted.
fn delete_beside(
    scratch: &Scratch,
    backend: &Backend,
    act: Act<'_>,
) -> Result<Deleted, StorageError> {
    let stop = AtomicBool::new(false);
    let asset = scratch.asset("pvc-1");
    thread::scope(|scope| {
        let end = End(&stop);
        scope.spawn(|| {
            for number in 0_u64.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                act(&asset, number);
            }
        });
        // Both have begun.
        thread::sleep(Duration::from_millis(50));
        let deleted = delete(backend, &scratch.volume("pvc-1"));
        drop(end);
        deleted
    })
}

/// Progress is the removal of what was there before the deletion began.
#[test]
fn a_process_that_keeps_writing_does_not_keep_us_for_ever() {
    let outside = Scratch::new();
    fs::write(outside.path("old"), "data").unwrap();
    let old = outside.path("old");
    let deep = |asset: &Path, number: u64| {
        let inner: PathBuf = std::iter::repeat_n("deeper", 60).collect();
        let _ = fs::create_dir_all(asset.join(format!("{}", number % 100)).join(inner));
    };
    // A new name of an old file.
    let links = |asset: &Path, number: u64| {
        let _ = fs::hard_link(&old, asset.join(format!("link-{number}")));
    };
    // An old file that comes back.
    let renames = |asset: &Path, number: u64| {
        let (one, other) = (asset.join("a"), asset.join("b"));
        let _ = fs::create_dir(&one);
        let _ = fs::write(one.join(format!("{number}")), "");
        let _ = fs::rename(&one, &other);
    };
    let acts: [(&str, Act<'_>); 3] = [("deep", &deep), ("links", &links), ("renames", &renames)];
    for (what, act) in acts {
        let (scratch, _) = asset_with(|scratch| {
            fs::write(scratch.asset("pvc-1/file"), "data").unwrap();
        });
        let settings = Settings {
            timeout: Duration::from_millis(700),
            ..settings()
        };
        let backend = scratch.hostpath_with(&settings);
        let began = std::time::Instant::now();
        let result = delete_beside(&scratch, &backend, act);
        assert!(began.elapsed() < Duration::from_secs(20), "{what}");
        // A quiet moment may have been found.
        if let Err(error) = result {
            assert!(
                matches!(error, StorageError::InUse { .. }),
                "{what}: {error}"
            );
            assert!(!scratch.asset("pvc-1/file").exists(), "{what}");
            assert_eq!(records(&scratch), ["pvc-1.json"], "{what}");
        }
        delete(&backend, &scratch.volume("pvc-1")).unwrap();
        assert_eq!(names(&scratch.base()), [".kubectl-pv"], "{what}");
    }
}

/// However long it takes, as long as it goes on.
#[test]
fn a_slow_deletion_that_makes_progress_is_finished() {
    let (scratch, _) = asset_with(|scratch| {
        for number in 0..15 {
            fs::create_dir(scratch.asset("pvc-1").join(format!("d{number}"))).unwrap();
        }
    });
    let settings = Settings {
        timeout: Duration::from_secs(1),
        ..settings()
    };
    let backend = scratch.hostpath_with(&settings);
    crash::before_opening(Some(Box::new(|name| {
        if name.starts_with('d') {
            thread::sleep(Duration::from_millis(100));
        }
    })));
    let began = std::time::Instant::now();
    let deleted = delete(&backend, &scratch.volume("pvc-1"));
    crash::before_opening(None);
    assert_eq!(deleted.unwrap(), Deleted::Removed);
    assert!(began.elapsed() > settings.timeout);
}
