//! `set reconcile` with faults in a fifth of all its requests: nearly all end well, each other one is finished by the very command it
//! printed, and the end is always right. `KUBECTL_PV_FAULTY_SETS` says how many (40).

use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::stage::{Maker, Stage, open};
use crate::cluster::faults::chance::{Chance, Fault};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::faults::subject::{Ended, Subject};
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_provision::workers::for_all;
use crate::sample;

fn operations() -> usize {
    sample::rounds_of("KUBECTL_PV_FAULTY_SETS", 40, 12)
}

/// The command that is to finish what is open, as it was printed.
fn finish_with(ended: &Ended) -> Option<String> {
    let outcome: Value = serde_json::from_str(&ended.stdout).ok()?;
    outcome["finishWith"].as_str().map(str::to_owned)
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn reconciles_with_faults_in_a_fifth_of_their_requests() {
    let (_cluster, upstream) = open();
    let started = std::time::Instant::now();
    let operations = operations();
    let makers: [Maker; 4] = [
        Some(Kind::HostPath),
        Some(Kind::Nfs),
        Some(Kind::Exec),
        None,
    ];
    let undisturbed = Proxy::start(upstream.address, Pass);
    let cases: Vec<(usize, Maker)> = (0..operations).map(|at| (at, makers[at % 4])).collect();
    // Every other one has too many; what has no backend never deletes.
    let stages = for_all(&cases, |&(at, maker)| {
        let deletes = at / 4 % 2 == 1 && maker.is_some();
        let size = if deletes { 4 } else { 2 };
        let stage = Stage::create(upstream.api(), "faulty", maker, (size, size));
        if deletes {
            stage.fill(undisturbed.kubeconfig());
            stage.resize(2, 2);
        }
        stage
    });
    let chance = Arc::new(Chance::new(20, 5));
    let proxy = Proxy::start(upstream.address, Arc::clone(&chance));
    let untrue = Mutex::new(Vec::new());
    let reconcile = |stage: &Stage| {
        let timeout = ["--yes", "-o", "json", "--timeout", "30s"];
        let run = stage.ask(proxy.kubeconfig(), "reconcile", &timeout);
        let site = stage.site();
        let before = site.read();
        let ended = Subject::start(run.command()).wait();
        let found = site.false_report(&before, &ended, &[]).into_iter();
        let told = found.map(|wrong| format!("{:?}: {wrong}: {ended:?}", stage.maker));
        untrue.lock().unwrap().extend(told);
        ended
    };
    let unfinished = Mutex::new(Vec::new());
    let numbers: Vec<usize> = (0..stages.len()).collect();
    for_all(&numbers, |&number| {
        let stage = &stages[number];
        let ended = reconcile(stage);
        if ended.status != Some(0) {
            unfinished.lock().unwrap().push((stage, ended));
        }
    });
    let counts = chance.counts();
    chance.stop();
    let unfinished = unfinished.into_inner().unwrap();
    let missed = unfinished.len();
    println!("{missed} of {operations} did not end with 0; {counts:?}");
    let mut problems = Vec::new();
    for (stage, ended) in &unfinished {
        println!("{:?}: {:?}: {}", stage.maker, ended.status, ended.stderr);
        let command = finish_with(ended).filter(|_| ended.status == Some(4));
        let again = match &command {
            Some(command) => {
                let site = stage.site();
                let before = site.read();
                let again = stage.paste(command, proxy.kubeconfig());
                problems.extend(site.false_report(&before, &again, &[]));
                again
            }
            // Nothing was written: then it is the same command again.
            None if ended.status == Some(3) => reconcile(stage),
            None => {
                problems.push(format!("says nothing of how to finish: {ended:?}"));
                continue;
            }
        };
        if again.status != Some(0) {
            problems.push(format!(
                "{ended:?}\nis not finished by {command:?}: {again:?}"
            ));
        }
    }
    problems.append(&mut untrue.lock().unwrap());
    for stage in &stages {
        let mut wrong = stage.wrongs();
        wrong.extend(stage.unsettled(2, 2));
        problems.extend(
            wrong
                .iter()
                .map(|wrong| format!("{:?}: {wrong}", stage.maker)),
        );
        stage.clear();
    }
    println!("{operations} in {} s", started.elapsed().as_secs());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        sample::is_few(missed, operations, 10),
        "{missed} of {operations}"
    );
    assert_eq!(
        counts.len(),
        Fault::ALL.len(),
        "every fault has happened: {counts:?}"
    );
}
