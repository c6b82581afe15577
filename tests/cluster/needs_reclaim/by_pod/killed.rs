//! The command is killed before and after every write, and run again: the volume is empty and free, no pod is left, and two were
//! never there at once. The pod goes on meanwhile, whoever waits for it.

use std::thread;

use super::kubelet::SLOW;
use super::{Stage, beside_node};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::kill_point::{KillPoint, Moment};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Counted, Pass};
use crate::cluster::faults::subject::Subject;
use crate::cluster::needs_provision::workers::for_all;

/// The pod, the lock, the gate, the pod again, the unlocking and the phase.
const WRITES: usize = 6;

/// Whether there was such a write, and what was wrong.
fn kill_at(
    cluster: &ControlPlane,
    upstream: &Upstream,
    moment: Moment,
    number: usize,
) -> (bool, Vec<String>) {
    let stage = Stage::create(cluster, upstream.api());
    let point = KillPoint::new(moment, Counted::Writes, number);
    let proxy = Proxy::start(upstream.address, point.clone());
    let subject = Subject::start(stage.command(proxy.kubeconfig(), &[]).command());
    point.aim(&subject);
    subject.wait();
    let is_reached = point.was_reached();
    let again = Proxy::start(upstream.address, Pass);
    let mut wrong = Vec::new();
    if is_reached {
        let was_free = stage.unmet().is_empty();
        let site = stage.scene.site();
        let before = site.read();
        let ended = Subject::start(stage.command(again.kubeconfig(), &[]).command()).wait();
        wrong.extend(site.false_report(&before, &ended, &beside_node(&[])));
        // What was named and is done already is told as such.
        let is_finished =
            ended.status == Some(0) || (was_free && ended.stdout.contains("NotReleased"));
        if !is_finished {
            wrong.push(format!("run again it ends with {ended:?}"));
        }
    }
    wrong.extend(stage.unmet());
    let (ran, seen) = stage.clear();
    wrong.extend(seen);
    // A pod that had ended before anybody heard of it is not believed: another makes sure.
    if !(1..=2).contains(&ran) {
        wrong.push(format!("{ran} pods ran"));
    }
    if !wrong.is_empty() {
        let log = format!("killed:\n{}again:\n{}", proxy.show(), again.show());
        wrong.push(format!("{moment:?} write {number}\n{log}"));
    }
    (is_reached, wrong)
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn at_every_write() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    // One more than there are: it is not reached.
    let numbers: Vec<usize> = (1..=WRITES + 1).collect();
    let kill = |moment| {
        for_all(&numbers, |&number| {
            kill_at(&cluster, &upstream, moment, number)
        })
    };
    let results = thread::scope(|scope| {
        let before = scope.spawn(|| kill(Moment::Before));
        let mut results = kill(Moment::After);
        results.extend(before.join().expect("to the end"));
        results
    });
    let wrong: Vec<&String> = results.iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let reached = results.iter().filter(|(is_reached, _)| *is_reached);
    assert_eq!(reached.count(), 2 * WRITES);
}

/// The pod is at it while nobody waits for it: the next run waits for this one and lets no other go.
fn while_its_pod_is_at_work(cluster: &ControlPlane, upstream: &Upstream) {
    let stage = Stage::create(cluster, upstream.api());
    stage.kubelet.mount(Some(SLOW));
    let opened = KillPoint::new(Moment::After, Counted::Writes, 3);
    let proxy = Proxy::start(upstream.address, opened.clone());
    let subject = Subject::start(stage.command(proxy.kubeconfig(), &[]).command());
    opened.aim(&subject);
    subject.wait();
    assert!(opened.was_reached(), "{}", proxy.show());
    let again = Proxy::start(upstream.address, Pass);
    let ran = stage.reclaim(again.kubeconfig());
    let said = format!("{}{}{}", ran.stdout, ran.stderr, again.show());
    assert_eq!(ran.status, 0, "{said}");
    assert_eq!(stage.unmet(), [""; 0], "{said}");
    assert_eq!(stage.clear(), (1, vec![]), "{said}");
}

/// A pod that cannot begin makes room for another, once it is gone.
fn its_time_is_over_and_another_image_does_it(cluster: &ControlPlane, upstream: &Upstream) {
    let stage = Stage::create(cluster, upstream.api());
    let admin = cluster.kubeconfig("admin");
    let admin = admin.to_str().expect("a path in plain text");
    stage.kubelet.refuse("busybox:1.37");
    let late = stage.reclaim_beside(stage.command(admin, &["--timeout", "2s"]), &[]);
    let said = format!("{}{}", late.stdout, late.stderr);
    assert_eq!(late.status, 4, "{said}");
    assert!(said.contains("has not ended within"), "{said}");
    assert!(stage.scene.has_data("v"), "{said}");
    let ran = stage.reclaim_beside(stage.command(admin, &["--recycler-image", "alpine"]), &[]);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.status, 0, "{said}");
    assert_eq!(stage.unmet(), [""; 0], "{said}");
    assert_eq!(stage.clear(), (1, vec![]), "{said}");
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn with_its_pod_at_work_or_before_it_can_begin() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    thread::scope(|scope| {
        scope.spawn(|| while_its_pod_is_at_work(&cluster, &upstream));
        its_time_is_over_and_another_image_does_it(&cluster, &upstream);
    });
}
