//! The writes of a bind, in the controller's order and as it writes them (R50–R52): volume, its status, claim, its status;
//! before them what a sync corrects first.
//! What is done already is left out, so a bind that was begun is finished.

use super::draft::Draft;
use super::migration::{correct_claim, correct_volume};
use super::operation::{Fill, FillWith, Part, Patch};
use crate::conventions::annotations::{BIND_COMPLETED, BOUND_BY_CONTROLLER, PRE_RESIZE_CAPACITY};
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::engine::with_class;
use crate::model::{Claim, ClaimPhase, ClaimRef, Volume, VolumePhase};
use serde_json::{Map, Value, json};

/// Where the version of the claim stands in the patch of a volume.
pub(super) const VERSION_IN_CLAIM_REF: &str = "/spec/claimRef/resourceVersion";

/// Writes a class into a claim that has none (R15).
pub(super) fn assign_class(draft: &mut Draft, key: &ObjectKey, class: &str) {
    let Some(claim) = draft.state.find_claim(key).cloned() else {
        return;
    };
    let body = json!({ "spec": { "storageClassName": class } });
    let why = format!("the claim has no class, and {class} is the default by now");
    draft.patch((&claim).into(), Patch::object(body), why);
    draft.state.swap_claim(with_class(&claim, class));
}

/// Plans what is missing of the bind.
pub(super) fn bind(draft: &mut Draft, key: &ObjectKey, volume: &str, why: &str) {
    let found = draft
        .state
        .find_claim(key)
        .zip(draft.state.find_volume(volume));
    let Some((claim, volume)) = found.map(|(claim, volume)| (claim.clone(), volume.clone())) else {
        return;
    };
    let (claim, volume) = if is_finished(&claim, &volume) {
        (claim, volume)
    } else {
        (correct_claim(draft, claim), correct_volume(draft, volume))
    };
    let volume = point_volume(draft, &claim, volume, why);
    let volume = mark_volume(draft, volume, VolumePhase::Bound, "the claim's from now on");
    let claim = point_claim(draft, claim, &volume);
    mark_claim(draft, claim, &volume);
}

/// Whether nothing of the bind is missing.
fn is_finished(claim: &Claim, volume: &Volume) -> bool {
    volume.claim_ref.as_ref() == Some(&reference_to(claim))
        && volume.phase == VolumePhase::Bound
        && claim.volume_name.as_ref() == Some(&volume.name)
        && claim.is_bind_completed()
        && claim.phase == ClaimPhase::Bound
        && claim.status_access_mode_names == volume.access_mode_names
}

fn reference_to(claim: &Claim) -> ClaimRef {
    ClaimRef {
        namespace: claim.key.namespace.clone(),
        name: claim.key.name.clone(),
        uid: claim.uid.clone(),
    }
}

/// Upstream: component-helpers/storage/volume/pv_helpers.go, GetBindVolumeToClaim.
fn point_volume(draft: &mut Draft, claim: &Claim, mut volume: Volume, why: &str) -> Volume {
    let wanted = reference_to(claim);
    let old = volume.claim_ref.as_ref();
    let designates = old.is_some_and(|reference| reference.designates(claim));
    let annotates = !designates && !volume.has_annotation(BOUND_BY_CONTROLLER);
    if old == Some(&wanted) {
        return volume;
    }
    let mut reference = json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": claim.key.namespace,
        "name": claim.key.name,
    });
    if let Some(uid) = &claim.uid {
        reference["uid"] = json!(uid);
    }
    let claim_target = super::draft::Patched::from(claim).target;
    let written = draft.last_change(&claim_target);
    if claim.resource_version.is_some() || written.is_some() {
        let version = claim
            .resource_version
            .as_ref()
            .filter(|_| written.is_none());
        reference["resourceVersion"] = json!(version);
    }
    if old.is_some() {
        // The reference is replaced as a whole, where a merge would keep it.
        reference["fieldPath"] = Value::Null;
    }
    let mut body = json!({ "spec": { "claimRef": reference } });
    if annotates {
        body["metadata"] = json!({ "annotations": { BOUND_BY_CONTROLLER: "yes" } });
    }
    let mut patch = Patch::object(body);
    patch.fills.extend(written.map(|change| Fill {
        place: VERSION_IN_CLAIM_REF,
        change,
        with: FillWith::Version,
    }));
    draft.patch((&volume).into(), patch, why.to_owned());
    volume.claim_ref = Some(wanted);
    if annotates {
        let annotations = &mut volume.annotations;
        annotations.insert(BOUND_BY_CONTROLLER.to_owned(), "yes".to_owned());
    }
    draft.state.swap_volume(volume.clone());
    volume
}

