//! How many volumes of a driver a node takes (R121).

use super::claims::{PodClaims, Standing};
use super::migration::driver_and_handle;
use super::placed_pods;
use crate::conventions::class_name::migrated_driver;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, InlineDisk, Node, Pod};
use crate::report::NodeReason;
use std::collections::{BTreeMap, BTreeSet};

/// A volume of a driver: the driver's name, and what tells the volume from others.
type Attached = (String, String);

/// What a pod would add to a node.
pub(super) struct Limits<'a> {
    state: &'a ClusterState,
    pod: &'a Pod,
    new: BTreeSet<Attached>,
}

impl<'a> Limits<'a> {
    pub(super) fn new(state: &'a ClusterState, pod: &'a Pod, claims: &PodClaims<'_>) -> Self {
        let of_claim = |usage: &super::claims::Use<'_>| {
            let bound = match &usage.standing {
                Standing::Bound(volume) => Some(volume.as_str()),
                _ => usage.claim.volume_name.as_deref(),
            };
            volume_of_claim(state, &usage.claim.key, &usage.class, bound)
        };
        let mut new: BTreeSet<Attached> = claims.uses.iter().filter_map(of_claim).collect();
        new.extend(pod.disks.iter().filter_map(volume_of_disk));
        Self { state, pod, new }
    }

    /// The drivers that would take too many.
    ///
    /// Upstream: nodevolumelimits/csi.go, Filter. A new volume that is attached to the node already and used by no pod there
    /// counts twice, as it does upstream.
    pub(super) fn reasons(&self, node: &Node) -> Vec<NodeReason> {
        let Some(csi) = self
            .state
            .find_csi_node(&node.name)
            .filter(|csi| !csi.limits.is_empty() && !self.new.is_empty())
        else {
            return vec![];
        };
        let mut attached: BTreeSet<Attached> = BTreeSet::new();
        for pod in placed_pods(self.state, &self.pod.key)
            .filter(|pod| pod.node_name.as_deref() == Some(node.name.as_str()))
        {
            attached.extend(volumes_of_pod(self.state, pod));
        }
        let mut coming: BTreeMap<&str, usize> = BTreeMap::new();
        for (driver, _) in self.new.iter().filter(|new| !attached.contains(new)) {
            *coming.entry(driver).or_default() += 1;
        }
        attached.extend(attachments(self.state, node));
        let exceeded = |(driver, new): (&str, usize)| {
            let limit = *csi.limits.get(driver)?;
            let used = attached.iter().filter(|(of, _)| of == driver).count();
            let total = i64::try_from(used + new).unwrap_or(i64::MAX);
            (total > limit).then(|| NodeReason::NodeVolumeLimitReached {
                driver: driver.to_owned(),
                used,
                new,
                limit,
            })
        };
        coming.into_iter().filter_map(exceeded).collect()
    }
}

/// The volumes VolumeAttachments put on the node.
fn attachments<'a>(state: &'a ClusterState, node: &'a Node) -> impl Iterator<Item = Attached> + 'a {
    let there = state.objects().attachments.iter();
    there
        .filter(|attachment| attachment.node == node.name && !attachment.attacher.is_empty())
        .filter_map(|attachment| {
            let volume = state.find_volume(attachment.volume.as_deref()?)?;
            let handle = volume.source.location.clone().unwrap_or_default();
            (volume.source.field == "csi").then(|| (attachment.attacher.clone(), handle))
        })
}

fn volumes_of_pod(state: &ClusterState, pod: &Pod) -> Vec<Attached> {
    let of_claims = pod.volumes.iter().filter_map(|volume| {
        let key = ObjectKey::new(&*pod.key.namespace, volume.claim.claim_name());
        let claim = state.find_claim(&key)?;
        volume_of_claim(
            state,
            &key,
            claim.class.resolved(),
            claim.volume_name.as_deref(),
        )
    });
    of_claims
        .chain(pod.disks.iter().filter_map(volume_of_disk))
        .collect()
}

/// The volume of a claim, or the one that its class's provisioner would make.
fn volume_of_claim(
    state: &ClusterState,
    claim: &ObjectKey,
    class: &str,
    volume: Option<&str>,
) -> Option<Attached> {
    if let Some(volume) = volume.and_then(|name| state.find_volume(name)) {
        return driver_and_handle(volume)
            .filter(|(driver, handle)| !driver.is_empty() && !handle.is_empty());
    }
    let provisioner = &state.find_class(class)?.provisioner;
    let to_come = format!("to be made for {claim}");
    match migrated_driver(provisioner) {
        Some(driver) if counts(provisioner) => Some((driver.to_owned(), to_come)),
        Some(_) => None,
        None => Some((provisioner.clone(), to_come)),
    }
}

/// Of the names that moved to CSI, those whose volumes are counted.
fn counts(provisioner: &str) -> bool {
    matches!(
        provisioner,
        "kubernetes.io/aws-ebs"
            | "kubernetes.io/gce-pd"
            | "kubernetes.io/azure-disk"
            | "kubernetes.io/cinder"
            | "kubernetes.io/portworx-volume"
    )
}

fn volume_of_disk(disk: &InlineDisk) -> Option<Attached> {
    let (plugin, handle) = match disk {
        InlineDisk::Gce { disk, .. } => ("kubernetes.io/gce-pd", disk.as_str()),
        InlineDisk::Counted { plugin, disk } => (*plugin, disk.as_str()),
        InlineDisk::Aws { disk } => (
            "kubernetes.io/aws-ebs",
            disk.rsplit('/').next().unwrap_or_default(),
        ),
        _ => return None,
    };
    Some((migrated_driver(plugin)?.to_owned(), handle.to_owned()))
}
