//! A released volume, offered again with what is in it: to anybody, or to the claim of one name.

use super::super::bind_writes::mark_volume;
use super::super::delete_behind_lock::without_lock;
use super::super::draft::Draft;
use super::super::operation::Patch;
use super::super::plan::{Deed, Errand, Target};
use super::super::recheck::Recheck;
use super::{ReclaimQuestion, leave};
use crate::conventions::annotations::{BOUND_BY_CONTROLLER, OWN_DELETION};
use crate::conventions::object_ref::ObjectKey;
use crate::engine::{OwnBackend, Reuse, ReuseQuestion, decide_reuse};
use crate::model::{ClaimRef, Volume, VolumePhase};
use crate::report::Danger;
use serde_json::{Value, json};

pub(super) fn plan(
    draft: &mut Draft,
    volume: &Volume,
    own: Option<&OwnBackend>,
    for_claim: Option<&ObjectKey>,
    question: &ReclaimQuestion<'_>,
) {
    let asked = ReuseQuestion {
        volume,
        is_named: question.are_named,
        own,
        for_claim,
        rules: question.rules,
    };
    let (given, claim) = match decide_reuse(&draft.state, &asked) {
        Reuse::Free(given) => (given, None),
        Reuse::KeepFor { claim, given } => (given, Some(claim)),
        Reuse::Left(left) => return leave(draft, volume, left),
    };
    draft.note_unknowns(given.unknowns.clone());
    let what = match &claim {
        Some(key) => format!("kept for {key}: {}", given.means),
        None => format!("offered again: {}", given.means),
    };
    draft.begin(Errand {
        claim: None,
        volume: volume.name.clone(),
        what,
        deed: Deed::Reuse {
            warnings: given.warnings,
        },
    });
    if let Some(claim) = &claim {
        let recheck = Recheck::NotBoundElsewhere {
            claim: claim.clone(),
            volume: volume.name.clone(),
        };
        draft.recheck(Target::claim(claim, None), recheck);
    }
    let volume = offer(draft, volume.clone(), claim.as_ref(), &given.means);
    mark_volume(draft, volume, VolumePhase::Available, "it is free again");
}

/// The claimRef goes, or names the claim it is kept for, as a person would write it: the controller does not clear that.
fn offer(draft: &mut Draft, mut volume: Volume, claim: Option<&ObjectKey>, why: &str) -> Volume {
    let reference = claim.map_or(Value::Null, |key| {
        json!({
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": key.namespace,
            "name": key.name,
            "uid": null,
            "resourceVersion": null,
            "fieldPath": null,
        })
    });
    let mut body = json!({ "spec": { "claimRef": reference } });
    if volume.annotations.remove(BOUND_BY_CONTROLLER).is_some() {
        body["metadata"]["annotations"] = json!({ BOUND_BY_CONTROLLER: null });
    }
    if volume.finalizers.iter().any(|name| name == OWN_DELETION) {
        // Somebody began to delete it and came no further than our lock.
        volume.finalizers = without_lock(&volume);
        body["metadata"]["finalizers"] = json!(volume.finalizers);
    }
    let change = draft.patch((&volume).into(), Patch::object(body), why.to_owned());
    change.danger = Danger::Reversible;
    volume.claim_ref = claim.map(|key| ClaimRef {
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        uid: None,
    });
    draft.state.swap_volume(volume.clone());
    volume
}