/// Upstream: pv_controller.go, updateVolumePhase.
pub(super) fn mark_volume(
    draft: &mut Draft,
    mut volume: Volume,
    phase: VolumePhase,
    why: &str,
) -> Volume {
    if volume.phase == phase {
        return volume;
    }
    let mut status = json!({ "phase": phase });
    if volume.message.take().is_some() {
        status["message"] = Value::Null;
    }
    let body = json!({ "status": status });
    // The same phase may be another claim's doing.
    let owner = volume.claim_ref.as_ref();
    let owner = owner.and_then(|reference| reference.uid.as_ref());
    let provided = vec![("/spec/claimRef/uid", json!(owner))];
    let patch = Patch::provided(Part::Status, body, provided);
    draft.patch((&volume).into(), patch, why.to_owned());
    volume.phase = phase;
    draft.state.swap_volume(volume.clone());
    volume
}

/// Upstream: pv_controller.go, bindClaimToVolume.
fn point_claim(draft: &mut Draft, mut claim: Claim, volume: &Volume) -> Claim {
    let points = claim.volume_name.as_ref() == Some(&volume.name);
    let mut annotations = Map::new();
    if !points && !claim.has_annotation(BOUND_BY_CONTROLLER) {
        annotations.insert(BOUND_BY_CONTROLLER.to_owned(), json!("yes"));
    }
    if !claim.is_bind_completed() {
        annotations.insert(BIND_COMPLETED.to_owned(), json!("yes"));
    }
    if points && annotations.is_empty() {
        return claim;
    }
    for key in annotations.keys() {
        claim.annotations.insert(key.clone(), "yes".to_owned());
    }
    let mut body = json!({});
    if !annotations.is_empty() {
        body["metadata"] = json!({ "annotations": annotations });
    }
    if !points {
        body["spec"] = json!({ "volumeName": volume.name });
        claim.volume_name = Some(volume.name.clone());
    }
    let why = format!("the claim has {} from now on", volume.name);
    draft.patch((&claim).into(), Patch::object(body), why);
    draft.state.swap_claim(claim.clone());
    claim
}

/// Upstream: pv_controller.go, updateClaimStatus.
fn mark_claim(draft: &mut Draft, mut claim: Claim, volume: &Volume) {
    let mut status = Map::new();
    if claim.status_access_mode_names != volume.access_mode_names {
        status.insert("accessModes".to_owned(), json!(volume.access_mode_names));
    }
    if claim.phase != ClaimPhase::Bound {
        status.insert("phase".to_owned(), json!(ClaimPhase::Bound));
        if let Some(capacity) = capacity_to_show(&claim, volume) {
            let shown = json!({ "storage": capacity.to_string() });
            status.insert("capacity".to_owned(), shown);
            claim.capacity = Some(capacity);
        }
    }
    let was_pending = claim.phase == ClaimPhase::Pending;
    if was_pending && claim.current_attributes_class != volume.attributes_class {
        let class = json!(volume.attributes_class);
        status.insert("currentVolumeAttributesClassName".to_owned(), class);
    }
    if status.is_empty() {
        return;
    }
    let body = json!({ "status": status });
    let why = format!("it shows what {} offers", volume.name);
    let provided = vec![("/spec/volumeName", json!(volume.name))];
    let patch = Patch::provided(Part::Status, body, provided);
    draft.patch((&claim).into(), patch, why);
    claim.phase = ClaimPhase::Bound;
    claim
        .status_access_mode_names
        .clone_from(&volume.access_mode_names);
    if was_pending {
        claim
            .current_attributes_class
            .clone_from(&volume.attributes_class);
    }
    draft.state.swap_claim(claim);
}

/// The capacity a claim gets when it becomes Bound, unless it shows it already. While a file system grows it is the size
/// from before; a value that is none does not count.
fn capacity_to_show(claim: &Claim, volume: &Volume) -> Option<Quantity> {
    if let Some(before) = volume.annotations.get(PRE_RESIZE_CAPACITY) {
        let parsed = Quantity::parse(before);
        return Some(parsed.unwrap_or_else(|_| volume.capacity.clone()));
    }
    (claim.capacity.as_ref() != Some(&volume.capacity)).then(|| volume.capacity.clone())
}
