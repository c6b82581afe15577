//! A file system is mounted inside an asset, in a mount namespace of the command's own (`unshare -rm`). The asset is refused before
//! anything is locked: volume, files and mount stay as they are. Without the mount the same command finishes.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::trial::Trial;
use super::wish::{Wish, leftovers};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::faults::subject::Subject;
use crate::cluster::needs_provision::scene::Kind;

/// The same command with a neighbour of the base directory mounted inside the asset, seen by nobody else.
fn with_a_mount(trial: &Trial, inner: &Command) -> Command {
    let mut command = Command::new("unshare");
    command
        .args(["-rm", "sh", "-c"])
        .arg("mount --bind \"$1\" \"$2\" || exit 99; shift 2; exec \"$@\"")
        .arg("sh")
        .arg(trial.yard.neighbour())
        .arg(trial.asset("v").join("deep"))
        .arg(inner.get_program())
        .args(inner.get_args());
    command.env_clear();
    for (name, value) in inner.get_envs() {
        command.envs(value.map(|value| (name, value)));
    }
    command
}

fn hinder(wish: Wish) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let trial = Trial::create(upstream.api(), "hindered", Kind::HostPath);
    trial.released("v", wish.policy());
    // Hidden by the mount, and untouched below it.
    let hidden = trial.asset("v").join("deep/file");
    let arguments = [format!("{}-v", trial.place.name)];
    let command = || trial.reclaim(proxy.kubeconfig(), &arguments).command();
    let site = trial.site();
    let before = site.read();
    let volume = trial.find("v");
    let ended = Subject::start(with_a_mount(&trial, &command())).wait();
    let untrue = site.false_report(&before, &ended, &[]);
    assert_eq!(untrue, [""; 0], "{ended:?}");
    assert_ne!(ended.status, Some(99), "no mount: {ended:?}");
    assert_eq!(ended.status, Some(1), "{ended:?}\n{}", proxy.show());
    let outcome: Value = serde_json::from_str(&ended.stdout).expect("an outcome");
    assert_eq!(outcome["skipped"][0]["code"], "InUse", "{outcome}");
    assert!(ended.stdout.contains("is mounted at"), "{ended:?}");
    assert_eq!(trial.find("v"), volume);
    assert!(hidden.exists() && trial.asset("v").join("other").exists());
    let treasure = fs::read_to_string(trial.yard.neighbour().join("treasure"));
    assert_eq!(treasure.expect("it is there"), "untouched");
    let before = site.read();
    let ended = Subject::start(command()).wait();
    let untrue = site.false_report(&before, &ended, &[]);
    assert_eq!(untrue, [""; 0], "{ended:?}");
    assert_eq!(ended.status, Some(0), "{ended:?}\n{}", proxy.show());
    let mut wrong = wish.unmet(&trial, "v");
    wrong.extend(leftovers(&trial));
    assert_eq!(wrong, [""; 0]);
    trial.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_mount_inside_what_is_deleted() {
    hinder(Wish::Delete);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_mount_inside_what_is_emptied() {
    hinder(Wish::Recycle);
}
