//! What an attempt of the scheduler sees of the volumes, and what our program says of it: the state
//! before all attempts, with the volumes that other pods of the same world have taken since.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::claims::name_of;
use super::predict::Predictions;
use super::snapshot::Snapshot;
use super::world::World;

/// The claim that has taken each volume, by their names.
pub(super) type Taken = BTreeMap<String, String>;

/// Our program's answers about one world, each asked for once.
pub(super) struct Seen<'a> {
    world: &'a World,
    before: &'a Snapshot,
    answers: BTreeMap<Taken, Predictions>,
}

impl<'a> Seen<'a> {
    pub(super) fn new(world: &'a World, before: &'a Snapshot) -> Self {
        let answers = BTreeMap::new();
        Self {
            world,
            before,
            answers,
        }
    }

    /// What our program says of the pod when these volumes are taken.
    pub(super) fn predict(&mut self, taken: &Taken, pod: &Value) -> &Value {
        if !self.answers.contains_key(taken) {
            let objects = self.before.objects(&self.world.name).into_iter();
            let objects: Vec<Value> = objects.map(|object| self.with(taken, object)).collect();
            let answer = Predictions::imagine(&objects);
            self.answers.insert(taken.clone(), answer);
        }
        self.answers[taken].of(pod)
    }

    /// The object as the scheduler's cache has it, with a claimRef if it is taken.
    fn with(&self, taken: &Taken, object: &Value) -> Value {
        let mut object = object.clone();
        let is_volume = object["kind"] == "PersistentVolume";
        let Some(claim) = taken.get(name_of(&object)).filter(|_| is_volume) else {
            return object;
        };
        let namespace = json!(self.world.namespace);
        let claim = self.before.claim(&namespace, claim);
        let metadata = &claim.expect("a claim of this world")["metadata"];
        object["spec"]["claimRef"] = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace,
            "name": metadata["name"], "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
        });
        object["metadata"]["annotations"]["pv.kubernetes.io/bound-by-controller"] = json!("yes");
        object
    }

    /// Every way the claims of the pod may be served by volumes that exist, on the nodes that are open to it.
    pub(super) fn choices(&mut self, taken: &Taken, pod: &Value) -> Vec<Taken> {
        let predicted = self.predict(taken, pod);
        let nodes = predicted["nodes"].as_array().into_iter().flatten();
        let open = nodes.filter(|node| {
            let reasons = node["reasons"].as_array();
            node["feasible"] == true && reasons.is_none_or(Vec::is_empty)
        });
        let mut choices: Vec<Taken> = open.flat_map(|node| combine(&node["bindings"])).collect();
        choices.sort();
        choices.dedup();
        choices
    }
}

/// One volume for every claim, and none for two of them.
fn combine(bindings: &Value) -> Vec<Taken> {
    let mut choices = vec![Taken::new()];
    for (claim, volumes) in bindings.as_object().into_iter().flatten() {
        let volumes = volumes.as_array().into_iter().flatten();
        let volumes: Vec<&str> = volumes.filter_map(Value::as_str).collect();
        let longer = choices.iter().flat_map(|choice| {
            let free = volumes
                .iter()
                .filter(|volume| !choice.contains_key(**volume));
            free.map(|volume| {
                let mut choice = choice.clone();
                choice.insert((*volume).to_owned(), claim.clone());
                choice
            })
        });
        choices = longer.collect();
    }
    choices
}
