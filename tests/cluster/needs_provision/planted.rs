//! Somebody who may write in the base directory has planted something under the name the asset will have,
//! which is known before: nothing outside the base directory is made, changed or removed, and what
//! was planted is left.

use std::fs;
use std::os::unix::fs::symlink;

use super::scene::{Kind, Scene, TrialNode};
use super::yard::Yard;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;

/// What is planted, given the name of the asset.
type Plant = fn(&Yard, &str);

const PLANTS: &[(&str, &[Kind], Plant)] = &[
    ("a link to a directory", &Kind::ALL, |yard, asset| {
        symlink(yard.neighbour(), yard.base().join(asset)).unwrap();
    }),
    ("a relative link", &Kind::ALL, |yard, asset| {
        symlink("../neighbour", yard.base().join(asset)).unwrap();
    }),
    ("a link to nothing yet", &Kind::ALL, |yard, asset| {
        symlink(yard.neighbour().join("new"), yard.base().join(asset)).unwrap();
    }),
    ("a file", &Kind::ALL, |yard, asset| {
        fs::write(yard.base().join(asset), "mine").unwrap();
    }),
    ("a directory of somebody", &Kind::ALL, |yard, asset| {
        fs::create_dir(yard.base().join(asset)).unwrap();
        fs::write(yard.base().join(asset).join("data"), "mine").unwrap();
    }),
    (
        "an empty directory of somebody",
        &Kind::ALL,
        |yard, asset| {
            fs::create_dir(yard.base().join(asset)).unwrap();
        },
    ),
    (
        "a link for our records",
        &[Kind::HostPath, Kind::Nfs],
        |yard, _| symlink(yard.neighbour(), yard.base().join(".kubectl-pv")).unwrap(),
    ),
    (
        "a link for our records to nothing yet",
        &[Kind::HostPath, Kind::Nfs],
        |yard, _| {
            symlink(
                yard.neighbour().join("new"),
                yard.base().join(".kubectl-pv"),
            )
            .unwrap();
        },
    ),
    (
        "a link for the record",
        &[Kind::HostPath, Kind::Nfs],
        |yard, asset| {
            let records = yard.stamp();
            let record = records.join(format!("{asset}.json"));
            symlink(yard.neighbour().join("treasure"), record).unwrap();
        },
    ),
    (
        "a record of somebody else",
        &[Kind::HostPath, Kind::Nfs],
        |yard, asset| {
            let records = yard.stamp();
            fs::create_dir(yard.base().join(asset)).unwrap();
            let text = format!(
                r#"{{"version":1,"asset":"{asset}","owner":{{"claim":{{"namespace":"n","name":"c","uid":"other"}}}}}}"#
            );
            fs::write(records.join(format!("{asset}.json")), text).unwrap();
        },
    ),
    (
        "a link for the program's records",
        &[Kind::Exec],
        |yard, _| {
            symlink(yard.neighbour(), yard.base().join(".owners")).unwrap();
        },
    ),
];

#[test]
#[ignore = "needs a control plane: tests/run"]
fn nothing_outside_is_touched_and_nothing_planted_is_taken() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let _node = TrialNode::create(upstream.api());
    let proxy = Proxy::start(upstream.address, Pass);
    let mut problems = Vec::new();
    for (what, kinds, plant) in PLANTS {
        for &kind in *kinds {
            let scene = Scene::create(upstream.api(), "planted", kind);
            let asset = format!("pvc-{}", scene.uid());
            plant(&scene.yard, &asset);
            let planted = scene.yard.inside();
            let outside = scene.yard.outside();
            let ran = scene.provision(proxy.kubeconfig(), &["data"]).ran();
            let mut found = Vec::new();
            // 3: what is planted is seen before anything is sent.
            if ![1, 3, 4].contains(&ran.status) {
                found.push(format!("it ends with {}: {}", ran.status, ran.stderr));
            }
            let is_taken = planted.contains_key(&asset) && kind != Kind::Exec;
            if is_taken && !ran.stderr.contains("AssetTaken") {
                found.push(format!("no code: {}", ran.stderr));
            }
            if ran.stderr.trim().is_empty() {
                found.push("it says nothing".to_owned());
            }
            if scene.yard.outside() != outside {
                found.push(format!("outside: {:?}", scene.yard.outside()));
            }
            let inside = scene.yard.inside();
            for (path, thing) in &planted {
                if inside.get(path) != Some(thing) {
                    found.push(format!("{path} was {thing} and is {:?}", inside.get(path)));
                }
            }
            let is_new = |path: &&String| !planted.contains_key(*path) && !path.starts_with('.');
            found.extend(
                inside
                    .keys()
                    .filter(is_new)
                    .map(|path| format!("made {path}")),
            );
            if !scene.volumes().is_empty() {
                found.push("a volume".to_owned());
            }
            if scene.yard.records().len() > planted.len() {
                found.push(format!("a record: {:?}", scene.yard.records()));
            }
            let events = scene.events();
            let is_reported = events
                .iter()
                .any(|event| event["reason"] == "ProvisioningFailed");
            if ran.status != 3 && !is_reported {
                found.push(format!("no event: {events:?}"));
            }
            if !found.is_empty() {
                problems.push(format!("{what} ({kind:?}):\n  {}", found.join("\n  ")));
            }
            scene.clear();
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
