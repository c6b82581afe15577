//! Three everyday ways by which the PersistentVolume of kept data disappears, followed by every `cleanup --yes` that an
//! administrator runs: the data stays. Each round has its own delays. The controller is the real one.

use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::cron_jobs::shipped_job;
use super::provisioned::Provisioned;
use super::scene::Scene;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::roles::account::install;
use crate::random::Random;
use crate::sample::{rounds, seed};
use crate::support::{Ran, Run, kubectl_pv};

const ROUNDS: usize = 50;
const SAMPLED: usize = 3;
/// Most deletions and runs take less than this: the delays let them overlap in every order.
const LONGEST_DELAY: usize = 600;
/// Those of the rounds, in turn.
const POLICIES: [&str; 2] = ["Retain", "Delete"];
const LIMIT: Duration = Duration::from_secs(60);
/// Categories that may be acted on while the volume is Released with policy Retain.
const ALL: &str = "released,failed,lost-claims,unreachable,leftover-attachments,leaked-assets";
/// Those that delete no data of a Released volume with policy Delete.
const WITHOUT_RECLAIM: &str = "unreachable,leaked-assets";

fn delay(random: &mut Random) -> Duration {
    let milliseconds = random.below(LONGEST_DELAY);
    Duration::from_millis(u64::try_from(milliseconds).expect("less than a second"))
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < LIMIT, "{what}");
        sleep(Duration::from_millis(20));
    }
}

fn is_in(scene: &Scene<'_>, object: &Value, phase: &str) -> bool {
    scene
        .api
        .find(object)
        .is_some_and(|found| found["status"]["phase"] == phase)
}

/// Runs a test in each round, on a scene of its own, beside the real controller.
fn in_each_round(what: &str, test: impl Fn(&ControlPlane, &Scene<'_>, &mut Random, usize)) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _controller = cluster.start_controller();
    let mut random = Random::new(seed());
    let count = rounds(ROUNDS, SAMPLED);
    for round in 0..count {
        println!("round {round}");
        let scene = Scene::create(&cluster, upstream.api(), what);
        test(&cluster, &scene, &mut random, round);
        scene.clear();
    }
    println!("{what}: {count} rounds");
}

/// `cleanup … --yes` on the node of the scene; a run beside other writers may end with any status of the contract.
fn clean_up(scene: &Scene<'_>, made: &Provisioned, words: &[&str]) -> Ran {
    let backend = scene.backend();
    let words = [&["cleanup", "--yes", "--backend", &backend], words].concat();
    let run = kubectl_pv(&words).env("KUBECTL_PV_NODE_NAME", &scene.node());
    finish(run, scene, made)
}

/// `cleanup --category unreachable --yes`, which asks no backend: on the machine of an administrator and on the node.
fn clean_up_unreachable(scene: &Scene<'_>, made: &Provisioned, more: &[&str]) -> Ran {
    let category = [&["--category", "unreachable"], more].concat();
    clean_up(scene, made, &category);
    let words = [&["cleanup", "--yes"], &category[..]].concat();
    finish(kubectl_pv(&words), scene, made)
}

fn finish(run: Run, scene: &Scene<'_>, made: &Provisioned) -> Ran {
    let ran = run.env("KUBECONFIG", &scene.kubeconfig()).ran();
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!([0, 1, 3, 4].contains(&ran.status), "{}: {said}", ran.status);
    assert!(made.has_data(), "{said}");
    ran
}

/// All runs, one after the other, with no other writer: each succeeds, and the data stays.
fn sweep(scene: &Scene<'_>, made: &Provisioned, categories: &str) {
    for words in [
        &["--category", categories][..],
        &["--category", categories, "--include-likely"],
        &["--category", "leaked-assets"],
    ] {
        let ran = clean_up(scene, made, words);
        assert_eq!(ran.status, 0, "{words:?}: {}{}", ran.stdout, ran.stderr);
    }
    if categories == ALL {
        let ran = clean_up(scene, made, &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    }
}

/// `kubectl delete pv` of a Retain volume, before or after its claim is deleted.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_data_stays_after_the_volume_was_deleted_by_kubectl() {
    in_each_round("deleted", |cluster, scene, random, _| {
        let made = Provisioned::create(scene, "Retain");
        let place = scene.place.name.as_str();
        let delete = |kind: &str, name: &str| {
            let words = ["delete", kind, name, "-n", place, "--wait=false"];
            let output = cluster.kubectl(&words);
            assert!(output.status.success(), "{output:?}");
        };
        let delays = [(); 3].map(|()| delay(random));
        let is_claim_first = random.chance(50);
        scope(|threads| {
            threads.spawn(|| {
                let mut objects = [("pvc", "data"), ("pv", made.name())];
                if !is_claim_first {
                    objects.reverse();
                }
                for ((kind, name), delay) in objects.into_iter().zip(delays) {
                    sleep(delay);
                    delete(kind, name);
                }
            });
            sleep(delays[2]);
            clean_up(scene, &made, &[]);
            clean_up(scene, &made, &["--category", ALL, "--include-likely"]);
        });
        wait_for("the volume does not exist", || {
            scene.api.find(&made.volume).is_none()
        });
        sweep(scene, &made, ALL);
        assert!(made.has_data());
    });
}

/// Its Node does not exist for a while; the runs are on that node.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_data_stays_after_the_node_was_away() {
    in_each_round("away", |cluster, scene, random, round| {
        let policy = POLICIES[round % 2];
        let categories = if policy == "Retain" {
            ALL
        } else {
            WITHOUT_RECLAIM
        };
        let made = Provisioned::create(scene, policy);
        let place = &scene.place.name;
        let deleted = cluster.kubectl(&["delete", "pvc", "data", "-n", place]);
        assert!(deleted.status.success(), "{deleted:?}");
        wait_for("the volume is Released", || {
            is_in(scene, &made.volume, "Released")
        });
        let node_of = |name: &str| {
            json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name,
                "labels": { "kubernetes.io/hostname": name } } })
        };
        // A cluster without any node is not believed.
        scene.add(&node_of(&format!("{place}-other")));
        let node = node_of(&scene.node());
        let (api, delays) = (scene.api, [(); 3].map(|()| delay(random)));
        scope(|threads| {
            threads.spawn(|| {
                sleep(delays[0]);
                api.delete(&node);
                sleep(delays[1]);
                // Half of the rounds wait until a run has seen that the node does not exist.
                if delays[1].as_millis() % 2 == 0 {
                    sleep(Duration::from_secs(2));
                }
                api.create(&node);
            });
            sleep(delays[2]);
            for more in [&[][..], &["--include-likely"], &["--include-likely"]] {
                clean_up_unreachable(scene, &made, more);
            }
        });
        if policy == "Retain" {
            assert!(api.find(&made.volume).is_some(), "its object stays");
        } else if api.find(&made.volume).is_some() {
            // No run has seen that the node does not exist.
            api.delete(&node);
            let ran = clean_up_unreachable(scene, &made, &["--include-likely"]);
            let is_deleted = api.find(&made.volume).is_none();
            assert!(is_deleted, "{}{}", ran.stdout, ran.stderr);
            api.create(&node);
        }
        sweep(scene, &made, categories);
        assert!(made.has_data());
    });
}

