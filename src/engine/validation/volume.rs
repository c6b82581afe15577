//! Volumes: who deletes them, and what names their class.

use super::super::lifecycle::on_release;
use super::claim::class_annotations;
use crate::conventions::annotations;
use crate::model::{ReclaimPolicy, Volume};
use crate::report::{Finding, FindingCode, FindingObject};

pub(super) fn object(volume: &Volume) -> FindingObject {
    FindingObject {
        kind: "PersistentVolume".to_owned(),
        namespace: None,
        name: volume.name.clone(),
    }
}

pub(super) fn findings(volume: &Volume) -> Vec<Finding> {
    let mut found = class_annotations(
        &object(volume),
        volume.class.annotation.is_some(),
        volume.annotations.contains_key(annotations::ALPHA_CLASS),
    );
    found.extend(not_deletable(volume));
    found
}

/// Delete is a promise that somebody must keep: a provisioner, or the controller where it knows the kind of storage.
fn not_deletable(volume: &Volume) -> Option<Finding> {
    if volume.reclaim_policy != ReclaimPolicy::Delete {
        return None;
    }
    if !on_release(volume).fails() {
        return None;
    }
    let finding = Finding::new(
        FindingCode::NotDeletable,
        object(volume),
        "it is to be deleted with its claim, and nobody can: it would end Failed, data and all",
    );
    Some(finding.at("spec.persistentVolumeReclaimPolicy").hint(
        "set Retain and delete the storage by hand, or name its maker in the annotation pv.kubernetes.io/provisioned-by",
    ))
}
