//! What could not be seen. Nothing is ever concluded from a gap.

use crate::conventions::object_ref::ObjectKey;
use std::fmt;

/// The kinds the engine looks at, as RBAC and people name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the kinds")]
pub enum Kind {
    Volumes,
    Claims,
    Classes,
    AttributesClasses,
    Pods,
    Nodes,
    CsiDrivers,
    CsiNodes,
    Capacities,
    Attachments,
    LimitRanges,
    Quotas,
    Events,
    ConfigMaps,
    Snapshots,
    /// StatefulSets; in files every kind of workload.
    Workloads,
    Deployments,
    ReplicaSets,
    ReplicationControllers,
    DaemonSets,
    Jobs,
    CronJobs,
    VolumeSets,
}

impl Kind {
    /// The resource name, as in RBAC rules.
    pub fn resource(self) -> &'static str {
        match self {
            Self::Volumes => "persistentvolumes",
            Self::Claims => "persistentvolumeclaims",
            Self::Classes => "storageclasses",
            Self::AttributesClasses => "volumeattributesclasses",
            Self::Pods => "pods",
            Self::Nodes => "nodes",
            Self::CsiDrivers => "csidrivers",
            Self::CsiNodes => "csinodes",
            Self::Capacities => "csistoragecapacities",
            Self::Attachments => "volumeattachments",
            Self::LimitRanges => "limitranges",
            Self::Quotas => "resourcequotas",
            Self::Events => "events",
            Self::ConfigMaps => "configmaps",
            Self::Snapshots => "volumesnapshots",
            Self::Workloads => "statefulsets",
            Self::Deployments => "deployments",
            Self::ReplicaSets => "replicasets",
            Self::ReplicationControllers => "replicationcontrollers",
            Self::DaemonSets => "daemonsets",
            Self::Jobs => "jobs",
            Self::CronJobs => "cronjobs",
            Self::VolumeSets => "persistentvolumesets",
        }
    }

    /// The resource with its group, as `kubectl auth can-i` takes it.
    pub fn qualified(self) -> String {
        match self.group() {
            "" => self.resource().to_owned(),
            group => format!("{}.{group}", self.resource()),
        }
    }

    /// The API group, as in RBAC rules.
    pub fn group(self) -> &'static str {
        match self {
            Self::Classes
            | Self::AttributesClasses
            | Self::CsiDrivers
            | Self::CsiNodes
            | Self::Capacities
            | Self::Attachments => "storage.k8s.io",
            Self::Snapshots => "snapshot.storage.k8s.io",
            Self::Workloads | Self::Deployments | Self::ReplicaSets | Self::DaemonSets => "apps",
            Self::Jobs | Self::CronJobs => "batch",
            Self::VolumeSets => "kubectl-pv.dev",
            _ => "",
        }
    }

    /// Whether the objects live in namespaces.
    pub fn is_namespaced(self) -> bool {
        !matches!(
            self,
            Self::Volumes
                | Self::Classes
                | Self::AttributesClasses
                | Self::Nodes
                | Self::CsiDrivers
                | Self::CsiNodes
                | Self::Attachments
                | Self::VolumeSets
        )
    }
}

/// Why something could not be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GapReason {
    /// The server does not allow this user to list it.
    Forbidden,
    /// The files hold none, and whoever made them may simply not have captured them.
    NotCaptured,
    /// The server does not serve the kind.
    NotServed,
}

/// A kind that was not seen, wholly or outside the namespace that was asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The kind.
    pub kind: Kind,
    /// Why.
    pub why: GapReason,
    /// The one namespace in which it was seen all the same.
    pub seen_only_in: Option<String>,
}

/// One object that was asked for by name and not read: an unknown of whatever names it, and of nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadObject {
    /// The kind.
    pub kind: Kind,
    /// Namespace and name.
    pub key: ObjectKey,
    /// Why.
    pub why: UnreadReason,
}

/// Why an object that was asked for by name was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadReason {
    /// This user is not allowed to read it.
    Forbidden,
    /// What the server answered instead.
    Answered(String),
}

impl fmt::Display for UnreadReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forbidden => "forbidden",
            Self::Answered(text) => text,
        })
    }
}
