//! What no `provision`, whole, broken or disturbed, may leave behind: beside the contradictions between
//! claims and volumes, an asset without a volume, a volume without an asset, a record of nothing, or
//! the same event twice.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::scene::Scene;
use crate::cluster::faults::consistency::contradictions;

/// All that is wrong, a sentence each.
pub(super) fn wrongs(scene: &Scene) -> Vec<String> {
    let mut found = contradictions(&scene.place.storage());
    found.extend(leaks(scene));
    found.extend(repeated_events(scene));
    found
}

/// Assets, records and volumes that do not belong together.
pub(super) fn leaks(scene: &Scene) -> Vec<String> {
    let (going, staying): (Vec<Value>, Vec<Value>) = scene.made().into_iter().partition(is_going);
    let volumes: BTreeSet<String> = staying.iter().map(asset_of).collect();
    let assets: BTreeSet<String> = scene.yard.assets().into_iter().collect();
    let records: BTreeSet<String> = scene.yard.records().into_iter().collect();
    let mut found = Vec::new();
    let mut missing = |of: &BTreeSet<String>, among: &BTreeSet<String>, what: &str| {
        found.extend(of.difference(among).map(|name| format!("{name}: {what}")));
    };
    missing(&assets, &volumes, "an asset without a volume");
    missing(&volumes, &assets, "a volume without an asset");
    missing(&assets, &records, "an asset without a record");
    missing(&records, &assets, "a record of no asset");
    let held = |volume: &&Value| {
        let finalizers = volume["metadata"]["finalizers"].as_array();
        finalizers.is_some_and(|held| held.contains(&json!("kubectl-pv.dev/asset")))
    };
    let held = going.iter().filter(held).map(asset_of);
    found.extend(held.map(|name| format!("{name}: we hold a volume that is to go")));
    found
}

/// Deleted but for a finalizer of the cluster's, which its controller takes away when there is one.
fn is_going(volume: &Value) -> bool {
    volume["metadata"]["deletionTimestamp"].is_string()
}

/// The last part of the path a volume points to.
pub(super) fn asset_of(volume: &Value) -> String {
    let spec = &volume["spec"];
    let path = spec["hostPath"]["path"]
        .as_str()
        .or(spec["nfs"]["path"].as_str());
    let name = path.and_then(|path| path.rsplit('/').next());
    name.unwrap_or("<no path>").to_owned()
}

/// Events that say the same about the same claim.
pub(super) fn repeated_events(scene: &Scene) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for event in scene.events() {
        let part = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let said = [
            part(&event["involvedObject"]["uid"]),
            part(&event["reason"]),
            part(&event["message"]),
        ];
        if !seen.insert(said.clone()) {
            found.push(format!("said twice: {said:?}"));
        }
    }
    found
}

/// Is the claim `data` bound to the volume made for it?
pub(super) fn not_served(scene: &Scene) -> Vec<String> {
    let claim = scene.found_claim();
    let uid = claim["metadata"]["uid"].as_str().unwrap_or_default();
    let is_bound = claim["status"]["phase"] == "Bound";
    let is_its_own = claim["spec"]["volumeName"] == format!("pvc-{uid}");
    if is_bound && is_its_own {
        return Vec::new();
    }
    vec![format!(
        "the claim {uid} has {} and is {}",
        claim["spec"]["volumeName"], claim["status"]
    )]
}
