//! Somebody else acts just before each request of `reclaim`. Whatever it was, nothing is deleted, emptied or unreserved that is
//! somebody's by then or that somebody asked to keep, and after the same command has run again none of our locks is left.
//! The same with the preconditions taken off our requests goes wrong, so that these tests are able to fail.

use std::fs;
use std::sync::Arc;

use serde_json::Value;

use super::meddler::{Done, Meddler, Meddling, Moments};
use super::trial::Trial;
use super::wish::{Wish, is_going, leftovers};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::faults::subject::{Ended, Subject};
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_provision::workers::for_all;
use crate::cluster::report_check::Report;
use crate::sample;

const TRUE_ENDS: [Option<i32>; 4] = [Some(0), Some(1), Some(3), Some(4)];
const MOST_MOMENTS: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guarded {
    Yes,
    No,
}

/// What can be said of the first run alone.
fn judge_first(ended: &Ended) -> Vec<String> {
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
    found
}

/// What must hold after the same command has run again.
fn judge_end(trial: &Trial, wish: Wish, meddler: Meddler, done: &Done) -> Vec<String> {
    let volume = trial.find("v").unwrap_or_default();
    let was_going = is_going(&done.before) || done.before.is_null();
    let policy = &done.before["spec"]["persistentVolumeReclaimPolicy"];
    let was_locked_for_emptying = wish == Wish::Recycle && policy == "Retain";
    let mut found = leftovers(trial);
    let mut expect = |is_so: bool, what: &str| {
        if !is_so {
            found.push(format!("not {what}: {volume}"));
        }
    };
    // Whatever was still in it when somebody wanted it kept.
    let keeps_data = !done.had_data || trial.has_data("v");
    let stays = volume.is_object() && !is_going(&volume);
    match meddler {
        _ if done.deed.is_err() => {}
        Meddler::Takes | Meddler::Replaces => {
            expect(stays, "staying");
            expect(volume["metadata"]["uid"] == done.uid, "the same volume");
            let owner = &volume["spec"]["claimRef"]["uid"];
            expect(*owner == done.owner, "the claim's that has it");
            let mine = fs::read_to_string(trial.asset("v").join("mine"));
            expect(
                mine.is_ok_and(|text| text == "mine"),
                "with the owner's file",
            );
            expect(
                keeps_data || meddler == Meddler::Replaces,
                "with what was in it",
            );
            let policy = &volume["spec"]["persistentVolumeReclaimPolicy"];
            expect(*policy == wish.policy(), "of the policy it had");
            return found;
        }
        Meddler::Retains if !was_going && !was_locked_for_emptying => {
            let policy = &volume["spec"]["persistentVolumeReclaimPolicy"];
            expect(stays && *policy == "Retain", "kept by its policy");
            expect(keeps_data, "with what was in it");
            return found;
        }
        Meddler::Keeps if !was_going => {
            expect(stays, "kept");
            expect(keeps_data, "with what was in it");
            let policy = &volume["spec"]["persistentVolumeReclaimPolicy"];
            expect(*policy == wish.policy(), "of the policy it had");
            return found;
        }
        Meddler::Holds if wish == Wish::Delete => {
            let held = volume["metadata"]["finalizers"].to_string();
            expect(stays && held.contains("example.com/hold"), "held");
            expect(keeps_data, "with what was in it");
            return found;
        }
        Meddler::Reuses => {
            let is_free = volume["spec"]["claimRef"].is_null();
            expect(stays && is_free, "offered again");
            expect(keeps_data, "with what was in it");
            return found;
        }
        // What somebody deletes is theirs to see through; we left the asset alone, or had its lock already.
        Meddler::Deletes | Meddler::Destroys if !was_going => {
            let is_gone = !trial.asset("v").exists() && wish == Wish::Delete;
            expect(keeps_data || is_gone, "whole or gone");
            found.retain(|wrong| !wrong.ends_with("an asset without a volume"));
            return found;
        }
        Meddler::Destroys => {
            found.retain(|wrong| !wrong.ends_with("an asset without a volume"));
            return found;
        }
        _ => {}
    }
    if meddler == Meddler::ReclaimsToo && done.deed.is_err() {
        found.push(format!("{:?}", done.deed));
    }
    if meddler == Meddler::Labels && volume.is_object() && done.deed.is_ok() {
        let label = &volume["metadata"]["labels"]["meddled"];
        if label != "yes" {
            found.push(format!("the label is lost: {volume}"));
        }
    }
    found.extend(wish.unmet(trial, "v"));
    found
}

