//! Changes of a volume that would make it the claim's: class, labels, access modes, a reservation nobody needs.

use super::super::contention::Wishes;
use super::super::ending::may_be_reused;
use super::super::reclaim_commands;
use super::{Change, Remedy};
use crate::conventions::selector::{Operator, Requirement};
use crate::conventions::shell::command;
use crate::model::{Claim, ClaimRef, ClusterState, Volume, VolumePhase};
use crate::report::{Assessment, Danger, Explanation, Result, VolumeReason, join_and};
use serde_json::{Map, Value, json};

/// How a volume is handed over.
const BY_NAME: &str = "a claimRef by name, without a uid (without --for any claim could take it)";

/// The nearest misses are tried; beyond these nobody would call it near.
const NEAREST: usize = 6;

pub(super) fn propose(
    state: &ClusterState,
    claim: &Claim,
    explanation: &Explanation,
    wishes: &Wishes<'_>,
) -> Vec<Remedy> {
    let rejected = explanation
        .volumes
        .iter()
        .filter(|assessment| assessment.result == Result::Rejected);
    rejected
        .take(NEAREST)
        .filter_map(|assessment| Some((state.find_volume(&assessment.name)?, assessment)))
        .filter(|(volume, _)| is_anybodys_to_give(state, claim, volume, wishes))
        .filter_map(|(volume, assessment)| remedy(claim, volume, assessment))
        .collect()
}

/// A volume that another claim is about to get or names, that pods still use or somebody is about to delete or empty, is not
/// ours to offer.
fn is_anybodys_to_give(
    state: &ClusterState,
    claim: &Claim,
    volume: &Volume,
    wishes: &Wishes<'_>,
) -> bool {
    let released = volume
        .claim_ref
        .as_ref()
        .is_some_and(|reference| reference.uid.is_some());
    let is_kept = released && !may_be_reused(state, volume);
    let is_named = state
        .claims()
        .iter()
        .any(|other| other.key != claim.key && other.volume_name.as_ref() == Some(&volume.name));
    !is_kept
        && !is_named
        && wishes
            .competitors(claim, std::slice::from_ref(&volume.name))
            .is_empty()
}

fn remedy(claim: &Claim, volume: &Volume, assessment: &Assessment) -> Option<Remedy> {
    let mut change = VolumeChange::new(volume);
    for reason in &assessment.reasons {
        change.mend(claim, reason)?;
    }
    Some(change.into_remedy(assessment.reasons.len()))
}

/// One volume on its way to fit: the new object, the patch that makes it, and what to say.
struct VolumeChange {
    volume: Volume,
    labels: Map<String, Value>,
    annotations: Map<String, Value>,
    spec: Map<String, Value>,
    said: Vec<String>,
    /// Whose data it holds, where it is handed over.
    data_of: Option<String>,
}

impl VolumeChange {
    fn new(volume: &Volume) -> Self {
        let (labels, annotations, spec) = (Map::new(), Map::new(), Map::new());
        Self {
            volume: volume.clone(),
            labels,
            annotations,
            spec,
            said: vec![],
            data_of: None,
        }
    }

