//! The order of variants, where it decides an order of output or a decision: each list is written by hand, in the intended order.
//! Orders of private enums are pinned beside them. `tests/formats.rs` finds enums that are in no list.

use crate::conventions::access_mode::AccessMode;
use crate::model::{Kind, VolumePhase};
use crate::report::{
    AttentionCode, CleanupCategory, Confidence, Danger, FindingCode, FindingSeverity, PodVerdict,
    Refuser, Result, Severity, TakerResult, Verdict,
};
use crate::testing::assert_order;

/// The order of `kubectl get -o wide`, by which sets of modes are compared.
#[test]
fn access_modes() {
    assert_order!(AccessMode: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod);
}

#[test]
fn phases_and_kinds() {
    assert_order!(VolumePhase: Pending, Available, Bound, Released, Failed);
    assert_order!(
        Kind: Volumes, Claims, Classes, AttributesClasses, Pods, Nodes, CsiDrivers, CsiNodes,
        Capacities, Attachments, LimitRanges, Quotas, Events, ConfigMaps, Snapshots, Workloads,
        Deployments, ReplicaSets, ReplicationControllers, DaemonSets, Jobs, CronJobs, VolumeSets,
    );
}

/// The worst answer of several is the last.
#[test]
fn verdicts() {
    assert_order!(
        Verdict: Bound, WillBind, WillProvision, Waiting, Blocked, Lost, Rejected, Unknown,
    );
    assert_order!(PodVerdict: Scheduled, Schedulable, Unschedulable, Waiting, Unknown);
    assert_order!(Result: Chosen, Possible, Fits, Rejected, Unknown);
    assert_order!(TakerResult: WouldTake, CouldTake, Rejected);
}

/// What needs attention most is listed first.
#[test]
fn severities() {
    assert_order!(Severity: Blocker, Warning, Note);
    assert_order!(FindingSeverity: Error, Warning, Note);
    assert_order!(Confidence: Certain, Likely, Unsure);
    assert_order!(Danger: Harmless, Reversible, LosesData);
}

/// The order in which the scheduler asks.
#[test]
fn what_refuses_a_node() {
    assert_order!(
        Refuser: NodeNames, Unschedulable, Taints, NodeAffinity, Restrictions, Limits, Binding,
        Zone,
    );
}

#[test]
fn codes() {
    assert_order!(
        AttentionCode: Failed, Unreachable, Released, BeingDeleted, ClaimTerminating,
        ReservedForMissingClaim, NotDeletable,
    );
    assert_order!(
        CleanupCategory: DuplicateVolumes, Failed, LeakedAssets, LeftoverAttachments, LostClaims,
        Released, Unreachable, UnusedClaims,
    );
    assert_order!(
        FindingCode: OptionUnknown, OptionValueNotAllowed, OptionRequired,
        OptionConflictsWithParameters, OptionDuplicate, OptionDefaultNotAllowed, OptionsMalformed,
        OptionsConfigMapNotFound, ClassNotFound, ParameterValueInvalid, InvalidClaim, InvalidVolume,
        InvalidClass, InvalidConfigMap, InvalidVolumeSet, Unreadable, OptionRequiredWithDefault,
        OptionShadowsParameter, ParameterUnknown, ParameterDeprecated, SelectorNotProvisionable,
        ImmediateWithoutProvisioner, NotDeletable, UnitMix, BetaClassAnnotation,
        AlphaClassAnnotation, SeveralDefaultClasses, OptionsIgnoredByCluster, DroppedByServer,
        SecretInParameters, OptionDefaultApplies,
    );
}
