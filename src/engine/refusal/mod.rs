//! Nothing is done about an object, and why: what `bind`, `provision`, `reclaim`, `cleanup` and sets skip or refuse. The evidence
//! is typed; code, message and hint are made from it here, and no caller reads them to decide anything.
//!
//! One file per command has what only that command refuses; causes that reports state as well are used as they are.

mod advice;
mod binding;
mod cleaning;
mod provisioning;
mod reclaiming;
mod set;

pub use advice::Advice;
pub use binding::{BindEvidence, RefusedVolume};
pub use cleaning::{CleanupEvidence, KeptEvidence};
pub use provisioning::{
    Machine, NameHolder, NodeObstacle, ProvisionEvidence, RefusedNode, RefusedOffer,
};
pub use reclaiming::{BackendObstacle, PlaceObstacle, ReclaimEvidence, RejectedTaker};
pub use set::SetEvidence;

use crate::conventions::command_line::Sentence;
use crate::model::asset::AssetObstacle;
use crate::report::code::coded;
use crate::report::{ClaimCause, Code, DeleterPresence, Unknown, VolumeCause};

/// Nothing is done, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// Why.
    pub evidence: Box<Evidence>,
    /// What to do about it.
    pub advice: Advice,
    /// What it means for a user who named the object.
    pub standing: Standing,
    /// Whether the claim is ours to provision, so that an event on it reports the refusal (`ProvisioningFailed`).
    pub is_ours: bool,
    /// What could not be read.
    pub unknowns: Vec<Unknown>,
}

/// What it means that nothing is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is as it was wanted, or another component acts.
    Fine,
    /// It waits, and that is normal.
    Waits,
    /// It cannot be done.
    Refused,
    /// It could not be read.
    Unknown,
}

coded! {
    /// Why nothing is done.
    #[derive(Debug, Clone, PartialEq)]
    #[expect(missing_docs, reason = "the fields are the evidence their names say")]
    pub enum Evidence {
        /// What is true of the claim.
        Claim(ClaimCause) in cause,
        /// The same, several things at once: the first gives the code, and all are stated.
        Claims(Several<ClaimCause>) in causes,
        /// What is true of the volume.
        Volume(VolumeCause) in cause,
        /// What is in the way of using the asset.
        Asset(AssetEvidence) in asset,
        /// What only `bind` refuses.
        Bind(BindEvidence) in evidence,
        /// What only `provision` refuses.
        Provision(ProvisionEvidence) in evidence,
        /// What only `reclaim` and the deletion of members of sets refuse.
        Reclaim(ReclaimEvidence) in evidence,
        /// What only `cleanup` refuses.
        Cleanup(CleanupEvidence) in evidence,
        /// What only sets refuse.
        Set(SetEvidence) in evidence,
        /// The object does not exist any more.
        Gone { name: Option<String> } as NotReadable,
        /// No object was selected.
        NothingSelected { why: String },
        /// A wait took longer than `--timeout`.
        TimeIsUp,
        /// The clock of this machine is wrong, as described, and ages decide.
        ClockSkew { description: String },
    }
}

/// A list that is not empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Several<T> {
    first: T,
    others: Vec<T>,
}

impl<T> Several<T> {
    /// These, if there is one.
    pub fn of(items: impl IntoIterator<Item = T>) -> Option<Self> {
        let mut items = items.into_iter();
        let first = items.next()?;
        let others = items.collect();
        Some(Self { first, others })
    }

    /// The first.
    pub fn first(&self) -> &T {
        &self.first
    }

    /// What is stated of each.
    fn map(&self, state: impl Fn(&T) -> String) -> Vec<String> {
        let all = std::iter::once(&self.first).chain(&self.others);
        all.map(state).collect()
    }
}

impl Several<ClaimCause> {
    fn code(&self) -> Code {
        self.first.code()
    }
}

/// What is in the way of using an asset, with the words of its backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetEvidence {
    /// What it is.
    pub obstacle: AssetObstacle,
    /// One clause.
    pub message: String,
}

impl AssetEvidence {
    /// The code of the obstacle.
    pub fn code(&self) -> Code {
        self.obstacle.into()
    }
}

