//! What the server has, held against what was sent: did an earlier attempt, or somebody else, do it?

use crate::conventions::annotations::{PROVISIONED_BY, SET_ORDINAL, SET_UID};
use crate::conventions::object_kind::ObjectKind;
use serde_json::{Value, json};

/// Whether an object has everything a merge patch would give it; its version does not count.
pub(super) fn holds(object: &Value, patch: &Value) -> bool {
    match patch {
        Value::Object(fields) => fields.iter().all(|(key, wanted)| {
            key == "resourceVersion" || holds(object.get(key).unwrap_or(&Value::Null), wanted)
        }),
        wanted => object == wanted,
    }
}

/// Whether an object is the one that was to be created.
pub(super) fn is_same_object(kind: ObjectKind, object: &Value, created: &Value) -> bool {
    match kind {
        ObjectKind::PersistentVolume => is_same_volume(object, created),
        ObjectKind::Pod => is_same_pod(object, created),
        ObjectKind::Lease => is_same_lease(object, created),
        // No plan creates these.
        ObjectKind::PersistentVolumeClaim
        | ObjectKind::Event
        | ObjectKind::VolumeAttachment
        | ObjectKind::PersistentVolumeSet
        | ObjectKind::Asset => false,
    }
}

/// Whether a volume is the one that was to be created: made by the same provisioner for the same claim. The rest of it
/// the server may have written in another way.
fn is_same_volume(object: &Value, created: &Value) -> bool {
    if is_member(created) {
        return is_same_member(object, created);
    }
    let maker = |volume: &Value| volume["metadata"]["annotations"][PROVISIONED_BY].clone();
    let owner = |volume: &Value| volume["spec"]["claimRef"]["uid"].clone();
    owner(created).is_string()
        && owner(object) == owner(created)
        && maker(object) == maker(created)
        && object["metadata"]["deletionTimestamp"].is_null()
}

/// Whether a volume that is the same has another source or another node affinity: another machine provisioned it first.
pub(super) fn is_elsewhere(object: &Value, created: &Value) -> bool {
    let (found, wanted) = (&object["spec"], &created["spec"]);
    // The server adds defaults to a source.
    let has_source = source_of(wanted).is_none_or(|source| holds(found, &source));
    !has_source || found["nodeAffinity"] != wanted["nodeAffinity"]
}

/// Whether a volume is made for a set.
pub(super) fn is_member(created: &Value) -> bool {
    created["metadata"]["annotations"][SET_UID].is_string()
}

/// Whether a volume is the member of a set that was to be created: of the same set, and of the same number.
fn is_same_member(object: &Value, created: &Value) -> bool {
    let same = |key: &str| {
        let of = |volume: &Value| volume["metadata"]["annotations"][key].clone();
        of(object) == of(created)
    };
    same(SET_UID)
        && same(SET_ORDINAL)
        && same(PROVISIONED_BY)
        && object["metadata"]["deletionTimestamp"].is_null()
}

/// Whether a lease is held by whoever was to create it.
fn is_same_lease(object: &Value, created: &Value) -> bool {
    let holder = |lease: &Value| lease["spec"]["holderIdentity"].clone();
    holder(created).is_string() && holder(object) == holder(created)
}

/// Whether a pod is the one that was to be created: ours, for the same data, and not yet let go or at an end. The rest of it
/// the server, and whoever stands before it, may have written in another way.
fn is_same_pod(object: &Value, created: &Value) -> bool {
    let meant = |place: &str| {
        let wanted = created.pointer(place).unwrap_or(&Value::Null);
        holds(object.pointer(place).unwrap_or(&Value::Null), wanted)
    };
    let is_gated = object["spec"]["schedulingGates"]
        .as_array()
        .is_some_and(|gates| !gates.is_empty());
    meant("/metadata/labels")
        && meant("/metadata/annotations")
        && meant("/spec/volumes/0")
        && is_gated
        && object["metadata"]["deletionTimestamp"].is_null()
}

/// Whether the deletion of the object of this uid was begun, or another has its place.
pub(super) fn is_under_way(object: &Value, uid: Option<&str>) -> bool {
    let metadata = &object["metadata"];
    !metadata["deletionTimestamp"].is_null() || metadata["uid"].as_str() != uid
}

/// The fields of a volume's spec that are objects and no source.
const NO_SOURCES: [&str; 3] = ["capacity", "claimRef", "nodeAffinity"];

