//! `kubectl pv bind` against the real API server while things go wrong: killed at every request,
//! meddled with at every write, with faults in a fifth of its requests, and ten at once beside the
//! real controller.

mod faulty;
mod killed;
mod manners;
mod meddled;
mod refused;
mod ten_at_once;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::faults::place::Place;
use super::faults::proxy::Proxy;
use super::faults::subject::{Ended, Subject};
use crate::support::kubectl_pv;

/// `kubectl pv bind …` in a place, through a proxy. The kubeconfig comes from the environment, so that
/// a command the program prints works as it stands.
fn bind(place: &Place, proxy: &Proxy, arguments: &[&str]) -> Command {
    let mut all = vec!["bind"];
    all.extend(arguments);
    all.extend(["-n", &place.name, "--yes", "-o", "json"]);
    kubectl_pv(&all)
        .env("KUBECONFIG", proxy.kubeconfig())
        .command()
}

/// Runs a printed command as a person who pastes it, with our program as `kubectl pv`; it prints its Outcome.
fn paste(command: &str, kubeconfig: &str) -> Ended {
    let program = Path::new(env!("CARGO_BIN_EXE_kubectl-pv"));
    let mut shell = Command::new("bash");
    shell
        .arg("-c")
        .arg(format!(
            "kubectl() {{ shift; \"$PROGRAM\" \"$@\" -o json --yes; }}\n{command}"
        ))
        .env("PROGRAM", program)
        .env("KUBECONFIG", kubeconfig);
    Subject::start(shell).wait()
}

/// The claims of a place that are not Bound.
fn unbound(objects: &[Value]) -> Vec<String> {
    let is_unbound = |object: &&Value| {
        object["kind"] == "PersistentVolumeClaim" && object["status"]["phase"] != "Bound"
    };
    let unbound = objects.iter().filter(is_unbound);
    unbound
        .map(|claim| format!("{} is {}", claim["metadata"]["name"], claim["status"]))
        .collect()
}
