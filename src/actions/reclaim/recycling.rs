//! Policy Recycle, carried out here. The lock is policy Retain, which stops the controller's own recycler, with a mark that says
//! what the policy was; then the asset is emptied, and one write puts claimRef, policy and mark right, so that nobody finds the
//! volume half done (R79, R76b).
//!
//! Policy Retain keeps nobody from taking the volume by hand, nor another run of ours from going on with it. So the mark says from
//! which version it was written, and by which run: no two runs hold the same lock, one whose answer was lost is still known as
//! ours, and whoever finds that another has locked the volume meanwhile leaves it to that one. And what is emptied is looked at
//! just before: it must be as our lock left it.
//!
//! Where a pod empties it, `by_pod.rs` does the same around a pod.

use super::super::asset_work::AssetWork;
use super::super::bind_writes::mark_volume;
use super::super::delete_behind_lock::without_lock;
use super::super::draft::Draft;
use super::super::memory::Memory;
use super::super::operation::{AssetStep, Deletion, Fill, Operation, Part, Patch};
use super::super::plan::{Deed, Errand, Target};
use super::super::recheck::{Period, Recheck};
use super::super::recycler_pod::RecyclerImage;
use super::{ChosenVolume, by_pod, leave, loss_of};
use crate::conventions::annotations::{BOUND_BY_CONTROLLER, OWN_DELETION, RECYCLER_POD, RECYCLING};
use crate::engine::ending::{recycler_name, recycler_namespaces};
use crate::engine::refusal::{ReclaimEvidence, Refusal};
use crate::engine::{Recycler, Recycling};
use crate::model::{ReclaimPolicy, Volume, VolumePhase};
use crate::report::Danger;
use serde_json::{Value, json};

/// Why the controller must not empty the volume: before it is emptied, and after.
pub(super) const MEANWHILE: &str = "the controller does not empty it meanwhile";
pub(super) const UNDER_NEXT_OWNER: &str = "the controller does not empty it under its next owner";

pub(super) fn plan(
    draft: &mut Draft,
    volume: Volume,
    recycling: &Recycling,
    wish: Option<&RecyclerImage>,
) {
    match (&recycling.by, wish) {
        (Recycler::Here { provisioner }, _) => {
            plan_here(draft, volume, recycling, provisioner, wish);
        }
        (Recycler::Pod { place }, Some(wish)) => {
            by_pod::plan(draft, volume, recycling, place, wish);
        }
        (Recycler::Pod { .. }, None) => {
            let refusal = Refusal::new(ReclaimEvidence::NoRecyclerImage);
            leave(draft, &volume, refusal);
        }
    }
}

fn plan_here(
    draft: &mut Draft,
    volume: Volume,
    recycling: &Recycling,
    provisioner: &str,
    wish: Option<&RecyclerImage>,
) {
    let what = if recycling.is_begun {
        format!("emptied to the end by {provisioner}, then offered again")
    } else {
        format!("emptied by {provisioner}, then offered again")
    };
    draft.begin(Errand {
        claim: None,
        volume: volume.name.clone(),
        what,
        deed: Deed::Recycle(loss_of(&volume)),
    });
    let locked = lock(draft, &volume, None);
    by_pod::clear_all_away(draft, &volume);
    stop_idle_recyclers(draft, recycling);
    make_sure(draft, &volume, wish, Period::ForAWhile, MEANWHILE);
    make_sure_it_is_ours(draft, &volume, locked);
    scrub(draft, &volume, provisioner, locked);
    make_sure(draft, &volume, wish, Period::Once, UNDER_NEXT_OWNER);
    let unbinding = if volume.provisioned_by() == Some(provisioner) {
        Unbinding::WholeReference
    } else {
        Unbinding::AsController
    };
    let volume = unlock(draft, volume, unbinding);
    mark_volume(draft, volume, VolumePhase::Available, "it is free again");
}

/// The policy that is put back when it is empty.
pub(super) fn policy_before(volume: &Volume) -> String {
    let mark = volume.annotations.get(RECYCLING);
    let before = mark.map(|mark| {
        mark.split_once('/')
            .map_or(mark.as_str(), |(before, _)| before)
    });
    match before {
        Some(before) if ReclaimPolicy::of_name(before) != ReclaimPolicy::Retain => {
            before.to_owned()
        }
        _ => ReclaimPolicy::Recycle.to_string(),
    }
}

/// What the lock says: the policy before, and which version of the volume we saw. Which run writes it is added when it is sent.
fn mark_of(volume: &Volume) -> String {
    let before = policy_before(volume);
    match &volume.resource_version {
        Some(version) => format!("{before}/{version}"),
        None => before,
    }
}

/// Whether another run has locked the volume since it was chosen. A lock that was there by then is what a run left that ended too
/// early.
pub(super) fn is_anothers(volume: &Volume, chosen: &ChosenVolume, memory: &Memory) -> bool {
    let Some(found) = volume.annotations.get(RECYCLING) else {
        return false;
    };
    let is_ours = found.rsplit('/').next() == memory.run.as_deref();
    !is_ours && chosen.lock.as_ref() != Some(found)
}

