//! Somebody who may write in the base directory has planted something under the names members will have, or in the place of a
//! member: nothing outside is touched, nothing that somebody else made is adopted or deleted, and the number is passed over.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::stage::{Stage, open};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_provision::yard::Yard;

/// What is planted, given the name of the asset.
type Plant = fn(&Yard, &str);

const PLANTS: [(&str, Plant); 7] = [
    ("a link to a directory", |yard, asset| {
        symlink(yard.neighbour(), yard.base().join(asset)).unwrap();
    }),
    ("a relative link", |yard, asset| {
        symlink("../neighbour", yard.base().join(asset)).unwrap();
    }),
    ("a link to nothing yet", |yard, asset| {
        symlink(yard.neighbour().join("new"), yard.base().join(asset)).unwrap();
    }),
    ("a file", |yard, asset| {
        fs::write(yard.base().join(asset), "mine").unwrap();
    }),
    ("a directory of somebody", |yard, asset| {
        fs::create_dir(yard.base().join(asset)).unwrap();
        fs::write(yard.base().join(asset).join("data"), "mine").unwrap();
    }),
    ("an empty directory of somebody", |yard, asset| {
        fs::create_dir(yard.base().join(asset)).unwrap();
    }),
    ("an asset of another set", |yard, asset| {
        let records = yard.stamp();
        fs::create_dir(yard.base().join(asset)).unwrap();
        let owner = json!({ "set": { "name": "other", "uid": "other", "ordinal": 0 } });
        let text = json!({ "version": 1, "asset": asset, "owner": owner }).to_string();
        fs::write(records.join(format!("{asset}.json")), text).unwrap();
    }),
];

/// What was there is there still, as it was.
fn changed(stage: &Stage, planted: &std::collections::BTreeMap<String, String>) -> Vec<String> {
    let inside = stage.yard.inside();
    let is_other = |(path, thing): &(&String, &String)| inside.get(*path) != Some(*thing);
    let others = planted.iter().filter(is_other);
    others
        .map(|(path, thing)| format!("{path} was {thing} and is {:?}", inside.get(path)))
        .collect()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_planted_under_the_name_of_a_member_is_passed_over() {
    let (_cluster, upstream) = open();
    let proxy = Proxy::start(upstream.address, Pass);
    let mut problems = Vec::new();
    for (what, plant) in PLANTS {
        for kind in [Kind::HostPath, Kind::Nfs] {
            let stage = Stage::create(upstream.api(), "planted", Some(kind), (1, 2));
            plant(&stage.yard, &stage.member_name(0));
            let planted = stage.yard.inside();
            let ran = stage.reconcile(proxy.kubeconfig()).ran();
            let mut found = changed(&stage, &planted);
            let members = stage.members();
            let names: Vec<&str> = members
                .iter()
                .filter_map(|member| member["metadata"]["name"].as_str())
                .collect();
            if ran.status != 0 || names != [stage.member_name(1)] {
                found.push(format!("{} {names:?} {}", ran.status, ran.stderr));
            }
            if !ran.stdout.contains("AssetTaken") {
                found.push("it says nothing".to_owned());
            }
            // Nor does it go when the set shrinks to nothing.
            stage.resize(0, 0);
            for member in stage.members() {
                let change = json!({ "metadata": { "finalizers": null } });
                stage.api.patch(&member, &change);
            }
            let ran = stage.reconcile(proxy.kubeconfig()).ran();
            found.extend(changed(&stage, &planted));
            if ran.status != 0 || !stage.members().is_empty() {
                found.push(format!("not emptied: {} {}", ran.status, ran.stderr));
            }
            if stage.yard.outside().len() != 1 {
                found.push(format!("outside: {:?}", stage.yard.outside()));
            }
            if !found.is_empty() {
                problems.push(format!("{what} ({kind:?}):\n  {}", found.join("\n  ")));
            }
            stage.clear();
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The directory of a member was swapped for something else: it is not ours to delete any more, and nothing behind it is.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_planted_in_the_place_of_a_member_is_not_deleted() {
    let (_cluster, upstream) = open();
    let proxy = Proxy::start(upstream.address, Pass);
    let mut problems = Vec::new();
    for (what, plant) in &PLANTS[..5] {
        for kind in [Kind::HostPath, Kind::Nfs] {
            let stage = Stage::create(upstream.api(), "swapped", Some(kind), (1, 1));
            stage.fill(proxy.kubeconfig());
            fs::remove_dir(stage.asset(0)).unwrap();
            plant(&stage.yard, &stage.member_name(0));
            let planted = stage.yard.inside();
            stage.resize(0, 0);
            let ran = stage.reconcile(proxy.kubeconfig()).ran();
            let mut found = changed(&stage, &planted);
            if stage.yard.outside().len() != 1 {
                found.push(format!("outside: {:?}", stage.yard.outside()));
            }
            let is_going = |volume: &serde_json::Value| super::stage::is_going(volume);
            let members = stage.members();
            if members.is_empty() || members.iter().any(is_going) {
                found.push(format!("the volume goes: {}", ran.stdout));
            }
            if !found.is_empty() {
                problems.push(format!("{what} ({kind:?}):\n  {}", found.join("\n  ")));
            }
            stage.clear();
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// An asset whose volume was deleted by hand, and which another volume stands for now.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn an_asset_that_another_volume_stands_for_is_not_taken_back() {
    let (_cluster, upstream) = open();
    let proxy = Proxy::start(upstream.address, Pass);
    let stage = Stage::create(upstream.api(), "moved", Some(Kind::HostPath), (1, 1));
    stage.fill(proxy.kubeconfig());
    let member = stage.members().remove(0);
    stage.api.delete(&member);
    let mut other = stage.place.volume("moved", "1Gi");
    other["spec"]["hostPath"] = member["spec"]["hostPath"].clone();
    stage.api.create(&other);
    stage.resize(0, 1);
    let ran = stage.reconcile(proxy.kubeconfig()).ran();
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(stage.asset(0).exists(), "{}", ran.stdout);
    stage.resize(1, 1);
    let ran = stage.reconcile(proxy.kubeconfig()).ran();
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let paths: Vec<_> = stage
        .members()
        .iter()
        .map(|volume| volume["spec"]["hostPath"]["path"].clone())
        .collect();
    assert_eq!(paths, [json!(stage.asset(1))], "two volumes, one directory");
    stage.clear();
}
