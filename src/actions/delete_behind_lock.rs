//! The end of a volume and its asset, in the order that loses nothing: first our lock, a finalizer, then the deletion, so that the
//! volume is going and no claim can take it any more (R26.6); then the asset, then the lock. Before the lock is written no
//! byte of the asset is touched, and whatever is left half done is gone on with by the next run.

use super::bind_writes::mark_volume;
use super::draft::Draft;
use super::plan::{Fill, FillWith, Target};
use crate::conventions::annotations::{KEEP, OWN_DELETION};
use crate::model::{Volume, VolumePhase};
use serde_json::{Value, json};

/// Plans all of it; `work` adds what is done to the asset, and says which change that is.
pub(super) fn delete_behind_lock(
    draft: &mut Draft,
    mut volume: Volume,
    why: &str,
    work: impl FnOnce(&mut Draft) -> usize,
) {
    let target = Target::volume(&volume.name, volume.uid.as_ref());
    if volume.deleted.is_none() && volume.phase == VolumePhase::Bound {
        // What is Bound is kept from deletion.
        volume = mark_volume(draft, volume, VolumePhase::Released, why);
    }
    let kept = without_lock(&volume);
    let mut locked = kept.clone();
    locked.push(OWN_DELETION.to_owned());
    let body = json!({ "metadata": { "finalizers": locked } });
    let lock = "it stays until its asset is gone".to_owned();
    let provided = still_so(&volume);
    let change = draft.patch((&volume).into(), None, body, lock);
    change.provided.extend(provided.clone());
    let locked = draft.last_change(&target);
    if volume.deleted.is_none() {
        let change = draft.delete((&volume).into(), why.to_owned());
        let itself = ("/metadata/uid", json!(volume.uid));
        change.provided.push(itself);
        change.provided.push(still_nobodys(&volume));
    }
    let work = work(draft);
    // The lock's answer tells the source, which only the object knows.
    draft.plan.changes[work]
        .fills
        .extend(locked.map(|change| Fill {
            place: "",
            change,
            with: FillWith::Source,
        }));
    let body = json!({ "metadata": { "finalizers": kept } });
    let unlock = "its asset is gone".to_owned();
    let change = draft.patch((&volume).into(), None, body, unlock);
    change.may_be_gone = true;
    change.removes_finalizer = Some(OWN_DELETION);
}

/// What must hold for a lock to count as written by an earlier attempt whose answer was lost: nobody has the volume by now, nobody
/// wants it kept, and it belongs where it did. Everything it was decided by, then, that somebody may have changed since.
fn still_so(volume: &Volume) -> [(&'static str, Value); 4] {
    let labels = Some(&volume.labels).filter(|labels| !labels.is_empty());
    [
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
fn still_nobodys(volume: &Volume) -> (&'static str, Value) {
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
