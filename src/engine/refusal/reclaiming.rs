//! Why a volume is not reclaimed, and why a member of a set is not deleted.

use super::Several;
use super::advice::GOING;
use crate::conventions::command_line::Sentence;
use crate::conventions::object_ref::ObjectKey;
use crate::engine::reclaim_commands::{carry_out, reuse, reuse_for, set_policy};
use crate::model::{ReclaimPolicy, VolumePhase};
use crate::report::code::coded;
use crate::report::{Code, FinalizerHold, Reclaimer, TakerReason, VolumeCause, few_of, join_and};

coded! {
    /// Why a volume is not reclaimed.
    #[derive(Debug, Clone, PartialEq)]
    #[expect(missing_docs, reason = "the fields are the evidence their names say")]
    pub enum ReclaimEvidence {
        /// It is not released.
        NotReleased { phase: VolumePhase, reserved_for: Option<ObjectKey> },
        /// Policy Retain.
        PolicyRetain { volume: String, is_being_deleted: bool },
        /// A provisioner deletes it, but Released volumes only, and it is Failed.
        DeleterIgnoresFailed { cause: VolumeCause, by: String } as ForeignDeleter,
        /// Its backend does not delete it; the policy, where that asks for it.
        BackendCannotDelete { policy: Option<ReclaimPolicy>, why: BackendObstacle } as NoDeleter,
        /// Its backend does not empty it.
        BackendCannotEmpty { policy: ReclaimPolicy, why: BackendObstacle } as NoRecycler,
        /// Another component of the cluster serves the name of its backend.
        NameServedTwice { name: String, sign: String } as ForeignDeleter,
        /// Its directory is on another node: than `here`, or this machine is not a Node.
        OnOtherNode { wanted: String, here: Option<String> } as NodeAffinityMismatch,
        /// Finalizers hold it.
        HeldByFinalizer { holds: Vec<FinalizerHold>, is_being_deleted: bool },
        /// Another volume has the same asset.
        SharedAsset { volume: String, source: String },
        /// A claim names it.
        NamedByClaim { volume: String, claim: ObjectKey } as InUse,
        /// Pods of the controller empty it.
        EmptiedByController { pods: Vec<String> } as InUse,
        /// Pods of kubectl pv empty it.
        EmptiedByOwnPods { pods: Vec<String> } as InUse,
        /// Another run of kubectl pv empties it.
        EmptiedByOtherRun as InUse,
        /// It is to be reused while emptying it is unfinished.
        EmptyingUnfinished { volume: String } as InUse,
        /// Emptying it is unfinished, and what began it is not configured.
        RecyclerNotConfigured as NoRecycler,
        /// No pod can empty it.
        NoPlaceToEmpty { why: PlaceObstacle } as NoRecycler,
        /// Its source is none that a pod can mount.
        SourceNotMountable as NoRecycler,
        /// There is no image for a pod.
        NoRecyclerImage as NoRecycler,
        /// The node that was named cannot use it.
        NodeCannotReach { wanted: String, node: String } as NodeAffinityMismatch,
        /// A component still deletes or empties it.
        StillReclaimed { volume: String, policy: ReclaimPolicy, by: Option<Reclaimer>, deletes: bool } as ForeignDeleter,
        /// The claim that it is to be kept for has another volume.
        TakerBound { claim: ObjectKey, volume: Option<String> } as AlreadyBound,
        /// The claim that it is to be kept for could not bind it.
        TakerRejected(RejectedTaker) in taker,
        /// A member that a claim has, or that is reserved for one.
        MemberReserved as InUse,
        /// A member that the selector does not match any more.
        MemberNotSelected as OptOut,
        /// A member with policy Retain.
        MemberRetained as PolicyRetain,
        /// A member with another policy than Delete.
        MemberPolicy { policy: ReclaimPolicy } as NoDeleter,
        /// A member of another provisioner than the template names.
        MemberOfOther { provisioner: String, wanted: String } as NoDeleter,
        /// A member without a provisioner.
        MemberOfNone { wanted: String } as NoDeleter,
        /// The template names no backend.
        TemplateWithoutBackend as NoDeleter,
        /// Its backend is not configured.
        BackendNotConfigured { provisioner: String } as NoDeleter,
        /// Another volume has its name.
        VolumeReplaced as NotReleased,
        /// Another claim has it.
        OwnerChanged as NotReleased,
        /// Its policy is another than when this was decided.
        PolicyChanged { before: ReclaimPolicy, now: ReclaimPolicy },
        /// Its claim is in another namespace than those that were selected.
        OtherNamespace { namespace: String, asked: Option<String> },
        /// Its backend could not be asked.
        BackendNotReadable { why: String } as NotReadable,
        /// It has the policy.
        AlreadySet { policy: ReclaimPolicy },
    }
}

