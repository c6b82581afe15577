//! A bound claim whose deletion waits for pods that are over: what lets it go, and what saves its data before it does.

use super::super::consumers::Consumers;
use super::super::reclaim_commands::set_policy;
use crate::conventions::object_command::command;
use crate::model::{Claim, ClusterState, Pod, ReclaimPolicy};
use crate::report::{Danger, Explanation, Suggestion, join_and};

/// Only finished pods are told to be deleted: those that run are somebody's work.
pub(super) fn propose(
    state: &ClusterState,
    claim: &Claim,
    explanation: &Explanation,
) -> Vec<Suggestion> {
    let Some(consumers) = Consumers::find(state, &claim.key).filter(|_| claim.deleted.is_some())
    else {
        return vec![];
    };
    if consumers.finished.is_empty() || !consumers.scheduled.is_empty() {
        return vec![];
    }
    let destroys = explanation.story.as_ref().is_some_and(|story| {
        story.on_deletion == "Deleted"
            || story.on_deletion == "Recycled"
            || story.on_deletion_text.contains("destroys the data")
    });
    let mut suggestions = vec![delete_pods(claim, &consumers.finished, destroys)];
    let volume = explanation.outcomes.first().filter(|_| destroys);
    suggestions.extend(volume.map(|volume| retain(volume)));
    suggestions
}

fn delete_pods(claim: &Claim, pods: &[&Pod], destroys: bool) -> Suggestion {
    let names: Vec<String> = pods.iter().map(|pod| pod.key.name.clone()).collect();
    let mut words = vec!["kubectl", "delete", "pod", "-n", &claim.key.namespace];
    words.extend(names.iter().map(String::as_str));
    let noun = if pods.len() == 1 { "pod" } else { "pods" };
    let (then, danger) = if destroys {
        (
            "the claim goes then, and its data with it",
            Danger::LosesData,
        )
    } else {
        ("the claim goes then", Danger::Reversible)
    };
    Suggestion {
        summary: format!("Delete the finished {noun} {}: {then}", join_and(&names)),
        commands: vec![command(&words)],
        danger,
    }
}

fn retain(volume: &str) -> Suggestion {
    Suggestion {
        summary: "Keep its data: set policy Retain first".to_owned(),
        commands: vec![set_policy(volume, &ReclaimPolicy::Retain)],
        danger: Danger::Harmless,
    }
}
