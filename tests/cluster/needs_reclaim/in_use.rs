//! A process keeps creating deep trees in the directory of a volume that is deleted or emptied. The command ends after
//! `--timeout` without progress, the volume stays locked, and the same command finishes once the process has ended.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::stage::on_a_scene;
use crate::cluster::report_check::OtherWrite;
use crate::sample::MOST_ROUNDS;
use crate::support::Ran;

const TIMEOUT: Duration = Duration::from_secs(2);

/// Fills the directory while the work is done.
fn beside_a_writer<T>(directory: &Path, work: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    let fill = &|writer: u64| {
        let inner: PathBuf = std::iter::repeat_n("deeper", 60).collect();
        for number in 0_u64.. {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let tree = directory.join(format!("tree-{writer}-{}", number % 100));
            // It is never empty for long, and there are deep trees.
            let _ = fs::create_dir(&tree);
            if writer == 0 {
                let _ = fs::create_dir_all(tree.join(&inner));
            }
        }
    };
    thread::scope(|scope| {
        let _end = End(&stop);
        for writer in 0..3 {
            scope.spawn(move || fill(writer));
        }
        // Something is there before the command begins.
        thread::sleep(Duration::from_millis(200));
        work()
    })
}

/// Ends the writers, also when the work fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn assert_in_use(ran: &Ran) {
    let told = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.status, 4, "{told}");
    let outcome: Value = serde_json::from_str(&ran.stdout).expect("an outcome");
    let changes = outcome["changes"].as_array().expect("changes");
    let is_in_use = |change: &Value| change["result"] == "Failed" && change["code"] == "InUse";
    assert!(changes.iter().any(is_in_use), "{told}");
    assert!(outcome["finishWith"].is_string(), "{told}");
}

/// A command that finds the directory empty for a moment is done, and shows nothing.
fn stays_locked_until_the_process_ends(policy: &str) {
    let is_shown = Cell::new(false);
    for _ in 0..MOST_ROUNDS {
        if !is_shown.get() {
            try_once(policy, &is_shown);
        }
    }
    assert!(is_shown.get(), "the directory was empty in every round");
}

fn try_once(policy: &str, is_shown: &Cell<bool>) {
    on_a_scene("in-use", |scene| {
        scene.released("v", policy);
        let mut others = OtherWrite::of_controller();
        others.push(OtherWrite::asset("v"));
        let name = format!("{}-v", scene.place.name);
        let timeout = format!("{}s", TIMEOUT.as_secs());
        let arguments = [name.as_str(), "--timeout", &timeout];
        let began = Instant::now();
        let ran = beside_a_writer(&scene.directory("v"), || {
            scene.reclaim_beside(&arguments, &others)
        });
        if ran.status == 0 {
            return;
        }
        is_shown.set(true);
        assert_in_use(&ran);
        assert!(began.elapsed() < 10 * TIMEOUT, "{:?}", began.elapsed());
        assert!(!scene.has_data("v"), "what is older than the lock is gone");
        let volume = scene.find("v").expect("it stays until its asset is gone");
        assert!(volume.to_string().contains("kubectl-pv.dev/"), "{volume}");
        let ran = scene.reclaim_one("v", &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        let is_empty =
            fs::read_dir(scene.directory("v")).map_or(true, |mut it| it.next().is_none());
        assert!(is_empty);
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_process_writes_to_what_is_deleted() {
    stays_locked_until_the_process_ends("Delete");
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_process_writes_to_what_is_emptied() {
    stays_locked_until_the_process_ends("Recycle");
}
