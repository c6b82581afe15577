//! Strings of the cluster that mean harm, as far as the API server lets them in: in parameters, options,
//! annotations and labels. They end up in no path, in no command and raw on no terminal.

use std::fs;

use serde_json::{Value, json};

use super::judge::{not_served, wrongs};
use super::scene::{Kind, Scene, TrialNode};
use super::workers::for_all;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::sample;

const OPTIONS: &str = "volume.alpha.kubernetes.io/provisioning-options";
const ALLOWED_OPTIONS: &str = "volume.alpha.kubernetes.io/allowed-provisioning-options";

/// Where a shell, a path or a terminal could be led astray; `YARD` is where the traces would be.
const HOSTILE: [&str; 9] = [
    "../../neighbour/new",
    "YARD/neighbour/new",
    "$(touch YARD/neighbour/new)",
    "`touch YARD/neighbour/new`",
    "; touch YARD/neighbour/new",
    "0750\ntouch YARD/neighbour/new",
    "\u{1b}]0;owned\u{7}\u{1b}[2J",
    "0750\u{202e}",
    "\"}},\"operation\":\"delete\",\"x\":{\"y\":\"",
];

/// Programs a careless provisioner might run, each of which tells on it.
const TRAPS: [&str; 8] = [
    "sh", "bash", "mkdir", "touch", "rm", "chmod", "chown", "mount",
];

/// A PATH on which everything is a trap, and where the traps write.
fn set_traps(scene: &Scene) -> (String, std::path::PathBuf) {
    let folder = scene.yard.root().join("traps");
    fs::create_dir(&folder).unwrap();
    let log = scene.yard.root().join("sprung");
    for name in TRAPS {
        let text = format!("#!/bin/sh\necho {name} \"$@\" >>{}\n", log.display());
        scene.yard.program(&format!("traps/{name}"), &text);
    }
    (folder.to_str().unwrap().to_owned(), log)
}

/// A program that notes how it was started and makes a directory, knowing where its tools are.
fn honest_program(scene: &Scene) -> String {
    let root = scene.yard.root().display();
    let text = format!(
        r#"#!/bin/sh
PATH=/usr/bin:/bin
request=$(cat)
printf 'arguments %s in %s\n' "$#" "$(pwd)" >>{root}/started
case $request in
*'"operation":"capabilities"'*)
    echo '{{"protocol": "kubectl-pv.dev/exec/v1", "operations": ["create", "delete"], "parameters": {{"note": "anything"}}, "options": {{"remark": "anything"}}}}' ;;
*'"operation":"create"'*)
    name=$(printf '%s' "$request" | grep -o '"name":"pvc-[0-9a-f-]*"' | head -n 1 | cut -d'"' -f4)
    mkdir -p "{root}/base/.owners" "{root}/base/$name" && : >"{root}/base/.owners/$name"
    printf '%s' "$request" >{root}/request
    echo '{{"source": {{"hostPath": {{"path": "{root}/base/'"$name"'"}}}}}}' ;;
esac
"#
    );
    let path = scene.yard.program("honest", &text);
    path.to_str().unwrap().to_owned()
}

/// Is it refused, or taken as the harmless text it is?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Refused,
    Served,
    Either,
}

struct Hostile<'a> {
    upstream: &'a Upstream,
    kind: Kind,
    /// Changes class and claim so that the text is in it.
    change: fn(&Scene, &str, &mut Value, &mut Value),
    expected: Expected,
}

