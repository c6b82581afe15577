//! Changes of the claim or of a class. Most of a claim cannot be changed: it is made anew, which costs nothing while it
//! holds no volume.

use super::super::Rules;
use super::super::ending::may_be_reused;
use super::super::phases::{self, Phases};
use super::super::reclaim_commands::reuse_for;
use super::{Change, Remedy};
use crate::conventions::annotations;
use crate::conventions::class_name::ClassName;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::{LabelSelector, Operator, Requirement};
use crate::conventions::shell::{command, quote};
use crate::model::{
    Claim, ClaimPhase, ClusterState, DataSource, Kind, Origin, ReclaimPolicy, VolumePhase,
};
use crate::report::{ClaimCause, ClassSource, Danger, Explanation, Result, VolumeReason};
use serde_json::{Map, Value, json};

/// Of equal volumes any may be taken, and a smaller one may be passed over; a claim may say which it means.
pub(super) fn choose_by_hand(claim: &Claim, explanation: &Explanation) -> Vec<Remedy> {
    let (volume, purpose) = match &explanation.outcomes[..] {
        [first, _, ..] => (first.clone(), "To make it certain".to_owned()),
        [chosen] => match smaller_one(explanation, chosen) {
            Some(smaller) => (smaller.clone(), format!("To get {smaller} instead")),
            None => return vec![],
        },
        [] => return vec![],
    };
    let mut changed = claim.clone();
    changed.volume_name = Some(volume.clone());
    let (summary, commands) = if claim.exists() {
        let (name, namespace) = (&claim.key.name, &claim.key.namespace);
        let bind = ["kubectl", "pv", "bind", name, "-n", namespace];
        let bind = command(&[&bind[..], &["--volume", &volume]].concat());
        (purpose, vec![bind])
    } else {
        let summary = format!("{purpose}, write spec.volumeName: {volume} into the manifest");
        (summary, vec![])
    };
    vec![remedy(summary, commands, changed, Some(volume))]
}

/// A volume that fits, is smaller, and is passed over for its access modes.
fn smaller_one<'a>(explanation: &'a Explanation, chosen: &str) -> Option<&'a String> {
    let size = |capacity: &str| Quantity::parse(capacity).ok();
    let of = |name: &str| {
        let mut volumes = explanation.volumes.iter();
        volumes.find(|volume| volume.name == name)
    };
    let taken = size(&of(chosen)?.capacity)?;
    let has_more_modes =
        |reason: &VolumeReason| matches!(reason, VolumeReason::MoreModesThanChosen { .. });
    explanation
        .volumes
        .iter()
        .filter(|volume| volume.result == Result::Fits && volume.reasons.iter().any(has_more_modes))
        .filter_map(|volume| Some((size(&volume.capacity)?, &volume.name)))
        .filter(|(capacity, _)| *capacity < taken)
        .min()
        .map(|(_, name)| name)
}

/// A claim into which the default class was put, and a volume without a class that would be its own but for that (R14).
pub(super) fn without_the_default(
    claim: &Claim,
    explanation: &Explanation,
    rules: Rules,
) -> Vec<Remedy> {
    let is_put_in = explanation.claim.class.source == ClassSource::Default;
    let has_selector = claim.selector.is_some();
    if !rules.empty_class_is_a_choice()
        || !(is_put_in || has_selector)
        || claim.volume_name.is_some()
    {
        return vec![];
    }
    let mut rejected = explanation.volumes.iter();
    let Some(volume) = rejected.find(|volume| {
        matches!(&volume.reasons[..], [VolumeReason::ClassMismatch { offered, .. }] if offered.is_empty())
    }) else {
        return vec![];
    };
    let mut changed = claim.clone();
    changed.class = ClassName::from_field(Some(String::new()));
    let name = &volume.name;
    let how = format!("with storageClassName: \"\", so that it gets {name}, which has no class");
    // Nobody chose the class that is in the way; where somebody did, the volume may as well be changed.
    let size = usize::from(!is_put_in);
    vec![Remedy {
        size,
        ..anew(claim, changed, &how, Some(name.clone()))
    }]
}