    /// Mends one reason, or gives up: size, mode and other people's volumes are not mended from this side.
    fn mend(&mut self, claim: &Claim, reason: &VolumeReason) -> Option<()> {
        match reason {
            VolumeReason::ReservedForDeletedClaim(holder) => {
                let earlier = holder.claim.clone().unwrap_or_else(|| claim.key.clone());
                // Data of another namespace is nobody's here to take.
                if earlier.namespace != claim.key.namespace {
                    return None;
                }
                self.data_of = Some(if earlier == claim.key {
                    "its earlier namesake".to_owned()
                } else {
                    format!("{earlier}, which is gone")
                });
                self.hand_over(claim);
            }
            VolumeReason::ReservedForOtherClaim(holder) if holder.claim.is_none() => {
                self.volume.claim_ref = None;
                self.spec.insert("claimRef".to_owned(), Value::Null);
                self.said.push("remove its empty claimRef".to_owned());
            }
            VolumeReason::ClassMismatch { requested, .. } => self.set_class(requested),
            VolumeReason::AccessModesMissing { missing, .. } => {
                let modes = self.volume.access_modes.union(*missing);
                self.volume.access_modes = modes;
                self.spec.insert("accessModes".to_owned(), json!(modes));
                self.said
                    .push(format!("add {missing}, if its storage can do it"));
            }
            VolumeReason::SelectorMismatch { .. } => {
                for requirement in claim.selector.as_ref()?.unmet(&self.volume.labels) {
                    self.meet(&requirement)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// A reservation by name: the claim of that name takes it, and nobody else can come between.
    fn hand_over(&mut self, claim: &Claim) {
        self.volume.claim_ref = Some(ClaimRef {
            namespace: claim.key.namespace.clone(),
            name: claim.key.name.clone(),
            uid: None,
        });
    }

    fn set_class(&mut self, class: &str) {
        if self.volume.class.annotation.is_some() {
            self.volume.class.annotation = Some(class.to_owned());
            self.annotations.insert(
                crate::conventions::annotations::BETA_CLASS.to_owned(),
                json!(class),
            );
        } else {
            self.volume.class.field = Some(class.to_owned());
            self.spec
                .insert("storageClassName".to_owned(), json!(class));
        }
        self.said.push(if class.is_empty() {
            "take its class away".to_owned()
        } else {
            format!("give it class {class}")
        });
    }

    fn meet(&mut self, requirement: &Requirement) -> Option<()> {
        let key = requirement.key.clone();
        match (&requirement.operator, requirement.values.first()) {
            (Operator::In, Some(value)) => {
                self.volume.labels.insert(key.clone(), value.clone());
                self.said.push(format!("label it {key}={value}"));
                self.labels.insert(key, json!(value));
            }
            (Operator::NotIn | Operator::DoesNotExist, _) => {
                self.volume.labels.remove(&key);
                self.said.push(format!("take its label {key} away"));
                self.labels.insert(key, Value::Null);
            }
            _ => return None,
        }
        Some(())
    }

    fn into_remedy(self, size: usize) -> Remedy {
        let name = self.volume.name.clone();
        let mut metadata = Map::new();
        if !self.labels.is_empty() {
            metadata.insert("labels".to_owned(), Value::Object(self.labels));
        }
        if !self.annotations.is_empty() {
            metadata.insert("annotations".to_owned(), Value::Object(self.annotations));
        }
        let mut patch = Map::new();
        if !metadata.is_empty() {
            patch.insert("metadata".to_owned(), Value::Object(metadata));
        }
        if !self.spec.is_empty() {
            patch.insert("spec".to_owned(), Value::Object(self.spec));
        }
        let mut commands = Vec::new();
        if !patch.is_empty() {
            let patch = Value::Object(patch).to_string();
            commands.push(command(&[
                "kubectl", "patch", "pv", &name, "--type", "merge", "-p", &patch,
            ]));
        }
        // Until then its old claimRef keeps everybody else away.
        let owner = self.volume.claim_ref.as_ref().map(ClaimRef::key);
        let owner = owner.filter(|_| self.data_of.is_some());
        commands.extend(owner.map(|claim| reclaim_commands::reuse_for(&name, &claim)));
        let since = match (self.volume.phase, self.volume.phase_since) {
            (VolumePhase::Released, Some(since)) => format!(" (Released since {since})"),
            _ => String::new(),
        };
        let summary = match (&self.data_of, self.said.is_empty()) {
            (Some(whose), true) => {
                format!("Give {name}{since} to this claim, with the data of {whose}: {BY_NAME}")
            }
            (Some(whose), false) => format!(
                "Give {name}{since} to this claim, with the data of {whose}: {}; then {BY_NAME}",
                join_and(&self.said)
            ),
            (None, _) => format!(
                "Offer {name} to it: {} (checked: it would bind)",
                join_and(&self.said)
            ),
        };
        Remedy {
            summary,
            commands,
            danger: Danger::Reversible,
            change: Change::Volume(Box::new(self.volume)),
            size,
            volume: Some(name),
        }
    }
}