/// Why a backend does not do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackendObstacle {
    /// It cannot.
    Cannot {
        /// The backend.
        provisioner: String,
        /// What it cannot do.
        does: &'static str,
    },
    /// The source is no asset of it.
    NoAsset {
        /// The backend.
        provisioner: String,
    },
}

impl BackendObstacle {
    fn message(&self) -> String {
        match self {
            Self::Cannot { provisioner, does } => format!("backend {provisioner} cannot {does}"),
            Self::NoAsset { provisioner } => format!(
                "its source is no asset of backend {provisioner}, whose base directory holds each under one plain name"
            ),
        }
    }
}

/// Why no pod can empty a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceObstacle {
    /// Its path is the root of a node.
    RootOfNode,
    /// No node that has its directory exists.
    NoNode,
    /// Several nodes may have it.
    SeveralNodes(Vec<String>),
    /// The node that was named does not exist.
    NodeNotFound(String),
}

/// A claim that could not bind the volume.
#[derive(Debug, Clone, PartialEq)]
pub struct RejectedTaker {
    /// The claim.
    pub claim: ObjectKey,
    /// Why.
    pub reasons: Several<TakerReason>,
}

impl RejectedTaker {
    fn code(&self) -> Code {
        self.reasons.first().code()
    }
}

impl ReclaimEvidence {
    pub(super) fn message(&self) -> String {
        match self {
            Self::NotReleased { phase, reserved_for } => {
                let kept = reserved_for.as_ref().map(|claim| format!(", kept for {claim}"));
                format!("it is {phase}{}", kept.unwrap_or_default())
            }
            Self::PolicyRetain { .. } => {
                format!("policy Retain: {}", VolumeCause::PolicyRetain.message())
            }
            Self::DeleterIgnoresFailed { cause, by } => format!(
                "{}; but it is Failed, and {by} deletes Released volumes only",
                cause.message()
            ),
            Self::BackendCannotDelete { policy: None, why } => why.message(),
            Self::BackendCannotDelete { policy: Some(policy), why }
            | Self::BackendCannotEmpty { policy, why } => {
                format!("policy {policy}, but {}", why.message())
            }
            Self::NameServedTwice { name, sign } => format!(
                "{name} made it, which is configured here, and somebody else in the cluster answers to that name: {sign}"
            ),
            Self::OnOtherNode { wanted, here } => {
                let here = match here {
                    Some(here) => format!("this is node {here}"),
                    None => {
                        "this machine is not a Node of the cluster and has no record of the directory"
                            .to_owned()
                    }
                };
                format!("its directory is on a node with {wanted}, and {here}")
            }
            Self::HeldByFinalizer { holds, is_being_deleted } => held(holds, *is_being_deleted),
            Self::SharedAsset { volume, source } => {
                format!("volume {volume} lies in the same place, above it or below it: {source}")
            }
            Self::NamedByClaim { claim, .. } => {
                format!("claim {claim} names it (spec.volumeName) and may want its data back")
            }
            Self::EmptiedByController { pods } => {
                format!("the controller empties it: pod {}", join_and(pods))
            }
            Self::EmptiedByOwnPods { pods } => {
                format!("a pod of kubectl pv empties it: {}", join_and(pods))
            }
            Self::EmptiedByOtherRun => "another run of kubectl pv empties it".to_owned(),
            Self::EmptyingUnfinished { .. } | Self::RecyclerNotConfigured => {
                "emptying it was begun by kubectl pv and is not finished".to_owned()
            }
            Self::NoPlaceToEmpty { why } => format!("policy Recycle, but {}", why.message()),
            Self::SourceNotMountable => "its source is none that a pod can mount".to_owned(),
            Self::NoRecyclerImage => "there is no image for a pod that empties it".to_owned(),
            Self::NodeCannotReach { wanted, node } => {
                format!("it is on a node with {wanted}, which {node} is not")
            }
            Self::StillReclaimed { policy, by, deletes, .. } => {
                let by = by.as_ref().map_or("its CSI driver", Reclaimer::subject);
                let does = if *deletes { "deletes it" } else { "empties it" };
                format!("policy {policy}: {by} {does}, whoever takes it meanwhile")
            }
            Self::TakerBound { claim, volume } => {
                let other = volume.as_deref().unwrap_or("another volume");
                format!("{claim}, which it is to be kept for, has {other}")
            }
            Self::TakerRejected(RejectedTaker { claim, reasons }) => {
                let clauses = reasons.map(TakerReason::clause);
                format!("{claim} could not take it: {}", clauses.join("; "))
            }
            Self::MemberReserved => "a claim has it, or it is kept for one".to_owned(),
            Self::MemberNotSelected => {
                "the selector of the set does not match its labels any more".to_owned()
            }
            Self::MemberRetained => member_policy(&ReclaimPolicy::Retain),
            Self::MemberPolicy { policy } => member_policy(policy),
            Self::MemberOfOther { provisioner, wanted } => {
                format!("{provisioner} made it, and the template of the set names {wanted}")
            }
            Self::MemberOfNone { wanted } => {
                format!("it was made by hand; the set deletes only what {wanted} made")
            }
            Self::TemplateWithoutBackend => {
                "the template of the set names no backend (pv.kubernetes.io/provisioned-by) that could delete its volumes"
                    .to_owned()
            }
            Self::BackendNotConfigured { provisioner } => {
                format!("{provisioner} made it, and no backend of that name is configured here")
            }
            Self::VolumeReplaced => "another volume has its name by now".to_owned(),
            Self::OwnerChanged => "another claim got it meanwhile".to_owned(),
            Self::PolicyChanged { before, now } => {
                format!("its policy was {before} when this was decided, and is {now} now")
            }
            Self::OtherNamespace { namespace, asked: Some(asked) } => {
                format!("its claim is in namespace {namespace}, and -n names {asked}")
            }
            Self::OtherNamespace { namespace, asked: None } => {
                format!("its claim is in namespace {namespace}, which is excluded")
            }
            Self::BackendNotReadable { why } => why.clone(),
            Self::AlreadySet { policy } => format!("its policy is {policy} already"),
        }
    }

