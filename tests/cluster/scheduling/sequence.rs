//! Pods that compete: what each of them gets depends on who went before, and nobody says who did.
//! So every order is tried, with our program asked about the state in which each pod would have
//! been looked at, until one explains everything that was seen.

use std::collections::BTreeMap;

use serde_json::Value;

use super::claims::name_of;
use super::compare::Comparison;
use super::deed::{Deed, Turn};
use super::predict::Predictions;
use super::snapshot::Snapshot;
use super::world::World;

/// The pods of one world, before and after the scheduler has had its turn with all of them.
pub(super) struct Sequence<'a> {
    world: &'a World,
    turns: Vec<Turn<'a>>,
    /// When everything has come to its end, which shows where the pods have gone.
    finished: &'a Snapshot,
    /// What our program says once these pods, by their bits, have got what they got.
    predictions: BTreeMap<usize, Predictions>,
}

impl<'a> Sequence<'a> {
    pub(super) fn new(world: &'a World, turns: Vec<Turn<'a>>, finished: &'a Snapshot) -> Self {
        Self {
            world,
            turns,
            finished,
            predictions: BTreeMap::new(),
        }
    }

    /// What we say of the pod before anybody has gone.
    pub(super) fn if_first(&mut self, pod: &Value) -> &Value {
        self.predict(0).of(pod)
    }

    /// For each pod the prediction that came true; nothing if no order explains what was seen.
    pub(super) fn explain(&mut self) -> Option<Vec<Value>> {
        let placed = (0..self.turns.len()).filter(|pod| self.turns[*pod].deed() == Deed::Placed);
        let orders = permutations(&placed.collect::<Vec<_>>());
        orders.iter().find_map(|order| self.try_order(order))
    }

    fn try_order(&mut self, order: &[usize]) -> Option<Vec<Value>> {
        let mut states = vec![0];
        let mut explained = vec![Value::Null; self.turns.len()];
        for pod in order {
            let gone_before = states[states.len() - 1];
            explained[*pod] = self.explanation(*pod, gone_before)?;
            states.push(gone_before | 1 << pod);
        }
        // Whoever was refused was so at some time, and is not always looked at again.
        for (pod, explained) in explained.iter_mut().enumerate() {
            if !order.contains(&pod) {
                let mut states = states.iter();
                *explained = states.find_map(|state| self.explanation(pod, *state))?;
            }
        }
        Some(explained)
    }

    /// What we say of the pod after the others of `gone_before`, if it came true.
    fn explanation(&mut self, pod: usize, gone_before: usize) -> Option<Value> {
        let turn = self.turns[pod];
        let predicted = self.predict(gone_before).of(turn.pod).clone();
        let comparison = Comparison {
            turn,
            predicted: &predicted,
        };
        let came_true =
            comparison.disagreements().is_empty() && comparison.landing(self.finished).is_empty();
        came_true.then_some(predicted)
    }

    fn predict(&mut self, gone_before: usize) -> &Predictions {
        if !self.predictions.contains_key(&gone_before) {
            let taken = self.volumes_taken_by(gone_before);
            let objects = self.turns[0].before.objects(&self.world.name).into_iter();
            let objects = objects.map(|object| {
                let is_taken =
                    object["kind"] == "PersistentVolume" && taken.contains_key(name_of(object));
                if is_taken {
                    taken[name_of(object)].clone()
                } else {
                    object.clone()
                }
            });
            let imagined = Predictions::imagine(&objects.collect::<Vec<_>>());
            self.predictions.insert(gone_before, imagined);
        }
        &self.predictions[&gone_before]
    }

    /// The volumes that these pods have got, as they are since.
    fn volumes_taken_by(&self, pods: usize) -> BTreeMap<String, Value> {
        let takers = (0..self.turns.len()).filter(|pod| pods & 1 << pod != 0);
        let gifts = takers.flat_map(|pod| self.turns[pod].gifts().into_values());
        let names = gifts.flat_map(|gift| gift.volumes);
        let taken = names.map(|name| {
            let mut volumes = self.turns[0].after.volumes.iter();
            let volume = volumes.find(|volume| name_of(volume) == name);
            (name, volume.expect("a volume that was given").clone())
        });
        taken.collect()
    }
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, first) in items.iter().enumerate() {
        let mut rest = items.to_owned();
        rest.remove(index);
        for mut order in permutations(&rest) {
            order.insert(0, *first);
            all.push(order);
        }
    }
    all
}
