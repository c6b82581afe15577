//! Changes of a volume that make it fit a claim: its class, labels, access modes, or a reservation for a deleted claim. The
//! claim's previous volume is returned to it; any other volume is offered under [`Conditions`].

use super::super::reclaim_commands;
use super::conditions::{Conditions, where_to_check};
use super::{Change, Remedy, RemedyKind};
use crate::conventions::foreign::quoted;
use crate::conventions::object_command::command;
use crate::conventions::selector::{Operator, Requirement};
use crate::model::{Claim, ClaimRef, Volume};
use crate::report::{Assessment, Danger, Explanation, Result, VolumeReason, join_and};
use serde_json::{Map, Value, json};

/// How many of the nearest misses are tried.
const NEAREST: usize = 6;

pub(super) fn propose(conditions: &Conditions<'_>, explanation: &Explanation) -> Vec<Remedy> {
    let claim = conditions.claim;
    let rejected = explanation
        .volumes
        .iter()
        .filter(|assessment| assessment.result == Result::Rejected);
    let (previous, others): (Vec<_>, Vec<_>) =
        rejected.partition(|assessment| is_previous(claim, assessment));
    let found = |assessment: &&Assessment| conditions.state.find_volume(&assessment.name).cloned();
    let returned = previous.iter().filter_map(|assessment| {
        let volume = found(assessment)?;
        let reasons = &assessment.reasons;
        let is_allowed = conditions.is_unwanted(&volume) && conditions.allow_class_change(reasons);
        is_allowed.then(|| remedy(RemedyKind::ReturnVolume, claim, &volume, reasons))?
    });
    let offered = others.iter().take(NEAREST).filter_map(|assessment| {
        let volume = found(assessment)?;
        let reasons = &assessment.reasons;
        let is_allowed = conditions.allow_offer(&volume, reasons);
        is_allowed.then(|| remedy(RemedyKind::OfferVolume, claim, &volume, reasons))?
    });
    returned.chain(offered).collect()
}

/// Whether the volume belonged to a deleted claim of the same namespace and name.
fn is_previous(claim: &Claim, assessment: &Assessment) -> bool {
    assessment.reasons.iter().any(|reason| match reason {
        VolumeReason::ReservedForDeletedClaim(holder) => {
            holder.claim.as_ref().is_none_or(|key| *key == claim.key)
        }
        _ => false,
    })
}

fn remedy(
    kind: RemedyKind,
    claim: &Claim,
    volume: &Volume,
    reasons: &[VolumeReason],
) -> Option<Remedy> {
    let mut change = VolumeChange::new(kind, volume);
    for reason in reasons {
        change.fix(claim, reason)?;
    }
    Some(change.into_remedy(reasons.len()))
}

/// A volume that is changed until it fits: the new object, its patch, and the words for it.
struct VolumeChange {
    kind: RemedyKind,
    volume: Volume,
    labels: Map<String, Value>,
    annotations: Map<String, Value>,
    spec: Map<String, Value>,
    said: Vec<String>,
    /// The deleted claim whose data it holds, where its reservation changes.
    data_of: Option<String>,
}

impl VolumeChange {
    fn new(kind: RemedyKind, volume: &Volume) -> Self {
        let (labels, annotations, spec) = (Map::new(), Map::new(), Map::new());
        Self {
            kind,
            volume: volume.clone(),
            labels,
            annotations,
            spec,
            said: vec![],
            data_of: None,
        }
    }

    /// Fixes one reason. Size, mode and volumes of other claims cannot be fixed on this side.
    fn fix(&mut self, claim: &Claim, reason: &VolumeReason) -> Option<()> {
        match reason {
            VolumeReason::ReservedForDeletedClaim(holder) => {
                let earlier = holder.claim.clone().unwrap_or_else(|| claim.key.clone());
                // The data of another namespace is not offered.
                if earlier.namespace != claim.key.namespace {
                    return None;
                }
                self.data_of = Some(if earlier == claim.key {
                    "the deleted claim".to_owned()
                } else {
                    format!("the deleted claim {earlier}")
                });
                self.reserve_for(claim);
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
                    .push(format!("add {missing}, if its storage supports it"));
            }
            VolumeReason::SelectorMismatch { .. } => {
                let unmet = claim.selector.as_ref()?.unmet(&self.volume.labels);
                if self.kind == RemedyKind::OfferVolume && unmet.len() != 1 {
                    return None;
                }
                for requirement in unmet {
                    self.meet(&requirement)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// A reservation by name: only the claim of that name can bind it.
    fn reserve_for(&mut self, claim: &Claim) {
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
            "remove its class".to_owned()
        } else {
            format!("set its class to {}", quoted(class))
        });
    }

    fn meet(&mut self, requirement: &Requirement) -> Option<()> {
        let key = requirement.key.clone();
        match (&requirement.operator, requirement.values.first()) {
            (Operator::In, Some(value)) => {
                let old = self.volume.labels.insert(key.clone(), value.clone());
                self.said.push(match old {
                    None => format!("label it {key}={value}"),
                    Some(old) => format!("change its label {key} from {old} to {value}"),
                });
                self.labels.insert(key, json!(value));
            }
            (Operator::NotIn | Operator::DoesNotExist, _) => {
                self.volume.labels.remove(&key);
                self.said.push(format!("remove its label {key}"));
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
        // The old claimRef reserves it until the last command.
        let owner = self.volume.claim_ref.as_ref().map(ClaimRef::key);
        let owner = owner.filter(|_| self.data_of.is_some());
        commands.extend(owner.map(|claim| reclaim_commands::reuse_for(&name, &claim)));
        let storage = where_to_check(&self.volume);
        let change = match &self.said[..] {
            [] => String::new(),
            said => format!(": {}", join_and(said)),
        };
        let summary = match (&self.data_of, self.kind) {
            (Some(owner), RemedyKind::ReturnVolume) => {
                format!("Reuse {name}, with the data of {owner}{change}")
            }
            (Some(owner), _) => format!(
                "Offer {name}. It holds the data of {owner}: check {storage} first. The claim would then bind"
            ),
            (None, _) => format!(
                "Offer {name}{change}. It may hold data: check {storage} first. The claim would then bind"
            ),
        };
        Remedy {
            kind: self.kind,
            summary,
            commands,
            danger: Danger::Reversible,
            change: Change::Volume(Box::new(self.volume)),
            size,
            volume: Some(name),
        }
    }
}
