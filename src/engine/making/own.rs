//! The volume this program makes: what the backend is told, and everything that is checked before it is asked.

use super::super::options;
use super::super::provisioning::volume_name;
use super::super::refusal::{ProvisionEvidence, Refusal, Several};
use super::class::Resolved;
use super::nodes::{self, ChosenNode};
use super::owner::needs_annotations;
use super::proof::proves;
use super::unmade::{not_readable, unmade};
use super::{Making, MakingQuestion};
use crate::model::{Claim, ClusterState, Kind, Options, ReclaimPolicy, Volume};
use crate::report::{ClaimCause, Unknown};
use std::collections::BTreeMap;

/// How this program makes a volume.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnMaking {
    /// Our name: `provisioned-by`, and the value of the annotations.
    pub provisioner: String,
    /// The class.
    pub class: String,
    /// The class that is written into the claim first (R15).
    pub assigned_class: Option<String>,
    /// The parameters of the class, secrets among them as they are.
    pub parameters: BTreeMap<String, String>,
    /// The options of the claim, with defaults.
    pub options: BTreeMap<String, String>,
    /// What becomes of the volume when its claim goes.
    pub reclaim_policy: ReclaimPolicy,
    /// How it is mounted.
    pub mount_options: Vec<String>,
    /// The name it gets: `pvc-` and the claim's uid.
    pub volume_name: String,
    /// The node it is made for; none was found, the backend must do without, or refuse.
    pub node: Option<ChosenNode>,
    /// Whether the annotations do not both name us yet.
    pub needs_annotations: bool,
    /// What surprises.
    pub warnings: Vec<String>,
    /// Why no node was found, where that could not be seen.
    pub unknowns: Vec<Unknown>,
}

impl From<OwnMaking> for Making {
    fn from(making: OwnMaking) -> Self {
        Self::Own(Box::new(making))
    }
}

pub(super) fn plan(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    resolved: &Resolved<'_>,
    provisioner: String,
) -> Result<OwnMaking, Refusal> {
    let (claim, class) = (&*resolved.claim, resolved.class);
    let ours = |refusal: Refusal| refusal.told_on_claim();
    if let Some(unfit) = made_and_unfit(state, claim, question) {
        return Err(ours(unfit));
    }
    let options = resolve_options(state, resolved).map_err(ours)?;
    if let Some(refused) = cannot_be_met(claim) {
        return Err(ours(refused));
    }
    // A node that was chosen and is gone is told on the claim; one that somebody names here is nobody else's business.
    nodes::check_selected(state, question).map_err(|refusal| match question.node {
        Some(_) => refusal,
        None => ours(refusal),
    })?;
    let found = nodes::for_own(state, question, resolved)?;
    // Without a uid there is nothing to name it by; such claims do not get so far.
    let volume_name = volume_name(claim).unwrap_or_default();
    Ok(OwnMaking {
        needs_annotations: needs_annotations(claim, &provisioner),
        provisioner,
        class: class.name.clone(),
        assigned_class: resolved.assigned.clone(),
        parameters: class.parameters.clone(),
        options,
        reclaim_policy: ReclaimPolicy::of_name(policy_name(&class.reclaim_policy)),
        mount_options: class.mount_options.clone(),
        volume_name,
        node: found.node,
        warnings: found.warnings,
        unknowns: found.unknowns,
    })
}

/// A class that says nothing has its volumes deleted (R6).
fn policy_name(class: &str) -> &str {
    if class.is_empty() { "Delete" } else { class }
}

/// A volume carries the claim's uid, and cannot be bound to it: a second one would be a second asset.
fn made_and_unfit(
    state: &ClusterState,
    claim: &Claim,
    question: &MakingQuestion<'_>,
) -> Option<Refusal> {
    let is_for_it = |volume: &&Volume| {
        let reference = volume.claim_ref.as_ref();
        reference.is_some_and(|reference| reference.uid.is_some() && reference.designates(claim))
    };
    let volume = state.volumes().iter().find(is_for_it)?;
    let reasons = proves(state, claim, volume, question.rules);
    if reasons.is_empty() {
        return None;
    }
    let cause = ClaimCause::ProvisionedVolumeUnfit {
        volume: volume.name.clone(),
        why: reasons,
    };
    Some(unmade(cause))
}

fn resolve_options(
    state: &ClusterState,
    resolved: &Resolved<'_>,
) -> Result<BTreeMap<String, String>, Refusal> {
    let (claim, class) = (&*resolved.claim, resolved.class);
    if let (Some(_), Options::Malformed(why)) = (&claim.options, &class.options) {
        return Err(unmade(ClaimCause::OptionsMalformed {
            class: class.name.clone(),
            why: why.clone(),
        }));
    }
    let merged = options::merge(state, claim, class);
    if merged.unreadable {
        return Err(not_readable(state, claim, &[Kind::ConfigMaps]));
    }
    match Several::of(merged.problems) {
        Some(problems) => Err(Refusal::new(problems)),
        None => Ok(merged.values),
    }
}

/// What no backend of ours can do: fill a volume, or give it attributes.
fn cannot_be_met(claim: &Claim) -> Option<Refusal> {
    let source = claim
        .data_source_ref
        .as_ref()
        .or(claim.data_source.as_ref());
    if let Some(source) = source {
        return Some(Refusal::new(ProvisionEvidence::DataSourceUnsupported {
            kind: source.kind.clone(),
            name: source.name.clone(),
        }));
    }
    let wanted = claim.attributes_class();
    (!wanted.is_empty()).then(|| {
        let class = wanted.to_owned();
        Refusal::new(ProvisionEvidence::AttributesUnsupported { class })
    })
}
