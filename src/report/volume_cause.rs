//! What is true of a volume: why it is Released or Failed, why nobody can take it, what may bite later. The codes are those
//! of a plan's `skipped` list and those on a volume.

use super::code::{Code, coded};
use super::evidence::not_readable;
use super::removal::save_first;
use super::sentence::join_and;
use super::{
    AttachmentSummary, KeepMark, NearNode, NoDeleter, NoRecycler, ReclaimFailure, Removal,
    Severity, VolumeReason,
};
use crate::conventions::annotations::KEEP;
use crate::conventions::foreign::quoted;
use crate::conventions::spoken::spoken;
use crate::model::Kind;
use serde::{Serialize, Serializer};

/// A cause with its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeFinding {
    /// What is true.
    pub cause: VolumeCause,
    /// How much it weighs here: a blocker keeps the volume from everybody until somebody acts.
    pub severity: Severity,
}

coded! {
    /// What is true of a volume. The code is the variant's name.
    #[derive(Debug, Clone, PartialEq)]
    #[expect(missing_docs, reason = "the fields are the evidence their names say")]
    pub enum VolumeCause {
        /// Its deletion was asked for and waits.
        HeldByFinalizer { holds: Vec<String> },
        /// Its deletion was asked for while it is bound.
        BeingDeleted {
            volume: String,
            policy: String,
            claim: String,
            removal: Removal,
        },
        /// Policy Retain: nobody reclaims it.
        PolicyRetain,
        /// Policy Delete, and nobody can delete it.
        NoDeleter { why: NoDeleter },
        /// Policy Recycle, and nobody can empty it.
        NoRecycler { why: NoRecycler },
        /// The controller tried and failed.
        ReclaimFailed { why: ReclaimFailure },
        /// Left to the provisioner that made it.
        ForeignDeleter {
            by: String,
            presence: DeleterPresence,
            /// What it last said against deleting.
            said: Option<String>,
        },
        /// Left to the controller, which deletes or empties it by itself.
        LeftToController { empties: bool } as ForeignDeleter,
        /// Somebody asked that it be kept when volumes are reclaimed in bulk; where that stands.
        OptOut { on: KeepMark },
        /// A pod uses it, or may.
        InUse { pods: Vec<String>, recycling: bool },
        /// It is attached to nodes.
        Attached { attachments: Vec<AttachmentSummary> },
        /// A code on a volume, seen from everybody.
        Volume(VolumeReason) in reason,
        /// No node there is may use it.
        NodeAffinityMismatch {
            wanted: String,
            near: Option<NearNode>,
        },
        /// Its claim is there; it may have another volume by now.
        ClaimExists {
            claim: String,
            elsewhere: Option<String>,
        },
        /// Something the answer needs could not be read.
        NotReadable { what: Vec<Kind> },
    }
}

/// Whether the provisioner that is to delete a volume is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleterPresence {
    /// It registered, or said something.
    Seen,
    /// Everything that could show it was read and shows nothing.
    NotSeen,
    /// It cannot be seen from outside.
    Unknown,
}

