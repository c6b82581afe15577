//! One batch from its creation to its removal: predicted, tried by the scheduler, finished by the
//! controller, predicted again and tried again, with every pod judged each time.

use std::future::Future;

use kube::Client;
use serde_json::Value;

use super::batch::Batch;
use super::compare::Comparison;
use super::deed::Turn;
use super::disagreement::Disagreement;
use super::predict::Predictions;
use super::sequence::Sequence;
use super::snapshot::Snapshot;
use super::stages::{finish, run_binder, run_scheduler};
use super::tally::Tally;
use super::world::World;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::running::Running;

/// What was said and what was seen, from the first state to the last.
pub(super) struct Course {
    pub(super) before: Snapshot,
    pub(super) predicted: Predictions,
    /// After the controller has had its say.
    start: Snapshot,
    /// After the scheduler's first turn.
    tried: Snapshot,
    /// After the controller has finished what the scheduler had begun.
    pub(super) finished: Snapshot,
    predicted_again: Predictions,
    tried_again: Snapshot,
}

/// Describes every pod that went otherwise than we said.
pub(super) async fn compare_batch(
    plane: &ControlPlane,
    client: &Client,
    batch: Batch,
    tally: &mut Tally,
) -> Vec<Disagreement> {
    batch.prepare(plane, client).await;
    batch.complete(client).await;
    let course = Course::run(plane, client, run_scheduler(plane, client)).await;
    let worlds = batch.worlds.iter();
    let found = worlds
        .flat_map(|world| course.judge(world, tally))
        .collect();
    batch.clear(plane, client).await;
    found
}

impl Course {
    /// `first_turn` lets a scheduler try every pod once.
    pub(super) async fn run(
        plane: &ControlPlane,
        client: &Client,
        first_turn: impl Future<Output = Running>,
    ) -> Self {
        let before = Snapshot::take(client).await;
        let predicted = Predictions::ask(plane);
        run_binder(plane, client).await;
        let start = Snapshot::take(client).await;
        let scheduler = first_turn.await;
        let tried = Snapshot::take(client).await;
        finish(plane, client).await;
        drop(scheduler);
        let finished = Snapshot::take(client).await;
        // Whoever still waits is tried again by a scheduler that starts afresh: one that runs on
        // does not look again at a pod only because its refusal would have another reason now.
        let predicted_again = Predictions::ask(plane);
        let scheduler = run_scheduler(plane, client).await;
        let tried_again = Snapshot::take(client).await;
        drop(scheduler);
        Self {
            before,
            predicted,
            start,
            tried,
            finished,
            predicted_again,
            tried_again,
        }
    }

    pub(super) fn judge(&self, world: &World, tally: &mut Tally) -> Vec<Disagreement> {
        let mut found = Vec::new();
        let pods = world.pods.iter().map(|pod| self.before.find(pod)).collect();
        for (pod, predicted) in self.predictions_for(world, pods, tally, &mut found) {
            let first = self.first_turn(pod, &predicted);
            tally.add(world.theme, &first);
            let mut note = |when: &str, comparison: &Comparison, wrong: &[String]| {
                found.extend(Disagreement::over(when, world, comparison, wrong));
            };
            note("at first", &first, &first.disagreements());
            if !world.competes {
                note("at first", &first, &first.unexpected_conflicts());
            }
            note("in the end", &first, &first.landing(&self.finished));
            let waits = self.finished.find(pod)["spec"]["nodeName"].is_null();
            if waits {
                let second = self.second_turn(self.finished.find(pod));
                tally.add_again(&second);
                note("when tried again", &second, &second.disagreements());
                note("when tried again", &second, &second.unexpected_conflicts());
            } else if !first.is_left_alone() {
                tally.add_landing();
            }
        }
        found
    }

    /// Each pod of the world with what we say of it when its turn comes.
    fn predictions_for<'a>(
        &'a self,
        world: &'a World,
        pods: Vec<&'a Value>,
        tally: &mut Tally,
        found: &mut Vec<Disagreement>,
    ) -> Vec<(&'a Value, Value)> {
        let live = pods.iter().map(|pod| self.predicted.of(pod).clone());
        let mut predictions: Vec<Value> = live.collect();
        if world.competes {
            let mut sequence = Sequence::new(world, self.turns(&pods), &self.finished);
            for (pod, live) in pods.iter().zip(&predictions) {
                let first = self.first_turn(pod, live);
                tally.add_competitor(&first);
                if !is_the_same(live, sequence.if_first(pod)) {
                    let wrong = format!("from a file: {}", sequence.if_first(pod));
                    found.extend(Disagreement::over("with files", world, &first, &[wrong]));
                }
            }
            // If no order explains it, the first prediction is held against what happened.
            if let Some(explained) = sequence.explain() {
                predictions = explained;
            } else {
                let first = self.first_turn(pods[0], &predictions[0]);
                let wrong = "no order of the attempts explains what happened".to_owned();
                found.extend(Disagreement::over("in any order", world, &first, &[wrong]));
            }
        }
        pods.into_iter().zip(predictions).collect()
    }

    fn turns<'a>(&'a self, pods: &[&'a Value]) -> Vec<Turn<'a>> {
        let turn = |pod: &&'a Value| self.first_turn(pod, &Value::Null).turn;
        pods.iter().map(turn).collect()
    }

    pub(super) fn first_turn<'a>(&'a self, pod: &'a Value, predicted: &'a Value) -> Comparison<'a> {
        let turn = Turn {
            before: &self.before,
            start: &self.start,
            after: &self.tried,
            pod,
        };
        Comparison { turn, predicted }
    }

    fn second_turn<'a>(&'a self, pod: &'a Value) -> Comparison<'a> {
        let turn = Turn {
            before: &self.finished,
            start: &self.finished,
            after: &self.tried_again,
            pod,
        };
        let predicted = self.predicted_again.of(pod);
        Comparison { turn, predicted }
    }
}

/// The same objects give the same answer, wherever they are read.
fn is_the_same(live: &Value, from_file: &Value) -> bool {
    let keys = ["verdict", "nodes", "kubernetesSays"];
    keys.iter().all(|key| live[key] == from_file[key])
}
