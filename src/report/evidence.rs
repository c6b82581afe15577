//! What causes carry as evidence where a name or a number is not enough, with the words for it. The causes themselves are in
//! `cause.rs`, `pod_cause.rs` and `volume_cause.rs`.

use super::sentence::{join_and, join_or, plural};
use super::{ClaimCause, NodeReason, VolumeReason};
use crate::conventions::foreign::quoted;
use crate::conventions::object_ref::{ObjectKey, OwnerRef};
use crate::model::{ClaimPhase, Kind};
use serde::{Serialize, Serializer};
use std::fmt;

/// The claim that has a volume which another claim names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VolumeHolder {
    /// This one.
    Claim(ObjectKey),
    /// A deleted claim with the namespace and name of the one that asks.
    EarlierClaim(ObjectKey),
    /// None: the claimRef is empty.
    NoClaim,
    /// One whose name is not known: only an event of the controller reports it.
    NotNamed,
}

impl fmt::Display for VolumeHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claim(key) => write!(f, "{key}"),
            Self::EarlierClaim(key) => write!(f, "an earlier {key}"),
            Self::NoClaim => f.write_str("nobody in particular (empty claimRef)"),
            Self::NotNamed => f.write_str("another claim"),
        }
    }
}

/// Why a volume does not satisfy the claim that names it.
#[derive(Debug, Clone, PartialEq)]
pub enum Mismatch {
    /// What was compared.
    Found(Vec<VolumeReason>),
    /// What the controller reported, where the volume could not be read.
    Reported(String),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found(reasons) => f.write_str(&join_reasons(reasons)),
            Self::Reported(text) => f.write_str(text),
        }
    }
}

/// Reasons as one clause.
pub(super) fn join_reasons(reasons: &[VolumeReason]) -> String {
    let clauses: Vec<String> = reasons.iter().map(VolumeReason::clause).collect();
    join_and(&clauses)
}

/// That an answer depends on kinds that were not read.
pub(super) fn not_readable(kinds: &[Kind]) -> String {
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.resource()).collect();
    format!(
        "the answer depends on {}, which could not be read",
        join_and(&kinds)
    )
}

/// What the controller of a cluster does with a claim whose provisioning options it does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WithoutOptions {
    /// It binds one of these volumes.
    Binds(Vec<String>),
    /// It may bind the volume in question.
    MayBindThis,
    /// It asks the provisioner, without them.
    Provisions,
    /// It goes on without them.
    GoesOn,
}

impl fmt::Display for WithoutOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binds(volumes) => write!(f, "it would bind {}", join_or(volumes)),
            Self::MayBindThis => f.write_str("it may bind this volume"),
            Self::Provisions => f.write_str("its provisioner never sees them"),
            Self::GoesOn => f.write_str("it would go on without them"),
        }
    }
}

/// What keeps a pod from a node.
#[derive(Debug, Clone, PartialEq)]
pub enum PodHold {
    /// Its scheduling gates.
    Gates(Vec<String>),
    /// Another scheduler is to place it.
    OtherScheduler(String),
    /// The scheduler refuses before it looks at nodes; its own words.
    Refused(String),
    /// There is no node.
    NoNodes,
    /// Each node that its volumes allow is refused for other reasons.
    Nodes(Vec<(String, Vec<NodeReason>)>),
}

impl fmt::Display for PodHold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gates(gates) => write!(f, "scheduling gates {}", join_and(gates)),
            Self::OtherScheduler(name) => write!(f, "scheduler {name}, which is to place it"),
            Self::Refused(text) => f.write_str(text),
            Self::NoNodes => f.write_str("there is no node"),
            Self::Nodes(nodes) => {
                let each: Vec<String> = nodes
                    .iter()
                    .map(|(node, reasons)| {
                        let why: Vec<String> = reasons.iter().map(NodeReason::message).collect();
                        format!("{node}: {}", join_and(&why))
                    })
                    .collect();
                f.write_str(&each.join("; "))
            }
        }
    }
}

/// A node that is probably meant by a volume's nodeAffinity, which it does not satisfy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearNode {
    /// The node.
    pub node: String,
    /// In what it is alike.
    pub likeness: Likeness,
}

/// In what a node is like the one that a volume requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Likeness {
    /// Its name is the required value; its label is not.
    Name {
        /// The key.
        key: String,
        /// The value that it has.
        value: Option<String>,
    },
    /// It has the value under another key.
    OtherKey {
        /// That key.
        key: String,
        /// The value.
        value: String,
    },
}

impl fmt::Display for NearNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = &self.node;
        match &self.likeness {
            Likeness::Name {
                key,
                value: Some(value),
            } => write!(f, "node {node} is there, but has {key}={value}"),
            Likeness::Name { value: None, .. } => {
                write!(f, "node {node} is there, but lacks that label")
            }
            Likeness::OtherKey { key, value } => {
                write!(f, "node {node} has {key}={value}, which is another key")
            }
        }
    }
}

