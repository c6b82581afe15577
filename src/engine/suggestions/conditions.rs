//! Whether a volume that was not meant for a claim may be offered to it. Every condition guards data, or another claim.

use super::super::Rules;
use super::super::claims::imagined_pod;
use super::super::contention::Wishes;
use super::super::ending::may_be_reused;
use super::super::provisioning::Maker;
use super::super::reach::find_unmet_affinity;
use super::super::scheduling::{Attempt, Meanwhile, attempt, driver_and_handle};
use crate::conventions::annotations;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, ClaimRef, ClusterState, Kind, Pod, Volume, Workload};
use crate::report::VolumeReason;
use std::collections::BTreeSet;

/// What the conditions are checked against.
pub(super) struct Conditions<'a> {
    pub(super) state: &'a ClusterState,
    pub(super) claim: &'a Claim,
    /// The class that counts for the claim; empty for none.
    pub(super) class: &'a str,
    pub(super) wishes: &'a Wishes<'a>,
}

impl Conditions<'_> {
    /// Whether the volume, which fails these checks, may be offered. The caller tries the change itself. Claims that were not
    /// read may want any volume.
    pub(super) fn allow_offer(&self, volume: &Volume, failures: &[VolumeReason]) -> bool {
        failures.len() == 1
            && self.state.saw(Kind::Claims, None)
            && !has_data_source(self.claim)
            && !volume.has_annotation(annotations::PROVISIONED_BY)
            && self.is_of_the_classes_storage(volume)
            && self.allow_class_change(failures)
            && self.is_unwanted(volume)
            && !self.wishes.another_is_nearer(self.claim, volume, failures)
    }

    /// Whether no claim that was read wants the volume but this one, and no other use stands in the way.
    pub(super) fn is_unwanted(&self, volume: &Volume) -> bool {
        let (state, claim) = (self.state, self.claim);
        let is_other = |other: &Claim| other.key != claim.key;
        let is_named = || state.claims_naming(&volume.name).any(is_other);
        let names = std::slice::from_ref(&volume.name);
        !is_named() && self.is_left(volume) && self.wishes.competitors(claim, names).is_empty()
    }

    /// Whether the claim of its claimRef is this one, or was deleted and does not come back.
    fn is_left(&self, volume: &Volume) -> bool {
        let Some(reference) = volume.claim_ref.as_ref().filter(|it| !it.is_empty()) else {
            return true;
        };
        let is_own = reference.key() == self.claim.key;
        let comes_back = |set: &Workload| set.find_ordinal(&reference.key()).is_some();
        let mut workloads = self.state.objects().workloads.iter();
        let is_free =
            |reference: &ClaimRef| reference.uid.is_none() || may_be_reused(self.state, volume);
        is_free(reference)
            && (is_own
                || (self.state.find_claim(&reference.key()).is_none()
                    && !workloads.any(comes_back)))
    }

    /// A class that provisions one kind of storage promises it; other storage under its name breaks the promise.
    fn is_of_the_classes_storage(&self, volume: &Volume) -> bool {
        if !self.state.saw(Kind::Classes, None) {
            return false;
        }
        let Some(class) = self.state.find_class(self.class) else {
            return true;
        };
        match Maker::of(class) {
            Maker::Nobody | Maker::Unimplemented(_) => true,
            Maker::Internal => volume.source.field == "hostPath",
            Maker::External { name, .. } => match driver_and_handle(volume) {
                Some((driver, _)) => driver == name,
                None => self.has_provisioned_alike(&name, volume),
            },
        }
    }

    /// What a provisioner that is no CSI driver provisions is known by its volumes alone.
    fn has_provisioned_alike(&self, provisioner: &str, volume: &Volume) -> bool {
        let mut volumes = self.state.volumes().iter();
        volumes.any(|other| {
            other.provisioned_by() == Some(provisioner) && other.source.field == volume.source.field
        })
    }

    /// A class that does not exist is probably misspelt: no volume is moved to it.
    pub(super) fn allow_class_change(&self, failures: &[VolumeReason]) -> bool {
        let changes_class = failures
            .iter()
            .any(|it| matches!(it, VolumeReason::ClassMismatch { .. }));
        !changes_class || self.class.is_empty() || self.state.find_class(self.class).is_some()
    }
}

/// Whether the claim is to be filled from a source: an existing volume would have other data.
pub(super) fn has_data_source(claim: &Claim) -> bool {
    claim.data_source.is_some() || claim.data_source_ref.is_some()
}

/// Whether a node that exists can use the volume, as far as the nodes were read.
pub(super) fn is_reachable(state: &ClusterState, volume: &Volume) -> bool {
    find_unmet_affinity(state, volume).is_none()
}

/// Whether a pod that uses the claim has a node, once the claim has the volume. Without a pod, any pod counts. Without
/// nodes nothing is known, and only a volume that asks for no node passes.
pub(super) fn has_feasible_node(
    state: &ClusterState,
    claim: &Claim,
    volume: &str,
    rules: Rules,
) -> bool {
    if state.objects().nodes.is_empty() {
        let found = state.find_volume(volume);
        return found.is_some_and(|volume| volume.node_affinity.is_none());
    }
    let alive = state
        .pods_using(&claim.key)
        .filter(|pod| !pod.is_terminated());
    let pods: Vec<Pod> = alive
        .map(|pod| without_unbound(state, pod, claim))
        .collect();
    let can_run = |pod: &Pod, is_imagined: bool| {
        let node = pod.node_name.as_deref();
        let Attempt::Judged { placements, .. } =
            attempt(state, pod, rules, node, &Meanwhile::default())
        else {
            return false;
        };
        let mut placements = placements.iter();
        placements.any(|it| it.is_open() || (is_imagined && it.is_feasible()))
    };
    if pods.is_empty() {
        return can_run(&imagined_pod(&claim.key), true);
    }
    pods.iter().any(|pod| can_run(pod, false))
}

/// The pod without its other claims that wait for a volume too: those are other questions.
fn without_unbound(state: &ClusterState, pod: &Pod, claim: &Claim) -> Pod {
    let mut pod = pod.clone();
    let namespace = pod.key.namespace.clone();
    pod.volumes.retain(|volume| {
        let key = ObjectKey::new(&*namespace, volume.claim.claim_name());
        key == claim.key || state.find_claim(&key).is_some_and(Claim::is_bind_completed)
    });
    pod
}

/// Where the data of a volume can be checked before another claim uses it.
pub(super) fn where_to_check(volume: &Volume) -> String {
    let storage = volume.source.spelled();
    let affinity = volume.node_affinity.as_ref();
    let nodes: BTreeSet<&String> = affinity
        .into_iter()
        .flat_map(|affinity| &affinity.terms)
        .flat_map(|term| &term.match_expressions)
        .flat_map(|requirement| &requirement.values)
        .collect();
    let nodes: Vec<&str> = nodes.into_iter().map(String::as_str).collect();
    if nodes.is_empty() {
        storage
    } else {
        format!("{storage} on {}", nodes.join(", "))
    }
}
