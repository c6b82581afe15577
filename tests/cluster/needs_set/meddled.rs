//! Somebody else acts at each write of `set reconcile`: just before it, or just after, when its answer is lost as well. Whatever it
//! was, nothing is deleted that is not an unbound, unreserved, empty member of ours, no more members are made than the set
//! allows, and after the same command has run again the set is as it asks and nothing is left over.

use std::sync::Arc;

use serde_json::Value;

use super::meddler::{Done, Meddler, Meddling, Side};
use super::stage::{Stage, is_going, open};
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::faults::subject::{Ended, Subject};
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_provision::workers::for_all;
use crate::cluster::report_check::Report;
use crate::sample;

const TRUE_ENDS: [Option<i32>; 4] = [Some(0), Some(1), Some(3), Some(4)];
const MOST_WRITES: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    /// From none to two.
    Make,
    /// From three to two.
    Delete,
}

/// What can be said of the first run alone.
fn judge_first(stage: &Stage, meddling: &Meddling, done: &Done, ended: &Ended) -> Vec<String> {
    let mut found = meddling.wrongly_deleted();
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
    // Whoever has noted that a member is being made, and was not told before, makes that one and no other.
    let most = stage.found_set()["spec"]["maximumReplicas"].as_u64();
    let most = usize::try_from(most.unwrap_or(0)).expect("few");
    let by_hand = usize::from(meddling.meddler == Meddler::AddsMember && done.was_making);
    let begun = done.before.len() + usize::from(done.was_making);
    let most = (most + by_hand).max(begun);
    let members = meddling.most();
    if members > most {
        found.push(format!("{members} members, at most {most} are allowed"));
    }
    found
}

/// What must hold after the same command has run again.
fn judge_end(
    stage: &Stage,
    wish: Wish,
    meddler: Meddler,
    done: &Done,
    again: &Ended,
) -> Vec<String> {
    let mut found = Vec::new();
    let victim = stage.api.find(&victim_now(stage)).unwrap_or_default();
    let was_going = done.victim.is_null() || is_going(&done.victim);
    let has_asset = stage.asset(0).exists();
    let is_held = is_going(&victim);
    let mut expect = |is_so: bool, what: &str| {
        if !is_so {
            found.push(format!("not {what}: {victim}"));
        }
    };
    let was_done = done.deed.is_ok();
    let mut settled = Some((2, 2));
    match meddler {
        Meddler::Closes => settled = Some((0, 0)),
        Meddler::Lowers => settled = Some((1, 1)),
        Meddler::Raises => settled = Some((3, 3)),
        Meddler::DeletesSet => {
            expect(again.status == Some(3), "told that the set is not there");
            settled = None;
        }
        Meddler::TakesByUid if was_done => {
            expect(!is_held && victim.is_object(), "staying");
            let owner = &victim["spec"]["claimRef"]["uid"];
            expect(owner.is_string(), "the claim's that has it");
            expect(stage.asset(0).join("mine").exists(), "with its data");
            settled = Some((2, 1));
        }
        Meddler::TakesByName if was_done => {
            expect(!is_held && victim.is_object(), "staying");
            expect(victim["spec"]["claimRef"].is_object(), "kept");
            expect(has_asset, "with its asset");
            settled = Some((2, 1));
        }
        Meddler::Unlabels | Meddler::Keeps | Meddler::Retains if was_done && !was_going => {
            expect(!is_held && victim.is_object(), "staying");
            expect(has_asset, "with its asset");
        }
        // Nobody can call back what is being deleted; but its data stays, where somebody asked for that.
        Meddler::Unlabels | Meddler::Keeps | Meddler::Retains if was_done => settled = None,
        Meddler::Fills if was_done => {
            expect(stage.asset(0).join("mine").exists(), "with its data");
            // What is being deleted already stays so until somebody has seen to the data.
            settled = (!is_held).then_some((2, 2));
        }
        Meddler::ReconcilesToo => expect(was_done, "reconciled by the other"),
        _ => {}
    }
    if let Some((total, unbound)) = settled {
        expect(again.status == Some(0), "finished by the same command");
        found.extend(stage.unsettled(total, unbound));
    }
    let mut wrongs = stage.wrongs();
    // Whoever deletes a set that is worked on has what was being made.
    if meddler == Meddler::DeletesSet && wish == Wish::Make {
        wrongs.retain(|wrong| !wrong.ends_with("left Terminating"));
    }
    found.extend(wrongs);
    found
}

/// The member as it is named, whatever became of it.
fn victim_now(stage: &Stage) -> Value {
    let mut volume = stage.place.volume("x", "1Gi");
    volume["metadata"]["name"] = stage.member_name(0).into();
    volume
}

