//! Sets that mean harm, from files and, as far as the API server lets them in, live: in names, labels and paths. They end up in no
//! path outside the base directory, in no command, in no volume that nobody could have, and raw on no terminal.

use std::fs;

use serde_json::{Value, json};

use super::stage::{Stage, open};
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_provision::workers::for_all;
use crate::sample;
use crate::support::{Ran, TemporaryFile, kubectl_pv};

/// Where a path, a shell or a terminal could be led astray; `YARD` is where the traces would be.
const HOSTILE: [&str; 18] = [
    "../{ordinal}",
    "../../neighbour/new-{ordinal}",
    "{ordinal}/../../neighbour/new",
    "YARD/neighbour/new-{ordinal}",
    "/{ordinal}",
    ".{ordinal}",
    "..",
    ".kubectl-pv",
    "{ordinal",
    "{{ordinal}}",
    "{ordinal}{ordinal}{set}{set}",
    "{set}",
    "$(touch YARD/neighbour/new)-{ordinal}",
    "; touch YARD/neighbour/new #{ordinal}",
    "\u{1b}]0;owned\u{7}\u{1b}[2J{ordinal}",
    "a\u{202e}{ordinal}",
    "a\n{ordinal}",
    "LONG-{ordinal}",
];

/// Puts a text into a set.
type Put = fn(&mut Value, &str);

const PLACES: [(&str, Put); 6] = [
    ("its name", |set, text| {
        set["metadata"]["name"] = json!(text);
    }),
    ("the name of its members", |set, text| {
        set["spec"]["template"]["metadata"]["name"] = json!(text);
    }),
    ("a label", |set, text| {
        set["spec"]["selector"]["more"] = json!(text);
        set["spec"]["template"]["metadata"]["labels"]["more"] = json!(text);
    }),
    ("the key of a label", |set, text| {
        set["spec"]["selector"][text] = json!("x");
        set["spec"]["template"]["metadata"]["labels"][text] = json!("x");
    }),
    ("an annotation", |set, text| {
        set["spec"]["template"]["metadata"]["annotations"]["note"] = json!(text);
        set["spec"]["template"]["metadata"]["annotations"]["kubectl-pv.dev/set-ordinal"] =
            json!(text);
    }),
    ("a path", |set, text| {
        let spec = set["spec"]["template"]["spec"]
            .as_object_mut()
            .expect("a spec");
        spec.remove("nfs");
        spec.insert("hostPath".to_owned(), json!({ "path": text }));
    }),
];

fn is_raw(one: char) -> bool {
    (one.is_control() && one != '\n') || ('\u{202a}'..='\u{202e}').contains(&one)
}

fn is_plain_name(name: &str) -> bool {
    let is_plain =
        |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || "-.".contains(one);
    name.len() <= 253
        && name.chars().all(is_plain)
        && name.split('.').all(|part| !part.is_empty())
        && !name.starts_with('-')
}

/// A member that nobody could have made by hand, or that lies somewhere unforeseen.
fn bad_volumes(volumes: &[Value]) -> Vec<String> {
    let is_bad = |volume: &&Value| {
        let name = volume["metadata"]["name"].as_str().unwrap_or_default();
        let path = volume["spec"]["hostPath"]["path"].as_str().unwrap_or("/");
        // Where else it may lie the server decides, as for every volume.
        !is_plain_name(name) || path.split('/').any(|part| part == "..")
    };
    let bad = volumes.iter().filter(is_bad);
    bad.map(|volume| format!("a volume that cannot be: {volume}"))
        .collect()
}

fn badly_said(what: &str, ran: &Ran) -> Vec<String> {
    let mut found = Vec::new();
    if ![0, 1, 3].contains(&ran.status) {
        found.push(format!("{what} ends with {}: {}", ran.status, ran.stderr));
    }
    for said in [&ran.stdout, &ran.stderr] {
        if said.contains(is_raw) {
            found.push(format!("{what}: raw on the terminal: {said:?}"));
        }
    }
    found
}

#[derive(Clone)]
struct Case {
    place: &'static str,
    put: Put,
    text: &'static str,
    maker: Option<Kind>,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (place, put) in PLACES {
        for text in HOSTILE {
            // Where a backend makes them the template has no source.
            let maker = (place != "a path").then_some(Kind::HostPath);
            cases.push(Case {
                place,
                put,
                text,
                maker,
            });
        }
    }
    cases
}

impl Case {
    fn set(&self, stage: &Stage) -> Value {
        let root = stage.yard.root().display().to_string();
        let text = self.text.replace("YARD", &root);
        let text = text.replace("LONG", &"l".repeat(260));
        let mut set = stage.set(2, 2);
        (self.put)(&mut set, &text);
        set
    }

