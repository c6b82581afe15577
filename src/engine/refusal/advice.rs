//! What to do about a refusal, where that depends on more than its evidence.

use crate::conventions::annotations::SELECTED_NODE;
use crate::conventions::command_line::Sentence;
use crate::conventions::object_command::command;
use crate::conventions::object_ref::ObjectKey;
use crate::engine::reclaim_commands::carry_out;

/// Of a volume that is to be kept although its deletion was begun.
pub(super) const GOING: &str = "it is being deleted, which cannot be undone, and its data stays";

/// What to do about it.
#[derive(Debug, Clone, PartialEq)]
pub enum Advice {
    /// What the evidence itself advises.
    OfEvidence,
    /// Nothing.
    None,
    /// To remove the selected node from this claim.
    ForgetNode(ObjectKey),
    /// To name a node: which pod waits was not read.
    NameNode,
    /// To name another node.
    NameOtherNode,
    /// To do without provisioning options, or to use a backend.
    LeaveOptionsOut,
    /// To wait until the pods have finished.
    WaitForPods,
    /// To wait until the volume is detached.
    WaitForDetach,
    /// To delete the attachment: its node does not exist.
    DeleteAttachment,
    /// To name a backend, or to keep the volume.
    NameBackend,
    /// To name the volume, which lifts the opt-out.
    NameVolume {
        /// The volume.
        volume: String,
        /// Whether its deletion was begun.
        is_begun: bool,
    },
    /// Its deletion was begun, and it stays until this is so.
    StaysUntil(&'static str),
}

impl Advice {
    pub(super) fn hint(&self) -> Option<Sentence> {
        Some(match self {
            Self::OfEvidence | Self::None => return None,
            Self::ForgetNode(claim) => {
                let removal = format!("{SELECTED_NODE}-");
                let (name, namespace) = (&*claim.name, &*claim.namespace);
                let words = [
                    "kubectl", "annotate", "pvc", name, "-n", namespace, &removal,
                ];
                format!("let it forget that node: {}", command(&words)).into()
            }
            Self::NameNode => "which pod waits for it was not seen: name a node with --node".into(),
            Self::NameOtherNode => "name another node with --node".into(),
            Self::LeaveOptionsOut => {
                "leave the options out, or have the volume made by a backend of this program (--backend)"
                    .into()
            }
            Self::WaitForPods => "it is free when they are gone, or have finished".into(),
            Self::WaitForDetach => "it is detached when no pod on that node uses it any more".into(),
            Self::DeleteAttachment => {
                "a node that is gone detaches nothing: make sure that the machine is off, then delete the VolumeAttachment"
                    .into()
            }
            Self::NameBackend => {
                "name the backend its storage is of with --backend; or keep it: --set-policy Retain"
                    .into()
            }
            Self::NameVolume { volume, is_begun } => {
                let going = if *is_begun {
                    format!("{GOING}; ")
                } else {
                    String::new()
                };
                let text = format!("{going}named on the command line it is not protected: ");
                Sentence::from(text).command(carry_out(volume))
            }
            Self::StaysUntil(until) => format!("{GOING} {until}").into(),
        })
    }
}