impl VolumeCause {
    /// One clause, lowercase, without a full stop.
    fn message_words(&self) -> String {
        match self {
            Self::HeldByFinalizer { holds } => {
                format!(
                    "its deletion was asked for, and waits for {}",
                    join_and(holds)
                )
            }
            Self::BeingDeleted {
                policy,
                claim,
                removal,
                ..
            } => format!(
                "when {claim} is deleted, {}",
                removal.clause(policy),
                claim = quoted(claim)
            ),
            Self::PolicyRetain => {
                "nobody deletes it or gives it away until somebody acts".to_owned()
            }
            Self::NoDeleter { why } => why.to_string(),
            Self::NoRecycler { why } => why.to_string(),
            Self::ReclaimFailed { why } => format!(
                "the controller tried to reclaim it and failed: {}",
                quoted(&why.to_string())
            ),
            Self::ForeignDeleter { by, presence, said } => {
                let sign = match presence {
                    DeleterPresence::NotSeen => {
                        ", and there is no sign of it: no CSIDriver, no CSINode entry, no event of it"
                    }
                    DeleterPresence::Seen | DeleterPresence::Unknown => "",
                };
                let said = said
                    .as_ref()
                    .map(|said| format!("; it reports: {said}", said = quoted(said)))
                    .unwrap_or_default();
                format!("policy Delete: {by} is to delete it, with its data{sign}{said}")
            }
            Self::LeftToController { empties: false } => {
                "policy Delete: the controller deletes it, with its data".to_owned()
            }
            Self::LeftToController { empties: true } => {
                "policy Recycle: the controller removes everything in it and offers it again"
                    .to_owned()
            }
            Self::OptOut { on } => format!("it is to be kept: annotation {KEEP} on {on}"),
            Self::InUse { pods, recycling } => {
                let (noun, verb) = if pods.len() == 1 {
                    ("pod", "names")
                } else {
                    ("pods", "name")
                };
                let pods = join_and(pods);
                if *recycling {
                    format!("it is emptied only when {noun} {pods} no longer {verb} its claim")
                } else {
                    format!("{noun} {pods} {verb} its claim")
                }
            }
            Self::Attached { attachments } => {
                let each: Vec<String> =
                    attachments.iter().map(AttachmentSummary::spelled).collect();
                format!("attached by {}", join_and(&each))
            }
            Self::Volume(reason) => reason.clause(),
            Self::NodeAffinityMismatch { wanted, near } => {
                let near = near
                    .as_ref()
                    .map(|near| format!("; {near}"))
                    .unwrap_or_default();
                format!("no node has {wanted}: its data is out of reach until one does{near}")
            }
            Self::ClaimExists {
                claim,
                elsewhere: None,
            } => format!("it belongs to {claim}", claim = quoted(claim)),
            Self::ClaimExists {
                claim,
                elsewhere: Some(other),
            } => format!(
                "it was taken for {claim}, which is there and has {other}",
                claim = quoted(claim)
            ),
            Self::NotReadable { what } => not_readable(what),
        }
    }

    /// What to do about it, where that can be said in a clause.
    fn hint_words(&self) -> Option<String> {
        Some(match self {
            Self::ForeignDeleter {
                presence: DeleterPresence::NotSeen,
                by,
                ..
            } => format!("it stays Released until {by} is there again"),
            Self::NodeAffinityMismatch { .. } => {
                "labels are compared, not names of nodes, and a volume's nodeAffinity cannot be changed"
                    .to_owned()
            }
            Self::BeingDeleted { volume, .. } => save_first(volume),
            Self::HeldByFinalizer { .. } => {
                "a deletion cannot be taken back; do not strip the finalizers, mend what they wait for"
                    .to_owned()
            }
            _ => return None,
        })
    }
}

impl VolumeFinding {
    /// Something that keeps the volume from everybody until somebody acts.
    pub fn blocker(cause: VolumeCause) -> Self {
        Self {
            cause,
            severity: Severity::Blocker,
        }
    }

    /// Something that surprises, or may bite.
    pub fn warning(cause: VolumeCause) -> Self {
        Self {
            cause,
            severity: Severity::Warning,
        }
    }

    /// Something good to know.
    pub fn note(cause: VolumeCause) -> Self {
        Self {
            cause,
            severity: Severity::Note,
        }
    }
}

#[derive(Serialize)]
struct FindingBody {
    code: Code,
    severity: Severity,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Serialize for VolumeFinding {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let body = FindingBody {
            code: self.cause.code(),
            severity: self.severity,
            message: self.cause.message(),
            hint: self.cause.hint(),
        };
        body.serialize(serializer)
    }
}

impl VolumeCause {
    /// One clause, lowercase, without a full stop.
    pub fn message(&self) -> String {
        spoken(self.message_words())
    }

    /// What to do about it, where that can be said in a clause.
    pub fn hint(&self) -> Option<String> {
        self.hint_words().map(spoken)
    }
}