/// The volume of a bound claim disappears. The shipped CronJob deletes the Lost claim in its first night, and runs again.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_data_stays_after_two_nights_of_the_shipped_job() {
    let job = shipped_job("cleanup-act");
    install(&ControlPlane::connect());
    in_each_round("nights", |cluster, scene, random, round| {
        let applied = cluster.kubectl(&["apply", "-f", super::cron_jobs::MANIFEST]);
        assert!(applied.status.success(), "{applied:?}");
        let made = Provisioned::create(scene, POLICIES[round % 2]);
        let user = job.user();
        let night = |more: &[&str]| {
            let mut words: Vec<&str> = job.arguments.iter().map(String::as_str).collect();
            words.extend(["--as", &user]);
            words.extend(more);
            let ran = kubectl_pv(&words)
                .env("KUBECONFIG", &scene.kubeconfig())
                .env("KUBECTL_PV_NODE_NAME", &scene.node())
                .ran();
            assert!(made.has_data(), "{words:?}: {}{}", ran.stdout, ran.stderr);
            ran
        };
        let (api, delays) = (scene.api, [(); 2].map(|()| delay(random)));
        scope(|threads| {
            threads.spawn(|| {
                sleep(delays[0]);
                let deleted = cluster.kubectl(&["delete", "pv", made.name(), "--wait=false"]);
                assert!(deleted.status.success(), "{deleted:?}");
                // The deletion first: the controller adds its finalizer again to volumes that are not being deleted.
                api.delete(&made.volume);
            });
            sleep(delays[1]);
            night(&[]);
        });
        wait_for("the claim is Lost or deleted", || {
            let found = scene.api.find(&made.claim);
            found.is_none_or(|found| found["status"]["phase"] == "Lost")
        });
        let first = night(&[]);
        assert_eq!(first.status, 0, "{}{}", first.stdout, first.stderr);
        assert!(scene.api.find(&made.claim).is_none(), "{}", first.stdout);
        let second = night(&[]);
        assert_eq!(second.status, 0, "{}{}", second.stdout, second.stderr);
        // With the backend and the categories that the file offers.
        let backend = scene.backend();
        let offered = super::cron_jobs::OFFERED_CATEGORIES;
        let third = night(&["--category", offered, "--backend", &backend]);
        assert_eq!(third.status, 0, "{}{}", third.stdout, third.stderr);
        sweep(scene, &made, ALL);
        assert!(made.has_data());
    });
}