pub(super) fn propose(
    state: &ClusterState,
    claim: &Claim,
    explanation: &Explanation,
    rules: Rules,
) -> Vec<Remedy> {
    let mut remedies: Vec<Remedy> = explanation
        .causes
        .iter()
        .flat_map(|cause| for_cause(state, claim, explanation, &cause.cause, rules))
        .collect();
    remedies.extend(without_the_default(claim, explanation, rules));
    remedies.extend(smaller_request(claim, explanation));
    remedies
}

fn for_cause(
    state: &ClusterState,
    claim: &Claim,
    explanation: &Explanation,
    cause: &ClaimCause,
    rules: Rules,
) -> Vec<Remedy> {
    match cause {
        ClaimCause::ClassNotFound { similar, .. } => similar
            .iter()
            .map(|class| with_class(claim, Some(class)))
            .collect(),
        ClaimCause::ClassExplicitlyEmpty { default: Some(_) } => vec![with_class(claim, None)],
        ClaimCause::NoDefaultClass { classes } => classes
            .first()
            .filter(|_| classes.len() == 1)
            .into_iter()
            .filter_map(|class| mark_default(state, class))
            .collect(),
        ClaimCause::LabelNotOffered {
            key,
            nearest,
            offered,
            ..
        } => nearest
            .iter()
            .map(|near| with_label(claim, key, near, offered.is_empty()))
            .collect(),
        ClaimCause::SelectorNotProvisionable { .. } => {
            let mut changed = claim.clone();
            changed.selector = None;
            vec![anew(claim, changed, "without the selector", None)]
        }
        ClaimCause::NamedVolumeNotFound { similar, .. } => {
            let handed_over = similar
                .iter()
                .filter_map(|(name, _)| with_released(state, claim, name));
            let named = similar
                .iter()
                .map(|(name, _)| with_volume(claim, Some(name)));
            let all = handed_over.chain(named);
            all.chain([with_volume(claim, None)]).collect()
        }
        ClaimCause::NamedVolumeMismatch { volume, .. } => {
            class_of_named(state, claim, explanation, volume, rules)
        }
        ClaimCause::VolumeMisbound { volume, .. } => {
            reclaim_misbound(state, claim, volume).into_iter().collect()
        }
        ClaimCause::SelectedNodeMissing { .. } => vec![forget_node(claim)],
        _ => vec![],
    }
}

fn remedy(summary: String, commands: Vec<String>, claim: Claim, volume: Option<String>) -> Remedy {
    Remedy {
        summary,
        commands,
        danger: Danger::Reversible,
        change: Change::Claim(Box::new(claim)),
        size: 1,
        volume,
    }
}

fn with_class(claim: &Claim, class: Option<&String>) -> Remedy {
    let mut changed = claim.clone();
    changed.class = ClassName::from_field(class.cloned());
    let how = class.map_or_else(
        || "without storageClassName, so that it gets the default class".to_owned(),
        |class| format!("with class {class}"),
    );
    anew(claim, changed, &how, None)
}

fn with_volume(claim: &Claim, name: Option<&String>) -> Remedy {
    let mut changed = claim.clone();
    changed.volume_name = name.cloned();
    let how = name.map_or_else(
        || {
            "without volumeName, so that it gets any volume that fits, or a new and empty one"
                .to_owned()
        },
        |name| format!("with volumeName {name}"),
    );
    anew(claim, changed, &how, name.cloned())
}

