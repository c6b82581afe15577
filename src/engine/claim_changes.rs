//! What happens to a claim besides binding: its deletion, that of its volume, and changes of size and attributes class.

use super::consumers::Consumers;
use super::foreign_messages::{ClaimProgress, read_condition_type};
use super::lifecycle::find_removal;
use crate::model::{Claim, ClusterState, Pod};
use crate::report::{Cause, ClaimCause, HoldingPod, ReportedCondition};

/// What is going on with a bound claim.
pub(crate) fn find_changes(state: &ClusterState, claim: &Claim) -> Vec<Cause> {
    let mut causes: Vec<Cause> = terminating(state, claim).into_iter().collect();
    causes.extend(volume_being_deleted(state, claim));
    if let (Some(requested), Some(holds)) = (&claim.requested, &claim.capacity)
        && requested > holds
    {
        let (requested, holds) = (requested.clone(), holds.clone());
        let class = claim.class.resolved().to_owned();
        let allowed = state.find_class(&class).map(|class| class.allow_expansion);
        causes.push(if allowed == Some(false) {
            Cause::warning(ClaimCause::ExpansionNotAllowed {
                class,
                requested,
                holds,
            })
        } else {
            Cause::note(ClaimCause::ExpansionPending {
                requested,
                holds,
                said: news(claim, ClaimProgress::Resize),
            })
        });
    }
    causes.extend(attributes_change(claim));
    causes
}

/// Its volume is being deleted, which waits for the claim.
fn volume_being_deleted(state: &ClusterState, claim: &Claim) -> Option<Cause> {
    let volume = state.find_volume(claim.volume_name.as_ref()?)?;
    let is_its_own = volume.claim_ref.as_ref()?.designates(claim);
    let removal = find_removal(volume).filter(|_| is_its_own)?;
    Some(Cause::warning(ClaimCause::BeingDeleted {
        volume: volume.name.clone(),
        policy: volume.reclaim_policy.to_string(),
        removal,
    }))
}

/// A change of the attributes class that has not come to its end. Infeasible ones, and those nobody has begun with, stay.
fn attributes_change(claim: &Claim) -> Option<Cause> {
    let wanted = claim
        .attributes_class
        .clone()
        .filter(|name| !name.is_empty());
    let to = claim
        .modifying
        .as_ref()
        .map(|change| change.target.clone())
        .or(wanted.filter(|name| Some(name) != claim.current_attributes_class.as_ref()))?;
    let status = claim.modifying.as_ref().map(|change| change.status.clone());
    let cause = ClaimCause::AttributesChangePending {
        from: claim.current_attributes_class.clone(),
        to,
        status: status.clone().unwrap_or_default(),
        said: news(claim, ClaimProgress::Modification),
    };
    Some(match status.as_deref() {
        Some("InProgress" | "Pending") => Cause::note(cause),
        _ => Cause::warning(cause),
    })
}

fn news(claim: &Claim, about: ClaimProgress) -> Option<ReportedCondition> {
    let condition = claim.conditions.iter().find(|condition| {
        condition.status == "True" && read_condition_type(&condition.kind) == Some(about)
    })?;
    Some(ReportedCondition {
        kind: condition.kind.clone(),
        message: condition.message.clone(),
    })
}

/// A claim whose deletion was asked for stays while a pod on a node uses it, finished or not (R122).
pub(crate) fn terminating(state: &ClusterState, claim: &Claim) -> Option<Cause> {
    let since = Some(claim.deleted?);
    let holding = |pod: &&Pod| HoldingPod {
        name: pod.key.name.clone(),
        owner: pod.owner.clone(),
        is_finished: pod.is_terminated(),
    };
    let held_by = Consumers::find(state, &claim.key)
        .map(|consumers| {
            let all = consumers
                .scheduled
                .iter()
                .chain(&consumers.finished)
                .chain(&consumers.unscheduled);
            all.filter(|pod| pod.node_name.is_some())
                .map(holding)
                .collect()
        })
        .unwrap_or_default();
    Some(Cause::warning(ClaimCause::ClaimTerminating {
        since,
        held_by,
        finalizers: claim.finalizers.clone(),
    }))
}
