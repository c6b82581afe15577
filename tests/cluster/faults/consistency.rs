//! Can claims and volumes stay as they are? What a bind, whole, broken or disturbed, must never leave
//! behind, whoever else wrote meanwhile: the rules hold for every end state.

use serde_json::Value;

/// What is wrong with these claims and volumes, a sentence each. A claim that is Lost, and a volume
/// that is Released or Failed, say so themselves and are no contradiction.
pub(crate) fn contradictions(objects: &[Value]) -> Vec<String> {
    let of_kind = |kind: &str| -> Vec<&Value> {
        objects
            .iter()
            .filter(|object| object["kind"] == kind)
            .collect()
    };
    let claims = of_kind("PersistentVolumeClaim");
    let volumes = of_kind("PersistentVolume");
    let mut found = Vec::new();
    for volume in &volumes {
        found.extend(left_reserved(volume, &claims));
    }
    for claim in claims.iter().filter(|claim| phase(claim) == "Bound") {
        found.extend(wrongly_bound(claim, &volumes, &claims));
    }
    found
}

/// A volume that is kept for a claim which is gone or has another one.
fn left_reserved(volume: &Value, claims: &[&Value]) -> Option<String> {
    let uid = volume["spec"]["claimRef"]["uid"].as_str()?;
    if ["Released", "Failed"].contains(&phase(volume)) {
        return None;
    }
    let claim = claims.iter().find(|claim| claim["metadata"]["uid"] == uid);
    let Some(claim) = claim else {
        return Some(format!(
            "volume {} is reserved for a claim that is gone",
            name(volume)
        ));
    };
    let wanted = claim["spec"]["volumeName"].as_str().unwrap_or_default();
    (wanted != name(volume)).then(|| {
        let claim = name(claim);
        format!(
            "volume {} is reserved for claim {claim}, which has `{wanted}`",
            name(volume)
        )
    })
}

fn wrongly_bound(claim: &Value, volumes: &[&Value], claims: &[&Value]) -> Vec<String> {
    let wanted = claim["spec"]["volumeName"].as_str().unwrap_or_default();
    let mut found = Vec::new();
    match volumes.iter().find(|volume| name(volume) == wanted) {
        None => found.push(format!(
            "claim {} is bound to `{wanted}`, which is not there",
            name(claim)
        )),
        Some(volume) => {
            if volume["spec"]["claimRef"]["uid"] != claim["metadata"]["uid"] {
                found.push(format!(
                    "claim {} is bound to {wanted}, which is not its own",
                    name(claim)
                ));
            }
            if phase(volume) != "Bound" {
                found.push(format!(
                    "claim {} is bound to {wanted}, which is {}",
                    name(claim),
                    phase(volume)
                ));
            }
        }
    }
    let same = |other: &&&Value| other["spec"]["volumeName"] == wanted && phase(other) == "Bound";
    if claims.iter().filter(same).count() > 1 {
        found.push(format!("volume {wanted} has more than one claim"));
    }
    if claim["metadata"]["annotations"]
        .get("pv.kubernetes.io/bind-completed")
        .is_none()
    {
        found.push(format!("claim {} is Bound and not completed", name(claim)));
    }
    found
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

fn phase(object: &Value) -> &str {
    object["status"]["phase"].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claim(name: &str, volume: &str, phase: &str) -> Value {
        let completed = json!({ "pv.kubernetes.io/bind-completed": "yes" });
        json!({
            "kind": "PersistentVolumeClaim",
            "metadata": { "name": name, "uid": format!("uid-{name}"), "annotations": completed },
            "spec": { "volumeName": volume }, "status": { "phase": phase },
        })
    }

    fn volume(name: &str, uid: &str, phase: &str) -> Value {
        json!({
            "kind": "PersistentVolume", "metadata": { "name": name },
            "spec": { "claimRef": { "uid": uid } }, "status": { "phase": phase },
        })
    }

    #[test]
    fn what_belongs_together_is_no_contradiction() {
        let good = [
            claim("a", "v", "Bound"),
            volume("v", "uid-a", "Bound"),
            claim("b", "w", "Lost"),
            volume("w", "uid-gone", "Released"),
        ];
        assert_eq!(contradictions(&good), [""; 0]);
    }

    #[test]
    fn each_contradiction_is_found() {
        for (objects, part) in [
            (vec![volume("v", "uid-a", "Bound")], "a claim that is gone"),
            (
                vec![claim("a", "", "Pending"), volume("v", "uid-a", "Available")],
                "which has ``",
            ),
            (vec![claim("a", "v", "Bound")], "which is not there"),
            (
                vec![
                    claim("a", "v", "Bound"),
                    claim("b", "w", "Lost"),
                    volume("v", "uid-b", "Bound"),
                ],
                "not its own",
            ),
            (
                vec![claim("a", "v", "Bound"), volume("v", "uid-a", "Available")],
                "which is Available",
            ),
            (
                vec![
                    claim("a", "v", "Bound"),
                    claim("b", "v", "Bound"),
                    volume("v", "uid-a", "Bound"),
                ],
                "more than one",
            ),
        ] {
            let found = contradictions(&objects).join("\n");
            assert!(found.contains(part), "{part}: {found}");
        }
    }
}