/// A volume of nearly that name that its namesake has left behind: both sides have to be changed.
fn with_released(state: &ClusterState, claim: &Claim, name: &str) -> Option<Remedy> {
    let found = state.find_volume(name)?;
    let mut volume = found.clone();
    let phase = phases::view(state, &volume, Phases::Settled).phase;
    let reference = volume.claim_ref.as_mut()?;
    let is_left = phase == VolumePhase::Released
        && volume.reclaim_policy == ReclaimPolicy::Retain
        && reference.key() == claim.key
        && reference.uid.take().is_some()
        && may_be_reused(state, found);
    if !is_left {
        return None;
    }
    let mut with = with_volume(claim, Some(&name.to_owned()));
    let Change::Claim(changed) = with.change else {
        return None;
    };
    // Not before: what the claim names now is another volume.
    with.commands.push(reuse_for(name, &claim.key));
    Some(Remedy {
        summary: format!(
            "Take {name}, which an earlier {} has left: make the claim anew with volumeName {name}, and keep {name} for it, with its data",
            claim.key
        ),
        change: Change::Both(Box::new(volume), changed),
        size: 0,
        ..with
    })
}

/// The claim asking for the label that was meant: another value of the key, or another key where nobody uses that one.
fn with_label(claim: &Claim, key: &str, near: &str, key_is_wrong: bool) -> Remedy {
    let mut changed = claim.clone();
    let mut wanted = changed.selector.take().unwrap_or_default();
    let old = wanted.match_labels.remove(key);
    if key_is_wrong {
        wanted
            .match_labels
            .extend(old.map(|value| (near.to_owned(), value)));
    } else {
        wanted
            .match_labels
            .extend(old.map(|_| (key.to_owned(), near.to_owned())));
    }
    let named = |requirement: &&mut Requirement| requirement.key == key;
    for requirement in wanted.match_expressions.iter_mut().filter(named) {
        if key_is_wrong {
            near.clone_into(&mut requirement.key);
        } else if requirement.operator == Operator::In {
            requirement.values = vec![near.to_owned()];
        }
    }
    let how = format!("selecting {wanted}");
    changed.selector = Some(wanted);
    // A slip of the pen is mended where it was made, and not on the volumes.
    Remedy {
        size: 0,
        ..anew(claim, changed, &how, None)
    }
}

/// A claim that names a volume of another class usually got its class from the default (R14).
fn class_of_named(
    state: &ClusterState,
    claim: &Claim,
    explanation: &Explanation,
    volume: &str,
    rules: Rules,
) -> Vec<Remedy> {
    let Some(named) = state.find_volume(volume) else {
        return vec![];
    };
    let class = named.class().to_owned();
    if class == explanation.claim.class.name
        || (class.is_empty() && !rules.empty_class_is_a_choice())
    {
        return vec![];
    }
    let mut changed = claim.clone();
    changed.class = ClassName::from_field(Some(class.clone()));
    let why = if explanation.claim.class.source == ClassSource::Default {
        ", so that no default is put in"
    } else {
        ""
    };
    let how = format!("with storageClassName: \"{class}\", the class of {volume}{why}");
    let mut remedy = anew(claim, changed, &how, Some(volume.to_owned()));
    if explanation.claim.class.source == ClassSource::Default {
        // Nobody chose the class that is in the way.
        remedy.size = 0;
    }
    vec![remedy]
}

/// Slightly too small volumes: ask for what there is. Half of what was asked for is not what somebody meant.
fn smaller_request(claim: &Claim, explanation: &Explanation) -> Vec<Remedy> {
    let only_too_small = explanation
        .volumes
        .iter()
        .filter(|assessment| assessment.result == Result::Rejected);
    let near = only_too_small.filter_map(|assessment| match &assessment.reasons[..] {
        [VolumeReason::TooSmall { requested, offered }] if offered < requested => {
            let half = requested.ceil_units() / 2;
            (offered.ceil_units() > half).then(|| (assessment.name.clone(), offered.clone()))
        }
        _ => None,
    });
    near.take(1)
        .map(|(volume, offered)| ask_for(claim, &offered, volume))
        .collect()
}

fn ask_for(claim: &Claim, size: &Quantity, volume: String) -> Remedy {
    let mut changed = claim.clone();
    changed.requested = Some(size.clone());
    anew(
        claim,
        changed,
        &format!("asking for {size}, which {volume} has"),
        Some(volume),
    )
}

