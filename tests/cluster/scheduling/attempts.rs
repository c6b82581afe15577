//! Waiting for the scheduler, which on a busy machine is silent for longer than any pause: until every pod
//! has a result that can be seen, and until pods with bound claims are on their nodes.

use std::time::{Duration, Instant};

use kube::Client;
use serde_json::Value;
use tokio::time::sleep;

use super::compare::Comparison;
use super::deed::Turn;
use super::snapshot::Snapshot;
use super::stages::{LIMIT, PAUSE, calm_down};

/// A pod that is not on its node by then is reported as one that never landed.
const LANDING: Duration = Duration::from_secs(30);

/// Waits until every pod was tried. What still has no result after the limit is compared as it is.
pub(super) async fn await_attempts(client: &Client) {
    let started = Instant::now();
    loop {
        calm_down(client).await;
        let now = Snapshot::take(client).await;
        let is_done = !turns_of(&now).any(|turn| turn.has_no_result());
        if is_done || started.elapsed() > LIMIT {
            return;
        }
    }
}

/// Waits until the pods whose claims are bound are on their nodes or refused. After a conflict the last
/// attempt begins later than those of the other pods.
pub(super) async fn await_landings(client: &Client) {
    let started = Instant::now();
    while started.elapsed() < LANDING {
        let now = Snapshot::take(client).await;
        let lands = |turn: &Turn| {
            let is_bound = turn.gifts().is_empty();
            let had_conflict = turn.ended_in_a_conflict() && turn.node().is_empty();
            turn.has_no_result() || had_conflict && is_bound
        };
        if !turns_of(&now).any(|turn| lands(&turn)) {
            return;
        }
        sleep(PAUSE).await;
    }
}

/// The pods of a snapshot that the scheduler has to try, as they are in it.
fn turns_of(snapshot: &Snapshot) -> impl Iterator<Item = Turn<'_>> {
    let turns = snapshot.pods.iter().map(|pod| Turn {
        before: snapshot,
        start: snapshot,
        after: snapshot,
        pod,
    });
    turns.filter(|turn| {
        let predicted = &Value::Null;
        let turn = *turn;
        !Comparison { turn, predicted }.is_left_alone()
    })
}

impl Turn<'_> {
    /// Whether the scheduler has not tried the pod yet, or not all of its result can be seen.
    fn has_no_result(&self) -> bool {
        let (gifts, message) = (self.gifts(), self.condition());
        if self.after.refusal(self.pod).is_some() {
            // The event and the condition are written one after the other. After a conflict the pod is
            // tried again, with a pause of at least a second in which nothing changes.
            return message.is_empty() || self.ended_in_a_conflict() && !self.has_all_gifts();
        }
        // Once its claims are bound a pod goes to its node, and before that they get volumes or a node.
        self.node().is_empty() && (gifts.is_empty() || !self.has_all_gifts())
    }
}
