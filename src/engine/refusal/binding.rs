//! Why a claim is not bound.

use crate::conventions::object_ref::ObjectKey;
use crate::report::code::coded;
use crate::report::{ClaimCause, Code, VolumeReason, join_and};

coded! {
    /// Why a claim is not bound.
    #[derive(Debug, Clone, PartialEq)]
    #[expect(missing_docs, reason = "the fields are the evidence their names say")]
    pub enum BindEvidence {
        /// It is bound to the volume.
        AlreadyBound { claim: ObjectKey, volume: String },
        /// It is bound.
        Bound as AlreadyBound,
        /// It is bound to another volume than the one that was named.
        BoundElsewhere { claim: ObjectKey, volume: String } as AlreadyBound,
        /// It names another volume than the one that was named.
        NamesOther { claim: ObjectKey, volume: String } as NamedVolumeMismatch,
        /// The volume that was named does not exist.
        VolumeNotFound { volume: String } as NamedVolumeNotFound,
        /// The volume that was named does not suit it.
        Volume(RefusedVolume) in volume,
        /// The scheduler binds one of these.
        SchedulerBinds { volumes: Vec<String> } as WaitsForScheduler,
        /// No existing volume fits, and a provisioner creates one.
        ProvisionerCreates { provisioner: Option<String> } as NoVolumeFits,
        /// No existing volume fits, and this is known of its provisioner.
        ProvisionerNotSeen(ClaimCause) in cause,
        /// Something it depends on could not be read.
        NotReadable,
        /// No volume fits.
        NoVolumeFits,
    }
}

/// A volume that was named, and why it does not suit the claim.
#[derive(Debug, Clone, PartialEq)]
pub struct RefusedVolume {
    /// The volume.
    pub volume: String,
    /// The claim.
    pub claim: ObjectKey,
    /// Why.
    pub reason: VolumeReason,
    /// Whether `--force` lifts everything that speaks against it.
    pub can_be_forced: bool,
}

impl RefusedVolume {
    fn code(&self) -> Code {
        self.reason.code()
    }

    fn message(&self) -> String {
        let hint = if self.can_be_forced {
            "; --force binds it all the same"
        } else {
            ""
        };
        let (name, key) = (&self.volume, &self.claim);
        match &self.reason {
            VolumeReason::WaitsForScheduler => {
                format!("{name} would do for {key}; the scheduler decides when a pod comes{hint}")
            }
            reason => format!("{name} is not for {key}: {}{hint}", reason.message()),
        }
    }
}

impl BindEvidence {
    pub(super) fn message(&self) -> String {
        match self {
            Self::AlreadyBound { claim, volume } => format!("{claim} is bound to {volume} already"),
            Self::Bound => "it is bound already".to_owned(),
            Self::BoundElsewhere { claim, volume } => {
                format!("{claim} is bound to {volume} already, and never changes to another volume")
            }
            Self::NamesOther { claim, volume } => {
                format!("{claim} names {volume}, which cannot be changed")
            }
            Self::VolumeNotFound { volume } => format!("there is no volume {volume}"),
            Self::Volume(volume) => volume.message(),
            Self::SchedulerBinds { volumes } => {
                let volumes = join_and(volumes);
                format!("the scheduler takes {volumes} when it places the pod")
            }
            Self::ProvisionerCreates { provisioner } => {
                let maker = provisioner.as_deref().unwrap_or("its provisioner");
                format!("no volume that exists fits; {maker} makes one")
            }
            Self::ProvisionerNotSeen(cause) => {
                format!("no volume that exists fits; {}", cause.message())
            }
            Self::NotReadable => "what it depends on could not be read".to_owned(),
            Self::NoVolumeFits => "no volume fits".to_owned(),
        }
    }
}