fn mark_default(state: &ClusterState, class: &str) -> Option<Remedy> {
    let mut changed = state.find_class(class)?.clone();
    changed.marked_default = true;
    let annotation = format!("{}=true", annotations::DEFAULT_CLASS);
    Some(Remedy {
        summary: format!("Make {class} the default class (for every claim that names none)"),
        commands: vec![command(&[
            "kubectl",
            "annotate",
            "storageclass",
            class,
            &annotation,
            "--overwrite",
        ])],
        danger: Danger::Reversible,
        change: Change::Class(Box::new(changed)),
        size: 1,
        volume: None,
    })
}

/// A volume that names this claim, but with another uid or none, as restores and GitOps tools leave it; or one that is held
/// for a claim that is gone, and that nobody holds once its claimRef is removed (R62).
fn reclaim_misbound(state: &ClusterState, claim: &Claim, volume: &str) -> Option<Remedy> {
    let mut changed = state.find_volume(volume)?.clone();
    let reference = changed.claim_ref.as_mut()?;
    let (patch, summary) = if reference.key() == claim.key {
        reference.uid.clone_from(&claim.uid);
        let patch = json!({"spec": {"claimRef": {"uid": claim.uid, "resourceVersion": null}}});
        (
            patch,
            format!(
                "Give {volume} back to this claim: write the claim's own uid into its claimRef"
            ),
        )
    } else {
        let holder = reference.key();
        let lives = state.find_claim(&holder).is_some()
            || !state.saw(Kind::Claims, Some(&holder.namespace));
        if lives || holder.namespace != claim.key.namespace {
            return None;
        }
        changed.claim_ref = None;
        let summary =
            format!("Give {volume} back to this claim: it is held for {holder}, which is gone");
        (json!({"spec": {"claimRef": null}}), summary)
    };
    Some(Remedy {
        summary,
        commands: vec![command(&[
            "kubectl",
            "patch",
            "pv",
            volume,
            "--type",
            "merge",
            "-p",
            &patch.to_string(),
        ])],
        danger: Danger::Reversible,
        change: Change::Volume(Box::new(changed)),
        size: 1,
        volume: Some(volume.to_owned()),
    })
}

fn forget_node(claim: &Claim) -> Remedy {
    let mut changed = claim.clone();
    changed.annotations.remove(annotations::SELECTED_NODE);
    let annotation = format!("{}-", annotations::SELECTED_NODE);
    let words = [
        "kubectl",
        "annotate",
        "pvc",
        &claim.key.name,
        "-n",
        &claim.key.namespace,
        &annotation,
    ];
    remedy(
        "Forget the node that is gone, so that the scheduler chooses anew".to_owned(),
        vec![command(&words)],
        changed,
        None,
    )
}

/// The claim made anew. What does not exist yet is edited where it is written.
fn anew(claim: &Claim, mut changed: Claim, how: &str, volume: Option<String>) -> Remedy {
    changed.uid = None;
    changed.phase = ClaimPhase::Pending;
    changed.deleted = None;
    for key in [
        annotations::BIND_COMPLETED,
        annotations::BOUND_BY_CONTROLLER,
        annotations::SELECTED_NODE,
        annotations::STORAGE_PROVISIONER,
        annotations::BETA_STORAGE_PROVISIONER,
        annotations::MIGRATED_TO,
        annotations::LAST_APPLIED,
        annotations::BETA_CLASS,
    ] {
        changed.annotations.remove(key);
    }
    match (&claim.origin, &claim.owner, claim.exists()) {
        (Origin::Template(owner), ..) | (Origin::Object, Some(owner), _) => remedy(
            format!("Change the claim template of {owner}: {how}"),
            vec![],
            changed,
            volume,
        ),
        (Origin::Object, None, false) => remedy(
            format!("Change the manifest: {how}"),
            vec![],
            changed,
            volume,
        ),
        (Origin::Object, None, true) => {
            let command = format!(
                "printf %s {} | kubectl replace --force -f -",
                quote(&manifest(&changed).to_string())
            );
            remedy(
                format!("Make the claim anew {how} (it holds no data yet)"),
                vec![command],
                changed,
                volume,
            )
        }
    }
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
