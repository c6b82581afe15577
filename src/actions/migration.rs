//! What the controller corrects on a claim and its volume before it looks at their bind: who took over an in-tree
//! provisioner (R3, R19, R70), and what holds a volume that a provisioner made until its storage is deleted (R123).
//!
//! It is done only where a bind has something to write: what is bound is the running controller's to correct, which may be
//! older than all in-tree names that went to CSI drivers.

use super::draft::Draft;
use super::operation::Patch;
use crate::conventions::annotations::{
    BETA_STORAGE_PROVISIONER, CONTROLLER_DELETION, MIGRATED_TO, PROVISIONED_BY,
    PROVISIONER_DELETION, STORAGE_PROVISIONER,
};
use crate::conventions::class_name::{IN_TREE_PREFIX, migrated_driver};
use crate::model::{Claim, ReclaimPolicy, Volume};
use serde_json::json;
use std::collections::BTreeMap;

/// Upstream: pv_controller_base.go, updateClaimMigrationAnnotations.
pub(super) fn correct_claim(draft: &mut Draft, mut claim: Claim) -> Claim {
    let annotations = &claim.annotations;
    let provisioner = annotations
        .get(STORAGE_PROVISIONER)
        .or_else(|| annotations.get(BETA_STORAGE_PROVISIONER));
    let Some(driver) = provisioner.and_then(|name| correction(name, annotations)) else {
        return claim;
    };
    let body = json!({ "metadata": { "annotations": { MIGRATED_TO: driver } } });
    draft.patch((&claim).into(), Patch::object(body), why(driver));
    annotate(&mut claim.annotations, driver);
    draft.state.swap_claim(claim.clone());
    claim
}

/// Upstream: pv_controller_base.go, updateVolumeMigrationAnnotationsAndFinalizers.
pub(super) fn correct_volume(draft: &mut Draft, mut volume: Volume) -> Volume {
    let Some(provisioner) = volume.annotations.get(PROVISIONED_BY) else {
        return volume;
    };
    let driver = correction(provisioner, &volume.annotations);
    let finalizers = held_by(provisioner, &volume);
    let mut metadata = json!({});
    if let Some(driver) = driver {
        metadata["annotations"] = json!({ MIGRATED_TO: driver });
        annotate(&mut volume.annotations, driver);
    }
    let why = match driver {
        Some(driver) => why(driver),
        None => "what holds it until its storage is deleted".to_owned(),
    };
    if finalizers != volume.finalizers {
        metadata["finalizers"] = json!(finalizers);
        volume.finalizers = finalizers;
    } else if driver.is_none() {
        return volume;
    }
    let body = json!({ "metadata": metadata });
    draft.patch((&volume).into(), Patch::object(body), why);
    draft.state.swap_volume(volume.clone());
    volume
}

/// The driver to write, or nothing to take away what is written; no correction if it is as it should be.
#[expect(
    clippy::option_option,
    reason = "no correction, and a correction to nothing"
)]
fn correction(
    provisioner: &str,
    annotations: &BTreeMap<String, String>,
) -> Option<Option<&'static str>> {
    let written = annotations.get(MIGRATED_TO).map_or("", String::as_str);
    let driver = migrated_driver(provisioner);
    (written != driver.unwrap_or_default()).then_some(driver)
}

fn annotate(annotations: &mut BTreeMap<String, String>, driver: Option<&str>) {
    match driver {
        Some(driver) => annotations.insert(MIGRATED_TO.to_owned(), driver.to_owned()),
        None => annotations.remove(MIGRATED_TO),
    };
}

fn why(driver: Option<&str>) -> String {
    match driver {
        Some(driver) => format!("{driver} answers for its provisioner"),
        None => "no driver has taken over its provisioner".to_owned(),
    }
}

