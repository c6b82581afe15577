//! What can be written only when the claims exist, because it contains their uids.

use serde_json::{Value, json};

use super::case::{Case, Target};

/// The changes to the volumes of a case: each volume with its merge patch.
pub(super) fn reservations(case: &Case, claims: &[Value]) -> Vec<(Value, Value)> {
    let with_uid = |name: &str| reference_with_uid(case, name, claims);
    let change = |to: &Target| match to {
        Target::Claim(claim) => json!({ "spec": { "claimRef": with_uid(claim) } }),
        Target::LeftBehind(claim) => json!({
            "metadata": { "annotations": { "pv.kubernetes.io/bound-by-controller": "yes" } },
            "spec": { "claimRef": with_uid(claim) },
        }),
        Target::WithoutUid => json!({ "spec": { "claimRef": { "uid": null } } }),
        Target::Nobody => json!({ "spec": { "claimRef": null } }),
        Target::Dead => json!({ "spec": { "claimRef": { "uid": "00000000-dead" } } }),
    };
    let reservations = case.reservations.iter();
    reservations
        .map(|reservation| (volume_named(&reservation.volume), change(&reservation.to)))
        .collect()
}

/// The volume that was provisioned for the claim under test, under the name such volumes have.
pub(super) fn provisioned(case: &Case, claims: &[Value]) -> Option<Value> {
    let mut volume = case.provisioned.clone()?;
    let reference = reference_with_uid(case, &case.claim, claims);
    let uid = reference["uid"].as_str().expect("a uid");
    volume["metadata"]["name"] = json!(format!("pvc-{uid}"));
    volume["spec"]["claimRef"] = reference;
    Some(volume)
}

/// Enough of a volume to change it.
pub(super) fn volume_named(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": name } })
}

fn reference_with_uid(case: &Case, claim: &str, claims: &[Value]) -> Value {
    let mut reference = case.reference(claim);
    let meant = |object: &&Value| {
        let metadata = &object["metadata"];
        metadata["name"] == reference["name"] && metadata["namespace"] == reference["namespace"]
    };
    let found = claims.iter().find(meant).expect("a claim of the case");
    reference["uid"] = found["metadata"]["uid"].clone();
    reference
}
