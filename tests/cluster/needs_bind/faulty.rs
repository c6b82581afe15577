//! `bind` with faults in a fifth of all its requests: nearly all end well, each other one is finished by
//! the very command it printed, and nothing is lost. `KUBECTL_PV_FAULTY_BINDS` says how many.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use super::{bind, paste, unbound};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::chance::{Chance, Fault};
use crate::cluster::faults::consistency::contradictions;
use crate::cluster::faults::place::Place;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::subject::{Ended, Subject};
use crate::sample;

const AT_ONCE: usize = 6;

/// The command that is to finish what is open, as it was printed.
fn finish_with(ended: &Ended) -> Option<String> {
    let outcome: Value = serde_json::from_str(&ended.stdout).ok()?;
    outcome["finishWith"].as_str().map(str::to_owned)
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn binds_with_faults_in_a_fifth_of_their_requests() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let operations = sample::rounds_of("KUBECTL_PV_FAULTY_BINDS", 300, 40);
    let places: Vec<Place> = (0..operations)
        .map(|_| {
            let place = Place::create(upstream.api(), "faulty");
            upstream.api().create(&place.volume("one", "1Gi"));
            upstream.api().create(&place.claim("data", "1Gi"));
            place
        })
        .collect();
    let chance = Arc::new(Chance::new(20, 1));
    let proxy = Proxy::start(upstream.address, Arc::clone(&chance));
    let waiting = Mutex::new(places.iter().collect::<VecDeque<_>>());
    let unfinished = Mutex::new(Vec::new());
    let untrue = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(place) = { waiting.lock().unwrap().pop_front() } {
                    let site = place.site(&[]);
                    let before = site.read();
                    let ended = Subject::start(bind(place, &proxy, &["data"])).wait();
                    let found = site.false_report(&before, &ended, &[]);
                    let told = found.iter().map(|wrong| format!("{wrong}: {ended:?}"));
                    untrue.lock().unwrap().extend(told);
                    if ended.status != Some(0) {
                        unfinished.lock().unwrap().push((place, ended));
                    }
                }
            });
        }
    });
    let counts = chance.counts();
    chance.stop();
    let mut problems = untrue.into_inner().unwrap();
    let unfinished = unfinished.into_inner().unwrap();
    println!(
        "{} of {operations} binds did not end with 0; {counts:?}",
        unfinished.len()
    );
    for (place, ended) in &unfinished {
        let command = finish_with(ended).filter(|_| ended.status == Some(4));
        let site = place.site(&[]);
        let before = site.read();
        let again = match &command {
            Some(command) => paste(command, proxy.kubeconfig()),
            // Nothing was written: then it is the same command again.
            None if ended.status == Some(3) => {
                Subject::start(bind(place, &proxy, &["data"])).wait()
            }
            None => {
                problems.push(format!("says nothing of how to finish: {ended:?}"));
                continue;
            }
        };
        problems.extend(site.false_report(&before, &again, &[]));
        if again.status != Some(0) {
            problems.push(format!(
                "{ended:?}\nis not finished by {command:?}: {again:?}"
            ));
        }
    }
    for place in &places {
        let storage = place.storage();
        problems.extend(contradictions(&storage));
        problems.extend(unbound(&storage));
        place.clear();
    }
    assert!(
        problems.is_empty(),
        "{}\n{}",
        problems.join("\n"),
        proxy.show()
    );
    assert!(
        sample::is_few(unfinished.len(), operations, 20),
        "{} of {operations}",
        unfinished.len()
    );
    assert_eq!(
        counts.len(),
        Fault::ALL.len(),
        "every fault has happened: {counts:?}"
    );
}