/// The source of a volume: the one field of its spec that says where its data lies.
pub(super) fn source_of(spec: &Value) -> Option<Value> {
    let is_source = |(field, value): &(&String, &Value)| {
        value.is_object() && !NO_SOURCES.contains(&field.as_str())
    };
    let (field, value) = spec.as_object()?.iter().find(is_source)?;
    Some(json!({ field: value }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_there_when_all_its_fields_are() {
        let object = json!({ "metadata": { "uid": "u", "resourceVersion": "9", "labels": { "a": "b" } },
            "spec": { "claimRef": { "uid": "c" } } });
        let patch = |uid: &str, note: Value| {
            json!({ "metadata": { "uid": "u", "resourceVersion": "7", "annotations": { "note": note } },
                "spec": { "claimRef": { "uid": uid } } })
        };
        assert!(holds(&object, &patch("c", Value::Null)));
        assert!(!holds(&object, &patch("d", Value::Null)));
        assert!(!holds(&object, &patch("c", json!("yes"))));
    }

    #[test]
    fn a_volume_is_the_same_if_it_was_made_by_the_same_for_the_same() {
        let made = |by: &str, uid: &str| {
            json!({ "metadata": { "annotations": { PROVISIONED_BY: by } },
                "spec": { "claimRef": { "uid": uid } } })
        };
        assert!(is_same_volume(&made("a/b", "u"), &made("a/b", "u")));
        assert!(!is_same_volume(&made("a/c", "u"), &made("a/b", "u")));
        assert!(!is_same_volume(&made("a/b", "v"), &made("a/b", "u")));
        let mut going = made("a/b", "u");
        going["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        assert!(!is_same_volume(&going, &made("a/b", "u")));
    }

    #[test]
    fn a_volume_is_elsewhere_if_its_source_or_its_node_is_another() {
        let volume = |path: &str, node: Value| json!({ "spec": { "hostPath": { "path": path }, "nodeAffinity": node } });
        let ours = volume("/srv/a", json!({ "required": "a" }));
        let mut defaulted = ours.clone();
        defaulted["spec"]["hostPath"]["type"] = json!("");
        assert!(!is_elsewhere(&defaulted, &ours));
        assert!(is_elsewhere(
            &volume("/srv/b", json!({ "required": "a" })),
            &ours
        ));
        assert!(is_elsewhere(
            &volume("/srv/a", json!({ "required": "b" })),
            &ours
        ));
        assert!(is_elsewhere(&volume("/srv/a", Value::Null), &ours));
        let nfs = json!({ "spec": { "nfs": { "server": "s", "path": "/srv/a" } } });
        assert!(is_elsewhere(&nfs, &ours));
    }

    #[test]
    fn a_member_is_the_same_if_its_set_and_number_are() {
        let made = |uid: &str, ordinal: &str| json!({ "metadata": { "annotations": { SET_UID: uid, SET_ORDINAL: ordinal } }, "spec": {} });
        assert!(is_same_volume(&made("u", "1"), &made("u", "1")));
        assert!(!is_same_volume(&made("u", "2"), &made("u", "1")));
        assert!(!is_same_volume(&made("v", "1"), &made("u", "1")));
        assert!(!is_same_volume(&json!({}), &made("u", "1")));
        let mut bound = made("u", "1");
        bound["spec"]["claimRef"] = json!({ "uid": "c" });
        assert!(is_same_volume(&bound, &made("u", "1")));
    }

    #[test]
    fn a_pod_is_the_same_if_it_is_for_the_same_data_and_has_not_begun() {
        let pod = |uid: &str| {
            json!({ "metadata": { "labels": { "a": "b" }, "annotations": { "volume": uid } },
                "spec": { "schedulingGates": [{ "name": "g" }], "volumes": [{ "hostPath": { "path": "/x" } }] } })
        };
        let mut found = pod("u");
        found["spec"]["volumes"][0]["hostPath"]["type"] = json!("");
        assert!(is_same_pod(&found, &pod("u")));
        assert!(!is_same_pod(&found, &pod("v")));
        let mut elsewhere = found.clone();
        elsewhere["spec"]["volumes"][0]["hostPath"]["path"] = json!("/y");
        assert!(!is_same_pod(&elsewhere, &pod("u")));
        let mut begun = found.clone();
        begun["spec"]["schedulingGates"] = Value::Null;
        assert!(!is_same_pod(&begun, &pod("u")));
        found["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        assert!(!is_same_pod(&found, &pod("u")));
    }

    #[test]
    fn a_deletion_is_under_way_once_the_object_goes() {
        let object = json!({ "metadata": { "uid": "u" } });
        assert!(!is_under_way(&object, Some("u")));
        assert!(is_under_way(&object, Some("v")));
    }
}
