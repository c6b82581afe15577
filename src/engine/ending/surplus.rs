//! A volume that a pool has too many of: nobody has it, and it is deleted here if it is ours, as [`deletion`](super::deletion)
//! decides for released ones. What was not named is never taken from anybody.

use super::super::own_marks::{find_keep, is_locked};
use super::deletion::{
    OwnDeletion, check_finalizers, check_name, check_node, check_shared, why_not,
};
use super::unseen::Unseen;
use super::{EndingQuestion, check_attached, owner};
use crate::engine::refusal::{Advice, ReclaimEvidence, Refusal};
use crate::model::{ClusterState, Kind, ReclaimPolicy, Volume, VolumeSet};
use crate::report::VolumeCause;

/// Decides whether a member that nobody has may be deleted, or why not.
pub fn decide_surplus(
    state: &ClusterState,
    set: &VolumeSet,
    question: &EndingQuestion<'_>,
) -> Result<OwnDeletion, Refusal> {
    let mut unseen = Unseen::new(state);
    let decided = decide(state, set, question, &mut unseen);
    let unknowns = unseen.into_unknowns();
    match decided {
        Ok(deletion) => Ok(OwnDeletion {
            unknowns,
            ..deletion
        }),
        Err(left) => Err(Refusal { unknowns, ..left }),
    }
}

fn decide(
    state: &ClusterState,
    set: &VolumeSet,
    question: &EndingQuestion<'_>,
    unseen: &mut Unseen<'_>,
) -> Result<OwnDeletion, Refusal> {
    let volume = question.volume;
    if volume.claim_ref.is_some() {
        return Err(Refusal::new(ReclaimEvidence::MemberReserved));
    }
    if !question.is_asset_gone {
        check_kept(state, set, volume)?;
    }
    check_maker(set, volume)?;
    if !question.is_asset_gone {
        check_policy(volume)?;
    }
    let Some(own) = question.own else {
        let provisioner = set.provisioner().unwrap_or_default().to_owned();
        return Err(Refusal::new(ReclaimEvidence::BackendNotConfigured {
            provisioner,
        }));
    };
    if let Some(why) = why_not(own, own.can_delete, "delete") {
        let policy = None;
        return Err(Refusal::new(ReclaimEvidence::BackendCannotDelete {
            policy,
            why,
        }));
    }
    check_attached(state, volume, unseen)?;
    check_name(state, volume, own, unseen)?;
    check_node(state, question)?;
    if !is_locked(volume) {
        check_finalizers(state, volume)?;
    }
    check_shared(state, volume, unseen)?;
    owner::check_wanted(state, volume, unseen)?;
    unseen.need(Kind::Volumes, None);
    unseen.check()?;
    Ok(OwnDeletion {
        provisioner: own.provisioner.clone(),
        is_begun: is_locked(volume),
        is_marked_bound: false,
        unknowns: vec![],
    })
}

/// What a user wants to keep stays, also where its deletion was begun.
fn check_kept(state: &ClusterState, set: &VolumeSet, volume: &Volume) -> Result<(), Refusal> {
    if let Some(on) = find_keep(state, volume) {
        let left = Refusal::from(VolumeCause::OptOut { on });
        let until = "until that annotation is removed";
        return Err(while_going(volume, left, until));
    }
    if set.selects(volume) {
        return Ok(());
    }
    let left = Refusal::new(ReclaimEvidence::MemberNotSelected);
    Err(while_going(volume, left, "until it has those labels again"))
}

/// Says of a volume whose deletion was begun what happens to it.
fn while_going(volume: &Volume, left: Refusal, until: &'static str) -> Refusal {
    if is_locked(volume) {
        left.advise(Advice::StaysUntil(until))
    } else {
        left
    }
}

/// Only what is to be deleted anyway is.
fn check_policy(volume: &Volume) -> Result<(), Refusal> {
    let policy = &volume.reclaim_policy;
    match policy {
        ReclaimPolicy::Delete => Ok(()),
        ReclaimPolicy::Retain => {
            let left = Refusal::new(ReclaimEvidence::MemberRetained);
            Err(while_going(
                volume,
                left,
                "until its policy is Delete again",
            ))
        }
        _ => {
            let policy = policy.clone();
            Err(Refusal::new(ReclaimEvidence::MemberPolicy { policy }))
        }
    }
}

/// Hand-made members, and those of earlier templates, stay.
fn check_maker(set: &VolumeSet, volume: &Volume) -> Result<(), Refusal> {
    Err(Refusal::new(
        match (set.provisioner(), volume.provisioned_by()) {
            (Some(wanted), Some(maker)) if wanted == maker => return Ok(()),
            (Some(wanted), Some(maker)) => ReclaimEvidence::MemberOfOther {
                provisioner: maker.to_owned(),
                wanted: wanted.to_owned(),
            },
            (Some(wanted), None) => ReclaimEvidence::MemberOfNone {
                wanted: wanted.to_owned(),
            },
            (None, _) => ReclaimEvidence::TemplateWithoutBackend,
        },
    ))
}