/// One meddler at every write, until there is none: how often it acted, and what went wrong.
fn at_every_write(
    upstream: &Upstream,
    (wish, meddler, side): (Wish, Meddler, Side),
) -> (usize, Vec<String>) {
    let undisturbed = Proxy::start(upstream.address, Pass);
    let mut failures = Vec::new();
    for number in 1..MOST_WRITES {
        let least = if wish == Wish::Make { 2 } else { 3 };
        let kind = Some(Kind::HostPath);
        let stage = Stage::create(upstream.api(), "meddled", kind, (least, least));
        let stage = Arc::new(stage);
        if wish == Wish::Delete {
            stage.fill(undisturbed.kubeconfig());
            stage.resize(2, 2);
        }
        let command = |proxy: &Proxy| stage.reconcile(proxy.kubeconfig()).command();
        let meddling = Meddling::new((meddler, side, number), &stage, command(&undisturbed));
        let proxy = Proxy::start(upstream.address, Arc::clone(&meddling));
        let checked = stage.site();
        let before = checked.read();
        let ended = Subject::start(command(&proxy)).wait();
        let Some(done) = meddling.done() else {
            stage.clear();
            return (number - 1, failures);
        };
        let mut found = judge_first(&stage, &meddling, &done, &ended);
        let mut reports = vec![Report::from(&ended)];
        reports.extend(meddling.other_run());
        let others = meddling.other_writes(&done);
        found.extend(checked.false_reports(&before, &reports, &others));
        let before = checked.read();
        let mut again = Subject::start(command(&undisturbed)).wait();
        found.extend(checked.false_report(&before, &again, &[]));
        // Nobody can tell that whoever noted it has given up: it is waited for.
        if side == Side::AfterAndLost && again.status == Some(0) {
            let begun = stage.found_set()["status"]["inProgress"].clone();
            if begun["action"] == "Create" {
                stage.wait_until_note_expires();
                again = Subject::start(command(&undisturbed)).wait();
            }
        }
        found.extend(judge_end(&stage, wish, meddler, &done, &again));
        let mine = stage.asset(0).join("mine");
        if meddler == Meddler::Fills && found.is_empty() && mine.exists() {
            std::fs::remove_file(mine).expect("the data is seen to");
            Subject::start(command(&undisturbed)).wait();
            found.extend(stage.unsettled(2, 2));
            found.extend(stage.wrongs());
        }
        if !found.is_empty() {
            let (found, log) = (found.join("\n  "), proxy.show());
            let Done { deed, request, .. } = &done;
            failures.push(format!(
                "{wish:?}, {meddler:?} {side:?} write {number} ({request}; {deed:?}):\n  {found}\n{log}{ended:?}\nagain: {again:?}\n"
            ));
        }
        stage.clear();
    }
    panic!("no end of writes");
}

fn nothing_goes_wrong(wish: Wish, side: Side, meddlers: &[Meddler], least: usize) {
    let meddlers = &sample::cases(meddlers, 2);
    let (_cluster, upstream) = open();
    let started = std::time::Instant::now();
    let results = for_all(meddlers, |&meddler| {
        at_every_write(&upstream, (wish, meddler, side))
    });
    let acted: usize = results.iter().map(|(acted, _)| acted).sum();
    let failures: Vec<String> = results.into_iter().flat_map(|(_, failed)| failed).collect();
    let count = failures.len();
    println!(
        "{wish:?} {side:?}: {acted} meddled runs, {count} went wrong, {} s",
        started.elapsed().as_secs()
    );
    assert!(count == 0, "{count} of {acted}:\n{}", failures.join("\n"));
    assert!(acted >= least * meddlers.len(), "so few writes: {acted}");
}

/// Of the set, and of the members it is about to have.
const OF_THE_SET: [Meddler; 8] = [
    Meddler::Closes,
    Meddler::Lowers,
    Meddler::Raises,
    Meddler::DeletesSet,
    Meddler::RecreatesSet,
    Meddler::TakesName,
    Meddler::AddsMember,
    Meddler::ReconcilesToo,
];

/// Of the member that is about to go, and of the set.
const OF_A_MEMBER: [Meddler; 11] = [
    Meddler::TakesByUid,
    Meddler::TakesByName,
    Meddler::Unlabels,
    Meddler::Keeps,
    Meddler::Retains,
    Meddler::Fills,
    Meddler::Closes,
    Meddler::Raises,
    Meddler::DeletesSet,
    Meddler::RecreatesSet,
    Meddler::ReconcilesToo,
];

/// All of them in a full run, otherwise only those whose changes a request that is sent twice could miss.
fn missed_by_repeats(all: &[Meddler], few: &[Meddler]) -> Vec<Meddler> {
    if sample::is_full() { all } else { few }.to_vec()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn before_every_write_of_a_making() {
    nothing_goes_wrong(Wish::Make, Side::Before, &OF_THE_SET, 3);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn after_every_write_of_a_making_whose_answer_is_lost() {
    let few = [
        Meddler::Closes,
        Meddler::RecreatesSet,
        Meddler::ReconcilesToo,
    ];
    let meddlers = missed_by_repeats(&OF_THE_SET, &few);
    nothing_goes_wrong(Wish::Make, Side::AfterAndLost, &meddlers, 3);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn before_every_write_of_a_deletion() {
    nothing_goes_wrong(Wish::Delete, Side::Before, &OF_A_MEMBER, 3);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn after_every_write_of_a_deletion_whose_answer_is_lost() {
    let few = [
        Meddler::TakesByUid,
        Meddler::TakesByName,
        Meddler::Unlabels,
        Meddler::Keeps,
        Meddler::Retains,
        Meddler::Raises,
    ];
    let meddlers = missed_by_repeats(&OF_A_MEMBER, &few);
    nothing_goes_wrong(Wish::Delete, Side::AfterAndLost, &meddlers, 3);
}
