//! What the API server makes of a manifest for an object that is there: what it keeps, what it takes over, what it
//! refuses (R9, R10).
//!
//! A manifest without a uid is read as `kubectl apply` reads it: labels and spec count, and what Kubernetes wrote stays:
//! uid, status, annotations, `claimRef`, `volumeName`, a class that was given by default. One with the object's own uid is
//! the object as somebody wants it to be, so that an absent `claimRef` is a removed one. Another uid is another object.

use crate::conventions::class_name::ClassName;
use crate::model::{
    Claim, ClaimPhase, Class, Pod, Quota, Snapshot, Volume, VolumePhase, VolumeSet,
};

/// Why the server would refuse, in its own words where it has short ones.
pub(super) type Refused = String;

/// How a manifest relates to the object of its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// It says how the object is to be.
    Applied,
    /// It is the object, changed by hand.
    Edited,
    /// It is another object, which has the name now.
    Another,
}

impl Relation {
    /// What does not exist has nothing to keep.
    fn of(old: Option<&String>, new: Option<&String>) -> Self {
        match (old, new) {
            (Some(_), None) => Self::Applied,
            (Some(old), Some(new)) if old == new => Self::Edited,
            _ => Self::Another,
        }
    }
}

/// A claim: its spec is fixed, but for the first `volumeName`, the first class, and size and attributes class of a bound one.
pub(super) fn claim(old: &Claim, new: Claim, classes: Option<&[Class]>) -> Result<Claim, Refused> {
    let mut claim = match Relation::of(old.uid.as_ref(), new.uid.as_ref()) {
        Relation::Another => return Ok(new),
        Relation::Applied => apply_claim(old, new),
        Relation::Edited if new.phase == ClaimPhase::Pending => with_status_of(old, new),
        Relation::Edited => new,
    };
    fill_data_sources(&mut claim);
    let changed = changed_fields(old, &claim);
    if !changed.is_empty() {
        return Err(format!(
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims, \
             and {} would change",
            changed.join(", ")
        ));
    }
    check_size(old, &claim, classes)?;
    Ok(claim)
}

fn apply_claim(old: &Claim, new: Claim) -> Claim {
    let mut annotations = old.annotations.clone();
    annotations.extend(new.annotations);
    let claim = Claim {
        uid: old.uid.clone(),
        annotations,
        created: old.created,
        deleted: old.deleted,
        finalizers: old.finalizers.clone(),
        class: ClassName {
            annotation: new
                .class
                .annotation
                .or_else(|| old.class.annotation.clone()),
            field: new.class.field.or_else(|| old.class.field.clone()),
        },
        attributes_class: new
            .attributes_class
            .or_else(|| old.attributes_class.clone()),
        volume_name: new.volume_name.or_else(|| old.volume_name.clone()),
        options: new.options.or_else(|| old.options.clone()),
        owner: new.owner.or_else(|| old.owner.clone()),
        key: new.key,
        labels: new.labels,
        requested: new.requested,
        access_mode_names: new.access_mode_names,
        volume_mode_name: new.volume_mode_name,
        selector: new.selector,
        data_source: new.data_source,
        data_source_ref: new.data_source_ref,
        ..old.clone()
    };
    with_status_of(old, claim)
}

fn with_status_of(old: &Claim, new: Claim) -> Claim {
    Claim {
        phase: old.phase,
        capacity: old.capacity.clone(),
        resource_version: old.resource_version.clone(),
        status_access_mode_names: old.status_access_mode_names.clone(),
        allocated: old.allocated.clone(),
        current_attributes_class: old.current_attributes_class.clone(),
        conditions: old.conditions.clone(),
        ..new
    }
}

/// Whichever of the two data sources is missing is a copy of the other (R8).
fn fill_data_sources(claim: &mut Claim) {
    if claim.data_source.is_none() {
        claim.data_source.clone_from(&claim.data_source_ref);
    } else if claim.data_source_ref.is_none() {
        claim.data_source_ref.clone_from(&claim.data_source);
    }
}

fn changed_fields(old: &Claim, new: &Claim) -> Vec<&'static str> {
    let mut stored = old.clone();
    fill_data_sources(&mut stored);
    let is_bound = old.phase == ClaimPhase::Bound;
    let class_changed = match (&old.class.field, &new.class.field) {
        (None, Some(field)) => old
            .class
            .annotation
            .as_ref()
            .is_some_and(|value| value != field),
        (old, new) => old != new,
    };
    let table = [
        (
            "accessModes",
            old.access_mode_names != new.access_mode_names,
        ),
        ("volumeMode", old.volume_mode() != new.volume_mode()),
        ("selector", old.selector != new.selector),
        (
            "storageClassName",
            class_changed || old.class.annotation != new.class.annotation,
        ),
        (
            "volumeName",
            old.volume_name.is_some() && old.volume_name != new.volume_name,
        ),
        (
            "dataSource",
            stored.data_source != new.data_source || stored.data_source_ref != new.data_source_ref,
        ),
        (
            "resources.requests",
            !is_bound && old.requested != new.requested,
        ),
        (
            "volumeAttributesClassName",
            !is_bound && old.attributes_class != new.attributes_class,
        ),
    ];
    table
        .into_iter()
        .filter(|(_, changed)| *changed)
        .map(|(field, _)| field)
        .collect()
}

