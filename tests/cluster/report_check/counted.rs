//! Several runs of one command at once, for people: what their first lines count adds up to what was done.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::gate::Gate;
use crate::cluster::faults::place::Place;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::subject::Subject;
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_provision::yard::Yard;
use crate::cluster::needs_reclaim::trial::Trial;
use crate::sample;
use crate::support::kubectl_pv;

const RUNS: usize = 3;
const OBJECTS: usize = 6;
const LIMIT: Duration = Duration::from_secs(30);

/// The sum of what a first line counts as done: `2 claims were bound; 1 is skipped.` is 2.
fn counted(line: &str) -> usize {
    let parts = line.split([',', ';']);
    let is_done = |part: &&str| {
        let words = [" was ", " were "];
        words.iter().any(|word| part.contains(word))
            && !part.contains(" not")
            && !part.contains("skipped")
    };
    let done = parts.filter(is_done);
    let number = |part: &str| part.split_whitespace().next()?.parse::<usize>().ok();
    done.filter_map(number).sum()
}

/// Starts the runs, lets them write at once, and answers the sum of their counts and what they printed.
fn at_once(upstream: &Upstream, command: impl Fn(&str) -> Command) -> (usize, String) {
    let gate = Arc::new(Gate::default());
    let proxy = Proxy::start(upstream.address, Arc::clone(&gate));
    let runs: Vec<Arc<Subject>> = (0..RUNS)
        .map(|_| Subject::start(command(proxy.kubeconfig())))
        .collect();
    gate.wait_for(RUNS, LIMIT);
    gate.open();
    let ended: Vec<_> = runs.iter().map(|run| run.wait()).collect();
    let first = |text: &str| counted(text.lines().next().unwrap_or_default());
    let sum = ended.iter().map(|one| first(&one.stdout)).sum();
    (sum, format!("{ended:#?}"))
}

#[test]
fn counts_are_found_in_first_lines() {
    for (line, count) in [
        ("3 volumes were provisioned and bound.", 3),
        ("1 volume was deleted with its data, 1 was not.", 1),
        ("2 claims are unfinished; 1 claim was bound.", 1),
        (
            "1 volume was deleted with its data, 5 volumes were skipped.",
            1,
        ),
        ("Nothing was changed: 4 volumes were skipped.", 0),
        ("Nothing to do; 1 is bound already.", 0),
    ] {
        assert_eq!(counted(line), count, "{line}");
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn binds() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    for _ in 0..sample::rounds(20, 3) {
        let place = Place::create(upstream.api(), "counted");
        for number in 0..OBJECTS {
            upstream
                .api()
                .create(&place.volume(&format!("v{number}"), "1Gi"));
            upstream
                .api()
                .create(&place.claim(&format!("c{number}"), "1Gi"));
        }
        let (sum, said) = at_once(&upstream, |kubeconfig| {
            let words = ["bind", "-n", &place.name, "--yes"];
            kubectl_pv(&words).env("KUBECONFIG", kubeconfig).command()
        });
        assert_eq!(sum, OBJECTS, "{said}");
        place.clear();
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn provisions() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    for _ in 0..sample::rounds(20, 3) {
        let (place, yard) = (Place::create(upstream.api(), "counted"), Yard::new());
        let class = serde_json::json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": place.name }, "provisioner": Kind::Nfs.provisioner(),
        });
        upstream.api().create(&class);
        for number in 0..OBJECTS {
            upstream
                .api()
                .create(&place.claim(&format!("c{number}"), "1Gi"));
        }
        let target = format!(
            "nfs:filer.example.com:{}@{}",
            yard.export(),
            yard.base().display()
        );
        let backend = format!("{}={target}", Kind::Nfs.provisioner());
        let (sum, said) = at_once(&upstream, |kubeconfig| {
            let words = [
                "provision",
                "-n",
                &place.name,
                "--backend",
                &backend,
                "--yes",
            ];
            kubectl_pv(&words).env("KUBECONFIG", kubeconfig).command()
        });
        assert_eq!(sum, OBJECTS, "{said}");
        place.clear();
        upstream.api().delete(&class);
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn reclaims() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    for policy in ["Delete", "Retain"] {
        for _ in 0..sample::rounds(20, 3) {
            let trial = Trial::create(upstream.api(), "counted", Kind::HostPath);
            for number in 0..OBJECTS {
                trial.released(&format!("v{number}"), policy);
            }
            let mut words = ["--all-released", "--class", &trial.place.name]
                .map(str::to_owned)
                .to_vec();
            if policy == "Retain" {
                words.push("--reuse".to_owned());
            }
            let (sum, said) = at_once(&upstream, |kubeconfig| {
                trial.reclaim_in_text(kubeconfig, &words).command()
            });
            assert_eq!(sum, OBJECTS, "{policy}: {said}");
            trial.clear();
        }
    }
}
