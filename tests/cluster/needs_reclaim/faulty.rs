//! `reclaim` with faults in a fifth of all its requests: nearly all end well, each other one is finished by the very command it
//! printed, and no asset, volume or lock is left over. `KUBECTL_PV_FAULTY_RECLAIMS` says how many (60).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use super::trial::Trial;
use super::wish::{Wish, leftovers};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::chance::{Chance, Fault};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::subject::{Ended, Subject};
use crate::cluster::needs_provision::scene::Kind;
use crate::sample;

const AT_ONCE: usize = 6;

fn operations() -> usize {
    sample::rounds_of("KUBECTL_PV_FAULTY_RECLAIMS", 60, 18)
}

/// The command that is to finish what is open, as it was printed.
fn finish_with(ended: &Ended) -> Option<String> {
    let outcome: Value = serde_json::from_str(&ended.stdout).ok()?;
    outcome["finishWith"].as_str().map(str::to_owned)
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn reclaims_with_faults_in_a_fifth_of_their_requests() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let operations = operations();
    let wishes = Wish::ALL.into_iter().cycle();
    let kinds = Kind::ALL.into_iter().cycle();
    let trials: Vec<(Wish, Trial)> = wishes
        .zip(kinds)
        .take(operations)
        .map(|(wish, kind)| {
            let trial = Trial::create(upstream.api(), "faulty", kind);
            trial.released("v", wish.policy());
            (wish, trial)
        })
        .collect();
    let chance = Arc::new(Chance::new(20, 7));
    let proxy = Proxy::start(upstream.address, Arc::clone(&chance));
    let untrue = Mutex::new(Vec::new());
    let reclaim = |wish: Wish, trial: &Trial| {
        let run = trial.reclaim(proxy.kubeconfig(), &wish.arguments(trial));
        let site = trial.site();
        let before = site.read();
        let ended = Subject::start(run.command()).wait();
        let found = site.false_report(&before, &ended, &[]).into_iter();
        let told = found.map(|wrong| format!("{wish:?}: {wrong}: {ended:?}"));
        untrue.lock().unwrap().extend(told);
        ended
    };
    let waiting = Mutex::new(trials.iter().collect::<VecDeque<_>>());
    let unfinished = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((wish, trial)) = { waiting.lock().unwrap().pop_front() } {
                    let ended = reclaim(*wish, trial);
                    if ended.status != Some(0) {
                        unfinished.lock().unwrap().push((*wish, trial, ended));
                    }
                }
            });
        }
    });
    let counts = chance.counts();
    chance.stop();
    let unfinished = unfinished.into_inner().unwrap();
    let missed = unfinished.len();
    println!("{missed} of {operations} did not end with 0; {counts:?}");
    let mut problems = Vec::new();
    for (wish, trial, ended) in &unfinished {
        println!("{wish:?}: {:?}: {}", ended.status, ended.stderr);
        let command = finish_with(ended).filter(|_| ended.status == Some(4));
        let again = match &command {
            Some(command) => {
                let site = trial.site();
                let before = site.read();
                let again = trial.paste(command, proxy.kubeconfig());
                problems.extend(site.false_report(&before, &again, &[]));
                again
            }
            // Nothing was written: then it is the same command again.
            None if ended.status == Some(3) => reclaim(*wish, trial),
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
    drop(unfinished);
    problems.append(&mut untrue.lock().unwrap());
    for (wish, trial) in &trials {
        problems.extend(wish.unmet(trial, "v"));
        problems.extend(leftovers(trial));
    }
    for (_, trial) in trials {
        trial.clear();
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        sample::is_few(missed, operations, 20),
        "{missed} of {operations}"
    );
    assert_eq!(
        counts.len(),
        Fault::ALL.len(),
        "every fault has happened: {counts:?}"
    );
}
