//! A volume that a pool has too many of: nobody has it, and it is deleted here if it is ours, as [`deletion`](super::deletion)
//! decides for released ones. What was not named is never taken from anybody.

use super::super::own_marks::{find_keep, is_locked};
use super::deletion::{
    OwnDeletion, check_finalizers, check_name, check_node, check_shared, why_not,
};
use super::left::LeftAlone;
use super::unseen::Unseen;
use super::{EndingQuestion, GOING, check_attached, owner};
use crate::model::{ClusterState, Kind, ReclaimPolicy, Volume, VolumeSet};
use crate::report::VolumeCause;

/// Decides whether a member that nobody has may be deleted, or why not.
pub fn decide_surplus(
    state: &ClusterState,
    set: &VolumeSet,
    question: &EndingQuestion<'_>,
) -> Result<OwnDeletion, LeftAlone> {
    let mut unseen = Unseen::new(state);
    let decided = decide(state, set, question, &mut unseen);
    let unknowns = unseen.into_unknowns();
    match decided {
        Ok(deletion) => Ok(OwnDeletion {
            unknowns,
            ..deletion
        }),
        Err(left) => Err(LeftAlone { unknowns, ..*left }),
    }
}

fn decide(
    state: &ClusterState,
    set: &VolumeSet,
    question: &EndingQuestion<'_>,
    unseen: &mut Unseen<'_>,
) -> Result<OwnDeletion, Box<LeftAlone>> {
    let volume = question.volume;
    if volume.claim_ref.is_some() {
        let message = "a claim has it, or it is kept for one".to_owned();
        return Err(LeftAlone::refused("InUse", message).into());
    }
    if !question.is_asset_gone {
        check_kept(state, set, volume)?;
    }
    check_maker(set, volume)?;
    if !question.is_asset_gone {
        check_policy(volume)?;
    }
    let Some(own) = question.own else {
        let maker = set.provisioner().unwrap_or_default();
        let message = format!("{maker} made it, and no backend of that name is configured here");
        return Err(LeftAlone::refused("NoDeleter", message).into());
    };
    if let Some(why) = why_not(own, own.can_delete, "delete") {
        return Err(LeftAlone::refused("NoDeleter", why).into());
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
fn check_kept(
    state: &ClusterState,
    set: &VolumeSet,
    volume: &Volume,
) -> Result<(), Box<LeftAlone>> {
    if let Some(on) = find_keep(state, volume) {
        let left = LeftAlone::from(&VolumeCause::OptOut { on });
        let until = "until that annotation is removed";
        return Err(while_going(volume, left, until).into());
    }
    if set.selects(volume) {
        return Ok(());
    }
    let message = "the selector of the set does not match its labels any more";
    let left = LeftAlone::refused("OptOut", message);
    Err(while_going(volume, left, "until it has those labels again").into())
}

/// Says of a volume whose deletion was begun what happens to it.
fn while_going(volume: &Volume, left: LeftAlone, until: &str) -> LeftAlone {
    if is_locked(volume) {
        left.hint(format!("{GOING} {until}"))
    } else {
        left
    }
}

/// Only what is to be deleted anyway is.
fn check_policy(volume: &Volume) -> Result<(), Box<LeftAlone>> {
    let policy = &volume.reclaim_policy;
    match policy {
        ReclaimPolicy::Delete => Ok(()),
        ReclaimPolicy::Retain => {
            let message = "policy Retain: a set deletes only volumes with policy Delete";
            let left = LeftAlone::refused("PolicyRetain", message);
            Err(while_going(volume, left, "until its policy is Delete again").into())
        }
        _ => {
            let message = format!("policy {policy}: a set deletes only volumes with policy Delete");
            Err(LeftAlone::refused("NoDeleter", message).into())
        }
    }
}

/// Hand-made members, and those of earlier templates, stay.
fn check_maker(set: &VolumeSet, volume: &Volume) -> Result<(), Box<LeftAlone>> {
    let message = match (set.provisioner(), volume.provisioned_by()) {
        (Some(wanted), Some(maker)) if wanted == maker => return Ok(()),
        (Some(wanted), Some(maker)) => {
            format!("{maker} made it, and the template of the set names {wanted}")
        }
        (Some(wanted), None) => {
            format!("it was made by hand; the set deletes only what {wanted} made")
        }
        (None, _) => "the template of the set names no backend (pv.kubernetes.io/provisioned-by) that could delete its volumes".to_owned(),
    };
    Err(LeftAlone::refused("NoDeleter", message).into())
}
