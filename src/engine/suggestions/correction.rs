//! How a claim is corrected: most of its spec cannot be changed, so it is recreated, which loses nothing while it has no
//! volume. A claim that a controller would recreate with the old spec is corrected in its template instead.

use super::super::consumers::Consumers;
use super::{Change, Remedy, RemedyKind};
use crate::conventions::annotations;
use crate::conventions::command_line::CommandLine;
use crate::conventions::object_command::{command, manifest_command};
use crate::conventions::object_ref::OwnerRef;
use crate::conventions::selector::LabelSelector;
use crate::model::{Claim, ClaimPhase, ClusterState, DataSource, Kind, Origin, Pod};
use crate::report::{Danger, join_and};
use serde_json::{Map, Value, json};

/// Annotations that controllers write, or that the spec replaces.
const NOT_OF_THE_AUTHOR: [&str; 8] = [
    annotations::BIND_COMPLETED,
    annotations::BOUND_BY_CONTROLLER,
    annotations::SELECTED_NODE,
    annotations::STORAGE_PROVISIONER,
    annotations::BETA_STORAGE_PROVISIONER,
    annotations::MIGRATED_TO,
    annotations::LAST_APPLIED,
    annotations::BETA_CLASS,
];

/// Where the spec of a claim comes from, which decides where it is corrected.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Author {
    /// The manifest of a claim that does not exist yet.
    Manifest,
    /// A person created the claim and can recreate it.
    Person,
    /// The claim template of this StatefulSet.
    StatefulSet(String),
    /// The template of another owner, such as `Pod web-0` or an operator's object.
    Template(OwnerRef),
    /// The name is that of a StatefulSet's claim, and the StatefulSets were not read.
    Unknown,
}

impl Author {
    fn find(state: &ClusterState, claim: &Claim) -> Self {
        if let Origin::Template(owner) = &claim.origin {
            return Self::Template(owner.clone());
        }
        if !claim.exists() {
            return claim.owner.clone().map_or(Self::Manifest, Self::Template);
        }
        if let Some(set) = find_stateful_set(state, claim) {
            return Self::StatefulSet(set);
        }
        if let Some(owner) = &claim.owner {
            return Self::Template(owner.clone());
        }
        let ordinal = claim.key.name.rsplit_once('-').map(|(_, last)| last);
        let has_ordinal = ordinal.is_some_and(|it| it.parse::<u32>().is_ok());
        let are_sets_read = state.saw(Kind::Workloads, Some(&claim.key.namespace));
        if has_ordinal && !are_sets_read {
            return Self::Unknown;
        }
        Self::Person
    }
}

/// The StatefulSet that would create the claim again: by its template, by the owner of the claim, or by the owner of a pod.
fn find_stateful_set(state: &ClusterState, claim: &Claim) -> Option<String> {
    const KIND: &str = "StatefulSet";
    let mut sets = state.objects().workloads.iter();
    let by_template = sets.find(|it| it.kind == KIND && it.find_ordinal(&claim.key).is_some());
    if let Some(set) = by_template {
        return Some(set.key.name.clone());
    }
    let named = |owner: &OwnerRef| (owner.kind == KIND).then(|| owner.name.clone());
    let is_of = |pod: &&Pod| claim.key.name.ends_with(&format!("-{}", pod.key.name));
    let by_owner = claim.owner.as_ref().and_then(named);
    by_owner.or_else(|| {
        let mut pods = state.pods_using(&claim.key).filter(is_of);
        pods.find_map(|pod| named(pod.owner.as_ref()?))
    })
}

/// The claim with a corrected spec. `how` is the correction, such as "with class fast".
pub(super) fn correct(
    state: &ClusterState,
    claim: &Claim,
    mut changed: Claim,
    how: &str,
    volume: Option<String>,
) -> Remedy {
    changed.uid = None;
    changed.phase = ClaimPhase::Pending;
    changed.deleted = None;
    for key in NOT_OF_THE_AUTHOR {
        changed.annotations.remove(key);
    }
    let (summary, commands) = match Author::find(state, claim) {
        Author::Manifest => (format!("Correct the manifest of the claim, {how}"), vec![]),
        Author::Template(owner) => (
            format!("Correct the claim template of {owner}, {how}"),
            vec![],
        ),
        Author::Unknown => (
            format!("Correct the manifest of the claim or the template of its StatefulSet, {how}"),
            vec![],
        ),
        Author::StatefulSet(set) => replace_set(claim, &set, how),
        Author::Person => recreate(state, claim, &changed, how),
    };
    Remedy {
        kind: RemedyKind::CorrectClaim,
        summary,
        commands,
        danger: Danger::Reversible,
        change: Change::Claim(Box::new(changed)),
        size: 1,
        volume,
    }
}

