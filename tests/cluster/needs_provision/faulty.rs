//! `provision` with faults in a fifth of all its requests: nearly all end well, each other one is
//! finished by the very command it printed, and nothing is lost or left over.
//! `KUBECTL_PV_FAULTY_PROVISIONS` says how many (60).

use std::collections::VecDeque;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use super::judge::{not_served, wrongs};
use super::scene::{Kind, Scene, TrialNode};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::chance::{Chance, Fault};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::subject::{Ended, Subject};
use crate::sample;

const AT_ONCE: usize = 6;

fn operations() -> usize {
    sample::rounds_of("KUBECTL_PV_FAULTY_PROVISIONS", 60, 18)
}

/// The command that is to finish what is open, as it was printed.
fn finish_with(ended: &Ended) -> Option<String> {
    let outcome: Value = serde_json::from_str(&ended.stdout).ok()?;
    outcome["finishWith"].as_str().map(str::to_owned)
}

/// Runs a printed command as a person who pastes it, with our program as `kubectl pv`; it prints its Outcome.
fn paste(command: &str, scene: &Scene, kubeconfig: &str) -> Ended {
    let program = Path::new(env!("CARGO_BIN_EXE_kubectl-pv"));
    let mut shell = Command::new("bash");
    shell
        .arg("-c")
        .arg(format!(
            "kubectl() {{ shift; \"$PROGRAM\" \"$@\" -o json --yes; }}\n{command}"
        ))
        .env("PROGRAM", program)
        .env("KUBECONFIG", kubeconfig)
        .env("KUBECTL_PV_POOL", scene.yard.base());
    Subject::start(shell).wait()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn provisions_with_faults_in_a_fifth_of_their_requests() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let operations = operations();
    let kinds = Kind::ALL.into_iter().cycle();
    let scenes: Vec<Scene> = kinds
        .take(operations)
        .map(|kind| Scene::create(upstream.api(), "faulty", kind))
        .collect();
    let chance = Arc::new(Chance::new(20, 1));
    let proxy = Proxy::start(upstream.address, Arc::clone(&chance));
    let untrue = Mutex::new(Vec::new());
    let provision = |scene: &Scene| {
        let (site, command) = (scene.site(), scene.provision(proxy.kubeconfig(), &["data"]));
        let before = site.read();
        let ended = Subject::start(command.command()).wait();
        let found = site.false_report(&before, &ended, &[]).into_iter();
        let told = found.map(|wrong| format!("{wrong}: {ended:?}"));
        untrue.lock().unwrap().extend(told);
        ended
    };
    let waiting = Mutex::new(scenes.iter().collect::<VecDeque<_>>());
    let unfinished = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(scene) = { waiting.lock().unwrap().pop_front() } {
                    let ended = provision(scene);
                    if ended.status != Some(0) {
                        unfinished.lock().unwrap().push((scene, ended));
                    }
                }
            });
        }
    });
    let counts = chance.counts();
    chance.stop();
    let unfinished = unfinished.into_inner().unwrap();
    println!(
        "{} of {operations} provisions did not end with 0; {counts:?}",
        unfinished.len()
    );
    let mut problems = Vec::new();
    problems.append(&mut untrue.lock().unwrap());
    for (scene, ended) in &unfinished {
        println!("{:?}: {}", ended.status, ended.stderr);
        let command = finish_with(ended).filter(|_| ended.status == Some(4));
        let again = match &command {
            Some(command) => {
                let site = scene.site();
                let before = site.read();
                let again = paste(command, scene, proxy.kubeconfig());
                problems.extend(site.false_report(&before, &again, &[]));
                again
            }
            // Nothing was written: then it is the same command again.
            None if ended.status == Some(3) => provision(scene),
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
    for scene in &scenes {
        problems.extend(wrongs(scene));
        problems.extend(not_served(scene));
    }
    let missed = unfinished.len();
    drop(unfinished);
    for scene in scenes {
        scene.clear();
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
