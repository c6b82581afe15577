//! Would the API server take this claim? In its own order: default class, clean-up, validity, LimitRange, quota
//! (R6–R10b). The first refusal is the answer; all of them are told.

mod limit_range;
mod quota;
mod validity;

use super::Rules;
use super::classes::{find_default, lacks_class};
use crate::model::{Claim, ClusterState, DataSource};
use crate::report::ClaimCause;

/// What the API server makes of a claim that is created now.
#[derive(Debug, Clone)]
pub struct Admission {
    /// The claim as it would be stored: default class and data source filled in.
    pub stored: Claim,
    /// Whether the class comes from the default.
    pub got_default_class: bool,
    /// Everything that would refuse it, in the order the server looks.
    pub refusals: Vec<ClaimCause>,
    /// The server's answer, word for word, if it refuses.
    pub refusal: Option<String>,
}

/// Admits a claim that does not exist yet.
pub fn admit(state: &ClusterState, claim: &Claim, rules: Rules) -> Admission {
    let mut stored = claim.clone();
    let default = find_default(state).filter(|_| lacks_class(claim, rules));
    if let Some(default) = default {
        stored.class.annotation = None;
        stored.class.field = Some(default.name.clone());
    }
    tidy_data_sources(&mut stored);
    stored.requested = stored
        .requested
        .map(|requested| requested.rounded_up_to_milli());

    let mut refusals = Vec::new();
    let mut refusal = None;
    let errors = validity::errors(&stored, claim, rules);
    if !errors.is_empty() {
        refusal = Some(format!(
            "PersistentVolumeClaim \"{}\" is invalid: {}",
            claim.key.name,
            validity::aggregate(&errors)
        ));
        refusals.push(ClaimCause::InvalidClaim { errors });
    }
    let limits =
        limit_range::violations(state, &stored)
            .into_iter()
            .map(|(limit_range, message)| ClaimCause::LimitRangeViolated {
                limit_range,
                message,
                on_update: false,
            });
    let quotas = quota::excesses(state, &stored, quota::Charge::Creation)
        .into_iter()
        .map(|(quota, message)| ClaimCause::QuotaExceeded {
            quota,
            message,
            on_update: false,
        });
    for cause in limits.chain(quotas) {
        if let ClaimCause::LimitRangeViolated { message, .. }
        | ClaimCause::QuotaExceeded { message, .. } = &cause
        {
            refusal.get_or_insert_with(|| {
                format!(
                    "persistentvolumeclaims \"{}\" is forbidden: {message}",
                    claim.key.name
                )
            });
        }
        refusals.push(cause);
    }
    Admission {
        stored,
        got_default_class: default.is_some(),
        refusals,
        refusal,
    }
}

/// What would refuse every later update of an existing claim, the controller's own among them (R10a).
pub fn update_refusals(state: &ClusterState, claim: &Claim) -> Vec<ClaimCause> {
    // Objects that are on their way out are let through (seen live, v1.36.4).
    if claim.deleted.is_some() {
        return vec![];
    }
    limit_range::violations(state, claim)
        .into_iter()
        .map(|(limit_range, message)| ClaimCause::LimitRangeViolated {
            limit_range,
            message,
            on_update: true,
        })
        .collect()
}

/// What would refuse writing a class into an existing claim (R15): the class's own quota keys are charged in full.
pub fn class_assignment_refusals(
    state: &ClusterState,
    claim: &Claim,
    class: &str,
) -> Vec<ClaimCause> {
    let mut assigned = claim.clone();
    assigned.class.field = Some(class.to_owned());
    let quotas = quota::excesses(state, &assigned, quota::Charge::ClassAssignment)
        .into_iter()
        .map(|(quota, message)| ClaimCause::QuotaExceeded {
            quota,
            message,
            on_update: true,
        });
    update_refusals(state, claim)
        .into_iter()
        .chain(quotas)
        .collect()
}

/// R8: what the server silently drops and copies before it looks.
fn tidy_data_sources(claim: &mut Claim) {
    let kept = |source: &DataSource| match source.group.as_deref().unwrap_or("") {
        "" => source.kind == "PersistentVolumeClaim",
        "snapshot.storage.k8s.io" => source.kind == "VolumeSnapshot",
        _ => false,
    };
    if claim.data_source_ref.is_none()
        && claim
            .data_source
            .as_ref()
            .is_some_and(|source| !kept(source))
    {
        claim.data_source = None;
    }
    if claim
        .data_source_ref
        .as_ref()
        .is_some_and(|source| source.namespace.is_some())
    {
        claim.data_source_ref = None;
    }
    if claim.data_source.is_none() {
        claim.data_source = claim.data_source_ref.clone();
    } else if claim.data_source_ref.is_none() {
        claim.data_source_ref = claim.data_source.clone();
    }
}