/// Upstream: pv_controller_base.go, modifyDeletionFinalizers.
fn held_by(provisioner: &str, volume: &Volume) -> Vec<String> {
    let is_migrated = migrated_driver(provisioner).is_some();
    if !is_migrated && !provisioner.starts_with(IN_TREE_PREFIX) {
        return volume.finalizers.clone();
    }
    let is_deleted_in_tree = !is_migrated && volume.reclaim_policy == ReclaimPolicy::Delete;
    let is_kept = |finalizer: &String| match finalizer.as_str() {
        CONTROLLER_DELETION => is_deleted_in_tree,
        PROVISIONER_DELETION => is_migrated,
        _ => true,
    };
    let kept = volume.finalizers.iter().filter(|name| is_kept(name));
    let mut finalizers: Vec<String> = kept.cloned().collect();
    if is_deleted_in_tree && !finalizers.iter().any(|name| name == CONTROLLER_DELETION) {
        finalizers.push(CONTROLLER_DELETION.to_owned());
    }
    finalizers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{claim, state, volume};
    use serde_json::Value;

    const EBS: &str = "kubernetes.io/aws-ebs";
    const IN_TREE: &str = "kubernetes.io/host-path";

    fn patches(claim: Claim, volume: Volume) -> Vec<Value> {
        let state = state(vec![claim], vec![volume]);
        let mut draft = Draft::new(&state, "bind");
        correct_claim(&mut draft, state.claims()[0].clone());
        correct_volume(&mut draft, state.volumes()[0].clone());
        let bodies = draft.plan.changes.into_iter().map(|change| change.body());
        let tidy = |mut body: Value| {
            for guard in ["uid", "resourceVersion"] {
                body["metadata"]
                    .as_object_mut()
                    .expect("metadata")
                    .remove(guard);
            }
            body["metadata"].take()
        };
        bodies.map(tidy).collect()
    }

    #[test]
    fn the_driver_that_answers_is_noted_once() {
        let noted = [json!({ "annotations": { MIGRATED_TO: "ebs.csi.aws.com" } })];
        for key in [STORAGE_PROVISIONER, BETA_STORAGE_PROVISIONER] {
            let asked = claim("c").annotated(key, EBS);
            assert_eq!(patches(asked, volume("v")), noted);
        }
        let made = volume("v").annotated(PROVISIONED_BY, EBS);
        assert_eq!(patches(claim("c"), made.clone()), noted);
        let known = made.annotated(MIGRATED_TO, "ebs.csi.aws.com");
        assert!(patches(claim("c"), known).is_empty());
        let by_hand = volume("v").annotated(MIGRATED_TO, "whatever");
        assert!(patches(claim("c"), by_hand).is_empty());
        let other = claim("c").annotated(STORAGE_PROVISIONER, "x.example");
        let gone = json!({ "annotations": { MIGRATED_TO: null } });
        assert_eq!(
            patches(other.annotated(MIGRATED_TO, "y.example"), volume("v")),
            [gone]
        );
    }

    #[test]
    fn what_the_controller_deletes_itself_it_holds() {
        let made = |policy, finalizers: &[&str]| {
            let mut made = volume("v").annotated(PROVISIONED_BY, IN_TREE);
            made.reclaim_policy = policy;
            made.finalizers = finalizers.iter().map(|name| (*name).to_owned()).collect();
            made
        };
        let held = |names: &[&str]| json!({ "finalizers": names });
        assert_eq!(
            patches(
                claim("c"),
                made(ReclaimPolicy::Delete, &["a", PROVISIONER_DELETION])
            ),
            [held(&["a", CONTROLLER_DELETION])]
        );
        assert!(
            patches(
                claim("c"),
                made(ReclaimPolicy::Delete, &[CONTROLLER_DELETION])
            )
            .is_empty()
        );
        assert_eq!(
            patches(
                claim("c"),
                made(ReclaimPolicy::Retain, &[CONTROLLER_DELETION, "a"])
            ),
            [held(&["a"])]
        );
        let mut migrated = made(
            ReclaimPolicy::Delete,
            &[CONTROLLER_DELETION, PROVISIONER_DELETION],
        );
        migrated = migrated.annotated(PROVISIONED_BY, EBS);
        migrated = migrated.annotated(MIGRATED_TO, "ebs.csi.aws.com");
        assert_eq!(
            patches(claim("c"), migrated),
            [held(&[PROVISIONER_DELETION])]
        );
    }
}
