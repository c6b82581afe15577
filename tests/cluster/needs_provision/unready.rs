//! A base directory in which nothing can be created: the claim is refused before anything is written about it, and again if that is
//! so only since the question was asked. Less room than requested is a warning.

use serde_json::Value;

use super::scene::{Kind, Scene};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::faults::subject::Ended;
use crate::cluster::obstacle::{Moment, NO_RIGHTS, Obstacle, READ_ONLY, UNMOUNTED};

pub(in crate::cluster) const FULL: Obstacle = Obstacle {
    code: "NoSpace",
    prepare: "mount -t tmpfs -o size=64k,mode=755 none \"$BASE\"",
    meddle: "dd if=/dev/zero of=\"$BASE/fill\" bs=4k 2> /dev/null || true",
    undo: "",
    as_other_user: false,
};

const NO_INODES: Obstacle = Obstacle {
    prepare: "mount -t tmpfs -o nr_inodes=2,mode=755 none \"$BASE\"",
    meddle: "touch \"$BASE/fill\"",
    ..FULL
};

/// What came of it, and the claim before and after.
fn provision(obstacle: Obstacle, moment: Moment) -> (Ended, Value, Value) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let scene = Scene::create(upstream.api(), "unready", Kind::Nfs);
    let before = scene.found_claim();
    let run = scene.ask(proxy.kubeconfig(), &["data", "-o", "json"]);
    let asset = scene.yard.base().join("none");
    let ended = obstacle.hinder(moment, &run.command(), &scene.yard, &asset);
    let after = scene.found_claim();
    scene.clear();
    (ended, before, after)
}

fn refuse(obstacle: Obstacle, moment: Moment) {
    let (ended, before, after) = provision(obstacle, moment);
    let what = format!("{obstacle:?} {moment:?}: {ended:?}");
    assert_eq!(after, before, "{what}");
    assert_eq!(ended.status, Some(1), "{what}");
    obstacle.assert_refused(moment, &ended, &what);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_full_disk() {
    for obstacle in [FULL, NO_INODES] {
        refuse(obstacle, Moment::Planning);
        refuse(obstacle, Moment::Prompt);
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_read_only_disk_and_one_without_rights() {
    for obstacle in [READ_ONLY, NO_RIGHTS] {
        refuse(obstacle, Moment::Planning);
        refuse(obstacle, Moment::Prompt);
    }
}

/// An empty directory is as good as a new one, so only a disk that goes while the question is open is noticed.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_disk_that_is_mounted_meanwhile() {
    refuse(UNMOUNTED, Moment::Prompt);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn less_room_than_requested() {
    let small = Obstacle {
        prepare: "mount -t tmpfs -o size=1m,mode=755 none \"$BASE\"",
        meddle: "true",
        ..FULL
    };
    let (ended, ..) = provision(small, Moment::Planning);
    assert_eq!(ended.status, Some(0), "{ended:?}");
    let printed: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(printed["warnings"][0]["code"], "LowSpace", "{ended:?}");
}
