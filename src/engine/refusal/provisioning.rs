//! Why no volume is provisioned for a claim.

use super::Several;
use crate::conventions::annotations::STORAGE_PROVISIONER;
use crate::conventions::command_line::{CommandLine, Sentence};
use crate::conventions::foreign::quoted_each;
use crate::conventions::object_command::command;
use crate::conventions::object_ref::ObjectKey;
use crate::report::code::coded;
use crate::report::{Code, NodeReason, VolumeReason, did_you_mean, join_and, join_or};

coded! {
    /// Why no volume is provisioned.
    #[derive(Debug, Clone, PartialEq)]
    #[expect(missing_docs, reason = "the fields are the evidence their names say")]
    pub enum ProvisionEvidence {
        /// The class does not exist, and only a class names a provisioner.
        ClassNotFound { class: String, similar: Vec<String> },
        /// The class has no provisioner.
        ClassWithoutProvisioner { class: String } as NoProvisioner,
        /// The annotation of the claim and its class name different provisioners.
        ProvisionersDiffer { wanted: String, class: String, provisioner: String } as NoProvisioner,
        /// Another component of the cluster serves the name of a backend.
        NameServedTwice { name: String, sign: String } as NoProvisioner,
        /// A node that was named does not exist.
        NodeNotFound { node: String, similar: Vec<String> } as SelectedNodeMissing,
        /// The claim is pinned to another node than the one that was named.
        PinnedElsewhere { selected: String, wanted: String } as SelectedNodeElsewhere,
        /// What is in the way on a node.
        Node(RefusedNode) in node,
        /// The driver is not registered on the node.
        DriverNotRegistered { driver: String, node: String } as NoFeasibleNode,
        /// There is no node.
        NoNodeExists as NoFeasibleNode,
        /// What is in the way on each node.
        NoNodeSuits { nodes: Vec<(String, Vec<NodeObstacle>)> } as NoFeasibleNode,
        /// A directory of one node is wanted, and the node is not known.
        NodeUnknown { provisioner: String } as NoFeasibleNode,
        /// This machine is not the node that the volume is for.
        OtherMachine { node: String, here: Machine } as NodeAffinityMismatch,
        /// Backends fill no volumes.
        DataSourceUnsupported { kind: String, name: String } as ProvisioningFailed,
        /// Backends know no attributes classes.
        AttributesUnsupported { class: String } as AttributesClassMismatch,
        /// The claim does not exist yet.
        ClaimNotCreated { claim: ObjectKey } as NotReadable,
        /// The claim names a volume that fits.
        NamedVolumeFits { claim: ObjectKey, volumes: Vec<String> } as VolumeFits,
        /// The claim names a volume.
        NamesVolume as NamedVolumeMismatch,
        /// Existing volumes fit.
        VolumesFit { claim: ObjectKey, volumes: Vec<String>, by_scheduler: bool } as VolumeFits,
        /// A volume has the name of the new one.
        NameTaken { volume: String, holder: NameHolder } as ProvisionedVolumeUnfit,
        /// The backend cannot create volumes.
        CannotCreate { provisioner: String } as ProvisioningFailed,
        /// The backend reports this.
        BackendFailed { message: String } as ProvisioningFailed,
        /// The program of the backend is not asked on files.
        ProgramNotAsked { provisioner: String } as ProvisioningFailed,
        /// What the backend offers does not suit the claim.
        Offer(RefusedOffer) in offer,
        /// The provisioner was asked before.
        AskedBefore { provisioner: String, could_wait: bool } as NoVolumeFits,
    }
}

/// A node, and everything that is in the way there.
#[derive(Debug, Clone, PartialEq)]
pub struct RefusedNode {
    /// The node.
    pub node: String,
    /// What is in the way.
    pub reasons: Several<NodeReason>,
}

impl RefusedNode {
    fn code(&self) -> Code {
        self.reasons.first().code()
    }
}

/// What is in the way on a node.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeObstacle {
    /// What the scheduler would refuse.
    Scheduler(NodeReason),
    /// The driver is not registered there.
    DriverNotRegistered {
        /// The driver.
        driver: String,
        /// The node.
        node: String,
    },
}

impl NodeObstacle {
    /// One clause.
    pub fn message(&self) -> String {
        match self {
            Self::Scheduler(reason) => reason.message(),
            Self::DriverNotRegistered { driver, node } => {
                format!("driver {driver} is not registered on node {node}")
            }
        }
    }
}

/// This machine, as the cluster knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Machine {
    /// It is this node.
    Node(String),
    /// It has this name, and is not a Node.
    NotANode(String),
}

/// Whose a volume is that has the name of a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameHolder {
    /// It is being deleted.
    BeingDeleted,
    /// It is bound to, or reserved for, this claim.
    Claim(ObjectKey),
    /// It is reserved for no claim.
    Free,
}

/// What a backend offers, and why it does not suit the claim.
#[derive(Debug, Clone, PartialEq)]
pub struct RefusedOffer {
    /// The backend.
    pub provisioner: String,
    /// What speaks against the offer.
    pub reasons: Several<VolumeReason>,
}

impl RefusedOffer {
    fn code(&self) -> Code {
        self.reasons.first().code()
    }
}

