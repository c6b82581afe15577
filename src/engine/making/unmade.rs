//! Why no volume is made for a claim.

use super::super::unknowns::{describe, unread};
use crate::conventions::annotations::SELECTED_NODE;
use crate::conventions::object_command::command;
use crate::model::{Claim, ClusterState, Kind};
use crate::report::{ClaimCause, NodeReason, Unknown};

/// Why no volume is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Unmade {
    /// The code.
    pub code: &'static str,
    /// One clause, read after the claim.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// How it stands.
    pub standing: Standing,
    /// Whether the claim is ours to provision, so that the refusal is told as an event on it (`ProvisioningFailed`).
    pub is_ours: bool,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
}

/// How a claim stands for which no volume is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is refused until somebody acts.
    Refused,
    /// Something the answer needs could not be read.
    Unknown,
}

impl Unmade {
    pub(super) fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            standing: Standing::Refused,
            is_ours: false,
            unknowns: vec![],
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, told on the claim: it is ours.
    pub(super) fn told_on_claim(mut self) -> Self {
        self.is_ours = self.standing == Standing::Refused;
        self
    }

    /// These lists decide it, and were not seen.
    pub(super) fn not_readable(state: &ClusterState, claim: &Claim, kinds: &[Kind]) -> Self {
        let what = kinds.to_vec();
        let cause = ClaimCause::NotReadable { what };
        Self {
            standing: Standing::Unknown,
            unknowns: unknowns(state, claim, kinds),
            ..Self::from(&cause)
        }
    }

    /// Several things are wrong at once: the first gives its code, and all are said.
    pub(super) fn of_all(causes: &[ClaimCause]) -> Option<Self> {
        let first = causes.first()?;
        let messages: Vec<String> = causes.iter().map(ClaimCause::message).collect();
        Some(Self {
            message: messages.join("; "),
            ..Self::from(first)
        })
    }

    /// What speaks against a node, all of it.
    pub(super) fn of_node(node: &str, reasons: &[NodeReason]) -> Option<Self> {
        let first = reasons.first()?;
        let messages: Vec<String> = reasons.iter().map(NodeReason::message).collect();
        let message = format!("not on node {node}: {}", messages.join("; "));
        Some(Self::refused(first.code(), message))
    }
}

impl From<&ClaimCause> for Unmade {
    fn from(cause: &ClaimCause) -> Self {
        // That volumes are matched by its name all the same helps nobody who wants one made.
        if let ClaimCause::ClassNotFound { class, similar } = cause {
            let message =
                format!("class {class} does not exist, and only a class says who makes volumes");
            let unmade = Self::refused(cause.code(), message);
            return match &similar[..] {
                [] => unmade,
                _ => Self {
                    hint: cause.hint(),
                    ..unmade
                },
            };
        }
        Self {
            hint: cause.hint(),
            ..Self::refused(cause.code(), cause.message())
        }
    }
}

/// The entries for those of the kinds that were not seen.
pub(super) fn unknowns(state: &ClusterState, claim: &Claim, kinds: &[Kind]) -> Vec<Unknown> {
    let gap = |kind: &Kind| {
        let namespace = kind.is_namespaced().then_some(claim.key.namespace.as_str());
        state.find_gap(*kind, namespace)
    };
    let gaps = kinds.iter().filter_map(gap).map(describe);
    let single = kinds.iter().flat_map(|kind| unread(state, claim, *kind));
    gaps.chain(single).collect()
}

/// The first of these causes that prevents provisioning. That no existing volume fits does not: it is the reason to provision one.
pub(super) fn main_blocker<'c>(
    mut blockers: impl Iterator<Item = &'c ClaimCause>,
) -> Option<&'c ClaimCause> {
    let is_about_others = |cause: &ClaimCause| {
        matches!(
            cause,
            ClaimCause::NoVolumeFits { .. }
                | ClaimCause::NoVolumes
                | ClaimCause::LabelNotOffered { .. }
        )
    };
    blockers.find(|cause| !is_about_others(cause))
}

/// The command that lets a claim forget its node.
pub(super) fn forget_node(claim: &Claim) -> String {
    let removal = format!("{SELECTED_NODE}-");
    let (name, namespace) = (&*claim.key.name, &*claim.key.namespace);
    let words = [
        "kubectl", "annotate", "pvc", name, "-n", namespace, &removal,
    ];
    format!("let it forget that node: {}", command(&words))
}