impl Evidence {
    /// One clause, read after the object.
    pub fn message(&self) -> String {
        match self {
            Self::Claim(cause) => cause.message(),
            Self::Claims(causes) => causes.map(ClaimCause::message).join("; "),
            Self::Volume(cause) => cause.message(),
            Self::Asset(asset) => asset.message.clone(),
            Self::Bind(evidence) => evidence.message(),
            Self::Provision(evidence) => evidence.message(),
            Self::Reclaim(evidence) => evidence.message(),
            Self::Cleanup(evidence) => evidence.message(),
            Self::Set(evidence) => evidence.message(),
            Self::Gone { name } => {
                format!("{} is not there any more", name.as_deref().unwrap_or("it"))
            }
            Self::NothingSelected { why } => why.clone(),
            Self::TimeIsUp => "not begun, because a wait took longer than --timeout".to_owned(),
            Self::ClockSkew { description } => {
                format!("not changed because of its age while {description}")
            }
        }
    }

    /// What to do about it.
    fn hint(&self) -> Option<Sentence> {
        match self {
            Self::Claim(cause) => cause.hint().map(Sentence::from),
            Self::Claims(causes) => causes.first.hint().map(Sentence::from),
            Self::Volume(cause) => cause.hint().map(Sentence::from),
            Self::Provision(evidence) => evidence.hint(),
            Self::Reclaim(evidence) => evidence.hint(),
            Self::Set(evidence) => evidence.hint(),
            _ => None,
        }
    }
}

impl Refusal {
    /// It cannot be done.
    pub fn new(evidence: impl Into<Evidence>) -> Self {
        Self {
            evidence: Box::new(evidence.into()),
            advice: Advice::OfEvidence,
            standing: Standing::Refused,
            is_ours: false,
            unknowns: vec![],
        }
    }

    /// The same, with other advice.
    #[must_use]
    pub fn advise(self, advice: Advice) -> Self {
        Self { advice, ..self }
    }

    /// The same, with another meaning for a user who named the object.
    #[must_use]
    pub fn standing(self, standing: Standing) -> Self {
        Self { standing, ..self }
    }

    /// The same, reported on the claim, which is ours.
    #[must_use]
    pub fn told_on_claim(self) -> Self {
        let is_ours = self.standing == Standing::Refused;
        Self { is_ours, ..self }
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.evidence.code()
    }

    /// One clause, read after the object.
    pub fn message(&self) -> String {
        self.evidence.message()
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<Sentence> {
        match &self.advice {
            Advice::OfEvidence => self.evidence.hint(),
            advice => advice.hint(),
        }
    }

    /// The message, and what to do about it.
    pub fn told(&self) -> Sentence {
        let message = Sentence::from(self.message());
        match self.hint() {
            Some(hint) => message.text("; ").then(hint),
            None => message,
        }
    }
}

impl From<VolumeCause> for Refusal {
    fn from(cause: VolumeCause) -> Self {
        let standing = match &cause {
            VolumeCause::LeftToController { .. } => Standing::Fine,
            VolumeCause::ForeignDeleter { presence, .. }
                if *presence != DeleterPresence::NotSeen =>
            {
                Standing::Fine
            }
            VolumeCause::NotReadable { .. } => Standing::Unknown,
            _ => Standing::Refused,
        };
        Self::new(cause).standing(standing)
    }
}

macro_rules! evidence {
    ($($variant:ident($evidence:ty)),+ $(,)?) => {
        $(impl From<$evidence> for Evidence {
            fn from(evidence: $evidence) -> Self {
                Self::$variant(evidence)
            }
        })+
    };
}

macro_rules! refused {
    ($($evidence:ty),+ $(,)?) => {
        $(impl From<$evidence> for Refusal {
            fn from(evidence: $evidence) -> Self {
                Self::new(evidence)
            }
        })+
    };
}

evidence! {
    Claim(ClaimCause), Claims(Several<ClaimCause>), Volume(VolumeCause), Asset(AssetEvidence),
    Bind(BindEvidence), Provision(ProvisionEvidence), Reclaim(ReclaimEvidence),
    Cleanup(CleanupEvidence), Set(SetEvidence),
}
refused! { AssetEvidence, ProvisionEvidence, SetEvidence }