impl Hostile<'_> {
    fn problems(&self, text: &str) -> Vec<String> {
        let proxy = Proxy::start(self.upstream.address, Pass);
        let mut scene = Scene::bare(self.upstream.api(), "hostile", self.kind);
        let (path, sprung) = set_traps(&scene);
        let text = &text.replace("YARD", &scene.yard.root().display().to_string());
        if self.kind == Kind::Exec {
            scene.program = Some(honest_program(&scene));
        }
        let (mut class, mut claim) = (scene.class(), scene.claim());
        (self.change)(&scene, text, &mut class, &mut claim);
        scene.api.create(&class);
        scene.api.create(&claim);
        let outside = scene.yard.outside();
        let mut found = Vec::new();
        for arguments in [
            &["data", "--dry-run"][..],
            &["data", "--dry-run", "-o", "yaml"],
            &["data", "--yes"],
        ] {
            let ran = scene
                .ask(proxy.kubeconfig(), arguments)
                .env("PATH", &path)
                .ran();
            let is_expected = match self.expected {
                Expected::Refused => ran.status == 1,
                Expected::Served => ran.status == 0,
                Expected::Either => [0, 1].contains(&ran.status),
            };
            if !is_expected {
                found.push(format!(
                    "{arguments:?}: {} {}{}",
                    ran.status, ran.stdout, ran.stderr
                ));
            }
            for said in [&ran.stdout, &ran.stderr] {
                let is_raw = |one: char| "\u{1b}\u{7}\u{202e}".contains(one);
                if said.contains(is_raw) {
                    found.push(format!("{arguments:?}: raw on the terminal: {said:?}"));
                }
            }
        }
        if scene.yard.outside() != outside {
            found.push(format!("outside: {:?}", scene.yard.outside()));
        }
        if let Ok(sprung) = fs::read_to_string(&sprung) {
            found.push(format!("was run: {sprung}"));
        }
        found.extend(self.started_badly(&scene));
        found.extend(wrongs(&scene));
        let was_made = !scene.volumes().is_empty() || !scene.yard.assets().is_empty();
        match self.expected {
            Expected::Refused if was_made => {
                found.push(format!("something was made: {:?}", scene.yard.inside()));
            }
            Expected::Served => found.extend(not_served(&scene)),
            _ => {}
        }
        scene.clear();
        found
    }

    /// The program itself: without arguments, where the protocol says.
    fn started_badly(&self, scene: &Scene) -> Option<String> {
        if self.kind != Kind::Exec {
            return None;
        }
        let started = fs::read_to_string(scene.yard.root().join("started")).unwrap_or_default();
        let is_right = |line: &str| line == "arguments 0 in /";
        (!started.lines().all(is_right) || started.is_empty())
            .then(|| format!("started: {started}"))
    }
}

fn try_all(kinds: &[Kind], expected: Expected, change: fn(&Scene, &str, &mut Value, &mut Value)) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let hostile: Vec<(Kind, &str)> = kinds
        .iter()
        .flat_map(|&kind| HOSTILE.map(|text| (kind, text)))
        .collect();
    let hostile = sample::cases(&hostile, 6);
    let results = for_all(&hostile, |&(kind, text)| {
        let hostile = Hostile {
            upstream: &upstream,
            kind,
            change,
            expected,
        };
        let found = hostile.problems(text).join("\n  ");
        (!found.is_empty()).then(|| format!("{kind:?}, {text:?}:\n  {found}"))
    });
    let problems: Vec<String> = results.into_iter().flatten().collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn in_the_value_of_a_parameter() {
    try_all(
        &[Kind::HostPath, Kind::Nfs],
        Expected::Refused,
        |_, text, class, _| {
            class["parameters"] = json!({ "mode": text });
        },
    );
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn in_the_key_of_a_parameter() {
    try_all(
        &[Kind::Nfs, Kind::Exec],
        Expected::Refused,
        |_, text, class, _| {
            class["parameters"] = json!({ text: "1" });
        },
    );
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn in_labels_of_the_class() {
    try_all(&[Kind::Nfs], Expected::Refused, |_, text, class, _| {
        class["parameters"] = json!({ "labels": format!("region={text}") });
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn in_an_option() {
    try_all(
        &[Kind::Nfs],
        Expected::Refused,
        |scene, text, class, claim| {
            class["metadata"]["annotations"] = json!({ ALLOWED_OPTIONS: r#"[{"key": "mode"}]"# });
            claim["metadata"]["annotations"] = json!({ OPTIONS: "wishes" });
            scene.api.create(&json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": { "namespace": scene.place.name, "name": "wishes" },
                "data": { "mode": text },
            }));
        },
    );
}

/// The program says that it takes anything: then it gets it, as data.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn in_what_a_program_takes() {
    try_all(
        &[Kind::Exec],
        Expected::Served,
        |scene, text, class, claim| {
            class["parameters"] = json!({ "note": text });
            class["metadata"]["annotations"] = json!({ ALLOWED_OPTIONS: r#"[{"key": "remark"}]"# });
            claim["metadata"]["annotations"] = json!({ OPTIONS: "wishes" });
            scene.api.create(&json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": { "namespace": scene.place.name, "name": "wishes" },
                "data": { "remark": text },
            }));
        },
    );
}

/// Of no consequence, and not copied to the volume.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn in_annotations_of_the_claim() {
    try_all(
        &[Kind::HostPath, Kind::Exec],
        Expected::Served,
        |_, text, class, claim| {
            let hostile = json!({ "path": text, "kubectl-pv.dev/asset": text, "pv.kubernetes.io/name": text });
            class["metadata"]["annotations"] = hostile.clone();
            claim["metadata"]["annotations"] = hostile;
        },
    );
}

/// A node that is named by the claim decides where, and nothing else.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn in_the_selected_node() {
    try_all(&[Kind::Nfs], Expected::Either, |_, text, class, claim| {
        class["volumeBindingMode"] = json!("WaitForFirstConsumer");
        claim["metadata"]["annotations"] = json!({ "volume.kubernetes.io/selected-node": text });
    });
}