/// One meddler at every moment, until there is none: how often it acted, and what went wrong.
fn at_every_moment(
    upstream: &Upstream,
    (wish, meddler, moments): (Wish, Meddler, Moments),
    guarded: Guarded,
) -> (usize, Vec<String>) {
    let undisturbed = Proxy::start(upstream.address, Pass);
    let mut failures = Vec::new();
    for at in 1..MOST_MOMENTS {
        let trial = Trial::create(upstream.api(), "meddled", Kind::HostPath);
        trial.released("v", wish.policy());
        let arguments = wish.arguments(&trial);
        let command = |proxy: &Proxy| trial.reclaim(proxy.kubeconfig(), &arguments).command();
        let kubeconfig = undisturbed.kubeconfig();
        let meddling = Meddling::new((meddler, at, moments), &trial, wish, kubeconfig);
        let meddling = Arc::new(match guarded {
            Guarded::Yes => meddling,
            Guarded::No => meddling.careless(upstream.address),
        });
        let proxy = Proxy::start(upstream.address, Arc::clone(&meddling));
        let site = trial.site();
        let before = site.read();
        let ended = Subject::start(command(&proxy)).wait();
        let Some(done) = meddling.done() else {
            trial.clear();
            return (at - 1, failures);
        };
        let mut found = judge_first(&ended);
        let mut reports = vec![Report::from(&ended)];
        reports.extend(meddling.other_run());
        let others = meddling.other_writes(&done);
        found.extend(site.false_reports(&before, &reports, &others));
        let before = site.read();
        let again = Subject::start(command(&undisturbed)).wait();
        found.extend(site.false_report(&before, &again, &[]));
        found.extend(judge_end(&trial, wish, meddler, &done));
        if !found.is_empty() {
            let (found, log) = (found.join("\n  "), proxy.show());
            let Done { deed, request, .. } = &done;
            failures.push(format!(
                "{wish:?}, {meddler:?} before moment {at} ({request}; {deed:?}):\n  {found}\n{log}{ended:?}\nagain: {again:?}\n"
            ));
        }
        trial.clear();
    }
    panic!("no end of moments");
}

fn meddle_everywhere(cases: &[(Wish, Meddler, Moments)], guarded: Guarded) -> (usize, Vec<String>) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let results = for_all(cases, |&case| at_every_moment(&upstream, case, guarded));
    let acted: usize = results.iter().map(|(acted, _)| acted).sum();
    let failures: Vec<String> = results.into_iter().flat_map(|(_, failed)| failed).collect();
    println!("{acted} meddled reclaims, {} went wrong", failures.len());
    assert!(acted >= 2 * cases.len(), "so few writes: {acted}");
    (acted, failures)
}

fn nothing_goes_wrong(cases: &[(Wish, Meddler, Moments)]) {
    let cases = sample::cases(cases, 2);
    let (acted, failures) = meddle_everywhere(&cases, Guarded::Yes);
    let count = failures.len();
    assert!(count == 0, "{count} of {acted}:\n{}", failures.join("\n"));
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn every_meddler_at_every_write_of_a_deletion() {
    let cases = Meddler::ALL.map(|meddler| (Wish::Delete, meddler, Moments::Writes));
    nothing_goes_wrong(&cases);
}

/// Between the lock and the scrub lies a second in which we look whether the controller is at it.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn every_meddler_at_every_write_and_look_of_an_emptying() {
    let mut cases = vec![
        (Wish::Recycle, Meddler::Takes, Moments::WritesAndLooks),
        (Wish::Recycle, Meddler::Replaces, Moments::WritesAndLooks),
    ];
    let at_writes = [
        Meddler::Labels,
        Meddler::Retains,
        Meddler::Keeps,
        Meddler::Holds,
        Meddler::Deletes,
        Meddler::Destroys,
        Meddler::ClaimReturns,
        Meddler::ReclaimsToo,
    ];
    cases.extend(at_writes.map(|meddler| (Wish::Recycle, meddler, Moments::Writes)));
    nothing_goes_wrong(&cases);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn meddlers_that_want_it_at_every_write_of_a_giving_back() {
    let meddlers = [Meddler::Takes, Meddler::Replaces, Meddler::ReclaimsToo];
    let cases = meddlers.map(|meddler| (Wish::Reuse, meddler, Moments::Writes));
    nothing_goes_wrong(&cases);
}

/// What the tests above find without the preconditions of our requests: that a live claim's volume is deleted or emptied.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn without_preconditions_it_goes_wrong() {
    let cases = [
        (Wish::Delete, Meddler::Takes, Moments::Writes),
        (Wish::Delete, Meddler::Replaces, Moments::Writes),
        (Wish::Delete, Meddler::Retains, Moments::Writes),
        (Wish::Recycle, Meddler::Takes, Moments::Writes),
        (Wish::Reuse, Meddler::Takes, Moments::Writes),
    ];
    for case in sample::cases(&cases, 2) {
        let (acted, failures) = meddle_everywhere(&[case], Guarded::No);
        println!("{case:?}: {} of {acted} go wrong", failures.len());
        assert!(!failures.is_empty(), "{case:?}: nothing went wrong");
    }
}
