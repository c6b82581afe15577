//! Every code with its sentence and its hint, one of each. Codes are only ever added: a line that goes from these snapshots
//! is a promise broken.

use super::{
    AttachmentSummary, ClaimCause, DataSourceName, DeleterPresence, FutureUser, Holder, HoldingPod,
    KeepMark, Likeness, Mismatch, NearNode, NoDeleter, NoRecycler, NotReady, ReclaimError,
    ReclaimFailure, Reclaimer, Removal, ReportedCondition, SourceKind, TakerReason, VolumeCause,
    VolumeHolder, VolumeReason, WithoutOptions,
};
use crate::conventions::access_mode::AccessModes;
use crate::conventions::object_ref::{ObjectKey, OwnerRef};
use crate::conventions::quantity::Quantity;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::{Kind, Time, VolumePhase};

fn told(code: &str, message: &str, hint: Option<String>) -> String {
    let hint = hint
        .map(|hint| format!("\n    hint: {hint}"))
        .unwrap_or_default();
    format!("{code}: {message}{hint}\n")
}

fn holder(uid: Option<&str>, asking: Option<&str>) -> Holder {
    Holder {
        claim: Some(ObjectKey::new("prod", "data-0")),
        uid: uid.map(str::to_owned),
        asking_uid: asking.map(str::to_owned),
    }
}

#[test]
fn codes_on_a_volume() {
    let quantity = |text: &str| Quantity::parse(text).expect("a quantity");
    let modes = |names: &[&str]| AccessModes::of_names(names.iter().copied());
    let text = |text: &str| text.to_owned();
    let reasons = [
        VolumeReason::ReservedForOtherClaim(holder(Some("uid"), None)),
        VolumeReason::ReservedForOtherClaim(holder(None, None)),
        VolumeReason::ReservedForOtherClaim(Holder::default()),
        VolumeReason::ReservedForDeletedClaim(holder(
            Some("7c1f0b52-6d8e-4a53"),
            Some("9f2e77aa-4c0e-4bd4"),
        )),
        VolumeReason::ReservedForDeletedClaim(holder(Some("7c1f0b52-6d8e-4a53"), None)),
        VolumeReason::TooSmall {
            requested: quantity("10Gi"),
            offered: quantity("10G"),
        },
        VolumeReason::VolumeModeMismatch {
            requested: VolumeMode::Filesystem,
            offered: VolumeMode::Block,
        },
        VolumeReason::AttributesClassMismatch {
            requested: text("gold"),
            offered: text(""),
        },
        VolumeReason::BeingDeleted {
            finalizers: vec![text("kubernetes.io/pv-protection")],
        },
        VolumeReason::NotAvailable {
            phase: VolumePhase::Failed,
        },
        VolumeReason::SelectorMismatch {
            unmet: vec![text("tier=gold")],
            labels: vec![text("tier=tin")],
        },
        VolumeReason::SelectorMismatch {
            unmet: vec![text("tier=gold")],
            labels: vec![],
        },
        VolumeReason::ClassMismatch {
            requested: text("fast"),
            offered: text(""),
        },
        VolumeReason::AccessModesMissing {
            missing: modes(&["ReadWriteMany"]),
            offered: modes(&["ReadWriteOnce"]),
        },
        VolumeReason::NodeAffinityMismatch {
            node: text("node-1"),
        },
        VolumeReason::TakenByOtherClaim {
            claim: ObjectKey::new("prod", "logs"),
        },
        VolumeReason::WaitsForScheduler,
        VolumeReason::LargerThanChosen {
            chosen: quantity("10Gi"),
        },
        VolumeReason::MoreModesThanChosen {
            chosen: modes(&["ReadWriteOnce"]),
        },
        VolumeReason::ReservedVolumePreferred {
            reserved: vec![text("pv-7")],
        },
        VolumeReason::LaterNameThanChosen {
            chosen: text("pv-1"),
        },
        VolumeReason::OptionsNeedNewVolume,
        VolumeReason::AlphaClassAnnotation,
    ];
    let shown: String = reasons
        .iter()
        .map(|reason| told(reason.code().name(), &reason.message(), reason.hint()))
        .collect();
    insta::assert_snapshot!(shown);
}

