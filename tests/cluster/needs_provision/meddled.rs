//! Somebody else writes just before each write of `provision`. Whatever it was, the end is right, by
//! this run or by the same command again: nothing is reserved for nobody, no asset is without a
//! volume and no volume without an asset, and a claim that was recreated has a volume of its own.

use std::sync::Arc;

use serde_json::Value;

use super::judge::{leaks, not_served, repeated_events, wrongs};
use super::meddler::{Done, Meddler, Meddling};
use super::scene::{Kind, Scene, TrialNode};
use super::workers::for_all;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::consistency::contradictions;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::faults::subject::{Ended, Subject};
use crate::cluster::report_check::Report;
use crate::sample;

const TRUE_ENDS: [Option<i32>; 4] = [Some(0), Some(1), Some(3), Some(4)];
const MOST_WRITES: usize = 60;

/// What can be said of the first run alone.
fn judge_first(scene: &Scene, done: &Done, ended: &Ended) -> Vec<String> {
    let mut found = Vec::new();
    if !TRUE_ENDS.contains(&ended.status) {
        found.push("it ends as no command does that was disturbed".to_owned());
    }
    if ended.status != Some(0) && ended.stderr.trim().is_empty() {
        found.push("it failed and says nothing".to_owned());
    }
    if ended.status == Some(4) {
        let outcome: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
        if !outcome["finishWith"].is_string() {
            found.push("it does not say how to finish".to_owned());
        }
    }
    let claim = scene.found_claim();
    if ended.status == Some(0) && !done.came_too_late() && claim["status"]["phase"] != "Bound" {
        found.push(format!(
            "it ends with 0 and the claim is {}",
            claim["status"]
        ));
    }
    // What is left of a claim that is gone is for the next run; what concerns this one is not.
    if ended.status == Some(0) && !done.came_too_late() && !done.was_about_the_claim() {
        let mut wrong = wrongs(scene);
        wrong.retain(|wrong| !wrong.ends_with("a claim that is gone"));
        found.extend(wrong);
    }
    found
}

/// What must hold after the same command has run again.
fn judge_end(scene: &Scene, meddler: Meddler, done: &Done, again: &Ended) -> Vec<String> {
    let mut found = Vec::new();
    let storage = scene.place.storage();
    let mut at_rest = contradictions(&storage);
    // A claim that was bound and then deleted leaves a volume for `reclaim`, as every claim does.
    if done.came_too_late() {
        let volume = done.claim["spec"]["volumeName"].as_str().unwrap_or("none");
        at_rest.retain(|wrong| !wrong.contains(volume));
    }
    let ends_with = |status: i32| {
        (again.status != Some(status)).then(|| format!("run again: {again:?}, not {status}"))
    };
    let was_done = done.deed.is_ok();
    match meddler {
        Meddler::BindsClaimElsewhere if was_done => {
            found.extend(ends_with(0));
            let name = scene.found_claim()["spec"]["volumeName"].clone();
            if name != format!("{}-spare", scene.place.name) {
                found.push(format!("the claim has {name}"));
            }
        }
        Meddler::DeletesClaim => found.extend(ends_with(3)),
        // What is taken by force, or gone when its claim names it, is for people to settle.
        Meddler::StealsVolume if was_done => {
            let rival = scene.api.find(&scene.place.claim("rival", "1Gi"));
            let uid = rival.unwrap_or_default()["metadata"]["uid"].clone();
            let stays = |volume: &Value| volume["spec"]["claimRef"]["uid"] == uid;
            if !scene.made().iter().any(stays) {
                found.push("the thief has lost the volume".to_owned());
            }
            found.extend(leaks(scene));
            return found;
        }
        Meddler::DeletesVolume if was_done && done.was_about_the_claim() => {
            return found;
        }
        Meddler::ProvisionsToo if !was_done => found.push(format!("{:?}", done.deed)),
        _ => {
            found.extend(ends_with(0));
            found.extend(not_served(scene));
        }
    }
    if meddler == Meddler::Labels {
        let labelled = |object: &Value| object["metadata"]["labels"]["meddled"] == "yes";
        if !labelled(&scene.found_claim()) {
            found.push("the label is lost".to_owned());
        }
    }
    found.extend(at_rest);
    found.extend(leaks(scene));
    found.extend(repeated_events(scene));
    found
}

/// One meddler at every write, until there is none: how often it acted, and what went wrong.
fn at_every_write(upstream: &Upstream, kind: Kind, meddler: Meddler) -> (usize, Vec<String>) {
    let undisturbed = Proxy::start(upstream.address, Pass);
    let mut failures = Vec::new();
    for number in 1..MOST_WRITES {
        let scene = Scene::create(upstream.api(), "meddled", kind);
        let command = |proxy: &Proxy| scene.provision(proxy.kubeconfig(), &["data"]).command();
        let meddling = Meddling::new(meddler, number, &scene, command(&undisturbed));
        let proxy = Proxy::start(upstream.address, Arc::clone(&meddling));
        let site = scene.site();
        let before = site.read();
        let ended = Subject::start(command(&proxy)).wait();
        let Some(done) = meddling.done() else {
            scene.clear();
            return (number - 1, failures);
        };
        let mut found = judge_first(&scene, &done, &ended);
        let mut reports = vec![Report::from(&ended)];
        reports.extend(meddling.other_run());
        let others = meddling.other_writes(&done);
        found.extend(site.false_reports(&before, &reports, &others));
        let before = site.read();
        let again = Subject::start(command(&undisturbed)).wait();
        found.extend(site.false_report(&before, &again, &[]));
        found.extend(judge_end(&scene, meddler, &done, &again));
        if !found.is_empty() {
            let (found, log) = (found.join("\n  "), proxy.show());
            let Done { deed, before, .. } = &done;
            failures.push(format!(
                "{meddler:?} before write {number} ({before}; {deed:?}):\n  {found}\n{log}{ended:?}\nagain: {again:?}\n"
            ));
        }
        scene.clear();
    }
    panic!("no end of writes");
}

fn meddle_everywhere(kind: Kind, meddlers: &[Meddler]) {
    let meddlers = &sample::cases(meddlers, 2);
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let results = for_all(meddlers, |&meddler| {
        at_every_write(&upstream, kind, meddler)
    });
    let acted: usize = results.iter().map(|(acted, _)| acted).sum();
    let failures: Vec<String> = results.into_iter().flat_map(|(_, failed)| failed).collect();
    let count = failures.len();
    println!("{kind:?}: {acted} meddled provisions, {count} went wrong");
    assert!(
        failures.is_empty(),
        "{count} of {acted}:\n{}",
        failures.join("\n")
    );
    assert!(
        acted >= 5 * meddlers.len(),
        "a provision is five writes: {acted}"
    );
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn every_meddler_at_every_write_with_directories() {
    meddle_everywhere(Kind::HostPath, &Meddler::ALL);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn meddlers_that_undo_the_claim_with_a_program() {
    let meddlers = [
        Meddler::BindsClaimElsewhere,
        Meddler::DeletesClaim,
        Meddler::RecreatesClaim,
        Meddler::ProvisionsToo,
    ];
    meddle_everywhere(Kind::Exec, &meddlers);
}
