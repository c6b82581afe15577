//! A bound claim whose deletion waits for pods that are over: what lets it go, and what saves its data before it does.

use super::super::consumers::Consumers;
use super::super::reclaim_commands::set_policy;
use crate::conventions::object_command::command;
use crate::model::{Claim, ClusterState, Pod, ReclaimPolicy};
use crate::report::{Danger, DataFate, Explanation, Suggestion, join_and};

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
    let story = explanation.story.as_ref();
    let destroys = story.is_some_and(|story| story.data != DataFate::Kept);
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

#[cfg(test)]
mod tests {
    use super::super::super::{Rules, explain_claim};
    use super::*;
    use crate::conventions::annotations::{BIND_COMPLETED, PROVISIONED_BY, PROVISIONER_DELETION};
    use crate::model::{ClaimPhase, PodPhase, Time, Volume, VolumePhase};
    use crate::testing::{claim, pod, state_with, volume};

    /// The danger of deleting the finished pod of a claim that is being deleted, and whether Retain is advised before.
    fn danger(volume: Volume) -> (Danger, bool) {
        let mut claim = claim("c").naming("v").annotated(BIND_COMPLETED, "yes");
        claim.phase = ClaimPhase::Bound;
        claim.deleted = Some(Time(0));
        let uid = claim.uid.clone();
        let volume = volume
            .reserved_for("c", uid.as_deref())
            .in_phase(VolumePhase::Bound);
        let state = state_with(vec![claim], vec![volume], |objects| {
            let mut pod = pod("p", "c");
            pod.phase = PodPhase::Succeeded;
            pod.node_name = Some("n".to_owned());
            objects.pods = vec![pod];
        });
        let claim = &state.objects().claims[0];
        let explanation = explain_claim(&state, claim, Rules::V1_36);
        let suggestions = propose(&state, claim, &explanation);
        (suggestions[0].danger, suggestions.len() == 2)
    }

    #[test]
    fn data_that_a_component_may_delete_is_called_lost() {
        let of = |policy: ReclaimPolicy| volume("v").with_policy(policy);
        let made = |policy| of(policy).annotated(PROVISIONED_BY, "x.example.com");
        let (kept, lost) = ((Danger::Reversible, false), (Danger::LosesData, true));
        assert_eq!(danger(made(ReclaimPolicy::Retain)), kept);
        assert_eq!(
            danger(of(ReclaimPolicy::Delete).stored_on("nfs", "s:/x")),
            kept
        );
        assert_eq!(danger(made(ReclaimPolicy::Delete)), lost);
        let in_tmp = of(ReclaimPolicy::Delete).stored_on("hostPath", "/tmp/x");
        assert_eq!(danger(in_tmp), lost);
        let recycled = of(ReclaimPolicy::Recycle).stored_on("nfs", "s:/x");
        assert_eq!(danger(recycled), lost);
        // Its own deletion was asked for as well: its provisioner deletes the data before the object disappears.
        let mut removed = made(ReclaimPolicy::Delete).deleted();
        removed.finalizers = vec![PROVISIONER_DELETION.to_owned()];
        assert_eq!(danger(removed), lost);
    }
}
