//! Delayed binding, told: who the claim waits for, and whether waiting will help.

use super::super::consumers::{Consumers, find_future_user};
use super::draft::Draft;
use super::provision;
use crate::model::{Kind, Pod};
use crate::report::{Cause, ClaimCause, Explanation, Path, Severity, Verdict};

/// Delayed binding, as far as the claim and its pods decide it.
pub(super) fn tell(mut draft: Draft<'_>) -> Explanation {
    draft.note_gap(Kind::Pods);
    draft.note_ignored_reservations();
    if let Some(class) = draft.state.find_class(&draft.class) {
        provision::warn_of_what_is_to_come(&mut draft, class);
    }
    let seen = Consumers::find_waiting(draft.state, &draft.claim.key);
    if seen.is_none() && !draft.state.is_from_files() {
        // Whether it waits or is stuck for good hangs on pods that may not be read.
        draft.block(ClaimCause::NotReadable {
            what: vec![Kind::Pods.resource().to_owned()],
        });
        return draft.finish(Verdict::Unknown, Path::Scheduler);
    }
    let pods_seen = seen.is_some();
    let consumers = seen.unwrap_or_default();
    let names =
        |pods: &[&Pod]| -> Vec<String> { pods.iter().map(|pod| pod.key.name.clone()).collect() };
    if !consumers.unscheduled.is_empty() {
        draft
            .causes
            .push(Cause::note(ClaimCause::ConsumerUnscheduled {
                pods: names(&consumers.unscheduled),
            }));
        return draft.finish_waiting();
    }
    if !consumers.scheduled.is_empty() {
        let on_node = |pod: &&Pod| {
            (
                pod.key.name.clone(),
                pod.node_name.clone().unwrap_or_default(),
            )
        };
        let pods = consumers.scheduled.iter().map(on_node).collect();
        draft.block(ClaimCause::ConsumerBypassesScheduler { pods });
        return draft.finish(Verdict::Blocked, Path::Scheduler);
    }
    let would_use =
        find_future_user(draft.state, &draft.claim.key).map(|workload| match workload.replicas {
            0 => format!("{}, which has 0 replicas,", workload.spelled()),
            _ => workload.spelled(),
        });
    let (class, finished) = (draft.class.clone(), names(&consumers.finished));
    draft.causes.push(Cause::note(ClaimCause::NoConsumer {
        class,
        finished,
        would_use,
        pods_seen,
    }));
    draft.finish_waiting()
}

impl Draft<'_> {
    /// Waiting, unless something keeps the claim from a volume whatever pod comes.
    fn finish_waiting(self) -> Explanation {
        let blocked = self
            .causes
            .iter()
            .any(|cause| cause.severity == Severity::Blocker);
        let verdict = if blocked {
            Verdict::Blocked
        } else {
            Verdict::Waiting
        };
        self.finish(verdict, Path::Scheduler)
    }
}