fn not_reclaimed() -> Vec<VolumeCause> {
    let text = |text: &str| text.to_owned();
    let no_deleter = |why: NoDeleter| VolumeCause::NoDeleter { why };
    let reclaim_failed = |why: ReclaimFailure| VolumeCause::ReclaimFailed { why };
    vec![
        no_deleter(NoDeleter::Unwatched {
            by: text("example.com/dir"),
        }),
        no_deleter(NoDeleter::PathNotAllowed {
            path: Some(text("/srv/a")),
        }),
        no_deleter(NoDeleter::NotHostPath { field: text("nfs") }),
        no_deleter(NoDeleter::NotImplemented {
            name: text("kubernetes.io/gone"),
        }),
        no_deleter(NoDeleter::NoProvisioner { field: text("nfs") }),
        VolumeCause::NoRecycler {
            why: NoRecycler::Source {
                field: text("iscsi"),
            },
        },
        VolumeCause::NoRecycler {
            why: NoRecycler::CsiDriver,
        },
        reclaim_failed(ReclaimFailure::Reported(text("Recycle failed: …"))),
        reclaim_failed(ReclaimFailure::NotReported),
        reclaim_failed(ReclaimFailure::UnknownPolicy(text("Shred"))),
    ]
}

#[test]
#[expect(clippy::too_many_lines, reason = "one list")]
fn codes_of_a_volume_and_of_those_who_want_it() {
    let text = |text: &str| text.to_owned();
    let deleter = |presence: DeleterPresence, said: Option<&str>| VolumeCause::ForeignDeleter {
        by: text("ebs.csi.aws.com"),
        presence,
        said: said.map(str::to_owned),
    };
    let in_use = |pods: &[&str], recycling: bool| VolumeCause::InUse {
        pods: pods.iter().map(|pod| text(pod)).collect(),
        recycling,
    };
    let causes = [
        VolumeCause::BeingDeleted {
            volume: text("pv-1"),
            policy: text("Delete"),
            claim: text("prod/data"),
            removal: Removal::DataDeleted {
                by: Some(Reclaimer::Controller),
            },
        },
        VolumeCause::BeingDeleted {
            volume: text("pv-1"),
            policy: text("Delete"),
            claim: text("prod/data"),
            removal: Removal::DataMayStay,
        },
        VolumeCause::BeingDeleted {
            volume: text("pv-1"),
            policy: text("Delete"),
            claim: text("prod/data"),
            removal: Removal::ObjectStays {
                why: ReclaimError::NoPluginNamed(text("kubernetes.io/gone")),
            },
        },
        VolumeCause::HeldByFinalizer {
            holds: vec![text("kubernetes.io/pv-protection")],
        },
        VolumeCause::PolicyRetain,
        deleter(DeleterPresence::Seen, None),
        deleter(DeleterPresence::NotSeen, None),
        deleter(DeleterPresence::Unknown, Some("it is still attached")),
        VolumeCause::LeftToController { empties: false },
        VolumeCause::LeftToController { empties: true },
        VolumeCause::OptOut {
            on: KeepMark::Volume,
        },
        in_use(&["prod/web-0"], false),
        in_use(&["prod/web-0", "prod/web-1"], true),
        VolumeCause::Attached {
            attachments: vec![AttachmentSummary {
                name: text("csi-9f"),
                node: text("a-7"),
                node_exists: Some(false),
                attached: true,
                detaching: false,
                error: None,
            }],
        },
        VolumeCause::Volume(VolumeReason::ReservedForDeletedClaim(holder(
            Some("7c1f0b52-6d8e-4a53"),
            None,
        ))),
        VolumeCause::NodeAffinityMismatch {
            wanted: text("kubernetes.io/hostname=a"),
            near: Some(NearNode {
                node: text("a"),
                likeness: Likeness::Name {
                    key: text("kubernetes.io/hostname"),
                    value: None,
                },
            }),
        },
        VolumeCause::ClaimExists {
            claim: text("prod/data-0"),
            elsewhere: None,
        },
        VolumeCause::ClaimExists {
            claim: text("prod/data-0"),
            elsewhere: Some(text("pv-7")),
        },
        VolumeCause::NotReadable {
            what: vec![Kind::Claims],
        },
    ];
    let wants = [
        TakerReason::NamesOtherVolume {
            volume: text("pv-7"),
        },
        TakerReason::SelectedNodeSet {
            node: text("node-1"),
        },
        TakerReason::NoNodeForVolume {
            wanted: text("kubernetes.io/hostname=a"),
        },
    ];
    let not_reclaimed = not_reclaimed();
    let causes = causes
        .iter()
        .chain(&not_reclaimed)
        .map(|cause| told(cause.code().name(), &cause.message(), cause.hint()));
    let wants = wants
        .iter()
        .map(|reason| told(reason.code().name(), &reason.message(), reason.hint()));
    insta::assert_snapshot!(causes.chain(wants).collect::<String>());
}