/// The pod that a lock names: only this one may empty the volume.
pub(super) struct NamedPod {
    pub(super) uid: Option<String>,
    /// Where an earlier change creates it.
    pub(super) fill: Option<Fill>,
}

/// Written again where it is there: only its answer says where the asset lies, and that the lock is ours. So one whose answer was
/// lost does not count.
pub(super) fn lock(draft: &mut Draft, volume: &Volume, named: Option<NamedPod>) -> Option<usize> {
    let mut body = json!({
        "metadata": { "annotations": { RECYCLING: mark_of(volume) } },
        "spec": { "persistentVolumeReclaimPolicy": "Retain" },
    });
    if volume.finalizers.iter().any(|name| name == OWN_DELETION) {
        // Somebody began to delete it, came no further than that lock, and it got another policy.
        body["metadata"]["finalizers"] = json!(without_lock(volume));
    }
    let mut fills = vec![];
    if let Some(pod) = named {
        body["metadata"]["annotations"][RECYCLER_POD] = json!(pod.uid);
        fills.extend(pod.fill);
    }
    let why = "the controller's own recycler leaves it alone meanwhile".to_owned();
    let unchanged = ("/metadata/resourceVersion", json!(volume.resource_version));
    let patch = Patch {
        fills,
        ..Patch::provided(Part::Object, body, vec![unchanged])
    };
    draft.patch(volume.into(), patch, why).danger = Danger::Reversible;
    draft.last_change(&Target::volume(&volume.name, volume.uid.as_ref()))
}

pub(super) fn stop_idle_recyclers(draft: &mut Draft, recycling: &Recycling) {
    for key in &recycling.idle_recyclers {
        if let Some(pod) = draft.state.find_pod(key).cloned() {
            let why = "the controller's recycler has not begun, and is not needed".to_owned();
            let target = Target::pod(&pod.key, pod.uid.as_ref());
            draft.add(target, Operation::Delete(Deletion::IdlePod), why);
        }
    }
}

/// Nobody else may be at it, which is seen only behind the lock.
pub(super) fn make_sure(
    draft: &mut Draft,
    volume: &Volume,
    wish: Option<&RecyclerImage>,
    period: Period,
    why: &'static str,
) {
    let target = Target::pod_anywhere(&recycler_name(&volume.name));
    let named = wish.map(|wish| wish.namespace.as_str());
    let recheck = Recheck::NoRecycler {
        namespaces: recycler_namespaces(named).map(str::to_owned).collect(),
        source: volume.source.spelled(),
        period,
        why,
    };
    draft.recheck(target, recheck);
}

/// Our lock is the last that was written: nobody has taken the volume since.
pub(super) fn make_sure_it_is_ours(draft: &mut Draft, volume: &Volume, locked: Option<usize>) {
    let target = Target::volume(&volume.name, volume.uid.as_ref());
    draft.recheck(target, Recheck::LockIsLast).after = locked;
}

fn scrub(draft: &mut Draft, volume: &Volume, provisioner: &str, locked: Option<usize>) {
    let name = &volume.name;
    let step = AssetStep {
        work: AssetWork::Scrub {
            provisioner: provisioner.to_owned(),
            volume: name.clone(),
        },
        shown: json!({ "provisioner": provisioner, "source": volume.source.spelled() }),
        source_of: locked,
    };
    let why = "policy Recycle, and nobody owns it any more".to_owned();
    draft.work(name, step, why).danger = Danger::LosesData;
}

/// How much of the claimRef is removed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unbinding {
    /// A name that a person reserved the volume for stays (R76b).
    AsController,
    /// All of it: a backend provisioned the volume for its claim, so no person reserved it, and no claim could bind it.
    WholeReference,
}

/// Upstream: pv_controller.go, recycleVolumeOperation and unbindVolume.
pub(super) fn unlock(draft: &mut Draft, mut volume: Volume, unbinding: Unbinding) -> Volume {
    let before = policy_before(&volume);
    let by_controller = volume.has_annotation(BOUND_BY_CONTROLLER);
    let is_whole = by_controller || unbinding == Unbinding::WholeReference;
    let mut annotations = json!({ RECYCLING: null });
    if volume.annotations.remove(RECYCLER_POD).is_some() {
        annotations[RECYCLER_POD] = Value::Null;
    }
    if by_controller {
        annotations[BOUND_BY_CONTROLLER] = Value::Null;
    }
    let reference = if is_whole {
        Value::Null
    } else {
        json!({ "uid": null, "resourceVersion": null })
    };
    let mut body = json!({
        "metadata": { "annotations": annotations },
        "spec": { "persistentVolumeReclaimPolicy": before },
    });
    if volume.claim_ref.is_some() {
        body["spec"]["claimRef"] = reference;
    }
    draft.patch(
        (&volume).into(),
        Patch::object(body),
        "it is empty".to_owned(),
    );
    volume.annotations.remove(RECYCLING);
    volume.reclaim_policy = ReclaimPolicy::of_name(&before);
    volume.annotations.remove(BOUND_BY_CONTROLLER);
    if is_whole {
        volume.claim_ref = None;
    } else if let Some(reference) = &mut volume.claim_ref {
        reference.uid = None;
    }
    draft.state.swap_volume(volume.clone());
    volume
}
