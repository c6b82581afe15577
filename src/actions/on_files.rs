//! A plan played on manifests: nothing outside is touched, the objects come out as they would be afterwards.

use super::operation::{Creation, Operation, Patch};
use super::plan::Plan;
use crate::conventions::fingerprint::fingerprint;
use crate::conventions::object_kind::ObjectKind;
use crate::conventions::object_ref::ObjectKey;
use crate::engine::{Rules, admission};
use crate::model::manifest::{Manifest, Node};
use crate::model::{ClusterState, Origin};
use serde_json::{Map, Value};
use std::rc::Rc;

/// A claim of a file that is created first: what the API server gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Created {
    key: ObjectKey,
    uid: String,
    class: Option<String>,
}

/// Creates the claims that do not exist yet and that the API server would take. Their uids are made from their names, so
/// that the same files give the same answer.
pub(crate) fn create_claims(state: &mut ClusterState, rules: Rules) -> Vec<Created> {
    let new: Vec<_> = state
        .claims()
        .iter()
        .filter(|claim| !claim.exists() && claim.origin == Origin::Object)
        .cloned()
        .collect();
    let mut created = Vec::new();
    for claim in new {
        let admitted = admission::admit(state, &claim, rules);
        if !admitted.refusals.is_empty() {
            continue;
        }
        let uid = made_up_uid(&claim.key);
        let mut stored = admitted.stored;
        created.push(Created {
            key: claim.key,
            uid: uid.clone(),
            class: stored
                .class
                .field
                .clone()
                .filter(|_| admitted.got_default_class),
        });
        stored.uid = Some(uid);
        state.swap_claim(stored);
    }
    created
}

/// The name, in the form of a uid.
fn made_up_uid(key: &ObjectKey) -> String {
    let number = fingerprint(&key.to_string()) & 0xffff_ffff_ffff;
    format!("00000000-0000-4000-8000-{number:012x}")
}

/// Makes the changes of a plan in the manifests; of two of one name the later one counts, as when they are read.
pub(crate) fn play(
    plan: &Plan,
    created: &[Created],
    manifests: &mut Vec<Manifest>,
    default_namespace: &str,
) {
    let find = |manifests: &[Manifest], kind: ObjectKind, namespace: Option<&str>, name: &str| {
        let is_it = |manifest: &Manifest| {
            let own = manifest.namespace().unwrap_or(default_namespace);
            manifest.kind == kind.name()
                && manifest.name() == name
                && namespace.is_none_or(|namespace| namespace == own)
        };
        manifests.iter().rposition(is_it)
    };
    for claim in created {
        let (namespace, name) = (&*claim.key.namespace, &*claim.key.name);
        let Some(place) = find(
            manifests,
            ObjectKind::PersistentVolumeClaim,
            Some(namespace),
            name,
        ) else {
            continue;
        };
        let manifest = &mut manifests[place];
        let root = &mut manifest.root;
        if let Some(metadata) = root.map_at("metadata") {
            metadata.set("uid", Node::text(&*claim.uid));
        }
        if let (Some(class), Some(spec)) = (&claim.class, root.map_at("spec")) {
            spec.set("storageClassName", Node::text(&**class));
        }
    }
    for change in &plan.changes {
        let target = &change.target;
        let namespace = target.namespace.as_deref();
        let place = find(manifests, target.kind, namespace, &target.name);
        match (&change.operation, place) {
            (Operation::Create(creation), None) => {
                manifests.push(created_object(target.kind, creation));
            }
            (Operation::Patch(patch), Some(place)) => make(&mut manifests[place].root, patch),
            (Operation::Delete(_), Some(place)) => drop(manifests.remove(place)),
            _ => {}
        }
    }
}

fn created_object(kind: ObjectKind, creation: &Creation) -> Manifest {
    let mut body = creation.object.clone();
    // Of a claim that was never read from a server there is no version to name.
    let reference = body.pointer_mut("/spec/claimRef");
    if let Some(reference) = reference.and_then(Value::as_object_mut) {
        reference.retain(|_, value| !value.is_null());
    }
    Manifest {
        source: Rc::default(),
        api_version: kind.api_version().to_owned(),
        kind: kind.name().to_owned(),
        root: Node::of_json(&body),
    }
}

fn make(root: &mut Node, patch: &Patch) {
    let mut body = patch.body.clone();
    // What guards the request is no part of the result.
    if let Some(metadata) = body.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|key, _| key != "uid" && key != "resourceVersion");
    }
    let Value::Object(fields) = body else {
        return;
    };
    merge(root, &fields);
    if let Some(metadata) = root.get_mut("metadata")
        && metadata
            .get("annotations")
            .is_some_and(|found| found.entries().is_empty())
    {
        metadata.remove("annotations");
    }
}

/// A merge patch (RFC 7386); fields stay in the order of the file.
fn merge(node: &mut Node, patch: &Map<String, Value>) {
    for (key, value) in patch {
        match value {
            Value::Null => drop(node.remove(key)),
            Value::Object(fields) if fields.is_empty() => {}
            Value::Object(fields) => {
                if let Some(inner) = node.map_at(key) {
                    merge(inner, fields);
                }
            }
            other => node.set(key, Node::of_json(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volumes of a dry run are called by it, and people compare two runs.
    #[test]
    fn the_uid_of_a_claim_of_a_file_never_changes() {
        let uid = made_up_uid(&ObjectKey::new("ns", "data"));
        assert_eq!(uid, "00000000-0000-4000-8000-c3fafd5c5293");
    }
}
