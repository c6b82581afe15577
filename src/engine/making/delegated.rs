//! The volume a provisioner of the cluster makes: what has to be written so that it does, and whether it is there at all.
//!
//! What prevents it is decided for the claim as it will be once class and node are written.

use super::super::claims::decide_uncontended;
use super::super::provisioning::{Maker, Reports, Signs, internal_refusal, signs_of, volume_name};
use super::super::refusal::{Advice, ProvisionEvidence, Refusal};
use super::class::Resolved;
use super::nodes::{self, ChosenNode};
use super::owner::needs_annotations;
use super::unmade::{main_blocker, not_readable, unmade};
use super::{Making, MakingQuestion, selecting};
use crate::conventions::annotations::SELECTED_NODE;
use crate::conventions::class_name::HOST_PATH;
use crate::model::{BindingMode, Claim, ClusterState, Kind};
use crate::report::{ClaimCause, ProvisionedBy, WithoutOptions};

/// How a provisioner of the cluster is set going.
#[derive(Debug, Clone, PartialEq)]
pub struct DelegatedMaking {
    /// The provisioner: the value of the annotations (R92, R95).
    pub provisioner: String,
    /// The class.
    pub class: String,
    /// The class that is written into the claim first (R15).
    pub assigned_class: Option<String>,
    /// The in-tree name of the class, if a CSI driver took it over. Only the driver's name is written: the controller itself
    /// takes `migrated-to` off a claim that is left to the driver.
    pub migrated_from: Option<String>,
    /// The node to write as `selected-node`, and why that one; nothing if none is needed, or one is there.
    pub selected_node: Option<ChosenNode>,
    /// Whether the annotations do not both name the provisioner yet. The one inside the controller does not ask for them.
    pub needs_annotations: bool,
    /// What is known of the provisioner.
    pub seen: Seen,
    /// What surprises.
    pub warnings: Vec<String>,
    /// The name the volume will have, where that is certain.
    pub volume_name: Option<String>,
}

/// What is known of a provisioner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// It shows signs of life.
    Yes,
    /// It is inside the controller, which may run without it.
    InController,
    /// It cannot be seen from outside, and nothing it made or said was.
    No,
}

impl From<DelegatedMaking> for Making {
    fn from(making: DelegatedMaking) -> Self {
        Self::Delegated(Box::new(making))
    }
}

pub(super) fn plan(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    resolved: &Resolved<'_>,
    maker: &Maker,
) -> Result<DelegatedMaking, Refusal> {
    let class = resolved.class;
    // First what no node can mend: nobody makes it, or whoever does refuses.
    let last_words = ask(state, question, resolved, maker)?;
    let found = if class.binding_mode == BindingMode::WaitForFirstConsumer {
        selecting::choose_node(state, question, maker)?
    } else {
        nodes::Found::without(question.node.map(|_| {
            format!(
                "class {} binds at once (Immediate): its provisioner chooses the place, and no node is written",
                class.name
            )
        }))
    };
    let mut warnings = found.warnings;
    let (provisioner, by) = match maker {
        Maker::External { name, by } => (name.clone(), *by),
        _ => (HOST_PATH.to_owned(), ProvisionedBy::Internal),
    };
    let seen = match (by, signs_of(state, &provisioner, Reports::None)) {
        (ProvisionedBy::Internal, _) => Seen::InController,
        (_, Signs::Seen) => Seen::Yes,
        _ => Seen::No,
    };
    warnings.extend(match seen {
        Seen::Yes => None,
        Seen::InController => Some(format!(
            "{HOST_PATH} acts only if the controller runs with --enable-hostpath-provisioner, which cannot be seen from outside"
        )),
        Seen::No => Some(format!(
            "nobody was seen answering to {provisioner}: if it does not run, nothing is made (--backend {provisioner}=… makes it here)"
        )),
    });
    warnings.extend(last_words);
    let is_internal = by == ProvisionedBy::Internal;
    Ok(DelegatedMaking {
        needs_annotations: !is_internal && needs_annotations(question.claim, &provisioner),
        class: class.name.clone(),
        assigned_class: resolved.assigned.clone(),
        migrated_from: (by == ProvisionedBy::Migrated).then(|| class.provisioner.clone()),
        selected_node: found.node,
        seen,
        warnings,
        volume_name: volume_name(question.claim).filter(|_| is_internal),
        provisioner,
    })
}

/// The claim as the provisioner will see it: what it says to it does not depend on which node is chosen.
fn as_if_placed(state: &ClusterState, resolved: &Resolved<'_>) -> Claim {
    let mut claim = resolved.claim.clone().into_owned();
    let nodes_seen = state.saw(Kind::Nodes, None);
    let some_node = state.objects().nodes.first().map(|node| &*node.name);
    let is_delayed = resolved.class.binding_mode == BindingMode::WaitForFirstConsumer;
    let node = some_node.or((!nodes_seen).then_some("some-node"));
    if let Some(node) = node.filter(|_| is_delayed && claim.selected_node().is_none()) {
        let key = SELECTED_NODE.to_owned();
        claim.annotations.insert(key, node.to_owned());
    }
    claim
}

/// Whether the provisioner would do it, as far as that shows; if so, what it reported last.
fn ask(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    resolved: &Resolved<'_>,
    maker: &Maker,
) -> Result<Option<String>, Refusal> {
    let class = resolved.class;
    if matches!(maker, Maker::Nobody) {
        let class = class.name.clone();
        let evidence = ProvisionEvidence::ClassWithoutProvisioner { class };
        return Err(Refusal::new(evidence));
    }
    let refusal = match maker {
        Maker::Unimplemented(_) => Some(ClaimCause::ProvisionerUnknown {
            class: class.name.clone(),
            provisioner: class.provisioner.clone(),
        }),
        _ => None,
    };
    if let Some(refusal) = refusal {
        return Err(unmade(refusal));
    }
    if question.claim.options.is_some() {
        let would = WithoutOptions::Provisions;
        let cause = ClaimCause::OptionsIgnoredByCluster { would };
        let refusal = unmade(cause).advise(Advice::LeaveOptionsOut);
        return Err(refusal);
    }
    if let Maker::External { name, .. } = maker
        && let Signs::NotSeen(kinds) = signs_of(state, name, Reports::None)
        // Of a name with a slash these lists show nothing anyway.
        && !name.contains('/')
    {
        return Err(not_readable(state, question.claim, &kinds));
    }
    nodes::check_selected(state, question)?;
    let asked = as_if_placed(state, resolved);
    let decision = decide_uncontended(state, &asked, question.rules);
    let refuses =
        *maker == Maker::Internal && internal_refusal(state, &asked, resolved.class).is_some();
    // What a provisioner reported last does not prevent another try; what the controller refuses by itself does.
    let is_last_report =
        |cause: &ClaimCause| !refuses && matches!(cause, ClaimCause::ProvisioningFailed { .. });
    // That the lists show no sign of a name with a slash was decided above.
    let is_decided = |cause: &ClaimCause| matches!(cause, ClaimCause::NotReadable { .. });
    let mut reports = decision.causes.iter().map(|cause| &cause.cause);
    let last = reports.find(|cause| is_last_report(cause));
    let blockers = decision.blockers();
    match main_blocker(blockers.filter(|cause| !is_last_report(cause) && !is_decided(cause))) {
        Some(cause) => Err(unmade(cause.clone())),
        None => Ok(last.map(|cause| format!("last time, {}", cause.message()))),
    }
}