/// A claim template cannot be changed: the set is deleted without its pods, and created again from the corrected manifest.
fn replace_set(claim: &Claim, set: &str, how: &str) -> (String, Vec<CommandLine>) {
    let (name, namespace) = (&*claim.key.name, &*claim.key.namespace);
    let orphan = ["delete", "sts", set, "-n", namespace, "--cascade=orphan"];
    let delete = ["delete", "pvc", name, "-n", namespace, "--wait=false"];
    let kubectl = |words: &[&str]| command(&[&["kubectl"], words].concat());
    let mut commands = vec![kubectl(&orphan)];
    let mut deleted = "the set without its pods".to_owned();
    if !claim.is_bind_completed() {
        commands.push(kubectl(&delete));
        deleted.push_str(", and this claim, which holds no data");
    }
    let summary = format!(
        "Correct the claim template of StatefulSet {set}, {how}. Delete {deleted}. Then apply the corrected manifest"
    );
    (summary, commands)
}

fn recreate(
    state: &ClusterState,
    claim: &Claim,
    changed: &Claim,
    how: &str,
) -> (String, Vec<CommandLine>) {
    let consumers = Consumers::find(state, &claim.key).unwrap_or_default();
    let on_nodes: Vec<String> = consumers
        .scheduled
        .iter()
        .map(|pod| pod.key.name.clone())
        .collect();
    if !on_nodes.is_empty() {
        // The deletion would wait for them.
        let pods = join_and(&on_nodes);
        let summary = format!(
            "Recreate the claim {how}. It holds no data. Its deletion waits for pods that use it: {pods}"
        );
        return (summary, vec![]);
    }
    let command = manifest_command(
        &[&claim.key.name, &claim.key.namespace],
        manifest(changed).to_string(),
        &["kubectl", "replace", "--force", "-f", "-"],
    );
    let summary = format!("Recreate the claim {how}. It holds no data");
    (summary, vec![command])
}

/// The claim as a manifest: all that its author can have written.
fn manifest(claim: &Claim) -> Value {
    let mut metadata = Map::from_iter([
        ("namespace".to_owned(), json!(claim.key.namespace)),
        ("name".to_owned(), json!(claim.key.name)),
    ]);
    if !claim.labels.is_empty() {
        metadata.insert("labels".to_owned(), json!(claim.labels));
    }
    let mut annotations = claim.annotations.clone();
    annotations.extend(
        claim
            .options
            .clone()
            .map(|name| (annotations::OPTIONS.to_owned(), name)),
    );
    if !annotations.is_empty() {
        metadata.insert("annotations".to_owned(), json!(annotations));
    }
    let mut spec = Map::from_iter([("accessModes".to_owned(), json!(claim.access_mode_names))]);
    let mut put =
        |key: &str, value: Option<Value>| value.map(|value| spec.insert(key.to_owned(), value));
    put(
        "resources",
        claim
            .requested
            .as_ref()
            .map(|size| json!({"requests": {"storage": size.as_str()}})),
    );
    put(
        "storageClassName",
        claim.class.field.as_ref().map(|class| json!(class)),
    );
    put(
        "volumeMode",
        claim.volume_mode_name.as_ref().map(|mode| json!(mode)),
    );
    put(
        "volumeName",
        claim.volume_name.as_ref().map(|name| json!(name)),
    );
    put(
        "volumeAttributesClassName",
        claim.attributes_class.as_ref().map(|name| json!(name)),
    );
    put("selector", claim.selector.as_ref().map(selector_value));
    put(
        "dataSource",
        claim
            .data_source
            .as_ref()
            .filter(|_| claim.data_source_ref.is_none())
            .map(source_value),
    );
    put(
        "dataSourceRef",
        claim.data_source_ref.as_ref().map(source_value),
    );
    json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec})
}

fn source_value(source: &DataSource) -> Value {
    let mut value = json!({"kind": source.kind, "name": source.name});
    if let Some(group) = &source.group {
        value["apiGroup"] = json!(group);
    }
    if let Some(namespace) = &source.namespace {
        value["namespace"] = json!(namespace);
    }
    value
}

fn selector_value(selector: &LabelSelector) -> Value {
    let expressions: Vec<Value> = selector
        .match_expressions
        .iter()
        .map(|requirement| json!({"key": requirement.key, "operator": requirement.operator.name(), "values": requirement.values}))
        .collect();
    let mut value = Map::new();
    if !selector.match_labels.is_empty() {
        value.insert("matchLabels".to_owned(), json!(selector.match_labels));
    }
    if !expressions.is_empty() {
        value.insert("matchExpressions".to_owned(), json!(expressions));
    }
    Value::Object(value)
}