    pub(super) fn hint(&self) -> Option<Sentence> {
        Some(match self {
            Self::PolicyRetain {
                volume,
                is_being_deleted,
            } => retained(volume, *is_being_deleted),
            Self::DeleterIgnoresFailed { .. } => {
                "with its claimRef cleared it is Available again, data and all: --reuse".into()
            }
            Self::OnOtherNode { .. } => "run the command on that node".into(),
            Self::HeldByFinalizer { .. } => {
                "do not strip finalizers, mend what they wait for".into()
            }
            Self::NamedByClaim { volume, claim } => {
                let give = Sentence::from("give it to that claim: ");
                let give = give.command(reuse_for(volume, claim));
                give.text("; or delete the claim")
            }
            Self::EmptiedByOwnPods { .. } => {
                "go on as it was begun, with --recycler-image; or delete the pod first".into()
            }
            Self::EmptyingUnfinished { volume } => {
                let finish = Sentence::from("finish it: ").command(carry_out(volume));
                finish.text(", as it was begun")
            }
            Self::RecyclerNotConfigured => {
                "run the command again with the --backend or --recycler-image it was begun with"
                    .into()
            }
            Self::NoPlaceToEmpty {
                why: PlaceObstacle::SeveralNodes(_),
            } => "say which with --node".into(),
            Self::StillReclaimed { volume, .. } => {
                let retain = set_policy(volume, &ReclaimPolicy::Retain);
                Sentence::from("stop that first: ").command(retain)
            }
            _ => return None,
        })
    }
}

impl PlaceObstacle {
    fn message(&self) -> String {
        match self {
            Self::RootOfNode => "its path is all of a node".to_owned(),
            Self::NoNode => "no node that has its directory is there".to_owned(),
            Self::SeveralNodes(names) => {
                let names = join_and(&few_of(names, names.len()));
                format!("its directory may be on {names}: it does not say on which")
            }
            Self::NodeNotFound(name) => format!("node {name}, which was named, is not there"),
        }
    }
}

fn held(holds: &[FinalizerHold], is_being_deleted: bool) -> String {
    let each = holds.iter().map(|hold| {
        let by = hold.by.as_ref().map(|by| format!(" of {by}"));
        let by = by.unwrap_or_default();
        format!("{}{by}, {}", hold.finalizer, hold.waits_for)
    });
    let each: Vec<String> = each.collect();
    let held = if is_being_deleted {
        "its deletion was asked for, and waits for"
    } else {
        "it would not go while it is held by"
    };
    format!("{held} {}", join_and(&each))
}

fn retained(volume: &str, is_being_deleted: bool) -> Sentence {
    let delete = set_policy(volume, &ReclaimPolicy::Delete);
    if is_being_deleted {
        let text = format!("{GOING}; its data goes with it after ");
        return Sentence::from(text).command(delete);
    }
    Sentence::from("give it back with its data: ")
        .command(reuse(volume))
        .text("; or have it deleted: ")
        .command(delete)
        .text(", then ")
        .command(carry_out(volume))
}

fn member_policy(policy: &ReclaimPolicy) -> String {
    format!("policy {policy}: a set deletes only volumes with policy Delete")
}
