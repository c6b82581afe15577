//! What `reclaim` does with a volume, or why it is left alone: its policy carried out here ([`decide_ending`]), or the volume
//! given back with its data ([`decide_reuse`]).
//!
//! The order is fixed and the first that holds is reported: the claim is there, it is not released ([`owner`]), somebody wants it
//! kept, somebody uses it ([`users`]), policy Retain, attached, then who deletes ([`deletion`]) or empties ([`recycling`]) it. What
//! was not seen never counts as "nobody": whatever holds for certain is still reported, but nothing is destroyed.

mod deletion;
mod owner;
mod recycling;
mod reuse;
mod shared_asset;
mod surplus;
#[cfg(test)]
mod tests;
mod unseen;
mod users;

pub use deletion::OwnDeletion;
pub use recycling::{PodPlace, Recycler, Recycling};
pub use reuse::{Reuse, ReuseQuestion, decide_reuse};
pub use shared_asset::find_sharer;
pub use surplus::decide_surplus;
pub(crate) use users::recycler_namespaces;
pub use users::{own_recycler_prefix, recycler_name};

pub(crate) use reuse::may_be_reused;
pub(crate) use users::{check_own_recyclers, find_own_recyclers};

use super::attachments;
use super::reclaimers::left_to_cluster;
use super::refusal::{Advice, ReclaimEvidence, Refusal};
use crate::conventions::annotations::RECYCLING;
use crate::model::{ClusterState, Host, Kind, ReclaimPolicy, Volume, VolumePhase};
use crate::report::VolumeCause;
use unseen::Unseen;

/// One volume, and what is known of who asks.
pub struct EndingQuestion<'a> {
    /// The volume, as it is in the state.
    pub volume: &'a Volume,
    /// Whether it was named on the command line: then the opt-out does not protect it.
    pub is_named: bool,
    /// Whose it is among the backends configured here: by `provisioned-by`, else by where its source lies.
    pub own: Option<&'a OwnBackend>,
    /// Whether a pod may empty it: an image was given for that.
    pub has_recycler_image: bool,
    /// The namespace of recycler pods, if one was named.
    pub recycler_namespace: Option<&'a str>,
    /// The node it is to run on, if somebody named one.
    pub recycler_node: Option<&'a str>,
    /// The host name of this machine, to tell volumes of other nodes.
    pub host: Option<&'a Host>,
    /// Whether our lock keeps it and its asset is gone: then nothing is left that an annotation or its policy could keep.
    pub is_asset_gone: bool,
}

/// The backend of this machine that a volume belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnBackend {
    /// The provisioner name it serves.
    pub provisioner: String,
    /// Whether it can delete.
    pub can_delete: bool,
    /// Whether it can empty.
    pub can_recycle: bool,
    /// What the volume's source is to it.
    pub source: OwnSource,
}

/// What the source of a volume is to the backend it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnSource {
    /// No asset as the backend makes them; whatever else lies in its place nobody touches.
    NoAsset,
    /// An asset; no record says that it was made on this machine.
    Asset,
    /// An asset that was made on this machine, as the records here say; of what a program makes, the program knows.
    MadeHere,
}

/// What is done with a volume.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// It is deleted here: our lock, the asset, the object.
    Delete(Box<OwnDeletion>),
    /// It is emptied: our lock, the scrub, then it is offered again with its old policy.
    Recycle(Box<Recycling>),
    /// It is left alone.
    Left(Refusal),
}

/// Decides what is done with a volume.
pub fn decide_ending(state: &ClusterState, question: &EndingQuestion<'_>) -> Ending {
    let mut unseen = Unseen::new(state);
    let decided = decide(state, question, &mut unseen);
    let unknowns = unseen.into_unknowns();
    match decided {
        Ok(Ending::Delete(deletion)) => Ending::Delete(Box::new(OwnDeletion {
            unknowns,
            ..*deletion
        })),
        Ok(Ending::Recycle(recycling)) => Ending::Recycle(Box::new(Recycling {
            unknowns,
            ..*recycling
        })),
        Ok(Ending::Left(left)) | Err(left) => Ending::Left(Refusal { unknowns, ..left }),
    }
}

fn decide(
    state: &ClusterState,
    question: &EndingQuestion<'_>,
    unseen: &mut Unseen<'_>,
) -> Result<Ending, Refusal> {
    let volume = question.volume;
    owner::check_claim(state, volume, unseen)?;
    let phase = owner::check_released(state, volume, unseen)?;
    if !question.is_named && !question.is_asset_gone {
        owner::check_opt_out(state, volume)?;
    }
    users::check(state, volume, question.recycler_namespace, unseen)?;
    if !question.is_asset_gone {
        check_policy(volume)?;
    }
    check_attached(state, volume, unseen)?;
    match volume.reclaim_policy {
        _ if question.is_asset_gone => deletion::decide(state, question, phase, unseen),
        ReclaimPolicy::Delete => deletion::decide(state, question, phase, unseen),
        ReclaimPolicy::Recycle | ReclaimPolicy::Retain => {
            recycling::decide(state, question, phase, unseen)
        }
        ReclaimPolicy::Other(_) => Err(by_cluster(state, volume, phase)),
    }
}

/// Whether our lock for emptying is written: policy Retain, and what it was before.
fn is_recycling(volume: &Volume) -> bool {
    volume.reclaim_policy == ReclaimPolicy::Retain && volume.has_annotation(RECYCLING)
}

fn check_policy(volume: &Volume) -> Result<(), Refusal> {
    if volume.reclaim_policy != ReclaimPolicy::Retain || is_recycling(volume) {
        return Ok(());
    }
    Err(Refusal::new(ReclaimEvidence::PolicyRetain {
        volume: volume.name.clone(),
        is_being_deleted: volume.deleted.is_some(),
    }))
}

fn check_attached(
    state: &ClusterState,
    volume: &Volume,
    unseen: &mut Unseen<'_>,
) -> Result<(), Refusal> {
    let found = attachments::of_volume(state, volume);
    if found.is_empty() {
        unseen.need(Kind::Attachments, None);
        return Ok(());
    }
    let is_left = found.iter().any(|it| it.node_exists == Some(false));
    let cause = VolumeCause::Attached { attachments: found };
    let advice = if is_left {
        Advice::DeleteAttachment
    } else {
        Advice::WaitForDetach
    };
    Err(Refusal::from(cause).advise(advice))
}

/// It is not ours: what the cluster does with it, or that nobody does anything.
fn by_cluster(state: &ClusterState, volume: &Volume, phase: VolumePhase) -> Refusal {
    let cause = left_to_cluster(state, volume);
    match &cause {
        // External provisioners look at Released volumes only.
        VolumeCause::ForeignDeleter { by, .. } if phase == VolumePhase::Failed => {
            let by = by.clone();
            Refusal::new(ReclaimEvidence::DeleterIgnoresFailed { cause, by })
        }
        VolumeCause::NoDeleter { .. } | VolumeCause::NoRecycler { .. } => {
            Refusal::from(cause).advise(Advice::NameBackend)
        }
        _ => Refusal::from(cause),
    }
}
