//! Orders of attempts without a control plane: the state of a disagreement that was found on a busy
//! machine, with the outcomes that a scheduler may leave, and with some that it cannot.
//!
//! Three pods want two volumes: `alone` uses the claim `large`, `both` uses `small` and `large`, and
//! `third` uses a claim of its own. Tried first, `both` would get `v3` for `small` and `v5` for `large`.
//! Here `alone` was tried first and chose `v3` for `large`, so that `both` got `v5` for `small`.

use serde_json::{Value, json};

use super::deed::Turn;
use super::sequence::Sequence;
use super::snapshot::Snapshot;
use super::world::{World, pod};
use crate::cluster::agreement::case::CASE;

const WORLD: &str = "w";
const NO_VOLUME: &str = "0/1 nodes are available: 1 node(s) didn't find available persistent volumes to \
     bind. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not \
     helpful for scheduling.";

/// The messages of the scheduler about one pod: the first one, in the event, and the last one.
type Refusals<'a> = Option<(&'a str, &'a str)>;

#[test]
fn a_pod_with_a_conflict_may_have_chosen_first() {
    // `both` wrote v3 for the shared claim before `alone` did, as in the disagreement.
    let conflict = conflict_over("v3");
    let alone = Some((conflict.as_str(), conflict.as_str()));
    let third = Some((NO_VOLUME, NO_VOLUME));
    assert!(is_explained(alone, None, third));
}

#[test]
fn a_pod_with_a_conflict_may_have_chosen_last() {
    // `alone` wrote v3 first, and `both` was refused after it had written v5.
    let conflict = conflict_over("v3");
    let both = Some((conflict.as_str(), conflict.as_str()));
    let third = Some((NO_VOLUME, NO_VOLUME));
    assert!(is_explained(None, both, third));
}

#[test]
fn a_returned_volume_may_look_free_until_the_cache_has_caught_up() {
    let conflict = conflict_over("v3");
    let alone = Some((conflict.as_str(), conflict.as_str()));
    let third = Some((conflict.as_str(), NO_VOLUME));
    assert!(is_explained(alone, None, third));
}

#[test]
fn pods_without_conflicts_are_explained_by_their_order() {
    assert!(is_explained(None, None, Some((NO_VOLUME, NO_VOLUME))));
}

#[test]
fn a_conflict_over_a_volume_that_is_never_chosen_is_not_explained() {
    let conflict = conflict_over("v5");
    let alone = Some((conflict.as_str(), conflict.as_str()));
    assert!(!is_explained(alone, None, Some((NO_VOLUME, NO_VOLUME))));
}

#[test]
fn a_conflict_over_a_volume_that_never_looked_free_is_not_explained() {
    // No write of v3 was refused before, so the cache never had it without its claim.
    let conflict = conflict_over("v3");
    assert!(!is_explained(None, None, Some((&conflict, NO_VOLUME))));
}

#[test]
fn a_refusal_in_other_words_is_not_explained() {
    let conflict = conflict_over("v3");
    let alone = Some((conflict.as_str(), conflict.as_str()));
    let words = "0/1 nodes are available: 1 node(s) had no available disk.";
    assert!(!is_explained(alone, None, Some((words, words))));
}

fn conflict_over(volume: &str) -> String {
    format!(
        "running PreBind plugin \"VolumeBinding\": Operation cannot be fulfilled on persistentvolumes \
         \"{volume}\": the object has been modified; please apply your changes to the latest version \
         and try again"
    )
}

/// Whether some order explains that `large` got v3 and `small` got v5, with these refusals of `alone`,
/// `both` and `third`.
fn is_explained(alone: Refusals, both: Refusals, third: Refusals) -> bool {
    let world = World::new(WORLD.to_owned(), "ns", "competition");
    let before = Snapshot::of(&objects(&world));
    let mut tried = objects(&world);
    for (pod, refusals) in [("alone", alone), ("both", both), ("third", third)] {
        if let Some((first, last)) = refusals {
            tried.push(event(pod, first));
            let conditions =
                json!([{ "type": "PodScheduled", "status": "False", "message": last }]);
            find(&mut tried, pod)["status"]["conditions"] = conditions;
        }
    }
    for (volume, claim) in [("v3", "large"), ("v5", "small")] {
        let mut reference = world.reference(claim);
        reference["uid"] = json!(claim);
        find(&mut tried, volume)["spec"]["claimRef"] = reference;
    }
    let mut finished = tried.clone();
    for pod in ["alone", "both"] {
        find(&mut finished, pod)["spec"]["nodeName"] = json!("n");
    }
    for (volume, claim) in [("v3", "large"), ("v5", "small")] {
        find(&mut finished, claim)["spec"]["volumeName"] = json!(volume);
    }
    let (tried, finished) = (Snapshot::of(&tried), Snapshot::of(&finished));
    let turns = before.pods.iter().map(|pod| Turn {
        before: &before,
        start: &before,
        after: &tried,
        pod,
    });
    let explained = Sequence::new(&world, turns.collect(), &finished).explain();
    explained.is_some()
}

fn find<'a>(objects: &'a mut [Value], name: &str) -> &'a mut Value {
    let mut objects = objects.iter_mut();
    let found = objects.find(|object| object["metadata"]["name"] == name);
    found.expect("an object of this name")
}

fn objects(world: &World) -> Vec<Value> {
    let labels = json!({ CASE: WORLD });
    let mut objects = vec![
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": { "name": "n", "labels": { CASE: "all" } },
        }),
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": "k", "uid": "k", "labels": labels },
            "provisioner": "kubernetes.io/no-provisioner",
            "volumeBindingMode": "WaitForFirstConsumer",
        }),
    ];
    for (name, size) in [("v3", "3Gi"), ("v5", "5Gi")] {
        objects.push(json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": { "name": name, "uid": name, "labels": labels },
            "spec": {
                "storageClassName": "k", "capacity": { "storage": size },
                "accessModes": ["ReadWriteOnce"], "hostPath": { "path": "/nowhere" },
            },
            "status": { "phase": "Available" },
        }));
    }
    for (name, size) in [("small", "1500M"), ("large", "2Gi"), ("own", "1Gi")] {
        let mut claim = super::claims::claim(world, name, "k");
        claim["metadata"]["uid"] = json!(name);
        claim["spec"]["resources"]["requests"]["storage"] = json!(size);
        claim["status"] = json!({ "phase": "Pending" });
        objects.push(claim);
    }
    let pods: [(&str, &[&str]); 3] = [
        ("alone", &["large"]),
        ("both", &["small", "large"]),
        ("third", &["own"]),
    ];
    for (name, claims) in pods {
        let volumes: Vec<Value> = claims
            .iter()
            .map(|claim| json!({ "name": claim, "persistentVolumeClaim": { "claimName": claim } }))
            .collect();
        let mut pod = pod(&world.namespaced(name), &json!(volumes));
        pod["metadata"]["uid"] = json!(name);
        pod["spec"]["schedulerName"] = json!("default-scheduler");
        pod["status"] = json!({ "phase": "Pending" });
        objects.push(pod);
    }
    objects
}

fn event(pod: &str, message: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Event", "metadata": { "name": format!("{pod}.1") },
        "involvedObject": { "kind": "Pod", "name": pod, "uid": pod },
        "reason": "FailedScheduling", "message": message,
    })
}
