//! A directory that cannot be deleted or emptied: the volume is refused before anything is written, and again if that is so only
//! since the question was asked. The object stays as it was.

use super::trial::Trial;
use super::wish::Wish;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::obstacle::{LINK, Moment, NO_RIGHTS, Obstacle, READ_ONLY, UNMOUNTED};
use crate::support::Run;

/// `reclaim` names the volume, `cleanup` finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Reclaim,
    Cleanup,
}

fn refuse(obstacle: Obstacle, (by, wish): (By, Wish), moment: Moment) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let trial = Trial::create(upstream.api(), "unready", Kind::HostPath);
    trial.released("v", wish.policy());
    let before = trial.find("v").expect("it was created");
    let place = trial.place.name.clone();
    let run = match by {
        By::Reclaim => trial.reclaim(proxy.kubeconfig(), &[format!("{place}-v")]),
        By::Cleanup => cleanup(&trial, proxy.kubeconfig()),
    };
    let command = run.command();
    let ended = obstacle.hinder(moment, &command, &trial.yard, &trial.asset("v"));
    let what = format!("{obstacle:?} {by:?} {wish:?} {moment:?}: {ended:?}");
    assert_eq!(trial.find("v"), Some(before), "{what}");
    assert!(trial.has_data("v"), "{what}");
    let treasure = trial.yard.neighbour().join("treasure");
    let treasure = std::fs::read_to_string(treasure);
    assert_eq!(treasure.expect("it exists"), "untouched", "{what}");
    if (obstacle.code, moment) == (UNMOUNTED.code, Moment::Planning) {
        assert_eq!(ended.status, Some(2), "{what}");
        assert!(ended.stderr.contains("is the disk mounted?"), "{what}");
        return trial.clear();
    }
    let status = i32::from(by != By::Cleanup);
    assert_eq!(ended.status, Some(status), "{what}");
    obstacle.assert_refused(moment, &ended, &what);
    trial.clear();
}

fn refuse_always(obstacle: Obstacle) {
    for wish in [Wish::Delete, Wish::Recycle] {
        for moment in [Moment::Planning, Moment::Prompt] {
            refuse(obstacle, (By::Reclaim, wish), moment);
        }
        // It never asks.
        refuse(obstacle, (By::Cleanup, wish), Moment::Planning);
    }
}

fn cleanup(trial: &Trial, kubeconfig: &str) -> Run {
    let class = trial.place.name.as_str();
    trial.run(kubeconfig, "cleanup", &["--class", class, "-o", "json"])
}

/// The second directory is replaced by a link while the first volume is deleted: it is refused before its lock, and the run has
/// written before.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_change_after_the_first_write_of_cleanup() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let trial = Trial::create(upstream.api(), "unready", Kind::HostPath);
    trial.released("v", "Delete");
    trial.released("w", "Delete");
    let before = trial.find("w");
    let (asset, away) = (trial.asset("w"), trial.yard.root().join("away"));
    let ended = LINK.hinder_at_first_write(&upstream, (&asset, &away), |kubeconfig| {
        cleanup(&trial, kubeconfig).command()
    });
    assert_eq!(trial.find("w"), before, "{ended:?}");
    assert!(away.join("deep/file").exists(), "{ended:?}");
    assert!(!trial.asset("v").exists(), "{ended:?}");
    LINK.assert_refused_late(&ended);
    trial.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn an_unmounted_disk() {
    refuse_always(UNMOUNTED);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_link_in_place_of_the_directory() {
    refuse_always(LINK);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_read_only_directory() {
    refuse_always(READ_ONLY);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_directory_without_the_right_to_write() {
    refuse_always(NO_RIGHTS);
}

/// A directory that does not exist, without a record: nothing is concluded from that. With a record it was deleted.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_directory_that_does_not_exist() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    for is_recorded in [false, true] {
        let trial = Trial::create(upstream.api(), "missing", Kind::HostPath);
        trial.released("v", "Delete");
        std::fs::remove_dir_all(trial.asset("v")).expect("delete the directory");
        let record = trial
            .yard
            .stamp()
            .join(format!("{}-v.json", trial.place.name));
        if !is_recorded {
            std::fs::remove_file(record).expect("delete the record");
        }
        let before = trial.find("v");
        let arguments = [format!("{}-v", trial.place.name)];
        let ran = trial.reclaim(proxy.kubeconfig(), &arguments).ran();
        let after = trial.find("v");
        if is_recorded {
            assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
            let is_going = after.is_none_or(|it| it["metadata"]["deletionTimestamp"].is_string());
            assert!(is_going, "{}", ran.stdout);
        } else {
            assert_eq!(ran.status, 1, "{}{}", ran.stdout, ran.stderr);
            assert!(ran.stdout.contains("\"AssetMissing\""), "{}", ran.stdout);
            assert_eq!(after, before);
        }
        trial.clear();
    }
}