    fn played_on_a_file(&self, upstream: &Upstream) -> Vec<String> {
        let stage = Stage::bare(upstream.api(), "hostile", self.maker);
        let outside = stage.yard.outside();
        let set = self.set(&stage);
        let file = TemporaryFile::new("set.json", &set.to_string());
        let backend = format!(
            "trial.example.com/hostpath=hostpath:{}",
            stage.yard.base().display()
        );
        let ask = |words: &[&str]| {
            let mut all = words.to_vec();
            all.extend(["-f", file.path()]);
            if words[0] == "set" {
                all.extend(["--backend", &backend]);
            }
            kubectl_pv(&all).ran()
        };
        let mut found = Vec::new();
        for words in [
            &["set", "status"][..],
            &["set", "reconcile"],
            &["validate", "--offline"],
        ] {
            found.extend(badly_said(&format!("{words:?}"), &ask(words)));
        }
        let played = ask(&["set", "reconcile", "-o", "json"]);
        let objects: Value = serde_json::from_str(&played.stdout).unwrap_or_default();
        let mut volumes = objects["items"].as_array().cloned().unwrap_or_default();
        volumes.retain(|object| object["kind"] == "PersistentVolume");
        found.extend(bad_volumes(&volumes));
        if !stage.yard.inside().is_empty() || stage.yard.outside() != outside {
            found.push(format!("touched: {:?}", stage.yard.inside()));
        }
        stage.place.clear();
        found
    }

    /// Nothing if the server does not let it in.
    fn live(&self, upstream: &Upstream, proxy: &Proxy) -> Option<Vec<String>> {
        let stage = Stage::bare(upstream.api(), "hostile", self.maker);
        let set = self.set(&stage);
        let path = "/apis/kubectl-pv.dev/v1alpha1/persistentvolumesets";
        let created = stage.api.send("POST", path, "application/json", &set);
        if !matches!(created, Ok((201, _))) {
            stage.place.clear();
            return None;
        }
        let outside = stage.yard.outside();
        let name = set["metadata"]["name"].as_str().unwrap_or_default();
        let backend = format!(
            "trial.example.com/hostpath=hostpath:{}",
            stage.yard.base().display()
        );
        let mut found = Vec::new();
        for words in [
            &["status"][..],
            &["reconcile", "--yes"],
            &["status", "-o", "yaml"],
        ] {
            let mut all = vec!["set", words[0], name, "--backend", &backend];
            all.extend(&words[1..]);
            all.extend([
                "--node",
                super::stage::NODE,
                "--kubeconfig",
                proxy.kubeconfig(),
            ]);
            let ran = kubectl_pv(&all).ran();
            let mut wrong = badly_said(&format!("{words:?}"), &ran);
            // What the server refuses as a volume is a change that failed.
            wrong.retain(|wrong| !wrong.contains("ends with 4"));
            found.extend(wrong);
        }
        found.extend(bad_volumes(&stage.volumes()));
        if stage.yard.outside() != outside {
            found.push(format!("outside: {:?}", stage.yard.outside()));
        }
        let names = stage.yard.inside().into_keys();
        let mut names =
            names.map(|name| name.strip_prefix(".kubectl-pv").unwrap_or(&name).to_owned());
        if names.any(|name| !is_plain_name(name.trim_start_matches('/')) && !name.is_empty()) {
            found.push(format!("made {:?}", stage.yard.inside()));
        }
        found.extend(
            fs::read_dir(stage.yard.root())
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .filter(|name| !["base", "neighbour"].contains(&name.as_str()))
                .map(|name| format!("beside the base directory: {name}")),
        );
        stage.place.clear();
        stage.api.delete(&set);
        Some(found)
    }

    fn told(&self, found: &[String]) -> Option<String> {
        let found = found.join("\n  ");
        let (place, text, maker) = (self.place, self.text, self.maker);
        (!found.is_empty()).then(|| format!("{text:?} as {place}, {maker:?}:\n  {found}"))
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn hostile_sets_from_files_touch_nothing() {
    let (_cluster, upstream) = open();
    let cases = sample::cases(&cases(), 24);
    let problems = for_all(&cases, |case| case.told(&case.played_on_a_file(&upstream)));
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    println!("{} hostile sets from files", cases.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn hostile_sets_that_are_let_in_stay_in_the_base_directory() {
    let (_cluster, upstream) = open();
    let proxy = Proxy::start(upstream.address, Pass);
    let cases = sample::cases(&cases(), 24);
    let results = for_all(&cases, |case| {
        let found = case.live(&upstream, &proxy)?;
        Some(case.told(&found))
    });
    let let_in: Vec<Option<String>> = results.into_iter().flatten().collect();
    println!(
        "{} of {} hostile sets are let in",
        let_in.len(),
        cases.len()
    );
    let problems: Vec<String> = let_in.into_iter().flatten().collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