impl ProvisionEvidence {
    pub(super) fn message(&self) -> String {
        match self {
            Self::ClassNotFound { class, .. } => {
                format!("class {class} does not exist, and only a class says who makes volumes")
            }
            Self::ClassWithoutProvisioner { class } => format!("nobody provisions class {class}"),
            Self::ProvisionersDiffer {
                wanted,
                class,
                provisioner,
            } => format!(
                "its annotation {STORAGE_PROVISIONER} leaves it to {wanted}, and its class {class} names {provisioner}"
            ),
            Self::NameServedTwice { name, sign } => format!(
                "{name} is configured here, and somebody else in the cluster answers to that name: {sign}"
            ),
            Self::NodeNotFound { node, .. } => format!("there is no node {node}"),
            Self::PinnedElsewhere { selected, wanted } => {
                format!("it is pinned to node {selected}, not to {wanted}")
            }
            Self::Node(RefusedNode { node, reasons }) => {
                format!(
                    "not on node {node}: {}",
                    reasons.map(NodeReason::message).join("; ")
                )
            }
            Self::DriverNotRegistered { driver, node } => {
                format!("driver {driver} is not registered on node {node}")
            }
            Self::NoNodeExists => "there is no node".to_owned(),
            Self::NoNodeSuits { nodes } => {
                let each = nodes.iter().map(|(node, obstacles)| {
                    let why: Vec<String> = obstacles.iter().map(NodeObstacle::message).collect();
                    format!("{node}: {}", join_and(&why))
                });
                let each: Vec<String> = each.collect();
                format!("no node will do: {}", each.join("; "))
            }
            Self::NodeUnknown { provisioner } => format!(
                "a volume of {provisioner} is a directory of one node, and nobody says which node this is; name it with --node"
            ),
            Self::OtherMachine { node, here } => {
                let this = match here {
                    Machine::Node(here) => format!("this machine is node {here}"),
                    Machine::NotANode(host) => {
                        format!("this machine ({host}) is not a Node of the cluster")
                    }
                };
                format!("the volume is for node {node}, and {this}; run the command on node {node}")
            }
            Self::DataSourceUnsupported { kind, name } => format!(
                "it is to be filled from {kind} {name}, and backends of this program make empty volumes"
            ),
            Self::AttributesUnsupported { class } => format!(
                "it asks for attributes class {class}, and backends of this program know none"
            ),
            Self::ClaimNotCreated { claim } => format!("{claim} does not exist yet"),
            Self::NamedVolumeFits { volumes, .. } => format!(
                "it names volume {}, which will do, and a claim that names a volume gets no other",
                join_or(volumes)
            ),
            Self::NamesVolume => "it names a volume".to_owned(),
            Self::VolumesFit {
                volumes,
                by_scheduler,
                ..
            } => volumes_fit(volumes, *by_scheduler),
            Self::NameTaken { volume, holder } => {
                let whose = match holder {
                    NameHolder::BeingDeleted => "is being deleted".to_owned(),
                    NameHolder::Claim(claim) => format!("belongs to {claim}"),
                    NameHolder::Free => "belongs to nobody".to_owned(),
                };
                format!("there is a volume {volume} already, and it {whose}")
            }
            Self::CannotCreate { provisioner } => format!("{provisioner} cannot make volumes"),
            Self::BackendFailed { message } => message.clone(),
            Self::ProgramNotAsked { provisioner } => {
                format!("what {provisioner} makes only its program knows, and files do not ask it")
            }
            Self::Offer(RefusedOffer {
                provisioner,
                reasons,
            }) => format!(
                "what {provisioner} makes would not do for the claim: {}",
                join_and(&reasons.map(VolumeReason::message))
            ),
            Self::AskedBefore {
                provisioner,
                could_wait,
            } => {
                let wait = if *could_wait {
                    "; without --wait=false it is waited for"
                } else {
                    ""
                };
                format!("{provisioner} was asked before{wait}")
            }
        }
    }

    pub(super) fn hint(&self) -> Option<Sentence> {
        Some(match self {
            Self::ClassNotFound { similar, .. } => did_you_mean(&quoted_each(similar))?.into(),
            Self::NodeNotFound { similar, .. } => did_you_mean(similar)?.into(),
            Self::ClassWithoutProvisioner { .. } => {
                "its volumes are made by hand; once one fits, kubectl pv bind takes it".into()
            }
            Self::ProvisionersDiffer { .. } => {
                "remove the annotation to leave it to the provisioner of the class".into()
            }
            Self::NameServedTwice { .. } => {
                "names of provisioners are distinct: give the backend and its class another one"
                    .into()
            }
            Self::ClaimNotCreated { .. } => "create it first".into(),
            Self::NamedVolumeFits { claim, .. } => bind_command(claim, None).to_string().into(),
            Self::VolumesFit {
                claim,
                volumes,
                by_scheduler,
            } => {
                let by_hand = volumes.first().filter(|_| *by_scheduler);
                let command = bind_command(claim, by_hand.map(String::as_str));
                command.to_string().into()
            }
            _ => return None,
        })
    }
}

/// Existing volumes are bound instead.
fn volumes_fit(volumes: &[String], by_scheduler: bool) -> String {
    let (one, verb) = match volumes {
        [_] => ("volume", "fits"),
        _ => ("volumes", "fit"),
    };
    let who = if by_scheduler {
        "the scheduler takes an existing volume before it has one made"
    } else {
        "Kubernetes binds an existing volume before it has one made"
    };
    format!("{one} {} {verb}, and {who}", join_or(volumes))
}

/// A volume that only the scheduler takes is bound by hand with `--force`.
fn bind_command(claim: &ObjectKey, by_hand: Option<&str>) -> CommandLine {
    let (name, namespace) = (&*claim.name, &*claim.namespace);
    let mut words = vec!["kubectl", "pv", "bind", name, "-n", namespace];
    if let Some(volume) = by_hand {
        words.extend(["--volume", volume, "--force"]);
    }
    command(&words)
}
