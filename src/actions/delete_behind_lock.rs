//! The end of a volume and its asset, in the order that loses nothing: first our lock, a finalizer, then the deletion, so that the
//! volume is going and no claim can take it any more (R26.6); then the asset, then the lock. Before the lock is written no
//! byte of the asset is touched, and whatever is left half done is gone on with by the next run.

use super::bind_writes::mark_volume;
use super::draft::Draft;
use super::operation::{Part, Patch, Provided, Purpose};
use super::plan::Target;
use crate::conventions::annotations::{KEEP, OWN_DELETION};
use crate::model::{Volume, VolumePhase};
use serde_json::{Value, json};

/// Plans all of it; `work` adds what is done to the asset. Where it is the answer of the change tells that it is given.
pub(super) fn delete_behind_lock(
    draft: &mut Draft,
    mut volume: Volume,
    why: &str,
    work: impl FnOnce(&mut Draft, Option<usize>),
) {
    let target = Target::volume(&volume.name, volume.uid.as_ref());
    if volume.deleted.is_none() && volume.phase == VolumePhase::Bound {
        // What is Bound is kept from deletion.
        volume = mark_volume(draft, volume, VolumePhase::Released, why);
    }
    let mut locked = without_lock(&volume);
    locked.push(OWN_DELETION.to_owned());
    let body = json!({ "metadata": { "finalizers": locked } });
    let lock = "it stays until its asset is gone".to_owned();
    let patch = Patch::provided(Part::Object, body, still_so(&volume));
    draft.patch((&volume).into(), patch, lock);
    let locked = draft.last_change(&target);
    if volume.deleted.is_none() {
        let itself = ("/metadata/uid", json!(volume.uid));
        let provided = vec![itself, still_nobodys(&volume)];
        draft.delete((&volume).into(), provided, why.to_owned());
    }
    work(draft, locked);
    remove_lock(draft, &volume);
}

/// Plans to remove our lock: the asset is gone.
pub(super) fn remove_lock(draft: &mut Draft, volume: &Volume) {
    let body = json!({ "metadata": { "finalizers": without_lock(volume) } });
    let patch = Patch::new(Part::Object, body, Purpose::RemoveLock);
    draft.patch(volume.into(), patch, "its asset is gone".to_owned());
}

/// What must hold for a lock to count as written by an earlier attempt whose answer was lost: nobody has the volume by now, nobody
/// wants it kept, and it belongs where it did. Everything it was decided by, then, that somebody may have changed since.
fn still_so(volume: &Volume) -> Vec<Provided> {
    let labels = Some(&volume.labels).filter(|labels| !labels.is_empty());
    vec![
        still_nobodys(volume),
        (
            "/spec/persistentVolumeReclaimPolicy",
            json!(volume.reclaim_policy.to_string()),
        ),
        (
            "/metadata/annotations/kubectl-pv.dev~1keep",
            json!(volume.annotations.get(KEEP)),
        ),
        ("/metadata/labels", json!(labels)),
    ]
}

/// Nobody else has it by now, by uid or, where nobody had it, by name.
fn still_nobodys(volume: &Volume) -> Provided {
    match &volume.claim_ref {
        Some(reference) => ("/spec/claimRef/uid", json!(reference.uid)),
        None => ("/spec/claimRef", Value::Null),
    }
}

/// The finalizers of others.
pub(super) fn without_lock(volume: &Volume) -> Vec<String> {
    let finalizers = volume.finalizers.iter();
    let others = finalizers.filter(|name| *name != OWN_DELETION);
    others.cloned().collect()
}