#[test]
fn codes_on_a_claim() {
    let shown: String = causes()
        .iter()
        .map(|cause| told(cause.code().name(), &cause.message(), cause.hint()))
        .collect();
    insta::assert_snapshot!(shown);
}

#[expect(clippy::too_many_lines, reason = "one list")]
fn causes() -> Vec<ClaimCause> {
    let text = |text: &str| text.to_owned();
    let list = |items: &[&str]| {
        items
            .iter()
            .map(|item| (*item).to_owned())
            .collect::<Vec<_>>()
    };
    let quantity = |text: &str| Quantity::parse(text).expect("a quantity");
    let too_small = || VolumeReason::TooSmall {
        requested: quantity("10Gi"),
        offered: quantity("1Gi"),
    };
    let class_mismatch = |requested: &str, offered: &str| VolumeReason::ClassMismatch {
        requested: text(requested),
        offered: text(offered),
    };
    let finished = |name: &str| HoldingPod {
        name: text(name),
        owner: None,
        is_finished: true,
    };
    let snapshot = || DataSourceName {
        kind: SourceKind::VolumeSnapshot,
        name: text("nightly"),
    };
    vec![
        ClaimCause::InvalidClaim {
            errors: list(&["spec.accessModes: Required value: at least 1 access mode is required"]),
        },
        ClaimCause::LimitRangeViolated {
            limit_range: text("bounds"),
            message: text("too small"),
            on_update: false,
        },
        ClaimCause::LimitRangeViolated {
            limit_range: text("bounds"),
            message: text("too small"),
            on_update: true,
        },
        ClaimCause::QuotaExceeded {
            quota: text("space"),
            message: text("exceeded quota: space"),
            on_update: false,
        },
        ClaimCause::QuotaExceeded {
            quota: text("space"),
            message: text("exceeded quota: space"),
            on_update: true,
        },
        ClaimCause::NotReadable {
            what: vec![Kind::Volumes, Kind::Classes],
        },
        ClaimCause::VolumeMisbound {
            volume: text("pv-1"),
            holder: VolumeHolder::Claim(ObjectKey::new("prod", "other")),
            uid: Some(text("u1")),
            own_uid: None,
            storage: None,
        },
        ClaimCause::VolumeMisbound {
            volume: text("pv-1"),
            holder: VolumeHolder::Claim(ObjectKey::new("prod", "data")),
            uid: None,
            own_uid: Some(text("u2")),
            storage: Some(text("csi ebs.csi.aws.com vol-0ab")),
        },
        ClaimCause::VolumeLost {
            volume: Some(text("pv-1")),
        },
        ClaimCause::VolumeLost { volume: None },
        ClaimCause::NamedVolumeNotFound {
            volume: text("pv-1"),
            similar: vec![(text("pv-10"), VolumePhase::Released)],
        },
        ClaimCause::NamedVolumeNotFound {
            volume: text("pv-1"),
            similar: vec![],
        },
        ClaimCause::NamedVolumeTaken {
            volume: text("pv-1"),
            holder: VolumeHolder::Claim(ObjectKey::new("prod", "other")),
            holder_is_gone: false,
        },
        ClaimCause::NamedVolumeTaken {
            volume: text("pv-1"),
            holder: VolumeHolder::Claim(ObjectKey::new("prod", "other")),
            holder_is_gone: true,
        },
        ClaimCause::NamedVolumeMismatch {
            volume: text("pv-1"),
            why: Mismatch::Found(vec![
                class_mismatch("fast", "slow"),
                VolumeReason::AccessModesMissing {
                    missing: AccessModes::of_names(["ReadWriteMany"]),
                    offered: AccessModes::of_names(["ReadWriteOnce"]),
                },
            ]),
            put_in: None,
        },
        ClaimCause::NamedVolumeMismatch {
            volume: text("pv-1"),
            why: Mismatch::Found(vec![class_mismatch("gp3", "")]),
            put_in: Some(text("gp3")),
        },
        ClaimCause::ConsumerBypassesScheduler {
            pods: vec![(text("web-0"), text("node-1"))],
        },
        ClaimCause::SelectedNodeMissing {
            node: text("node-9"),
        },
        ClaimCause::NoFeasibleNode {
            pod: Some(text("web-0")),
            because: None,
            advice: None,
        },
        ClaimCause::NoFeasibleNode {
            pod: Some(text("web-0")),
            because: Some(text("no node has a volume that fits claim data")),
            advice: Some(text("make one")),
        },
        ClaimCause::ProvisionedVolumeUnfit {
            volume: text("pvc-1"),
            why: vec![too_small()],
        },
        ClaimCause::ProvisioningFailed {
            provisioner: text("ebs.csi.aws.com"),
            message: text("out of space"),
            binds_too_early: None,
        },
        ClaimCause::ProvisioningFailed {
            provisioner: text("rancher.io/local-path"),
            message: text("configuration error, no node was specified"),
            binds_too_early: Some(text("local-path")),
        },
        ClaimCause::DataSourceNotFound { source: snapshot() },
        ClaimCause::DataSourceNotReady {
            source: snapshot(),
            why: NotReady::Snapshot,
        },
        ClaimCause::OptionsConfigMapNotFound {
            name: text("options"),
        },
        ClaimCause::OptionUnknown {
            key: text("encrypted"),
            nearest: list(&["encryption"]),
        },
        ClaimCause::OptionValueNotAllowed {
            key: text("zone"),
            value: text("d"),
            allowed: list(&["a", "b"]),
        },
        ClaimCause::OptionRequired { key: text("zone") },
        ClaimCause::OptionConflictsWithParameters {
            key: text("zone"),
            value: text("d"),
            parameter: text("zones"),
            allowed: list(&["a", "b"]),
        },
        ClaimCause::NoVolumeFits {
            volumes: 6,
            of_class: 2,
            class: text("fast"),
            nearest: None,
        },
        ClaimCause::NoVolumeFits {
            volumes: 1,
            of_class: 1,
            class: text("fast"),
            nearest: Some((
                text("pv-1"),
                VolumeReason::ReservedForOtherClaim(holder(Some("uid"), None)),
            )),
        },
        ClaimCause::NoVolumeFits {
            volumes: 1,
            of_class: 0,
            class: text(""),
            nearest: Some((
                text("pv-1"),
                VolumeReason::ClassMismatch {
                    requested: text(""),
                    offered: text("fast"),
                },
            )),
        },
        ClaimCause::ClassExplicitlyEmpty {
            default: Some(text("gp3")),
        },
        ClaimCause::NoDefaultClass {
            classes: list(&["gp3"]),
        },
        ClaimCause::ClassNotFound {
            class: text("fast"),
            similar: list(&["faster"]),
        },
        ClaimCause::ClassNotFound {
            class: text("fast"),
            similar: vec![],
        },
        ClaimCause::ClassDoesNotProvision {
            class: text("local"),
            immediate: true,
        },
        ClaimCause::ProvisionerUnknown {
            class: text("old"),
            provisioner: text("kubernetes.io/glusterfs"),
        },
        ClaimCause::ProvisionerNotRegistered {
            provisioner: text("ebs.csi.aws.co"),
            nearest: list(&["ebs.csi.aws.com"]),
        },
        ClaimCause::SelectorNotProvisionable {
            provisioner: text("ebs.csi.aws.com"),
        },
        ClaimCause::NoVolumes,
        ClaimCause::LabelNotOffered {
            key: text("tier"),
            values: list(&["glod"]),
            nearest: list(&["gold"]),
            offered: list(&["gold", "silver"]),
        },
        ClaimCause::LabelNotOffered {
            key: text("tier"),
            values: list(&["a", "b"]),
            nearest: vec![],
            offered: list(&["1", "2", "3", "4", "5", "6", "7"]),
        },
        ClaimCause::LabelNotOffered {
            key: text("teir"),
            values: list(&["gold"]),
            nearest: list(&["tier"]),
            offered: vec![],
        },
        ClaimCause::ConsumerUnscheduled {
            pods: list(&["web-0", "web-1"]),
            held_by: None,
        },
        ClaimCause::NoConsumer {
            class: text("local"),
            finished: vec![],
            would_use: Some(FutureUser {
                workload: OwnerRef::new("StatefulSet", "web"),
                ordinal: None,
                is_idle: false,
            }),
            pods_seen: true,
        },
        ClaimCause::NoConsumer {
            class: text("local"),
            finished: list(&["job-1"]),
            would_use: None,
            pods_seen: true,
        },
        ClaimCause::ReservationIgnored {
            volume: text("pv-1"),
            why: vec![too_small()],
        },
        ClaimCause::Contended {
            claims: vec![ObjectKey::new("prod", "other")],
            volumes: list(&["pv-1", "pv-2"]),
        },
        ClaimCause::OptionsMalformed {
            class: text("fast"),
            why: text("EOF while parsing a value"),
        },
        ClaimCause::OptionsIgnoredByCluster {
            would: WithoutOptions::Binds(list(&["pv-1"])),
        },
        ClaimCause::ClaimTerminating {
            since: None,
            held_by: vec![finished("job-1")],
            finalizers: vec![],
        },
        ClaimCause::ClaimTerminating {
            since: Some(Time(0)),
            held_by: vec![finished("job-1")],
            finalizers: list(&["kubernetes.io/pvc-protection"]),
        },
        ClaimCause::ClaimTerminating {
            since: None,
            held_by: vec![],
            finalizers: list(&["example.com/hold"]),
        },
        ClaimCause::BeingDeleted {
            volume: text("pv-1"),
            policy: text("Retain"),
            removal: Removal::DataStays,
        },
        ClaimCause::DefaultClassApplied {
            class: text("gp3"),
            volumes: list(&["pv-1"]),
        },
        ClaimCause::SeveralDefaultClasses {
            classes: vec![
                (text("gp3"), Some(Time(86_400))),
                (text("gp2"), Some(Time(0))),
            ],
        },
        ClaimCause::NodeAffinityMismatch {
            volume: text("pv-1"),
            wanted: text("kubernetes.io/hostname=n1"),
            near: Some(NearNode {
                node: text("n1"),
                likeness: Likeness::Name {
                    key: text("kubernetes.io/hostname"),
                    value: Some(text("n1.example")),
                },
            }),
        },
        ClaimCause::ReservedVolumeUnfit {
            volume: text("pv-1"),
            missing: AccessModes::of_names(["ReadWriteMany"]),
        },
        ClaimCause::AttributesChangePending {
            from: Some(text("slow")),
            to: text("fast"),
            status: text("Infeasible"),
            said: Some(ReportedCondition {
                kind: text("ModifyVolumeError"),
                message: text("quota exceeded"),
            }),
        },
        ClaimCause::ExpansionPending {
            requested: quantity("20Gi"),
            holds: quantity("10Gi"),
            said: None,
        },
        ClaimCause::ExpansionNotAllowed {
            class: text("gp2"),
            requested: quantity("20Gi"),
            holds: quantity("10Gi"),
        },
    ]
}
