//! `reclaim` is killed while it works on an asset: half of the files are gone, or a program is at it, before, after or without
//! anybody to tell. The next run finishes, and nobody else's files are touched.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::trial::Trial;
use super::wish::{Wish, leftovers};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::deadly_program::{await_end, deadly_program};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::faults::subject::Subject;
use crate::cluster::needs_provision::scene::Kind;

const FILES: usize = 30_000;
/// A machine may be so fast that all is over before it is killed.
const TRIES: usize = 5;
const LIMIT: Duration = Duration::from_secs(60);

/// Runs it until it ends with 0, since a program that lost its parent may be in the way, and says what is wrong then.
fn finish(trial: &Trial, wish: Wish, proxy: &Proxy) {
    let arguments = wish.arguments(trial);
    let site = trial.site();
    let run = || {
        let before = site.read();
        let ended = Subject::start(trial.reclaim(proxy.kubeconfig(), &arguments).command()).wait();
        let untrue = site.false_report(&before, &ended, &[]);
        assert_eq!(untrue, [""; 0], "{ended:?}");
        ended
    };
    let ended = (0..TRIES).map(|_| run()).find(|it| it.status == Some(0));
    assert!(ended.is_some(), "{:?}\n{}", run(), proxy.show());
    let mut wrong = wish.unmet(trial, "v");
    wrong.extend(leftovers(trial));
    assert_eq!(wrong, [""; 0], "{}", proxy.show());
}

/// Files in an asset, in the order in which a directory lists them.
fn fill(trial: &Trial) -> Vec<PathBuf> {
    let folder = trial.asset("v").join("many");
    fs::create_dir(&folder).expect("make a directory");
    for number in 0..FILES {
        fs::File::create(folder.join(number.to_string())).expect("make a file");
    }
    let entries = fs::read_dir(folder).expect("read it").flatten();
    entries.map(|entry| entry.path()).collect()
}

fn kill_half_way(wish: Wish) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    for _ in 0..TRIES {
        let trial = Trial::create(upstream.api(), "midway", Kind::HostPath);
        trial.released("v", wish.policy());
        let files = fill(&trial);
        let arguments = wish.arguments(&trial);
        let run = trial.reclaim(proxy.kubeconfig(), &arguments);
        let subject = Subject::start(run.command());
        let started = Instant::now();
        while files[FILES / 10].exists() {
            assert!(started.elapsed() < LIMIT, "{}", proxy.show());
            sleep(Duration::from_millis(1));
        }
        subject.kill();
        let left = files.iter().filter(|file| file.exists()).count();
        finish(&trial, wish, &proxy);
        trial.clear();
        if left > 0 && left < FILES {
            println!("{wish:?}: killed with {left} of {FILES} files left");
            return;
        }
    }
    panic!("it was never killed half-way");
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn with_half_of_the_files_deleted() {
    kill_half_way(Wish::Delete);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn with_half_of_it_emptied() {
    kill_half_way(Wish::Recycle);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn while_its_program_is_at_it() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    for wish in [Wish::Delete, Wish::Recycle] {
        for at_first in [
            "kill -9 $PPID; exit 3",
            "work >/dev/null; kill -9 $PPID; exit 3",
            "kill -9 $PPID; sleep 0.3; work; exit 0",
            "kill -INT $PPID; sleep 0.3; work; exit 0",
        ] {
            let mut trial = Trial::create(upstream.api(), "program", Kind::Exec);
            trial.released("v", wish.policy());
            let program = trial
                .yard
                .program("deadly", &deadly_program("delete|scrub", at_first));
            trial.program = program.to_str().map(str::to_owned);
            let arguments = wish.arguments(&trial);
            let run = trial.reclaim(proxy.kubeconfig(), &arguments);
            let first = Subject::start(run.command()).wait();
            // A signal that asks the run to stop lets it finish the object at hand.
            let is_asked_to_stop = at_first.contains("-INT");
            let is_finished = first.status == Some(0);
            assert_eq!(is_finished, is_asked_to_stop, "{at_first}: {first:?}");
            // Before the next run: a program that goes on would empty a volume that another claim may have bound by then.
            await_end(&program);
            finish(&trial, wish, &proxy);
            trial.clear();
        }
    }
}
