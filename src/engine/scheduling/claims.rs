//! The claims of a pod before any node is looked at: which are bound, which wait for a node, and what ends the attempt
//! at once (R100, R101, R103, R120).

use super::super::Rules;
use super::super::admission;
use super::super::classes::{is_delayed, lacks_class};
use super::super::phases::Phases;
use super::super::sync::{Step, decide};
use super::others;
use crate::conventions::access_mode::AccessModes;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, ClaimPhase, ClaimUse, ClusterState, Pod};
use std::borrow::Cow;

/// The claims of a pod, in the order of its volumes; one that is used twice is there twice.
#[derive(Debug, Clone)]
pub(crate) struct PodClaims<'a> {
    pub(crate) uses: Vec<Use<'a>>,
}

/// One volume of a pod that is a claim.
#[derive(Debug, Clone)]
pub(crate) struct Use<'a> {
    pub(crate) claim: Cow<'a, Claim>,
    pub(crate) is_ephemeral: bool,
    /// The class that counts, which the controller may yet have to write into the claim.
    pub(crate) class: String,
    pub(crate) standing: Standing,
}

/// How a claim stands when its pod is looked at (R101).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Bound to this volume.
    Bound(String),
    /// Waits for a node.
    Delayed,
    /// Should have been bound before: such a claim stops the pod.
    Immediate,
}

/// What ends the attempt before any node is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The pod's affinity names different nodes at once, which is looked at before any volume.
    AffinityConflict,
    /// A claim is not there.
    ClaimNotFound(String),
    /// The claim of an ephemeral volume was not created yet.
    EphemeralClaimNotCreated(String),
    /// A claim lost its volume.
    ClaimLost {
        /// The claim.
        claim: String,
        /// The volume it names.
        volume: String,
    },
    /// A claim is being deleted.
    ClaimTerminating(String),
    /// The claim of an ephemeral volume is somebody else's.
    EphemeralClaimNotOwned {
        /// The claim.
        claim: ObjectKey,
        /// The pod.
        pod: ObjectKey,
    },
    /// Claims that should have been bound before.
    UnboundImmediateClaims(Vec<String>),
    /// A bound claim's volume is not there.
    BoundVolumeMissing {
        /// The claim.
        claim: String,
        /// The volume.
        volume: String,
    },
}

impl Refusal {
    /// The scheduler's own words.
    pub fn text(&self) -> String {
        match self {
            Self::AffinityConflict => "pod affinity terms conflict".to_owned(),
            Self::ClaimNotFound(claim) => format!("persistentvolumeclaim \"{claim}\" not found"),
            Self::EphemeralClaimNotCreated(claim) => format!(
                "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{claim}\""
            ),
            Self::ClaimLost { claim, volume } => format!(
                "persistentvolumeclaim \"{claim}\" bound to non-existent persistentvolume \"{volume}\""
            ),
            Self::ClaimTerminating(claim) => {
                format!("persistentvolumeclaim \"{claim}\" is being deleted")
            }
            Self::EphemeralClaimNotOwned { claim, pod } => {
                format!("PVC {claim} was not created for pod {pod} (pod is not owner)")
            }
            Self::UnboundImmediateClaims(_) => {
                "pod has unbound immediate PersistentVolumeClaims".to_owned()
            }
            Self::BoundVolumeMissing { volume, .. } => {
                format!("persistentvolume \"{volume}\" not found")
            }
        }
    }
}

impl<'a> PodClaims<'a> {
    /// The claims of a pod as they are, or as they will be once the controller has looked at them.
    ///
    /// Upstream: volumerestrictions, PreFilter; volumebinding, podHasPVCs and GetPodVolumeClaims.
    pub(crate) fn find(
        state: &'a ClusterState,
        pod: &Pod,
        rules: Rules,
        phases: Phases,
    ) -> Result<Self, Refusal> {
        if others::names_no_node(pod) {
            return Err(Refusal::AffinityConflict);
        }
        // A claim that the API server would refuse never comes to exist.
        let is_created = |claim: &&Claim| {
            phases == Phases::Stored
                || claim.exists()
                || admission::admit(state, claim, rules).refusals.is_empty()
        };
        let claim_of = |name: &str| {
            let claim = state.find_claim(&ObjectKey::new(&*pod.key.namespace, name));
            claim.filter(is_created)
        };
        for volume in &pod.volumes {
            if let ClaimUse::Named(name) = &volume.claim
                && claim_of(name).is_none()
            {
                return Err(Refusal::ClaimNotFound(name.clone()));
            }
        }
        let mut uses = Vec::new();
        for volume in &pod.volumes {
            let (name, is_ephemeral) = match &volume.claim {
                ClaimUse::Named(name) => (name, false),
                ClaimUse::Ephemeral(name) => (name, true),
            };
            let Some(claim) = claim_of(name) else {
                return Err(Refusal::EphemeralClaimNotCreated(name.clone()));
            };
            let usage = Use::of(state, claim, is_ephemeral, rules, phases);
            usage.check(pod, usage.is_lost(state, rules, phases))?;
            uses.push(usage);
        }
        Ok(Self { uses })
    }

