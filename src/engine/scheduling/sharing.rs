//! What only one pod may use: claims with ReadWriteOncePod, and disks that pods name themselves (R119).

use super::claims::PodClaims;
use super::placed_pods;
use crate::conventions::access_mode::AccessModes;
use crate::model::{ClaimUse, ClusterState, InlineDisk, Node, Pod};
use crate::report::NodeReason;

/// What the pods that have a node keep from this one.
pub(super) struct Sharing<'a> {
    /// Holds on every node.
    everywhere: Vec<NodeReason>,
    disks: &'a [InlineDisk],
    others: Vec<&'a Pod>,
}

impl<'a> Sharing<'a> {
    /// Upstream: volumerestrictions, calPreFilterState. Generic ephemeral volumes are not examined.
    pub(super) fn find(state: &'a ClusterState, pod: &'a Pod, claims: &PodClaims<'_>) -> Self {
        let alone = AccessModes::of_names(["ReadWriteOncePod"]);
        let mut everywhere = Vec::new();
        for usage in claims.uses.iter().filter(|usage| !usage.is_ephemeral) {
            if !usage.modes().missing(alone).is_empty() {
                continue;
            }
            let name = &usage.claim.key.name;
            let holds = |other: &&Pod| {
                other.key.namespace == pod.key.namespace
                    && other.volumes.iter().any(
                        |volume| matches!(&volume.claim, ClaimUse::Named(named) if named == name),
                    )
            };
            if let Some(holder) = placed_pods(state, &pod.key).find(holds) {
                everywhere.push(NodeReason::ReadWriteOncePodInUse {
                    claim: name.clone(),
                    pod: holder.key.to_string(),
                });
            }
        }
        let others = if pod.disks.is_empty() {
            vec![]
        } else {
            placed_pods(state, &pod.key).collect()
        };
        Self {
            everywhere,
            disks: &pod.disks,
            others,
        }
    }

    /// What speaks against the node. A disk that is in use is said first, and alone.
    pub(super) fn reasons(&self, node: &Node) -> Vec<NodeReason> {
        let there = self
            .others
            .iter()
            .filter(|other| other.node_name.as_deref() == Some(node.name.as_str()));
        for other in there {
            for disk in self.disks {
                if other.disks.iter().any(|theirs| conflict(disk, theirs)) {
                    return vec![NodeReason::DiskInUse {
                        disk: spelled(disk),
                        pod: other.key.to_string(),
                    }];
                }
            }
        }
        self.everywhere.clone()
    }
}

/// Upstream: volumerestrictions, isVolumeConflict.
fn conflict(mine: &InlineDisk, theirs: &InlineDisk) -> bool {
    use InlineDisk::{Aws, Gce, Iscsi, Rbd};
    match (mine, theirs) {
        (
            Gce { disk, read_only },
            Gce {
                disk: other,
                read_only: other_read_only,
            },
        ) => disk == other && !(*read_only && *other_read_only),
        (Aws { disk }, Aws { disk: other }) => disk == other,
        (
            Iscsi { iqn, read_only },
            Iscsi {
                iqn: other,
                read_only: other_read_only,
            },
        ) => iqn == other && !(*read_only && *other_read_only),
        (
            Rbd {
                monitors,
                pool,
                image,
                read_only,
            },
            Rbd {
                monitors: other_monitors,
                pool: other_pool,
                image: other_image,
                read_only: other_read_only,
            },
        ) => {
            monitors
                .iter()
                .any(|monitor| other_monitors.contains(monitor))
                && pool == other_pool
                && image == other_image
                && !(*read_only && *other_read_only)
        }
        _ => false,
    }
}

fn spelled(disk: &InlineDisk) -> String {
    match disk {
        InlineDisk::Gce { disk, .. }
        | InlineDisk::Aws { disk }
        | InlineDisk::Counted { disk, .. } => disk.clone(),
        InlineDisk::Iscsi { iqn, .. } => iqn.clone(),
        InlineDisk::Rbd { pool, image, .. } => format!("{pool}/{image}"),
    }
}
