//! Pods, as users of claims.

use super::{Time, VolumeSource};
use crate::conventions::object_ref::{ObjectKey, OwnerRef};
use crate::conventions::selector::Labels;
use crate::conventions::topology::NodeSelector;

/// A pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pod {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The uid, if it exists.
    pub uid: Option<String>,
    /// When it was created.
    pub created: Option<Time>,
    /// `status.phase`.
    pub phase: PodPhase,
    /// `spec.nodeName`: where it runs, or where its author put it.
    pub node_name: Option<String>,
    /// Whether its deletion was asked for.
    pub is_deleted: bool,
    /// Whether any container still runs.
    pub has_running_container: bool,
    /// Its volumes that are claims.
    pub volumes: Vec<PodVolume>,
    /// Its volumes that are disks named in the pod itself, which pods may not always share (R119).
    pub disks: Vec<InlineDisk>,
    /// Its volumes that are directories of a node or shares named in the pod itself.
    pub mounts: Vec<VolumeSource>,
    /// Who created it, e.g. `Job batch`.
    pub owner: Option<OwnerRef>,
    /// What the scheduler goes by besides volumes.
    pub wishes: PodWishes,
}

/// What a pod asks of the scheduler besides its volumes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PodWishes {
    /// The scheduler that is to place it; absent means the default one.
    pub scheduler: Option<String>,
    /// Gates that keep it from being placed at all.
    pub gates: Vec<String>,
    /// `spec.nodeSelector`.
    pub node_selector: Labels,
    /// The required node affinity.
    pub node_affinity: Option<NodeSelector>,
    /// The taints it tolerates.
    pub tolerations: Vec<Toleration>,
    /// `spec.priority`.
    pub priority: i64,
    /// Whether it never drives out others (`preemptionPolicy: Never`).
    pub never_preempts: bool,
}

/// A toleration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Toleration {
    /// The key; empty with operator Exists means every taint.
    pub key: String,
    /// `Exists`, or `Equal` if absent.
    pub operator: String,
    /// The value, for `Equal`.
    pub value: String,
    /// The effect; empty means every effect.
    pub effect: String,
}

/// A disk named in the pod itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InlineDisk {
    /// `gcePersistentDisk`.
    Gce {
        /// The disk.
        disk: String,
        /// Whether it is only read.
        read_only: bool,
    },
    /// `awsElasticBlockStore`.
    Aws {
        /// The disk.
        disk: String,
    },
    /// `azureDisk`, `cinder` or `portworxVolume`: pods may share them, and nodes take only so many.
    Counted {
        /// The in-tree name of the kind.
        plugin: &'static str,
        /// The disk.
        disk: String,
    },
    /// `iscsi`.
    Iscsi {
        /// The qualified name.
        iqn: String,
        /// Whether it is only read.
        read_only: bool,
    },
    /// `rbd`.
    Rbd {
        /// The monitors.
        monitors: Vec<String>,
        /// The pool.
        pool: String,
        /// The image.
        image: String,
        /// Whether it is only read.
        read_only: bool,
    },
}

/// A volume of a pod that is a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodVolume {
    /// The volume's name in the pod.
    pub name: String,
    /// How it names the claim.
    pub claim: ClaimUse,
}

/// How a pod's volume names its claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimUse {
    /// By name.
    Named(String),
    /// By a template; the claim is called `<pod>-<volume>` (R125).
    Ephemeral(String),
}

/// The phase of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "the names are Kubernetes' own")]
pub enum PodPhase {
    #[default]
    Pending,
    Running,
    Succeeded,
    Failed,
    Unknown,
}

impl PodPhase {
    /// Kubernetes' name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Unknown => "Unknown",
        }
    }
}

impl ClaimUse {
    /// The claim's name.
    pub fn claim_name(&self) -> &str {
        match self {
            Self::Named(name) | Self::Ephemeral(name) => name,
        }
    }
}

impl Pod {
    /// Whether the pod uses the claim, by name or by template.
    pub fn uses(&self, claim: &ObjectKey) -> bool {
        self.key.namespace == claim.namespace
            && self
                .volumes
                .iter()
                .any(|volume| volume.claim.claim_name() == claim.name)
    }

    /// Whether the pod is over: finished, or deleted with nothing running any more (R21).
    pub fn is_terminated(&self) -> bool {
        matches!(self.phase, PodPhase::Succeeded | PodPhase::Failed)
            || (self.is_deleted && !self.has_running_container)
    }
}