    /// The claims that should have been bound before.
    pub(crate) fn immediate(&self) -> impl Iterator<Item = &Use<'a>> {
        self.standing(|standing| *standing == Standing::Immediate)
    }

    /// The claims that wait for a node.
    pub(crate) fn delayed(&self) -> impl Iterator<Item = &Use<'a>> {
        self.standing(|standing| *standing == Standing::Delayed)
    }

    fn standing(&self, wanted: impl Fn(&Standing) -> bool) -> impl Iterator<Item = &Use<'a>> {
        self.uses
            .iter()
            .filter(move |usage| wanted(&usage.standing))
    }

    /// What ends the attempt once the claims are known: one that should be bound, or the zone of a volume that is gone.
    pub(crate) fn refusal(&self, state: &ClusterState) -> Option<Refusal> {
        let immediate: Vec<String> = self
            .immediate()
            .map(|usage| usage.claim.key.name.clone())
            .collect();
        if !immediate.is_empty() {
            return Some(Refusal::UnboundImmediateClaims(immediate));
        }
        self.uses
            .iter()
            .filter(|usage| !usage.is_ephemeral)
            .find_map(|usage| match &usage.standing {
                Standing::Bound(volume) if state.find_volume(volume).is_none() => {
                    Some(Refusal::BoundVolumeMissing {
                        claim: usage.claim.key.name.clone(),
                        volume: volume.clone(),
                    })
                }
                _ => None,
            })
    }

    /// The same claims with one of them taken as bound to a volume.
    pub(crate) fn assume(&mut self, claim: &ObjectKey, volume: &str) {
        for usage in &mut self.uses {
            if usage.claim.key == *claim {
                usage.standing = Standing::Bound(volume.to_owned());
            }
        }
    }
}

impl<'a> Use<'a> {
    fn of(
        state: &'a ClusterState,
        claim: &'a Claim,
        is_ephemeral: bool,
        rules: Rules,
        phases: Phases,
    ) -> Self {
        // A claim that does not exist yet is looked at as the API server would store it.
        let claim = if claim.exists() {
            Cow::Borrowed(claim)
        } else {
            Cow::Owned(admission::admit(state, claim, rules).stored)
        };
        let class = match phases {
            Phases::Stored => claim.class.resolved().to_owned(),
            Phases::Settled => settled_class(state, &claim, rules),
        };
        let standing = standing(state, &claim, &class);
        Self {
            claim,
            is_ephemeral,
            class,
            standing,
        }
    }

    pub(crate) fn modes(&self) -> AccessModes {
        self.claim.access_modes()
    }

    fn is_lost(&self, state: &ClusterState, rules: Rules, phases: Phases) -> bool {
        match phases {
            Phases::Stored => self.claim.phase == ClaimPhase::Lost,
            Phases::Settled if self.claim.is_bind_completed() => matches!(
                decide(state, &self.claim, rules, phases).step,
                Step::LoseMissing(_) | Step::LoseMisbound(_)
            ),
            Phases::Settled => false,
        }
    }

    fn check(&self, pod: &Pod, is_lost: bool) -> Result<(), Refusal> {
        let claim = &self.claim;
        if is_lost {
            return Err(Refusal::ClaimLost {
                claim: claim.key.name.clone(),
                volume: claim.volume_name.clone().unwrap_or_default(),
            });
        }
        if claim.deleted.is_some() {
            return Err(Refusal::ClaimTerminating(claim.key.name.clone()));
        }
        // A pod and its claims that are only described will belong together once they are applied.
        let is_owned = !claim.exists() || (claim.owner_uid.is_some() && claim.owner_uid == pod.uid);
        if self.is_ephemeral && !is_owned {
            return Err(Refusal::EphemeralClaimNotOwned {
                claim: claim.key.clone(),
                pod: pod.key.clone(),
            });
        }
        Ok(())
    }
}

/// Fully bound is: names a volume, and the bind was completed. A delayed claim that names a volume counts as immediate.
fn standing(state: &ClusterState, claim: &Claim, class: &str) -> Standing {
    if let (Some(volume), true) = (&claim.volume_name, claim.is_bind_completed()) {
        return Standing::Bound(volume.clone());
    }
    if is_delayed(state, class) && claim.volume_name.is_none() {
        Standing::Delayed
    } else {
        Standing::Immediate
    }
}

/// The class the controller gives a claim that says nothing, unless it finds a volume without one (R15).
fn settled_class(state: &ClusterState, claim: &Claim, rules: Rules) -> String {
    if !lacks_class(claim, rules) {
        return claim.class.resolved().to_owned();
    }
    match decide(state, claim, rules, Phases::Settled).step {
        Step::AssignClass(class) => class,
        _ => claim.class.resolved().to_owned(),
    }
}
