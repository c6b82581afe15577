//! Who uses a claim: the pods that exist and the workloads that would create some (R21, R118).

use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Kind, Pod, Workload};
use crate::report::{ClaimUser, FutureUser, Says};

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

/// The workload whose pods would use the claim, if one was read, for a sentence.
pub(crate) fn find_future_user(state: &ClusterState, claim: &ObjectKey) -> Option<FutureUser> {
    let mut workloads = state.objects().workloads.iter();
    let workload = workloads.find(|workload| workload.would_use(claim))?;
    Some(FutureUser {
        workload: workload.owner_ref(),
        ordinal: workload.find_ordinal(claim),
        is_idle: workload.replicas == 0,
    })
}

/// Whose a claim is that no pod uses: somebody who would use it again, or a StatefulSet that was scaled down.
pub(crate) fn find_owner(state: &ClusterState, claim: &ObjectKey) -> Option<ClaimUser> {
    let workloads = || state.objects().workloads.iter();
    let names_it = |workload: &&Workload| {
        workload.key.namespace == claim.namespace && workload.claims.contains(&claim.name)
    };
    if let Some(workload) = workloads().find(names_it) {
        return Some(ClaimUser::Names(workload.owner_ref()));
    }
    if let Some(user) = find_future_user(state, claim) {
        return Some(ClaimUser::WouldUse(user));
    }
    workloads().find_map(|workload| {
        let ordinal = workload.find_ordinal(claim)?;
        Some(ClaimUser::ScaledDown {
            workload: workload.owner_ref(),
            replicas: workload.replicas,
            ordinal,
            when_scaled: workload.when_scaled.clone(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::state_with;

    fn workload(kind: &str, replicas: u32) -> Workload {
        Workload {
            kind: kind.to_owned(),
            key: ObjectKey::new("ns", "web"),
            replicas,
            first_ordinal: 0,
            claim_templates: vec!["data".to_owned()],
            when_scaled: None,
            claims: vec!["shared".to_owned()],
        }
    }

    #[test]
    fn a_claim_without_a_pod_may_still_be_somebodys() {
        let owner = |replicas: u32, claim: &str| {
            let state = state_with(vec![], vec![], |objects| {
                objects.workloads = vec![workload("StatefulSet", replicas)];
            });
            find_owner(&state, &ObjectKey::new("ns", claim)).map(|owner| owner.to_string())
        };
        let left = "left by StatefulSet web, which has 2 replicas and would use it again as ordinal 2 (whenScaled Retain)";
        assert_eq!(owner(2, "data-web-2").as_deref(), Some(left));
        assert_eq!(
            owner(2, "data-web-1").as_deref(),
            Some("StatefulSet web (ordinal 1) would use it")
        );
        assert_eq!(
            owner(0, "data-web-0").as_deref(),
            Some("StatefulSet web (ordinal 0), which has 0 replicas, would use it")
        );
        assert_eq!(
            owner(1, "shared").as_deref(),
            Some("StatefulSet web names it")
        );
        assert_eq!(owner(1, "other"), None);
    }
}
