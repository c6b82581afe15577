//! What is true of a pod and its volumes: the vocabulary of causes of `explain pod/NAME`.

use super::code::coded;
use super::evidence::not_readable;
use super::sentence::{join_and, join_or, plural};
use super::{NodeReason, Severity, UnboundClaim};
use crate::conventions::foreign::quoted;
use crate::conventions::spoken::spoken;
use crate::model::Kind;
use serde::ser::{Serialize, SerializeMap, Serializer};

coded! {
    /// What is true of a pod. The code is the variant's name.
    #[derive(Debug, Clone, PartialEq)]
    #[expect(missing_docs, reason = "the fields are the evidence their names say")]
    pub enum PodCause {
        /// Something the answer needs could not be read.
        NotReadable { what: Vec<Kind> },
        /// A claim it names is not there.
        ClaimNotFound { claim: String, similar: Vec<String> },
        /// The claim of an ephemeral volume is not there yet.
        EphemeralClaimNotCreated { claim: String },
        /// The claim that stands where its ephemeral claim should be belongs to somebody else.
        EphemeralClaimNotOwned { claim: String },
        /// A claim has lost its volume.
        VolumeLost { claim: String, volume: String },
        /// A claim is being deleted.
        ClaimTerminating { claim: String },
        /// A bound claim's volume is not there.
        BoundVolumeMissing { claim: String, volume: String },
        /// Claims that must be bound before any node is looked at: each with what is said of it.
        UnboundImmediateClaims {
            claims: Vec<(String, UnboundClaim)>,
            will_do: bool,
        },
        /// It sets `spec.nodeName`, so that nobody chooses a node for these claims.
        ConsumerBypassesScheduler { node: String, claims: Vec<String> },
        /// Its volume is attached to another node.
        AttachedElsewhere {
            claim: String,
            volume: String,
            node: String,
            node_exists: Option<bool>,
            pods: Vec<String>,
            detaching: bool,
            error: Option<String>,
        },
        /// Attaching its volume fails.
        AttachFailing {
            volume: Option<String>,
            message: String,
        },
        /// Mounting its volume fails.
        MountFailing { message: String },
        /// No node satisfies all its claims.
        NoFeasibleNode {
            nodes: usize,
            why: Vec<(String, usize)>,
            /// The same thing on every node, said once.
            because: Option<String>,
            /// What to do about that.
            advice: Option<String>,
        },
        /// Its affinity names different nodes at once.
        AffinityConflict,
        /// There is no node at all.
        NoNodes,
        /// Every node that would do may not, by the luck of the draw among volumes.
        ChanceDecides,
        /// The smaller claim is served first and takes what a larger one needed.
        SmallerClaimFirst {
            claim: String,
            taker: String,
            nodes: Vec<String>,
        },
        /// Volumes allow some nodes, and other things forbid just these.
        NodesExcluded {
            nodes: Vec<(String, Vec<NodeReason>)>,
        },
        /// It is held back by gates.
        SchedulingGated { gates: Vec<String> },
        /// Another scheduler is to place it.
        OtherScheduler { scheduler: String },
        /// It is over.
        Finished { phase: String },
    }
}

impl PodCause {
    /// How much it weighs.
    pub fn severity(&self) -> Severity {
        match self {
            Self::UnboundImmediateClaims { will_do: true, .. }
            | Self::EphemeralClaimNotCreated { .. }
            | Self::SmallerClaimFirst { .. }
            | Self::SchedulingGated { .. }
            | Self::OtherScheduler { .. }
            | Self::Finished { .. } => Severity::Note,
            Self::NodesExcluded { .. } | Self::ChanceDecides => Severity::Warning,
            _ => Severity::Blocker,
        }
    }

