//! What a claim gets, and why, as a report: a [decision](super::claims) becomes an explanation. What would help is added
//! by the [`Explainer`](super::Explainer).

mod nodes;

pub(crate) use self::nodes::assess_node;
pub use self::nodes::look_at_node;

use super::binding::Judged;
use super::claims::{ClaimDecision, ProvisioningDecision};
use super::{Rules, story};
use crate::conventions::secrets::{HIDDEN, is_secret};
use crate::model::{Claim, ClusterState, Kind, Origin};
use crate::report::{
    API_VERSION, Assessment, ClaimSummary, ClassSummary, ClusterView, Explanation, Provisioning,
    ProvisioningProblem,
};

/// The decision as a report, without suggestions.
pub(crate) fn report(
    state: &ClusterState,
    claim: &Claim,
    rules: Rules,
    decision: ClaimDecision<'_>,
) -> Explanation {
    let stored = decision.admitted.as_deref().unwrap_or(claim);
    Explanation {
        api_version: API_VERSION,
        kind: "Explanation",
        rules: rules.name(),
        claim: summarise(state, stored, &decision),
        story: decision
            .holds
            .map(|volume| story::tell(state, stored, volume)),
        verdict: decision.verdict,
        path: decision.path,
        outcomes: decision.outcomes,
        volumes: decision.volumes.into_iter().map(assess_volume).collect(),
        volumes_omitted: 0,
        provisioning: decision.provisioning.map(describe_provisioning),
        nodes: decision.nodes.iter().map(assess_node).collect(),
        causes: decision.causes,
        refusal: decision.refusal,
        suggestions: vec![],
        kubernetes_says: decision.says,
        unknowns: decision.unknowns,
        cluster: decision.cluster.map(|cluster| ClusterView {
            verdict: cluster.verdict,
            outcomes: cluster.outcomes,
        }),
    }
}

fn assess_volume(judged: Judged<'_>) -> Assessment {
    let volume = judged.volume;
    Assessment {
        name: volume.name.clone(),
        result: judged.result,
        capacity: volume.capacity.to_string(),
        access_modes: volume.access_modes,
        class: volume.class().to_owned(),
        phase: judged.phase,
        reserved: judged.is_reserved,
        reasons: judged.reasons,
    }
}

/// Options are merged into the parameters, as the provisioner receives them. Secrets are hidden.
fn describe_provisioning(decision: ProvisioningDecision<'_>) -> Provisioning {
    let mut parameters = decision.class.parameters.clone();
    let mut options = decision.options.values;
    parameters.extend(options.clone());
    for (key, value) in parameters.iter_mut().chain(&mut options) {
        if is_secret(key, value) {
            HIDDEN.clone_into(value);
        }
    }
    let problems = decision.problems.iter();
    Provisioning {
        class: decision.class.name.clone(),
        provisioner: decision.provisioner,
        by: decision.by,
        volume_name: decision.volume_name,
        parameters,
        options,
        problems: problems
            .map(|cause| ProvisioningProblem {
                code: cause.code(),
                message: cause.message(),
            })
            .collect(),
    }
}

fn summarise(state: &ClusterState, claim: &Claim, decision: &ClaimDecision<'_>) -> ClaimSummary {
    let exists = match decision.class.as_str() {
        "" => Some(false),
        class if state.find_class(class).is_some() => Some(true),
        _ => state.saw(Kind::Classes, None).then_some(false),
    };
    let attributes_class = claim.attributes_class.clone();
    ClaimSummary {
        namespace: claim.key.namespace.clone(),
        name: claim.key.name.clone(),
        uid: claim.uid.clone(),
        phase: claim.exists().then_some(claim.phase),
        requested: claim.requested.as_ref().map(ToString::to_string),
        access_modes: claim.access_mode_names.clone(),
        volume_mode: claim.volume_mode(),
        class: ClassSummary {
            name: decision.class.clone(),
            source: decision.class_source,
            exists,
        },
        selector: claim.selector.as_ref().map(ToString::to_string),
        volume_name: claim.volume_name.clone(),
        volume_attributes_class: attributes_class.filter(|name| !name.is_empty()),
        from_template: match &claim.origin {
            Origin::Object => None,
            Origin::Template(owner) => Some(owner.to_string()),
        },
    }
}