/// A condition that a component has set on a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedCondition {
    /// Its type.
    pub kind: String,
    /// Its message.
    pub message: String,
}

impl fmt::Display for ReportedCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message.as_str() {
            "" => f.write_str(&self.kind),
            message => write!(f, "{}: {message}", self.kind),
        }
    }
}

/// What a volume is to be filled from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSourceName {
    /// The kind.
    pub kind: SourceKind,
    /// The name.
    pub name: String,
}

/// The kinds of data sources that are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the kinds")]
pub enum SourceKind {
    PersistentVolumeClaim,
    VolumeSnapshot,
}

impl fmt::Display for DataSourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            SourceKind::PersistentVolumeClaim => "PersistentVolumeClaim",
            SourceKind::VolumeSnapshot => "VolumeSnapshot",
        };
        write!(f, "{kind} {}", quoted(&self.name))
    }
}

/// Why a data source is not ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotReady {
    /// The claim is in this phase.
    Phase(ClaimPhase),
    /// The snapshot is not ready to use and reports no error.
    Snapshot,
    /// The error that the snapshot reports.
    SnapshotError(String),
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Phase(phase) => write!(f, "it is {}", phase.name()),
            Self::Snapshot => f.write_str("the snapshot is not ready to use"),
            Self::SnapshotError(error) => f.write_str(&quoted(error)),
        }
    }
}

/// A pod on a node that keeps a claim from being deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldingPod {
    /// The pod.
    pub name: String,
    /// Its controller.
    pub owner: Option<OwnerRef>,
    /// Whether it is finished.
    pub is_finished: bool,
}

impl fmt::Display for HoldingPod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(owner) = &self.owner {
            write!(f, " of {owner}")?;
        }
        f.write_str(if self.is_finished { " (finished)" } else { "" })
    }
}

/// A workload whose pods would use a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FutureUser {
    /// The workload.
    pub workload: OwnerRef,
    /// The ordinal of that pod, where the claim comes from a claim template.
    pub ordinal: Option<u32>,
    /// Whether it has 0 replicas.
    pub is_idle: bool,
}

impl fmt::Display for FutureUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.workload)?;
        if let Some(ordinal) = self.ordinal {
            write!(f, " (ordinal {ordinal})")?;
        }
        f.write_str(if self.is_idle {
            ", which has 0 replicas,"
        } else {
            ""
        })
    }
}

/// Who a claim belongs to that no pod uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimUser {
    /// This workload names it.
    Names(OwnerRef),
    /// The pods of this workload would use it.
    WouldUse(FutureUser),
    /// A StatefulSet that was scaled down.
    ScaledDown {
        /// The StatefulSet.
        workload: OwnerRef,
        /// How many replicas it has.
        replicas: u32,
        /// The ordinal that would use the claim.
        ordinal: u32,
        /// `whenScaled`, if it is set.
        when_scaled: Option<String>,
    },
}

impl fmt::Display for ClaimUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Names(workload) => write!(f, "{workload} names it"),
            Self::WouldUse(user) => write!(f, "{user} would use it"),
            Self::ScaledDown {
                workload,
                replicas,
                ordinal,
                when_scaled,
            } => write!(
                f,
                "left by {workload}, which has {} and would use it again as ordinal {ordinal} (whenScaled {})",
                plural(*replicas as usize, "replica"),
                when_scaled.as_deref().unwrap_or("Retain")
            ),
        }
    }
}

impl Serialize for ClaimUser {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What is known of a claim that must be bound before a pod gets a node.
#[derive(Debug, Clone, PartialEq)]
pub enum UnboundClaim {
    /// It is bound at once.
    WillBind,
    /// It is bound at once, to one of these.
    WillBindTo(Vec<String>),
    /// A volume is provisioned for it.
    WillProvision,
    /// This keeps it from being bound.
    Because(Box<ClaimCause>),
    /// Nothing more.
    NotBound,
}

impl fmt::Display for UnboundClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WillBind => f.write_str("about to be bound"),
            Self::WillBindTo(volumes) => write!(
                f,
                "about to be bound to {}",
                super::volumes_in_words(volumes)
            ),
            Self::WillProvision => f.write_str("a volume is to be made for it"),
            Self::Because(cause) => write!(f, "{}: {}", cause.code(), cause.message()),
            Self::NotBound => f.write_str("not bound"),
        }
    }
}

/// The object with the annotation that keeps a volume from being reclaimed in bulk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeepMark {
    /// The volume.
    Volume,
    /// The claim that its claimRef names.
    Claim(ObjectKey),
}

impl fmt::Display for KeepMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Volume => f.write_str("the volume"),
            Self::Claim(key) => write!(f, "claim {key}"),
        }
    }
}