/// Classes that could not be seen refuse nothing.
///
/// Upstream: plugin/pkg/admission/storage/persistentvolume/resize, and `ValidatePersistentVolumeClaimUpdate`.
fn check_size(old: &Claim, new: &Claim, classes: Option<&[Class]>) -> Result<(), Refused> {
    let (before, after) = (old.request(), new.request());
    let class = old.class.resolved();
    if after < before
        && old
            .capacity
            .as_ref()
            .is_some_and(|capacity| after <= *capacity)
    {
        return Err(
            "spec.resources.requests.storage: field can not be less than status.capacity"
                .to_owned(),
        );
    }
    let expands = |classes: &[Class]| {
        classes
            .iter()
            .any(|there| there.name == class && there.allow_expansion)
    };
    if after > before && !classes.is_none_or(expands) {
        return Err(
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
                .to_owned(),
        );
    }
    Ok(())
}

/// A volume: source, mode and affinity are fixed.
pub(super) fn volume(old: &Volume, new: Volume) -> Result<Volume, Refused> {
    let relation = Relation::of(old.uid.as_ref(), new.uid.as_ref());
    if relation == Relation::Another {
        return Ok(new);
    }
    let mut volume = Volume {
        uid: old.uid.clone(),
        resource_version: old.resource_version.clone(),
        created: new.created.or(old.created),
        ..new
    };
    if relation == Relation::Applied || volume.phase == VolumePhase::Pending {
        volume.phase = old.phase;
        volume.message.clone_from(&old.message);
        volume.phase_since = old.phase_since;
    }
    if relation == Relation::Applied {
        let mut annotations = old.annotations.clone();
        annotations.append(&mut volume.annotations);
        volume.annotations = annotations;
        volume.deleted = old.deleted;
        volume.finalizers.clone_from(&old.finalizers);
        volume.claim_ref = volume.claim_ref.or_else(|| old.claim_ref.clone());
        volume.attributes_class = volume
            .attributes_class
            .or_else(|| old.attributes_class.clone());
        volume.node_affinity = volume.node_affinity.or_else(|| old.node_affinity.clone());
    }
    let fixed = [
        ("the volume source", old.source != volume.source),
        ("volumeMode", old.volume_mode != volume.volume_mode),
        (
            "nodeAffinity",
            old.node_affinity.is_some() && old.node_affinity != volume.node_affinity,
        ),
    ];
    refuse_changes(&fixed)?;
    Ok(volume)
}

/// A class: all that its volumes were made by is fixed.
pub(super) fn class(old: &Class, new: Class) -> Result<Class, Refused> {
    let is_another = new.created.is_some() && new.created != old.created;
    if old.created.is_none() || is_another {
        return Ok(new);
    }
    let fixed = [
        ("provisioner", old.provisioner != new.provisioner),
        ("parameters", old.parameters != new.parameters),
        ("reclaimPolicy", old.reclaim_policy != new.reclaim_policy),
        ("volumeBindingMode", old.binding_mode != new.binding_mode),
    ];
    refuse_changes(&fixed)?;
    Ok(Class {
        created: old.created,
        ..new
    })
}

/// A pod: its volumes are fixed, and nobody but the scheduler gives it a node.
pub(super) fn pod(old: &Pod, new: Pod) -> Result<Pod, Refused> {
    match Relation::of(old.uid.as_ref(), new.uid.as_ref()) {
        Relation::Another => Ok(new),
        Relation::Edited if old.volumes == new.volumes => Ok(new),
        Relation::Applied
            if old.volumes == new.volumes
                && (new.node_name.is_none() || new.node_name == old.node_name) =>
        {
            Ok(old.clone())
        }
        Relation::Edited | Relation::Applied => refuse_changes(&[
            ("volumes", old.volumes != new.volumes),
            ("nodeName", old.node_name != new.node_name),
        ])
        .map(|()| new),
    }
}

fn refuse_changes(fixed: &[(&str, bool)]) -> Result<(), Refused> {
    let changed: Vec<&str> = fixed
        .iter()
        .filter(|(_, changed)| *changed)
        .map(|(field, _)| *field)
        .collect();
    match changed.as_slice() {
        [] => Ok(()),
        [field] => Err(format!("{field} is immutable")),
        fields => Err(format!("{} are immutable", fields.join(", "))),
    }
}

/// A quota keeps what it has counted. New limits it has not counted yet it will count, so that it starts anew.
pub(super) fn quota(old: &Quota, new: Quota) -> Quota {
    let is_counted = new.hard.keys().all(|key| old.used.contains_key(key));
    if new.has_status || !is_counted || new.scopes != old.scopes {
        return new;
    }
    Quota {
        has_status: old.has_status,
        used: old.used.clone(),
        ..new
    }
}

/// A snapshot keeps its status unless the file has one.
pub(super) fn snapshot(old: &Snapshot, new: Snapshot) -> Snapshot {
    if new.is_ready || new.error.is_some() {
        return new;
    }
    Snapshot {
        is_ready: old.is_ready,
        error: old.error.clone(),
        ..new
    }
}

/// A set stays the one it was, and keeps its status.
pub(super) fn volume_set(old: &VolumeSet, new: VolumeSet) -> VolumeSet {
    VolumeSet {
        uid: old.uid.clone(),
        resource_version: old.resource_version.clone(),
        generation: old.generation,
        created: old.created,
        status: old.status.clone(),
        ..new
    }
}
