//! Codes: every one of the contract that is reported anywhere, once. A code is spelled as its variant is named; it becomes text where
//! it is printed or serialised, and nowhere else.
//!
//! The enums of causes and reasons are defined in [`coded!`], which derives the code from the variant. What a code says of an
//! object is up to them: one code may be said of claims, of volumes and of nodes.

use crate::model::asset::AssetObstacle;
use serde::Serialize;
use std::cmp::Ordering;
use std::fmt::{Display, Formatter, Result};

macro_rules! codes {
    ($($code:ident),+ $(,)?) => {
        /// What people paste and scripts compare. Codes are only ever added.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        #[expect(missing_docs, reason = "the contract defines them; the enums of causes state what they mean")]
        pub enum Code { $($code),+ }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$code),+];

            /// As it is spelled.
            pub fn name(self) -> &'static str {
                match self { $(Self::$code => stringify!($code)),+ }
            }
        }
    };
}

/// Defines an enum whose code is the name of the variant. A variant with another code is followed by `as` and that code; one whose
/// value has the code, by `in` and a name for the value.
macro_rules! coded {
    (
        $(#[$about:meta])*
        $visibility:vis enum $name:ident {
            $(
                $(#[$doc:meta])*
                $variant:ident $({ $($field:tt)* })? $(($($value:tt)*))? $(as $code:ident)? $(in $inner:ident)?
            ),+ $(,)?
        }
    ) => {
        $(#[$about])*
        $visibility enum $name {
            $($(#[$doc])* $variant $({ $($field)* })? $(($($value)*))?),+
        }

        impl $name {
            /// The code people paste and scripts compare.
            $visibility fn code(&self) -> $crate::report::Code {
                match self {
                    $(Self::$variant { $(0: $inner,)? .. } => {
                        $crate::report::code::coded!(@ $variant $(as $code)? $(in $inner)?)
                    })+
                }
            }
        }
    };
    (@ $variant:ident) => { $crate::report::Code::$variant };
    (@ $variant:ident as $code:ident) => { $crate::report::Code::$code };
    (@ $variant:ident in $inner:ident) => { $inner.code() };
}

pub(crate) use coded;

codes! {
    AboveMaximum,
    AccessModesMissing,
    AffinityConflict,
    AgeUnknown,
    AlphaClassAnnotation,
    AlreadyBound,
    AlreadySet,
    AssetIsLink,
    AssetMissing,
    AssetTaken,
    AttachFailing,
    Attached,
    AttachedElsewhere,
    AttributesChangePending,
    AttributesClassMismatch,
    BeingDeleted,
    BetaClassAnnotation,
    BoundVolumeElsewhere,
    BoundVolumeMissing,
    CapacityInsufficient,
    CapacityNotPublished,
    ChanceDecides,
    ClaimExists,
    ClaimNotFound,
    ClaimTerminating,
    ClassDoesNotProvision,
    ClassExplicitlyEmpty,
    ClassMismatch,
    ClassNotFound,
    ClockSkew,
    ConsumerBypassesScheduler,
    ConsumerUnscheduled,
    Contended,
    DataSourceNotFound,
    DataSourceNotReady,
    DefaultClassApplied,
    DirectoryReadOnly,
    DiskInUse,
    DroppedByServer,
    EphemeralClaimNotCreated,
    EphemeralClaimNotOwned,
    ExpansionNotAllowed,
    ExpansionPending,
    Failed,
    Finished,
    ForeignDeleter,
    HeldByFinalizer,
    HoldsData,
    ImmediateWithoutProvisioner,
    InUse,
    InvalidClaim,
    InvalidClass,
    InvalidConfigMap,
    InvalidVolume,
    InvalidVolumeSet,
    LabelNotOffered,
    LargerThanChosen,
    LaterNameThanChosen,
    LimitRangeViolated,
    LowSpace,
    MaximumReached,
    MoreModesThanChosen,
    MountFailing,
    NamedVolumeMismatch,
    NamedVolumeNotFound,
    NamedVolumeTaken,
    NamesOtherVolume,
    NoConsumer,
    NoDefaultClass,
    NoDeleter,
    NoFeasibleNode,
    NoNodes,
    NoProvisioner,
    NoRecycler,
    NoSpace,
    NoVolumeFits,
    NoVolumeOnNode,
    NoVolumes,
    NodeAffinityMismatch,
    NodeCordoned,
    NodeNotNamed,
    NodeNotSelected,
    NodeVolumeLimitReached,
    NodesExcluded,
    NotAvailable,
    NotBound,
    NotCertain,
    NotDeletable,
    NotNamed,
    NotReadable,
    NotReleased,
    NotThisNode,
    NothingSelected,
    OptOut,
    OptionConflictsWithParameters,
    OptionDefaultApplies,
    OptionDefaultNotAllowed,
    OptionDuplicate,
    OptionRequired,
    OptionRequiredWithDefault,
    OptionShadowsParameter,
    OptionUnknown,
    OptionValueNotAllowed,
    OptionsConfigMapNotFound,
    OptionsIgnoredByCluster,
    OptionsMalformed,
    OptionsNeedNewVolume,
    OtherNamespace,
    OtherScheduler,
    ParameterDeprecated,
    ParameterUnknown,
    ParameterValueInvalid,
    PermissionDenied,
    PolicyChanged,
    PolicyRetain,
    ProvisionedVolumeUnfit,
    ProvisionerNotRegistered,
    ProvisionerUnknown,
    ProvisioningFailed,
    QuotaExceeded,
    ReadWriteOncePodInUse,
    ReclaimFailed,
    Released,
    ReservationIgnored,
    ReservedForDeletedClaim,
    ReservedForMissingClaim,
    ReservedForOtherClaim,
    ReservedVolumePreferred,
    ReservedVolumeUnfit,
    RivalReported,
    SchedulingGated,
    SecretInParameters,
    SelectedNodeElsewhere,
    SelectedNodeMissing,
    SelectedNodeSet,
    SelectorMismatch,
    SelectorNotProvisionable,
    SeveralDefaultClasses,
    SharedAsset,
    SmallerClaimFirst,
    TaintNotTolerated,
    TakenByOtherClaim,
    TimeIsUp,
    TooSmall,
    TopologyNotAllowed,
    UnboundImmediateClaims,
    UnitMix,
    Unreachable,
    Unreadable,
    VolumeFits,
    VolumeLost,
    VolumeMisbound,
    VolumeModeMismatch,
    VolumeZoneMismatch,
    WaitsForScheduler,
}

/// In the order of their names.
impl Ord for Code {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for Code {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Display for Code {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        formatter.pad(self.name())
    }
}

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        self.name()
    }
}

impl From<AssetObstacle> for Code {
    fn from(obstacle: AssetObstacle) -> Self {
        match obstacle {
            AssetObstacle::Missing => Self::AssetMissing,
            AssetObstacle::Link => Self::AssetIsLink,
            AssetObstacle::ReadOnly => Self::DirectoryReadOnly,
            AssetObstacle::InUse => Self::InUse,
            AssetObstacle::NoSpace => Self::NoSpace,
            AssetObstacle::PermissionDenied => Self::PermissionDenied,
            AssetObstacle::NotReadable => Self::NotReadable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_spelled_as_its_variant_is_named() {
        assert_eq!(Code::NotReadable.name(), "NotReadable");
        assert_eq!(format!("{:>8}", Code::InUse), "   InUse");
        assert_eq!(serde_json::to_value(Code::InUse).expect("text"), "InUse");
        assert!(Code::ALL.is_sorted(), "sorted, so that each is found once");
    }
}
