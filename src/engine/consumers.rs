//! Who uses a claim: the pods that exist and the workloads that would create some (R21, R118).

use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Kind, Pod, Workload};
use crate::report::Says;

/// The pods that reference a claim, by what they mean for delayed binding.
#[derive(Debug, Clone, Default)]
pub(crate) struct Consumers<'a> {
    /// Alive and without a node.
    pub(crate) unscheduled: Vec<&'a Pod>,
    /// Alive and on a node.
    pub(crate) scheduled: Vec<&'a Pod>,
    /// Over.
    pub(crate) finished: Vec<&'a Pod>,
}

impl<'a> Consumers<'a> {
    /// The consumers of a claim, or `None` if the pods of its namespace were not seen.
    pub(crate) fn find(state: &'a ClusterState, claim: &ObjectKey) -> Option<Self> {
        state
            .saw(Kind::Pods, Some(&claim.namespace))
            .then(|| Self::among(state.pods_using(claim)))
    }

    /// The consumers as far as they tell what a delayed claim waits for. Of pods that were seen only in part (a what-if
    /// brings some along) one that waits for a node is enough; the others prove nothing.
    pub(crate) fn find_waiting(state: &'a ClusterState, claim: &ObjectKey) -> Option<Self> {
        Self::find(state, claim).or_else(|| {
            Some(Self::among(state.pods_using(claim)))
                .filter(|consumers| !consumers.unscheduled.is_empty())
        })
    }

    fn among(pods: impl Iterator<Item = &'a Pod>) -> Self {
        let mut consumers = Self::default();
        for pod in pods {
            let list = if pod.is_terminated() {
                &mut consumers.finished
            } else if pod.node_name.is_some() {
                &mut consumers.scheduled
            } else {
                &mut consumers.unscheduled
            };
            list.push(pod);
        }
        consumers
    }

    /// The event of a delayed claim without a node (R21).
    pub(crate) fn waiting_event(&self) -> Says {
        let names: Vec<&str> = self
            .unscheduled
            .iter()
            .map(|pod| pod.key.name.as_str())
            .collect();
        let (reason, message) = match names[..] {
            [] => (
                "WaitForFirstConsumer",
                "waiting for first consumer to be created before binding".to_owned(),
            ),
            [name] => (
                "WaitForPodScheduled",
                format!("waiting for pod {name} to be scheduled"),
            ),
            _ => (
                "WaitForPodScheduled",
                format!("waiting for pods {} to be scheduled", names.join(",")),
            ),
        };
        Says::new("Normal", reason, message)
    }
}

/// The workload whose pods would use the claim, if one was read.
pub(crate) fn find_future_user<'a>(
    state: &'a ClusterState,
    claim: &ObjectKey,
) -> Option<&'a Workload> {
    state
        .objects()
        .workloads
        .iter()
        .find(|workload| workload.would_use(claim))
}
