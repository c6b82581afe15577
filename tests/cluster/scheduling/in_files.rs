//! A batch as objects for files: the state that `stages.rs` reaches with a controller, written down without one. Bound
//! pairs are bound on both sides, volumes have a phase, and every object has a uid. `tests/comparison` reads these files.

use serde_json::{Value, json};

use super::batch::Batch;
use super::claims::set_owner;
use super::world::BIND_COMPLETED;
use crate::cluster::agreement::case::{TERMINATES, VANISHES, fate};

/// The objects of the batch with this number, with at least so many pods under test.
pub(crate) fn objects_in_files(seed: u64, number: usize, pods: usize) -> Vec<Value> {
    let batch = Batch::generate(seed, number, pods);
    let mut pods = batch.gather(|world| &world.pods);
    pods.iter_mut().for_each(add_uid);
    let mut claims = batch.gather(|world| &world.late);
    for claim in &mut claims {
        set_owner(claim, &pods);
    }
    let mut objects = batch.nodes.objects();
    objects.extend(batch.nodes.csi_objects(&batch.limits()));
    objects.extend(batch.gather(|world| &world.settled));
    objects.extend(claims);
    objects.extend(batch.gather(|world| &world.neighbours));
    objects.extend(batch.bystanders.clone());
    objects.extend(pods);
    objects.iter_mut().for_each(add_uid);
    let claims: Vec<Value> = objects
        .iter()
        .filter(|object| object["kind"] == "PersistentVolumeClaim")
        .cloned()
        .collect();
    for object in &mut objects {
        match object["kind"].as_str() {
            Some("PersistentVolume") => complete_volume(object, &claims),
            Some("PersistentVolumeClaim") => complete_claim(object),
            _ => {}
        }
        if fate(object) == TERMINATES {
            object["metadata"]["deletionTimestamp"] = json!("2024-03-01T00:00:00Z");
        }
    }
    objects.retain(|object| fate(object) != VANISHES);
    objects
}

fn add_uid(object: &mut Value) {
    if object["metadata"]["uid"].is_null() {
        let (kind, name) = (&object["kind"], &object["metadata"]["name"]);
        let uid = format!("uid-{}-{}", spelled(kind), spelled(name));
        object["metadata"]["uid"] = json!(uid);
    }
}

fn spelled(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A volume gets its phase, and the uid of the claim that names it.
fn complete_volume(volume: &mut Value, claims: &[Value]) {
    let reference = &volume["spec"]["claimRef"];
    let is_holder = |claim: &&Value| {
        let metadata = &claim["metadata"];
        metadata["name"] == reference["name"] && metadata["namespace"] == reference["namespace"]
    };
    let holder = claims.iter().find(is_holder);
    let phase = match (reference.is_null(), holder) {
        (true, _) => "Available",
        (false, Some(_)) => "Bound",
        (false, None) if reference["uid"].is_null() => "Available",
        (false, None) => "Released",
    };
    volume["status"] = json!({ "phase": phase });
    if let Some(claim) = holder.filter(|claim| claim["spec"]["volumeName"].is_string()) {
        volume["spec"]["claimRef"]["uid"] = claim["metadata"]["uid"].clone();
    }
}

/// A claim that names its volume has completed its bind, unless the world gave it a status.
fn complete_claim(claim: &mut Value) {
    if !claim["status"].is_null() {
        return;
    }
    if claim["spec"]["volumeName"].is_string() {
        claim["metadata"]["annotations"][BIND_COMPLETED] = json!("yes");
        claim["status"] = json!({ "phase": "Bound" });
    } else {
        claim["status"] = json!({ "phase": "Pending" });
    }
}