    /// One clause, lowercase, without a full stop.
    #[expect(clippy::too_many_lines, reason = "one list of clauses")]
    fn message_words(&self) -> String {
        match self {
            Self::NotReadable { what } => not_readable(what),
            Self::ClaimNotFound { claim, .. } => {
                format!(
                    "it uses claim {claim}, which does not exist",
                    claim = quoted(claim)
                )
            }
            Self::EphemeralClaimNotCreated { claim } => {
                format!(
                    "claim {claim} of its ephemeral volume is not there yet",
                    claim = quoted(claim)
                )
            }
            Self::EphemeralClaimNotOwned { claim } => format!(
                "claim {claim} stands where the claim of its ephemeral volume should be, and is not the pod's own",
                claim = quoted(claim)
            ),
            Self::VolumeLost { claim, volume } if volume.is_empty() => {
                format!("claim {claim} has lost its volume", claim = quoted(claim))
            }
            Self::VolumeLost { claim, volume } => {
                format!(
                    "claim {claim} has lost its volume {volume}",
                    claim = quoted(claim),
                    volume = quoted(volume)
                )
            }
            Self::ClaimTerminating { claim } => {
                format!("claim {claim} is being deleted", claim = quoted(claim))
            }
            Self::BoundVolumeMissing { claim, volume } => {
                format!(
                    "volume {volume} of claim {claim} does not exist",
                    volume = quoted(volume),
                    claim = quoted(claim)
                )
            }
            Self::UnboundImmediateClaims { claims, .. } => {
                let each: Vec<String> = claims
                    .iter()
                    .map(|(claim, why)| format!("{claim} ({why})", claim = quoted(claim)))
                    .collect();
                let verb = if claims.len() == 1 { "is" } else { "are" };
                format!(
                    "no node is looked at before {} {verb} bound",
                    join_and(&each)
                )
            }
            Self::ConsumerBypassesScheduler { node, claims } => {
                let verb = if claims.len() == 1 { "waits" } else { "wait" };
                format!(
                    "it was put on node {node} past the scheduler (spec.nodeName), and {} {verb} for the scheduler to choose a node",
                    join_and(claims),
                    node = quoted(node)
                )
            }
            Self::AttachedElsewhere { .. } => self.attached_elsewhere(),
            Self::AttachFailing {
                volume: Some(volume),
                message,
            } => format!(
                "volume {volume} cannot be attached: {message}",
                volume = quoted(volume),
                message = quoted(message)
            ),
            Self::AttachFailing { message, .. } => {
                format!("attaching fails: {message}", message = quoted(message))
            }
            Self::MountFailing { message } => {
                format!("mounting fails: {message}", message = quoted(message))
            }
            Self::NoFeasibleNode {
                because: Some(because),
                ..
            } => because.clone(),
            Self::NoFeasibleNode { nodes, why, .. } => {
                let each: Vec<String> = why
                    .iter()
                    .map(|(code, count)| format!("{code} on {}", plural(*count, "node")))
                    .collect();
                match nodes {
                    1 => format!("the only node does not do: {}", join_and(&each)),
                    _ => format!("none of {nodes} nodes does: {}", join_and(&each)),
                }
            }
            Self::AffinityConflict => "its affinity names different nodes at once".to_owned(),
            Self::NoNodes => "there is no node".to_owned(),
            Self::ChanceDecides => {
                "Kubernetes takes any of several volumes, and with some of them no node is left"
                    .to_owned()
            }
            Self::SmallerClaimFirst {
                claim,
                taker,
                nodes,
            } => format!(
                "the scheduler serves the smaller claim first and does not go back: on {} {taker} takes what {claim} needs",
                join_and(nodes),
                claim = quoted(claim)
            ),
            Self::NodesExcluded { nodes } => {
                let each: Vec<String> = nodes
                    .iter()
                    .take(5)
                    .map(|(node, reasons)| {
                        let why: Vec<String> = reasons.iter().map(NodeReason::message).collect();
                        format!("{node}: {}", why.join(", "), node = quoted(node))
                    })
                    .collect();
                format!(
                    "the volumes allow {}, but other things do not: {}",
                    plural(nodes.len(), "node"),
                    each.join("; ")
                )
            }
            Self::SchedulingGated { gates } => {
                format!("it is held back by {}", join_and(gates))
            }
            Self::OtherScheduler { scheduler } => format!(
                "scheduler {scheduler} is to place it; the nodes are judged as Kubernetes' own would"
            ),
            Self::Finished { phase } => format!("it is over ({phase})"),
        }
    }

    fn attached_elsewhere(&self) -> String {
        let Self::AttachedElsewhere {
            volume,
            node,
            node_exists,
            pods,
            detaching,
            error,
            ..
        } = self
        else {
            return String::new();
        };
        let gone = if *node_exists == Some(false) {
            ", a node that is gone"
        } else {
            ""
        };
        let holders = match pods.len() {
            0 => ", where no pod uses it any more".to_owned(),
            1 => format!(", where pod {} uses it", pods[0]),
            _ => format!(", where pods {} use it", join_and(pods)),
        };
        let detaching = if *detaching {
            "; it is being detached"
        } else {
            ""
        };
        let error = error
            .as_ref()
            .map(|error| format!(" ({error})"))
            .unwrap_or_default();
        format!(
            "volume {volume} is attached to node {node}{gone}{holders}{detaching}{error}",
            volume = quoted(volume),
            node = quoted(node)
        )
    }

    /// What to do about it, where that can be said in a clause.
    fn hint_words(&self) -> Option<String> {
        Some(match self {
            Self::ClaimNotFound { similar, .. } if !similar.is_empty() => {
                format!("did you mean {}?", join_or(similar))
            }
            Self::ClaimNotFound { .. } => "create the claim; the pod goes on by itself".to_owned(),
            Self::EphemeralClaimNotOwned { .. } => {
                "rename the volume or the pod, or delete that claim if nobody needs it".to_owned()
            }
            Self::ConsumerBypassesScheduler { node, .. } => format!(
                "leave out spec.nodeName and use nodeSelector kubernetes.io/hostname: {node}", node = quoted(node)),
            Self::ClaimTerminating { .. } => {
                "the claim goes when the pods that use it are gone; then create it anew".to_owned()
            }
            Self::AttachedElsewhere {
                node_exists: Some(false),
                ..
            } => "Kubernetes detaches it after some minutes; if the machine is surely off, taint the node node.kubernetes.io/out-of-service".to_owned(),
            Self::AttachedElsewhere { pods, .. } if !pods.is_empty() => {
                "it is attached here once those pods have left that node; a Deployment with strategy Recreate has the old pod leave first".to_owned()
            }
            Self::NoFeasibleNode { advice, .. } => return advice.clone(),
            _ => return None,
        })
    }
}

impl Serialize for PodCause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code())?;
        map.serialize_entry("severity", &self.severity())?;
        map.serialize_entry("message", &self.message())?;
        if let Some(hint) = self.hint() {
            map.serialize_entry("hint", &hint)?;
        }
        map.end()
    }
}

impl PodCause {
    /// One clause, lowercase, without a full stop.
    pub fn message(&self) -> String {
        spoken(self.message_words())
    }

    /// What to do about it, where that can be said in a clause.
    pub fn hint(&self) -> Option<String> {
        self.hint_words().map(spoken)
    }
}
